//! `hatchery dead`

use std::time::{Duration, UNIX_EPOCH};

use clap::{Args, Subcommand};
use comfy_table::{Table, presets::NOTHING};
use hatchery_core::text::counted;
use hatchery_proto::v1::{self, ListDeadRequest, RetryDeadRequest};

use super::farm_args::{FarmVerbArgs, RunArgs};
use super::runtime::in_runtime;
use crate::client::FarmClient;
use crate::error::{CommandError, SelectionError};
use crate::format::MAX_DATE_UNIX_MS;
use crate::program;
use crate::report::farm::{DeadAttempt, DeadJob, DeadJobsDocument, RetriedDocument};
use crate::terminal::{escape_controls, print_status};

/// The most jobs in a list: a run with more dead jobs has a bug, not bad jobs.
const MAX_LISTED: usize = 10_000;

/// List, inspect and retry jobs that failed repeatedly
#[derive(Debug, Subcommand)]
pub(crate) enum DeadCommand {
    /// List the dead jobs of a run
    List(ListDeadCommand),
    /// Show the attempts at a dead job, and the command that reproduces its failure
    Show(ShowDeadCommand),
    /// Return dead jobs to the queue
    Retry(RetryDeadCommand),
}

#[derive(Debug, Args)]
pub(crate) struct ListDeadCommand {
    #[command(flatten)]
    args: RunArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ShowDeadCommand {
    /// Run: its id, the beginning or end of the id, its name, or `last`
    run: String,
    /// Index of the job
    index: u64,
    #[command(flatten)]
    verb: FarmVerbArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RetryDeadCommand {
    /// Run: its id, the beginning or end of the id, its name, or `last`
    run: String,
    /// Indices of the jobs [default: all]
    indices: Vec<u64>,
    #[command(flatten)]
    verb: FarmVerbArgs,
}

impl DeadCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        match self {
            Self::List(list) => in_runtime(list.run()),
            Self::Show(show) => in_runtime(show.run()),
            Self::Retry(retry) => in_runtime(retry.run()),
        }
    }
}

impl ListDeadCommand {
    async fn run(&self) -> Result<(), CommandError> {
        let mut farm = self.args.verb.farm.farm()?;
        let run = farm.select(&self.args.run).await?.run;
        let (mut jobs, mut from) = (Vec::new(), 0);
        while jobs.len() < MAX_LISTED {
            let page = page(&mut farm, &run, from).await?;
            let Some(last) = page.last() else { break };
            from = last.index.saturating_add(1);
            jobs.extend(page);
        }
        let flags = self.args.verb.farm.flags();
        let jobs = jobs.into_iter().map(|job| to_document(job, &run, &flags)).collect();
        self.args.verb.print(DeadJobsDocument { run, jobs }, |dead| table(&dead.jobs))
    }
}

impl ShowDeadCommand {
    async fn run(&self) -> Result<(), CommandError> {
        let mut farm = self.verb.farm.farm()?;
        let run = farm.select(&self.run).await?.run;
        let found = page(&mut farm, &run, self.index).await?.into_iter().next();
        let Some(job) = found.filter(|job| job.index == self.index) else {
            return Err(SelectionError::NoSuchDeadJob { run, index: self.index }.into());
        };
        let jobs = vec![to_document(job, &run, &self.verb.farm.flags())];
        self.verb.print(DeadJobsDocument { run, jobs }, |dead| dead.jobs.iter().map(text).collect())
    }
}

impl RetryDeadCommand {
    async fn run(&self) -> Result<(), CommandError> {
        let mut farm = self.verb.farm.farm()?;
        let status = farm.select(&self.run).await?;
        let request = RetryDeadRequest { run: status.run.clone(), indices: self.indices.clone() };
        let retried =
            farm.call(async |mut client| client.retry_dead(request.clone()).await).await?;
        if retried.n_jobs == 0 && !self.indices.is_empty() {
            return Err(SelectionError::NoDeadJobs { run: status.run }.into());
        }
        if matches!(status.state(), v1::State::Paused | v1::State::Failed) {
            let flags = self.verb.farm.flags();
            print_status(&format!(
                "the run is not active yet: {} resume {}{flags}",
                program::name(),
                status.run
            ));
        }
        let retried = RetriedDocument { run: status.run, jobs: retried.n_jobs };
        self.verb.print(retried, |retried| {
            format!("returned {} to the queue\n", counted(retried.jobs, "job"))
        })
    }
}

/// Returns some dead jobs of `run` from index `from` on, none if there are no more.
async fn page(
    farm: &mut FarmClient,
    run: &str,
    from: u64,
) -> Result<Vec<v1::DeadJob>, CommandError> {
    let request = ListDeadRequest { run: run.to_owned(), from };
    let page = farm.call(async |mut client| client.list_dead(request.clone()).await).await?;
    Ok(page.jobs)
}

fn to_document(job: v1::DeadJob, run: &str, flags: &str) -> DeadJob {
    let attempt = |attempt: v1::DeadAttempt| DeadAttempt {
        kind: escape_controls(&attempt.kind),
        worker: escape_controls(&attempt.worker),
        message: escape_controls(&attempt.message),
        unix_ms: attempt.unix_ms,
    };
    // The trial goes into a command: only the characters of an address are safe.
    let is_address = |trial: &String| {
        !trial.is_empty() && trial.bytes().all(|b| b.is_ascii_digit() || b == b'/')
    };
    let trial = Some(job.trial).filter(is_address);
    DeadJob {
        generation: job.generation,
        index: job.index,
        trials: escape_controls(&job.trials),
        reproduce: trial.as_ref().map(|trial| {
            let program = program::name();
            format!("{program} replay {run} {trial}{flags}")
        }),
        trial,
        attempts: job.attempts.into_iter().map(attempt).collect(),
    }
}

fn table(jobs: &[DeadJob]) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(["GENERATION", "JOB", "TRIALS", "ATTEMPTS", "LAST"]);
    for job in jobs {
        let last = job.attempts.last();
        let last = last.map(|last| {
            format!("{}: {}", last.kind, last.message.lines().next().unwrap_or_default())
        });
        table.add_row([
            job.generation.to_string(),
            job.index.to_string(),
            job.trials.clone(),
            job.attempts.len().to_string(),
            last.unwrap_or_default(),
        ]);
    }
    table.trim_fmt() + "\n"
}

fn text(job: &DeadJob) -> String {
    let mut lines = vec![
        format!("job {} of generation {}", job.index, job.generation),
        format!("trials {}", job.trials),
    ];
    for DeadAttempt { kind, worker, message, unix_ms } in &job.attempts {
        let when = UNIX_EPOCH + Duration::from_millis((*unix_ms).min(MAX_DATE_UNIX_MS));
        let when = humantime::format_rfc3339_seconds(when);
        lines.push(format!("{when} {kind} on {worker}"));
        lines.extend(message.lines().map(|line| format!("  {line}")));
    }
    lines.extend(job.reproduce.as_ref().map(|command| format!("reproduce: {command}")));
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(trial: &str) -> DeadJob {
        let attempt = v1::DeadAttempt {
            kind: "error".to_owned(),
            worker: "w1".to_owned(),
            message: "a bug\n\u{1b}[2Jhere".to_owned(),
            unix_ms: 1_000,
        };
        let job = v1::DeadJob {
            generation: 3,
            index: 7,
            trials: "3/0/16 to 3/0/31".to_owned(),
            trial: trial.to_owned(),
            attempts: vec![attempt],
        };
        to_document(job, "01M7YH3Q6F4BFRQE644ZH5B8FZ", " --coordinator http://127.0.0.1:7700")
    }

    #[test]
    fn a_dead_job_shows_how_to_reproduce_it() {
        let expected = "job 7 of generation 3\ntrials 3/0/16 to 3/0/31\n\
                        1970-01-01T00:00:01Z error on w1\n  a bug\n  \\u{1b}[2Jhere\n\
                        reproduce: hatchery replay 01M7YH3Q6F4BFRQE644ZH5B8FZ 3/0/17 \
                        --coordinator http://127.0.0.1:7700\n";
        assert_eq!(text(&job("3/0/17")), expected);
        assert_eq!(job("").reproduce, None);
        assert_eq!(job("$(reboot)").reproduce, None);
        let table = table(&[job("3/0/17")]);
        assert!(table.lines().last().unwrap().trim_end().ends_with("error: a bug"), "{table}");
    }
}
