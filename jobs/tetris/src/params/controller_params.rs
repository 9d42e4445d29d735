//! The parameters of controllers.

use hatchery_core::InvalidValue;
use hatchery_core::spec::{FileFault, FileValue, FromFile, SpecFile};
use hatchery_core::text::counted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::features::{FullRows, SkyRule, WellRule};
use crate::players::{
    Controller, LinearController, Lookahead, NetworkParams, NeuralNetwork, StackWeights,
    SurfaceController, SurfaceWeights,
};
use crate::rules::{PieceWeights, QueueRules};

/// A controller: weights for a linear one, with or without those of the wall's surface, or a
/// network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ControllerParams {
    /// A name for the measures.
    pub name: String,
    /// The rule that decides which cells under a well cell count as well cells; a network uses
    /// `cumulative`.
    #[serde(default)]
    #[schemars(extend("x-source" = "MDPTetris, features 6 and -6"))]
    pub wells: WellRule,
    /// The full rows of the boards that a linear controller values.
    #[serde(default, skip_serializing_if = "FullRows::is_removed")]
    #[schemars(extend("x-source" = "Lee 2013: standing"))]
    pub full_rows: FullRows,
    /// The count of a full cell in the top row in the column transitions of a linear controller.
    #[serde(default, skip_serializing_if = "SkyRule::is_empty")]
    #[schemars(extend("x-source" = "MDPTetris: empty; El-Tetris: nothing"))]
    pub sky: SkyRule,
    /// A linear controller: the weight of each feature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<FileValue<FeatureWeights>>,
    /// Weights of the wall's surface, beside `weights`: heights of columns in rows, after full rows
    /// were removed. All boards must have as many columns as there are weights of heights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-source" = "Bertsekas & Ioffe 1996; BDU of Thiery & Scherrer 2009"))]
    pub surface: Option<SurfaceParams>,
    /// A neural network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<FileValue<NetworkParams>>,
    /// Pseudo-two-level search: boards are valued by the best boards that the next piece can make
    /// of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lookahead: Option<LookaheadParams>,
}

/// Controllers in a file are TOML or JSON: a single controller, a list, or a spec with controllers,
/// such as the champion that an evolution shows.
impl FromFile for ControllerParams {
    fn from_file(file: &SpecFile) -> Result<Vec<Self>, FileFault> {
        file.values("controllers")
    }
}

/// Weights in a file are TOML or JSON, alone or below `weights`.
impl FromFile for FeatureWeights {
    fn from_file(file: &SpecFile) -> Result<Vec<Self>, FileFault> {
        file.values("weights")
    }
}

/// A network in a file is TOML or JSON, alone or below `network`.
impl FromFile for NetworkParams {
    fn from_file(file: &SpecFile) -> Result<Vec<Self>, FileFault> {
        file.values("network")
    }
}

/// Pseudo-two-level search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LookaheadParams {
    /// The weight of each next piece.
    #[schemars(extend("x-source" = "Miyazaki & Arakawa: equal"))]
    pub weights: LookaheadWeights,
    /// True to add the value of the board itself.
    #[schemars(extend("x-source" = "Miyazaki & Arakawa: not"))]
    pub first_value: bool,
}

/// The weight of each next piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LookaheadWeights {
    /// All the same.
    #[default]
    Equal,
    /// In proportion to its frequency.
    Frequency,
}

impl LookaheadParams {
    /// Returns the search in a game with the given piece weights.
    pub(crate) fn lookahead(self, pieces: PieceWeights) -> Lookahead {
        let weights = match self.weights {
            LookaheadWeights::Equal => PieceWeights::UNIFORM,
            LookaheadWeights::Frequency => pieces,
        };
        Lookahead { weights, first_value: self.first_value }
    }

    /// Rejects a search that changes nothing: known next pieces take the place of the average, so
    /// some of the games must have no preview, unless the first value counts. `key` is the key of
    /// the search in the spec, and `queues` are the rules of all games.
    pub(crate) fn check_used(
        self,
        key: &str,
        mut queues: impl Iterator<Item = QueueRules>,
    ) -> Result<(), InvalidValue> {
        if queues.any(|queue| self.used_in(queue) == Some(self)) {
            return Ok(());
        }
        let expected = "absent where all games have a preview: known pieces take the place of \
                        the average over the next one";
        match self.weights {
            LookaheadWeights::Equal => Err(InvalidValue::new(key, "given", expected)),
            LookaheadWeights::Frequency => {
                Err(InvalidValue::new(format!("{key}.weights"), "frequency", expected))
            }
        }
    }

    /// Returns the part of the search that changes games with this queue: with a preview, no
    /// average is taken, and only the first value counts.
    pub(crate) fn used_in(self, queue: QueueRules) -> Option<Self> {
        let weights = LookaheadWeights::Equal;
        match queue.has_preview() {
            false => Some(self),
            true => self.first_value.then_some(Self { weights, ..self }),
        }
    }
}

/// The weights of the wall's surface, for boards with as many columns as there are heights. Weights
/// are rounded to eight decimals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SurfaceParams {
    /// The weight of the largest height of a column.
    #[serde(default)]
    #[schemars(range(min = -1e5, max = 1e5))]
    pub max_height: f64,
    /// The weight of each column's height, from left to right.
    #[schemars(length(min = 4, max = 16), inner(range(min = -1e5, max = 1e5)))]
    pub heights: Vec<f64>,
    /// The weight of the height difference of each two neighboring columns, from left to right.
    /// Differences are never negative.
    #[schemars(length(min = 3, max = 15), inner(range(min = -1e5, max = 1e5)))]
    pub differences: Vec<f64>,
}

/// The weight of each feature; features that are not named have weight 0. Weights are rounded to
/// eight decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FeatureWeights {
    /// The height of the piece's middle above the floor.
    #[schemars(range(min = -1e5, max = 1e5))]
    pub landing_height: f64,
    /// Rows removed x the piece's cells in them.
    #[schemars(range(min = -1e5, max = 1e5))]
    pub eroded_piece_cells: f64,
    /// Changes between full and empty along all rows.
    #[schemars(range(min = -1e5, max = 1e5))]
    pub row_transitions: f64,
    /// Changes between full and empty along all columns.
    #[schemars(range(min = -1e5, max = 1e5))]
    pub column_transitions: f64,
    /// Empty cells with a full one above.
    #[schemars(range(min = -1e5, max = 1e5))]
    pub holes: f64,
    /// The sum over well cells of 1 + the empty cells directly below.
    #[schemars(range(min = -1e5, max = 1e5))]
    pub cumulative_wells: f64,
    /// Full cells above holes.
    #[schemars(range(min = -1e5, max = 1e5))]
    pub hole_depth: f64,
    /// Rows with a hole.
    #[schemars(range(min = -1e5, max = 1e5))]
    pub rows_with_holes: f64,
    /// The number of values among -2, -1, 0, 1, 2 that occur as height differences of neighboring
    /// columns.
    #[schemars(range(min = -1e5, max = 1e5))]
    pub pattern_diversity: f64,
    /// Rows removed.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(range(min = -1e5, max = 1e5), extend("x-source" = "El-Tetris; Lee 2013"))]
    pub rows_removed: f64,
    /// The sum of the columns' heights.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(range(min = -1e5, max = 1e5), extend("x-source" = "Lee 2013"))]
    pub aggregate_height: f64,
    /// The sum of the height differences of neighboring columns. Differences are never negative.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(range(min = -1e5, max = 1e5), extend("x-source" = "Lee 2013"))]
    pub bumpiness: f64,
}

/// Returns true for the weight of a feature that is not named.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_zero(weight: &f64) -> bool {
    weight.abs() == 0.0
}

impl ControllerParams {
    /// Returns the controller; `key` is its key in the spec.
    pub(crate) fn controller(&self, key: &str) -> Result<Controller, InvalidValue> {
        match (&self.weights, &self.surface, &self.network) {
            (Some(weights), _, None) => self.linear(key, weights),
            (None, None, Some(_)) if !self.full_rows.is_removed() => {
                let expected = "removed with a network";
                Err(InvalidValue::new(format!("{key}.full_rows"), "standing", expected))
            }
            (None, None, Some(_)) if !self.sky.is_empty() => {
                Err(InvalidValue::new(format!("{key}.sky"), "nothing", "empty with a network"))
            }
            (None, None, Some(network)) => NeuralNetwork::try_from((**network).clone())
                .map(Controller::Network)
                .map_err(|invalid| invalid.under(&format!("{key}.network"))),
            (None, None, None) => {
                Err(InvalidValue::new(key, "empty", "given `weights` or a `network`"))
            }
            (None, Some(_), network) => {
                let found = if network.is_some() { "beside a network" } else { "alone" };
                Err(InvalidValue::new(format!("{key}.surface"), found, "given beside `weights`"))
            }
            (Some(_), _, Some(_)) => {
                Err(InvalidValue::new(key, "double", "given either `weights` or a `network`"))
            }
        }
    }

    /// Returns the controller with these weights of features.
    fn linear(&self, key: &str, weights: &FeatureWeights) -> Result<Controller, InvalidValue> {
        let FeatureWeights { rows_removed, aggregate_height, bumpiness, .. } = *weights;
        let under = |invalid: InvalidValue| invalid.under(&format!("{key}.weights"));
        let linear = LinearController::new(weights.in_order(), self.wells).map_err(under)?;
        let stack = StackWeights::new(rows_removed, aggregate_height, bumpiness).map_err(under)?;
        let surface = match &self.surface {
            Some(SurfaceParams { max_height, heights, differences }) => {
                SurfaceWeights::new(*max_height, heights, differences)
                    .map_err(|invalid| invalid.under(&format!("{key}.surface")))?
            }
            None => SurfaceWeights::default(),
        };
        let Self { full_rows, sky, .. } = *self;
        // Without more than the nine features, vector code plays the games.
        let is_plain = surface.width().is_none()
            && stack.is_zero()
            && full_rows.is_removed()
            && sky.is_empty();
        if is_plain {
            return Ok(Controller::Linear(linear));
        }
        Ok(Controller::Surface(SurfaceController { linear, surface, stack, full_rows, sky }))
    }

    /// Rejects weights of a surface that are not for the `width` of a board; `key` and `board` are
    /// the keys of the controller and of the board in the spec.
    pub(crate) fn check_width(
        &self,
        key: &str,
        width: u32,
        board: &str,
    ) -> Result<(), InvalidValue> {
        match &self.surface {
            Some(SurfaceParams { heights, .. }) if heights.len() != width as usize => {
                let found = counted(heights.len(), "weight");
                let expected = format!("{width}, one for each column of {board}");
                Err(InvalidValue::new(format!("{key}.surface.heights"), &found, expected))
            }
            _ => Ok(()),
        }
    }
}

impl FeatureWeights {
    /// Returns the weights in the order of features; missing genes are 0.
    pub(crate) fn from_genes(genes: &[f32]) -> Self {
        let gene = |idx: usize| genes.get(idx).copied().map_or(0.0, f64::from);
        Self {
            landing_height: gene(0),
            eroded_piece_cells: gene(1),
            row_transitions: gene(2),
            column_transitions: gene(3),
            holes: gene(4),
            cumulative_wells: gene(5),
            hole_depth: gene(6),
            rows_with_holes: gene(7),
            pattern_diversity: gene(8),
            ..Self::default()
        }
    }

    /// Returns the weights of the nine features that vector code has, in their order.
    fn in_order(&self) -> [f64; 9] {
        let Self {
            landing_height,
            eroded_piece_cells,
            row_transitions,
            column_transitions,
            holes,
            cumulative_wells,
            hole_depth,
            rows_with_holes,
            pattern_diversity,
            ..
        } = *self;
        [
            landing_height,
            eroded_piece_cells,
            row_transitions,
            column_transitions,
            holes,
            cumulative_wells,
            hole_depth,
            rows_with_holes,
            pattern_diversity,
        ]
    }
}
