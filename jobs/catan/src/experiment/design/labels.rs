//! Which maps are positive, that is balanced, by the games on them.

use hatchery_core::StreamRng;
use hatchery_stats::{ErrorRate, OutcomeCounts, spread};
use serde::{Deserialize, Serialize};

use super::spec::{ClusteredParam, LabelParams, MadeParam};
use crate::balance::{AmongMany, among_many};
use crate::learning::clusters::{k_means, split_in_two};
use crate::learning::{LearningError, PointClass, PointLabel, PointSet};
use crate::results::Results;
use crate::rules::Seat;

/// How often k-means begins anew for the four win rates.
const STARTS: u32 = 20;

/// The labels of maps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Labelling {
    /// The probability that a map is positive, 0 or 1 for hard labels; none if it has no label.
    pub(super) positive: Vec<Option<f64>>,
    /// The spread that separates the classes, as a share; none where no spread alone does.
    pub(super) threshold: Option<f64>,
    /// Why there are no labels.
    pub(super) failure: Option<String>,
}

impl Labelling {
    /// The labels of `maps`, of which the first `n_start` are the starting maps. A map without a
    /// decided game has none.
    pub(super) fn of(
        params: &LabelParams,
        maps: &[Results],
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

    /// The class of map number `idx`.
    pub(super) fn class(&self, idx: usize) -> PointClass {
        self.label(idx).map_or(PointClass::Unlabelled, PointLabel::class)
    }

    /// How many maps are of `class`.
    pub(super) fn count(&self, class: PointClass) -> usize {
        (0..self.positive.len()).filter(|&idx| self.class(idx) == class).count()
    }

    /// The same without the labels of all but the latest `n` maps.
    pub(super) fn of_latest(mut self, n: usize) -> Self {
        let earlier = self.positive.len().saturating_sub(n);
        self.positive[..earlier].fill(None);
        self
    }

    /// What a learner is told of map number `idx`.
    pub(super) fn label(&self, idx: usize) -> Option<PointLabel> {
        self.positive
            .get(idx)
            .copied()
            .flatten()
            .and_then(|positive| PointLabel::soft(positive).ok())
    }
}

impl MadeParam {
    fn maps(self, maps: &[Results], n_start: usize) -> &[Results] {
        match self {
            Self::EachStep => maps,
            Self::FromStart => maps.get(..n_start).unwrap_or(maps),
        }
    }
}

/// The standard deviation of the win rates that the games of a map show, as a share; none without a
/// decided game.
pub(super) fn observed_spread(results: &Results) -> Option<f64> {
    counts(results).map(|counts| spread(counts, ErrorRate::FIVE_PERCENT).observed)
}

/// The wins of each seat; none without a decided game.
fn counts(results: &Results) -> Option<OutcomeCounts<'_>> {
    OutcomeCounts::new(&results.wins).ok()
}

fn by_spread(maps: &[Results], made: &[Results]) -> Result<Labelling, String> {
    let of_clusters: Vec<f64> = made.iter().filter_map(observed_spread).collect();
    let split = split_in_two(&of_clusters).map_err(|error| error.to_string())?;
    let label = |results| {
        let spread = observed_spread(results)?;
        Some(if spread <= split.threshold { 1.0 } else { 0.0 })
    };
    Ok(Labelling {
        positive: maps.iter().map(label).collect(),
        threshold: Some(split.threshold),
        failure: None,
    })
}

fn by_win_rates(
    maps: &[Results],
    made: &[Results],
    rng: &mut StreamRng,
) -> Result<Labelling, String> {
    let rates = |results| -> Option<[f64; Seat::COUNT]> {
        let shares: Vec<f64> = counts(results)?.shares().collect();
        shares.try_into().ok()
    };
    let decided: Vec<&Results> = made.iter().filter(|results| results.decided() != 0).collect();
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
    Ok(Labelling { positive: maps.iter().map(label).collect(), threshold: None, failure: None })
}

fn by_posterior(
    maps: &[Results],
    margin: Option<f64>,
    certainty: f64,
) -> Result<Labelling, String> {
    let margin = margin.map_or_else(|| between_expected(maps), Ok)?;
    let label = |among: Option<AmongMany>| {
        let positive = among?.shrunk?.within_margin.clamp(0.0, 1.0);
        (certainty <= positive.max(1.0 - positive)).then_some(positive)
    };
    let positive = among_many(maps, margin).into_iter().map(label).collect();
    Ok(Labelling { positive, threshold: Some(margin), failure: None })
}

/// What separates two clusters of the spreads that are expected of `maps`, given all of them.
fn between_expected(maps: &[Results]) -> Result<f64, String> {
    // What is expected does not depend on the margin.
    let expected = among_many(maps, 0.0).into_iter().flatten().filter_map(|among| among.shrunk);
    let sigmas: Vec<f64> = expected.map(|shrunk| shrunk.sigma).collect();
    split_in_two(&sigmas).map(|split| split.threshold).map_err(|error| error.to_string())
}

/// The mean of `values`; 0 without any.
pub(super) fn mean(values: &[f64]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "numbers of maps are far below 2^53")]
    let n = values.len().max(1) as f64;
    values.iter().sum::<f64>() / n
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;

    /// Maps of 2,000 games whose first seat wins so many more than its share, at the cost of the
    /// second.
    fn maps(more: &[u64]) -> Vec<Results> {
        let map = |more: &u64| Results {
            games: 2000,
            wins: [500 + more, 500 - more, 500, 500],
            ..Results::default()
        };
        more.iter().map(map).collect()
    }

    fn labels(params: &LabelParams, maps: &[Results], n_start: usize) -> Labelling {
        let mut rng = RunSeed::new("labels", 1).generation(0).stream("labels");
        Labelling::of(params, maps, n_start, &mut rng)
    }

    fn clusters(of: ClusteredParam, made: MadeParam) -> LabelParams {
        LabelParams::Clusters { of, made }
    }

    #[test]
    fn clusters_by_hand() {
        // Spreads are in proportion to these: the split is between the means 1 and 10.
        let maps = maps(&[0, 10, 1, 2]);
        for of in [ClusteredParam::Spread, ClusteredParam::WinRates] {
            let got = labels(&clusters(of, MadeParam::EachStep), &maps, 4);
            assert_eq!(got.positive, [1.0, 0.0, 1.0, 1.0].map(Some), "{of:?}");
        }
        let got = labels(&clusters(ClusteredParam::Spread, MadeParam::EachStep), &maps, 4);
        let expected = 5.5 / 2000.0 / libm::sqrt(2.0);
        assert!((got.threshold.unwrap() - expected).abs() < 1e-12, "{got:?}");
    }

    #[test]
    fn later_maps_move_clusters_unless_they_are_those_of_the_start() {
        let maps = maps(&[0, 10, 1, 2, 100]);
        for (made, second) in [(MadeParam::EachStep, 1.0), (MadeParam::FromStart, 0.0)] {
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
