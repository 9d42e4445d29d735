//! Errors of usage: in arguments, and in the files that they name.

use std::net::SocketAddr;
use std::path::PathBuf;

use hatchery_core::Part;
use hatchery_core::text::counted;
use hatchery_stats::StatsError;
use hatchery_store::{RunId, StoreError};
use hatchery_worker::DialError;

use super::comparison::ComparisonError;
use super::input::InputError;
use super::replayable::ReplayableTrials;
use crate::format::joined;
use crate::program;
use crate::sweep::SweepError;

/// An argument, an environment variable or a file that the command cannot use.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UsageError {
    #[error(
        "{name:?} is neither a file nor a preset; {}`{} experiments` lists all presets",
        suggested(.likely), program::name()
    )]
    UnknownSpec { name: String, likely: Vec<String> },

    #[error("{} is a folder; give a spec in it, such as {}", .path.display(), .spec.display())]
    SpecFolder { path: PathBuf, spec: PathBuf },
    #[error("cannot read the spec {path}")]
    SpecFile { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Sweep(#[from] SweepError),
    #[error("the seed is given twice, with --seed and --set: leave one of them out")]
    SeedTwice,
    #[error("--resume of a sweep needs its folder: give --out DIR")]
    SweepToResume,
    #[error("{path} holds a run, not a sweep: give --out another folder")]
    SweepInRun { path: PathBuf },
    #[error("{path} already holds a sweep: add --resume to continue it, or give --out another")]
    FolderHoldsSweep { path: PathBuf },
    #[error(
        "{path} holds a sweep with other keys, other values under the same numbers, or another \
         experiment: give --out another folder"
    )]
    OtherSweep { path: PathBuf },
    #[error("{path} does not hold the sweep {sweep} of a farm: give --out another folder")]
    FolderOfOtherSweep { path: PathBuf, sweep: String },
    #[error("{path} is not empty and holds no sweep: give --out a new or an empty folder")]
    FolderWithoutSweep { path: PathBuf },
    #[error(
        "{path}/sweep.json is damaged, or was written by another version of hatchery: give --out \
         another folder; the runs below {path} are whole"
    )]
    UnreadableSweep { path: PathBuf },
    #[error(
        "{selector} is a sweep of this machine, not a run: name one of its runs{}",
        .example.as_ref().map(|it| format!(", such as {it}")).unwrap_or_default()
    )]
    SweepNotRun { selector: String, example: Option<String> },
    #[error("--reuse of a single run computes nothing to --resume: leave out one of the two")]
    ReuseAndResume,
    #[error("--reuse shows a run where it is: leave out --out and HATCHERY_OUT")]
    ReuseInFolder,
    #[error("{path} is a file of a run or a sweep: name another file")]
    FileOfRun { path: PathBuf },
    #[error("only one of --svg, --html and --export can be -, which is standard output")]
    ManyToStandardOutput,
    #[error(
        "{n_trials} trials are written to a file each: give --export, --svg or --html, with {{}} \
         in the name of the file for the trial, such as --export game-{{}}.json"
    )]
    ManyTrials { n_trials: usize },
    #[error(transparent)]
    Comparison(#[from] ComparisonError),

    #[error("no farm is named: give --coordinator URL, or set HATCHERY_COORDINATOR")]
    NoFarm,
    #[error("no run of a farm is {state}: only runs of this machine are")]
    NoStateOfFarms { state: &'static str },
    #[error(transparent)]
    Endpoint(#[from] DialError),
    #[error(transparent)]
    StoreLocation(StoreError),
    #[error(
        "only one of HATCHERY_REDIS, HATCHERY_REDIS_FILE and HATCHERY_STORE can be set: unset the \
         others, or give --redis, --redis-file or --store"
    )]
    TwoStores,
    #[error("{path} holds no Redis URL, such as rediss://farm:PASSWORD@redis.example:6380/0")]
    NoUrlInFile { path: PathBuf },
    #[error(
        "--redis-ca, --redis-cert and their variables are for a farm with Redis: a store in a file \
         needs no certificate"
    )]
    CertificatesWithoutRedis,
    #[error(
        "--parts and HATCHERY_PARTS are for a farm with Redis: a store in a file has its parts in \
         the file"
    )]
    PartsWithoutRedis,

    #[error("{variable} holds no token")]
    NoTokenInVariable { variable: &'static str },
    #[error(
        "--listen {address} is open to other machines: give --tokens with --tls-cert and \
         --tls-key, or --open-to-everyone"
    )]
    OpenListener { address: SocketAddr },
    #[error(
        "--listen {address}: plain TCP is accepted on loopback only, as others could read the \
         tokens: give --tls-cert and --tls-key"
    )]
    PlainListener { address: SocketAddr },
    #[error(
        "--metrics is open to other machines: give --tokens with --tls-cert and --tls-key, or \
         --metrics-open"
    )]
    OpenCoordinatorMetrics,
    #[error(
        "--metrics is open to other machines, and a worker has no tokens to check: give \
         --metrics-open"
    )]
    OpenWorkerMetrics,
    #[error("--min-workers {min} is more than --max-workers {max}")]
    WorkerLimits { min: u32, max: u32 },
    #[error("--target-drain must be more than 0")]
    ZeroTargetDrain,

    #[error("no run of {spec} to resume below runs/")]
    NothingToResume { spec: String },
    #[error("{path} already holds a run: add --resume to continue it, or give another --out")]
    FolderHoldsRun { path: PathBuf },
    #[error("{path} holds a run of another spec: see {}", .path.join("spec.toml").display())]
    FolderHoldsOtherSpec { path: PathBuf },
    #[error("{path} holds no run yet")]
    FolderHoldsNoRun { path: PathBuf },
    #[error(
        "the run in {path} is in progress in another process: wait for it, or interrupt it with \
         Ctrl-C and continue it with --resume"
    )]
    FolderInUse { path: PathBuf },
    #[error("the run in {path} is not in progress, it is {state}: {remedy}")]
    RunNotInProgress { path: PathBuf, state: &'static str, remedy: String },
    #[error(
        "the process that runs the run in {path} does not answer: try again when it has started, \
         or end it with Ctrl-C"
    )]
    RunDoesNotAnswer { path: PathBuf },
    #[error("{path} is not empty and holds no run: give --out a new or an empty folder")]
    FolderNotEmpty { path: PathBuf },
    #[error("{path} is not empty and does not hold run {run}: give --out a new or an empty folder")]
    FolderOfOtherRun { path: PathBuf, run: RunId },
    #[error("--out {path} is a file, not a folder")]
    FolderIsFile { path: PathBuf },
    #[error(
        "{selector} was written by `fetch` and has no store: name run {run} instead, with \
         --coordinator URL if it is a farm's"
    )]
    FetchedFolder { selector: String, run: String },
    #[error(
        "no run {selector:?}: there are no runs below runs/ yet; `{} run PRESET` makes the \
         first; name a run elsewhere by its folder",
        program::name()
    )]
    NoRunsHere { selector: String },
    #[error(
        "no run {selector:?}: give its folder, `last`, a name below runs/, or four or more \
         characters of the beginning or end of its id ({})",
        joined(.known, "there are none")
    )]
    UnknownFolder { selector: String, known: Vec<String> },

    #[error("the run has no measure yet: its first generation has not ended")]
    NoMeasureYet,
    #[error(
        "no measure {name:?} after the last generation: {}there are {known}",
        suggested(.likely.as_slice())
    )]
    UnknownMeasure { name: String, likely: Option<String>, known: String },

    #[error("no generation {generation}: the run's last generation is {last}, counted from 0")]
    NoSuchGeneration { generation: u32, last: u32 },
    #[error(
        "the state of generation {generation} is no longer kept: name a trial of generation \
         {nearest}, the nearest earlier generation that is kept"
    )]
    StateGone { generation: u32, nearest: u32 },
    #[error("part {part} is no longer kept")]
    PartGone { part: Part },
    #[error(
        "no subject {subject}: generation {generation} has {}, counted from 0",
        counted(*.n_subjects, "subject")
    )]
    NoSuchSubject { generation: u32, subject: u32, n_subjects: usize },
    #[error(
        "no trial {trial}: subject {subject} has {}, counted from 0",
        counted(*.n_trials, "trial")
    )]
    NoSuchTrial { subject: u32, trial: u32, n_trials: u32 },
    #[error("{experiment} has no best trial that is kept: {trials}")]
    NoBestTrial { experiment: String, trials: ReplayableTrials },
    #[error("there is no best trial yet, because no generation has finished: {trials}")]
    NothingBestYet { trials: ReplayableTrials },
    #[error("there are no games: give --wins, --draws and --losses, or --pairs")]
    NoGames,
    #[error(transparent)]
    Statistics(#[from] StatsError),
    #[error("{experiment} has no export format: use --svg, --html or --output json")]
    NoExportFormat { experiment: String },
    #[error(
        "--play needs a terminal as standard input and output: print frames with --frames FROM..TO \
         or --last N"
    )]
    PlayWithoutTerminal,
    #[error("no frame {frame}: the trial has {}", counted(*.n_frames, "frame"))]
    NoSuchFrame { frame: u64, n_frames: u64 },

    #[cfg(feature = "faults")]
    #[error("{variable} is {value:?}, but must be {expected}")]
    FaultVariable { variable: &'static str, value: String, expected: &'static str },
}

/// Returns a question with the likely meaning, with a space after it; nothing if there is no guess.
fn suggested(likely: &[String]) -> String {
    match likely {
        [] => String::new(),
        likely => format!("did you mean {}? ", likely.join(" or ")),
    }
}
