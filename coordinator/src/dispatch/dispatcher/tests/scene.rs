//! A dispatcher with workers that do what the test says, and a store that answers at once.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use hatchery_core::spec::SpecDocument;
use hatchery_core::{AnyExperiment, Catalog, PartSet, RunSeed};
use hatchery_meters::CoordinatorMeters;
use hatchery_proto::v1::{self, Job, SelfTest, ToWorker, result, to_worker};
use hatchery_store::{
    AttemptId, CoordinatorId, JobId, JobKey, JobResult, LeasedJob, RunId, SessionId, StoreError,
    StoreVerdict, WorkerId,
};
use prost::Message as _;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tonic::Status;
use ulid::Ulid;

use crate::base::caller_limits::CallerAddress;
use crate::base::job_ref;
use crate::base::opinions::{OpinionsBy, WorkerHost};
use crate::base::ticket::TicketIssuer;
use crate::dispatch::dispatcher::{DispatchSettings, Dispatcher};
use crate::dispatch::effect::{
    Arbitration, ArbitrationError, DispatchEffect, EffectCompletion, LeaseOwner, LocatedResult,
    NotedJob, StepContext, UnleasedResult,
};
use crate::dispatch::job::{JobAnswer, ranges};
use crate::dispatch::message::{
    DispatchMessage, JoinRequest, KnownJobs, OpenRun, PartAdmission, PeerCoordinator,
    ReportedProgress, WorkerMessage,
};
use crate::dispatch::runs::retry::RetryPolicy;
use crate::dispatch::verify::{is_of, stored_output};
use crate::run::cutter::JobCutter;
use crate::run::recompute::recompute;
use crate::run::record::{AnnouncedWorker, FailedAttempt};
use crate::run::scheduling::RunScheduling;
use crate::self_tests::{ComputedSelfTest, SelfTestJob, SelfTestPolicy, self_test};

pub(super) const CATALOG: Catalog = Catalog(&[&hatchery_pig::EXPERIMENTS]);
pub(super) const RUN: RunId = RunId(Ulid(42));
pub(super) const STALL: Duration = Duration::from_secs(60);

/// A worker as the test plays it.
pub(super) struct Player {
    pub(super) incarnation: WorkerId,
    inbox: mpsc::Receiver<Result<ToWorker, Status>>,
    kicked: oneshot::Receiver<Status>,
    /// The worker's jobs, with tickets.
    pub(super) jobs: VecDeque<(JobId, Vec<u8>, Vec<u8>)>,
    pub(super) verdicts: Vec<(JobId, v1::Verdict)>,
    pub(super) cancelled: Vec<JobId>,
    /// Whether the worker was told that no more jobs come.
    pub(super) drained: bool,
    /// The self-tests that the worker got after its Welcome.
    pub(super) self_tests: Vec<SelfTest>,
    pub(super) notices: Vec<String>,
}

pub(super) struct Scene {
    dispatcher: Dispatcher,
    now: Instant,
    pub(super) players: BTreeMap<u64, Player>,
    shared: Vec<u8>,
    tickets: TicketIssuer,
    // What the store has.
    all: BTreeMap<JobId, Vec<u8>>,
    pub(super) ready: BTreeMap<JobId, Vec<u8>>,
    pub(super) done: BTreeMap<JobId, JobResult>,
    pub(super) parked: BTreeSet<JobId>,
    pub(super) attempts: BTreeMap<JobId, Vec<FailedAttempt>>,
    recorded: BTreeSet<AttemptId>,
    pub(super) quarantined: Vec<WorkerId>,
    /// The number of workers in each announcement.
    pub(super) announced: Vec<usize>,
    /// The adoptions that the store was asked for and has not answered.
    adoptions: Vec<(JobKey, SessionId, Vec<u8>)>,
    open: OpenRun,
    /// Whether the store is out of reach.
    pub(super) is_store_down: bool,
    /// Why the coordinator cannot compute jobs itself, if it cannot.
    pub(super) arbiter_fails: Option<ArbitrationError>,
    /// Whether the dispatcher closes the run before it learns the store's verdicts on results.
    pub(super) closes_before_verdicts: bool,
    /// The self-test of its experiment.
    pub(super) self_test: Arc<SelfTestJob>,
    /// The self-test as the coordinator has computed it.
    computed_test: ComputedSelfTest,
    /// Whether workers that join from now on get the self-test in their Welcome.
    pub(super) sends_tests_in_welcome: bool,
    /// The experiments of workers that join from now on; `None` for the experiments of this build.
    pub(super) versions: Option<BTreeMap<String, u32>>,
    /// The experiments whose self-tests were computed.
    pub(super) computed_tests: Vec<String>,
    /// The hosts of workers that join from now on, by their session.
    pub(super) hosts: BTreeMap<u64, u8>,
}

/// The id of the session with this number.
fn id_of(session: u64) -> SessionId {
    SessionId(session.into())
}

/// The key of a job of the scene's run.
pub(super) fn key(job: JobId) -> JobKey {
    JobKey { run: RUN, job }
}

/// Returns a report of `n_signs` signs of progress in a job.
pub(super) fn progress(job: JobId, n_signs: u64) -> ReportedProgress {
    ReportedProgress { key: key(job), n_signs, share_ppm: 0 }
}

/// The worker of the session with this number, unless the test says otherwise.
pub(super) fn worker_of(session: u64) -> WorkerId {
    WorkerId(u128::from(session) + 1000)
}

impl Scene {
    /// Creates a run of `n_jobs` jobs, without workers.
    pub(super) fn new(n_jobs: u64, audit_ppm: u32) -> Self {
        Self::with_opinions(n_jobs, audit_ppm, OpinionsBy::Worker)
    }

    /// As [`Self::new`], but the first `n_alone` jobs have a long trial.
    pub(super) fn with_alone(n_alone: u64, n_jobs: u64, audit_ppm: u32) -> Self {
        let mut scene = Self::new(n_jobs, audit_ppm);
        for (_, bytes) in scene.all.range_mut(..JobId { generation: 0, index: n_alone }) {
            let job = Job::decode(bytes.as_slice()).unwrap();
            *bytes = Job { alone: true, ..job }.encode_to_vec();
        }
        scene.ready = scene.all.clone();
        scene
    }

    /// Returns the number of answers that wait for the store to be within reach.
    pub(super) fn n_unstored(&self) -> usize {
        self.dispatcher.runs[&RUN].n_unstored()
    }

    /// Returns the long trials in progress, as they are announced.
    pub(super) fn in_progress_ppm(&self) -> u64 {
        self.dispatcher.runs[&RUN].in_progress_ppm()
    }

    /// As [`Self::new`], but the workers of one host may count as one opinion.
    pub(super) fn with_opinions(n_jobs: u64, audit_ppm: u32, opinions_by: OpinionsBy) -> Self {
        let preset = CATALOG.preset("pig/smoke").unwrap();
        let document = SpecDocument::parse("test", preset.text.as_bytes()).unwrap();
        let experiment: &dyn AnyExperiment = CATALOG.find("pig").unwrap();
        let procedure = experiment.configure(&document).unwrap();
        let state = procedure.begin(&RunSeed::new("pig", 1).generation(0), &[]).unwrap().state;
        let plan = procedure.plan(&state).unwrap();
        let shared = plan.shared.clone();
        let version = experiment.version();
        let template = Job { experiment: "pig".to_owned(), version, seed: 1, ..Job::default() };
        let mut cutter = JobCutter::new(plan, template, 0);
        let jobs = (0..n_jobs).map(|index| {
            let job = cutter.next_job(1).expect("the preset has trials enough");
            (JobId { generation: 0, index }, job.encode_to_vec())
        });
        let tickets = TicketIssuer::new([3; 32]);
        let dispatcher = Dispatcher::new(DispatchSettings {
            consumer: CoordinatorId(1),
            tickets: tickets.clone(),
            catalog: CATALOG,
            self_tests: SelfTestPolicy::Required,
            retry_policy: RetryPolicy::default(),
            audit_ppm,
            opinions_by,
            meters: Arc::new(CoordinatorMeters::new(["pig"], "", 0)),
        });
        let ready: BTreeMap<_, _> = jobs.collect();
        let now = Instant::now();
        let open = OpenRun {
            run: RUN,
            experiment: "pig".to_owned(),
            version,
            simulation: experiment.simulation(),
            stall: STALL,
            scheduling: RunScheduling::default(),
            jobs: KnownJobs::Unknown,
        };
        let self_test = Arc::new(self_test(CATALOG, experiment).unwrap().unwrap());
        let mut scene = Self {
            dispatcher,
            computed_test: ComputedSelfTest::Job(Arc::clone(&self_test)),
            self_test,
            now,
            players: BTreeMap::new(),
            shared,
            tickets,
            all: ready.clone(),
            ready,
            done: BTreeMap::new(),
            parked: BTreeSet::new(),
            attempts: BTreeMap::new(),
            recorded: BTreeSet::new(),
            quarantined: Vec::new(),
            announced: Vec::new(),
            adoptions: Vec::new(),
            open: open.clone(),
            is_store_down: false,
            arbiter_fails: None,
            closes_before_verdicts: false,
            sends_tests_in_welcome: false,
            versions: None,
            computed_tests: Vec::new(),
            hosts: BTreeMap::new(),
        };
        scene.take(DispatchMessage::Open(open));
        scene
    }

    /// A worker joins, passes its self-test, and takes `credits` jobs.
    pub(super) fn join(&mut self, session: u64, slots: u32, credits: u32) {
        self.join_holding(session, worker_of(session), slots, Vec::new());
        self.pass_self_test(session);
        self.say(session, WorkerMessage::Want(credits));
        self.settle();
    }

    pub(super) fn pass_self_test(&mut self, session: u64) {
        let output = self.self_test.output.clone();
        self.answer_self_test(session, "pig", result::Outcome::Output(output));
    }

    /// The self-test fails in the coordinator.
    pub(super) fn fail_self_test(&mut self) {
        self.computed_test = ComputedSelfTest::Failed;
        let (experiment, test) = ("pig".to_owned(), self.computed_test.clone());
        let done = EffectCompletion::SelfTestComputed { experiment, test };
        let mut ctx = StepContext::new(self.now);
        self.dispatcher.done(&mut ctx, done);
        self.run(ctx.effects);
    }

    /// A worker reports the outcome of the self-test of an experiment; without an experiment, of
    /// the first self-test in its Welcome.
    pub(super) fn answer_self_test(
        &mut self,
        session: u64,
        experiment: &str,
        outcome: result::Outcome,
    ) {
        let results = vec![v1::Result { outcome: Some(outcome), ..v1::Result::default() }];
        let experiment = experiment.to_owned();
        self.say(session, WorkerMessage::SelfTested(v1::SelfTested { results, experiment }));
    }

    pub(super) fn join_holding(
        &mut self,
        session: u64,
        incarnation: WorkerId,
        slots: u32,
        held: Vec<(JobKey, Vec<u8>)>,
    ) {
        let (outbound, inbox) = mpsc::channel(1024);
        let (end_session, kicked) = oneshot::channel();
        let experiments = CATALOG.experiments().map(|e| (e.name().to_owned(), e.version()));
        let join = JoinRequest {
            session: id_of(session),
            worker: format!("w{session}"),
            incarnation,
            host: self
                .hosts
                .get(&session)
                .map(|&host| WorkerHost::new(None, CallerAddress([10, 0, 0, host].into()))),
            build: "1.2.3".to_owned(),
            slots,
            experiments: self.versions.clone().unwrap_or_else(|| experiments.collect()),
            held,
            takes_self_tests: !self.sends_tests_in_welcome,
            welcome_tests: match self.sends_tests_in_welcome {
                true => vec![("pig", self.computed_test.clone())],
                false => Vec::new(),
            },
            outbound,
            end_session,
        };
        self.players.insert(
            session,
            Player {
                incarnation,
                inbox,
                kicked,
                jobs: VecDeque::new(),
                verdicts: Vec::new(),
                cancelled: Vec::new(),
                drained: false,
                self_tests: Vec::new(),
                notices: Vec::new(),
            },
        );
        self.take(DispatchMessage::Join(join));
    }

    pub(super) fn say(&mut self, session: u64, said: WorkerMessage) {
        self.take(DispatchMessage::FromWorker(id_of(session), said));
    }

    pub(super) fn leave(&mut self, session: u64, goodbye: bool) {
        self.take(DispatchMessage::Leave { session: id_of(session), goodbye });
        self.settle();
    }

    /// The worker asks whether it may send parts of a job; returns the answer.
    pub(super) fn admit_parts(
        &mut self,
        session: u64,
        job: JobId,
        n_bytes: u64,
    ) -> Result<(), Status> {
        let ticket = self.ticket(job, self.players[&session].incarnation);
        let (answer, mut admitted) = oneshot::channel();
        let (session, key) = (id_of(session), key(job));
        let admission = PartAdmission { session, key, ticket, n_bytes, answer };
        self.take(DispatchMessage::AdmitParts(admission));
        admitted.try_recv().unwrap()
    }

    pub(super) fn take(&mut self, message: DispatchMessage) {
        let mut ctx = StepContext::new(self.now);
        self.dispatcher.take(&mut ctx, message);
        self.run(ctx.effects);
    }

    /// Another coordinator announces `n_workers` workers, in place of its earlier workers.
    pub(super) fn announce_elsewhere(&mut self, n_workers: u8) {
        self.announce_workers(n_workers, false);
    }

    /// As [`Self::announce_elsewhere`], but the workers may be workers that take no jobs.
    pub(super) fn announce_workers(&mut self, n_workers: u8, takes_no_jobs: bool) {
        let worker = |n: u8| AnnouncedWorker {
            takes_no_jobs,
            incarnation: [0xee, n].repeat(8),
            slots: 1,
            experiments: vec![self.open.label()],
            ..AnnouncedWorker::default()
        };
        let workers: Vec<_> = (0..n_workers).map(worker).collect();
        let other = PeerCoordinator::new(CoordinatorId(77), &workers, &[]);
        self.take(DispatchMessage::Farm(vec![other]));
    }

    /// The store leases the jobs of this coordinator again: their leases were swept.
    pub(super) fn lease_again(&mut self) {
        let jobs = self.all.clone().into_iter();
        let leased = Ok(jobs.map(|(id, bytes)| LeasedJob { id, bytes }).collect());
        let done = EffectCompletion::Leased { run: RUN, most: usize::MAX, leased };
        let mut ctx = StepContext::new(self.now);
        self.dispatcher.done(&mut ctx, done);
        self.run(ctx.effects);
    }

    /// The store answers the adoptions of jobs that workers already compute: this coordinator holds
    /// the jobs now.
    pub(super) fn adopt(&mut self) {
        for (key, session, ticket) in std::mem::take(&mut self.adoptions) {
            self.ready.remove(&key.job);
            let adopted = Ok(Some(self.all[&key.job].clone()));
            let done = EffectCompletion::Adopted { key, session, ticket, adopted };
            let mut ctx = StepContext::new(self.now);
            self.dispatcher.done(&mut ctx, done);
            self.run(ctx.effects);
        }
        self.settle();
    }

    /// The run is halted, and later continues.
    pub(super) fn close_and_open(&mut self) {
        self.take(DispatchMessage::Close(RUN));
        self.take(DispatchMessage::Open(self.open.clone()));
        self.settle();
    }

    /// The run is halted.
    pub(super) fn close(&mut self) {
        self.take(DispatchMessage::Close(RUN));
    }

    /// Returns the number of experiments that workers have announced.
    pub(super) fn n_known_experiments(&self) -> usize {
        self.dispatcher.sessions.experiments().count()
    }

    /// Returns the experiments of each worker, as announced to other coordinators.
    pub(super) fn announced_experiments(&self) -> Vec<Vec<String>> {
        let workers = self.dispatcher.sessions.announcement(self.now, &self.dispatcher.health);
        workers.into_iter().map(|worker| worker.experiments).collect()
    }

    /// Lets time pass while every worker sends heartbeats.
    pub(super) fn wait(&mut self, time: Duration) {
        let end = self.now + time;
        while self.now < end {
            self.now = (self.now + Duration::from_secs(1)).min(end);
            for session in self.players.keys().copied().collect::<Vec<_>>() {
                self.say(session, WorkerMessage::Heartbeat(Vec::new()));
            }
            self.settle();
        }
    }

    /// Lets time pass while no worker sends anything.
    pub(super) fn wait_in_silence(&mut self, time: Duration) {
        self.now += time;
        self.settle();
    }

    pub(super) fn settle(&mut self) {
        loop {
            let mut ctx = StepContext::new(self.now);
            self.dispatcher.settle(&mut ctx);
            let idle = ctx.effects.iter().all(|e| {
                matches!(
                    e,
                    DispatchEffect::Renew { .. }
                        | DispatchEffect::Announce(_)
                        | DispatchEffect::Count(_)
                )
            });
            self.run(ctx.effects);
            if idle {
                break;
            }
        }
        self.read();
    }

    fn run(&mut self, effects: Vec<DispatchEffect>) {
        let mut effects = VecDeque::from(effects);
        while let Some(effect) = effects.pop_front() {
            let Some(done) = self.perform(effect) else { continue };
            let mut ctx = StepContext::new(self.now);
            if self.closes_before_verdicts && matches!(done, EffectCompletion::Completed { .. }) {
                self.dispatcher.take(&mut ctx, DispatchMessage::Close(RUN));
            }
            self.dispatcher.done(&mut ctx, done);
            effects.extend(ctx.effects);
        }
        self.read();
    }

    fn perform(&mut self, effect: DispatchEffect) -> Option<EffectCompletion> {
        Some(match effect {
            DispatchEffect::Publish(_) | DispatchEffect::Count(_) => return None,
            DispatchEffect::Announce(summary) => {
                self.announced.push(summary.workers.len());
                return None;
            }
            // A scene has its jobs from the start.
            DispatchEffect::ComputeSelfTest { experiment } => {
                self.computed_tests.push(experiment.clone());
                let test = self.computed_test.clone();
                EffectCompletion::SelfTestComputed { experiment, test }
            }
            DispatchEffect::Enqueue { .. } => return None,
            DispatchEffect::Adopt { key, session, ticket } => {
                self.adoptions.push((key, session, ticket));
                return None;
            }
            DispatchEffect::LocateUnleased { run, unleased } => {
                let found = unleased
                    .into_iter()
                    .map(|unleased_result| self.find(unleased_result))
                    .collect();
                EffectCompletion::LocateUnleased { run, unleased: Ok(found) }
            }
            DispatchEffect::Renew { run, .. } => {
                EffectCompletion::Renewed { run, lost: Ok(Vec::new()) }
            }
            DispatchEffect::Lease { run, most } => {
                let jobs: Vec<_> = self.ready.keys().take(most).copied().collect();
                let leased = jobs
                    .into_iter()
                    .map(|id| LeasedJob { id, bytes: self.ready.remove(&id).unwrap() });
                let leased = leased.collect();
                EffectCompletion::Leased { run, most, leased: Ok(leased) }
            }
            DispatchEffect::Release { jobs, .. } => {
                self.ready.extend(jobs.into_iter().map(|job| (job, self.all[&job].clone())));
                return None;
            }
            DispatchEffect::Complete { run, answers } if self.is_store_down => {
                let down = StoreError::NoRun { run };
                EffectCompletion::Completed { run, answers, verdicts: Err(down) }
            }
            DispatchEffect::Complete { run, answers } => self.complete(run, answers),
            DispatchEffect::Note { key, id, attempt } => self.record(key, id, attempt),
            DispatchEffect::DeclareDead { key } => {
                self.parked.insert(key.job);
                EffectCompletion::DeclaredDead { key, declared_dead: Ok(()) }
            }
            DispatchEffect::Arbitrate { key, bytes, answers, .. } => {
                self.arbitrate(key, bytes, answers)
            }
            DispatchEffect::Quarantine { worker, reason } if self.is_store_down => {
                let written = Err(StoreError::NoRun { run: RUN });
                EffectCompletion::Quarantined { worker, reason, written }
            }
            DispatchEffect::Quarantine { worker, reason } => {
                self.quarantined.push(worker);
                EffectCompletion::Quarantined { worker, reason, written: Ok(()) }
            }
        })
    }

    /// Computes a job itself, to judge the answers.
    fn arbitrate(
        &self,
        key: JobKey,
        bytes: Option<Vec<u8>>,
        mut answers: Vec<JobAnswer>,
    ) -> EffectCompletion {
        let stored = bytes.is_none();
        if stored {
            let result = self.done[&key.job].clone();
            answers.push(JobAnswer::own(result.worker.to_string(), result));
        }
        let bytes = bytes.unwrap_or_else(|| self.all[&key.job].clone());
        let ranges = ranges(&bytes).unwrap();
        let mut outputs = answers.iter().map(|answer| &answer.result.output);
        let truth = match (&self.arbiter_fails, outputs.all(|it| is_of(it, &ranges))) {
            (Some(error), _) => Err(error.clone()),
            (None, true) => Ok(self.truth(&bytes)),
            (None, false) => Err(ArbitrationError::Unavailable),
        };
        EffectCompletion::Arbitrated(Arbitration { key, answers, truth, stored })
    }

    /// Records a failed attempt at a job without a result. Recording the attempt again changes
    /// nothing.
    fn record(&mut self, key: JobKey, id: AttemptId, attempt: FailedAttempt) -> EffectCompletion {
        if let Some(result) = self.done.get(&key.job) {
            let noted = match result.worker {
                WorkerId::NOBODY => NotedJob::Dropped,
                worker => NotedJob::Completed(worker),
            };
            return EffectCompletion::Noted { key, noted: Ok(noted) };
        }
        let attempts = self.attempts.entry(key.job).or_default();
        if self.recorded.insert(id) {
            attempts.push(attempt);
        }
        EffectCompletion::Noted { key, noted: Ok(NotedJob::Unresolved(attempts.clone())) }
    }

    /// Stores answers: the first for each job counts.
    fn complete(&mut self, run: RunId, answers: Vec<(JobId, JobAnswer)>) -> EffectCompletion {
        let verdicts = answers.iter().map(|(job, answer)| match self.done.get(job) {
            None => {
                self.done.insert(*job, answer.result.clone());
                StoreVerdict::Accepted
            }
            Some(known) if known.output == answer.result.output => StoreVerdict::Duplicate,
            Some(_) => StoreVerdict::Mismatch,
        });
        let verdicts = verdicts.collect();
        EffectCompletion::Completed { run, answers, verdicts: Ok(verdicts) }
    }

    /// Takes over the job that a result came for, if no coordinator holds the job.
    fn find(&mut self, unleased_result: UnleasedResult) -> LocatedResult {
        match self.ready.remove(&unleased_result.job) {
            Some(bytes) => (unleased_result, Some(bytes), LeaseOwner::Ours),
            None => {
                let bytes = self.all.get(&unleased_result.job).cloned();
                (unleased_result, bytes, LeaseOwner::Theirs)
            }
        }
    }

    fn truth(&self, bytes: &[u8]) -> JobResult {
        let job = Job::decode(bytes).unwrap();
        let output = recompute(CATALOG, &job, &self.shared, PartSet::default()).unwrap();
        let tallies = v1::JobOutput::decode(output.as_slice()).unwrap().tallies;
        let output = stored_output(&ranges(bytes).unwrap(), tallies);
        JobResult { worker: WorkerId(1), output, cost: Vec::new(), parts: Vec::new() }
    }

    /// Reads the messages to the workers.
    fn read(&mut self) {
        for player in self.players.values_mut() {
            while let Ok(Ok(ToWorker { message: Some(message) })) = player.inbox.try_recv() {
                match message {
                    to_worker::Message::Assign(assign) => {
                        for v1::Assignment { r#ref, job, ticket, .. } in assign.assignments {
                            let key = job_ref::from_wire(r#ref.as_ref()).unwrap();
                            player.jobs.push_back((key.job, job, ticket));
                        }
                    }
                    to_worker::Message::Verdicts(said) => {
                        player.verdicts.extend(said.verdicts.iter().map(|said| {
                            (job_ref::from_wire(said.r#ref.as_ref()).unwrap().job, said.verdict())
                        }));
                    }
                    to_worker::Message::Cancel(cancel) => {
                        let keys = cancel.refs.iter().map(|r| job_ref::from_wire(Some(r)).unwrap());
                        player.cancelled.extend(keys.map(|key| key.job));
                    }
                    to_worker::Message::Drain(_) => player.drained = true,
                    to_worker::Message::SelfTest(test) => player.self_tests.push(test),
                    to_worker::Message::Notice(notice) => player.notices.push(notice.text),
                    _ => {}
                }
            }
        }
    }

    /// The worker brings a result for its oldest job: the right one, or a lie.
    pub(super) fn bring(&mut self, session: u64, lie: bool) -> Option<JobId> {
        let (job, bytes, ticket) = self.players.get_mut(&session)?.jobs.pop_front()?;
        let mut decoded = Job::decode(bytes.as_slice()).unwrap();
        if lie {
            decoded.seed += 1;
        }
        let output = self.compute(&decoded);
        self.bring_outcome(session, job, ticket, result::Outcome::Output(output));
        Some(job)
    }

    /// Another coordinator resolves the READY jobs that failed here: `worker` completes them, or
    /// the run's leader skips them if it is nobody.
    pub(super) fn resolve_elsewhere(&mut self, worker: WorkerId) {
        let failed: Vec<_> =
            self.ready.keys().filter(|job| self.attempts.contains_key(job)).copied().collect();
        for job in failed {
            self.ready.remove(&job);
            self.done.insert(job, JobResult { worker, ..self.truth(&self.all[&job]) });
        }
    }

    /// Returns the right output of a job, as it is stored.
    pub(super) fn expected(&self, job: JobId) -> Vec<u8> {
        self.truth(&self.all[&job]).output
    }

    /// Has the results of quarantined workers computed again, as the run's leader does.
    pub(super) fn invalidate_quarantined(&mut self) {
        let is_invalid =
            |_: &JobId, result: &mut JobResult| self.quarantined.contains(&result.worker);
        let invalid: Vec<_> = self.done.extract_if(.., is_invalid).collect();
        for (job, _) in invalid {
            self.ready.insert(job, self.all[&job].clone());
            self.take(DispatchMessage::Ready(RUN));
        }
        self.settle();
    }

    /// The worker reports that it has begun a job.
    pub(super) fn begin(&mut self, session: u64, job: JobId) {
        self.say(session, WorkerMessage::Heartbeat(vec![progress(job, 1)]));
    }

    /// Returns the right outcome of a job, as a worker reports it.
    pub(super) fn right_output(&self, job: JobId) -> result::Outcome {
        let job = Job::decode(self.all[&job].as_slice()).unwrap();
        result::Outcome::Output(self.compute(&job))
    }

    /// Returns a wrong outcome, the same for each liar.
    pub(super) fn wrong_output(&self, job: JobId) -> result::Outcome {
        let job = Job::decode(self.all[&job].as_slice()).unwrap();
        result::Outcome::Output(self.compute(&Job { seed: job.seed + 1, ..job }))
    }

    pub(super) fn compute(&self, job: &Job) -> Vec<u8> {
        recompute(CATALOG, job, &self.shared, PartSet::default()).unwrap()
    }

    pub(super) fn bring_outcome(
        &mut self,
        session: u64,
        job: JobId,
        ticket: Vec<u8>,
        outcome: result::Outcome,
    ) {
        let result = v1::Result {
            r#ref: Some(job_ref::to_wire(key(job))),
            outcome: Some(outcome),
            cost: None,
            ticket,
        };
        self.say(session, WorkerMessage::Results(v1::Results { results: vec![result] }));
        self.settle();
    }

    /// Asks for one more job per verdict, as a worker does.
    pub(super) fn want_more(&mut self) {
        for session in self.players.keys().copied().collect::<Vec<_>>() {
            let verdicts = std::mem::take(&mut self.players.get_mut(&session).unwrap().verdicts);
            self.say(session, WorkerMessage::Want(u32::try_from(verdicts.len()).unwrap()));
        }
        self.settle();
    }

    pub(super) fn ticket(&self, job: JobId, worker: WorkerId) -> Vec<u8> {
        self.tickets.issue(key(job), worker, &self.all[&job])
    }

    pub(super) fn bytes(&self, job: JobId) -> Vec<u8> {
        self.all[&job].clone()
    }

    /// Returns the value of a series.
    pub(super) fn count(&self, series: &str) -> u64 {
        let text = self.dispatcher.settings.meters.text();
        let line = text.lines().find(|line| line.starts_with(series));
        let value = line.and_then(|line| line.rsplit(' ').next()?.parse().ok());
        value.unwrap_or_else(|| panic!("no {series} in {text}"))
    }

    pub(super) fn is_kicked(&mut self, session: u64) -> bool {
        self.players.get_mut(&session).unwrap().kicked.try_recv().is_ok()
    }
}
