//! The state of a worker that outlives its sessions, and the steps that need no coordinator.

use std::sync::Arc;

use fastrand::Rng;
use hatchery_core::{ByteCache, Catalog, Part, PartSet, error_chain};
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
use crate::executor::shared::{
    InputError, PREPARED_CAPACITY, PreparedCache, SimulationKey, inputs_of,
};
use crate::executor::task::JobTask;
use crate::ids::{JobKey, RunId};
use crate::input::{InputKey, PartialInput, ReadyInput};
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
    /// The parts that trials read, for the next jobs.
    pub(crate) parts: ByteCache<Part>,
    pub(crate) partial_input: PartialInput,
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
#[derive(Clone, Copy, Debug, PartialEq)]
enum StartAttempt {
    Started,
    NoRoom,
    Missing(InputKey),
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
            parts: ByteCache::new(config.part_cache_bytes),
            partial_input: PartialInput::default(),
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
        let known = self.config.catalog.experiments().map(|experiment| ExperimentVersion {
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
            takes_self_tests: true,
        }
    }

    /// Starts the waiting jobs that have threads and inputs. Returns the first input that is
    /// missing, with the run of the job that needs it.
    pub(crate) fn start_jobs(&mut self) -> Option<(InputKey, RunId)> {
        loop {
            let catalog = self.config.catalog;
            // No further ahead than the cache has room for, or each fetched input would evict the
            // next.
            let heads = self.jobs.first_waiting(PREPARED_CAPACITY);
            let heads = heads.map(|(key, job)| (key, needs_of(job, catalog)));
            let (mut n_left, mut missing) = (0, None);
            self.parts.need(0);
            for (key, needs) in heads.collect::<Vec<_>>() {
                let needs = match needs {
                    Ok(needs) => needs,
                    Err(error) => {
                        let failure = job_failure(error_chain(&error));
                        self.jobs.finish(key, JobOutcome::Failed(failure));
                        continue;
                    }
                };
                let attempt = self.start_job(key, &needs);
                n_left += usize::from(attempt != StartAttempt::Started);
                if let (StartAttempt::Missing(input), None) = (attempt, missing) {
                    missing = Some((input, key.run));
                    self.parts.need(needs.part_bytes());
                }
            }
            // All jobs that can start have started once only those are left that cannot.
            if n_left == self.jobs.first_waiting(PREPARED_CAPACITY).count() {
                return missing;
            }
        }
    }

    fn start_job(&mut self, key: JobKey, needs: &JobNeeds) -> StartAttempt {
        let Some(simulation) = self.prepared.get(needs.simulation) else {
            return StartAttempt::Missing(InputKey::Shared(needs.simulation));
        };
        if let Some(part) = needs.parts.iter().find(|part| !self.parts.contains(part)) {
            return StartAttempt::Missing(InputKey::Part(*part));
        }
        if !self.executor.has_room() {
            return StartAttempt::NoRoom;
        }
        let handle = JobHandle::new(self.meters.busy_slots());
        #[cfg(feature = "faults")]
        let handle = handle.slowed_down(self.slowdown_of(needs.simulation));
        let handle = Arc::new(handle);
        let job = self.jobs.start(key, Arc::clone(&handle));
        let Some((job, n_threads)) = job else { return StartAttempt::NoRoom };
        #[cfg(feature = "faults")]
        let job = self.faults.inject(job, &mut self.rng);
        let mut inputs = PartSet::default();
        for part in &needs.parts {
            if let Some(bytes) = self.parts.get(part) {
                inputs.insert(*part, bytes);
            }
        }
        self.executor.start(JobTask { key, job, simulation, inputs, handle, n_threads });
        StartAttempt::Started
    }

    /// Returns the factor by which trials of the simulation are slowed down.
    #[cfg(feature = "faults")]
    fn slowdown_of(&self, simulation: SimulationKey) -> u32 {
        let name = simulation.experiment.name();
        let slowdown = self.config.slowdown.as_ref().filter(|slow| slow.experiment == name);
        slowdown.map_or(1, |slow| slow.factor)
    }

    /// Keeps an input that has come.
    pub(crate) fn keep_input(&mut self, input: ReadyInput) {
        match input {
            ReadyInput::Simulation(key, simulation) => self.prepared.insert(key, simulation),
            ReadyInput::Part(part, bytes) => self.parts.insert(part, bytes),
        }
    }

    /// Ends all waiting jobs of `run` that need `input`, which cannot be had: they fail with
    /// `reason`, or are given back if there is none.
    pub(crate) fn end_jobs_without_input(
        &mut self,
        input: InputKey,
        run: RunId,
        reason: Option<&str>,
    ) {
        let affected = self.waiting_for_input(input, run, usize::MAX);
        for key in affected.collect::<Vec<_>>() {
            let failed = |reason: &str| JobOutcome::Failed(job_failure(reason.to_owned()));
            self.jobs.finish(key, reason.map_or(JobOutcome::Cancelled, failed));
        }
    }

    /// Returns true if a job of `run` that may start next needs `input`.
    pub(crate) fn needs_input(&self, input: InputKey, run: RunId) -> bool {
        self.waiting_for_input(input, run, PREPARED_CAPACITY).next().is_some()
    }

    /// Returns the jobs among the first `n` waiting jobs that belong to `run` and need `input`.
    fn waiting_for_input(
        &self,
        input: InputKey,
        run: RunId,
        n: usize,
    ) -> impl Iterator<Item = JobKey> {
        let catalog = self.config.catalog;
        let needs_input =
            move |job: &Job| needs_of(job, catalog).is_ok_and(|needs| needs.contains(input));
        let waiting = self.jobs.first_waiting(n).filter(move |(key, _)| key.run == run);
        waiting.filter(move |(_, job)| needs_input(job)).map(|(key, _)| key)
    }

    /// Returns whether the worker takes more jobs.
    pub(crate) fn job_intake(&self) -> JobIntake {
        match self.shutdown {
            Some(_) => JobIntake::Closed,
            None => JobIntake::Open,
        }
    }

    /// Begins a shutdown: takes no more jobs, and gives back jobs that have not started.
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

/// The inputs that a job needs.
struct JobNeeds {
    simulation: SimulationKey,
    parts: Vec<Part>,
}

impl JobNeeds {
    /// Returns the total bytes of the parts.
    fn part_bytes(&self) -> usize {
        let n_bytes = self.parts.iter().map(Part::n_bytes).sum::<u64>();
        usize::try_from(n_bytes).unwrap_or(usize::MAX)
    }

    fn contains(&self, input: InputKey) -> bool {
        match input {
            InputKey::Shared(simulation) => self.simulation == simulation,
            InputKey::Part(part) => self.parts.contains(&part),
        }
    }
}

/// Returns the inputs that `job` needs.
fn needs_of(job: &Job, catalog: Catalog) -> Result<JobNeeds, InputError> {
    Ok(JobNeeds { simulation: SimulationKey::of_job(job, catalog)?, parts: inputs_of(job)? })
}
