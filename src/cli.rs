//! The command line: one file per verb.

mod completions;
mod coordinator;
mod dead;
mod delete;
mod experiments;
mod explain;
mod fetch;
mod list;
mod metrics;
mod pki;
mod replay;
mod run;
mod secure;
mod show;
mod spec;
mod steer;
mod submit;
mod token;
mod top;
mod verify;
mod wait;
mod watch;
mod worker;
mod workers;

use std::ffi::OsString;
use std::fs::File;
use std::future::Future;
use std::io::{Read, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread::available_parallelism;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use hatchery_catalog::CATALOG;
use hatchery_core::spec::{Document, MAX_SPEC_BYTES};

use crate::client::FarmArgs;
use crate::failure::Failure;
use crate::report::farm::{self, Answer};

/// A distributed simulation farm for game research.
///
/// Exit codes: 0 success, 2 wrong usage, 3 the run failed, 5 it was cancelled, 10 no coordinator
/// answers or can use its store, 11 a token is missing or may not do that, 12 another version, 13
/// invalid spec, 14 a verification failed, 130 interrupted.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    verb: Verb,
    /// How what happens is logged to standard error
    #[arg(long, global = true, value_enum, default_value = "human", env = "HATCHERY_LOG_FORMAT")]
    log_format: LogFormat,
}

/// How logs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// A line for people.
    Human,
    /// One JSON object a line, its fields at the top.
    Json,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Run(run::Run),
    Coordinator(coordinator::RunCoordinator),
    Worker(worker::Worker),
    Submit(submit::Submit),
    List(list::List),
    Show(show::Show),
    Explain(explain::Explain),
    Top(top::ShowTop),
    Watch(watch::Watch),
    Wait(wait::Wait),
    Pause(steer::Pause),
    Resume(steer::Resume),
    Cancel(steer::Cancel),
    Delete(delete::Delete),
    Fetch(fetch::Fetch),
    #[command(subcommand)]
    Dead(dead::Dead),
    Workers(workers::ListWorkers),
    Drain(workers::Drain),
    Quarantine(workers::Quarantine),
    Verify(verify::Verify),
    Replay(replay::Replay),
    #[command(subcommand)]
    Token(token::TokenVerb),
    #[command(subcommand)]
    Pki(pki::Pki),
    Experiments(experiments::Experiments),
    Spec(spec::PrintSpec),
    Completions(completions::Completions),
}

/// How a command shows its result on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people.
    Table,
    /// One JSON document, for scripts.
    Json,
    /// Nothing.
    Quiet,
}

/// Which farm, and how to show what it says.
#[derive(Clone, Debug, Args)]
struct FarmVerb {
    #[command(flatten)]
    farm: FarmArgs,
    /// How to show the result
    #[arg(long, value_enum, default_value = "table", env = "HATCHERY_OUTPUT")]
    output: Output,
}

/// A run of a farm.
#[derive(Clone, Debug, Args)]
struct RunArgs {
    /// The run: its id, the beginning or end of that, its name, or `last`
    run: String,
    #[command(flatten)]
    verb: FarmVerb,
}

impl FarmVerb {
    /// Shows what a farm said.
    fn show<A: Answer>(&self, answer: A, table: impl FnOnce(&A) -> String) -> Result<(), Failure> {
        match self.output {
            Output::Table => show(&table(&answer)),
            Output::Json => show(&farm::json(answer)),
            Output::Quiet => Ok(()),
        }
    }
}

impl Cli {
    /// What is logged unless the environment says otherwise: a process that runs for long tells
    /// what happens to it.
    pub(crate) fn log_level(&self) -> &'static str {
        match self.verb {
            Verb::Coordinator(_) | Verb::Worker(_) => "info",
            _ => "error",
        }
    }

    /// What the process is in a farm, if it has a part in it.
    #[cfg(feature = "otel")]
    pub(crate) fn role(&self) -> Option<&'static str> {
        match self.verb {
            Verb::Run(_) => Some("run"),
            Verb::Coordinator(_) => Some("coordinator"),
            Verb::Worker(_) => Some("worker"),
            _ => None,
        }
    }

    /// How logs are written.
    pub(crate) fn log_format(&self) -> LogFormat {
        self.log_format
    }

    /// Does what the command line asks for.
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.verb {
            Verb::Run(run) => run.run(),
            Verb::Coordinator(coordinator) => coordinator.run(),
            Verb::Worker(worker) => worker.run(),
            Verb::Submit(submit) => submit.run(),
            Verb::List(list) => list.run(),
            Verb::Show(show) => show.run(),
            Verb::Explain(explain) => explain.run(),
            Verb::Top(top) => top.run(),
            Verb::Watch(watch) => watch.run(),
            Verb::Wait(wait) => wait.run(),
            Verb::Pause(pause) => pause.run(),
            Verb::Resume(resume) => resume.run(),
            Verb::Cancel(cancel) => cancel.run(),
            Verb::Delete(delete) => delete.run(),
            Verb::Fetch(fetch) => fetch.run(),
            Verb::Dead(dead) => dead.run(),
            Verb::Workers(workers) => workers.run(),
            Verb::Drain(drain) => drain.run(),
            Verb::Quarantine(quarantine) => quarantine.run(),
            Verb::Verify(verify) => verify.run(),
            Verb::Replay(replay) => replay.run(),
            Verb::Token(token) => token.run(),
            Verb::Pki(pki) => pki.run(),
            Verb::Experiments(experiments) => experiments.run(),
            Verb::Spec(spec) => spec.run(),
            Verb::Completions(completions) => completions.run(),
        }
    }
}

/// The spec in the file, or of the preset, that `name` names. A file wins: a preset's name with
/// `./` before it is always a file.
fn load(name: &str) -> Result<Document, Failure> {
    let path = Path::new(name);
    let looks_like_file = path.extension().is_some() || path.exists();
    if let (false, Some(preset)) = (looks_like_file, CATALOG.preset(name)) {
        return Document::parse(name, preset.text.as_bytes()).map_err(Failure::Spec);
    }
    match read_at_most(path, MAX_SPEC_BYTES) {
        Ok(bytes) => Document::parse(name, &bytes).map_err(Failure::Spec),
        Err(source) if looks_like_file => {
            Err(Failure::File { path: path.to_owned(), act: "read", source })
        }
        Err(_) => {
            let known: Vec<_> = CATALOG.preset_paths().collect();
            Err(Failure::Usage(format!(
                "{name:?} is neither a file nor a preset; the presets are {}",
                known.join(", ")
            )))
        }
    }
}

/// The bytes of a file, at most one more than `most`: whoever refuses longer ones sees that it is
/// longer, and a device without end does no harm.
fn read_at_most(path: &Path, most: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Of how many cores one is for messages: the others are for the store, and for plans and folds.
const CORES_PER_IO_THREAD: usize = 2;

/// How many threads serve connections at most: dispatch is one task.
const MOST_IO_THREADS: usize = 4;

/// Waits for what `act` comes to. Connections are served beside it.
fn in_runtime(act: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let n_cores = available_parallelism().map_or(1, NonZeroUsize::get);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads((n_cores / CORES_PER_IO_THREAD).clamp(1, MOST_IO_THREADS))
        .enable_all()
        .build()
        .map_err(|error| Failure::SetUp(Box::new(error)))?;
    let outcome = runtime.block_on(act);
    runtime.shutdown_timeout(Duration::ZERO);
    outcome
}

/// Writes a result to standard output. A reader that has seen enough is no failure.
pub(crate) fn show(text: &str) -> Result<(), Failure> {
    tolerant(write_out(text))
}

/// Writes `text` to standard output.
fn write_out(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

/// What came of writing to standard output, where a reader that has seen enough is no failure.
fn tolerant(written: std::io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// What the environment variable `name` says, if anything.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Writes a message to standard error.
pub(crate) fn say(line: &str) {
    writeln!(std::io::stderr().lock(), "{line}").unwrap_or(());
}

/// A seed for what no result depends on.
pub(crate) fn entropy() -> u64 {
    let random = ulid::Ulid::generate().random() & u128::from(u64::MAX);
    u64::try_from(random).expect("64 bits")
}
