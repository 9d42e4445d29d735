//! The life of a worker: one session after the other, and jobs that go on between them.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hatchery_core::error_chain;
use hatchery_meters::WorkerMeters;
use hatchery_proto::{MAX_SLOTS, PROTOCOL};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::config::{ReconnectPolicy, WorkerConfig};
use crate::executor::{Executor, ExecutorEvent};
use crate::session::dial::Dialer;
use crate::session::stream::{SessionError, SessionStream};
use crate::session::{SessionEnd, run_session};
use crate::shutdown::{AfterShutdown, MAX_GRACE, deadline_reached, stop_requested};
use crate::state::WorkerState;

/// The length after which a session counts as good, so that the next failure is the first again.
const LASTING_SESSION: Duration = Duration::from_secs(10);

/// Why a worker ended.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
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
    #[error(
        "a trial of job {job} does not return, {} ms after the job was cancelled",
        after.as_millis()
    )]
    Stuck {
        /// The job, as RUN/GENERATION/INDEX.
        job: String,
        /// How long it was waited for.
        after: Duration,
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
pub async fn run_worker(
    config: WorkerConfig,
    dialer: Arc<dyn Dialer>,
    stop: watch::Receiver<bool>,
) -> Result<(), WorkerError> {
    let meters = Arc::new(worker_meters(&config));
    run_worker_with_meters(config, dialer, stop, meters).await
}

/// As [`run_worker`], counting in `meters`, which are those of a worker of this `config`.
///
/// # Errors
/// As [`run_worker`].
pub async fn run_worker_with_meters(
    mut config: WorkerConfig,
    dialer: Arc<dyn Dialer>,
    stop: watch::Receiver<bool>,
    meters: Arc<WorkerMeters>,
) -> Result<(), WorkerError> {
    for grace in [&mut config.grace, &mut config.stuck_grace] {
        *grace = MAX_GRACE.min(*grace);
    }
    let slots = config.slots;
    if !(1..=MAX_SLOTS).contains(&slots) {
        return Err(WorkerError::Slots { slots });
    }
    if config.endpoints.is_empty() {
        return Err(WorkerError::NoEndpoint);
    }
    let executor = Executor::new(config.execution, slots)
        .map_err(|source| WorkerError::Threads { slots, source })?;
    let state = WorkerState::new(config, executor, stop, meters);
    Worker { state, dialer }.run().await
}

/// What a worker of this `config` counts.
#[must_use]
pub fn worker_meters(config: &WorkerConfig) -> WorkerMeters {
    WorkerMeters::new(config.slots, env!("CARGO_PKG_VERSION"), PROTOCOL)
}

struct Worker {
    state: WorkerState,
    dialer: Arc<dyn Dialer>,
}

impl Worker {
    async fn run(mut self) -> Result<(), WorkerError> {
        let mut wait = Duration::ZERO;
        loop {
            let endpoint = match self.idle_while(sleep(wait)).await {
                Ok(()) => self.state.endpoints.advance().ok_or(WorkerError::NoEndpoint)?,
                Err(end) => return self.finish(end),
            };
            wait = match Box::pin(self.connect_once(&endpoint)).await {
                SessionEnd::Lost(error) => self.retry_in(&endpoint, error)?,
                SessionEnd::Reconnect { after } => {
                    tracing::info!(endpoint, ?after, "asked to go elsewhere");
                    after
                }
                end => return self.finish(end),
            };
        }
    }

    /// Opens a session with the coordinator at `endpoint` and runs it to its end.
    async fn connect_once(&mut self, endpoint: &str) -> SessionEnd {
        let hello = self.state.hello();
        let opening = SessionStream::open(Arc::clone(&self.dialer), endpoint.to_owned(), hello);
        let (stream, welcome) = match self.idle_while(opening).await {
            Ok(Ok(opened)) => opened,
            Ok(Err(error)) => return SessionEnd::Lost(error),
            Err(end) => return end,
        };
        let state = &mut self.state;
        tracing::info!(endpoint, slots = state.config.slots, "connected");
        state.endpoints.welcomed();
        let since = Instant::now();
        state.meters.set_in_session(true);
        let end = run_session(state, stream, welcome).await;
        state.meters.set_in_session(false);
        if LASTING_SESSION <= since.elapsed() {
            state.endpoints.lasted();
        }
        // A worker that only reconnects takes jobs again.
        state.shutdown = state.shutdown.filter(|shutdown| shutdown.then == AfterShutdown::Exit);
        end
    }

    /// Returns the wait after a session that was lost or could not be opened.
    fn retry_in(&mut self, endpoint: &str, error: SessionError) -> Result<Duration, WorkerError> {
        let state = &mut self.state;
        // One coordinator may be older, or have older tokens, than all others.
        let refuses =
            matches!(error, SessionError::Refused { .. } | SessionError::Unauthorized { .. });
        if refuses && state.endpoints.refused(endpoint) {
            let endpoint = endpoint.to_owned();
            return Err(match error {
                SessionError::Refused { reason } => WorkerError::Refused { endpoint, reason },
                SessionError::Unauthorized { reason } => {
                    WorkerError::Unauthorized { endpoint, reason }
                }
                other => other.into(),
            });
        }
        if state.config.reconnect == ReconnectPolicy::Never && state.shutdown.is_none() {
            return Err(error.into());
        }
        let wait = state.endpoints.failed(&mut state.rng);
        tracing::warn!(endpoint, error = error_chain(&error), retry_in = ?wait, "no session");
        Ok(wait)
    }

    fn finish(&self, end: SessionEnd) -> Result<(), WorkerError> {
        match end {
            SessionEnd::Stuck(key) => Err(WorkerError::Stuck {
                job: key.to_string(),
                after: self.state.config.stuck_grace,
            }),
            SessionEnd::Lost(error) => Err(error.into()),
            SessionEnd::ShutDown | SessionEnd::Reconnect { .. } => {
                tracing::info!("drained");
                Ok(())
            }
        }
    }

    /// Waits for `future` without a session, while jobs go on. Fails if the worker is to end first.
    async fn idle_while<T>(&mut self, future: impl Future<Output = T>) -> Result<T, SessionEnd> {
        let state = &mut self.state;
        let mut future = pin!(future);
        loop {
            // A missing shared input has to wait for the next session.
            state.start_jobs();
            state.meters.set_outbox(state.jobs.n_done());
            let now = Instant::now();
            if let Some(stuck) = state.enforce_deadlines(now) {
                return Err(SessionEnd::Stuck(stuck));
            }
            let idle = state.is_idle();
            if state.shutdown.is_some_and(|shutdown| idle || shutdown.deadline <= now) {
                return Err(SessionEnd::ShutDown);
            }
            let exiting = state.is_exiting();
            let wake = state.next_deadline();
            tokio::select! {
                biased;
                () = stop_requested(&mut state.stop), if !exiting => {
                    state.shut_down(AfterShutdown::Exit);
                }
                () = deadline_reached(wake) => {}
                finished = state.executor.finished() => {
                    // The self-tests of a session that is gone are of no use.
                    if let ExecutorEvent::Job(key, executed) = finished {
                        state.jobs.finish(key, executed);
                    }
                }
                value = &mut future => return Ok(value),
            }
        }
    }
}
