//! Small neural networks that give the same bytes on every machine, learning included.
//!
//! A [`Network`] has dense layers with ReLU between them. Its input is an [`InputBatch`]: rows of
//! states, and rows of actions that each belong to one state; the first layer computes the part of
//! a state once, however many actions it has. Its outputs are plain numbers: the [`loss`] defines
//! their meaning.
//!
//! ```text
//! InputBatch -forward-> Activations -loss-> gradient of outputs -backward-> Gradients
//! Gradients -Adam-> Network
//! ```
//!
//! **Invariant**: every output is one sum, over the inputs in ascending order, of products that are
//! rounded before they are added. No product is fused, no sum is split, and transcendental
//! functions come from `libm`. So all instruction sets give the same bits, and a learning run has a
//! digest like any other.

pub mod adam;
pub mod batch;
pub mod categorical;
pub mod dropout;
mod kernel;
pub mod layer;
pub mod loss;
pub mod matrix;
pub mod network;
pub mod prioritized;
pub mod tensors;
mod weights;

pub use adam::{Adam, AdamState};
pub use batch::{InputBatch, SparseRows};
pub use categorical::ValueBins;
pub use dropout::Dropout;
pub use kernel::InstructionSet;
pub use layer::DenseLayer;
pub use matrix::Matrix;
pub use network::{
    Activations, FirstLayerForm, Gradients, Network, NetworkShape, PassOptions, RowNoise,
};
pub use prioritized::{DrawnItem, PrioritizedReplay, PrioritySettings};
pub use tensors::{Tensor, TensorError, TensorFile};
