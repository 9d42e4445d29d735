//! The life of a worker: one session after the other, and jobs that go on between them.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hatchery_meters::WorkerMeters;
use hatchery_proto::v1::{ExperimentVersion, Hello};
use hatchery_proto::{MAX_SLOTS, PROTOCOL};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use crate::config::{Config, Patience};
use crate::crew::{Crew, Finished};
use crate::desk::Desk;
use crate::dial::Dial;
use crate::entropy::Entropy;
use crate::itinerary::Itinerary;
use crate::key::Key;
use crate::leave::{LONGEST_GRACE, Leaving, Then};
use crate::link::{Link, SessionError};
use crate::shared::Benches;

/// After how long a session counts as a good one, so that the next failure is the first again.
const LASTING_SESSION: Duration = Duration::from_secs(10);

/// Why a worker ended.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// The thread pool could not be made.
    #[error("no thread pool with {slots} threads")]
    Threads {
        /// How many threads were asked for.
        slots: u32,
        /// What the system says.
        source: rayon::ThreadPoolBuildError,
    },
    /// The configuration asks for too much or too little.
    #[error("{slots} slots, but must be 1 to {MAX_SLOTS}")]
    Slots {
        /// How many slots were asked for.
        slots: u32,
    },
    /// There is nowhere to go.
    #[error("no coordinator is given")]
    NoEndpoint,
    /// All coordinators say that they can't work with this worker.
    #[error("refused by {endpoint}: {reason}")]
    Refused {
        /// The one that said so last.
        endpoint: String,
        /// What it said.
        reason: String,
    },
    /// A coordinator does not take this worker's token, or no more: trying again would not help.
    #[error("not let in by {endpoint}: {reason}")]
    Unauthorized {
        /// The coordinator.
        endpoint: String,
        /// What it said.
        reason: String,
    },
    /// A trial does not return although its job was cancelled: only a new process helps.
    #[error("a trial of job {job} does not return, {after_ms} ms after the job was cancelled")]
    Stuck {
        /// The job, as RUN/GENERATION/INDEX.
        job: String,
        /// How long it was waited for.
        after_ms: u128,
    },
    /// The only session ended.
    #[error("the session with the coordinator ended")]
    Session(#[from] SessionError),
}

/// Works for the coordinators of `config`, which `dialer` reaches, until `stop` becomes true or a
/// coordinator says Drain; then gives back what is not finished, and leaves.
///
/// # Errors
/// If it can't begin, if no coordinator accepts it, if a trial does not return, or if its patience
/// ends.
pub async fn work(
    config: Config,
    dialer: Arc<dyn Dial>,
    stop: watch::Receiver<bool>,
) -> Result<(), WorkError> {
    let meters = Arc::new(meters(&config));
    work_counting(config, dialer, stop, meters).await
}

/// As [`work`], counting in `meters`, which are those of a worker of this `config`.
///
/// # Errors
/// As [`work`].
pub async fn work_counting(
    config: Config,
    dialer: Arc<dyn Dial>,
    stop: watch::Receiver<bool>,
    meters: Arc<WorkerMeters>,
) -> Result<(), WorkError> {
    Worker::new(config, stop, meters)?.run(dialer).await
}

/// What a worker of this `config` counts.
#[must_use]
pub fn meters(config: &Config) -> WorkerMeters {
    WorkerMeters::new(config.slots, env!("CARGO_PKG_VERSION"), PROTOCOL)
}

/// A worker between and in its sessions.
pub(crate) struct Worker {
    pub(crate) config: Config,
    pub(crate) entropy: Entropy,
    pub(crate) itinerary: Itinerary,
    pub(crate) desk: Desk,
    pub(crate) crew: Crew,
    pub(crate) benches: Benches,
    pub(crate) stop: watch::Receiver<bool>,
    pub(crate) leaving: Option<Leaving>,
    /// The number of the session.
    pub(crate) session: u64,
    pub(crate) meters: Arc<WorkerMeters>,
    #[cfg(feature = "faults")]
    pub(crate) liar: crate::lie::Liar,
    incarnation: [u8; 16],
}

/// How a session, or the time between two, ends.
#[derive(Debug)]
pub(crate) enum Ending {
    /// The worker is to end.
    Left,
    /// It is to go elsewhere.
    Elsewhere { after: Duration },
    /// The coordinator is lost.
    Lost(SessionError),
    /// A trial does not return.
    Stuck(Key),
}

impl Worker {
    fn new(
        mut config: Config,
        stop: watch::Receiver<bool>,
        meters: Arc<WorkerMeters>,
    ) -> Result<Self, WorkError> {
        for grace in [&mut config.grace, &mut config.stuck_grace] {
            *grace = LONGEST_GRACE.min(*grace);
        }
        let slots = config.slots;
        if !(1..=MAX_SLOTS).contains(&slots) {
            return Err(WorkError::Slots { slots });
        }
        if config.endpoints.is_empty() {
            return Err(WorkError::NoEndpoint);
        }
        let mut entropy = Entropy::new(config.entropy);
        Ok(Self {
            incarnation: entropy.id(),
            itinerary: Itinerary::new(&config.endpoints, &mut entropy),
            entropy,
            desk: Desk::new(slots),
            crew: Crew::new(&config)?,
            benches: Benches::default(),
            stop,
            leaving: None,
            session: 0,
            meters,
            #[cfg(feature = "faults")]
            liar: crate::lie::Liar::new(config.lie),
            config,
        })
    }

    async fn run(mut self, dialer: Arc<dyn Dial>) -> Result<(), WorkError> {
        let mut wait = Duration::ZERO;
        loop {
            let endpoint = match self.meanwhile(sleep(wait)).await {
                Ok(()) => self.itinerary.advance().ok_or(WorkError::NoEndpoint)?,
                Err(ending) => return self.end(ending),
            };
            wait = match Box::pin(self.visit(&endpoint, &dialer)).await {
                Ending::Lost(error) => self.lost(&endpoint, error)?,
                Ending::Elsewhere { after } => {
                    tracing::info!(endpoint, ?after, "asked to go elsewhere");
                    after
                }
                ending => return self.end(ending),
            };
        }
    }

    /// One session with the coordinator at `endpoint`.
    async fn visit(&mut self, endpoint: &str, dialer: &Arc<dyn Dial>) -> Ending {
        let hello = self.hello();
        let opened = self.meanwhile(Link::open(Arc::clone(dialer), endpoint.to_owned(), hello));
        let (link, welcome) = match opened.await {
            Ok(Ok(opened)) => opened,
            Ok(Err(error)) => return Ending::Lost(error),
            Err(ending) => return ending,
        };
        tracing::info!(endpoint, slots = self.config.slots, "connected");
        self.itinerary.welcomed();
        let since = Instant::now();
        self.meters.set_in_session(true);
        let ending = self.attend(link, welcome).await;
        self.meters.set_in_session(false);
        if LASTING_SESSION <= since.elapsed() {
            self.itinerary.lasted();
        }
        // Elsewhere it starts again.
        self.leaving = self.leaving.filter(|leaving| leaving.then == Then::End);
        ending
    }

    /// How long to wait after a session was lost, or did not come about.
    fn lost(&mut self, endpoint: &str, error: SessionError) -> Result<Duration, WorkError> {
        // One coordinator may be older, or have older tokens, than all others.
        let refuses =
            matches!(error, SessionError::Refused { .. } | SessionError::Unauthorized { .. });
        if refuses && self.itinerary.refused(endpoint) {
            let endpoint = endpoint.to_owned();
            return Err(match error {
                SessionError::Refused { reason } => WorkError::Refused { endpoint, reason },
                SessionError::Unauthorized { reason } => {
                    WorkError::Unauthorized { endpoint, reason }
                }
                other => other.into(),
            });
        }
        if self.config.patience == Patience::OneSession && self.leaving.is_none() {
            return Err(error.into());
        }
        let wait = self.itinerary.failed(&mut self.entropy);
        tracing::warn!(endpoint, error = causes(&error), retry_in = ?wait, "no session");
        Ok(wait)
    }

    fn end(&self, ending: Ending) -> Result<(), WorkError> {
        match ending {
            Ending::Stuck(key) => Err(WorkError::Stuck {
                job: key.to_string(),
                after_ms: self.config.stuck_grace.as_millis(),
            }),
            Ending::Lost(error) => Err(error.into()),
            Ending::Left | Ending::Elsewhere { .. } => {
                tracing::info!("drained");
                Ok(())
            }
        }
    }

    /// Waits for `future`, without a session; jobs go on.
    async fn meanwhile<T>(&mut self, future: impl Future<Output = T>) -> Result<T, Ending> {
        let mut future = pin!(future);
        loop {
            self.start_jobs(None);
            self.meters.outbox(self.desk.n_done());
            let now = Instant::now();
            if let Some(ending) = self.overdue(now) {
                return Err(ending);
            }
            let idle = self.desk.n_at_work() == 0 && self.desk.n_done() == 0;
            if self.leaving.is_some_and(|leaving| idle || leaving.deadline <= now) {
                return Err(Ending::Left);
            }
            let wake = self.wake_at();
            tokio::select! {
                biased;
                () = stopped(&mut self.stop), if !self.is_ending() => self.leave(Then::End),
                () = until(wake) => {}
                finished = self.crew.finished() => {
                    // The self-tests of a session that is gone interest nobody.
                    if let Finished::Job(key, executed) = finished {
                        self.desk.finish(key, executed);
                    }
                }
                value = &mut future => return Ok(value),
            }
        }
    }

    fn hello(&self) -> Hello {
        let known = self.config.catalog.0.iter().map(|experiment| ExperimentVersion {
            experiment: experiment.name().to_owned(),
            version: experiment.version(),
        });
        Hello {
            protocol: PROTOCOL,
            worker: self.config.name.clone(),
            incarnation: self.incarnation.to_vec(),
            build: env!("CARGO_PKG_VERSION").to_owned(),
            experiments: known.collect(),
            slots: self.config.slots,
            held: self.desk.held(),
        }
    }
}

/// Resolves when the worker is to stop; so it is when nobody can say so any more.
pub(crate) async fn stopped(stop: &mut watch::Receiver<bool>) {
    while !*stop.borrow_and_update() && stop.changed().await.is_ok() {}
}

/// Resolves at `instant`; never if there is none.
pub(crate) async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

/// The error and what caused it, in one line.
pub(crate) fn causes(error: &dyn std::error::Error) -> String {
    let chain = std::iter::successors(Some(error), |error| error.source());
    chain.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
