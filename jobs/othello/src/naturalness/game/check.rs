//! Numbers that no games have.

use hatchery_core::DecodeError;
use hatchery_search::DepthCap;

use super::GameNaturalness;
use crate::naturalness::event::MoveEvent;
use crate::naturalness::judgement::MAX_SURPRISE;
use crate::naturalness::loss::CORNER_BINS;

/// The most moves that one player makes in a game: no more than there are empty squares at the
/// start.
const MAX_MOVES: u64 = 60;

/// The games of a record that is read: far below what could overflow a sum.
const MAX_GAMES: u64 = 1_000_000;

/// Events that happen only with another one.
const IMPLIED: [(MoveEvent, MoveEvent); 7] = [
    (MoveEvent::CornerLeft, MoveEvent::CornerChance),
    (MoveEvent::CornerDeclined, MoveEvent::CornerLeft),
    (MoveEvent::CornerGiven, MoveEvent::CornerOpened),
    (MoveEvent::OutsideFirst, MoveEvent::Ranked),
    (MoveEvent::OutsideThird, MoveEvent::OutsideFirst),
    (MoveEvent::Agreed, MoveEvent::Compared),
    (MoveEvent::TooAdvanced, MoveEvent::Leveled),
];

impl GameNaturalness {
    /// Checks that games may have these numbers.
    pub(super) fn check(&self) -> Result<(), DecodeError> {
        if self.games == 0 || MAX_GAMES < self.games {
            let expected = format!("from 1 to {MAX_GAMES}");
            return Err(DecodeError::field("games", &self.games, expected));
        }
        let most = self.games * MAX_MOVES;
        at_most("forced", self.forced, most, "60 per game")?;
        let judged = self.exact.moves().saturating_add(self.estimated.moves());
        let moves = judged.saturating_add(self.forced);
        at_most("moves", moves, most, "60 per game")?;
        self.exact.check()?;
        self.estimated.check()?;
        self.check_events(judged)?;
        let compared = self.count(MoveEvent::Compared);
        at_most("surprise", self.surprise, compared * MAX_SURPRISE, "27 nats per compared move")?;
        at_most("depth_changes", self.depth_changes, moves, "one per move")?;
        let deepest = self.depth_changes * u64::from(DepthCap::MAX);
        at_most("depth_change_sum", self.depth_change_sum, deepest, "60 plies per change")
    }

    fn check_events(&self, judged: u64) -> Result<(), DecodeError> {
        for event in MoveEvent::ALL {
            at_most(event.name(), self.count(event), judged, "one per judged move")?;
        }
        for (event, other) in IMPLIED {
            at_most(event.name(), self.count(event), self.count(other), other.name())?;
        }
        let [x_squares, c_squares] =
            [MoveEvent::XSquare, MoveEvent::CSquare].map(|it| self.count(it));
        at_most("c_square", c_squares, judged - x_squares, "the moves without x_square")?;
        for event in [MoveEvent::CornerDeclined, MoveEvent::CornerGiven] {
            let losing = self.n_from(CORNER_BINS);
            at_most(event.name(), self.count(event), losing, "the moves with such a loss")?;
        }
        let flips = self.count(MoveEvent::ResultFlip);
        at_most("result_flip", flips, self.exact.moves(), "the exact moves")?;
        at_most("result_flip", flips, self.exact.loss(), "one per lost disc")
    }
}

fn at_most(
    field: &'static str,
    value: u64,
    limit: u64,
    what: &'static str,
) -> Result<(), DecodeError> {
    if value <= limit {
        return Ok(());
    }
    Err(DecodeError::field(field, &value, format!("at most {limit}: {what}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the error for a game with two moves after one number was changed. One move in this
    /// game loses 4 discs when the player is 70 ahead.
    fn refusal(field: &str, value: u64) -> String {
        let mut game = GameNaturalness::begin();
        game.exact.add(70, 4);
        game.exact.add(64, 0);
        assert!(GameNaturalness::from_counts(&game.counts()).is_ok());
        for (name, count) in game.fields_mut() {
            if name == field {
                *count = value;
                break;
            }
        }
        GameNaturalness::from_counts(&game.counts()).unwrap_err().to_string()
    }

    #[test]
    fn impossible_numbers_are_refused_by_name() {
        for (field, value) in [
            ("games", 0),
            ("games", 1_000_001),
            ("forced", 61),
            ("forced", u64::MAX),
            ("surprise", 1),
            ("depth_changes", 3),
            ("depth_change_sum", 1),
            ("exact.moves", 3),
            ("exact.advantage", 257),
            ("exact.bins", u64::MAX),
            ("estimated.moves", 1),
        ] {
            let error = refusal(field, value);
            let named = field.trim_end_matches("bins").trim_end_matches('.');
            assert!(error.contains(named) && error.contains(" is "), "{field}: {error}");
        }
        assert!(refusal("forced", 59).starts_with("moves is 61, but must be at most 60"));
        for event in MoveEvent::ALL {
            let error = refusal(event.name(), 3);
            assert!(error.starts_with(event.name()), "{error}");
        }
        for (event, _) in IMPLIED {
            let error = refusal(event.name(), 1);
            assert!(error.starts_with(event.name()), "{error}");
        }
    }

    #[test]
    fn lists_of_another_length_are_refused() {
        let counts = GameNaturalness::begin().counts();
        for wrong in [&counts[1..], &[], &[&counts[..], &[0]].concat()] {
            let error = GameNaturalness::from_counts(wrong).unwrap_err().to_string();
            assert!(error.starts_with("number of naturalness counts is "), "{error}");
        }
    }
}
