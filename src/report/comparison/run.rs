//! A run as it is compared.

use std::collections::BTreeSet;

use hatchery_core::{Digest, GenerationMeasures};

use super::super::result::ResultDocument;
use super::super::stored::StoredRun;
use crate::error::CommandError;

/// A run as it is compared with others.
#[derive(Clone, Debug)]
pub(crate) struct ComparedRun {
    pub(in crate::report) result: ResultDocument,
    /// The spec as given.
    pub(in crate::report) spec: String,
    /// The parameters, defaults included.
    pub(super) params: serde_json::Value,
    /// The hashes of the inputs that the parameters name.
    pub(in crate::report) inputs: BTreeSet<Digest>,
    /// The measures by folded generation.
    pub(in crate::report) history: Vec<GenerationMeasures>,
}

impl ComparedRun {
    /// Takes the compared data from `run`.
    pub(crate) fn new(run: &StoredRun) -> Result<Self, CommandError> {
        let inputs = run.procedure.inputs().unwrap_or_default();
        Ok(Self {
            result: ResultDocument::new(run, &[], None),
            spec: run.record.spec.clone(),
            params: serde_json::from_str(&run.procedure.canonical_params())
                .map_err(CommandError::set_up)?,
            inputs: inputs.into_iter().map(|input| input.hash).collect(),
            history: run.history(),
        })
    }

    /// Returns the run's name, or its id if it has none.
    pub(in crate::report) fn name(&self) -> &str {
        match self.result.name.as_str() {
            "" => &self.result.run,
            name => name,
        }
    }

    /// Returns whether the run has its result with all trials.
    pub(super) fn is_complete(&self) -> bool {
        self.result.is_complete()
    }
}
