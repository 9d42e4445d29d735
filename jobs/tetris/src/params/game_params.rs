//! The parameters of boards and pieces, and their names.

use hatchery_core::InvalidValue;
use hatchery_core::spec::{FileFault, FileValue, FromFile, SpecFile};
use hatchery_core::text::is_plain_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dealing::PieceSequence;
use crate::rules::{BoardSize, GameRules, OverflowRule, PieceWeights, QueueRules};
use crate::trial::setup::GameSettings;

/// The number of pieces after which a game is stopped unless a spec sets it: 67 times the mean game
/// of the best published controller, so that no ordinary game is cut.
const CAP: u64 = 10_000_000_000;

/// The longest name, in characters.
const MAX_NAME: usize = 64;

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
    pub overflow: OverflowRule,
    /// A game is stopped after this many pieces.
    #[schemars(range(min = 1, max = 1_000_000_000_000_u64), extend("x-source" = "ours"))]
    pub max_pieces: u64,
    /// The pieces to come, as in today's games.
    #[serde(skip_serializing_if = "QueueRules::is_default")]
    pub queue: QueueRules,
}

/// The pieces of one game as letters: `"SZTOIJL"`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct PieceLetters(
    #[schemars(length(min = 1, max = 100_000), pattern(r"^[IOTZSJL]*$"))] pub String,
);

/// The letters in a file may have spaces and line ends between them.
impl FromFile for PieceLetters {
    fn from_file(file: &SpecFile) -> Result<Vec<Self>, FileFault> {
        for (line, text) in file.lines() {
            let wrong = text.chars().find(|&c| !c.is_whitespace() && !"IOTZSJL".contains(c));
            if let Some(letter) = wrong {
                let message = format!("{letter:?}, but a piece is one of I, O, T, Z, S, J, L");
                return Err(FileFault::at(line, message));
            }
        }
        let letters = file.lines().flat_map(|(_, text)| text.split_whitespace()).collect();
        Ok(vec![Self(letters)])
    }
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
    pub list: Option<FileValue<PieceLetters>>,
    /// The seed of a generator that draws the pieces of one game instead: xoshiro256++ seeded
    /// through SplitMix64, as in the golden games of the reference simulator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 9_223_372_036_854_775_807_u64))]
    pub seed: Option<u64>,
    /// The pieces to come, as in today's games. A list has a piece more than a game for each that
    /// is known in advance or held.
    #[serde(default, skip_serializing_if = "QueueRules::is_default")]
    pub queue: QueueRules,
}

impl DrawParams {
    /// Creates the way to draw pieces with these frequencies.
    pub(crate) fn new(name: &str, pieces: PieceParams) -> Self {
        let queue = QueueRules::default();
        Self { name: name.to_owned(), pieces, list: None, seed: None, queue }
    }

    /// Returns true if the pieces come from a single game.
    pub(crate) fn is_fixed(&self) -> bool {
        self.list.is_some() || self.seed.is_some()
    }

    /// Returns the sequence of pieces; `key` is the key of the parameters in the spec.
    pub(crate) fn dealing(&self, key: &str) -> Result<PieceSequence, InvalidValue> {
        match (&self.list, self.seed) {
            (None, None) => Ok(PieceSequence::Drawn),
            (None, Some(seed)) => Ok(PieceSequence::Seeded(seed)),
            (Some(letters), None) => PieceSequence::listed(&letters.0)
                .map_err(|invalid| invalid.under(&format!("{key}.list"))),
            (Some(_), Some(seed)) => {
                Err(InvalidValue::new(format!("{key}.seed"), &seed, "absent beside a list"))
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

impl Default for GameParams {
    /// Returns the benchmark of the literature.
    fn default() -> Self {
        Self {
            width: BoardSize::STANDARD.width(),
            height: BoardSize::STANDARD.height(),
            pieces: PieceParams::default(),
            overflow: OverflowRule::EndsGame,
            max_pieces: CAP,
            queue: QueueRules::default(),
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
    pub(crate) fn game(&self, key: &str) -> Result<GameSettings, InvalidValue> {
        let Self { width, height, pieces, overflow, max_pieces, queue } = *self;
        let size = BoardSize::new(width, height).map_err(|invalid| invalid.under(key))?;
        let pieces = pieces.weights(&format!("{key}.pieces"))?;
        queue.check(size, pieces).map_err(|invalid| invalid.under(&format!("{key}.queue")))?;
        let rules = GameRules { size, overflow, queue };
        Ok(GameSettings { rules, pieces, cap: max_pieces })
    }
}

impl PieceParams {
    pub(crate) fn weights(self, key: &str) -> Result<PieceWeights, InvalidValue> {
        let Self { i, o, t, z, s, j, l } = self;
        PieceWeights::new([i, o, t, z, s, j, l]).map_err(|invalid| invalid.under(key))
    }
}

/// Checks that `name` can be a part of a measure's name; `key` is its key in the spec.
pub(crate) fn check_name(key: impl Into<String>, name: &str) -> Result<(), InvalidValue> {
    if !is_plain_name(name, MAX_NAME) {
        let expected = format!("1 to {MAX_NAME} letters, digits, `-`, `_` or `.`");
        return Err(InvalidValue::new(key, &format!("{name:?}"), expected));
    }
    Ok(())
}
