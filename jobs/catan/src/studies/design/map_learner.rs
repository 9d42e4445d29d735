//! Learning from the maps simulated so far, and scoring of the maps to come next.

use hatchery_core::{GenerationSeed, StreamRng};
use serde::{Deserialize, Serialize};

use super::labels::MapLabels;
use super::spec::{BasisParams, FeatureParams, FeatureSetParam, LearningParams, ScalingParam};
use crate::Map;
use crate::features::{N_DRAFT_FEATURES, N_FEATURES, draft_features, features};
use crate::learning::basis::median_distance;
use crate::learning::{
    Basis, Classifier, FeatureScaling, GridChoice, LearningError, ParameterGrid, PnuSettings,
    PointLabel, PointSet, TrainingSet, class_prior, cross_validate,
};
use crate::map::MapPolicy;

/// The record of what was learned at one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LearningRecord {
    /// The class prior; none if nothing was learned.
    pub(super) prior: Option<PriorRecord>,
    /// The settings that cross-validation chose.
    pub(super) chosen: Option<ChosenSettings>,
    /// The number of candidates called good, and the number of candidates.
    pub(super) called_good: (u32, u32),
    /// The failure that made the learner simplify or skip the step.
    pub(super) failure: Option<String>,
}

/// The class prior of a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PriorRecord {
    /// The prior as used.
    pub(super) theta: f64,
    /// The prior as estimated, before it was kept away from 0 and 1.
    pub(super) estimate: f64,
}

/// The settings that cross-validation chose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ChosenSettings {
    pub(super) eta: f64,
    pub(super) lambda: f64,
    /// The width of Gaussians.
    pub(super) width: Option<f64>,
    /// The estimated share of wrong classifications; none if there were too few labels to estimate
    /// it.
    pub(super) risk: Option<f64>,
}

/// A map with the classifier's score: good above 0, and more certain the larger it is. None if
/// nothing could be learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ScoredMap {
    pub(super) map: Map,
    pub(super) score: Option<f64>,
}

/// A learner: the settings of features and learning, and the policy of its maps.
pub(super) struct MapLearner<'a> {
    pub(super) features: FeatureParams,
    pub(super) learning: &'a LearningParams,
    pub(super) policy: MapPolicy,
}

impl MapLearner<'_> {
    /// Learns from `maps` with their labels, and scores `n` random maps, best first, with random
    /// numbers of `seed`.
    pub(super) fn learn_and_score(
        &self,
        maps: &[Map],
        labels: &MapLabels,
        n: u32,
        seed: &GenerationSeed,
    ) -> (LearningRecord, Vec<ScoredMap>) {
        let candidates = self.draw(n, &mut seed.stream("candidates"));
        let mut record = LearningRecord {
            prior: None,
            chosen: None,
            called_good: (0, n),
            failure: labels.failure.clone(),
        };
        let scores = match self.learn(maps, labels, &mut record, seed) {
            Ok(classifier) => self.scores(&classifier, &candidates),
            Err(error) => {
                // The reason why there are no labels is more informative than that there are none.
                record.failure.get_or_insert_with(|| error.to_string());
                vec![None; candidates.len()]
            }
        };
        let good = scores.iter().flatten().filter(|&&score| 0.0 < score).count();
        record.called_good.0 = u32::try_from(good).unwrap_or(n);
        let scored = candidates.into_iter().zip(scores);
        let mut scored: Vec<ScoredMap> =
            scored.map(|(map, score)| ScoredMap { map, score }).collect();
        // The sort is stable: of equal scores, the map drawn first comes first.
        scored.sort_by(|a, b| b.score.unwrap_or(0.0).total_cmp(&a.score.unwrap_or(0.0)));
        (record, scored)
    }

    fn draw(&self, n: u32, rng: &mut StreamRng) -> Vec<Map> {
        (0..n).map(|_| self.policy.draw(rng)).collect()
    }

    fn learn(
        &self,
        maps: &[Map],
        labels: &MapLabels,
        record: &mut LearningRecord,
        seed: &GenerationSeed,
    ) -> Result<Classifier, LearningError> {
        let LearningParams { unlabelled, prior: params, .. } = self.learning;
        let labelled = (0..maps.len()).filter_map(|idx| Some((maps[idx], labels.label(idx)?)));
        let (maps, labels): (Vec<Map>, Vec<PointLabel>) = labelled.unzip();
        let unlabelled = self.points(&self.draw(*unlabelled, &mut seed.stream("unlabelled")))?;
        let samples = TrainingSet::new(self.points(&maps)?, labels, unlabelled)?;
        let scaling = match self.features.scaling {
            ScalingParam::Standard => FeatureScaling::standard(samples.unlabelled())?,
            ScalingParam::None => FeatureScaling::none(samples.unlabelled().dimension()),
        };
        let estimate = class_prior(&scaled(&samples, &scaling)?, params.alpha, params.pairs)?;
        let theta = estimate.theta.clamp(params.least, 1.0 - params.least);
        record.prior = Some(PriorRecord { theta, estimate: estimate.unclipped });
        let grid = self.grid(&samples, &scaling, &mut seed.stream("centers"))?;
        let validated = cross_validate(&samples, &scaling, theta, &grid, &mut seed.stream("folds"));
        let (choice, risk) = match validated {
            Ok(choice) => {
                let risk = choice.risk;
                (choice, Some(risk))
            }
            Err(error) => {
                record.failure.get_or_insert_with(|| error.to_string());
                (middle(&grid, theta), None)
            }
        };
        let GridChoice { basis, settings, risk: _ } = choice;
        let width = match basis {
            Basis::Linear => None,
            Basis::Gaussian { width, .. } => Some(width),
        };
        let PnuSettings { eta, lambda, prior: _ } = settings;
        record.chosen = Some(ChosenSettings { eta, lambda, width, risk });
        Classifier::fit(&samples, scaling, basis, &settings)
    }

    /// Returns the grid of settings to try.
    fn grid(
        &self,
        samples: &TrainingSet,
        scaling: &FeatureScaling,
        rng: &mut StreamRng,
    ) -> Result<ParameterGrid, LearningError> {
        let LearningParams { basis, etas, lambdas, folds, .. } = self.learning;
        let bases = match basis {
            BasisParams::Linear => vec![Basis::Linear],
            BasisParams::Gaussian { centers, about, widths } => {
                let centers = about.draw(samples, scaling, *centers as usize, rng)?;
                let median = median_distance(&scaling.apply_all(samples.unlabelled())?, &centers);
                let gaussian = |width| Basis::gaussian(centers.clone(), width * median);
                widths.iter().map(gaussian).collect::<Result<_, _>>()?
            }
        };
        Ok(ParameterGrid {
            bases,
            etas: etas.clone(),
            lambdas: lambdas.clone(),
            folds: *folds as usize,
        })
    }

    fn scores(&self, classifier: &Classifier, maps: &[Map]) -> Vec<Option<f64>> {
        let scores = self.points(maps).and_then(|points| classifier.scores(&points));
        // Features are small numbers: scores are finite, and there is one for each map.
        scores.map_or_else(
            |_| vec![None; maps.len()],
            |scores| scores.into_iter().map(Some).collect(),
        )
    }

    fn points(&self, maps: &[Map]) -> Result<PointSet, LearningError> {
        let dimension = match self.features.set {
            FeatureSetParam::Paper => N_FEATURES,
            FeatureSetParam::Draft => N_DRAFT_FEATURES,
            FeatureSetParam::Both => N_FEATURES + N_DRAFT_FEATURES,
        };
        PointSet::new(dimension, maps.iter().map(|map| self.point(map)))
    }

    fn point(&self, map: &Map) -> Vec<f64> {
        let mut point = Vec::new();
        if self.features.set != FeatureSetParam::Draft {
            point.extend(features(map, self.features.readings()).map(f64::from));
        }
        if self.features.set != FeatureSetParam::Paper {
            point.extend(draft_features(map));
        }
        point
    }
}

/// Returns the same samples with scaled features.
fn scaled(samples: &TrainingSet, scaling: &FeatureScaling) -> Result<TrainingSet, LearningError> {
    let labelled = scaling.apply_all(samples.labelled())?;
    TrainingSet::new(labelled, samples.labels().to_vec(), scaling.apply_all(samples.unlabelled())?)
}

/// Returns the settings for when cross-validation fails: the eta nearest to 0, and the middle of
/// the other lists.
fn middle(grid: &ParameterGrid, prior: f64) -> GridChoice {
    let eta = grid.etas.iter().copied().min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0);
    let lambda = grid.lambdas.get(grid.lambdas.len() / 2).copied().unwrap_or(1.0);
    let basis = grid.bases.get(grid.bases.len() / 2).cloned().unwrap_or(Basis::Linear);
    GridChoice { basis, settings: PnuSettings { prior, eta, lambda }, risk: 0.5 }
}
