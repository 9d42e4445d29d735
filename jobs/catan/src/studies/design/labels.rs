//! Labels of maps by their games: positive means balanced.

use hatchery_core::StreamRng;
use hatchery_stats::{ErrorRate, OutcomeCounts, spread};
use serde::{Deserialize, Serialize};

use super::spec::{ClusterMapsParam, ClusteredParam, LabelParams};
use crate::learning::clusters::{k_means, split_in_two};
use crate::learning::{LearningError, PointClass, PointLabel, PointSet};
use crate::rules::Seat;
use crate::trial::results::GameResults;
use crate::trial::seat_balance::{MapComparison, compare_maps};

/// The number of starts of k-means for the four win rates.
const STARTS: u32 = 20;

/// The labels of maps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct MapLabels {
    /// The probability that each map is positive, 0 or 1 for hard labels; none without a label.
    pub(super) positive: Vec<Option<f64>>,
    /// The spread that separates the classes, as a share; none if the spread alone does not.
    pub(super) threshold: Option<f64>,
    /// The reason why there are no labels.
    pub(super) failure: Option<String>,
}

impl MapLabels {
    /// Labels `maps`. The first `n_start` maps are the starting maps. A map without a decided game
    /// has no label.
    pub(super) fn of(
        params: &LabelParams,
        maps: &[GameResults],
        n_start: usize,
        rng: &mut StreamRng,
    ) -> Self {
        let labelled = match *params {
            LabelParams::Clusters { of: ClusteredParam::Spread, made } => {
                by_spread(maps, made.maps(maps, n_start))
            }
            LabelParams::Clusters { of: ClusteredParam::WinRates, made } => {
                by_win_rates(maps, made.maps(maps, n_start), rng)
            }
            LabelParams::Posterior { margin, certainty } => {
                by_posterior(maps, margin.map(|points| points / 100.0), certainty)
            }
        };
        labelled.unwrap_or_else(|failure| Self {
            positive: vec![None; maps.len()],
            threshold: None,
            failure: Some(failure),
        })
    }

    /// Returns the class of map number `idx`.
    pub(super) fn class(&self, idx: usize) -> PointClass {
        self.label(idx).map_or(PointClass::Unlabelled, PointLabel::class)
    }

    /// Returns the number of maps of `class`.
    pub(super) fn count(&self, class: PointClass) -> usize {
        (0..self.positive.len()).filter(|&idx| self.class(idx) == class).count()
    }

    /// Removes every label except the labels of the latest `n` maps.
    pub(super) fn of_latest(mut self, n: usize) -> Self {
        let earlier = self.positive.len().saturating_sub(n);
        self.positive[..earlier].fill(None);
        self
    }

    /// Returns the label of map number `idx` for a learner.
    pub(super) fn label(&self, idx: usize) -> Option<PointLabel> {
        self.positive
            .get(idx)
            .copied()
            .flatten()
            .and_then(|positive| PointLabel::soft(positive).ok())
    }
}

impl ClusterMapsParam {
    fn maps(self, maps: &[GameResults], n_start: usize) -> &[GameResults] {
        match self {
            Self::EachStep => maps,
            Self::FromStart => maps.get(..n_start).unwrap_or(maps),
        }
    }
}

/// Returns the observed standard deviation of a map's win rates, as a share; none without a decided
/// game.
pub(super) fn observed_spread(results: &GameResults) -> Option<f64> {
    counts(results).map(|counts| spread(counts, ErrorRate::FIVE_PERCENT).observed)
}

/// Returns each seat's wins; `None` without a decided game.
fn counts(results: &GameResults) -> Option<OutcomeCounts<'_>> {
    OutcomeCounts::new(&results.wins).ok()
}

fn by_spread(maps: &[GameResults], made: &[GameResults]) -> Result<MapLabels, String> {
    let of_clusters: Vec<f64> = made.iter().filter_map(observed_spread).collect();
    let split = split_in_two(&of_clusters).map_err(|error| error.to_string())?;
    let label = |results| {
        let spread = observed_spread(results)?;
        Some(if spread <= split.threshold { 1.0 } else { 0.0 })
    };
    Ok(MapLabels {
        positive: maps.iter().map(label).collect(),
        threshold: Some(split.threshold),
        failure: None,
    })
}

fn by_win_rates(
    maps: &[GameResults],
    made: &[GameResults],
    rng: &mut StreamRng,
) -> Result<MapLabels, String> {
    let rates = |results| -> Option<[f64; Seat::COUNT]> {
        let shares: Vec<f64> = counts(results)?.shares().collect();
        shares.try_into().ok()
    };
    let decided: Vec<&GameResults> = made.iter().filter(|results| results.decided() != 0).collect();
    let rows = decided.iter().filter_map(|results| rates(results));
    let clusters = PointSet::new(Seat::COUNT, rows)
        .and_then(|points| k_means(&points, 2, STARTS, rng))
        .map_err(|error: LearningError| error.to_string())?;
    let mean_spread = |cluster: usize| {
        let members =
            decided.iter().zip(&clusters.members).filter(|(_, member)| **member == cluster);
        let spreads: Vec<f64> =
            members.filter_map(|(results, _)| observed_spread(results)).collect();
        mean(&spreads)
    };
    let positive = if mean_spread(1) < mean_spread(0) { 1 } else { 0 };
    let label = |results| {
        let rates = rates(results)?;
        let distance = |cluster: usize| -> f64 {
            let center = &clusters.centers[cluster];
            rates.iter().zip(center).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        Some(if distance(positive) <= distance(1 - positive) { 1.0 } else { 0.0 })
    };
    Ok(MapLabels { positive: maps.iter().map(label).collect(), threshold: None, failure: None })
}

fn by_posterior(
    maps: &[GameResults],
    margin: Option<f64>,
    certainty: f64,
) -> Result<MapLabels, String> {
    let margin = margin.map_or_else(|| between_expected(maps), Ok)?;
    let label = |among: Option<MapComparison>| {
        let positive = among?.posterior?.within_margin.clamp(0.0, 1.0);
        (certainty <= positive.max(1.0 - positive)).then_some(positive)
    };
    let positive = compare_maps(maps, Seat::COUNT, margin).into_iter().map(label).collect();
    Ok(MapLabels { positive, threshold: Some(margin), failure: None })
}

/// Returns the threshold between two clusters of expected spreads. The expected spread of a map
/// depends on the games of every map in `maps`.
fn between_expected(maps: &[GameResults]) -> Result<f64, String> {
    // The expected spread does not depend on the margin.
    let expected = compare_maps(maps, Seat::COUNT, 0.0)
        .into_iter()
        .flatten()
        .filter_map(|among| among.posterior);
    let sigmas: Vec<f64> = expected.map(|posterior| posterior.sigma).collect();
    split_in_two(&sigmas).map(|split| split.threshold).map_err(|error| error.to_string())
}

/// Returns the mean of `values`; 0 without values.
pub(super) fn mean(values: &[f64]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "numbers of maps are far below 2^53")]
    let n = values.len().max(1) as f64;
    values.iter().sum::<f64>() / n
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;

    /// Returns maps of 2,000 games whose first seat wins this many more than its share, at the cost
    /// of the second.
    fn maps(more: &[u64]) -> Vec<GameResults> {
        let map = |more: &u64| GameResults {
            games: 2000,
            wins: [500 + more, 500 - more, 500, 500],
            ..GameResults::default()
        };
        more.iter().map(map).collect()
    }

    fn labels(params: &LabelParams, maps: &[GameResults], n_start: usize) -> MapLabels {
        let mut rng = RunSeed::new("labels", 1).generation(0).stream("labels");
        MapLabels::of(params, maps, n_start, &mut rng)
    }

    fn clusters(of: ClusteredParam, made: ClusterMapsParam) -> LabelParams {
        LabelParams::Clusters { of, made }
    }

    #[test]
    fn clusters_by_hand() {
        // Spreads are proportional to these numbers: the split is between the means 1 and 10.
        let maps = maps(&[0, 10, 1, 2]);
        for of in [ClusteredParam::Spread, ClusteredParam::WinRates] {
            let got = labels(&clusters(of, ClusterMapsParam::EachStep), &maps, 4);
            assert_eq!(got.positive, [1.0, 0.0, 1.0, 1.0].map(Some), "{of:?}");
        }
        let got = labels(&clusters(ClusteredParam::Spread, ClusterMapsParam::EachStep), &maps, 4);
        let expected = 5.5 / 2000.0 / libm::sqrt(2.0);
        assert!((got.threshold.unwrap() - expected).abs() < 1e-12, "{got:?}");
    }

    #[test]
    fn later_maps_move_clusters_unless_they_are_those_of_the_start() {
        let maps = maps(&[0, 10, 1, 2, 100]);
        for (made, second) in
            [(ClusterMapsParam::EachStep, 1.0), (ClusterMapsParam::FromStart, 0.0)]
        {
            let got = labels(&clusters(ClusteredParam::Spread, made), &maps, 4);
            assert_eq!((got.positive[1], got.positive[4]), (Some(second), Some(0.0)), "{made:?}");
        }
    }

    #[test]
    fn posterior_labels_are_soft_and_leave_what_is_unclear() {
        let maps = maps(&[0, 20, 40, 60, 80, 100, 120, 140, 5, 60]);
        let soft = |certainty| {
            labels(&LabelParams::Posterior { margin: Some(1.5), certainty }, &maps, maps.len())
                .positive
        };
        let all: Vec<f64> = soft(0.5).into_iter().flatten().collect();
        assert_eq!(all.len(), maps.len());
        assert!(0.8 < all[0] && all[7] < 0.01, "{all:?}");
        assert!(all[..8].is_sorted_by(|a, b| b <= a), "{all:?}");
        let sure = soft(0.95);
        assert!(sure.contains(&None) && sure[7].is_some(), "{sure:?}");
    }

    #[test]
    fn without_a_margin_the_clusters_have_one() {
        let maps = maps(&[0, 5, 10, 200, 210, 190]);
        let params = LabelParams::Posterior { margin: None, certainty: 0.9 };
        let got = labels(&params, &maps, maps.len());
        let positive: Vec<bool> = got.positive.iter().map(|label| 0.9 <= label.unwrap()).collect();
        assert_eq!(positive, [true, true, true, false, false, false], "{got:?}");
        assert!((0.02..0.05).contains(&got.threshold.unwrap()), "{got:?}");
    }

    #[test]
    fn maps_that_are_all_alike_have_no_labels_but_a_reason() {
        let got = labels(&LabelParams::default(), &maps(&[3, 3, 3]), 3);
        assert_eq!(got.positive, [None; 3]);
        let why = got.failure.unwrap();
        assert_eq!(why, "1 different points can't be split into 2 clusters");
    }
}
