//! `hatchery coordinator`

use std::ffi::OsString;
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use hatchery_catalog::CATALOG;
use hatchery_coordinator::{
    Config, ControlService, Coordinator, EmbeddedStore, RedisStore, Scaling, Store, StoreError,
};
use hatchery_worker::{TcpDialer, host_name};
use tokio::sync::watch;

use super::metrics::MetricsArgs;
use super::runtime::in_runtime;
use super::security::SecureArgs;
use crate::environment::variable;
use crate::failure::Failure;
use crate::server::{self, Door, Health, Listening, Reflection};
use crate::signals::Signals;
use crate::terminal::print_status;

/// The file that holds the runs unless something else is said.
const STORE: &str = "hatchery.redb";

/// How long leaving may take in all: what is not given back by then is found by the others when
/// its leases run out.
const DRAIN_CAP: Duration = Duration::from_secs(25);

/// How long calls that are still open may take once all workers have left.
const CLOSE_GRACE: Duration = Duration::from_secs(2);

/// Coordinate a farm: take runs, lead them, and hand their jobs to workers
///
/// Coordinators of one Redis are one farm: any of them can go at any time. Ctrl-C or SIGTERM lets
/// the workers go and leaves; a second one ends at once. Nothing is lost either way.
#[derive(Debug, Args)]
pub(crate) struct RunCoordinator {
    /// Where to listen; port 0 takes any that is free
    #[arg(long, value_name = "ADDR", env = "HATCHERY_LISTEN", default_value = "127.0.0.1:7700")]
    listen: SocketAddr,
    /// The Redis server that holds the runs, such as redis://127.0.0.1/ or
    /// rediss://USER:PASSWORD@HOST:6380/0 [env: HATCHERY_REDIS]
    #[arg(long, value_name = "URL", conflicts_with = "store")]
    redis: Option<String>,
    /// The file that holds the runs if there is no Redis: then this is the farm's only coordinator
    /// [env: HATCHERY_STORE] [default: hatchery.redb]
    #[arg(long, value_name = "PATH")]
    store: Option<PathBuf>,
    /// Where others reach this coordinator [default: where it listens]
    #[arg(long, value_name = "URL", env = "HATCHERY_ADVERTISE")]
    advertise: Option<String>,
    /// Let clients such as grpcurl ask which services there are
    #[arg(long)]
    reflection: bool,
    /// The most trials in a job [default: as many as take about a second]
    #[arg(long, value_name = "N", env = "HATCHERY_JOB_TRIALS")]
    job_trials: Option<NonZeroU64>,
    /// How many of a million jobs are computed by a second worker too, and compared
    #[arg(long, value_name = "N", env = "HATCHERY_AUDIT_PPM", default_value_t = Config::default().audit_ppm)]
    #[arg(value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    audit_ppm: u32,
    #[command(flatten)]
    secure: SecureArgs,
    #[command(flatten)]
    metrics: MetricsArgs,
    #[command(flatten)]
    scaling: ScalingArgs,
}

/// How many workers the farm should have: `hatchery_desired_workers` and `/desired_workers`.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "How many workers there should be")]
struct ScalingArgs {
    /// How long the workers may take for all that is pending
    #[arg(long, value_name = "DURATION", env = "HATCHERY_TARGET_DRAIN", default_value = "5m",
          value_parser = humantime::parse_duration)]
    target_drain: Duration,
    /// How many slots a worker has [default: as many as those that are there have on average]
    #[arg(long, value_name = "N", env = "HATCHERY_SLOTS_PER_WORKER",
          value_parser = clap::value_parser!(u32).range(1..=4096))]
    slots_per_worker: Option<u32>,
    /// The fewest workers while anything is pending; none are needed otherwise
    #[arg(long, value_name = "N", env = "HATCHERY_MIN_WORKERS", default_value_t = 0)]
    min_workers: u32,
    /// The most workers
    #[arg(long, value_name = "N", env = "HATCHERY_MAX_WORKERS", default_value_t = 100)]
    max_workers: u32,
}

impl ScalingArgs {
    fn scaling(self) -> Result<Scaling, Failure> {
        let Self { target_drain, slots_per_worker, min_workers, max_workers } = self;
        if max_workers < min_workers {
            return Err(Failure::Usage(format!(
                "--min-workers {min_workers} is more than --max-workers {max_workers}"
            )));
        }
        if target_drain.is_zero() {
            return Err(Failure::Usage("--target-drain must be more than 0".to_owned()));
        }
        Ok(Scaling { target_drain, slots_per_worker, min_workers, max_workers })
    }
}

/// Where the runs are: a Redis, a file, or what neither says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Place {
    redis: Option<String>,
    store: Option<PathBuf>,
}

impl Place {
    /// What the environment says.
    fn of_variables() -> Self {
        let text = |value: OsString| value.to_string_lossy().into_owned();
        Self {
            redis: variable("HATCHERY_REDIS").map(text),
            store: variable("HATCHERY_STORE").map(PathBuf::from),
        }
    }

    /// Opens what `flags` say and, only if they say nothing, what `variables` say.
    async fn open(flags: Self, variables: Self) -> Result<Arc<dyn Store>, Failure> {
        let said = if flags == Self::default() { variables } else { flags };
        let path = match said {
            Self { redis: Some(_), store: Some(_) } => {
                return Err(Failure::Usage(
                    "both HATCHERY_REDIS and HATCHERY_STORE are set: unset one, or give --redis or \
                     --store"
                        .to_owned(),
                ));
            }
            Self { redis: Some(url), store: None } => {
                let opened = RedisStore::open(&url).await;
                return Ok(Arc::new(opened.map_err(unopened)?));
            }
            Self { redis: None, store } => store.unwrap_or_else(|| PathBuf::from(STORE)),
        };
        // Reads the whole file.
        let opened = tokio::task::spawn_blocking(move || EmbeddedStore::open(&path)).await;
        Ok(Arc::new(opened.map_err(|error| Failure::SetUp(Box::new(error)))??))
    }
}

/// Why a Redis is not opened; a URL that is none was never looked for.
fn unopened(error: StoreError) -> Failure {
    match error {
        StoreError::Unsuitable { place, what } if place == "the Redis URL" => {
            Failure::Usage(format!("{place}: {what}"))
        }
        error => Failure::Store(error),
    }
}

/// Where others reach a coordinator that listens at `address`, as far as it knows.
fn reached(scheme: &str, address: SocketAddr) -> String {
    match address.ip().is_unspecified() {
        true => format!("{scheme}://{}:{}", host_name(), address.port()),
        false => format!("{scheme}://{address}"),
    }
}

impl RunCoordinator {
    pub(super) fn run(&self) -> Result<(), Failure> {
        self.secure.check(self.listen, self.metrics)?;
        if let Some(endpoint) = &self.advertise {
            TcpDialer::check(endpoint).map_err(|error| Failure::Usage(error.to_string()))?;
        }
        in_runtime(self.serve(self.scaling.scaling()?))
    }

    async fn serve(&self, scaling: Scaling) -> Result<(), Failure> {
        let mut signals = Signals::listen().map_err(|error| Failure::SetUp(Box::new(error)))?;
        let flags = Place { redis: self.redis.clone(), store: self.store.clone() };
        let store = Place::open(flags, Place::of_variables()).await?;
        let security = self.secure.open()?;
        let listening = Listening::bind(self.listen).await?;
        let scheme = if self.secure.has_tls() { "https" } else { "http" };
        let url = format!("{scheme}://{}", listening.address());
        let endpoint =
            self.advertise.clone().unwrap_or_else(|| reached(scheme, listening.address()));
        let (job_trials, audit_ppm) = (self.job_trials, self.audit_ppm);
        let config = Config { endpoint, scaling, job_trials, audit_ppm, ..Config::default() };
        let observing = self.metrics.bind().await?;
        let coordinator = Coordinator::start(store, CATALOG, config).await?;
        coordinator.serve_all().await;
        let (draining, drains) = watch::channel(false);
        let (closing, mut closes) = watch::channel(false);
        let health = Health::new().await;
        let (terms, gate, door) = security.install(&coordinator, self.metrics);
        let _observed =
            observing.map(|bound| bound.serve("coordinator", door, coordinator.clone()));
        let watched = coordinator.clone();
        let watching = health.clone();
        tokio::spawn(async move { watching.watch(watched, drains).await });

        let control = ControlService::new(coordinator.clone());
        let reflection = if self.reflection { Reflection::On } else { Reflection::Off };
        let stop = async move {
            // The sender lives until the end.
            closes.wait_for(|&closing| closing).await.map(|_| ()).unwrap_or_default();
        };
        let (door, accepting) = (Door { gate, reflection }, listening.accept(terms));
        let serving = server::serve(&coordinator, &control, &health, door, accepting, stop);
        let mut serving = std::pin::pin!(serving);
        print_status(&format!("hatchery coordinator listens on {url}"));
        tokio::select! {
            ended = &mut serving => return ended,
            () = signals.next() => {}
        }
        tracing::info!("leaving: workers are let go; a second signal ends at once");
        draining.send_replace(true);
        let leaving = async {
            let left = async {
                coordinator.stop().await;
                control.close();
                closing.send_replace(true);
            };
            tokio::select! {
                () = left => {}
                ended = &mut serving => return ended,
            }
            // A client that does not read its answer must not keep the process.
            tokio::time::timeout(CLOSE_GRACE, &mut serving).await.unwrap_or(Ok(()))
        };
        tokio::select! {
            ended = tokio::time::timeout(DRAIN_CAP, leaving) => match ended {
                Ok(ended) => ended,
                Err(_) => {
                    tracing::warn!("not everything was given back in time; leaving anyway");
                    Ok(())
                }
            },
            () = signals.next() => Err(Failure::Interrupted),
        }
    }
}
