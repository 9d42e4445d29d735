//! Matches as rows of a table.

use hatchery_core::IntervalEstimate;
use hatchery_stats::error::ErrorRate;
use hatchery_stats::{MatchCounts, MatchElo, match_elo};

use crate::results::PairCounts;

/// The columns of [`row`].
pub(super) const COLUMNS: &str = "first,second,pairs,losses,draws,wins,pairs_0,pairs_1,pairs_2,\
                                  pairs_3,pairs_4,score,score_low,score_high,elo,elo_low,\
                                  elo_high,superiority";

/// Returns the difference of two agents that a match shows; `None` before its first pair.
pub(super) fn elo(counts: &PairCounts, error_rate: ErrorRate) -> Option<MatchElo> {
    let counts = MatchCounts::of_pairs(counts.by_points()).ok()?;
    Some(match_elo(&counts, error_rate))
}

/// Returns a match of two agents as its first one sees it: values separated by commas.
pub(super) fn row(
    [first, second]: [&str; 2],
    counts: &PairCounts,
    error_rate: ErrorRate,
) -> String {
    let numbers = counts.games().into_iter().chain(counts.by_points());
    let numbers: Vec<String> = numbers.map(|n| n.to_string()).collect();
    let elo = elo(counts, error_rate).map_or_else(
        || ",,,,,,".to_owned(),
        |elo| {
            let score = interval_fields(elo.score, 4);
            format!("{score},{},{:.4}", interval_fields(elo.elo, 1), elo.superiority)
        },
    );
    format!("{first},{second},{},{},{elo}", counts.pairs(), numbers.join(","))
}

/// Returns an estimate and the ends of its interval with this number of decimal places, separated
/// by commas.
pub(super) fn interval_fields(it: IntervalEstimate, digits: usize) -> String {
    format!("{:.digits$},{:.digits$},{:.digits$}", it.mean, it.low, it.high)
}
