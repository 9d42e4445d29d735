//! `hatchery top`

use std::collections::BTreeMap;
use std::time::Duration;

use clap::Args;
use comfy_table::{Table, presets::NOTHING};
use console::{Term, truncate_str};
use hatchery_core::text::{counted, grouped};
use hatchery_proto::v1::{ListRunsRequest, State};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::farm_args::FarmVerbArgs;
use super::output::OutputFormat;
use super::runtime::in_runtime;
use super::workers;
use crate::client::FarmClient;
use crate::error::CommandError;
use crate::format::short;
use crate::key_input::KeyInput;
use crate::report::farm::{
    ReportedPriority, ReportedTimeLeft, RunDocument, TopDocument, WorkerEntry,
};
use crate::signals::interrupted;
use crate::terminal::{fits, is_renewable};

/// The number of runs to ask for: all that a coordinator lists.
const MAX_RUNS: u32 = 1000;

/// The lines and columns of a terminal that does not tell them.
const DEFAULT_SIZE: (u16, u16) = (24, 80);

/// The fewest and the most columns that names of runs get.
const NAME_COLUMNS: [usize; 2] = [8, 40];

/// The most columns that a user's name gets.
const USER_COLUMNS: usize = 12;

/// The most rows of a table, and the fewest.
const ROWS: usize = 12;
const MIN_ROWS: usize = 2;

/// The lines of the view besides the rows of its three tables: heads, titles, blank lines and the
/// notes on left-out rows.
const OTHER_LINES: usize = 12;

/// Returns the rows per table that fit into a terminal with `height` lines.
fn rows_of(height: usize) -> usize {
    (height.saturating_sub(OTHER_LINES) / 3).clamp(MIN_ROWS, ROWS)
}

/// Show the runs, users and workers of a farm, refreshed continuously
///
/// On a terminal, the display is refreshed until you press q. Elsewhere, and with --output json, it
/// is printed once.
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
        let is_live = self.verb.output == OutputFormat::Table && is_renewable(&std::io::stdout());
        if !is_live {
            let top = snapshot(&mut farm).await?;
            return self.verb.print(top, |top| screen(top, [usize::MAX, ROWS]));
        }
        let style = ProgressStyle::with_template("{msg}").expect("the template is valid");
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stdout());
        let bar = bar.with_style(style);
        let mut keys = KeyInput::listen();
        loop {
            let top = snapshot(&mut farm).await?;
            let size = Term::stdout().size_checked().unwrap_or(DEFAULT_SIZE);
            let [height, width] = [size.0, size.1].map(usize::from);
            bar.set_message(fit(&screen(&top, [width, rows_of(height)]), width));
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
    Ok(TopDocument { runs, members: workers::list(farm).await? })
}

/// Formats the farm as text for a terminal of `columns`, with at most `rows` in each table.
fn screen(top: &TopDocument, [columns, rows]: [usize; 2]) -> String {
    let mut busiest = top.members.clone();
    let workers = &mut busiest.workers;
    workers.sort_by(|a, b| (b.jobs, &a.name, &a.worker).cmp(&(a.jobs, &b.name, &b.worker)));
    let n_workers = workers.len() + busiest.lost_workers.len();
    [
        head(top),
        runs(&top.runs, columns, rows),
        users(&top.runs, rows),
        workers::table::workers(&busiest, rows, columns) + &more(n_workers, rows),
        workers::table::coordinators(&busiest),
    ]
    .into_iter()
    .filter(|part| !part.is_empty())
    .collect::<Vec<_>>()
    .join("\n")
}

/// Formats the farm in two lines: who answers and how busy it is, and its runs and workers.
fn head(top: &TopDocument) -> String {
    let TopDocument { runs, members } = top;
    let sum = |count: fn(&WorkerEntry) -> u32| -> u64 {
        members.workers.iter().map(|worker| u64::from(count(worker))).sum()
    };
    let [slots, busy] = [sum(|it| it.slots), sum(|it| it.busy_slots)];
    let trials_per_s: f64 = runs.iter().map(|run| run.trials_per_s).sum();
    let percent = 100 * busy / slots.max(1);
    let lost = |of: Vec<Option<u64>>| match of.first() {
        Some(&Some(lost_ms)) if of.len() == 1 => format!(", 1 {}", workers::table::lost(lost_ms)),
        Some(&Some(lost_ms)) => {
            format!(", {} lost, the last {}", of.len(), workers::table::ago(lost_ms))
        }
        _ => String::new(),
    };
    // One answers for sure; an earlier release does not tell how many do.
    let answering = members.coordinators.len().max(1);
    let verb = if answering == 1 { "answers" } else { "answer" };
    format!(
        "{} {verb}{} · {} · {} trials/s\n{}{} · {} of {} busy ({percent} %)\n",
        counted(answering, "coordinator"),
        lost(members.lost_coordinators.iter().map(|it| it.lost_ms).collect()),
        counted(runs.len(), "unfinished run"),
        short(trials_per_s),
        counted(members.workers.len(), "worker"),
        lost(members.lost_workers.iter().map(|it| it.lost_ms).collect()),
        grouped(busy),
        counted(slots, "slot"),
    )
}

/// Formats the runs. Users and priorities have a column where they differ, and names have the
/// columns that are left.
fn runs(runs: &[RunDocument], columns: usize, rows: usize) -> String {
    let shown = &runs[..runs.len().min(rows)];
    let mut by_name = (NAME_COLUMNS[0]..=NAME_COLUMNS[1]).rev().map(|name| run_table(shown, name));
    let fitting = by_name.find(|table| fits(table, columns));
    let table = fitting.unwrap_or_else(|| run_table(shown, NAME_COLUMNS[0]));
    table + &more(runs.len(), rows)
}

fn run_table(shown: &[RunDocument], name_columns: usize) -> String {
    let has_users = shown.windows(2).any(|pair| pair[0].user != pair[1].user);
    let has_priorities = shown.iter().any(|run| run.priority != ReportedPriority::Normal);
    let optional = |is_shown: bool, text: String| is_shown.then_some(text);
    let mut table = Table::new();
    table.load_style(NOTHING);
    let titles = ["RUN", "NAME", "STATE", "GEN.", "DONE", "LEFT", "JOBS", "TRIALS/S"];
    table.set_header(
        (titles.into_iter().map(str::to_owned))
            .chain(optional(has_users, "USER".to_owned()))
            .chain(optional(has_priorities, "PRIORITY".to_owned()))
            .chain([String::new()]),
    );
    for run in shown {
        let note = run.waiting_for.as_deref().unwrap_or_default();
        let row = [
            run.short_id().to_owned(),
            truncate_str(&run.name.replace('\n', " "), name_columns, "…").into_owned(),
            run.state_word().to_owned(),
            run.generation_of_all(),
            run.percent_text(),
            run.time_left.as_ref().map(ReportedTimeLeft::text).unwrap_or_default(),
            run.at_workers.to_string(),
            if 0.0 < run.trials_per_s { short(run.trials_per_s) } else { String::new() },
        ];
        let user = truncate_str(&run.user, USER_COLUMNS, "…").into_owned();
        table.add_row(
            row.into_iter()
                .chain(optional(has_users, user))
                .chain(optional(has_priorities, run.priority.word().to_owned()))
                .chain([note.lines().next().unwrap_or_default().to_owned()]),
        );
    }
    table.trim_fmt() + "\n"
}

/// Formats the users with their runs and jobs.
fn users(runs: &[RunDocument], rows: usize) -> String {
    let mut users: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for run in runs {
        let (n_runs, jobs) = users.entry(&run.user).or_default();
        (*n_runs, *jobs) = (*n_runs + 1, *jobs + u64::from(run.at_workers));
    }
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(["USER", "RUNS", "JOBS"]);
    for (user, (n_runs, jobs)) in users.iter().take(rows) {
        table.add_row([(*user).to_owned(), n_runs.to_string(), jobs.to_string()]);
    }
    table.trim_fmt() + "\n" + &more(users.len(), rows)
}

/// Says how many of `n` rows are left out.
fn more(n: usize, rows: usize) -> String {
    match n.saturating_sub(rows) {
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
        let worker = v1::WorkerStatus { slots: 8, jobs: 5, busy_slots: 5, ..Default::default() };
        let lost = v1::WorkerStatus { lost_ms: 40_000, ..worker.clone() };
        let gone = v1::CoordinatorStatus { lost_ms: 240_000, ..Default::default() };
        let listed = v1::ListWorkersResponse {
            workers: vec![worker],
            lost_workers: vec![lost],
            coordinators: vec![v1::CoordinatorStatus::default(); 2],
            lost_coordinators: vec![gone],
            experiments: vec!["pig@2".to_owned()],
            ..Default::default()
        };
        let screen = screen(&TopDocument { runs, members: listed.into() }, [80, ROWS]);
        for part in [
            "2 coordinators answer, 1 lost 4m ago · 15 unfinished runs · 937.5 trials/s\n",
            "1 worker, 1 lost 40s ago · 5 of 8 slots busy (62 %)\n",
            "4ZH5B8FZ",
            "30%",
            "1m10s to 2m40s  5     62.5",
            "... and 3 more",
            "5/8",
        ] {
            assert!(screen.contains(part), "{part} in {screen}");
        }
        assert!(fits(&screen, 80), "{screen}");
        let row = screen.lines().find(|line| line.trim_start().starts_with("ada ")).unwrap();
        assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["ada", "15", "75"]);
        assert!(
            parse_interval("1s").is_ok()
                && parse_interval("1ms").is_err()
                && parse_interval("2h").is_err()
        );
    }

    #[test]
    fn users_and_priorities_have_columns_where_they_differ() {
        let mut other = run(1, 200);
        (other.user, other.priority) = ("bob".to_owned(), ReportedPriority::High);
        other.name = "a-name-that-is-longer-than-its-column-can-be".to_owned();
        let both = runs(&[run(1, 200), other], 80, ROWS);
        for part in ["USER", "PRIORITY", "ada", "bob", "high"] {
            assert!(both.contains(part), "{part} in {both}");
        }
        let same = runs(&[run(1, 200), run(2, 200)], 80, ROWS);
        assert_eq!([10, 24, 36, 100].map(rows_of), [MIN_ROWS, 4, 8, ROWS]);
        assert!(!same.contains("USER") && !same.contains("PRIORITY"), "{same}");
    }
}
