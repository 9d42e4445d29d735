//! The tables about a state. `matrix.csv` has a row for each ordered pair of decks, and for each
//! deck against itself; `decks.csv` has a row for each piece in each deck.

use std::fmt::Write as _;

use hatchery_core::text::{TAKES_ALL, csv_cell};

use super::spec::CheckedMatrix;
use super::state::{MatchupState, MatrixState};
use crate::pool::{PieceDefinition, PieceText};
use crate::rules::{Effect, PieceId};

/// The columns.
const COLUMNS: &str = "first,second,pairs,losses,draws,wins,score,score_low,score_high,\
                       first_player_score,placements,hp_zero,one_color,deck_used_up,no_moves,\
                       settled,trial\n";

/// Returns the table: each match-up as both of its decks see it.
pub(super) fn matrix_csv(checked: &CheckedMatrix, state: &MatrixState) -> String {
    let mut text = COLUMNS.to_owned();
    for (subject, (&[a, b], matchup)) in checked.matchups.iter().zip(&state.matchups).enumerate() {
        write_row(&mut text, checked, [a, b], matchup, subject);
        if a != b {
            write_row(&mut text, checked, [b, a], matchup, subject);
        }
    }
    text
}

fn write_row(
    text: &mut String,
    checked: &CheckedMatrix,
    [first, second]: [usize; 2],
    matchup: &MatchupState,
    subject: usize,
) {
    let is_reversed = second < first;
    let [mut losses, draws, mut wins] = matchup.counts.games();
    if is_reversed {
        (losses, wins) = (wins, losses);
    }
    // A deck against itself has no score.
    let score = matchup.score(checked).filter(|_| first != second);
    let score = score.map_or_else(
        || ",,".to_owned(),
        |it| {
            let it = it.interval;
            let [mean, low, high] = match is_reversed {
                false => [it.mean, it.low, it.high],
                true => [1.0 - it.mean, 1.0 - it.high, 1.0 - it.low],
            };
            format!("{mean:.4},{low:.4},{high:.4}")
        },
    );
    let first_score = matchup.first_score(checked);
    let first_score = first_score.map_or_else(String::new, |it| format!("{:.4}", it.interval.mean));
    let sums = &matchup.sums;
    let causes: Vec<_> = sums.causes.iter().map(u64::to_string).collect();
    writeln!(
        text,
        "{},{},{},{losses},{draws},{wins},{score},{first_score},{:.2},{},{},0/{subject}/0",
        checked.decks[first].name,
        checked.decks[second].name,
        matchup.counts.pairs(),
        mean(sums.placements, sums.games),
        causes.join(","),
        u8::from(matchup.is_settled),
    )
    .expect(TAKES_ALL);
}

/// Returns a mean for display; 0 of nothing.
#[expect(clippy::cast_precision_loss, reason = "for display")]
pub(super) fn mean(sum: u64, n: u64) -> f64 {
    if n == 0 { 0.0 } else { sum as f64 / n as f64 }
}

/// Returns the table with the pieces in all decks.
pub(super) fn decks_csv(checked: &CheckedMatrix) -> String {
    let mut text = "deck,is_leader,piece,name,attribute,cost,hp,attack,skill,combo\n".to_owned();
    for deck in &checked.decks {
        for &piece in &deck.definition.pieces {
            let Some(it) = definition(checked, piece) else { continue };
            let is_leader = u8::from(piece == deck.definition.leader);
            let PieceDefinition { name, attribute, cost, hp, attack, skill, combo } = it;
            let effect = |effect: &Option<Effect>| effect.as_ref().map(PieceText::effect);
            let skills = [skill, combo].map(|it| csv_cell(&effect(it).unwrap_or_default()));
            let [skill, combo] = skills;
            let (deck, name) = (&deck.name, csv_cell(name));
            writeln!(
                text,
                "{deck},{is_leader},{piece},{name},{attribute},{cost},{hp},{attack},{skill},{combo}"
            )
            .expect(TAKES_ALL);
        }
    }
    text
}

fn definition(checked: &CheckedMatrix, piece: u32) -> Option<&PieceDefinition> {
    checked.pool.definition(PieceId(u16::try_from(piece).ok()?))
}
