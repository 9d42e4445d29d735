//! The state of a worker that outlives its sessions, and the steps that need no coordinator.

use std::sync::Arc;

use fastrand::Rng;
use hatchery_core::erased::PreparedSimulation;
use hatchery_core::error_chain;
use hatchery_meters::WorkerMeters;
use hatchery_proto::PROTOCOL;
use hatchery_proto::v1::{ExperimentVersion, Hello};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::config::WorkerConfig;
use crate::endpoints::EndpointRotation;
use crate::executor::Executor;
use crate::executor::handle::JobHandle;
use crate::executor::job::{JobOutcome, failure};
use crate::executor::shared::{PREPARED_CAPACITY, PreparedCache, SimulationKey};
use crate::executor::task::JobTask;
use crate::ids::{JobKey, RunId, WorkerId};
use crate::job_table::JobTable;
use crate::shutdown::{AfterShutdown, ShutdownState};

/// See the [module](self).
pub(crate) struct WorkerState {
    pub(crate) config: WorkerConfig,
    pub(crate) rng: Rng,
    pub(crate) endpoints: EndpointRotation,
    pub(crate) jobs: JobTable,
    pub(crate) executor: Executor,
    pub(crate) benches: PreparedCache,
    /// Becomes true when the worker is to stop.
    pub(crate) stop: watch::Receiver<bool>,
    pub(crate) shutdown: Option<ShutdownState>,
    /// The number of sessions so far; names the current one.
    pub(crate) n_sessions: u64,
    pub(crate) meters: Arc<WorkerMeters>,
    #[cfg(feature = "faults")]
    faults: crate::faults::FaultInjector,
    id: WorkerId,
}

/// The outcome of an attempt to start a waiting job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StartAttempt {
    Started,
    NoRoom,
    NoInput,
}

impl WorkerState {
    /// A worker that has not connected yet, with a valid `config`.
    pub(crate) fn new(
        config: WorkerConfig,
        executor: Executor,
        stop: watch::Receiver<bool>,
        meters: Arc<WorkerMeters>,
    ) -> Self {
        let mut rng = Rng::with_seed(config.rng_seed);
        let mut id = [0; 16];
        rng.fill(&mut id);
        Self {
            id: WorkerId::new(id),
            endpoints: EndpointRotation::new(&config.endpoints, &mut rng),
            rng,
            jobs: JobTable::new(config.slots),
            executor,
            benches: PreparedCache::default(),
            stop,
            shutdown: None,
            n_sessions: 0,
            meters,
            #[cfg(feature = "faults")]
            faults: crate::faults::FaultInjector::new(config.fault),
            config,
        }
    }

    /// Returns the first message of a session.
    pub(crate) fn hello(&self) -> Hello {
        let known = self.config.catalog.0.iter().map(|experiment| ExperimentVersion {
            experiment: experiment.name().to_owned(),
            version: experiment.version(),
        });
        Hello {
            protocol: PROTOCOL,
            worker: self.config.name.clone(),
            incarnation: self.id.to_wire(),
            build: env!("CARGO_PKG_VERSION").to_owned(),
            experiments: known.collect(),
            slots: self.config.slots,
            held: self.jobs.held(),
        }
    }

    /// Starts as many waiting jobs as there are threads and shared inputs for. Returns the first
    /// shared input that is missing, with the run of the job that needs it.
    pub(crate) fn start_jobs(&mut self) -> Option<(SimulationKey, RunId)> {
        loop {
            let catalog = self.config.catalog;
            // No further ahead than the cache has room for, or each fetched input would evict the
            // next.
            let heads = self
                .jobs
                .waiting(PREPARED_CAPACITY)
                .map(|(key, job)| (key, SimulationKey::of(job, catalog)));
            let (mut n_left, mut missing) = (0, None);
            for (key, id) in heads.collect::<Vec<_>>() {
                let id = match id {
                    Ok(id) => id,
                    Err(error) => {
                        self.jobs.finish(key, JobOutcome::Failed(failure(error_chain(&error))));
                        continue;
                    }
                };
                let attempt = self.start(key, id);
                n_left += usize::from(attempt != StartAttempt::Started);
                if attempt == StartAttempt::NoInput {
                    missing = missing.or(Some((id, key.run)));
                }
            }
            // All jobs that can start have started once only those are left that cannot.
            if n_left == self.jobs.waiting(PREPARED_CAPACITY).count() {
                return missing;
            }
        }
    }

    fn start(&mut self, key: JobKey, id: SimulationKey) -> StartAttempt {
        let Some(bench) = self.benches.get(id) else { return StartAttempt::NoInput };
        if !self.executor.has_room() {
            return StartAttempt::NoRoom;
        }
        let handle = Arc::new(JobHandle::new(self.meters.busy_slots()));
        let Some(job) = self.jobs.take(key, Arc::clone(&handle)) else {
            return StartAttempt::NoRoom;
        };
        #[cfg(feature = "faults")]
        let job = self.faults.inject(job, &mut self.rng);
        self.executor.start(JobTask { key, job, bench, handle });
        StartAttempt::Started
    }

    /// Caches a shared input that was fetched.
    pub(crate) fn input_fetched(&mut self, id: SimulationKey, bench: Arc<dyn PreparedSimulation>) {
        self.benches.keep(id, bench);
    }

    /// Ends all waiting jobs of `run` that need the shared input `id`, which cannot be had: they
    /// fail with `reason`, or are given back if there is none.
    pub(crate) fn input_unavailable(
        &mut self,
        id: SimulationKey,
        run: RunId,
        reason: Option<&str>,
    ) {
        let catalog = self.config.catalog;
        let waiting = self.jobs.waiting(usize::MAX);
        let affected = waiting.filter(|(key, job)| {
            key.run == run && SimulationKey::of(job, catalog).is_ok_and(|other| other == id)
        });
        for key in affected.map(|(key, _)| key).collect::<Vec<_>>() {
            let failed = |reason: &str| JobOutcome::Failed(failure(reason.to_owned()));
            self.jobs.finish(key, reason.map_or(JobOutcome::Cancelled, failed));
        }
    }

    /// Takes no more jobs, and gives back those that have not begun.
    pub(crate) fn shut_down(&mut self, then: AfterShutdown) {
        if self.is_exiting() {
            return;
        }
        self.shutdown = Some(ShutdownState::begin(Instant::now(), self.config.grace, then));
        self.jobs.release_waiting();
    }

    /// Returns true if the worker is to end.
    pub(crate) fn is_exiting(&self) -> bool {
        self.shutdown.is_some_and(|shutdown| shutdown.then == AfterShutdown::Exit)
    }

    /// Returns true if no job waits or runs and no result waits for its verdict.
    pub(crate) fn is_idle(&self) -> bool {
        self.jobs.n_at_work() == 0 && self.jobs.n_done() == 0
    }

    /// Gives back the jobs that did not finish before the shutdown's deadline, and returns a job
    /// with a trial that does not return, if there is one.
    pub(crate) fn enforce_deadlines(&mut self, now: Instant) -> Option<JobKey> {
        if self.shutdown.as_mut().is_some_and(|shutdown| shutdown.take_release(now)) {
            self.jobs.release_all();
        }
        let before = now.checked_sub(self.config.stuck_grace)?;
        self.jobs.stuck(before, now)
    }

    /// Returns the time of the next deadline to enforce.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        let shutdown = self.shutdown.map(|shutdown| shutdown.next_deadline());
        let stuck = self.jobs.cancelled_at().map(|at| at + self.config.stuck_grace);
        shutdown.into_iter().chain(stuck).min()
    }
}
