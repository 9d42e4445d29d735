//! Matches as rows of a table.

use hatchery_core::IntervalEstimate;
use hatchery_stats::error::ErrorRate;
use hatchery_stats::{ELO_LIMIT, MatchCounts, MatchStrength, PairCounts, match_strength};

/// The columns of [`row`].
pub(super) const COLUMNS: &str = "first,second,pairs,losses,draws,wins,pairs_0,pairs_1,pairs_2,\
                                  pairs_3,pairs_4,score,score_low,score_high,elo,elo_low,\
                                  elo_high,superiority";

/// Returns the difference of two agents that a match shows; `None` before its first pair.
pub(super) fn strength(counts: &PairCounts, error_rate: ErrorRate) -> Option<MatchStrength> {
    let counts = MatchCounts::of_pairs(counts.by_points()).ok()?;
    Some(match_strength(&counts, error_rate))
}

/// Returns a match of two agents as its first one sees it: values separated by commas.
pub(super) fn row(
    [first, second]: [&str; 2],
    counts: &PairCounts,
    error_rate: ErrorRate,
) -> String {
    let numbers = counts.games().into_iter().chain(counts.by_points());
    let numbers: Vec<String> = numbers.map(|n| n.to_string()).collect();
    let strength = strength(counts, error_rate).map_or_else(
        || ",,,,,,".to_owned(),
        |it| {
            let score = interval_fields(it.score.interval, 4);
            let superiority = it.superiority.map_or_else(String::new, |it| format!("{it:.4}"));
            let IntervalEstimate { mean, low, high, .. } = it.elo;
            let elo = [mean, low, high].map(elo_field).join(",");
            format!("{score},{elo},{superiority}")
        },
    );
    format!("{first},{second},{},{},{strength}", counts.pairs(), numbers.join(","))
}

/// Returns an Elo difference; infinite at [`ELO_LIMIT`].
fn elo_field(elo: f64) -> String {
    if elo.abs() < ELO_LIMIT {
        return format!("{elo:.1}");
    }
    if elo < 0.0 { "-inf".to_owned() } else { "inf".to_owned() }
}

/// Returns the score of games: points per game. `None` without games.
#[expect(clippy::cast_precision_loss, reason = "for display")]
pub(super) fn game_score([losses, draws, wins]: [u64; 3]) -> Option<f64> {
    let games = losses + draws + wins;
    (games != 0).then(|| (wins as f64 + draws as f64 / 2.0) / games as f64)
}

/// Returns an estimate and the ends of its interval with this number of decimal places, separated
/// by commas.
pub(super) fn interval_fields(it: IntervalEstimate, digits: usize) -> String {
    format!("{:.digits$},{:.digits$},{:.digits$}", it.mean, it.low, it.high)
}
