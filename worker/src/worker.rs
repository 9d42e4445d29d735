//! The life of a worker: one session after the other, and jobs that continue between sessions.

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
use crate::executor::Executor;
use crate::executor::task::ExecutorEvent;
use crate::session::dial::Dialer;
use crate::session::stream::{SessionError, SessionStream};
use crate::session::{SessionEnd, run_session};
use crate::shutdown::{AfterShutdown, MAX_GRACE, deadline_reached, stop_requested};
use crate::state::WorkerState;

/// The time after which a session counts as good, so that the next failure counts as the first.
const LASTING_SESSION: Duration = Duration::from_secs(10);

/// The reason for which a worker ended.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The thread pool could not be started.
    #[error("cannot start {slots} threads for trials")]
    Threads {
        /// The number of threads.
        slots: u32,
        /// The error of the system.
        source: rayon::ThreadPoolBuildError,
    },
    /// The number of slots is out of range.
    #[error("{slots} slots, but a worker has 1 to {MAX_SLOTS}")]
    Slots {
        /// The number of slots.
        slots: u32,
    },
    /// The configuration names no coordinator.
    #[error("no coordinator given")]
    NoEndpoint,
    /// No coordinator can work with this worker.
    #[error("{endpoint} refused this worker: {reason}")]
    Refused {
        /// The coordinator that refused last.
        endpoint: String,
        /// The coordinator's reason.
        reason: String,
    },
    /// A coordinator does not accept this worker's token, or no longer does. Another attempt would
    /// not help.
    #[error("{endpoint} denied access: {reason}")]
    Unauthorized {
        /// The coordinator.
        endpoint: String,
        /// The coordinator's reason.
        reason: String,
    },
    /// A trial does not return although its job was cancelled. Only a new process helps.
    #[error(
        "a trial of job {job} still runs {} ms after the job was cancelled",
        after.as_millis()
    )]
    Stuck {
        /// The job, as RUN/GENERATION/INDEX.
        job: String,
        /// The time since the cancellation.
        after: Duration,
    },
    /// The only session ended.
    #[error("the session with the coordinator ended")]
    Session(#[from] SessionError),
}

/// Runs a worker for the coordinators of `config`, which `dialer` connects to, until `stop` becomes
/// true or a coordinator sends Drain. The worker then gives back unfinished jobs and leaves.
///
/// # Errors
/// If `config` is out of range, if no coordinator accepts the worker, if a trial does not return,
/// or if the session is lost and the worker must not reconnect.
pub async fn run_worker(
    config: WorkerConfig,
    dialer: Arc<dyn Dialer>,
    stop: watch::Receiver<bool>,
) -> Result<(), WorkerError> {
    let meters = Arc::new(worker_meters(&config));
    run_worker_with_meters(config, dialer, stop, meters).await
}

/// Runs a worker as [`run_worker`] does, and counts in `meters`, which [`worker_meters`] made for
/// the same `config`.
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

/// Returns the meters of a worker with this `config`.
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
                Ok(()) => self.state.endpoints.next_endpoint().ok_or(WorkerError::NoEndpoint)?,
                Err(end) => return self.finish(end),
            };
            wait = match Box::pin(self.connect_once(&endpoint)).await {
                SessionEnd::Lost(error) => self.retry_in(&endpoint, error)?,
                SessionEnd::Reconnect { after } => {
                    tracing::info!(endpoint, ?after, "the coordinator asked for a reconnect");
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
        state.endpoints.record_welcome();
        let since = Instant::now();
        state.meters.set_in_session(true);
        let end = run_session(state, stream, welcome).await;
        state.meters.set_in_session(false);
        if LASTING_SESSION <= since.elapsed() {
            state.endpoints.record_lasting_session();
        }
        // A worker that only reconnects takes jobs again.
        state.shutdown = state.shutdown.filter(|shutdown| shutdown.then == AfterShutdown::Exit);
        end
    }

    /// Returns the wait after a session that was lost or could not be opened.
    ///
    /// # Errors
    /// If the worker is not to try again.
    fn retry_in(&mut self, endpoint: &str, error: SessionError) -> Result<Duration, WorkerError> {
        let state = &mut self.state;
        // One coordinator may be older, or have older tokens, than all others.
        let refuses =
            matches!(error, SessionError::Refused { .. } | SessionError::Unauthorized { .. });
        if refuses && state.endpoints.record_refusal(endpoint) {
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
        let wait = state.endpoints.record_failure(&mut state.rng);
        let wait = error.pushback().map_or(wait, |pushback| pushback.max(wait));
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

    /// Waits for `future` without a session, while jobs go on.
    ///
    /// # Errors
    /// If the worker is to end first.
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
                event = state.executor.next_event() => {
                    // The self-tests of a session that is gone are of no use.
                    if let ExecutorEvent::Job(key, outcome) = event {
                        state.jobs.finish(key, outcome);
                    }
                }
                value = &mut future => return Ok(value),
            }
        }
    }
}
