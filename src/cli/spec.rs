//! `hatchery spec`

use clap::Args;
use hatchery_core::spec::print;

use super::opened_spec::OpenedSpec;
use super::output::print_result;
use crate::failure::Failure;

/// Print a spec with every parameter explained: meaning, range, default, source
#[derive(Debug, Args)]
pub(crate) struct PrintSpec {
    /// A preset, such as pig/quick, or a spec file
    preset: String,
    /// Change a value, such as seed=2 or games=500; may be given many times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl PrintSpec {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let spec = OpenedSpec::open(&self.preset, &self.set)?;
        let params = serde_json::from_str(&spec.procedure.canonical_params())
            .expect("canonical parameters are JSON");
        print_result(&print(&spec.head, &params, &spec.experiment.schema()))
    }
}
