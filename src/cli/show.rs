//! `hatchery show`

use clap::Args;
use comfy_table::{Table, presets::NOTHING};
use hatchery_core::text::{counted, grouped, time_span};

use super::farm_args::AnyRunArgs;
use super::output::OutputFormat;
use super::runtime::in_runtime;
use crate::error::CommandError;
use crate::format::{short, unix_ms};
use crate::local_run::LocalRun;
use crate::report::farm::{ReportedState, RunDocument};
use crate::run_folder::RunFolder;
use crate::terminal::print_status;

/// Show a run's status and what blocks it
///
/// Without a farm, RUN is a run on this machine, in progress or at rest.
#[derive(Debug, Args)]
pub(crate) struct ShowCommand {
    #[command(flatten)]
    args: AnyRunArgs,
}

impl ShowCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            let verb = &self.args.verb;
            let Some(folder) = self.args.folder()? else {
                let status = verb.farm.farm()?.select(&self.args.run).await?;
                return verb.print(RunDocument::from(status), |run| table(run, unix_ms()));
            };
            let run = LocalRun::look(&folder).await?.document();
            let state = run.state;
            verb.print(run, |run| table(run, unix_ms()))?;
            if verb.output == OutputFormat::Table {
                hint(&folder, state);
            }
            Ok(())
        })
    }
}

/// Says how the run in `folder` can be continued, if it can.
pub(super) fn hint(folder: &RunFolder, state: ReportedState) {
    use ReportedState::{Cancelled, Failed, Interrupted};
    if matches!(state, Interrupted | Failed | Cancelled) {
        print_status(&format!("continue with: {}", folder.resume_command()));
    }
}

/// Formats a run for people: its finding, and its status.
pub(super) fn table(run: &RunDocument, now_unix_ms: u64) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    let mut row = |name: &str, value: String| {
        table.add_row([name.to_owned(), value]);
    };
    row("run", run.run.clone());
    row("name", run.name.clone());
    row("experiment", format!("{} version {}", run.experiment, run.version));
    row("seed", run.seed.to_string());
    row("user", run.user.clone());
    let share = match run.most_slots {
        None => run.priority.word().to_owned(),
        Some(most) => format!("{}, at most {}", run.priority.word(), counted(most, "slot")),
    };
    row("priority", share);
    row("state", run.state_word().to_owned());
    if let Some(error) = &run.error {
        row("error", error.clone());
    }
    if let Some(what) = &run.waiting_for {
        row("waiting", what.clone());
    }
    row("generation", run.generation_of_all());
    if run.trials != 0 {
        let [done, all] = [run.trials_done, run.trials].map(grouped);
        row("trials", format!("{done} of {all} in this generation"));
    }
    if let Some(trials) = run.trials_in_progress {
        row("in progress", format!("{trials:.2} long trials"));
    }
    if run.percent.is_some() {
        row("done", run.percent_text());
    }
    row("trials so far", grouped(run.trials_total));
    if 0.0 < run.trials_per_s {
        row("rate", format!("{} trials per second", short(run.trials_per_s)));
    }
    if let Some(left) = &run.time_left {
        row("time left", left.text());
    }
    row("created", format!("{} ago", time_span(run.age_s(now_unix_ms).floor())));
    if let Some(duration) = run.duration_s(now_unix_ms) {
        row("duration", time_span(duration));
    }
    row("CPU time", time_span(run.cpu_s));
    if let Some(measure) = &run.measure {
        row("measure", measure.text());
    }
    if run.dead_jobs != 0 {
        row("dead jobs", run.dead_jobs.to_string());
    }
    let RunDocument { workers, slots, able_workers, .. } = run;
    let is_unfinished = matches!(run.state, ReportedState::Active | ReportedState::Paused);
    if is_unfinished || *workers != 0 {
        let slots = counted(*slots, "slot");
        row("workers", format!("{workers} with {slots}; {able_workers} can compute this run"));
    }
    row(
        if run.state == ReportedState::Done { "digest" } else { "digest so far" },
        run.digest.clone(),
    );
    let mut lines = run.finding.lines();
    lines.push(table.trim_fmt());
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use hatchery_proto::v1::{self, RunStatus};

    use super::*;

    #[test]
    fn a_run_shows_that_it_is_folded() {
        let status = RunStatus {
            state: v1::State::Active.into(),
            phase: v1::GenerationPhase::Folding.into(),
            ..RunStatus::default()
        };
        let table = table(&status.into(), 0);
        let state = table.lines().find(|line| line.trim_start().starts_with("state"));
        assert_eq!(state.map(|line| line.ends_with("folding")), Some(true), "{table}");
    }

    #[test]
    fn a_blocked_run_shows_the_reason() {
        let status = RunStatus {
            state: v1::State::Active.into(),
            waiting_for: "no worker is connected".to_owned(),
            trials: 12_000,
            trials_done: 1500,
            ..RunStatus::default()
        };
        let table = table(&status.into(), 0);
        assert!(table.lines().all(|line| line == line.trim_end()), "{table}");
        for part in [
            "active",
            "no worker is connected",
            "1,500 of 12,000",
            "0 with 0 slots",
            "digest so far",
        ] {
            assert!(table.contains(part), "{table}");
        }
    }
}
