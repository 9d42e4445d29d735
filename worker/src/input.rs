//! The inputs of jobs: shared inputs, and the parts that trials read.

use std::sync::{Arc, Mutex, PoisonError};

use hatchery_core::erased::PreparedSimulation;
use hatchery_core::{Digest, Part};
use hatchery_proto::MAX_PART_BYTES;
use prost::bytes::Bytes;

use crate::executor::shared::SimulationKey;

/// An input of jobs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum InputKey {
    /// The shared input of a simulation.
    Shared(SimulationKey),
    /// A part that trials read.
    Part(Part),
}

/// An input that has come.
pub(crate) enum ReadyInput {
    /// The simulation with its shared input.
    Simulation(SimulationKey, Arc<dyn PreparedSimulation>),
    /// The bytes of a part.
    Part(Part, Bytes),
}

impl InputKey {
    /// Returns the hash of the input's bytes.
    pub(crate) fn hash(&self) -> Digest {
        match self {
            Self::Shared(simulation) => simulation.hash,
            Self::Part(part) => part.hash(),
        }
    }

    /// Returns the most bytes that the input can have.
    pub(crate) fn max_bytes(&self) -> usize {
        match self {
            Self::Shared(_) => MAX_PART_BYTES,
            Self::Part(part) => usize::try_from(part.n_bytes()).unwrap_or(MAX_PART_BYTES),
        }
    }
}

/// The whole chunks of an input whose fetch was cut off. It outlives the session, so that the next
/// fetch continues from there.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartialInput(Arc<Mutex<Option<WholeChunks>>>);

/// The first whole chunks of the input with this hash.
type WholeChunks = (Digest, Vec<u8>);

impl PartialInput {
    /// Takes the bytes so far of the input with this hash.
    pub(crate) fn take(&self, hash: Digest) -> Vec<u8> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.take_if(|(of, _)| *of == hash).map_or_else(Vec::new, |(_, bytes)| bytes)
    }

    /// Keeps the bytes that have come of the input with this hash.
    pub(crate) fn keep(&self, hash: Digest, bytes: Vec<u8>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((hash, bytes));
    }
}
