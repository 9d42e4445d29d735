//! Any mix of bad workers and at least one good one ends with the right results.

use std::time::Duration;

use hatchery_proto::v1::{Job, JobFailure, JobOutput, result};
use proptest::prelude::*;
use prost::Message as _;

use super::scene::{Scene, worker_of};
use crate::base::opinions::OpinionsBy;

/// Virtual seconds after which a scene must be over: many times the time of the slowest scene.
const MAX_SECONDS: u32 = 3000;

/// The behavior of a worker from some job on; until then it is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WorkerBehavior {
    Good,
    /// Reports that jobs fail.
    Fails,
    /// Sends malformed results.
    SendsGarbage,
    /// Computes results that differ from all other results.
    Lies,
    /// Computes the same wrong results as all workers that lie alike.
    LiesAlike,
    /// Computes one job in twenty seconds.
    IsSlow,
    /// Holds jobs without any progress.
    Hangs,
    /// Loses its connection with jobs in hand, and comes back as another process.
    Vanishes,
}

#[derive(Clone, Copy, Debug)]
struct FaultyWorker {
    behavior: WorkerBehavior,
    from: usize,
    slots: u32,
    host: u8,
}

/// A worker and its history.
struct WorkerActor {
    bad: FaultyWorker,
    session: u64,
    n_jobs: usize,
    is_gone: bool,
}

impl WorkerActor {
    fn behavior(&self) -> WorkerBehavior {
        if self.bad.from <= self.n_jobs { self.bad.behavior } else { WorkerBehavior::Good }
    }

    /// Acts on the worker's jobs for one second.
    fn act(&mut self, scene: &mut Scene, second: u32, next_session: &mut u64) {
        if self.is_gone || scene.is_kicked(self.session) {
            self.is_gone = true;
            return;
        }
        for _ in 0..self.bad.slots {
            let behavior = self.behavior();
            match behavior {
                WorkerBehavior::Hangs => return,
                WorkerBehavior::IsSlow if !second.is_multiple_of(20) => return,
                _ => {}
            }
            let player = scene.players.get_mut(&self.session).unwrap();
            let Some((id, bytes, ticket)) = player.jobs.pop_front() else { return };
            self.n_jobs += 1;
            let job = Job::decode(bytes.as_slice()).unwrap();
            let offset = match behavior {
                WorkerBehavior::LiesAlike => 1_000_000,
                _ => self.session,
            };
            let lie = Job { seed: job.seed + offset, ..job.clone() };
            let outcome = match behavior {
                WorkerBehavior::Good | WorkerBehavior::IsSlow | WorkerBehavior::Hangs => {
                    result::Outcome::Output(scene.compute(&job))
                }
                WorkerBehavior::Lies | WorkerBehavior::LiesAlike => {
                    result::Outcome::Output(scene.compute(&lie))
                }
                WorkerBehavior::Fails => result::Outcome::Failure(JobFailure {
                    message: "it broke".to_owned(),
                    ..JobFailure::default()
                }),
                WorkerBehavior::SendsGarbage => {
                    let garbage = JobOutput { tallies: vec![vec![0xff; 3]] };
                    result::Outcome::Output(garbage.encode_to_vec())
                }
                WorkerBehavior::Vanishes => {
                    scene.begin(self.session, id);
                    scene.leave(self.session, false);
                    scene.players.remove(&self.session);
                    (self.session, *next_session) = (*next_session, *next_session + 1);
                    scene.hosts.insert(self.session, self.bad.host);
                    return scene.join(self.session, self.bad.slots, 2 * self.bad.slots);
                }
            };
            scene.bring_outcome(self.session, id, ticket, outcome);
        }
    }
}

/// Plays a scene and returns the seconds that it took.
fn play(n_jobs: u64, audit_ppm: u32, workers: &[FaultyWorker]) -> u32 {
    play_in(Scene::new(n_jobs, audit_ppm), n_jobs, workers)
}

fn play_in(mut scene: Scene, n_jobs: u64, workers: &[FaultyWorker]) -> u32 {
    let mut actors: Vec<_> = (1..)
        .zip(workers)
        .map(|(session, &bad)| WorkerActor { bad, session, n_jobs: 0, is_gone: false })
        .collect();
    for actor in &actors {
        scene.hosts.insert(actor.session, actor.bad.host);
        scene.join(actor.session, actor.bad.slots, 2 * actor.bad.slots);
    }
    let mut next_session = 1000;
    let mut second = 0;
    while (scene.done.len() as u64) < n_jobs {
        assert!(scene.parked.is_empty(), "dead after {second} s: {:?}", scene.attempts);
        assert!(second < MAX_SECONDS, "{} of {n_jobs} jobs are done", scene.done.len());
        for actor in &mut actors {
            actor.act(&mut scene, second, &mut next_session);
        }
        scene.want_more();
        scene.wait(Duration::from_secs(1));
        scene.invalidate_quarantined();
        second += 1;
    }
    for (job, result) in &scene.done {
        assert_eq!(result.output, scene.expected(*job), "job {} is wrong", job.index);
    }
    let good = actors.iter().filter(|actor| actor.bad.behavior == WorkerBehavior::Good);
    for actor in good {
        assert!(!scene.quarantined.contains(&worker_of(actor.session)), "a good one is out");
    }
    second
}

fn behavior() -> impl Strategy<Value = WorkerBehavior> {
    prop_oneof![
        Just(WorkerBehavior::Good),
        Just(WorkerBehavior::Fails),
        Just(WorkerBehavior::SendsGarbage),
        Just(WorkerBehavior::Lies),
        Just(WorkerBehavior::IsSlow),
        Just(WorkerBehavior::Hangs),
        Just(WorkerBehavior::Vanishes),
    ]
}

/// A worker of host 1 that lies as the other workers there do, or a worker that does not lie.
/// Independent lies are left out: on a few jobs this small, they are equal by chance.
fn bad_or_alike() -> impl Strategy<Value = FaultyWorker> {
    let behavior = WorkerBehavior::LiesAlike;
    let from = prop_oneof![3 => Just(0_usize), 1 => 0..30_usize];
    let alike = (from, 1..4_u32);
    let alike =
        alike.prop_map(move |(from, slots)| FaultyWorker { behavior, from, slots, host: 1 });
    let is_honest = |bad: &FaultyWorker| bad.behavior != WorkerBehavior::Lies;
    prop_oneof![3 => alike, 1 => bad().prop_filter("it lies", is_honest)]
}

fn bad() -> impl Strategy<Value = FaultyWorker> {
    let from = prop_oneof![Just(0_usize), 0..30_usize];
    (behavior(), from, 1..4_u32, 0..3_u8).prop_map(|(behavior, from, slots, host)| FaultyWorker {
        behavior,
        from,
        slots,
        host,
    })
}

fn good(slots: u32) -> FaultyWorker {
    FaultyWorker { behavior: WorkerBehavior::Good, from: 0, slots, host: 0 }
}

proptest! {
    #[test]
    fn one_good_worker_is_enough_if_every_job_is_audited(
        mut workers in prop::collection::vec(bad(), 0..5),
        at in 0..5_usize,
        slots in 1..4_u32,
        n_jobs in 1..40_u64,
    ) {
        workers.insert(at.min(workers.len()), good(slots));
        play(n_jobs, 1_000_000, &workers);
    }

    /// Workers of one host may share the fault that makes them lie alike. The good worker may be on
    /// any host.
    #[test]
    fn workers_of_a_host_that_lie_alike_are_caught_if_they_count_as_one_opinion(
        mut workers in prop::collection::vec(bad_or_alike(), 1..5),
        at in 0..5_usize,
        slots in 1..4_u32,
        host in 0..3_u8,
        // Of a few jobs, none may meet the good worker unless the rule makes it.
        n_jobs in prop_oneof![1..4_u64, 4..40_u64],
    ) {
        workers.insert(at.min(workers.len()), FaultyWorker { host, ..good(slots) });
        play_in(Scene::with_opinions(n_jobs, 1_000_000, OpinionsBy::Host), n_jobs, &workers);
    }

    #[test]
    fn one_good_worker_is_enough_among_workers_that_do_not_lie(
        mut workers in prop::collection::vec(bad(), 0..5),
        at in 0..5_usize,
        slots in 1..4_u32,
        audit_ppm in prop_oneof![Just(0_u32), Just(10_000)],
    ) {
        workers.retain(|worker| worker.behavior != WorkerBehavior::Lies);
        workers.insert(at.min(workers.len()), good(slots));
        play(40, audit_ppm, &workers);
    }
}

/// Faulty workers cost a run their share of the farm, and ten seconds.
#[test]
fn failing_workers_take_no_more_than_their_share() {
    let alone = play(300, 10_000, &[good(1); 3]);
    for behavior in [WorkerBehavior::Fails, WorkerBehavior::SendsGarbage, WorkerBehavior::Lies] {
        for n_bad in 1..3_u32 {
            let mut workers = vec![good(1); 3 - n_bad as usize];
            workers.extend((0..n_bad).map(|_| FaultyWorker {
                behavior,
                from: 0,
                slots: 1,
                host: 0,
            }));
            let took = play(300, 10_000, &workers);
            let most = alone * 3 * 3 / 2 / (3 - n_bad) + 10;
            assert!(took <= most, "{n_bad} of 3 {behavior:?}: {took} s, alone {alone} s");
        }
    }
}
