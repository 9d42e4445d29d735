//! The matrix and the match-ups.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText, TableHead};
use hatchery_core::text::grouped;
use hatchery_core::{IntervalEstimate, RunHistory};

use super::super::charts;
use super::super::measures::first_points;
use super::super::state::{MatchupState, first_score};
use super::super::table::mean;
use super::summary::turned;
use super::{MAX_ROWS, MAX_TABLE_DECKS, MatrixReport, about_trials, trial};
use crate::experiment::finding_parts::{cell, percent_interval};

/// The most match-ups of the chart: the most uneven ones.
const MAX_CHARTED: usize = 24;

impl MatrixReport<'_> {
    /// The matrix, as a table too of few decks, and the looks.
    pub(super) fn matrix(&self, history: &RunHistory<'_>) -> FindingSection {
        let mut blocks = vec![self.matrix_figure()];
        if self.checked.decks.len() <= MAX_TABLE_DECKS {
            blocks.push(self.matrix_table());
        }
        let files =
            RichText::new("All scores are in ").code("matrix.csv").plain(", the pieces in ");
        blocks.push(FindingBlock::text(files.code("decks.csv").plain(".")));
        if let Some(chart) = charts::look_chart(history) {
            let caption = "Match-ups shown to be uneven after each look. Those that are settled \
                           are not played on.";
            blocks.push(FindingBlock::figure("looks", chart.picture(), caption));
        }
        FindingSection::new("Deck against deck", blocks)
    }

    fn matrix_table(&self) -> FindingBlock {
        let n = self.checked.decks.len();
        let mut columns = vec![TableHead::text("Deck")];
        columns.extend((0..n).map(|deck| TableHead::number(self.name(deck))));
        let rows = (0..n).map(|row| {
            let mut cells: Vec<RichText> = vec![self.name(row).into()];
            cells.extend((0..n).map(|column| {
                cell(self.cell(row, column).map(|score| {
                    let interval = format!(" ({})", percent_interval(&score));
                    RichText::new(format!("{:.1}", 100.0 * score.mean)).soft(interval)
                }))
            }));
            cells
        });
        let caption = "The score of the deck of the row against the deck of the column, in \
                       percent, with its interval.";
        FindingBlock::table(caption, columns, rows.collect())
    }

    /// Returns the score of a deck against another one.
    fn cell(&self, row: usize, column: usize) -> Option<IntervalEstimate> {
        let ordered = [row.min(column), row.max(column)];
        let (_, _, matchup) = self.distinct_matchups().find(|(_, decks, _)| *decks == ordered)?;
        let score = matchup.score(self.checked)?.interval;
        Some(if column < row { turned(score) } else { score })
    }

    /// The match-ups, the most uneven ones first.
    pub(super) fn matchups(&self) -> FindingSection {
        let mut rows: Vec<_> = self.all_matchups().collect();
        rows.sort_by(|a, b| {
            let [a, b] = [a, b].map(|row| self.unevenness(row));
            b[0].total_cmp(&a[0]).then_with(|| b[1].total_cmp(&a[1]))
        });
        let scored = rows.iter().filter(|(_, [a, b], _)| a != b).take(MAX_CHARTED);
        let scored = scored.filter_map(|&(_, decks, matchup)| {
            Some((decks, matchup.score(self.checked)?.interval))
        });
        let chart = charts::score_chart(self.checked, &scored.collect::<Vec<_>>());
        let caption = format!(
            "Score of the first deck of each match-up, the most uneven ones first, {MAX_CHARTED} \
             at most. An interval that reaches the line does not show which deck is better."
        );
        let mut blocks = vec![FindingBlock::text(self.uneven())];
        blocks.push(FindingBlock::figure("matchups", chart.picture(), caption));
        if let Some(score) = first_score(&first_points(self.state), self.checked) {
            let words = RichText::new("Score of the player who places first, over all games: ")
                .join(RichText::percent(score.interval))
                .plain(".");
            blocks.push(FindingBlock::text(words));
        }
        blocks.push(self.matchup_table(&rows));
        let n_left = rows.len().saturating_sub(MAX_ROWS);
        if n_left != 0 {
            let words = RichText::new(format!("{} more are in ", grouped(n_left)));
            blocks.push(FindingBlock::text(words.code("matrix.csv").plain(".")));
        }
        FindingSection::new("Match-ups", blocks)
    }

    fn matchup_table(&self, rows: &[(usize, [usize; 2], &MatchupState)]) -> FindingBlock {
        let caption = RichText::new(
            "Match-ups as the first deck sees them, the most uneven ones first, with the scores \
             of the first deck and of who places first, and the placements of a game. A deck \
             against itself shows the advantage of the first player only. ",
        );
        let caption = caption.join(about_trials()).plain(" Its last number counts the pairs.");
        let columns = vec![
            TableHead::text("First"),
            TableHead::text("Second"),
            TableHead::number("Pairs"),
            TableHead::number("Losses"),
            TableHead::number("Draws"),
            TableHead::number("Wins"),
            TableHead::number("Score"),
            TableHead::number("Who places first"),
            TableHead::number("Placements"),
            TableHead::text("Trial"),
        ];
        let row = |&(subject, [a, b], matchup): &(usize, [usize; 2], &MatchupState)| {
            let score = matchup.score(self.checked).filter(|_| a != b);
            let first = matchup.first_score(self.checked);
            let placements = mean(matchup.sums.placements, matchup.sums.games);
            let mut row: Vec<RichText> = vec![
                self.name(a).into(),
                self.name(b).into(),
                grouped(matchup.counts.pairs()).into(),
            ];
            row.extend(matchup.counts.games().map(|n| grouped(n).into()));
            row.push(cell(score.map(|score| RichText::percent(score.interval))));
            row.push(cell(first.map(|score| RichText::percent(score.interval))));
            row.push(format!("{placements:.1}").into());
            row.push(trial(subject, 0));
            row
        };
        FindingBlock::table(caption, columns, rows.iter().take(MAX_ROWS).map(row).collect())
    }

    /// Returns the distance of a match-up's score from one half, less the reach of its interval;
    /// the least number for a deck against itself.
    fn unevenness(&self, (_, [a, b], matchup): &(usize, [usize; 2], &MatchupState)) -> [f64; 2] {
        match matchup.score(self.checked) {
            Some(score) if a != b => {
                let IntervalEstimate { mean, low, high, .. } = score.interval;
                [(low - 0.5).max(0.5 - high), (mean - 0.5).abs()]
            }
            _ => [f64::NEG_INFINITY; 2],
        }
    }
}
