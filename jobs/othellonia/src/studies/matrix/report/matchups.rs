//! The matrix and the match-ups.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText, words};
use hatchery_core::text::{grouped, rounded};
use hatchery_core::{DataTable, IntervalEstimate, RunHistory};

use super::super::charts;
use super::super::measures::first_points;
use super::super::state::first_score;
use super::super::table::{self, MatchupRow};
use super::{MAX_ROWS, MAX_TABLE_DECKS, MatrixReport, about_trials};

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
        let decks: Vec<usize> = (0..self.checked.decks.len()).collect();
        let caption = "The score of the deck of the row against the deck of the column, in \
                       percent, with its interval.";
        DataTable::on_page(&decks)
            .text("Deck", |&row| self.name(row))
            .each(&decks, |table, &column| {
                table.words(self.name(column), |&row| {
                    let score = self.score_of([row, column])?;
                    Some(words::quantity(score.into(), |part| rounded(100.0 * part, 1), ""))
                })
            })
            .block(caption)
    }

    /// Returns the score of a deck against another one.
    fn score_of(&self, decks: [usize; 2]) -> Option<IntervalEstimate> {
        let mut rows = self.all_matchups().flat_map(MatchupRow::both);
        rows.find(|row| row.decks == decks)?.score(self.checked)
    }

    /// The match-ups, the most uneven ones first.
    pub(super) fn matchups(&self) -> FindingSection {
        let mut rows: Vec<_> = self.all_matchups().collect();
        rows.sort_by(|a, b| {
            let [a, b] = [a, b].map(|row| self.unevenness(row));
            b[0].total_cmp(&a[0]).then_with(|| b[1].total_cmp(&a[1]))
        });
        let scored = rows.iter().filter(|row| row.is_distinct()).take(MAX_CHARTED);
        let scored = scored.filter_map(|row| Some((row.decks, row.score(self.checked)?)));
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
        let n_left = rows.len().saturating_sub(MAX_ROWS);
        rows.truncate(MAX_ROWS);
        let about = RichText::new(
            "Match-ups as the first deck sees them, the most uneven ones first, with the scores \
             of the first deck and of who places first, and the placements of a game. A deck \
             against itself shows the advantage of the first player only. ",
        );
        let about = about.join(about_trials()).plain(" Its last number counts the pairs.");
        blocks.push(table::matchups(&rows, self.checked).block(about));
        if n_left != 0 {
            let words = RichText::new(format!("{} more are in ", grouped(n_left)));
            blocks.push(FindingBlock::text(words.code("matrix.csv").plain(".")));
        }
        FindingSection::new("Match-ups", blocks)
    }

    /// Returns the distance of a match-up's score from one half, less the reach of its interval;
    /// the least number for a deck against itself.
    fn unevenness(&self, row: &MatchupRow<'_>) -> [f64; 2] {
        match row.score(self.checked) {
            Some(IntervalEstimate { mean, low, high, .. }) => {
                [(low - 0.5).max(0.5 - high), (mean - 0.5).abs()]
            }
            None => [f64::NEG_INFINITY; 2],
        }
    }
}
