//! Labels and learning in a spec.

use hatchery_core::InvalidValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::learning::basis::GaussianCenters;
use crate::learning::prior::PairStatistic;
use crate::learning::validation::powers_of_ten;

/// The most multiplications for the choice of settings in a step, which the coordinator makes: some
/// minutes of a core. The default settings with Gaussians take 4 x 10^10.
const MAX_MULTIPLICATIONS: u64 = 1_000_000_000_000;

/// The method by which games label the maps that are learned from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, tag = "method", rename_all = "kebab-case")]
pub enum LabelParams {
    /// Two clusters by k-means: maps of the cluster with the smaller spread are positive, all
    /// others negative (Hwang & Kaneko, §3.4).
    Clusters {
        /// The numbers that are clustered.
        #[serde(default)]
        #[schemars(extend("x-source" = "Hwang & Kaneko, §3.4: by differences of win rates"))]
        of: ClusteredParam,
        /// The maps that form the clusters.
        #[serde(default)]
        #[schemars(extend("x-source" = "ours: the paper does not say"))]
        made: ClusterMapsParam,
    },
    /// The probability that the true spread is within a margin, given the games of all maps
    /// (empirical Bayes): a label counts in both classes, in proportion.
    Posterior {
        /// The margin, in percentage points. Without it, the midpoint between the means of two
        /// clusters of the expected spreads of all maps so far.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.01, max = 40.0), extend("x-source" = "ours"))]
        margin: Option<f64>,
        /// The least probability of the likelier class: a map below it has no label. With 0.5 all
        /// maps have a label.
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
        Self::Clusters { of: ClusteredParam::default(), made: ClusterMapsParam::default() }
    }
}

/// The numbers that are clustered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClusteredParam {
    /// The standard deviation of a map's win rates, split exactly.
    #[default]
    Spread,
    /// The four win rates themselves; the cluster whose mean spread is smaller is positive.
    WinRates,
}

/// The maps that form the clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClusterMapsParam {
    /// All maps so far, again at each step: labels of earlier maps can change.
    #[default]
    EachStep,
    /// The starting maps: later ones get the label of the nearer cluster.
    FromStart,
}

/// The settings of learning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LearningParams {
    /// Maps without label that are learned from, drawn again at each step.
    #[schemars(range(min = 10, max = 20_000), extend("x-source" = "ours: the paper does not say"))]
    pub unlabelled: u32,
    /// Random maps that are classified at each step; the best and worst of them are simulated.
    #[schemars(range(min = 2, max = 200_000), extend("x-source" = "ours: the paper does not say"))]
    pub candidates: u32,
    /// The maps with a label that are learned from.
    #[schemars(extend("x-source" = "ours: the paper does not say"))]
    pub labelled: LabelledMapsParam,
    /// The estimation of the class prior.
    pub prior: PriorParams,
    /// The functions in which the classifier is linear.
    #[schemars(extend("x-source" = "Hwang & Kaneko, §4.2: \"linear basis functions\""))]
    pub basis: BasisParams,
    /// Values of eta to choose from: the use of unlabelled maps, from -1 to 1.
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
    /// Number of parts into which maps are split for cross-validation.
    #[schemars(
        range(min = 2, max = 20),
        extend("x-source" = "as in the authors' program of PNU learning: 5")
    )]
    pub folds: u32,
}

impl Default for LearningParams {
    fn default() -> Self {
        Self {
            unlabelled: 2000,
            candidates: 2000,
            labelled: LabelledMapsParam::default(),
            prior: PriorParams::default(),
            basis: BasisParams::default(),
            etas: (-4..=4_i8).map(|quarter| f64::from(quarter) / 4.0).collect(),
            lambdas: powers_of_ten(-3.0, 1.0, 10),
            folds: 5,
        }
    }
}

/// The maps with a label that are learned from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LabelledMapsParam {
    /// Those of all steps so far.
    #[default]
    AllSteps,
    /// Those of the latest step.
    LatestStep,
}

/// The estimation of the class prior, by the least energy distance (Kawakubo et al. 2016).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PriorParams {
    /// The pairs of maps that count within a class.
    #[schemars(extend("x-source" = "ours: the paper does not say"))]
    pub pairs: PairStatistic,
    /// The power of distances.
    #[schemars(range(min = 0.01, max = 1.99), extend("x-source" = "Kawakubo et al. 2016: 1"))]
    pub alpha: f64,
    /// The distance that the estimate keeps from 0 and from 1: at either end, nothing is left to
    /// learn.
    #[schemars(range(min = 0.000_001, max = 0.49), extend("x-source" = "ours"))]
    pub least: f64,
}

impl Default for PriorParams {
    fn default() -> Self {
        Self { pairs: PairStatistic::default(), alpha: 1.0, least: 0.05 }
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
        /// The number of Gaussians.
        #[serde(default = "centers")]
        #[schemars(range(min = 1, max = 500), extend("x-source" = "as in pywsl: 200"))]
        centers: u32,
        /// The maps about which Gaussians are centered.
        #[serde(default)]
        #[schemars(extend("x-source" = "as in pywsl: unlabelled"))]
        about: GaussianCenters,
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

impl LearningParams {
    /// Checks the parameters together, beyond their single ranges; `n_picks` maps are picked from
    /// the candidates.
    pub(super) fn check(&self, n_picks: u32) -> Result<(), InvalidValue> {
        if self.candidates < n_picks {
            let expected = format!("at least {n_picks}: picks.best + picks.worst");
            return Err(InvalidValue::new("learning.candidates", &self.candidates, expected));
        }
        let BasisParams::Gaussian { centers, widths, .. } = &self.basis else { return Ok(()) };
        // For each setting and each fold, equations with as many unknowns as centers are solved.
        let centers = (u64::from(*centers), "centers");
        let factors = [
            centers,
            centers,
            centers,
            (widths.len() as u64, "widths"),
            (self.lambdas.len() as u64, "lambdas"),
            (self.etas.len() as u64, "etas"),
            (u64::from(self.folds), "folds"),
        ];
        let what = "multiplications in each step";
        InvalidValue::check_product("learning.basis.centers", &factors, what, MAX_MULTIPLICATIONS)
    }
}
