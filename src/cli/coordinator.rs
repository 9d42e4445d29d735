//! `hatchery coordinator`

use std::ffi::OsString;
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::path::{Component, PathBuf};
use std::time::{Duration, Instant};

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use hatchery_catalog::CATALOG;
use hatchery_coordinator::{
    ControlService, Coordinator, CoordinatorConfig, OpinionsBy, ScalingPolicy,
};
use hatchery_core::error_chain;
use hatchery_server::BoundListener;
use hatchery_server::grpc::{self, GrpcOptions, HealthMonitor, ServerReflection};
use hatchery_store::{EmbeddedStore, PartDirectoryOptions, RedisStore, Store, StoreError};
use hatchery_worker::{TcpDialer, host_name};
use tokio::sync::watch;

use super::metrics::MetricsArgs;
use super::runtime::in_runtime;
use super::security::SecurityArgs;
use crate::client::coordinator_url;
use crate::environment::variable;
use crate::error::{CommandError, UsageError};
use crate::signals::StopSignals;
use crate::terminal::print_status;

/// The file of the embedded store unless a flag or variable names another.
const DEFAULT_STORE: &str = "hatchery.redb";

/// The time for a shutdown: other coordinators take over unreturned jobs when their leases expire.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(25);

/// The pause between attempts to reach a Redis that does not answer.
const CONNECT_AGAIN: Duration = Duration::from_millis(500);

/// The interval at which a wait for Redis is logged.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// The longest wait for a Redis that loads its data: tens of gigabytes from a slow disk.
const LOADING_TIMEOUT: Duration = Duration::from_secs(600);

/// The time for open calls to end once all workers have left.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Run a coordinator, which accepts runs, leads them and assigns their jobs to workers
///
/// Coordinators that share a Redis form one farm, and any coordinator can stop at any time. On
/// Ctrl-C or SIGTERM, the coordinator sends its workers to the other coordinators and exits; a
/// second signal ends it at once. Either way, nothing is lost.
#[derive(Debug, Args)]
pub(crate) struct CoordinatorCommand {
    /// Address to listen on; port 0 picks a free port
    #[arg(long, value_name = "ADDR", env = "HATCHERY_LISTEN", default_value = "127.0.0.1:7700")]
    listen: SocketAddr,
    /// Redis server that stores the runs, such as redis://127.0.0.1/ or
    /// rediss://USER:PASSWORD@HOST:6380/0 [env: HATCHERY_REDIS]
    #[arg(long, value_name = "URL", conflicts_with = "store")]
    redis: Option<String>,
    /// File that stores the runs without Redis, for a farm with one coordinator
    /// [env: HATCHERY_STORE] [default: hatchery.redb]
    #[arg(long, value_name = "PATH")]
    store: Option<PathBuf>,
    /// Where to store large values: `redis`, or a directory shared by all coordinators of the
    /// Redis, such as /srv/parts
    #[arg(long, value_name = "redis|DIR", env = "HATCHERY_PARTS", default_value = "redis",
          value_parser = OsStringValueParser::new().try_map(PartsLocation::parse))]
    parts: PartsLocation,
    /// Longest time to wait for a Redis that does not answer, such as 60s; a Redis that loads its
    /// data always gets up to 10 minutes
    #[arg(long, value_name = "DURATION", env = "HATCHERY_WAIT_FOR_STORE", default_value = "0s",
          value_parser = humantime::parse_duration)]
    wait_for_store: Duration,
    /// URL that workers and other coordinators use to reach this coordinator [default: its own
    /// address]
    #[arg(long, value_name = "URL", env = "HATCHERY_ADVERTISE", value_parser = coordinator_url)]
    advertise: Option<String>,
    /// Serve gRPC reflection, for clients such as grpcurl
    #[arg(long)]
    reflection: bool,
    /// Largest number of trials in a job [default: as many as take about a second]
    #[arg(long, value_name = "N", env = "HATCHERY_JOB_TRIALS")]
    job_trials: Option<NonZeroU64>,
    /// Jobs per million that a second worker computes as well, to compare the results
    #[arg(long, value_name = "N", env = "HATCHERY_AUDIT_PPM")]
    #[arg(default_value_t = CoordinatorConfig::default().audit_ppm)]
    #[arg(value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    audit_ppm: u32,
    /// What counts as an independent source when audits compare results
    #[arg(long, value_name = "UNIT", env = "HATCHERY_OPINIONS_BY", default_value = "worker")]
    opinions_by: OpinionsByArg,
    #[command(flatten)]
    security: SecurityArgs,
    #[command(flatten)]
    metrics: MetricsArgs,
    #[command(flatten)]
    scaling: ScalingArgs,
}

/// What counts as an independent source in audits, on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OpinionsByArg {
    /// Each worker
    Worker,
    /// All workers that use the same token at the same address
    Host,
}

impl From<OpinionsByArg> for OpinionsBy {
    fn from(unit: OpinionsByArg) -> Self {
        match unit {
            OpinionsByArg::Worker => Self::Worker,
            OpinionsByArg::Host => Self::Host,
        }
    }
}

/// The place of the bytes of parts, on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PartsLocation {
    /// In Redis.
    Redis,
    /// In a directory.
    Directory(PathBuf),
}

impl PartsLocation {
    /// Parses `redis`, or a directory for parts and nothing else.
    fn parse(place: OsString) -> Result<Self, &'static str> {
        if place == "redis" {
            return Ok(Self::Redis);
        }
        let path = PathBuf::from(place);
        let has_name = |part: Component<'_>| !matches!(part, Component::RootDir);
        match path.components().any(has_name) {
            true => Ok(Self::Directory(path)),
            false if path.as_os_str().is_empty() => {
                Err("empty, but must be `redis` or a directory")
            }
            false => Err("a directory of its own is needed, such as /srv/parts"),
        }
    }
}

/// The desired number of workers: `hatchery_desired_workers` and `/desired_workers`.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Autoscaling")]
struct ScalingArgs {
    /// Time that the desired number of workers needs to finish all pending work
    #[arg(long, value_name = "DURATION", env = "HATCHERY_TARGET_DRAIN", default_value = "5m",
          value_parser = humantime::parse_duration)]
    target_drain: Duration,
    /// Slots of a worker [default: the average of the connected workers]
    #[arg(long, value_name = "N", env = "HATCHERY_SLOTS_PER_WORKER",
          value_parser = clap::value_parser!(u32).range(1..=4096))]
    slots_per_worker: Option<u32>,
    /// Smallest desired number of workers while work is pending; otherwise it is 0
    #[arg(long, value_name = "N", env = "HATCHERY_MIN_WORKERS", default_value_t = 0)]
    min_workers: u32,
    /// Largest desired number of workers
    #[arg(long, value_name = "N", env = "HATCHERY_MAX_WORKERS", default_value_t = 100)]
    max_workers: u32,
}

impl ScalingArgs {
    fn scaling(self) -> Result<ScalingPolicy, UsageError> {
        let Self { target_drain, slots_per_worker, min_workers, max_workers } = self;
        if max_workers < min_workers {
            return Err(UsageError::WorkerLimits { min: min_workers, max: max_workers });
        }
        if target_drain.is_zero() {
            return Err(UsageError::ZeroTargetDrain);
        }
        Ok(ScalingPolicy { target_drain, slots_per_worker, min_workers, max_workers })
    }
}

/// The place of the runs: a Redis, a file, or neither if nothing is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct StoreLocation {
    redis: Option<String>,
    store: Option<PathBuf>,
}

impl StoreLocation {
    /// Returns the location that the environment gives.
    fn from_environment() -> Self {
        let text = |value: OsString| value.to_string_lossy().into_owned();
        Self {
            redis: variable("HATCHERY_REDIS").map(text),
            store: variable("HATCHERY_STORE").map(PathBuf::from),
        }
    }

    /// Opens the store that `flags` give, or `variables` if there are no flags. A Redis that does
    /// not answer is waited for.
    async fn open(
        flags: Self,
        variables: Self,
        parts: &PartsLocation,
        wait: Duration,
    ) -> Result<Store, CommandError> {
        let location = if flags == Self::default() { variables } else { flags };
        let path = match location {
            Self { redis: Some(_), store: Some(_) } => {
                return Err(UsageError::TwoStores.into());
            }
            Self { redis: Some(url), store: None } => {
                return Ok(Store::new(open_redis(&url, parts, wait).await?));
            }
            Self { redis: None, store: _ } if *parts != PartsLocation::Redis => {
                return Err(UsageError::PartsWithoutRedis.into());
            }
            Self { redis: None, store } => store.unwrap_or_else(|| PathBuf::from(DEFAULT_STORE)),
        };
        // Opening reads the whole file.
        let opened = tokio::task::spawn_blocking(move || EmbeddedStore::open(&path)).await;
        let opened = opened.map_err(CommandError::set_up)?;
        Ok(Store::new(opened.map_err(CommandError::StoreNotOpened)?))
    }
}

/// Connects to a Redis, again and again for as long as `wait` while it does not answer, and for
/// [`LOADING_TIMEOUT`] once it has answered that it loads its data.
async fn open_redis(
    url: &str,
    parts: &PartsLocation,
    wait: Duration,
) -> Result<RedisStore, CommandError> {
    let begun = Instant::now();
    let mut wait = wait;
    let mut logged: Option<(bool, Instant)> = None;
    loop {
        let opened = match parts {
            PartsLocation::Redis => RedisStore::open(url).await,
            PartsLocation::Directory(path) => {
                RedisStore::open_with_directory(url, &PartDirectoryOptions::new(path)).await
            }
        };
        let error = match opened {
            Err(error @ StoreError::Unavailable { .. }) if !error.is_denied() => error,
            opened => return opened.map_err(redis_error),
        };
        let loading = error.is_loading();
        if loading {
            // It answers rarely meanwhile.
            wait = wait.max(LOADING_TIMEOUT);
        }
        if wait <= begun.elapsed() {
            return Err(redis_error(error));
        }
        if logged.is_none_or(|(of, at)| of != loading || LOG_INTERVAL <= at.elapsed()) {
            let is_of_directory = error.is_of_directory();
            let (waited_s, error) = (begun.elapsed().as_secs(), error_chain(&error));
            match loading {
                true => tracing::warn!(waited_s, "waiting for Redis, which loads its data"),
                false if is_of_directory => {
                    tracing::warn!(waited_s, error, "the directory of parts cannot be used yet");
                }
                false => tracing::warn!(waited_s, error, "the store does not answer yet"),
            }
            logged = Some((loading, Instant::now()));
        }
        tokio::time::sleep(CONNECT_AGAIN).await;
    }
}

/// Converts the error of opening a Redis; a malformed URL is wrong usage.
fn redis_error(error: StoreError) -> CommandError {
    match error {
        StoreError::Unsuitable { place, what } if place == "the Redis URL" => {
            UsageError::StoreLocation(StoreError::Unsuitable { place, what }).into()
        }
        error if error.is_denied() => CommandError::StoreDenied(error),
        // Redis answers.
        error if error.is_of_directory() => CommandError::StoreNotOpened(error),
        error @ StoreError::Unavailable { .. } => CommandError::NoStore(error),
        error => CommandError::StoreNotOpened(error),
    }
}

/// Returns the URL at which others probably reach a coordinator that listens on `address`.
fn default_endpoint(scheme: &str, address: SocketAddr) -> String {
    match address.ip().is_unspecified() {
        true => format!("{scheme}://{}:{}", host_name(), address.port()),
        false => format!("{scheme}://{address}"),
    }
}

impl CoordinatorCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        self.security.check(self.listen, self.metrics)?;
        if let Some(endpoint) = &self.advertise {
            TcpDialer::check(endpoint).map_err(UsageError::from)?;
        }
        in_runtime(self.serve(self.scaling.scaling()?))
    }

    fn config(&self, endpoint: String, scaling: ScalingPolicy) -> CoordinatorConfig {
        let (job_trials, audit_ppm) = (self.job_trials, self.audit_ppm);
        CoordinatorConfig {
            endpoint,
            scaling,
            job_trials,
            audit_ppm,
            opinions_by: self.opinions_by.into(),
            ..CoordinatorConfig::default()
        }
    }

    async fn serve(&self, scaling: ScalingPolicy) -> Result<(), CommandError> {
        let mut signals = StopSignals::listen().map_err(CommandError::set_up)?;
        let flags = StoreLocation { redis: self.redis.clone(), store: self.store.clone() };
        let variables = StoreLocation::from_environment();
        let opening = StoreLocation::open(flags, variables, &self.parts, self.wait_for_store);
        let store = tokio::select! {
            store = opening => store?,
            () = signals.next() => return Err(CommandError::Interrupted),
        };
        let security = self.security.open()?;
        let listener = BoundListener::bind(self.listen).await?;
        let scheme = if self.security.has_tls() { "https" } else { "http" };
        let url = format!("{scheme}://{}", listener.address());
        let endpoint =
            self.advertise.clone().unwrap_or_else(|| default_endpoint(scheme, listener.address()));
        let config = self.config(endpoint, scaling);
        let metrics = self.metrics.bind().await?;
        let coordinator = Coordinator::start(store, CATALOG, config).await?;
        coordinator.serve_all().await;
        let (draining, is_draining) = watch::channel(false);
        let (closing, mut is_closing) = watch::channel(false);
        let health = HealthMonitor::new().await;
        let (access, metrics_access) = security.into_access(&coordinator, self.metrics.access());
        let _admin_server = metrics
            .map(|metrics| metrics.serve("coordinator", metrics_access, coordinator.clone()));
        let (monitor, monitored) = (health.clone(), coordinator.clone());
        tokio::spawn(async move { monitor.watch(monitored, is_draining).await });

        let control = ControlService::new(coordinator.clone());
        let reflection = if self.reflection { ServerReflection::On } else { ServerReflection::Off };
        let stop = async move {
            // The sender lives until the end of the process.
            is_closing.wait_for(|&closing| closing).await.map(|_| ()).unwrap_or_default();
        };
        let options = GrpcOptions { access, reflection };
        let serving = grpc::serve(&coordinator, &control, &health, options, listener, stop);
        let mut serving = std::pin::pin!(async { Ok(serving.await?) });
        print_status(&format!("hatchery coordinator listens on {url}"));
        tokio::select! {
            ended = &mut serving => return ended,
            () = signals.next() => {}
        }
        tracing::info!(
            "draining: workers move to other coordinators; a second signal ends at once"
        );
        draining.send_replace(true);
        let shutdown = async {
            let drained = async {
                coordinator.stop().await;
                control.close();
                closing.send_replace(true);
            };
            tokio::select! {
                () = drained => {}
                ended = &mut serving => return ended,
            }
            // A client that does not read its response must not keep the process alive.
            tokio::time::timeout(CLOSE_TIMEOUT, &mut serving).await.unwrap_or(Ok(()))
        };
        tokio::select! {
            ended = tokio::time::timeout(DRAIN_TIMEOUT, shutdown) => match ended {
                Ok(ended) => ended,
                Err(_) => {
                    tracing::warn!("not everything was returned in time; exiting anyway");
                    Ok(())
                }
            },
            () = signals.next() => Err(CommandError::Interrupted),
        }
    }
}
