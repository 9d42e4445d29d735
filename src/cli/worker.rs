//! `hatchery worker`

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use hatchery_proto::{MAX_WORKER_NAME_BYTES, WorkerProof};
use hatchery_server::http::HttpAccess;
use hatchery_server::random_bytes;
use hatchery_worker::{
    ExecutionMode, PART_CACHE_BYTES, ReconnectPolicy, STUCK_GRACE, TcpDialer, WorkerConfig,
    WorkerError, host_name, run_worker_with_meters, worker_meters,
};
use tokio::sync::watch;

use super::metrics::MetricsArgs;
use super::threads::trial_threads;
use crate::build_info::available_cores;
use crate::client::{CONNECTION_HEADING, ConnectArgs, ReloadingDialer, coordinator_url};
use crate::environment::random_seed;
#[cfg(feature = "faults")]
use crate::environment::variable;
use crate::error::{CommandError, UsageError};
use crate::program::catalog;
use crate::signals::{StopSignals, refuse_large_files};

/// Run a worker, which computes jobs for a farm until it is stopped
///
/// On Ctrl-C, SIGTERM or SIGHUP the worker finishes its running jobs, returns the others and exits;
/// a second signal ends it at once. Nothing is lost either way.
#[derive(Debug, Args)]
pub(crate) struct WorkerCommand {
    /// URL of a coordinator, such as `https://farm.example:7700`; repeat the flag for each
    /// coordinator
    #[arg(
        long,
        value_name = "URL",
        env = "HATCHERY_COORDINATOR",
        value_delimiter = ',',
        value_parser = coordinator_url,
        required = true,
        help_heading = CONNECTION_HEADING
    )]
    coordinator: Vec<String>,
    /// Number of trials to run at the same time [default: one per core]
    #[arg(long, value_name = "N", env = "HATCHERY_SLOTS",
          value_parser = clap::value_parser!(u32).range(1..=4096))]
    slots: Option<u32>,
    /// Name of the worker, for people [default: the host name]
    #[arg(long, value_name = "NAME", env = "HATCHERY_NAME", value_parser = parse_name)]
    name: Option<String>,
    /// Time for running jobs to finish when the worker is stopped
    #[arg(long, value_name = "DURATION", env = "HATCHERY_GRACE", default_value = "25s",
          value_parser = humantime::parse_duration)]
    grace: Duration,
    /// Memory for parts, such as weights, that are kept for the next jobs, in MiB
    #[arg(long, value_name = "MIB", env = "HATCHERY_PART_CACHE",
          default_value_t = PART_CACHE_BYTES >> 20)]
    part_cache: usize,
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(flatten)]
    metrics: MetricsArgs,
}

fn parse_name(name: &str) -> Result<String, String> {
    let fits = (1..=MAX_WORKER_NAME_BYTES).contains(&name.len());
    let expected = || format!("must have 1 to {MAX_WORKER_NAME_BYTES} bytes");
    fits.then(|| name.to_owned()).ok_or_else(expected)
}

impl WorkerCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        let config = self.config()?;
        let dialer = ReloadingDialer::new(self.connect.clone())?;
        if self.metrics.need_token() {
            return Err(UsageError::OpenWorkerMetrics.into());
        }
        // The worker waits for its connection only; trials have threads of their own.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(CommandError::set_up)?;
        let outcome = runtime.block_on(until_stopped(config, dialer, self.metrics));
        // A trial that does not end must not keep the process alive.
        runtime.shutdown_timeout(Duration::ZERO);
        match outcome {
            Err(CommandError::Worker(stuck @ WorkerError::Stuck { .. })) => Err(restart(&stuck)),
            outcome => outcome,
        }
    }

    fn config(&self) -> Result<WorkerConfig, CommandError> {
        for endpoint in &self.coordinator {
            TcpDialer::check(endpoint).map_err(UsageError::from)?;
        }
        let slots = self.slots.unwrap_or_else(available_cores);
        let slots = trial_threads(slots, |warning| tracing::warn!("{warning}"))?;
        Ok(WorkerConfig {
            name: self.name.clone().unwrap_or_else(host_name),
            slots,
            catalog: catalog(),
            endpoints: self.coordinator.clone(),
            grace: self.grace,
            stuck_grace: STUCK_GRACE,
            part_cache_bytes: self.part_cache.saturating_mul(1 << 20),
            reconnect: ReconnectPolicy::Always,
            execution: ExecutionMode::Threads,
            proof: WorkerProof::new(random_bytes().map_err(CommandError::set_up)?),
            rng_seed: random_seed(),
            #[cfg(feature = "faults")]
            fault: fault()?,
            #[cfg(feature = "faults")]
            slowdown: slowdown()?,
        })
    }
}

async fn until_stopped(
    config: WorkerConfig,
    dialer: ReloadingDialer,
    metrics: MetricsArgs,
) -> Result<(), CommandError> {
    refuse_large_files();
    let meters = Arc::new(worker_meters(&config));
    let listener = metrics.bind().await?;
    let _admin_server =
        listener.map(|listener| listener.serve("worker", HttpAccess::open(), Arc::clone(&meters)));
    let mut signals = StopSignals::listen().map_err(CommandError::set_up)?;
    let (stop, stopped) = watch::channel(false);
    let mut working =
        std::pin::pin!(run_worker_with_meters(config, Arc::new(dialer), stopped, meters));
    tokio::select! {
        outcome = &mut working => return Ok(outcome?),
        () = signals.next() => {}
    }
    tracing::info!("stopping: running jobs may finish; a second signal ends at once");
    stop.send_replace(true);
    tokio::select! {
        outcome = &mut working => Ok(outcome?),
        () = signals.next() => Err(CommandError::Interrupted),
    }
}

/// Replaces this process, because a trial does not return, by a new process.
fn restart(stuck: &WorkerError) -> CommandError {
    tracing::error!(error = %stuck, "restarting as a new process");
    let failed = match std::env::current_exe() {
        Ok(program) => Command::new(program).args(std::env::args_os().skip(1)).exec(),
        Err(error) => error,
    };
    CommandError::set_up(failed)
}

/// Reads from the environment which results are to be wrong.
#[cfg(feature = "faults")]
fn fault() -> Result<Option<hatchery_worker::FaultMode>, CommandError> {
    use hatchery_worker::FaultMode;
    const KEY: &str = "HATCHERY_FAULT_LIE";
    let Some(text) = variable(KEY) else { return Ok(None) };
    let text = text.to_string_lossy().into_owned();
    let fault = match text.split_once(':') {
        None if text == "always" => Some(FaultMode::CorruptAll),
        None if text == "fail" => Some(FaultMode::FailAll),
        None if text == "malform" => Some(FaultMode::MalformAll),
        Some(("after", n)) => n.parse().ok().map(FaultMode::CorruptAfter),
        Some(("ppm", n)) => n.parse().ok().map(FaultMode::CorruptShare),
        _ => None,
    };
    let expected = "always, after:N, ppm:N, fail or malform";
    match fault {
        Some(fault) => Ok(Some(fault)),
        None => Err(UsageError::FaultVariable { variable: KEY, value: text, expected }.into()),
    }
}

/// Reads from the environment which trials are to take longer than they compute.
#[cfg(feature = "faults")]
fn slowdown() -> Result<Option<hatchery_worker::Slowdown>, CommandError> {
    const KEY: &str = "HATCHERY_FAULT_SLOW";
    let Some(text) = variable(KEY) else { return Ok(None) };
    let text = text.to_string_lossy().into_owned();
    let slowdown = text.split_once(':').and_then(|(experiment, factor)| {
        let factor = factor.parse().ok().filter(|&factor| 1 <= factor)?;
        Some(hatchery_worker::Slowdown { experiment: experiment.to_owned(), factor })
    });
    match slowdown {
        Some(slowdown) => Ok(Some(slowdown)),
        None => {
            let expected = "EXPERIMENT:FACTOR, such as pig:10";
            Err(UsageError::FaultVariable { variable: KEY, value: text, expected }.into())
        }
    }
}
