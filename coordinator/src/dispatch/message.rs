//! Messages to dispatch, and from dispatch to leaders: types only.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hatchery_core::erased::AnySimulation;
use hatchery_proto::v1::{self, ToWorker};
use hatchery_store::{
    CoordinatorId, EnqueueBatch, JobKey, LeaderToken, RunId, SessionId, StoreError, WorkerId,
};
use tokio::sync::{mpsc, oneshot};

use crate::base::opinions::WorkerHost;
use crate::run::machine::MachineInput;
use crate::run::record::{AnnouncedRun, AnnouncedWorker, experiment_label};
use crate::run::scheduling::RunScheduling;
use crate::self_tests::ComputedSelfTest;

/// A message to dispatch.
#[derive(Debug)]
pub(crate) enum DispatchMessage {
    /// A worker's session begins.
    Join(JoinRequest),
    /// A message from a worker.
    FromWorker(SessionId, WorkerMessage),
    /// A worker asks whether it may send the parts of a job.
    AdmitParts(PartAdmission),
    /// A session ended.
    Leave {
        /// The session.
        session: SessionId,
        /// Whether its worker left in an orderly way.
        goodbye: bool,
    },
    /// A run may have jobs from now on.
    Open(OpenRun),
    /// A run is led in this process, and its leader subscribes to notices.
    Lead(RunId, mpsc::UnboundedSender<LeaderNotice>),
    /// A run is no longer led here.
    Unlead(RunId),
    /// A run may have ready jobs.
    Ready(RunId),
    /// A leader in this process enqueues jobs.
    Enqueue(EnqueueRequest),
    /// A run may have new results for its leader.
    ResultsStored(RunId),
    /// A run is closed: it has no jobs any more, or none for now.
    Close(RunId),
    /// A run was rewound: jobs leased before are void.
    Rewound(RunId),
    /// The quarantined workers, with the reasons.
    Quarantined(Vec<(WorkerId, String)>),
    /// The farm's coordinators.
    Farm(Vec<PeerCoordinator>),
    /// The farm's secret: another one if the store has lost its data.
    Secret([u8; 32]),
    /// Drain a worker: it finishes its jobs and ends. Answers whether it is connected here.
    DrainWorker(WorkerId, oneshot::Sender<bool>),
    /// Drain all workers; answers when they have left.
    Drain(DrainMode, oneshot::Sender<()>),
}

/// The instruction to drained workers.
#[derive(Debug)]
pub(crate) enum DrainMode {
    /// End.
    End,
    /// Reconnect to another coordinator; these are suggestions.
    Elsewhere(Vec<String>),
}

impl DrainMode {
    pub(super) fn message(&self) -> v1::to_worker::Message {
        match self {
            Self::End => v1::to_worker::Message::Drain(v1::Drain {}),
            Self::Elsewhere(endpoints) => {
                let (after_ms, endpoints) = (0, endpoints.clone());
                v1::to_worker::Message::Reconnect(v1::Reconnect { after_ms, endpoints })
            }
        }
    }
}

/// A running job's progress, as its worker reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReportedProgress {
    /// The job.
    pub(crate) key: JobKey,
    /// The signs of progress so far: trials done and beats.
    pub(crate) n_signs: u64,
    /// The share that is done of the trial that reported last, in millionths.
    pub(crate) share_ppm: u32,
}

/// A message from a worker in its session.
#[derive(Debug)]
pub(crate) enum WorkerMessage {
    /// Credits: the worker takes more jobs.
    Want(u32),
    /// A heartbeat with the progress of its running jobs.
    Heartbeat(Vec<ReportedProgress>),
    /// Results.
    Results(v1::Results),
    /// Jobs that the worker returns.
    Release(Vec<JobKey>),
    /// Results of self-tests.
    SelfTested(v1::SelfTested),
    /// The worker takes no more jobs.
    Leaving,
}

/// A worker's request to open a session.
#[derive(Debug)]
pub(crate) struct JoinRequest {
    pub(crate) session: SessionId,
    /// The worker's name.
    pub(crate) worker: String,
    /// The worker's id.
    pub(crate) incarnation: WorkerId,
    /// Its host, if it is known.
    pub(crate) host: Option<WorkerHost>,
    /// The worker's version.
    pub(crate) build: String,
    pub(crate) slots: u32,
    /// The experiments of the worker's build, with their versions.
    pub(crate) experiments: BTreeMap<String, u32>,
    /// The jobs that it already computes, with their tickets.
    pub(crate) held: Vec<(JobKey, Vec<u8>)>,
    /// True if the worker takes `SelfTest` messages; else all self-tests are in its Welcome.
    pub(crate) takes_self_tests: bool,
    /// The self-tests of all experiments, if the worker gets them in its Welcome; empty otherwise.
    pub(crate) welcome_tests: Vec<(&'static str, ComputedSelfTest)>,
    /// Messages to the worker.
    pub(crate) outbound: mpsc::Sender<Result<ToWorker, tonic::Status>>,
    /// Ends the session when sent to.
    pub(crate) end_session: oneshot::Sender<tonic::Status>,
}

/// A worker's request to send the parts of a job.
#[derive(Debug)]
pub(crate) struct PartAdmission {
    pub(crate) session: SessionId,
    pub(crate) key: JobKey,
    /// The proof that the worker got the job.
    pub(crate) ticket: Vec<u8>,
    /// The bytes that it announces.
    pub(crate) n_bytes: u64,
    pub(crate) answer: oneshot::Sender<Result<(), tonic::Status>>,
}

/// Jobs to enqueue. If workers wait for jobs, some jobs are leased at once.
#[derive(Debug)]
pub(crate) struct EnqueueRequest {
    /// The leader's right to write.
    pub(crate) lead: LeaderToken,
    pub(crate) enqueue: EnqueueBatch,
    /// The outcome.
    pub(crate) done: oneshot::Sender<Result<(), StoreError>>,
}

/// A run that may have jobs.
#[derive(Clone)]
pub(crate) struct OpenRun {
    pub(crate) run: RunId,
    pub(crate) experiment: String,
    pub(crate) version: u32,
    pub(crate) simulation: &'static dyn AnySimulation,
    /// Time without progress after which a job counts as hanging.
    pub(crate) stall: Duration,
    /// Its user, priority and cap.
    pub(crate) scheduling: RunScheduling,
    /// Whether the store has jobs of the run.
    pub(crate) jobs: KnownJobs,
}

/// Whether the store has jobs of a run, as far as the coordinator has noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownJobs {
    /// The store may have jobs.
    Unknown,
    /// The store has no jobs yet, because the run was just created here: the leader reports when it
    /// has enqueued jobs.
    None,
}

impl OpenRun {
    /// Returns its experiment as workers announce it: `NAME@VERSION`.
    pub(super) fn label(&self) -> String {
        experiment_label(&self.experiment, self.version)
    }
}

impl std::fmt::Debug for OpenRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenRun")
            .field("run", &self.run)
            .field("experiment", &self.experiment)
            .finish()
    }
}

/// Another coordinator of the farm.
#[derive(Debug)]
pub(crate) struct PeerCoordinator {
    pub(crate) incarnation: CoordinatorId,
    /// Its workers for each experiment, as `NAME@VERSION`.
    pub(crate) workers: BTreeMap<String, PeerWorkers>,
    /// The runs whose slots it leaves to other coordinators.
    pub(crate) yielded: BTreeSet<RunId>,
}

/// The workers of a coordinator for an experiment.
#[derive(Debug, Default)]
pub(crate) struct PeerWorkers {
    /// The slots of all workers.
    pub(crate) n_slots: usize,
    /// The slots of the available workers.
    pub(crate) n_available_slots: usize,
    /// The workers that get jobs now. Drained and paused workers, and workers that take no jobs,
    /// are not among them.
    pub(crate) available: Vec<WorkerId>,
}

impl PeerCoordinator {
    /// Creates the entry of a coordinator with these workers and runs.
    pub(crate) fn new(
        incarnation: CoordinatorId,
        announced: &[AnnouncedWorker],
        runs: &[AnnouncedRun],
    ) -> Self {
        let mut workers: BTreeMap<String, PeerWorkers> = BTreeMap::new();
        for worker in announced {
            let id = WorkerId::from_bytes(&worker.incarnation);
            let is_available = !worker.draining && worker.paused_ms == 0 && !worker.takes_no_jobs;
            let n_slots = worker.slots as usize;
            for experiment in &worker.experiments {
                // Thousands of workers have the same experiments: a name is copied once.
                let known = match workers.get_mut(experiment) {
                    Some(known) => known,
                    None => workers.entry(experiment.clone()).or_default(),
                };
                known.n_slots += n_slots;
                if is_available {
                    known.n_available_slots += n_slots;
                    known.available.extend(id);
                }
            }
        }
        let yielded = runs.iter().filter(|run| run.yields);
        let yielded = yielded.filter_map(|run| RunId::from_bytes(&run.run)).collect();
        Self { incarnation, workers, yielded }
    }
}

/// A notice from dispatch to a leader in this process.
#[derive(Debug)]
pub(crate) enum LeaderNotice {
    /// An input of the run machine.
    Input(MachineInput),
    /// The store failed while results were written.
    StoreFailed(StoreError),
    /// A worker was quarantined: the run may hold its results.
    Quarantined,
}
