//! What is learned from the maps simulated so far, and which maps come next.

use hatchery_core::{GenerationSeed, StreamRng};
use serde::{Deserialize, Serialize};

use super::labels::Labelling;
use super::spec::{BasisParams, FeatureParams, LearningParams, ScalingParam, SetParam};
use crate::Map;
use crate::features::{N_DRAFT_FEATURES, N_FEATURES, draft_features, features};
use crate::learning::basis::{GaussianCenters, median_distance};
use crate::learning::{
    Basis, Classifier, FeatureScaling, GridChoice, LearningError, ParameterGrid, PnuSettings,
    PointLabel, PointSet, TrainingSet, class_prior, cross_validate,
};
use crate::map::Policy;

/// What was learned at one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Lesson {
    /// The class prior that was learned with; none if nothing was learned.
    pub(super) prior: Option<Prior>,
    /// The settings that cross-validation chose.
    pub(super) chosen: Option<Chosen>,
    /// How many of the candidates were called good, and of how many.
    pub(super) called_good: (u32, u32),
    /// What could not be done, and so was done in a simpler way or not at all.
    pub(super) failure: Option<String>,
}

/// The class prior.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Prior {
    /// As it was used.
    pub(super) theta: f64,
    /// As it was estimated, before it was kept away from 0 and 1.
    pub(super) estimate: f64,
}

/// What cross-validation chose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Chosen {
    pub(super) eta: f64,
    pub(super) lambda: f64,
    /// The width of Gaussians.
    pub(super) width: Option<f64>,
    /// The estimated share of wrong classifications; none if there were too few labels to tell.
    pub(super) risk: Option<f64>,
}

/// A map with the score that the classifier gives it: good above 0, the larger the surer. None if
/// nothing could be learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scored {
    pub(super) map: Map,
    pub(super) score: Option<f64>,
}

/// How features and learning are set, and where maps are drawn from.
pub(super) struct Teacher<'a> {
    pub(super) features: FeatureParams,
    pub(super) learning: &'a LearningParams,
    pub(super) policy: Policy,
}

impl Teacher<'_> {
    /// Learns from `maps` with their labels, and scores `n` random maps, the best first: all in
    /// random numbers of `seed`.
    pub(super) fn teach(
        &self,
        maps: &[Map],
        labels: &Labelling,
        n: u32,
        seed: &GenerationSeed,
    ) -> (Lesson, Vec<Scored>) {
        let candidates = self.draw(n, &mut seed.stream("candidates"));
        let mut lesson = Lesson {
            prior: None,
            chosen: None,
            called_good: (0, n),
            failure: labels.failure.clone(),
        };
        let scores = match self.learn(maps, labels, &mut lesson, seed) {
            Ok(classifier) => self.scores(&classifier, &candidates),
            Err(error) => {
                // The reason why there are no labels says more than that there are none.
                lesson.failure.get_or_insert_with(|| error.to_string());
                vec![None; candidates.len()]
            }
        };
        let good = scores.iter().flatten().filter(|&&score| 0.0 < score).count();
        lesson.called_good.0 = u32::try_from(good).unwrap_or(n);
        let scored = candidates.into_iter().zip(scores);
        let mut scored: Vec<Scored> = scored.map(|(map, score)| Scored { map, score }).collect();
        // Stable: of equal scores, the map that was drawn first comes first.
        scored.sort_by(|a, b| b.score.unwrap_or(0.0).total_cmp(&a.score.unwrap_or(0.0)));
        (lesson, scored)
    }

    fn draw(&self, n: u32, rng: &mut StreamRng) -> Vec<Map> {
        (0..n).map(|_| self.policy.draw(rng)).collect()
    }

    fn learn(
        &self,
        maps: &[Map],
        labels: &Labelling,
        lesson: &mut Lesson,
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
        let estimate =
            class_prior(&scaled(&samples, &scaling)?, params.alpha, params.pairs.into())?;
        let theta = estimate.theta.clamp(params.least, 1.0 - params.least);
        lesson.prior = Some(Prior { theta, estimate: estimate.unclipped });
        let grid = self.grid(&samples, &scaling, &mut seed.stream("centers"))?;
        let validated = cross_validate(&samples, &scaling, theta, &grid, &mut seed.stream("folds"));
        let (choice, risk) = match validated {
            Ok(choice) => {
                let risk = choice.risk;
                (choice, Some(risk))
            }
            Err(error) => {
                lesson.failure.get_or_insert_with(|| error.to_string());
                (middle(&grid, theta), None)
            }
        };
        let GridChoice { basis, settings, risk: _ } = choice;
        let width = match basis {
            Basis::Linear => None,
            Basis::Gaussian { width, .. } => Some(width),
        };
        let PnuSettings { eta, lambda, prior: _ } = settings;
        lesson.chosen = Some(Chosen { eta, lambda, width, risk });
        Classifier::fit(&samples, scaling, basis, &settings)
    }

    /// What is tried.
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
                let centers =
                    GaussianCenters::from(*about).draw(samples, scaling, *centers as usize, rng)?;
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
            SetParam::Paper => N_FEATURES,
            SetParam::Draft => N_DRAFT_FEATURES,
            SetParam::Both => N_FEATURES + N_DRAFT_FEATURES,
        };
        PointSet::new(dimension, maps.iter().map(|map| self.point(map)))
    }

    fn point(&self, map: &Map) -> Vec<f64> {
        let mut point = Vec::new();
        if self.features.set != SetParam::Draft {
            point.extend(features(map, self.features.readings()).map(f64::from));
        }
        if self.features.set != SetParam::Paper {
            point.extend(draft_features(map));
        }
        point
    }
}

/// The same samples with scaled features.
fn scaled(samples: &TrainingSet, scaling: &FeatureScaling) -> Result<TrainingSet, LearningError> {
    let labelled = scaling.apply_all(samples.labelled())?;
    TrainingSet::new(labelled, samples.labels().to_vec(), scaling.apply_all(samples.unlabelled())?)
}

/// What is taken where cross-validation can't tell: the eta nearest to 0, and the middle of the
/// other lists.
fn middle(grid: &ParameterGrid, prior: f64) -> GridChoice {
    let eta = grid.etas.iter().copied().min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0);
    let lambda = grid.lambdas.get(grid.lambdas.len() / 2).copied().unwrap_or(1.0);
    let basis = grid.bases.get(grid.bases.len() / 2).cloned().unwrap_or(Basis::Linear);
    GridChoice { basis, settings: PnuSettings { prior, eta, lambda }, risk: 0.5 }
}
