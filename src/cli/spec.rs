//! `hatchery spec`

use clap::Args;
use hatchery_core::spec::print;

use super::loaded_spec::LoadedSpec;
use super::output::print_result;
use crate::error::CommandError;

/// Print a spec with the meaning, range, default and source of every parameter
#[derive(Debug, Args)]
pub(crate) struct SpecCommand {
    /// Preset, such as pig/quick, or spec file
    preset: String,
    /// Change a value, such as seed=2 or games=500; repeat it for more values
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl SpecCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        let spec = LoadedSpec::open(&self.preset, &self.set)?;
        let params = serde_json::from_str(&spec.procedure.canonical_params())
            .expect("canonical parameters are JSON");
        print_result(&print(&spec.head, &params, spec.experiment.schema()))
    }
}
