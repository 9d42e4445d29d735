//! What a person writes of labels and learning.

use hatchery_core::InvalidParam;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::learning::basis::GaussianCenters;
use crate::learning::prior::PairStatistic;
use crate::learning::validation::powers_of_ten;

/// How games label the maps that are learned from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, tag = "method", rename_all = "kebab-case")]
pub enum LabelParams {
    /// Two clusters by k-means: maps of the cluster with the smaller spread are positive, all
    /// others negative (Hwang & Kaneko, §3.4).
    Clusters {
        /// What is clustered.
        #[serde(default)]
        #[schemars(extend("x-source" = "Hwang & Kaneko, §3.4: by differences of win rates"))]
        of: ClusteredParam,
        /// Which maps the clusters are made of.
        #[serde(default)]
        #[schemars(extend("x-source" = "ours: the paper does not say"))]
        made: MadeParam,
    },
    /// By the probability that the true spread is within a margin, given all maps' games (empirical
    /// Bayes): it counts in both classes, in proportion.
    Posterior {
        /// The margin, in percent points. Without it, half way between the means of two clusters of
        /// the spreads that are expected of all maps so far.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.01, max = 40.0), extend("x-source" = "ours"))]
        margin: Option<f64>,
        /// A map is left without label unless one of the classes has at least this probability; at
        /// 0.5 all maps have a label.
        #[serde(default = "certainty")]
        #[schemars(range(min = 0.5, max = 0.999), extend("x-source" = "ours"))]
        certainty: f64,
    },
}

fn certainty() -> f64 {
    0.5
}

impl Default for LabelParams {
    fn default() -> Self {
        Self::Clusters { of: ClusteredParam::default(), made: MadeParam::default() }
    }
}

/// What is clustered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClusteredParam {
    /// The standard deviation of a map's win rates, split exactly.
    #[default]
    Spread,
    /// The four win rates themselves; the cluster whose mean spread is smaller is positive.
    WinRates,
}

/// Which maps clusters are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MadeParam {
    /// All maps so far, anew at each step: labels of earlier maps can change.
    #[default]
    EachStep,
    /// The starting maps: later ones get the label of the nearer cluster.
    FromStart,
}

/// How a classifier is learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LearningParams {
    /// Maps without label that are learned from, drawn anew at each step.
    #[schemars(range(min = 10, max = 20_000), extend("x-source" = "ours: the paper does not say"))]
    pub unlabelled: u32,
    /// Random maps that are classified at each step, of which the best and worst are simulated.
    #[schemars(range(min = 2, max = 200_000), extend("x-source" = "ours: the paper does not say"))]
    pub candidates: u32,
    /// Which maps with a label are learned from.
    #[schemars(extend("x-source" = "ours: the paper does not say"))]
    pub labelled: LabelledParam,
    /// How the class prior is estimated.
    pub prior: PriorParams,
    /// The functions in which the classifier is linear.
    #[schemars(extend("x-source" = "Hwang & Kaneko, §4.2: \"linear basis functions\""))]
    pub basis: BasisParams,
    /// Values of eta to choose from: how much unlabelled maps count, from -1 to 1.
    #[schemars(
        length(min = 1, max = 50),
        inner(range(min = -1.0, max = 1.0)),
        extend("x-source" = "ours: the paper does not say")
    )]
    pub etas: Vec<f64>,
    /// Values of lambda, the regularization, to choose from.
    #[schemars(
        length(min = 1, max = 50),
        inner(range(min = 0.000_001, max = 1_000_000.0)),
        extend("x-source" = "as in the authors' program of PNU learning: 0.001 to 10")
    )]
    pub lambdas: Vec<f64>,
    /// Into how many parts maps are split for cross-validation.
    #[schemars(range(min = 2, max = 20), extend("x-source" = "as in the authors' program of PNU learning: 5"))]
    pub folds: u32,
}

impl Default for LearningParams {
    fn default() -> Self {
        Self {
            unlabelled: 2000,
            candidates: 2000,
            labelled: LabelledParam::default(),
            prior: PriorParams::default(),
            basis: BasisParams::default(),
            etas: (-4..=4_i8).map(|quarter| f64::from(quarter) / 4.0).collect(),
            lambdas: powers_of_ten(-3.0, 1.0, 10),
            folds: 5,
        }
    }
}

/// Which maps with a label are learned from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LabelledParam {
    /// Those of all steps so far.
    #[default]
    AllSteps,
    /// Those of the latest step.
    LatestStep,
}

/// How the class prior is estimated: by the least energy distance (Kawakubo et al. 2016).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PriorParams {
    /// Which pairs of maps count within a class.
    #[schemars(extend("x-source" = "ours: the paper does not say"))]
    pub pairs: PairsParam,
    /// The power of distances.
    #[schemars(range(min = 0.01, max = 1.99), extend("x-source" = "Kawakubo et al. 2016: 1"))]
    pub alpha: f64,
    /// The estimate is kept this far from 0 and from 1: at either end, nothing is left to learn.
    #[schemars(range(min = 0.000_001, max = 0.49), extend("x-source" = "ours"))]
    pub least: f64,
}

impl Default for PriorParams {
    fn default() -> Self {
        Self { pairs: PairsParam::default(), alpha: 1.0, least: 0.05 }
    }
}

/// Which pairs of maps count within a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PairsParam {
    /// All, those of a map with itself too: the V-statistic.
    #[default]
    All,
    /// Those of different maps: the U-statistic.
    Different,
}

impl From<PairsParam> for PairStatistic {
    fn from(param: PairsParam) -> Self {
        match param {
            PairsParam::All => Self::All,
            PairsParam::Different => Self::Different,
        }
    }
}

/// The functions in which the classifier is linear.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "kebab-case")]
pub enum BasisParams {
    /// The features themselves, and a constant.
    #[default]
    Linear,
    /// Gaussians about maps, and a constant.
    Gaussian {
        /// How many.
        #[serde(default = "centers")]
        #[schemars(range(min = 1, max = 500), extend("x-source" = "as in pywsl: 200"))]
        centers: u32,
        /// About which maps.
        #[serde(default)]
        #[schemars(extend("x-source" = "as in pywsl: unlabelled"))]
        about: AboutParam,
        /// Widths to choose from, as multiples of the median distance.
        #[serde(default = "widths")]
        #[schemars(
            length(min = 1, max = 50),
            inner(range(min = 0.000_001, max = 1_000_000.0)),
            extend("x-source" = "as in pywsl: 0.1 to 10")
        )]
        widths: Vec<f64>,
    },
}

fn centers() -> u32 {
    200
}

fn widths() -> Vec<f64> {
    powers_of_ten(-1.0, 1.0, 11)
}

/// About which maps Gaussians are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AboutParam {
    /// Maps without label, drawn at random.
    #[default]
    Unlabelled,
    /// All maps with a label first, then others.
    LabelledFirst,
}

impl From<AboutParam> for GaussianCenters {
    fn from(param: AboutParam) -> Self {
        match param {
            AboutParam::Unlabelled => Self::Unlabelled,
            AboutParam::LabelledFirst => Self::LabelledFirst,
        }
    }
}

impl LearningParams {
    /// Checks what no single parameter can show; `n_picks` maps are picked of the candidates.
    pub(super) fn check(&self, n_picks: u32) -> Result<(), InvalidParam> {
        if self.candidates < n_picks {
            let expected = format!("at least {n_picks}: picks.best + picks.worst");
            return Err(InvalidParam::new("learning.candidates", &self.candidates, expected));
        }
        Ok(())
    }
}
