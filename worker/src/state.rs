//! The state of a worker that outlives its sessions, and the steps that need no coordinator.

use std::sync::Arc;

use fastrand::Rng;
use hatchery_core::error_chain;
use hatchery_meters::WorkerMeters;
use hatchery_proto::PROTOCOL;
use hatchery_proto::v1::{ExperimentVersion, Hello, Job};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::config::WorkerConfig;
use crate::endpoints::EndpointRotation;
use crate::executor::Executor;
use crate::executor::handle::JobHandle;
use crate::executor::job::{JobOutcome, job_failure};
use crate::executor::shared::{PREPARED_CAPACITY, PreparedCache, SimulationKey};
use crate::executor::task::JobTask;
use crate::ids::{JobKey, RunId};
use crate::job_table::{JobIntake, JobTable};
use crate::shutdown::{AfterShutdown, ShutdownState};

/// See the [module](self).
pub(crate) struct WorkerState {
    pub(crate) config: WorkerConfig,
    pub(crate) rng: Rng,
    pub(crate) endpoints: EndpointRotation,
    pub(crate) jobs: JobTable,
    pub(crate) executor: Executor,
    pub(crate) prepared: PreparedCache,
    /// Becomes true when the worker is to stop.
    pub(crate) stop: watch::Receiver<bool>,
    pub(crate) shutdown: Option<ShutdownState>,
    /// The number of sessions so far; names the current one.
    pub(crate) n_sessions: u64,
    pub(crate) meters: Arc<WorkerMeters>,
    #[cfg(feature = "faults")]
    faults: crate::faults::FaultInjector,
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
        Self {
            endpoints: EndpointRotation::new(&config.endpoints, &mut rng),
            rng,
            jobs: JobTable::new(config.slots),
            executor,
            prepared: PreparedCache::default(),
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
            incarnation: self.config.proof.worker_id().to_vec(),
            build: env!("CARGO_PKG_VERSION").to_owned(),
            experiments: known.collect(),
            slots: self.config.slots,
            held: self.jobs.held_jobs(),
            proof: self.config.proof.to_wire(),
        }
    }

    /// Starts as many waiting jobs as there are threads and shared inputs for. Returns the first
    /// shared input that is missing, with the run of the job that needs it.
    pub(crate) fn start_jobs(&mut self) -> Option<(SimulationKey, RunId)> {
        loop {
            let catalog = self.config.catalog;
            // No further ahead than the cache has room for, or each fetched input would evict the
            // next.
            let heads = self.jobs.first_waiting(PREPARED_CAPACITY);
            let heads = heads.map(|(key, job)| (key, SimulationKey::of_job(job, catalog)));
            let (mut n_left, mut missing) = (0, None);
            for (key, simulation) in heads.collect::<Vec<_>>() {
                let simulation = match simulation {
                    Ok(simulation) => simulation,
                    Err(error) => {
                        let failure = job_failure(error_chain(&error));
                        self.jobs.finish(key, JobOutcome::Failed(failure));
                        continue;
                    }
                };
                let attempt = self.start_job(key, simulation);
                n_left += usize::from(attempt != StartAttempt::Started);
                if attempt == StartAttempt::NoInput {
                    missing = missing.or(Some((simulation, key.run)));
                }
            }
            // All jobs that can start have started once only those are left that cannot.
            if n_left == self.jobs.first_waiting(PREPARED_CAPACITY).count() {
                return missing;
            }
        }
    }

    fn start_job(&mut self, key: JobKey, simulation: SimulationKey) -> StartAttempt {
        let Some(simulation) = self.prepared.get(simulation) else { return StartAttempt::NoInput };
        if !self.executor.has_room() {
            return StartAttempt::NoRoom;
        }
        let handle = Arc::new(JobHandle::new(self.meters.busy_slots()));
        let job = self.jobs.start(key, Arc::clone(&handle));
        let Some(job) = job else { return StartAttempt::NoRoom };
        #[cfg(feature = "faults")]
        let job = self.faults.inject(job, &mut self.rng);
        self.executor.start(JobTask { key, job, simulation, handle });
        StartAttempt::Started
    }

    /// Ends all waiting jobs of `run` that need the shared input of `simulation`, which cannot be
    /// had: they fail with `reason`, or are given back if there is none.
    pub(crate) fn end_jobs_without_input(
        &mut self,
        simulation: SimulationKey,
        run: RunId,
        reason: Option<&str>,
    ) {
        let catalog = self.config.catalog;
        let needs_input = |(key, job): &(JobKey, &Job)| {
            let needed = SimulationKey::of_job(job, catalog);
            key.run == run && needed.is_ok_and(|needed| needed == simulation)
        };
        let affected = self.jobs.first_waiting(usize::MAX).filter(needs_input);
        for key in affected.map(|(key, _)| key).collect::<Vec<_>>() {
            let failed = |reason: &str| JobOutcome::Failed(job_failure(reason.to_owned()));
            self.jobs.finish(key, reason.map_or(JobOutcome::Cancelled, failed));
        }
    }

    /// Returns whether the worker takes more jobs.
    pub(crate) fn job_intake(&self) -> JobIntake {
        match self.shutdown {
            Some(_) => JobIntake::Closed,
            None => JobIntake::Open,
        }
    }

    /// Begins a shutdown: takes no more jobs, and gives back those that have not started.
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
        self.jobs.n_unfinished() == 0 && self.jobs.n_done() == 0
    }

    /// Gives back the jobs that did not finish before the shutdown's deadline, and returns a job
    /// with a trial that does not return, if there is one.
    pub(crate) fn enforce_deadlines(&mut self, now: Instant) -> Option<JobKey> {
        if self.shutdown.as_mut().is_some_and(|shutdown| shutdown.take_release(now)) {
            self.jobs.release_all();
        }
        let before = now.checked_sub(self.config.stuck_grace)?;
        self.jobs.find_stuck(before, now)
    }

    /// Returns the time of the next deadline to enforce.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        let shutdown = self.shutdown.map(|shutdown| shutdown.next_deadline());
        let stuck = self.jobs.earliest_cancellation().map(|at| at + self.config.stuck_grace);
        shutdown.into_iter().chain(stuck).min()
    }
}
