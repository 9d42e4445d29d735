//! `hatchery top`

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::time::Duration;

use clap::Args;
use comfy_table::{Table, presets::NOTHING};
use console::{Term, truncate_str};
use hatchery_proto::v1::{ListRunsRequest, State};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::farm_args::FarmVerbArgs;
use super::output::OutputFormat;
use super::runtime::in_runtime;
use super::workers;
use crate::client::FarmClient;
use crate::error::CommandError;
use crate::format::{counted, short};
use crate::key_input::KeyInput;
use crate::report::farm::{
    ReportedPriority, ReportedTimeLeft, RunDocument, TopDocument, WorkerEntry,
};
use crate::signals::interrupted;

/// The number of runs to ask for: all that a coordinator lists.
const MAX_RUNS: u32 = 1000;

/// The width of a terminal that does not tell its own, in columns.
const DEFAULT_WIDTH: u16 = 80;

/// The columns that names of runs and of users get on a terminal of 80, so that what follows fits,
/// and the most that they get on a wider one.
const NAME_COLUMNS: [usize; 2] = [14, 40];
const USER_COLUMNS: [usize; 2] = [8, 20];

/// The number of rows of each table.
const ROWS: usize = 12;

/// Show the runs, users and workers of a farm, refreshed continuously
///
/// On a terminal the display is refreshed until q is pressed. Elsewhere, and with --output
/// json, it is printed once.
#[derive(Debug, Args)]
pub(crate) struct TopCommand {
    /// Refresh interval
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = parse_interval)]
    interval: Duration,
    #[command(flatten)]
    verb: FarmVerbArgs,
}

fn parse_interval(text: &str) -> Result<Duration, String> {
    let interval = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    let fits = (Duration::from_millis(500)..=Duration::from_secs(3600)).contains(&interval);
    fits.then_some(interval).ok_or_else(|| "must be from 500ms to 1h".to_owned())
}

impl TopCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            tokio::select! {
                outcome = self.follow() => outcome,
                // This is the usual end.
                () = interrupted() => Ok(()),
            }
        })
    }

    async fn follow(&self) -> Result<(), CommandError> {
        let mut farm = self.verb.farm.farm()?;
        let is_live = self.verb.output == OutputFormat::Table && std::io::stdout().is_terminal();
        if !is_live {
            let top = snapshot(&mut farm).await?;
            return self.verb.print(top, |top| screen(top, usize::MAX));
        }
        let style = ProgressStyle::with_template("{msg}").expect("the template is valid");
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stdout());
        let bar = bar.with_style(style);
        let mut keys = KeyInput::listen();
        loop {
            let top = snapshot(&mut farm).await?;
            let width = Term::stdout().size_checked().map_or(DEFAULT_WIDTH, |(_, width)| width);
            bar.set_message(fit(&screen(&top, width.into()), width.into()));
            bar.tick();
            let next = tokio::time::timeout(self.interval, keys.pressed('q')).await;
            if next.is_ok() {
                return Ok(());
            }
        }
    }
}

/// Cuts each line of `screen` to `width` columns: a terminal would wrap it.
fn fit(screen: &str, width: usize) -> String {
    let cut = |line| truncate_str(line, width, "…").into_owned();
    screen.lines().map(cut).collect::<Vec<_>>().join("\n")
}

/// Asks the farm for its active runs and its workers.
async fn snapshot(farm: &mut FarmClient) -> Result<TopDocument, CommandError> {
    let request = ListRunsRequest {
        most: MAX_RUNS,
        states: vec![State::Active.into(), State::Paused.into()],
        ..ListRunsRequest::default()
    };
    let listed = farm.call(async |mut client| client.list_runs(request.clone()).await).await?;
    let runs = listed.runs.into_iter().map(RunDocument::from);
    let mut runs: Vec<_> = runs.collect();
    let rank = |run: &RunDocument| match run.priority {
        ReportedPriority::High => 0,
        ReportedPriority::Normal => 1,
        ReportedPriority::Low => 2,
    };
    runs.sort_by(|a, b| (rank(a), &a.user, &a.run).cmp(&(rank(b), &b.user, &b.run)));
    Ok(TopDocument { runs, workers: workers::list(farm).await?.workers })
}

/// Formats the farm as text for a terminal of `columns`.
fn screen(top: &TopDocument, columns: usize) -> String {
    let slots: u64 = top.workers.iter().map(|worker| u64::from(worker.slots)).sum();
    let jobs: u64 = top.workers.iter().map(|worker| u64::from(worker.jobs)).sum();
    let head = format!(
        "unfinished runs: {}; workers: {} with {} and {}\n",
        top.runs.len(),
        top.workers.len(),
        counted(slots, "slot"),
        counted(jobs, "job")
    );
    let mut parts = vec![head, runs(&top.runs, columns), users(&top.runs)];
    parts.push(workers::table(&busiest(&top.workers)) + &more(top.workers.len()));
    parts.join("\n")
}

fn runs(runs: &[RunDocument], columns: usize) -> String {
    // Names share the columns that a wider terminal has.
    let spare = columns.saturating_sub(DEFAULT_WIDTH.into()) / 2;
    let [name_columns, user_columns] =
        [NAME_COLUMNS, USER_COLUMNS].map(|[least, most]| least.saturating_add(spare).min(most));
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header([
        "RUN", "NAME", "USER", "STATE", "GEN.", "DONE", "LEFT", "JOBS", "TRIALS/S", "PRIORITY", "",
    ]);
    for run in runs.iter().take(ROWS) {
        let note = run.waiting_for.as_deref().unwrap_or_default();
        table.add_row([
            run.short_id().to_owned(),
            truncate_str(&run.name.replace('\n', " "), name_columns, "…").into_owned(),
            truncate_str(&run.user, user_columns, "…").into_owned(),
            run.state_word().to_owned(),
            run.generation_of_all(),
            run.percent_text(),
            run.time_left.as_ref().map(ReportedTimeLeft::text).unwrap_or_default(),
            run.at_workers.to_string(),
            if 0.0 < run.trials_per_s { short(run.trials_per_s) } else { String::new() },
            run.priority.word().to_owned(),
            note.lines().next().unwrap_or_default().to_owned(),
        ]);
    }
    table.trim_fmt() + "\n" + &more(runs.len())
}

/// Formats the users with their runs and jobs.
fn users(runs: &[RunDocument]) -> String {
    let mut users: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for run in runs {
        let (n_runs, jobs) = users.entry(&run.user).or_default();
        (*n_runs, *jobs) = (*n_runs + 1, *jobs + u64::from(run.at_workers));
    }
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(["USER", "RUNS", "JOBS"]);
    for (user, (n_runs, jobs)) in users.iter().take(ROWS) {
        table.add_row([(*user).to_owned(), n_runs.to_string(), jobs.to_string()]);
    }
    table.trim_fmt() + "\n" + &more(users.len())
}

/// Returns the workers with the most jobs, which are shown.
fn busiest(workers: &[WorkerEntry]) -> Vec<WorkerEntry> {
    let mut workers = workers.to_vec();
    workers.sort_by(|a, b| (b.jobs, &a.name, &a.worker).cmp(&(a.jobs, &b.name, &b.worker)));
    workers.truncate(ROWS);
    workers
}

fn more(n: usize) -> String {
    match n.saturating_sub(ROWS) {
        0 => String::new(),
        n => format!("... and {n} more\n"),
    }
}

#[cfg(test)]
mod tests {
    use hatchery_proto::v1::{self, RunStatus};

    use super::*;

    fn run(generation: u32, trials_done: u64) -> RunDocument {
        let status = RunStatus {
            run: "01M7YH3Q6F4BFRQE644ZH5B8FZ".to_owned(),
            name: "night".to_owned(),
            user: "ada".to_owned(),
            state: State::Active.into(),
            generation,
            generations: 4,
            trials: 1000,
            trials_done,
            at_workers: 5,
            queue_place: 0,
            trials_per_second: 62.5,
            time_left: Some(v1::TimeLeft { low_ms: 70_000, high_ms: 160_000 }),
            ..RunStatus::default()
        };
        status.into()
    }

    #[test]
    fn the_screen_has_runs_users_and_workers() {
        let runs = vec![run(1, 200); ROWS + 3];
        let worker =
            WorkerEntry::from(v1::WorkerStatus { slots: 8, jobs: 5, ..Default::default() });
        let top = TopDocument { runs, workers: vec![worker] };
        let screen = screen(&top, 80);
        for part in [
            "unfinished runs: 15; workers: 1 with 8 slots and 5 jobs",
            "4ZH5B8FZ",
            "30%",
            "62.5",
            "1:10 to 2:40",
            "... and 3 more",
        ] {
            assert!(screen.contains(part), "{part} in {screen}");
        }
        let narrow = fit(&screen, 80);
        assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
        let header = narrow.lines().find(|line| line.contains("RUN")).unwrap();
        assert!(header.contains("LEFT") && header.contains("JOBS"), "{narrow}");
        assert!(narrow.contains("1:10 to 2:40  5"), "{narrow}");
        let row = screen.lines().find(|line| line.trim_start().starts_with("ada ")).unwrap();
        assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["ada", "15", "75"]);
        assert!(
            parse_interval("1s").is_ok()
                && parse_interval("1ms").is_err()
                && parse_interval("2h").is_err()
        );
    }
}
