//! `hatchery top`

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use clap::Args;
use comfy_table::{Table, presets::NOTHING};
use hatchery_proto::v1::ListRunsRequest;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::farm_args::FarmVerb;
use super::output::Output;
use super::runtime::in_runtime;
use super::workers;
use crate::client::Farm;
use crate::failure::Failure;
use crate::format::{clock, short};
use crate::report::farm::{Priority, Run, State, Top, Worker};
use crate::signals::interrupted;

/// How many of the latest runs are looked at: all that a coordinator lists.
const MOST_RUNS: u32 = 1000;

/// How many runs, users and workers are shown, each.
const ROWS: usize = 12;

/// How many digits of a run's id tell runs apart.
const SHOWN_DIGITS: usize = 8;

/// Show the runs, users and workers of a farm, again and again
///
/// On a terminal until it is interrupted; elsewhere, and with --output json, once.
#[derive(Debug, Args)]
pub(crate) struct ShowTop {
    /// How long pictures are apart
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = interval)]
    interval: Duration,
    #[command(flatten)]
    verb: FarmVerb,
}

fn interval(text: &str) -> Result<Duration, String> {
    let interval = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    let fits = (Duration::from_millis(500)..=Duration::from_secs(3600)).contains(&interval);
    fits.then_some(interval).ok_or_else(|| "not from 500ms to 1h".to_owned())
}

impl ShowTop {
    pub(super) fn run(&self) -> Result<(), Failure> {
        in_runtime(async {
            tokio::select! {
                outcome = self.follow() => outcome,
                // That is how it is ended.
                () = interrupted() => Ok(()),
            }
        })
    }

    async fn follow(&self) -> Result<(), Failure> {
        let mut farm = self.verb.farm.farm()?;
        let is_live = self.verb.output == Output::Table && std::io::stdout().is_terminal();
        let (began, mut meters) = (Instant::now(), Meters::default());
        if !is_live {
            let top = look(&mut farm).await?;
            return self.verb.print(top, |top| picture(top, &meters));
        }
        let style = ProgressStyle::with_template("{msg}").expect("the template is valid");
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stdout());
        let bar = bar.with_style(style);
        loop {
            let top = look(&mut farm).await?;
            meters.observe(began.elapsed(), &top.runs);
            bar.set_message(picture(&top, &meters));
            bar.tick();
            tokio::time::sleep(self.interval).await;
        }
    }
}

/// The farm now.
async fn look(farm: &mut Farm) -> Result<Top, Failure> {
    let request = ListRunsRequest { most: MOST_RUNS };
    let listed = farm.call(async |mut client| client.list_runs(request).await).await?;
    let runs = listed.runs.into_iter().map(Run::from);
    let mut runs: Vec<_> =
        runs.filter(|run| matches!(run.state, State::Active | State::Paused)).collect();
    let rank = |run: &Run| match run.priority {
        Priority::High => 0,
        Priority::Normal => 1,
        Priority::Low => 2,
    };
    runs.sort_by(|a, b| (rank(a), &a.user, &a.run).cmp(&(rank(b), &b.user, &b.run)));
    Ok(Top { runs, workers: workers::list(farm).await?.workers })
}

/// How fast runs are, as far as they were seen.
#[derive(Debug, Default)]
struct Meters(BTreeMap<String, Meter>);

#[derive(Debug)]
struct Meter {
    /// When the run was seen first and last, from when all began.
    first: Duration,
    last: Duration,
    /// How far it was when it was seen last.
    generation: u32,
    trials_done: u64,
    trials: u64,
    /// Trials done since it was seen first.
    n_seen: u64,
}

impl Meters {
    /// Takes in how `runs` are; those that are gone are forgotten.
    fn observe(&mut self, at: Duration, runs: &[Run]) {
        let mut seen = BTreeMap::new();
        for run in runs {
            let meter = match self.0.remove(&run.run) {
                Some(known) => known.observe(at, run),
                None => Meter::new(at, run),
            };
            seen.insert(run.run.clone(), meter);
        }
        self.0 = seen;
    }

    /// Trials per second and the seconds left of `run`, as far as they are known.
    fn of(&self, run: &Run) -> (Option<f64>, Option<f64>) {
        let Some(meter) = self.0.get(&run.run) else { return (None, None) };
        let seconds = (meter.last - meter.first).as_secs_f64();
        let rate = (0.0 < seconds).then(|| as_f64(meter.n_seen) / seconds);
        let generations = u64::from(run.generations.saturating_sub(run.generation));
        // Later generations are taken to have as many trials as this one.
        let left = generations.saturating_mul(run.trials).saturating_sub(run.trials_done);
        let known = rate.filter(|rate| 0.0 < *rate && run.trials != 0 && run.generations != 0);
        (rate, known.map(|rate| as_f64(left) / rate))
    }
}

impl Meter {
    fn new(at: Duration, run: &Run) -> Self {
        let &Run { generation, trials_done, trials, .. } = run;
        Self { first: at, last: at, generation, trials_done, trials, n_seen: 0 }
    }

    fn observe(self, at: Duration, run: &Run) -> Self {
        let &Run { generation, trials_done, trials, .. } = run;
        let more = match generation == self.generation {
            true => trials_done.saturating_sub(self.trials_done),
            // What was left of the old one, and what is done of the new one.
            false => self.trials.saturating_sub(self.trials_done) + trials_done,
        };
        let n_seen = self.n_seen.saturating_add(more);
        Self { first: self.first, last: at, generation, trials_done, trials, n_seen }
    }
}

#[expect(clippy::cast_precision_loss, reason = "for display")]
fn as_f64(count: u64) -> f64 {
    count as f64
}

/// The farm for people.
fn picture(top: &Top, meters: &Meters) -> String {
    let slots: u64 = top.workers.iter().map(|worker| u64::from(worker.slots)).sum();
    let jobs: u64 = top.workers.iter().map(|worker| u64::from(worker.jobs)).sum();
    let head = format!(
        "runs that go on: {}; workers: {} with {slots} slots and {jobs} jobs\n",
        top.runs.len(),
        top.workers.len()
    );
    let mut parts = vec![head, runs(&top.runs, meters), users(&top.runs)];
    parts.push(workers::table(&busiest(&top.workers)) + &more(top.workers.len()));
    parts.join("\n")
}

fn runs(runs: &[Run], meters: &Meters) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header([
        "RUN",
        "NAME",
        "USER",
        "PRIORITY",
        "STATE",
        "GENERATION",
        "DONE",
        "TRIALS/S",
        "LEFT",
        "JOBS",
        "",
    ]);
    for run in runs.iter().take(ROWS) {
        let (rate, left) = meters.of(run);
        let done = match run.trials {
            0 => String::new(),
            trials => format!("{}%", run.trials_done.saturating_mul(100) / trials),
        };
        let note = run.waiting_for.as_deref().unwrap_or_default();
        table.add_row([
            run.run.chars().skip(run.run.len().saturating_sub(SHOWN_DIGITS)).collect(),
            run.name.replace('\n', " "),
            run.user.clone(),
            run.priority.word().to_owned(),
            run.state.word().to_owned(),
            run.generation_of_all(),
            done,
            rate.map(short).unwrap_or_default(),
            left.map(clock).unwrap_or_default(),
            run.at_workers.to_string(),
            note.lines().next().unwrap_or_default().to_owned(),
        ]);
    }
    table.trim_fmt() + "\n" + &more(runs.len())
}

/// Who has runs, and what of the farm.
fn users(runs: &[Run]) -> String {
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

/// Those that are shown: with the most jobs.
fn busiest(workers: &[Worker]) -> Vec<Worker> {
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

    fn run(generation: u32, trials_done: u64) -> Run {
        let status = RunStatus {
            run: "01M7YH3Q6F4BFRQE644ZH5B8FZ".to_owned(),
            name: "night".to_owned(),
            user: "ada".to_owned(),
            state: v1::State::Active.into(),
            generation,
            generations: 4,
            trials: 1000,
            trials_done,
            at_workers: 5,
            ..RunStatus::default()
        };
        status.into()
    }

    #[test]
    fn the_rate_counts_over_generations_and_foretells_the_end() {
        let mut meters = Meters::default();
        meters.observe(Duration::from_secs(1), &[run(0, 200)]);
        assert_eq!(meters.of(&run(0, 200)), (None, None));
        meters.observe(Duration::from_secs(3), &[run(0, 400)]);
        meters.observe(Duration::from_secs(11), &[run(1, 200)]);
        let (rate, left) = meters.of(&run(1, 200));
        assert_eq!(rate.map(short).as_deref(), Some("100.0"));
        assert_eq!(left.map(clock).as_deref(), Some("0:28"));
        meters.observe(Duration::from_secs(12), &[]);
        assert!(meters.0.is_empty());
    }

    #[test]
    fn a_picture_has_runs_users_and_workers() {
        let runs = vec![run(1, 200); ROWS + 3];
        let worker = Worker::from(v1::WorkerStatus { slots: 8, jobs: 5, ..Default::default() });
        let top = Top { runs, workers: vec![worker] };
        let picture = picture(&top, &Meters::default());
        for part in [
            "runs that go on: 15; workers: 1 with 8 slots and 5 jobs",
            "4ZH5B8FZ",
            "20%",
            "... and 3 more",
        ] {
            assert!(picture.contains(part), "{part} in {picture}");
        }
        let row = picture.lines().find(|line| line.trim_start().starts_with("ada ")).unwrap();
        assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["ada", "15", "75"]);
        assert!(interval("1s").is_ok() && interval("1ms").is_err() && interval("2h").is_err());
    }
}
