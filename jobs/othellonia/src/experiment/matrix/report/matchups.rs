//! The matrix, the match-ups and the equilibrium of the report.

use std::fmt::Write as _;

use hatchery_core::IntervalEstimate;
use hatchery_core::text::TAKES_ALL;

use super::super::equilibrium::{DeckShare, RESAMPLES};
use super::super::pieces::mean_scores;
use super::super::state::MatchupState;
use super::super::table::mean;
use super::{MAX_ROWS, MAX_TABLE_DECKS, MatrixReport, interval};

impl MatrixReport<'_> {
    /// The matrix of few decks.
    pub(super) fn matrix(&self) -> String {
        let n = self.checked.decks.len();
        if MAX_TABLE_DECKS < n {
            return format!(
                "## Matrix\n\nThe scores of {n} decks against each other are in `matrix.svg` and \
                 `matrix.csv`.\n"
            );
        }
        let mut text = "## Matrix\n\nThe score of the deck of the row against the deck of the \
                        column, in percent.\n\n| |"
            .to_owned();
        (0..n).for_each(|deck| write!(text, " {} |", self.name(deck)).expect(TAKES_ALL));
        text.push_str("\n|---|");
        text.push_str(&"---|".repeat(n));
        for row in 0..n {
            write!(text, "\n| {} |", self.name(row)).expect(TAKES_ALL);
            for column in 0..n {
                let cell = self.cell(row, column).map_or_else(|| "-".to_owned(), percent_interval);
                write!(text, " {cell} |").expect(TAKES_ALL);
            }
        }
        text.push('\n');
        text
    }

    /// Returns the score of a deck against another one.
    fn cell(&self, row: usize, column: usize) -> Option<IntervalEstimate> {
        let ordered = [row.min(column), row.max(column)];
        let (_, _, matchup) = self.distinct_matchups().find(|(_, decks, _)| *decks == ordered)?;
        let score = matchup.score(self.checked)?.interval;
        Some(match column < row {
            false => score,
            true => IntervalEstimate {
                mean: 1.0 - score.mean,
                low: 1.0 - score.high,
                high: 1.0 - score.low,
                ..score
            },
        })
    }

    /// The match-ups, the most uneven ones first.
    pub(super) fn matchups(&self) -> String {
        let mut text =
            "## Match-ups\n\nAs the first deck sees them, the most uneven ones first. A \
             deck against itself shows the advantage of the first player only. `hatchery replay \
             RUN TRIAL` shows a pair of games: the first pair is named, and the last number counts \
             on. RUN is the run's folder, or its id on a farm.\n\n\
             | first | second | pairs | losses, draws, wins | score | score of who places first | \
             placements a game | replay |\n|---|---|---|---|---|---|---|---|\n"
                .to_owned();
        let mut rows: Vec<_> = self.all_matchups().collect();
        rows.sort_by(|a, b| {
            let [a, b] = [a, b].map(|row| self.unevenness(row));
            b[0].total_cmp(&a[0]).then_with(|| b[1].total_cmp(&a[1]))
        });
        for (subject, [a, b], matchup) in rows.into_iter().take(MAX_ROWS) {
            let [losses, draws, wins] = matchup.counts.games();
            let score = matchup.score(self.checked).filter(|_| a != b);
            let score = score.map_or_else(|| "-".to_owned(), |score| interval(score.interval));
            let first = matchup.first_score(self.checked);
            let first = first.map_or_else(|| "-".to_owned(), |score| interval(score.interval));
            writeln!(
                text,
                "| {} | {} | {} | {losses}, {draws}, {wins} | {score} | {first} | {:.1} | \
                 `hatchery replay RUN 0/{subject}/0` |",
                self.name(a),
                self.name(b),
                matchup.counts.pairs(),
                mean(matchup.sums.placements, matchup.sums.games),
            )
            .expect(TAKES_ALL);
        }
        let n = self.state.matchups.len();
        if MAX_ROWS < n {
            writeln!(text, "\n{} more are in `matrix.csv`.", n - MAX_ROWS).expect(TAKES_ALL);
        }
        text
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

    /// The decks that have a share of the equilibrium.
    pub(super) fn equilibrium(&self) -> String {
        let Some(shares) = &self.shares else { return String::new() };
        let means = mean_scores(self.checked, self.state).unwrap_or_default();
        let mut text = format!(
            "## Equilibrium\n\nThe mixture of decks against which no deck wins more than half of \
             the points (Nash equilibrium of the matrix, the most even one). Shares depend much on \
             small differences: the interval, which always has the share itself, and the part of \
             samples come from {RESAMPLES} samples of the scores within their errors. A deck that \
             is played in most samples belongs to the environment. A circle of decks that beat \
             each other has shares for all of them, and is no fault of balance.\n\n\
             | deck | share | interval | played in samples | mean score against the others | \
             replay |\n|---|---|---|---|---|---|\n"
        );
        let mut order: Vec<usize> = (0..shares.len()).collect();
        let key = |deck: usize| (shares[deck].share, shares[deck].is_played);
        order.sort_by(|&a, &b| {
            let ([a, b], [c, d]) = ([key(a).0, key(a).1], [key(b).0, key(b).1]);
            c.total_cmp(&a).then(d.total_cmp(&b))
        });
        let n_played = shares.iter().filter(|it| 0.0 < it.share || 0.0 < it.is_played).count();
        for deck in order.into_iter().take(n_played) {
            let DeckShare { share, low, high, is_played } = shares[deck];
            let score = means.get(deck).copied().unwrap_or_default();
            writeln!(
                text,
                "| {} | {share:.3} | {low:.3} to {high:.3} | {:.0} % | {score:.3} | {} |",
                self.name(deck),
                100.0 * is_played,
                self.replay_with(|other| other == deck)
            )
            .expect(TAKES_ALL);
        }
        if n_played < shares.len() {
            let n = shares.len() - n_played;
            writeln!(text, "\n{n} more decks are played in no sample.").expect(TAKES_ALL);
        }
        text
    }
}

fn percent_interval(it: IntervalEstimate) -> String {
    let [mean, low, high] = [it.mean, it.low, it.high].map(|share| 100.0 * share);
    format!("{mean:.1} ({low:.1} to {high:.1})")
}
