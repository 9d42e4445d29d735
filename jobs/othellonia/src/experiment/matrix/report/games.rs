//! The games and the decks.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText, TableHead};
use hatchery_core::text::{counted, grouped};

use super::super::table::mean;
use super::{MAX_TABLE_DECKS, MatrixReport, about_trials, trial};
use crate::experiment::finding_parts::{cell, piece_name, piece_words};
use crate::results::{FirstPairs, GameSums};
use crate::rules::{EffectKind, EndCause};

impl MatrixReport<'_> {
    /// The lengths and ends of games, and the effects that fire.
    pub(super) fn ends(&self) -> FindingSection {
        let mut sums = GameSums::default();
        self.state.matchups.iter().for_each(|matchup| sums.absorb(&matchup.sums));
        let row = |name: &str, n: u64, trial: Option<RichText>| {
            let share = format!("{:.1} %", 100.0 * mean(n, sums.games));
            vec![name.replace('_', " ").into(), share.into(), cell(trial)]
        };
        let causes = EndCause::ALL.iter().zip(sums.causes).enumerate();
        let ends = causes.map(|(number, (cause, n))| {
            row(cause.name(), n, self.trial_of(|first| first.causes[number]))
        });
        let kinds = EffectKind::ALL.iter().zip(sums.fired).enumerate();
        let effects = kinds.map(|(number, (kind, n))| {
            row(kind.name(), n, self.trial_of(|first| first.fired[number]))
        });
        let about = format!(
            "{} with {:.1} placements each. In one game of each trial it happens. ",
            counted(sums.games, "game"),
            mean(sums.placements, sums.games),
        );
        let ends = FindingBlock::table(
            "",
            vec![TableHead::text("End"), TableHead::number("Games"), TableHead::text("Trial")],
            ends.collect(),
        );
        let columns = vec![
            TableHead::text("Effect"),
            TableHead::number("Games in which one fired"),
            TableHead::text("Trial"),
        ];
        let about = FindingBlock::text(RichText::new(about).join(about_trials()));
        FindingSection::new(
            "Games",
            vec![about, ends, FindingBlock::table("", columns, effects.collect())],
        )
    }

    /// Returns the first pair of games that a match-up has of something.
    fn trial_of(&self, pair: impl Fn(&FirstPairs) -> Option<u32>) -> Option<RichText> {
        let mut found = self
            .all_matchups()
            .filter_map(|(subject, _, matchup)| Some((subject, pair(&matchup.first_pairs)?)));
        let (subject, pair) = found.next()?;
        Some(trial(subject, pair))
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
            let row = |&piece: &u32| {
                vec![piece_name(pool, piece).into(), piece_words(pool, piece).into()]
            };
            let rows = deck.definition.pieces.iter().map(row).collect();
            FindingBlock::table(
                caption,
                vec![TableHead::text("Piece"), TableHead::text("What it is")],
                rows,
            )
        });
        Some(FindingSection::new("Decks", tables.collect()))
    }
}
