//! Many runs, and the share of the workers that each run gets.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use hatchery_core::AnyExperiment;
use hatchery_meters::CoordinatorMeters;
use hatchery_proto::v1::{self, Job, Segment, ToWorker, to_worker};
use hatchery_store::{
    CoordinatorId, EnqueueBatch, FencingToken, JobId, JobKey, LeaderToken, LeasedJob, RunId,
    SessionId, WorkerId,
};
use proptest::prelude::*;
use prost::Message as _;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tonic::Status;
use ulid::Ulid;

use super::scene::{CATALOG, STALL};
use crate::base::job_ref;
use crate::base::opinions::OpinionsBy;
use crate::base::ticket::TicketIssuer;
use crate::dispatch::audits::AcceptReason;
use crate::dispatch::dispatcher::{DispatchSettings, Dispatcher};
use crate::dispatch::effect::{DispatchEffect, EffectCompletion, StepContext};
use crate::dispatch::message::{
    DispatchMessage, EnqueueRequest, JoinRequest, KnownJobs, OpenRun, PeerCoordinator,
    WorkerMessage,
};
use crate::dispatch::runs::retry::RetryPolicy;
use crate::run::record::AnnouncedWorker;
use crate::run::scheduling::{RunPriority, RunScheduling};
use crate::self_tests::SelfTestPolicy;

/// This coordinator.
const OWN: CoordinatorId = CoordinatorId(101);

/// A coordinator whose runs never end, with workers that give each job back after a while. The
/// tests look at how many jobs each run has at workers.
struct Fair {
    dispatcher: Dispatcher,
    now: Instant,
    open: OpenRun,
    workers: BTreeMap<SessionId, Worker>,
    n_leased: u64,
}

struct Worker {
    inbox: mpsc::Receiver<Result<ToWorker, Status>>,
    jobs: VecDeque<JobKey>,
    /// The slots that each run may use, as last sent to workers; 0 for all.
    run_slots: BTreeMap<RunId, u32>,
    slots: u32,
    _kicked: oneshot::Receiver<Status>,
}

/// The id of the run with this number.
fn run_id(run: u64) -> RunId {
    RunId(Ulid(run.into()))
}

impl Fair {
    fn new() -> Self {
        let experiment: &dyn AnyExperiment = CATALOG.find("pig").unwrap();
        let open = OpenRun {
            run: RunId(Ulid(0)),
            experiment: "pig".to_owned(),
            version: experiment.version(),
            simulation: experiment.simulation(),
            stall: STALL,
            scheduling: RunScheduling::default(),
            jobs: KnownJobs::Unknown,
        };
        let dispatcher = Dispatcher::new(DispatchSettings {
            consumer: OWN,
            tickets: TicketIssuer::new([3; 32]),
            catalog: CATALOG,
            // The workers of these tests are part of the build.
            self_tests: SelfTestPolicy::SameBuild,
            retry_policy: RetryPolicy::default(),
            audit_ppm: 0,
            opinions_by: OpinionsBy::Worker,
            meters: Arc::new(CoordinatorMeters::new(["pig"], "", 0)),
        });
        Self { dispatcher, now: Instant::now(), open, workers: BTreeMap::new(), n_leased: 0 }
    }

    /// Opens run number `run`; a `cap` of 0 is none.
    fn open(&mut self, run: u64, user: &str, priority: RunPriority, cap: u32) {
        let most_slots = NonZeroU32::new(cap);
        let scheduling = RunScheduling { user: user.parse().unwrap(), priority, most_slots };
        let open = OpenRun { run: run_id(run), scheduling, ..self.open.clone() };
        self.take(DispatchMessage::Open(open));
    }

    /// A worker with that many places joins.
    fn join(&mut self, session: SessionId, places: u32) {
        let (outbound, inbox) = mpsc::channel(1024);
        let (end_session, kicked) = oneshot::channel();
        let experiments = [("pig".to_owned(), self.open.version)].into();
        let (worker, incarnation, slots) = (session.to_string(), WorkerId(session.0), places / 2);
        let held = Vec::new();
        let join = JoinRequest {
            session,
            worker,
            incarnation,
            host: None,
            build: String::new(),
            slots,
            experiments,
            held,
            takes_self_tests: true,
            welcome_tests: Vec::new(),
            outbound,
            end_session,
        };
        let (jobs, run_slots) = (VecDeque::new(), BTreeMap::new());
        let worker = Worker { inbox, jobs, run_slots, slots, _kicked: kicked };
        self.workers.insert(session, worker);
        self.take(DispatchMessage::Join(join));
        self.take(DispatchMessage::FromWorker(session, WorkerMessage::Want(places)));
    }

    /// Trusts all workers, so that no worker keeps a place free to check other workers.
    fn trust_all(&mut self) {
        let key = JobKey { run: run_id(0), job: JobId { generation: 0, index: 0 } };
        let sessions = self.workers.keys().copied();
        let waiting = self.dispatcher.audits.accept(key, sessions, AcceptReason::Checked);
        assert!(waiting.is_empty());
    }

    fn take(&mut self, message: DispatchMessage) {
        let mut ctx = StepContext::new(self.now);
        self.dispatcher.take(&mut ctx, message);
        loop {
            self.dispatcher.settle(&mut ctx);
            let mut is_settled = true;
            for effect in std::mem::take(&mut ctx.effects) {
                if let DispatchEffect::Lease { run, most } = effect {
                    is_settled = false;
                    let leased = Ok((0..most).map(|_| self.fresh()).collect());
                    let done = EffectCompletion::Leased { run, most, leased };
                    self.dispatcher.done(&mut ctx, done);
                }
            }
            if is_settled {
                break;
            }
        }
        self.read();
    }

    fn fresh(&mut self) -> LeasedJob {
        self.n_leased += 1;
        let segment = Segment { n_trials: 1, ..Segment::default() };
        let job = Job { segments: vec![segment], ..Job::default() };
        let id = JobId { generation: 0, index: self.n_leased };
        LeasedJob { id, bytes: job.encode_to_vec() }
    }

    fn read(&mut self) {
        for Worker { inbox, jobs, run_slots, .. } in self.workers.values_mut() {
            while let Ok(Ok(ToWorker { message: Some(message) })) = inbox.try_recv() {
                if let to_worker::Message::Assign(v1::Assign { assignments }) = message {
                    for v1::Assignment { r#ref, run_slots: slots, .. } in assignments {
                        let key = job_ref::from_wire(r#ref.as_ref()).unwrap();
                        run_slots.insert(key.run, slots);
                        jobs.push_back(key);
                    }
                }
            }
        }
    }

    /// Each worker finishes each of its jobs once.
    fn turn_over(&mut self) {
        for session in self.workers.keys().copied().collect::<Vec<_>>() {
            for _ in 0..self.workers[&session].jobs.len() {
                self.give_back(session);
                self.take(DispatchMessage::FromWorker(session, WorkerMessage::Want(1)));
            }
        }
    }

    /// A worker finishes its oldest job, and takes no job in its place.
    fn give_back(&mut self, session: SessionId) {
        let job = self.workers.get_mut(&session).unwrap().jobs.pop_front();
        let release = WorkerMessage::Release(job.into_iter().collect());
        self.take(DispatchMessage::FromWorker(session, release));
    }

    /// Returns the number of slots that the run uses: at each worker as many as the run may use, if
    /// it has jobs for these slots.
    fn busy(&self, run: u64) -> usize {
        let run = run_id(run);
        let at = |worker: &Worker| {
            let n_jobs = worker.jobs.iter().filter(|job| job.run == run).count();
            let most = match worker.run_slots.get(&run) {
                None | Some(0) => worker.slots,
                Some(&most) => most,
            };
            n_jobs.min(most as usize)
        };
        self.workers.values().map(at).sum()
    }

    /// Returns the number of the run's jobs at workers.
    fn held(&self, run: u64) -> usize {
        let run = run_id(run);
        let jobs = self.workers.values().flat_map(|worker| &worker.jobs);
        let held = jobs.filter(|job| job.run == run).count();
        assert_eq!(self.dispatcher.runs[&run].n_executions(), held, "the books are right");
        held
    }
}

#[test]
fn a_user_with_one_run_has_half_of_the_farm_beside_one_with_fifty() {
    for places in [2, 8, 30] {
        let mut fair = Fair::new();
        fair.join(SessionId(1), places);
        for run in 1..=50 {
            fair.open(run, "many", RunPriority::Normal, 0);
        }
        fair.turn_over();
        fair.open(51, "one", RunPriority::Normal, 0);
        // Nobody is interrupted: it has its share when each place was free once.
        fair.turn_over();
        for _ in 0..20 {
            let (one, many) = (fair.held(51), (1..=50).map(|run| fair.held(run)).sum::<usize>());
            assert_eq!(one + many, places as usize, "no place is free");
            assert!(places as usize / 2 <= one + 1, "one has {one} of {places}");
            fair.turn_over();
        }
    }
}

#[test]
fn each_of_many_runs_has_a_turn() {
    let mut fair = Fair::new();
    fair.join(SessionId(1), 4);
    for run in 1..=50 {
        fair.open(run, "many", RunPriority::Normal, 0);
    }
    let mut seen = BTreeSet::new();
    // The first run had all four places; the others take thirteen rounds.
    for _ in 0..=13 {
        seen.extend((1..=50).filter(|&run| fair.held(run) != 0));
        fair.turn_over();
    }
    assert_eq!(seen.len(), 50, "each had a place");
}

#[test]
fn a_lower_class_keeps_a_tenth() {
    let mut fair = Fair::new();
    fair.join(SessionId(1), 40);
    fair.open(1, "ada", RunPriority::Low, 0);
    assert_eq!(fair.held(1), 40);
    fair.open(2, "ada", RunPriority::High, 0);
    fair.turn_over();
    for _ in 0..10 {
        assert_eq!((fair.held(1), fair.held(2)), (4, 36));
        fair.turn_over();
    }
}

#[test]
fn a_capped_run_has_no_more_than_its_part_of_the_cap() {
    let mut fair = Fair::new();
    fair.join(SessionId(1), 20);
    fair.open(1, "ada", RunPriority::High, 3);
    fair.open(2, "ada", RunPriority::Normal, 0);
    fair.turn_over();
    assert_eq!((fair.busy(1), fair.held(1), fair.held(2)), (3, 6, 14));
    // Another coordinator has twice as many slots: two of the three are its own.
    let worker = |slots| AnnouncedWorker {
        slots,
        experiments: vec![format!("pig@{}", fair.open.version)],
        ..AnnouncedWorker::default()
    };
    let own = PeerCoordinator::new(OWN, &[worker(10)], &[]);
    let other = PeerCoordinator::new(CoordinatorId(102), &[worker(20)], &[]);
    fair.take(DispatchMessage::Farm(vec![own, other]));
    fair.turn_over();
    assert_eq!((fair.busy(1), fair.held(1), fair.held(2)), (1, 2, 18));
}

/// A slot without a job at hand would be idle between two jobs.
#[test]
fn each_slot_of_a_limited_run_has_another_job_at_hand() {
    let slots = [1, 1, 4];
    for most in 1..8 {
        let mut fair = Fair::new();
        for (session, slots) in (1..).zip(slots) {
            fair.join(SessionId(session), 2 * slots);
        }
        fair.trust_all();
        fair.open(1, "ada", RunPriority::Normal, most);
        let expected = most.min(slots.iter().sum()) as usize;
        for round in 0..40 {
            assert_eq!((fair.busy(1), fair.held(1)), (expected, 2 * expected), "of {most}");
            let session = SessionId(1 + round % 3);
            if !fair.workers[&session].jobs.is_empty() {
                fair.give_back(session);
                assert_eq!(fair.busy(1), expected, "the other job has begun");
                fair.take(DispatchMessage::FromWorker(session, WorkerMessage::Want(1)));
            }
        }
    }
}

proptest! {
    #[test]
    fn no_run_uses_more_slots_than_it_may(
        slots in prop::collection::vec(1..6_u32, 1..5),
        runs in prop::collection::vec((0..3_usize, 0..7_u32), 1..5),
        steps in prop::collection::vec((0..5_u128, 0..3_u32), 0..60),
    ) {
        let mut fair = Fair::new();
        let (users, sessions) = (["ada", "bob", "eve"], slots.len() as u128);
        for (session, slots) in (1..).zip(slots) {
            fair.join(SessionId(session), 2 * slots);
        }
        for (run, &(user, most)) in (1..).zip(&runs) {
            fair.open(run, users[user], RunPriority::Normal, most);
        }
        for (session, wanted) in steps {
            let session = SessionId(1 + session % sessions);
            fair.give_back(session);
            fair.take(DispatchMessage::FromWorker(session, WorkerMessage::Want(wanted)));
            for (run, &(_, most)) in (1..).zip(&runs) {
                let most = if most == 0 { usize::MAX } else { most as usize };
                prop_assert!(fair.busy(run) <= most, "{} of {}", fair.busy(run), most);
                prop_assert!(fair.held(run) <= most.saturating_mul(2));
            }
        }
    }
}

/// Otherwise the jobs would wait for the next poll.
#[test]
fn jobs_that_become_ready_while_the_store_is_asked_are_asked_for_again() {
    let mut fair = Fair::new();
    fair.join(SessionId(1), 4);
    let (run, now) = (RunId(Ulid(1)), fair.now);
    let dispatcher = &mut fair.dispatcher;
    let n_leases = |dispatcher: &mut Dispatcher| {
        let mut ctx = StepContext::new(now);
        dispatcher.settle(&mut ctx);
        ctx.effects.iter().filter(|effect| matches!(effect, DispatchEffect::Lease { .. })).count()
    };
    let nothing = || EffectCompletion::Leased { run, most: 4, leased: Ok(Vec::new()) };

    dispatcher.take(
        &mut StepContext::new(now),
        DispatchMessage::Open(OpenRun { run, ..fair.open.clone() }),
    );
    assert_eq!(n_leases(dispatcher), 1);
    dispatcher.done(&mut StepContext::new(now), nothing());
    assert_eq!(n_leases(dispatcher), 0, "it has none");

    dispatcher.take(&mut StepContext::new(now), DispatchMessage::Ready(run));
    assert_eq!(n_leases(dispatcher), 1);
    dispatcher.take(&mut StepContext::new(now), DispatchMessage::Ready(run));
    assert_eq!(n_leases(dispatcher), 0, "it is being asked");
    dispatcher.done(&mut StepContext::new(now), nothing());
    assert_eq!(n_leases(dispatcher), 1, "it may have some since");
}

#[test]
fn the_store_is_not_asked_for_jobs_of_a_run_that_was_just_created() {
    let mut fair = Fair::new();
    fair.join(SessionId(1), 4);
    let (run, now) = (RunId(Ulid(1)), fair.now);
    let open = OpenRun { run, jobs: KnownJobs::None, ..fair.open.clone() };
    fair.dispatcher.take(&mut StepContext::new(now), DispatchMessage::Open(open));
    let n_leases = |dispatcher: &mut Dispatcher, now| {
        let mut ctx = StepContext::new(now);
        dispatcher.settle(&mut ctx);
        ctx.effects.iter().filter(|effect| matches!(effect, DispatchEffect::Lease { .. })).count()
    };
    assert_eq!(n_leases(&mut fair.dispatcher, now), 0);
    // Another coordinator may lead it, and its notice may be lost.
    assert_eq!(n_leases(&mut fair.dispatcher, now + Duration::from_secs(1)), 1);
}

/// Otherwise a waiting worker would wait for one more call of the store.
#[test]
fn what_a_leader_enqueues_is_leased_at_once_as_far_as_workers_want_it() {
    let mut fair = Fair::new();
    fair.join(SessionId(1), 4);
    let (run, now) = (RunId(Ulid(1)), fair.now);
    let dispatcher = &mut fair.dispatcher;
    let request = || {
        let lead = LeaderToken { run, token: FencingToken::default() };
        let jobs = vec![vec![]; 20];
        let enqueue = EnqueueBatch { jobs, ..EnqueueBatch::default() };
        let (done, stored) = oneshot::channel();
        (DispatchMessage::Enqueue(EnqueueRequest { lead, enqueue, done }), stored)
    };
    let settled = |dispatcher: &mut Dispatcher, mut ctx: StepContext| {
        dispatcher.settle(&mut ctx);
        let asked = ctx.effects.into_iter().filter_map(|effect| match effect {
            DispatchEffect::Enqueue { most, request } => Some((most, Some(request.done))),
            DispatchEffect::Lease { most, .. } => Some((most, None)),
            _ => None,
        });
        asked.collect::<Vec<_>>()
    };
    let open = OpenRun { run, ..fair.open.clone() };
    dispatcher.take(&mut StepContext::new(now), DispatchMessage::Open(open));
    let asked = settled(dispatcher, StepContext::new(now));
    let [(most @ 1.., None)] = asked[..] else { panic!("{asked:?}") };
    dispatcher.done(
        &mut StepContext::new(now),
        EffectCompletion::Leased { run, most, leased: Ok(vec![]) },
    );
    assert!(settled(dispatcher, StepContext::new(now)).is_empty(), "it has nothing yet");

    let (message, mut stored) = request();
    dispatcher.take(&mut StepContext::new(now), message);
    let mut asked = settled(dispatcher, StepContext::new(now));
    let Some((most @ 1.., Some(done))) = asked.pop() else { panic!("{asked:?}") };
    assert!(asked.is_empty() && most < 20);

    // Nobody leases for a run that is being asked for jobs, or that is closed.
    let (message, _second) = request();
    dispatcher.take(&mut StepContext::new(now), message);
    assert!(matches!(settled(dispatcher, StepContext::new(now)).as_slice(), [(0, Some(_))]));
    let (message, _third) = request();
    let mut ctx = StepContext::new(now);
    dispatcher.take(&mut ctx, message);
    dispatcher.take(&mut ctx, DispatchMessage::Close(run));
    assert!(matches!(settled(dispatcher, ctx).as_slice(), [(0, Some(_))]));

    // What comes of it then is given back, and the leader hears that its jobs are there.
    let first = JobId { generation: 0, index: 0 };
    let leased = Ok(vec![LeasedJob { id: first, bytes: vec![] }]);
    let mut ctx = StepContext::new(now);
    let first_key = JobKey { run, job: first };
    dispatcher.done(
        &mut ctx,
        EffectCompletion::Enqueued { first: first_key, n_jobs: 20, most, leased, done },
    );
    let [DispatchEffect::Release { jobs, .. }] = ctx.effects.as_slice() else {
        panic!("{:?}", ctx.effects)
    };
    assert_eq!(*jobs, [first]);
    assert!(matches!(stored.try_recv(), Ok(Ok(()))));
}
