//! `hatchery spec`

use clap::Args;
use hatchery_catalog::CATALOG;
use hatchery_core::spec::print;

use super::{load, show};
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
        show(&print(&spec.head, &params, &spec.experiment.schema()))
    }
}

/// A spec that was read and found valid.
pub(super) struct OpenedSpec {
    pub(super) document: hatchery_core::spec::Document,
    pub(super) head: hatchery_core::spec::Head,
    pub(super) experiment: &'static dyn hatchery_core::AnyExperiment,
    pub(super) procedure: Box<dyn hatchery_core::erased::Procedure>,
}

impl OpenedSpec {
    /// The spec that `name` names, with the assignments `set` made.
    pub(super) fn open(name: &str, set: &[String]) -> Result<Self, Failure> {
        let mut document = load(name)?;
        for assignment in set {
            document = document.set(assignment).map_err(Failure::Spec)?;
        }
        let head = document.head().map_err(Failure::Spec)?;
        let Some(experiment) = CATALOG.find(&head.experiment) else {
            let known: Vec<_> = CATALOG.0.iter().map(|experiment| experiment.name()).collect();
            let message = format!(
                "experiment = {:?}, but must be one of {}",
                head.experiment,
                known.join(", ")
            );
            return Err(Failure::Spec(document.wrong(&["experiment"], &message)));
        };
        let procedure = experiment.procedure(&document).map_err(Failure::Spec)?;
        // What the parameters contradict each other in shows when the run begins.
        let seed = hatchery_core::RunSeed::new(&head.experiment, head.seed).generation(0);
        procedure.begin(&seed).map_err(|refusal| Failure::Spec(document.refused(&refusal)))?;
        Ok(Self { document, head, experiment, procedure })
    }
}
