//! `hatchery spec`

use clap::Args;
use hatchery_core::spec::print;

use super::experiments;
use super::input_args::InputArgs;
use super::output::print_result;
use super::spec_args::SpecArgs;
use crate::error::CommandError;

/// Print a spec with the meaning, range, default and source of every parameter
///
/// The name of an experiment, such as pig, prints its presets.
#[derive(Debug, Args)]
pub(crate) struct SpecCommand {
    #[command(flatten)]
    spec: SpecArgs,
}

impl SpecCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        if let Some(experiment) = self.spec.experiment() {
            return print_result(&experiments::listing(experiment)?);
        }
        let spec = self.spec.open(&InputArgs::default())?;
        let params = serde_json::from_str(&spec.procedure.canonical_params())
            .expect("canonical parameters are JSON");
        print_result(&print(&spec.head, &params, spec.experiment.schema()))
    }
}
