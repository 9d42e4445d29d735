//! The games and the decks.

use hatchery_core::DataTable;
use hatchery_core::findings::{FindingBlock, FindingSection, RichText, words};
use hatchery_core::text::{counted, grouped};

use super::super::table::{self, mean, trial};
use super::{MAX_TABLE_DECKS, MatrixReport, about_trials};
use crate::rules::{EffectKind, EndCause};
use crate::studies::finding_parts::piece_name;
use crate::trial::results::{FirstPairs, GameSums};

impl MatrixReport<'_> {
    /// The lengths and ends of games, and the effects that fire.
    pub(super) fn ends(&self) -> FindingSection {
        let mut sums = GameSums::default();
        self.state.matchups.iter().for_each(|matchup| sums.absorb(&matchup.sums));
        let causes = EndCause::ALL.iter().zip(sums.causes).enumerate();
        let ends = causes.map(|(at, (cause, n))| {
            (cause.name().to_owned(), n, self.trial_of(|first| first.causes[at]))
        });
        let kinds = EffectKind::ALL.iter().zip(sums.fired).enumerate();
        let effects = kinds.map(|(at, (kind, n))| {
            (kind.name().replace('_', " "), n, self.trial_of(|first| first.fired[at]))
        });
        let about = format!(
            "{} with {:.1} placements each. In one game of each trial it happens. ",
            counted(sums.games, "game"),
            mean(sums.placements, sums.games),
        );
        let table = |[what, share]: [&str; 2], rows: Vec<(String, u64, Option<RichText>)>| {
            DataTable::on_page(&rows)
                .text(what, |(name, ..)| name)
                .words(share, |(_, n, _)| words::percent(mean(*n, sums.games), 1))
                .text("Trial", |(.., trial)| trial.clone())
                .block("")
        };
        let blocks = vec![
            FindingBlock::text(RichText::new(about).join(about_trials())),
            table(["End", "Games"], ends.collect()),
            table(["Effect", "Games in which one fired"], effects.collect()),
        ];
        FindingSection::new("Games", blocks)
    }

    /// Returns the first pair of games that a match-up has of something.
    fn trial_of(&self, pair: impl Fn(&FirstPairs) -> Option<u32>) -> Option<RichText> {
        let mut rows = self.all_matchups();
        rows.find_map(|row| Some(trial(row.subject, pair(&row.matchup.first_pairs)?)))
    }

    /// The pieces by deck, if the decks are few.
    pub(super) fn decks(&self) -> Option<FindingSection> {
        if MAX_TABLE_DECKS < self.checked.decks.len() {
            return None;
        }
        let pool = &self.checked.pool;
        let tables = self.checked.decks.iter().map(|deck| -> FindingBlock {
            let caption = RichText::default().strong(deck.name.clone()).plain(format!(
                ": HP {}, leader {}",
                grouped(deck.deck.hp()),
                piece_name(pool, deck.definition.leader)
            ));
            table::pieces(&table::deck_pieces(self.checked, deck), self.checked).block(caption)
        });
        Some(FindingSection::new("Decks", tables.collect()))
    }
}
