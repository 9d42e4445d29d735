//! Errors of models, and the limits of their size.

use hatchery_nets::tensors::TensorError;

use crate::features::{FEATURE_VERSION, FeatureError};
use crate::record::RULES_VERSION;

/// The most units of a hidden layer, and the most outputs: see [`MAX_LAYERS`].
pub const MAX_UNITS: usize = 1_024;

/// The most layers: a decision stays below some 100 ms, and a trial below some seconds.
pub const MAX_LAYERS: usize = 6;

/// Weights that are no agent of this build, or that cannot play these decks.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The bytes are no file of tensors, or its layers do not fit together.
    #[error("weights that are no network in a file of safetensors")]
    File(#[from] TensorError),
    /// The metadata lack an entry.
    #[error("weights without `{key}` in their metadata, which should be {expected}")]
    NoEntry {
        /// The entry's key.
        key: &'static str,
        /// The values allowed.
        expected: String,
    },
    /// An entry of the metadata has a value that is not allowed.
    #[error("weights with `{key}` = `{found}` in their metadata, which should be {expected}")]
    Entry {
        /// The entry's key.
        key: &'static str,
        /// Its value.
        found: String,
        /// The values allowed.
        expected: String,
    },
    /// The weights were trained with other features.
    #[error(
        "weights for features of version {found}, but this build has version {FEATURE_VERSION}"
    )]
    Features {
        /// The version that the file says.
        found: String,
    },
    /// The weights were trained with other rules.
    #[error("weights for rules of version {found}, but this build has version {RULES_VERSION}")]
    Rules {
        /// The version that the file says.
        found: String,
    },
    /// A tensor is missing.
    #[error("weights without the tensor `{name}`, which should be {expected}")]
    NoTensor {
        /// The tensor's name.
        name: &'static str,
        /// The right value.
        expected: &'static str,
    },
    /// A tensor is no part of an agent.
    #[error("weights with a tensor `{name}`, which no agent with this encoding has")]
    OtherTensor {
        /// The tensor's name.
        name: String,
    },
    /// The table of vectors has another shape.
    #[error("vectors of pieces in the shape {found:?}, but it should be [kinds, 30]")]
    VectorShape {
        /// The shape.
        found: Vec<usize>,
    },
    /// The encoding has no kinds, too many, not 30 numbers for each, or one that is not finite.
    #[error("the encoding of pieces is invalid")]
    Encoding(#[from] FeatureError),
    /// The network has inputs for other rows than the rows of features.
    #[error(
        "a network for {} columns of a state and {} of an action, but its encoding gives {} and {}",
        found[0], found[1], expected[0], expected[1]
    )]
    Inputs {
        /// The columns of a state and of an action that the network has inputs for.
        found: [usize; 2],
        /// The numbers of columns that the features have.
        expected: [usize; 2],
    },
    /// The network has too many layers.
    #[error("a network of {found} layers, but at most {MAX_LAYERS} are allowed")]
    Layers {
        /// The number of layers.
        found: usize,
    },
    /// A layer is empty or too large.
    #[error("a layer of {found} units, but from 1 to {MAX_UNITS} are allowed")]
    Units {
        /// The number of units.
        found: usize,
    },
    /// A weight is not finite.
    #[error("a weight that is {found}, but all must be finite")]
    NotFinite {
        /// The weight.
        found: f32,
    },
    /// A deck has a piece that the agent does not know.
    #[error(
        "weights for {kinds} kinds of pieces, but a deck has piece {piece}: use weights for a pool \
         with that piece"
    )]
    UnknownPiece {
        /// The piece's number in the pool.
        piece: u16,
        /// The number of kinds.
        kinds: usize,
    },
}
