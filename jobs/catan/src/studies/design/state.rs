//! The state of a run of `catan-design`.

use serde::{Deserialize, Serialize};

use super::certification::Finalist;
use super::history::{DesignCandidate, DesignHistory, SimulatedMap};

/// The state of a run.
#[derive(Debug, Serialize, Deserialize)]
pub struct DesignState {
    pub(super) phase: DesignPhase,
    pub(super) history: DesignHistory,
}

/// The phase of a run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum DesignPhase {
    /// The next batch is simulated.
    Simulating(Vec<DesignCandidate>),
    /// Candidates compete, with their games so far, in the round of this number. Each comes once
    /// for each agent of the rounds; see [`Entrant`](super::entrants::Entrant).
    Competing { entrants: Vec<SimulatedMap>, round: u32 },
    /// The remaining maps play fresh games until the next look.
    Confirming { finalists: Vec<Finalist>, look: u32 },
    /// The run has ended.
    Done { finalists: Vec<Finalist> },
}
