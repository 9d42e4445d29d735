//! The files that a run takes in, for the verbs that begin runs.

use std::path::PathBuf;

use clap::Args;
use hatchery_core::erased::Beginning;
use hatchery_store::operation::ControlView;
use hatchery_store::parts::write_whole;
use hatchery_store::{RunId, Store};

use super::loaded_spec::LoadedSpec;
use crate::error::CommandError;
use crate::inputs::LocalInputs;

/// The files that a run takes in.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct InputArgs {
    /// File that the spec names as an input by its BLAKE3 hash, as in weights = { blake3 = "..." };
    /// repeat the flag for more files [default: exhibits of the runs in runs/]
    #[arg(long = "input", value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
}

impl InputArgs {
    /// Looks for the inputs of `spec` in the files.
    ///
    /// # Errors
    /// If a file cannot be read, is larger than an input may be, or is none of the inputs.
    pub(super) fn find(&self, spec: &LoadedSpec) -> Result<LocalInputs, CommandError> {
        let mut inputs = LocalInputs::in_files(spec.inputs.clone(), &self.files)?;
        inputs.add(spec.files.inputs());
        inputs.search_kept(&spec.folder);
        Ok(inputs)
    }

    /// Finds all inputs of `spec` on this machine and begins its run.
    ///
    /// # Errors
    /// As for [`find`](Self::find), or if an input is not found or refused, or the spec is.
    pub(super) fn begin(&self, spec: &mut LoadedSpec) -> Result<BegunRun, CommandError> {
        let mut inputs = self.find(spec)?;
        let beginning = match spec.beginning.take() {
            Some(beginning) => beginning,
            None => {
                let parts = inputs.all().map_err(|error| spec.input_not_found(&error))?;
                for &part in &parts {
                    spec.check_input(part.hash(), &inputs.read(part)?)?;
                }
                spec.begin(&parts)?
            }
        };
        Ok(BegunRun { beginning, inputs })
    }
}

/// A run that is still to be created.
pub(super) struct BegunRun {
    pub(super) beginning: Beginning,
    inputs: LocalInputs,
}

impl BegunRun {
    /// Writes the inputs that the state names as parts of the run `id`, one after the other.
    pub(super) async fn write_inputs(&self, store: &Store, id: RunId) -> Result<(), CommandError> {
        for part in &self.beginning.named {
            if self.inputs.part(part.hash()) == Some(*part) {
                let bytes = self.inputs.read(*part)?;
                write_whole(store.view::<ControlView>(), id, &bytes).await?;
            }
        }
        Ok(())
    }
}
