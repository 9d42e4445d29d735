//! `hatchery list`

mod table;

use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use hatchery_proto::v1::{self, ListOrder, ListRunsRequest};

use super::output::{print_bytes, print_result};
use super::runtime::in_runtime;
use crate::client::{CoordinatorClient, FarmArgs};
use crate::error::{CommandError, UsageError};
use crate::format::unix_ms;
use crate::local_run::LocalRun;
use crate::report::farm::{self, ReportedState, RunDocument, RunListDocument};
use crate::report::{TableFormat, runs_table};
use crate::sweep::SweepPoint;
use crate::terminal::{escape_controls, print_status};

use table::shown;

/// List the runs of a farm or, without a farm, the runs below runs/, the latest last
///
/// A farm's runs are listed by pages. If there are more runs, the command prints the cursor of the
/// next page for --after.
#[derive(Debug, Args)]
pub(crate) struct ListCommand {
    /// Largest number of runs on a page
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    most: u32,
    /// Cursor of the page to show, as printed with the previous page
    #[arg(long, value_name = "CURSOR", value_parser = NonEmptyStringValueParser::new())]
    after: Option<String>,
    /// Order of the runs
    #[arg(long, value_enum, default_value = "latest-last")]
    order: SortOrder,
    /// Only runs in this state; may be repeated
    #[arg(long, value_enum, value_name = "STATE")]
    state: Vec<StateFilter>,
    /// Only runs of this user
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    user: Option<String>,
    /// Only runs of this experiment
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    experiment: Option<String>,
    /// Only runs of this sweep
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    sweep: Option<String>,
    /// Only runs created within this time, such as 90m or 7d
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    since: Option<Duration>,
    /// Output format
    #[arg(long, value_enum, default_value = "table", env = "HATCHERY_OUTPUT", help_heading = None)]
    output: ListFormat,
    #[command(flatten)]
    farm: FarmArgs,
}

/// The format of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ListFormat {
    /// Text for people
    Table,
    /// One JSON document for scripts
    Json,
    /// A row for each run, with all measures
    Csv,
    /// The same as a Parquet file
    Parquet,
    /// No output
    Quiet,
}

/// The order of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SortOrder {
    /// The latest runs, in ascending order of time
    LatestLast,
    /// The latest runs, in descending order of time
    LatestFirst,
    /// The oldest runs, in ascending order of time
    OldestFirst,
}

/// The state of the runs in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StateFilter {
    /// In progress, or queued
    Active,
    /// Paused
    Paused,
    /// Done
    Done,
    /// Failed
    Failed,
    /// Cancelled
    Cancelled,
    /// Interrupted, on this machine
    Interrupted,
}

impl From<SortOrder> for ListOrder {
    fn from(order: SortOrder) -> Self {
        match order {
            SortOrder::LatestLast => Self::Unspecified,
            SortOrder::LatestFirst => Self::LatestFirst,
            SortOrder::OldestFirst => Self::OldestFirst,
        }
    }
}

impl StateFilter {
    /// Returns the state on the wire; `None` if no run of a farm has it.
    fn of_farm(self) -> Option<v1::State> {
        match self {
            Self::Active => Some(v1::State::Active),
            Self::Paused => Some(v1::State::Paused),
            Self::Done => Some(v1::State::Done),
            Self::Failed => Some(v1::State::Failed),
            Self::Cancelled => Some(v1::State::Cancelled),
            Self::Interrupted => None,
        }
    }
}

impl From<StateFilter> for ReportedState {
    fn from(state: StateFilter) -> Self {
        match state {
            StateFilter::Active => Self::Active,
            StateFilter::Paused => Self::Paused,
            StateFilter::Done => Self::Done,
            StateFilter::Failed => Self::Failed,
            StateFilter::Cancelled => Self::Cancelled,
            StateFilter::Interrupted => Self::Interrupted,
        }
    }
}

impl ListCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            if !self.farm.is_given() {
                return self.list_local().await;
            }
            if self.state.contains(&StateFilter::Interrupted) {
                return Err(UsageError::NoStateOfFarms { state: "interrupted" }.into());
            }
            let mut farm = self.farm.farm()?;
            let request = self.request(unix_ms());
            let act = async |mut client: CoordinatorClient| client.list_runs(request.clone()).await;
            let listed = farm.call(act).await?;
            let next = Some(escape_controls(&listed.next)).filter(|next| !next.is_empty());
            let runs = listed.runs.into_iter().map(RunDocument::from).collect();
            self.print(RunListDocument { runs, next: next.clone() }, unix_ms())?;
            use ListFormat::{Csv, Parquet, Table};
            if let (Table | Csv | Parquet, Some(next)) = (self.output, next) {
                print_status(&format!("there are more runs: add --after {next}"));
            }
            Ok(())
        })
    }

    fn request(&self, now_unix_ms: u64) -> ListRunsRequest {
        let states = self.state.iter().filter_map(|state| state.of_farm());
        ListRunsRequest {
            most: self.most,
            after: self.after.clone().unwrap_or_default(),
            order: ListOrder::from(self.order).into(),
            states: states.map(i32::from).collect(),
            user: self.user.clone().unwrap_or_default(),
            experiment: self.experiment.clone().unwrap_or_default(),
            since_unix_ms: self.since_unix_ms(now_unix_ms),
            sweep: self.sweep.clone().unwrap_or_default(),
            with_measures: matches!(self.output, ListFormat::Csv | ListFormat::Parquet),
        }
    }

    /// Prints a page of runs in the chosen format.
    fn print(&self, page: RunListDocument, now_unix_ms: u64) -> Result<(), CommandError> {
        match self.output {
            ListFormat::Table => print_result(&shown(&page.runs, now_unix_ms)),
            ListFormat::Json => print_result(&farm::json(page)),
            ListFormat::Csv => print_bytes(&runs_table(&page.runs, TableFormat::Csv)?),
            ListFormat::Parquet => print_bytes(&runs_table(&page.runs, TableFormat::Parquet)?),
            ListFormat::Quiet => Ok(()),
        }
    }

    fn since_unix_ms(&self, now_unix_ms: u64) -> u64 {
        let age_ms = |age: Duration| u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
        self.since.map_or(0, |age| now_unix_ms.saturating_sub(age_ms(age)))
    }

    /// Lists the runs below `runs/`.
    async fn list_local(&self) -> Result<(), CommandError> {
        if self.after.is_some() {
            return Err(UsageError::NoFarm.into());
        }
        let now = unix_ms();
        let all = LocalRun::list().await;
        let none = if all.is_empty() { "no runs" } else { "no such runs" };
        let runs = self.chosen(all, now);
        let n_runs = runs.len();
        self.print(RunListDocument { runs, next: None }, now)?;
        if n_runs == 0 && self.output == ListFormat::Table {
            print_status(&format!("{none} below runs/; --coordinator URL lists those of a farm"));
        }
        Ok(())
    }

    /// Returns the requested `runs`, which are given latest last, in the requested order.
    fn chosen(&self, mut runs: Vec<RunDocument>, now_unix_ms: u64) -> Vec<RunDocument> {
        let since = self.since_unix_ms(now_unix_ms);
        let states: Vec<_> = self.state.iter().copied().map(ReportedState::from).collect();
        runs.retain(|run| {
            (states.is_empty() || states.contains(&run.state))
                && self.user.as_ref().is_none_or(|user| *user == run.user)
                && self.experiment.as_ref().is_none_or(|name| *name == run.experiment)
                && self.sweep.as_ref().is_none_or(|name| SweepPoint::is_of(&run.name, name))
                && since <= run.created_unix_ms
        });
        let n_most = usize::try_from(self.most).unwrap_or(usize::MAX);
        match self.order {
            SortOrder::LatestLast => drop(runs.drain(..runs.len().saturating_sub(n_most))),
            SortOrder::LatestFirst => runs.reverse(),
            SortOrder::OldestFirst => {}
        }
        runs.truncate(n_most);
        runs
    }
}
