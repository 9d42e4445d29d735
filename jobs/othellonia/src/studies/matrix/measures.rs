//! The state as numbers.

use hatchery_core::Measure;

use super::pieces::{PieceWorths, piece_worths};
use super::spec::CheckedMatrix;
use super::state::{MatchupState, MatrixState, first_score};

/// The name of the number of match-ups that are shown to be uneven.
pub(super) const UNEVEN_MATCHUPS: &str = "uneven_matchups";

/// The most decks whose match-ups are measures of their own.
const MAX_NAMED_DECKS: usize = 8;

/// Returns the score of the first player, the number of dominant pieces with the power of the test
/// that finds them, and, if there are few decks, every match-up's score.
pub(super) fn measures(checked: &CheckedMatrix, state: &MatrixState) -> Vec<Measure> {
    let mut measures = Vec::new();
    if let Some(score) = first_score(&first_points(state), checked) {
        measures.push(Measure::new("first_player/score", "", score.interval));
    }
    let pairs: u64 = state.matchups.iter().map(|matchup| matchup.counts.pairs()).sum();
    measures.push(Measure::new("games", "games", 2 * pairs));
    if state.looks != 0 {
        let n_uneven = uneven_matchups(checked, state).0;
        measures.push(Measure::new(UNEVEN_MATCHUPS, "match-ups", n_uneven));
    }
    if let PieceWorths::Estimated { worths, power, .. } = piece_worths(checked, state) {
        let n_dominant = worths.iter().filter(|worth| worth.is_dominant).count();
        measures.push(Measure::new("dominant_pieces", "pieces", n_dominant as u64));
        measures.push(Measure::new("dominance_power", "", power.of_clear));
    }
    measures.extend(matchup_scores(checked, state));
    measures
}

/// Returns the number of match-ups between different decks that are shown to be uneven, and the
/// total number of match-ups between different decks.
pub(super) fn uneven_matchups(checked: &CheckedMatrix, state: &MatrixState) -> (u64, u64) {
    let matchups = checked.matchups.iter().zip(&state.matchups).filter(|([a, b], _)| a != b);
    let is_uneven = |(_, matchup): &(&[usize; 2], &MatchupState)| {
        let score = matchup.score(checked).map(|score| score.interval);
        score.is_some_and(|score| score.high < 0.5 || 0.5 < score.low)
    };
    (matchups.clone().filter(is_uneven).count() as u64, matchups.count() as u64)
}

fn matchup_scores(checked: &CheckedMatrix, state: &MatrixState) -> Vec<Measure> {
    if MAX_NAMED_DECKS < checked.decks.len() {
        return Vec::new();
    }
    let matchups = checked.matchups.iter().zip(&state.matchups).filter(|([a, b], _)| a != b);
    let score = |(&[a, b], matchup): (&[usize; 2], &MatchupState)| {
        let name = format!("{}/{}/score", checked.decks[a].name, checked.decks[b].name);
        Some(Measure::new(name, "", matchup.score(checked)?.interval))
    };
    matchups.filter_map(score).collect()
}

/// Returns the pairs in all match-ups by the points of the player who placed first in each game.
pub(super) fn first_points(state: &MatrixState) -> [u64; 5] {
    let mut points = [0; 5];
    for matchup in &state.matchups {
        for (sum, n) in points.iter_mut().zip(matchup.first_player) {
            *sum += n;
        }
    }
    points
}
