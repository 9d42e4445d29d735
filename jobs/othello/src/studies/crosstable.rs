//! Matches as rows of a table.

use hatchery_core::table::{DataTable, TableColumns};
use hatchery_core::text::grouped;
use hatchery_core::{IntervalEstimate, findings::RichText};
use hatchery_stats::error::ErrorRate;
use hatchery_stats::{ELO_LIMIT, MatchCounts, MatchStrength, PairCounts, match_strength};

use super::wording;

/// A match of two agents as the first agent sees it.
pub(super) struct MatchRow<'a> {
    pub(super) subject: usize,
    pub(super) names: [String; 2],
    pub(super) counts: &'a PairCounts,
    /// `None` before the first pair.
    pub(super) strength: Option<MatchStrength>,
}

/// Returns the columns of matches: strengths are empty before the first pair.
pub(super) fn columns<'a>(rows: &'a [MatchRow<'a>]) -> TableColumns<'a, MatchRow<'a>> {
    let score = |row: &MatchRow<'_>| Some(row.strength?.score.interval);
    let superiority = |row: &MatchRow<'_>| row.strength?.superiority;
    DataTable::of(rows)
        .words(("", "subject"), |row| row.subject.to_string())
        .text(("first", "first"), |row| &row.names[0])
        .text(("second", "second"), |row| &row.names[1])
        .count(("pairs", "pairs"), |row| row.counts.pairs())
        .each(["losses", "draws", "wins"].into_iter().zip(0..), |table, (name, at)| {
            table.count(name, move |row| row.counts.games()[at])
        })
        .words(("", "losses, draws, wins"), |row| games(row.counts.games()))
        .each(0..5, |table, points| {
            table.count(format!("pairs_{points}"), move |row| row.counts.by_points()[points])
        })
        .share((["score", "score_low", "score_high"], "score"), 4, score)
        .estimate("elo", 1, |row| Some(unbounded(row.strength?.elo)))
        .words(("", "Elo"), |row| Some(wording::match_elo(row.strength?.elo)))
        .number("superiority", 4, superiority)
        .number(("", "superior"), 3, superiority)
}

/// Returns numbers of games, such as `3 / 0 / 1`.
pub(super) fn games(losses_draws_wins: [u64; 3]) -> RichText {
    losses_draws_wins.map(grouped).join(" / ").into()
}

/// Returns the difference of two agents that a match shows; `None` before its first pair.
pub(super) fn strength(counts: &PairCounts, error_rate: ErrorRate) -> Option<MatchStrength> {
    let counts = MatchCounts::of_pairs(counts.by_points()).ok()?;
    Some(match_strength(&counts, error_rate))
}

/// Returns an Elo difference whose parts are infinite at [`ELO_LIMIT`].
fn unbounded(it: IntervalEstimate) -> IntervalEstimate {
    let part = |elo: f64| if elo.abs() < ELO_LIMIT { elo } else { f64::INFINITY.copysign(elo) };
    IntervalEstimate { mean: part(it.mean), low: part(it.low), high: part(it.high), ..it }
}

/// Returns the score of games: points per game. `None` without games.
#[expect(clippy::cast_precision_loss, reason = "for display")]
pub(super) fn game_score([losses, draws, wins]: [u64; 3]) -> Option<f64> {
    let games = losses + draws + wins;
    (games != 0).then(|| (wins as f64 + draws as f64 / 2.0) / games as f64)
}
