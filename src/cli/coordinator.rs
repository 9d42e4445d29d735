//! `hatchery coordinator`

use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU64;
use std::time::Duration;

use clap::{Args, ValueEnum};
use hatchery_coordinator::{
    ControlService, Coordinator, CoordinatorConfig, OpinionsBy, ScalingPolicy,
};
use hatchery_server::BoundListener;
use hatchery_server::grpc::{self, GrpcOptions, HealthMonitor, ServerReflection};
use hatchery_worker::{DialError, TcpDialer, host_name};
use tokio::sync::watch;
use tonic::transport::Uri;

use super::metrics::MetricsArgs;
use super::runtime::in_runtime;
use super::security::SecurityArgs;
use super::store::{OpenedStore, StoreArgs};
use crate::error::{CommandError, UsageError};
use crate::program::catalog;
use crate::signals::StopSignals;
use crate::terminal::print_status;

/// The time for a shutdown: other coordinators take over unreturned jobs when their leases expire.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(25);

/// The time for open calls to end once all workers have left.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Run a coordinator, which accepts runs, leads them and assigns their jobs to workers
///
/// Coordinators that share a Redis form one farm, and any coordinator can stop at any time. On
/// Ctrl-C, SIGTERM or SIGHUP, the coordinator sends its workers to the other coordinators and
/// exits; a second signal ends it at once. Either way, nothing is lost.
#[derive(Debug, Args)]
pub(crate) struct CoordinatorCommand {
    /// Address to listen on; port 0 picks a free port
    #[arg(long, value_name = "ADDR", env = "HATCHERY_LISTEN", default_value = "127.0.0.1:7700")]
    listen: SocketAddr,
    #[command(flatten)]
    store: StoreArgs,
    /// URL that workers and other coordinators use to reach this coordinator, such as
    /// `https://farm.example:7700` [default: its own address]
    #[arg(long, value_name = "URL", env = "HATCHERY_ADVERTISE", value_parser = advertised_url)]
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

/// Returns the URL at which others probably reach a coordinator that listens on `address`.
fn default_endpoint(scheme: &str, address: SocketAddr) -> String {
    match address.ip().is_unspecified() {
        true => format!("{scheme}://{}:{}", host_name(), address.port()),
        false => format!("{scheme}://{address}"),
    }
}

/// A URL at which nobody reaches a coordinator.
#[derive(Debug, thiserror::Error)]
enum AdvertisedUrlError {
    #[error(transparent)]
    Dial(#[from] DialError),
    #[error("the port is missing: give {given}:7700, or https://{given} for port 443")]
    NoPort { given: String },
    #[error("no other machine reaches {host}: give the name or the address of this machine")]
    Unspecified { host: String },
    #[error("only a scheme, a host and a port are allowed, as in https://farm.example:7700")]
    MoreThanHost,
}

/// Returns the URL at which others reach a coordinator, from a value that may lack the scheme.
fn advertised_url(given: &str) -> Result<String, AdvertisedUrlError> {
    let url = TcpDialer::url(given);
    TcpDialer::check(&url)?;
    let malformed = || DialError::Malformed { endpoint: url.clone() };
    let uri: Uri = url.parse().map_err(|_| malformed())?;
    let (host, authority) = uri.host().zip(uri.authority()).ok_or_else(malformed)?;
    if !matches!(uri.path(), "" | "/") || uri.query().is_some() {
        return Err(AdvertisedUrlError::MoreThanHost);
    }
    // What precedes the host is a name with a password.
    let port = authority.as_str().strip_prefix(host).ok_or(AdvertisedUrlError::MoreThanHost)?;
    if port.is_empty() && !given.contains("://") {
        return Err(AdvertisedUrlError::NoPort { given: given.trim().to_owned() });
    }
    let ip: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    if ip.is_some_and(|ip| ip.is_unspecified()) {
        return Err(AdvertisedUrlError::Unspecified { host: host.to_owned() });
    }
    Ok(url)
}

impl CoordinatorCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        self.security.check(self.listen, self.metrics)?;
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
        let OpenedStore { store, loss } = tokio::select! {
            opened = self.store.open() => opened?,
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
        let coordinator = Coordinator::start(store, catalog(), config).await?;
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
            error = OpenedStore::lost(loss) => return Err(CommandError::StoreNotOpened(error)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_can_reach_what_is_advertised() {
        for (given, url) in [
            ("farm.example:7700", "https://farm.example:7700"),
            (" https://coordinator:7700 ", "https://coordinator:7700"),
            ("https://farm.example", "https://farm.example"),
            ("https://farm.example:443/", "https://farm.example:443/"),
            ("[2001:db8::1]:7700", "https://[2001:db8::1]:7700"),
            ("127.0.0.1:65535", "http://127.0.0.1:65535"),
            ("http://localhost:7700", "http://localhost:7700"),
        ] {
            assert_eq!(advertised_url(given).unwrap(), url, "{given}");
        }
        for (given, said) in [
            ("", "is not a coordinator's address"),
            ("two words:1", "is not a coordinator's address"),
            ("https://", "is not a coordinator's address"),
            (":7700", "is not a coordinator's address"),
            ("2001:db8::1", "is not a coordinator's address"),
            ("ftp://farm.example:21", "is not a coordinator's address"),
            ("http://farm.example:7700", "plain TCP is accepted on loopback only"),
            ("garbage", "give garbage:7700, or https://garbage for port 443"),
            ("127.0.0.1", "the port is missing"),
            ("farm.example:", "port"),
            ("farm.example:0", "port"),
            ("farm.example:77000", "port"),
            ("https://farm.example:99999", "port"),
            ("0.0.0.0:7700", "no other machine reaches 0.0.0.0"),
            ("https://[::]:7700", "no other machine reaches [::]"),
            ("https://farm.example:7700/path", "only a scheme, a host and a port"),
            ("https://ada:secret@farm.example:7700", "only a scheme, a host and a port"),
        ] {
            let error = advertised_url(given).unwrap_err().to_string();
            assert!(error.contains(said), "{given}: {error}");
        }
    }
}
