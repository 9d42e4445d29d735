//! `hatchery worker`

use std::num::NonZeroUsize;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use hatchery_catalog::CATALOG;
use hatchery_worker::{
    ExecutionMode, ReconnectPolicy, STUCK_GRACE, TcpDialer, WorkerConfig, WorkerError, host_name,
    run_worker_with_meters, worker_meters,
};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use super::metrics::MetricsArgs;
use crate::client::ConnectArgs;
use crate::environment::random_seed;
use crate::failure::Failure;
use crate::observe::Door;

/// Work for a farm: simulate what coordinators ask for, until told to stop
///
/// Ctrl-C or SIGTERM lets the jobs that run end, gives back the others and leaves; a second one
/// ends at once. Nothing is lost either way.
#[derive(Debug, Args)]
pub(crate) struct Worker {
    /// Where a coordinator is, such as `https://farm.example:7700`; may be given many times
    #[arg(
        long,
        value_name = "URL",
        env = "HATCHERY_COORDINATOR",
        value_delimiter = ',',
        required = true
    )]
    coordinator: Vec<String>,
    /// How many trials run at the same time [default: one per core]
    #[arg(long, value_name = "N", env = "HATCHERY_SLOTS",
          value_parser = clap::value_parser!(u32).range(1..=4096))]
    slots: Option<u32>,
    /// A name for people [default: the machine's]
    #[arg(long, value_name = "NAME", env = "HATCHERY_NAME")]
    name: Option<String>,
    /// How long jobs may take to end when the worker is to stop
    #[arg(long, value_name = "DURATION", env = "HATCHERY_GRACE", default_value = "25s",
          value_parser = humantime::parse_duration)]
    grace: Duration,
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(flatten)]
    metrics: MetricsArgs,
}

impl Worker {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let config = self.config()?;
        let dial = self.connect.dial()?;
        if self.metrics.is_guarded() {
            return Err(Failure::Usage(
                "--metrics is open to other machines, and a worker knows no tokens: say \
                 --metrics-open"
                    .to_owned(),
            ));
        }
        // Its connection is all that it waits for; trials have threads of their own.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::SetUp(Box::new(error)))?;
        let outcome = runtime.block_on(until_stopped(config, dial, self.metrics));
        // A trial that does not end must not keep the process.
        runtime.shutdown_timeout(Duration::ZERO);
        match outcome {
            Err(Failure::Worker(stuck @ WorkerError::Stuck { .. })) => Err(begin_again(&stuck)),
            outcome => outcome,
        }
    }

    fn config(&self) -> Result<WorkerConfig, Failure> {
        for endpoint in &self.coordinator {
            TcpDialer::check(endpoint).map_err(|error| Failure::Usage(error.to_string()))?;
        }
        let slots = self.slots.unwrap_or_else(|| {
            let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
            u32::try_from(cores).unwrap_or(1)
        });
        Ok(WorkerConfig {
            name: self.name.clone().unwrap_or_else(host_name),
            slots,
            catalog: CATALOG,
            endpoints: self.coordinator.clone(),
            grace: self.grace,
            stuck_grace: STUCK_GRACE,
            reconnect: ReconnectPolicy::Always,
            execution: ExecutionMode::Threads,
            rng_seed: random_seed(),
            #[cfg(feature = "faults")]
            fault: fault()?,
        })
    }
}

async fn until_stopped(
    config: WorkerConfig,
    dial: TcpDialer,
    metrics: MetricsArgs,
) -> Result<(), Failure> {
    let meters = Arc::new(worker_meters(&config));
    let observing = metrics.bind().await?;
    let _observed = observing.map(|bound| bound.serve("worker", Door::Open, Arc::clone(&meters)));
    let catch = |kind| signal(kind).map_err(|error| Failure::SetUp(Box::new(error)));
    let mut interrupt = catch(SignalKind::interrupt())?;
    let mut terminate = catch(SignalKind::terminate())?;
    let (stop, stopped) = watch::channel(false);
    let mut working =
        std::pin::pin!(run_worker_with_meters(config, Arc::new(dial), stopped, meters));
    tokio::select! {
        outcome = &mut working => return Ok(outcome?),
        () = either(&mut interrupt, &mut terminate) => {}
    }
    tracing::info!("stopping: what runs may end; a second signal ends at once");
    stop.send_replace(true);
    tokio::select! {
        outcome = &mut working => Ok(outcome?),
        () = either(&mut interrupt, &mut terminate) => Err(Failure::Interrupted),
    }
}

async fn either(one: &mut Signal, other: &mut Signal) {
    tokio::select! {
        _ = one.recv() => {}
        _ = other.recv() => {}
    }
}

/// Replaces this process, with the trial that does not return, by a fresh one.
fn begin_again(stuck: &WorkerError) -> Failure {
    tracing::error!(error = %stuck, "beginning again as a new process");
    let failed = match std::env::current_exe() {
        Ok(program) => Command::new(program).args(std::env::args_os().skip(1)).exec(),
        Err(error) => error,
    };
    Failure::SetUp(Box::new(failed))
}

/// Which results are to be wrong.
#[cfg(feature = "faults")]
fn fault() -> Result<Option<hatchery_worker::FaultMode>, Failure> {
    use hatchery_worker::FaultMode;
    const KEY: &str = "HATCHERY_FAULT_LIE";
    let Ok(text) = std::env::var(KEY) else { return Ok(None) };
    let fault = match text.split_once(':') {
        None if text == "always" => Some(FaultMode::CorruptAll),
        None if text == "fail" => Some(FaultMode::FailAll),
        Some(("after", n)) => n.parse().ok().map(FaultMode::CorruptAfter),
        Some(("ppm", n)) => n.parse().ok().map(FaultMode::CorruptShare),
        _ => None,
    };
    let expected = "always, after:N, ppm:N or fail";
    fault
        .map(Some)
        .ok_or_else(|| Failure::Usage(format!("{KEY} is {text:?}, but must be {expected}")))
}
