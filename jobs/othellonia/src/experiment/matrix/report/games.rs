//! The games and the decks in the report.

use std::fmt::Write as _;

use hatchery_core::text::TAKES_ALL;

use super::super::table::{self, mean};
use super::{MAX_TABLE_DECKS, MatrixReport};
use crate::results::GameSums;
use crate::rules::{EffectKind, EndCause};

impl MatrixReport<'_> {
    /// The lengths and ends of games, and the effects that fire.
    pub(super) fn ends(&self) -> String {
        let mut sums = GameSums::default();
        self.state.matchups.iter().for_each(|matchup| sums.absorb(&matchup.sums));
        let percent = |n: u64| 100.0 * mean(n, sums.games);
        let mut text = format!(
            "## Games\n\n{} games with {:.1} placements each.\n\n| end | games |\n|---|---|\n",
            sums.games,
            mean(sums.placements, sums.games),
        );
        for (cause, n) in EndCause::ALL.iter().zip(sums.causes) {
            writeln!(text, "| {} | {:.1} % |", cause.name(), percent(n)).expect(TAKES_ALL);
        }
        text.push_str("\n| effect | games in which one fired |\n|---|---|\n");
        for (kind, n) in EffectKind::ALL.iter().zip(sums.fired) {
            writeln!(text, "| {} | {:.1} % |", kind.name(), percent(n)).expect(TAKES_ALL);
        }
        text
    }

    /// The pieces of each deck, if the decks are few.
    pub(super) fn decks(&self) -> String {
        if MAX_TABLE_DECKS < self.checked.decks.len() {
            return String::new();
        }
        let mut text = "## Decks\n".to_owned();
        for deck in &self.checked.decks {
            writeln!(
                text,
                "\n**{}**: HP {}, leader {}\n\n| piece | what it is |\n|---|---|",
                deck.name,
                deck.deck.hp(),
                table::piece_name(self.checked, deck.definition.leader)
            )
            .expect(TAKES_ALL);
            for &piece in &deck.definition.pieces {
                let (name, what) = (
                    table::piece_name(self.checked, piece),
                    table::piece_text(self.checked, piece),
                );
                writeln!(text, "| {name} | {what} |").expect(TAKES_ALL);
            }
        }
        text
    }
}
