//! How difficult a level is for its players.

use super::cells::EvaluatedLevels;
use crate::results::{LevelResult, PlayRecord};

/// Returns true if a play-out has cleared the level.
pub(super) fn is_solved(evaluated: &EvaluatedLevels<'_>, level: usize) -> bool {
    let mut results = evaluated.of_level(level).iter().flat_map(|results| results.iter());
    results.any(|result| result.play.as_ref().is_some_and(PlayRecord::is_cleared))
}

/// Returns the leniency of a level: the mean number of birds that the last player uses minus that
/// of the first, which is negative where a weaker player needs more. `None` with one player only.
pub(super) fn leniency(evaluated: &EvaluatedLevels<'_>, level: usize) -> Option<f64> {
    let [weakest, .., strongest] = evaluated.of_level(level) else { return None };
    Some(mean_birds(strongest)? - mean_birds(weakest)?)
}

fn mean_birds(results: &[LevelResult]) -> Option<f64> {
    let used: Vec<f64> = results
        .iter()
        .filter_map(|result| result.play.as_ref())
        .filter(|play| play.pigs != 0)
        .map(|play| f64::from(play.birds_used()))
        .collect();
    #[expect(clippy::cast_precision_loss, reason = "at most a million")]
    let n = used.len() as f64;
    (!used.is_empty()).then(|| used.iter().sum::<f64>() / n)
}
