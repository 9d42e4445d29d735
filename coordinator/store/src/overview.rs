//! A run at a glance.

use super::error::StoreError;
use super::membership::RunClaim;
use super::types::{RunPosition, RunState};

/// The facts about a run that a list needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOverview {
    /// Its position.
    pub position: RunPosition,
    /// Its summary; empty if it has none, as a run of an earlier version.
    pub summary: Vec<u8>,
    /// The number of jobs of the generation that are READY, LEASED or PARKED.
    pub n_unresolved: u64,
    /// The number of PARKED jobs among them.
    pub n_parked: u64,
    /// The claim on it.
    pub claim: Option<RunClaim>,
    /// Its first event.
    pub first_event: Option<Vec<u8>>,
    /// Its last event.
    pub last_event: Option<Vec<u8>>,
}

impl RunOverview {
    /// Returns the overview of a run whose stored data is damaged: the run has failed.
    pub(crate) fn damaged(error: &StoreError) -> Self {
        let remedy = error.remedy().unwrap_or_default();
        let state = RunState::Failed { reason: format!("{error}; {remedy}") };
        Self {
            position: RunPosition { state, ..RunPosition::FIRST },
            summary: Vec::new(),
            n_unresolved: 0,
            n_parked: 0,
            claim: None,
            first_event: None,
            last_event: None,
        }
    }
}
