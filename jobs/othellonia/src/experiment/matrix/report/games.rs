//! The games and the decks in the report.

use std::fmt::Write as _;

use hatchery_core::text::TAKES_ALL;

use super::super::table::{self, mean};
use super::{MAX_TABLE_DECKS, MatrixReport};
use crate::results::{FirstPairs, GameSums};
use crate::rules::{EffectKind, EndCause};

impl MatrixReport<'_> {
    /// The lengths and ends of games, and the effects that fire.
    pub(super) fn ends(&self) -> String {
        let mut sums = GameSums::default();
        self.state.matchups.iter().for_each(|matchup| sums.absorb(&matchup.sums));
        let percent = |n: u64| 100.0 * mean(n, sums.games);
        let mut text = format!(
            "## Games\n\n{} games with {:.1} placements each. Each replay is a pair of games, in \
             one of which it happens.\n\n| end | games | replay |\n|---|---|---|\n",
            sums.games,
            mean(sums.placements, sums.games),
        );
        for (number, (cause, n)) in EndCause::ALL.iter().zip(sums.causes).enumerate() {
            let replay = self.replay_of(|first| first.causes[number]);
            writeln!(text, "| {} | {:.1} % | {replay} |", cause.name(), percent(n))
                .expect(TAKES_ALL);
        }
        text.push_str("\n| effect | games in which one fired | replay |\n|---|---|---|\n");
        for (number, (kind, n)) in EffectKind::ALL.iter().zip(sums.fired).enumerate() {
            let replay = self.replay_of(|first| first.fired[number]);
            writeln!(text, "| {} | {:.1} % | {replay} |", kind.name(), percent(n))
                .expect(TAKES_ALL);
        }
        text
    }

    /// Returns the command that replays the first pair of games that a match-up has of something.
    fn replay_of(&self, pair: impl Fn(&FirstPairs) -> Option<u32>) -> String {
        let mut found = self
            .all_matchups()
            .filter_map(|(subject, _, matchup)| Some((subject, pair(&matchup.first_pairs)?)));
        found.next().map_or_else(
            || "-".to_owned(),
            |(subject, pair)| format!("`hatchery replay RUN 0/{subject}/{pair}`"),
        )
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
