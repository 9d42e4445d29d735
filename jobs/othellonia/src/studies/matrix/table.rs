//! The tables about a state, in files and in the findings.

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::RichText;
use hatchery_core::table::{DataTable, TableColumns};

use super::spec::CheckedMatrix;
use super::state::{MatchupState, MatrixState};
use crate::params::deck_param::NamedDeck;
use crate::pool::{PieceDefinition, PieceText};
use crate::rules::{Effect, PieceId};
use crate::studies::finding_parts::{piece_name, piece_words};

/// A match-up as its first deck sees it.
#[derive(Clone, Copy)]
pub(super) struct MatchupRow<'a> {
    /// The number of the match-up in the plan.
    pub(super) subject: usize,
    pub(super) decks: [usize; 2],
    pub(super) matchup: &'a MatchupState,
}

/// A piece in a deck.
pub(super) struct DeckPiece<'a> {
    deck: &'a NamedDeck,
    piece: u32,
    definition: &'a PieceDefinition,
}

/// The columns of the games by the cause of their end, in the order of
/// [`EndCause::ALL`](crate::rules::EndCause::ALL).
const CAUSES: [&str; 4] = ["hp_zero", "one_color", "deck_used_up", "no_moves"];

/// Iterates over the match-ups as the state counts them: the first deck comes first in the spec.
pub(super) fn matchup_rows<'a>(
    checked: &CheckedMatrix,
    state: &'a MatrixState,
) -> impl Iterator<Item = MatchupRow<'a>> {
    let matchups = checked.matchups.iter().zip(&state.matchups).enumerate();
    matchups.map(|(subject, (&decks, matchup))| MatchupRow { subject, decks, matchup })
}

impl MatchupRow<'_> {
    /// Returns the match-up as both of its decks see it; a deck against itself has one row.
    pub(super) fn both(self) -> impl Iterator<Item = Self> {
        let [a, b] = self.decks;
        std::iter::once(self).chain((a != b).then_some(Self { decks: [b, a], ..self }))
    }

    /// Returns true for two different decks.
    pub(super) fn is_distinct(&self) -> bool {
        self.decks[0] != self.decks[1]
    }

    fn is_turned(&self) -> bool {
        self.decks[1] < self.decks[0]
    }

    /// Returns losses, draws and wins.
    fn games(&self) -> [u64; 3] {
        let mut games = self.matchup.counts.games();
        if self.is_turned() {
            games.reverse();
        }
        games
    }

    /// Returns the score; `None` for a deck against itself, and before the first look.
    pub(super) fn score(&self, checked: &CheckedMatrix) -> Option<IntervalEstimate> {
        let score = self.matchup.score(checked).filter(|_| self.is_distinct())?.interval;
        Some(if self.is_turned() { turned(score) } else { score })
    }
}

/// Returns a row for each of `rows`. The file says how games ended.
pub(super) fn matchups<'a>(
    rows: &'a [MatchupRow<'a>],
    checked: &CheckedMatrix,
) -> TableColumns<'a, MatchupRow<'a>> {
    let deck = |row: &MatchupRow<'_>, at: usize| checked.decks[row.decks[at]].name.clone();
    let first = |row: &MatchupRow<'_>| Some(row.matchup.first_score(checked)?.interval);
    let placements = |row: &MatchupRow<'_>| {
        let sums = &row.matchup.sums;
        mean(sums.placements, sums.games)
    };
    DataTable::of(rows)
        .text(("first", "First"), |row| deck(row, 0))
        .text(("second", "Second"), |row| deck(row, 1))
        .count(("pairs", "Pairs"), |row| row.matchup.counts.pairs())
        .count(("losses", "Losses"), |row| row.games()[0])
        .count(("draws", "Draws"), |row| row.games()[1])
        .count(("wins", "Wins"), |row| row.games()[2])
        .share(("score", "Score"), 4, |row| row.score(checked))
        .number("first_player_score", 4, |row| Some(first(row)?.mean))
        .share(("", "Who places first"), 1, first)
        .number("placements", 2, placements)
        .number(("", "Placements"), 1, placements)
        .each(CAUSES.into_iter().enumerate(), |table, (at, cause)| {
            table.count(cause, |row| row.matchup.sums.causes[at])
        })
        .count("settled", |row| u8::from(row.matchup.is_settled))
        .text(("trial", "Trial"), |row| trial(row.subject, 0))
}

/// Returns the pieces of a deck.
pub(super) fn deck_pieces<'a>(
    checked: &'a CheckedMatrix,
    deck: &'a NamedDeck,
) -> Vec<DeckPiece<'a>> {
    let piece = |&piece: &u32| {
        let definition = checked.pool.definition(PieceId(u16::try_from(piece).ok()?))?;
        Some(DeckPiece { deck, piece, definition })
    };
    deck.definition.pieces.iter().filter_map(piece).collect()
}

/// Returns a row for each of `rows`.
pub(super) fn pieces<'a>(
    rows: &'a [DeckPiece<'a>],
    checked: &CheckedMatrix,
) -> TableColumns<'a, DeckPiece<'a>> {
    let effect = |effect: &Option<Effect>| effect.as_ref().map(PieceText::effect);
    DataTable::of(rows)
        .text("deck", |row| &row.deck.name)
        .count("is_leader", |row| u8::from(row.piece == row.deck.definition.leader))
        .count("piece", |row| row.piece)
        .text("name", |row| &row.definition.name)
        .text(("", "Piece"), |row| piece_name(&checked.pool, row.piece))
        .text(("", "What it is"), |row| piece_words(&checked.pool, row.piece))
        .text("attribute", |row| row.definition.attribute.name())
        .count("cost", |row| row.definition.cost)
        .count("hp", |row| row.definition.hp)
        .count("attack", |row| row.definition.attack)
        .text("skill", |row| effect(&row.definition.skill))
        .text("combo", |row| effect(&row.definition.combo))
}

/// Returns the address of a pair of games.
pub(super) fn trial(subject: usize, pair: u32) -> RichText {
    RichText::default().code(format!("0/{subject}/{pair}"))
}

/// Returns the score of the other deck.
pub(super) fn turned(score: IntervalEstimate) -> IntervalEstimate {
    IntervalEstimate {
        mean: 1.0 - score.mean,
        low: 1.0 - score.high,
        high: 1.0 - score.low,
        ..score
    }
}

/// Returns a mean for display; 0 of nothing.
#[expect(clippy::cast_precision_loss, reason = "for display")]
pub(super) fn mean(sum: u64, n: u64) -> f64 {
    if n == 0 { 0.0 } else { sum as f64 / n as f64 }
}
