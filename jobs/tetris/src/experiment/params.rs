//! The parameters of boards, pieces and controllers.

use hatchery_core::InvalidParam;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dealing::PieceSequence;
use crate::features::WellRule;
use crate::players::{Controller, LinearController, Lookahead, NetworkShape, NeuralNetwork};
use crate::rules::{BoardSize, GameRules, OverflowRule, PieceWeights};
use crate::wire::GameSettings;

/// The number of pieces after which a game is stopped unless a spec sets it: 67 times the mean game
/// of the best published controller, so that no ordinary game is cut.
const CAP: u64 = 10_000_000_000;

/// A game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GameParams {
    /// Columns of the board.
    #[schemars(range(min = 4, max = 16))]
    pub width: u32,
    /// Rows of the board.
    #[schemars(range(min = 4, max = 32))]
    pub height: u32,
    /// The relative frequency of each piece.
    pub pieces: PieceParams,
    /// The rule for a piece that reaches above the top.
    #[schemars(extend("x-source" = "MDPTetris, allow_lines_after_overflow"))]
    pub overflow: OverflowParam,
    /// A game is stopped after this many pieces.
    #[schemars(range(min = 1, max = 1_000_000_000_000_u64), extend("x-source" = "ours"))]
    pub max_pieces: u64,
}

/// A board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoardParams {
    /// Columns.
    #[schemars(range(min = 4, max = 16))]
    pub width: u32,
    /// Rows.
    #[schemars(range(min = 4, max = 32))]
    pub height: u32,
}

/// A distribution of pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrawParams {
    /// A name for the measures.
    pub name: String,
    /// The relative frequency of each piece. With a list, only look-ahead uses it.
    #[serde(default)]
    pub pieces: PieceParams,
    /// The pieces of one game instead, as letters: `"SZTOIJL"`. The game ends with the list at the
    /// latest, and is then stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100_000), pattern(r"^[IOTZSJL]*$"))]
    pub list: Option<String>,
    /// The seed of a generator that draws the pieces of one game instead: xoshiro256++ seeded
    /// through SplitMix64, as in the golden games of the reference simulator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 9_223_372_036_854_775_807_u64))]
    pub seed: Option<u64>,
}

impl DrawParams {
    /// Creates the way to draw pieces with these frequencies.
    pub(super) fn new(name: &str, pieces: PieceParams) -> Self {
        Self { name: name.to_owned(), pieces, list: None, seed: None }
    }

    /// Returns true if the pieces are those of one game.
    pub(super) fn is_fixed(&self) -> bool {
        self.list.is_some() || self.seed.is_some()
    }

    /// Returns the sequence of pieces; `key` is the key of the parameters in the spec.
    pub(super) fn dealing(&self, key: &str) -> Result<PieceSequence, InvalidParam> {
        match (&self.list, self.seed) {
            (None, None) => Ok(PieceSequence::Drawn),
            (None, Some(seed)) => Ok(PieceSequence::Seeded(seed)),
            (Some(letters), None) => PieceSequence::listed(letters).map_err(|error| {
                let expected = "1 to 100,000 letters of pieces: I, O, T, Z, S, J, L";
                InvalidParam::new(format!("{key}.list"), &error, expected)
            }),
            (Some(_), Some(seed)) => {
                Err(InvalidParam::new(format!("{key}.seed"), &seed, "absent beside a list"))
            }
        }
    }
}

/// The relative frequency of each piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "UPPERCASE")]
pub struct PieceParams {
    /// Four in a row.
    #[schemars(range(max = 1000))]
    pub i: u32,
    /// The square.
    #[schemars(range(max = 1000))]
    pub o: u32,
    /// Three in a row and one at their middle.
    #[schemars(range(max = 1000))]
    pub t: u32,
    /// Two pairs, the upper to the left.
    #[schemars(range(max = 1000))]
    pub z: u32,
    /// Two pairs, the upper to the right.
    #[schemars(range(max = 1000))]
    pub s: u32,
    /// Three in a row and one at an end.
    #[schemars(range(max = 1000))]
    pub j: u32,
    /// Three in a row and one at the other end.
    #[schemars(range(max = 1000))]
    pub l: u32,
}

/// The rule for a piece that reaches above the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OverflowParam {
    /// The game is over.
    EndsGame,
    /// Full rows are removed first.
    ClearsFirst,
}

/// A controller: weights for a linear one, or a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ControllerParams {
    /// A name for the measures.
    pub name: String,
    /// The rule that decides which cells under a well cell count as well cells; a network uses
    /// `cumulative`.
    #[serde(default)]
    #[schemars(extend("x-source" = "MDPTetris, features 6 and -6"))]
    pub wells: WellsParam,
    /// A linear controller: the weight of each feature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<FeatureWeights>,
    /// A neural network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkParams>,
    /// Pseudo-two-level search: boards are valued by the best boards that the next piece can make
    /// of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lookahead: Option<LookaheadParams>,
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
    pub(super) fn lookahead(self, pieces: PieceWeights) -> Lookahead {
        let weights = match self.weights {
            LookaheadWeights::Equal => PieceWeights::UNIFORM,
            LookaheadWeights::Frequency => pieces,
        };
        Lookahead { weights, first_value: self.first_value }
    }
}

/// A neural network of the first eight features, or of all nine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkParams {
    /// The number of hidden neurons.
    #[schemars(range(min = 1, max = 64), extend("x-source" = "Miyazaki & Arakawa, §3.1: 5"))]
    pub hidden: u32,
    /// True if pattern diversity is an input, the ninth.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("x-source" = "Miyazaki & Arakawa, Table 1: not"))]
    pub diversity: bool,
    /// For each hidden neuron the weight of each input, in the order of features, and a bias; then
    /// the output's weight of each hidden neuron and a bias.
    #[schemars(inner(range(min = -1e6, max = 1e6)))]
    pub weights: Vec<f32>,
}

/// The rule that decides which cells under a well cell count as well cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WellsParam {
    /// Only cells with full neighbors.
    #[default]
    Cumulative,
    /// All empty cells.
    Fast,
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
}

impl Default for GameParams {
    /// Returns the benchmark of the literature.
    fn default() -> Self {
        Self {
            width: BoardSize::STANDARD.width(),
            height: BoardSize::STANDARD.height(),
            pieces: PieceParams::default(),
            overflow: OverflowParam::EndsGame,
            max_pieces: CAP,
        }
    }
}

impl Default for PieceParams {
    /// Returns equal frequencies.
    fn default() -> Self {
        Self { i: 1, o: 1, t: 1, z: 1, s: 1, j: 1, l: 1 }
    }
}

impl GameParams {
    /// Returns the settings of the game; `key` is its key in the spec.
    pub(super) fn game(&self, key: &str) -> Result<GameSettings, InvalidParam> {
        let Self { width, height, pieces, overflow, max_pieces } = self;
        Ok(GameSettings {
            rules: GameRules {
                size: BoardParams { width: *width, height: *height }.size(key)?,
                overflow: (*overflow).into(),
            },
            pieces: pieces.weights(&format!("{key}.pieces"))?,
            cap: *max_pieces,
        })
    }
}

impl BoardParams {
    pub(super) fn size(self, key: &str) -> Result<BoardSize, InvalidParam> {
        let Self { width, height } = self;
        BoardSize::new(width, height)
            .map_err(|_| InvalidParam::new(key, &format!("{width}x{height}"), "4x4 to 16x32"))
    }
}

impl PieceParams {
    pub(super) fn weights(self, key: &str) -> Result<PieceWeights, InvalidParam> {
        let Self { i, o, t, z, s, j, l } = self;
        PieceWeights::new([i, o, t, z, s, j, l])
            .map_err(|_| InvalidParam::new(key, "0 for all pieces", "above 0 for at least one"))
    }
}

impl From<OverflowParam> for OverflowRule {
    fn from(param: OverflowParam) -> Self {
        match param {
            OverflowParam::EndsGame => Self::EndsGame,
            OverflowParam::ClearsFirst => Self::ClearsFirst,
        }
    }
}

impl From<WellsParam> for WellRule {
    fn from(param: WellsParam) -> Self {
        match param {
            WellsParam::Cumulative => Self::Cumulative,
            WellsParam::Fast => Self::Fast,
        }
    }
}

impl ControllerParams {
    /// Returns the controller; `key` is its key in the spec.
    pub(super) fn controller(&self, key: &str) -> Result<Controller, InvalidParam> {
        match (&self.weights, &self.network) {
            (Some(weights), None) => {
                let linear = LinearController::new(weights.in_order(), self.wells.into());
                linear.map(Controller::Linear).map_err(|error| {
                    let key = format!("{key}.weights.{}", error.feature);
                    InvalidParam::new(key, &error.value, "a number from -100000 to 100000")
                })
            }
            (None, Some(network)) => network.controller(&format!("{key}.network")),
            (None, None) => Err(InvalidParam::new(key, "empty", "given `weights` or a `network`")),
            (Some(_), Some(_)) => {
                Err(InvalidParam::new(key, "double", "given either `weights` or a `network`"))
            }
        }
    }
}

impl NetworkParams {
    fn controller(&self, key: &str) -> Result<Controller, InvalidParam> {
        let n_hidden = usize::try_from(self.hidden).unwrap_or(usize::MAX);
        let shape = NetworkShape { n_hidden, diversity: self.diversity };
        let expected = format!("{} numbers from -1000000 to 1000000", shape.n_weights());
        let network = NeuralNetwork::new(shape, self.weights.clone());
        network
            .map(Controller::Network)
            .map_err(|error| InvalidParam::new(format!("{key}.weights"), &error, expected))
    }
}

impl FeatureWeights {
    /// Returns the weights in the order of features; missing genes are 0.
    pub(super) fn from_genes(genes: &[f32]) -> Self {
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
        }
    }

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
