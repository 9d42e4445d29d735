//! `hatchery list`

use clap::Args;
use comfy_table::{Table, presets::NOTHING};
use hatchery_proto::v1::ListRunsRequest;

use super::farm_args::FarmVerbArgs;
use super::runtime::in_runtime;
use crate::error::CommandError;
use crate::report::farm::{RunDocument, RunListDocument};

/// List the runs of a farm, the latest last
#[derive(Debug, Args)]
pub(crate) struct ListCommand {
    /// Largest number of runs to list
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    most: u32,
    #[command(flatten)]
    verb: FarmVerbArgs,
}

impl ListCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            let mut farm = self.verb.farm.farm()?;
            let request = ListRunsRequest { most: self.most };
            let listed = farm.call(async |mut client| client.list_runs(request).await).await?;
            let runs = listed.runs.into_iter().map(RunDocument::from).collect();
            self.verb.print(RunListDocument { runs }, |listed| table(&listed.runs))
        })
    }
}

fn table(runs: &[RunDocument]) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(["RUN", "NAME", "EXPERIMENT", "STATE", "GENERATION", ""]);
    for run in runs {
        let note = run.error.as_ref().or(run.waiting_for.as_ref());
        let first_line = note.and_then(|note| note.lines().next()).unwrap_or_default();
        table.add_row([
            run.run.as_str(),
            &run.name,
            &run.experiment,
            run.state_word(),
            &run.generation_of_all(),
            first_line,
        ]);
    }
    table.trim_fmt() + "\n"
}

#[cfg(test)]
mod tests {
    use hatchery_proto::v1::{RunStatus, State};

    use super::*;

    #[test]
    fn a_run_is_a_row() {
        let status = RunStatus {
            run: "01M7YH3Q6F4BFRQE644ZH5B8FZ".to_owned(),
            name: "night".to_owned(),
            experiment: "pig".to_owned(),
            state: State::Failed.into(),
            reason: "a bug\nin two lines".to_owned(),
            generation: 3,
            generations: 14,
            ..RunStatus::default()
        };
        let table = table(&[status.into()]);
        let words: Vec<_> = table.lines().last().unwrap().split_whitespace().collect();
        assert_eq!(
            words,
            ["01M7YH3Q6F4BFRQE644ZH5B8FZ", "night", "pig", "failed", "3/14", "a", "bug"]
        );
    }
}
