//! What dispatch decides, case by case.

mod alone;
mod arbitrated;
mod beating;
mod checked_once;
mod fair;
mod mixed;
mod one_opinion;
mod reported;
mod scene;
mod self_tested;
mod shared;
mod unconfirmed;

use std::time::Duration;

use hatchery_proto::v1::{self, JobFailure, result};
use hatchery_store::{JobId, WorkerId};

use self::scene::{STALL, Scene, key, worker_of};
use super::SILENCE;
use crate::dispatch::message::WorkerMessage;

fn job(index: u64) -> JobId {
    JobId { generation: 0, index }
}

/// Has all workers bring right results until no worker gets a job any more; returns the number of
/// results.
fn work(scene: &mut Scene) -> usize {
    let (mut n_brought, mut n_idle) = (0, 0);
    while n_idle < 5 {
        let sessions: Vec<_> = scene.players.keys().copied().collect();
        let brought = sessions.into_iter().filter(|&s| scene.bring(s, false).is_some()).count();
        scene.want_more();
        match brought {
            0 => (n_idle, _) = (n_idle + 1, scene.wait(Duration::from_secs(1))),
            n => (n_idle, n_brought) = (0, n_brought + n),
        }
    }
    n_brought
}

/// Has a worker report that its oldest job failed.
fn fail(scene: &mut Scene, session: u64) {
    let oldest = scene.players.get_mut(&session).unwrap().jobs.pop_front();
    if let Some((job, _, ticket)) = oldest {
        let failure = JobFailure { message: "it broke".to_owned(), ..JobFailure::default() };
        scene.bring_outcome(session, job, ticket, result::Outcome::Failure(failure));
    }
}

#[test]
fn a_result_is_confirmed_after_the_store_has_it() {
    let mut scene = Scene::new(1, 0);
    scene.join(1, 1, 2);
    assert_eq!(scene.players[&1].jobs.len(), 1);
    assert_eq!(scene.bring(1, false), Some(job(0)));
    assert!(scene.done.contains_key(&job(0)));
    assert_eq!(scene.players[&1].verdicts, [(job(0), v1::Verdict::Accepted)]);
}

#[test]
fn a_job_of_a_lost_worker_goes_to_another_at_once() {
    let mut scene = Scene::new(1, 0);
    scene.join(1, 1, 2);
    scene.join(2, 1, 2);
    assert_eq!(scene.players[&1].jobs.len(), 1);
    scene.leave(1, false);
    assert_eq!(scene.players[&2].jobs.len(), 1);
}

#[test]
fn a_silent_worker_is_lost() {
    let mut scene = Scene::new(1, 0);
    scene.join(1, 1, 2);
    scene.wait_in_silence(SILENCE - Duration::from_millis(1));
    assert!(!scene.is_kicked(1));
    scene.wait_in_silence(Duration::from_millis(101));
    assert!(scene.is_kicked(1));
}

/// docs/REFERENCE.md states this number.
#[test]
fn a_coordinator_takes_4096_workers() {
    let mut scene = Scene::new(1, 0);
    let join = |scene: &mut Scene, session| {
        scene.join_holding(session, worker_of(session), 1, Vec::new());
        !scene.is_kicked(session)
    };
    assert!((0..4096).all(|session| join(&mut scene, session)));
    assert!(!join(&mut scene, 4096), "one more is refused");
    scene.leave(7, true);
    assert!(join(&mut scene, 4097), "a place has become free");
}

#[test]
fn results_for_jobs_never_leased_change_nothing() {
    let mut scene = Scene::new(2, 0);
    scene.join(1, 1, 1);
    let output = result::Outcome::Output(Vec::new());
    let foreign = scene.ticket(job(1), worker_of(7));
    scene.bring_outcome(1, job(1), foreign, output.clone());
    scene.bring_outcome(1, job(9), Vec::new(), output);
    let verdicts = [(job(1), v1::Verdict::Invalid), (job(9), v1::Verdict::Invalid)];
    assert_eq!(scene.players[&1].verdicts, verdicts);
    assert!(scene.done.is_empty());
}

#[test]
fn a_worker_alone_is_taken_at_its_word() {
    let mut scene = Scene::new(20, 100_000);
    scene.join(1, 2, 4);
    assert_eq!(work(&mut scene), 20);
    assert_eq!(scene.done.len(), 20);
}

#[test]
fn the_first_result_of_a_worker_is_checked_by_another_before_any_counts() {
    let mut scene = Scene::new(8, 0);
    scene.join(1, 2, 4);
    scene.join(2, 2, 4);
    while scene.bring(1, false).is_some() {}
    assert!(scene.done.is_empty(), "nobody has said the same yet");
    let n_brought = work(&mut scene);
    assert_eq!(scene.done.len(), 8, "after {n_brought} more results");
    assert!(scene.quarantined.is_empty());
}

#[test]
fn new_workers_never_wait_for_each_other_for_ever() {
    for (slots, n_workers) in [(1, 2), (1, 5), (2, 3)] {
        let mut scene = Scene::new(60, 50_000);
        for session in 1..=n_workers {
            scene.join(session, slots, 2 * slots);
        }
        work(&mut scene);
        assert_eq!(scene.done.len(), 60, "{n_workers} workers of {slots} slots");
    }
}

#[test]
fn a_liar_is_quarantined_and_nothing_of_it_counts() {
    let mut scene = Scene::new(12, 0);
    scene.join(1, 2, 4);
    scene.join(2, 2, 4);
    while scene.bring(1, true).is_some() {}
    assert!(scene.done.is_empty());
    work(&mut scene);
    let liar = scene.players[&1].incarnation;
    assert_eq!(scene.quarantined, [liar]);
    assert!(scene.is_kicked(1));
    assert_eq!(scene.done.len(), 12);
    assert!(scene.done.values().all(|result| result.worker != liar));
}

#[test]
fn audits_are_computed_twice_and_find_a_liar_that_was_trusted() {
    let mut scene = Scene::new(60, 300_000);
    scene.join(1, 1, 2);
    scene.join(2, 1, 2);
    while scene.done.len() < 10 {
        if !(scene.bring(1, false).is_some() | scene.bring(2, false).is_some()) {
            scene.wait(Duration::from_secs(1));
        }
        scene.want_more();
    }
    while scene.quarantined.is_empty() {
        if scene.bring(1, true).is_none() & scene.bring(2, false).is_none() {
            assert_ne!(scene.done.len(), 60, "the lie is found before the jobs run out");
            scene.wait(Duration::from_secs(1));
        }
        scene.want_more();
    }
    assert_eq!(scene.quarantined, [scene.players[&1].incarnation]);
}

#[test]
fn a_worker_that_leaves_gets_no_more() {
    let mut scene = Scene::new(3, 0);
    scene.join(1, 2, 1);
    assert_eq!(scene.players[&1].jobs.len(), 1);
    scene.say(1, WorkerMessage::Want(1));
    scene.say(1, WorkerMessage::Leaving);
    scene.say(1, WorkerMessage::Want(1));
    scene.settle();
    assert_eq!(scene.players[&1].jobs.len(), 1);
    assert!(scene.players[&1].drained);
}

#[test]
fn a_late_job_gets_one_backup_copy_and_the_first_result_wins() {
    let mut scene = Scene::new(1, 0);
    scene.join(1, 1, 2);
    scene.join(2, 1, 2);
    scene.join(3, 1, 2);
    scene.wait(Duration::from_secs(1));
    assert!(scene.players[&2].jobs.is_empty() && scene.players[&3].jobs.is_empty());
    let (slow, _) = scene.players.iter().find(|(_, p)| !p.jobs.is_empty()).unwrap();
    let slow = *slow;
    scene.wait(Duration::from_secs(2));
    let holders = |scene: &Scene| -> Vec<_> {
        scene.players.iter().filter(|(_, p)| !p.jobs.is_empty()).map(|(&id, _)| id).collect()
    };
    assert_eq!(holders(&scene).len(), 2);
    scene.wait(Duration::from_secs(20));
    assert_eq!(holders(&scene).len(), 2, "one backup is enough");
    let backup = holders(&scene).into_iter().find(|&id| id != slow).unwrap();
    scene.bring(backup, false);
    // It is the first of its worker, so another looks at it: the slow one or the third.
    work(&mut scene);
    assert_eq!(scene.done.len(), 1);
    assert_eq!(scene.count("hatchery_jobs_speculated_total{outcome=\"won\"}"), 1);
}

#[test]
fn a_job_that_fails_everywhere_is_parked() {
    let mut scene = Scene::new(1, 0);
    scene.join(1, 1, 4);
    scene.join(2, 1, 4);
    let mut who = Vec::new();
    for _ in 0..40 {
        scene.wait(Duration::from_secs(1));
        let holder = scene.players.iter().find(|(_, p)| !p.jobs.is_empty()).map(|(&id, _)| id);
        let Some(session) = holder else { continue };
        let (job, _, ticket) = scene.players.get_mut(&session).unwrap().jobs.pop_front().unwrap();
        let failure = JobFailure { message: "it broke".to_owned(), ..JobFailure::default() };
        scene.bring_outcome(session, job, ticket, result::Outcome::Failure(failure));
        who.push(session);
    }
    assert_eq!(scene.parked.len(), 1);
    assert_eq!(who.len(), 3, "three errors are enough");
    let errors = "hatchery_job_attempts_failed_total{kind=\"pig\",reason=\"error\"}";
    assert_eq!(scene.count(errors), 3);
    assert_ne!(who[0], who[1], "another worker tries it");
}

/// The only other worker fails every job, so the coordinator computes the second opinion.
#[test]
fn a_good_worker_and_one_that_fails_every_job_finish_the_run() {
    for audit_ppm in [0, 10_000, 1_000_000] {
        let mut scene = Scene::new(12, audit_ppm);
        scene.join(1, 1, 2);
        scene.join(2, 1, 2);
        for _ in 0..200 {
            scene.bring(1, false);
            fail(&mut scene, 2);
            scene.wait(Duration::from_secs(1));
            scene.want_more();
        }
        assert_eq!(scene.done.len(), 12, "with {audit_ppm} audits per million");
        assert!(scene.parked.is_empty() && scene.quarantined.is_empty());
    }
}

/// Returns the pauses of a worker that fails every job here, if `resolver` resolves these jobs at
/// another coordinator.
fn n_pauses(resolver: WorkerId) -> u64 {
    let mut scene = Scene::new(12, 0);
    scene.join(1, 1, 2);
    for _ in 0..12 {
        fail(&mut scene, 1);
        scene.wait(Duration::from_secs(2));
        scene.resolve_elsewhere(resolver);
        scene.want_more();
    }
    assert!(2 <= scene.done.len(), "too few to pause a worker");
    scene.count("hatchery_worker_pauses_total")
}

/// The only worker here fails every job, and the workers of another coordinator complete these
/// jobs: the worker is paused all the same.
#[test]
fn a_worker_that_fails_what_another_coordinator_completes_is_paused() {
    assert_ne!(n_pauses(worker_of(99)), 0);
}

/// Nobody has completed the jobs, or the worker itself has, after it came back elsewhere.
#[test]
fn a_worker_is_not_blamed_for_jobs_that_are_skipped_or_that_it_completes_itself() {
    assert_eq!(n_pauses(WorkerId::NOBODY), 0);
    assert_eq!(n_pauses(worker_of(1)), 0);
}

/// The only worker here fails a job that a worker of another coordinator has not tried. The job is
/// left to that coordinator, and not tried here again and again.
#[test]
fn a_job_that_all_workers_here_fail_is_left_to_other_coordinators() {
    let mut scene = Scene::new(1, 0);
    scene.join(1, 1, 2);
    scene.announce_elsewhere(2);
    fail(&mut scene, 1);
    scene.settle();
    assert_eq!(scene.ready.len(), 1, "it is released");
    assert!(scene.players[&1].jobs.is_empty());
    // The other does not take it. It is leased here again, but not computed.
    for _ in 0..10 {
        scene.wait(Duration::from_millis(500));
        assert!(scene.players[&1].jobs.is_empty());
    }
    // The other worker is gone, so there is nobody else to try it.
    scene.announce_elsewhere(0);
    for _ in 0..10 {
        scene.wait(Duration::from_secs(2));
    }
    assert_eq!(scene.players[&1].jobs.len(), 1);
}

/// Another coordinator has workers, so the only one here is checked: the coordinator does it.
#[test]
fn a_liar_that_is_alone_at_its_coordinator_is_found_out() {
    let mut scene = Scene::new(3, 1_000_000);
    scene.join(1, 1, 2);
    scene.announce_elsewhere(2);
    for _ in 0..5 {
        scene.bring(1, true);
        scene.wait(Duration::from_secs(1));
    }
    assert_eq!(scene.quarantined, [worker_of(1)]);
    assert!(scene.done.values().all(|result| result.worker != worker_of(1)));
}

/// One worker completes jobs, but lies; the other worker fails every job.
#[test]
fn a_liar_and_a_worker_that_fails_every_job_complete_nothing_wrong() {
    let mut scene = Scene::new(2, 1_000_000);
    scene.join(1, 1, 2);
    scene.join(2, 1, 2);
    for _ in 0..100 {
        scene.bring(1, true);
        fail(&mut scene, 2);
        scene.wait(Duration::from_secs(1));
    }
    assert_eq!(scene.quarantined, [worker_of(1)]);
    assert!(scene.done.values().all(|result| result.worker != worker_of(1)));
}

#[test]
fn a_job_that_hangs_is_taken_away() {
    let mut scene = Scene::new(1, 0);
    scene.join(1, 1, 2);
    scene.wait(STALL - Duration::from_secs(1));
    assert!(scene.players[&1].cancelled.is_empty());
    scene.wait(Duration::from_secs(2));
    assert_eq!(scene.players[&1].cancelled, [job(0)]);
}

/// A job kills its worker before the worker has reported anything, and the worker returns each
/// time.
#[test]
fn a_job_that_kills_workers_before_they_report_is_parked() {
    let mut scene = Scene::new(1, 0);
    let mut n_killed = 0;
    for session in 1..=30 {
        scene.join(session, 1, 2);
        n_killed += scene.players[&session].jobs.len();
        scene.leave(session, false);
        scene.wait(Duration::from_secs(30));
    }
    assert_eq!(scene.parked, [job(0)].into());
    assert_eq!(n_killed, 8);
}

/// A lost worker had as many jobs in progress as slots; the jobs behind them cannot have killed it.
#[test]
fn jobs_that_waited_at_a_lost_worker_are_not_to_blame() {
    let mut scene = Scene::new(2, 0);
    scene.join(1, 1, 2);
    assert_eq!(scene.players[&1].jobs.len(), 2);
    scene.leave(1, false);
    scene.settle();
    let blamed: Vec<_> = scene.attempts.keys().copied().collect();
    assert_eq!(blamed, [job(0)]);
}

/// The worker that has not failed the job takes no jobs, so the worker that has failed it tries
/// again.
#[test]
fn a_failed_job_does_not_wait_for_ever_for_a_worker_that_takes_none() {
    let mut scene = Scene::new(1, 0);
    scene.join(1, 1, 2);
    scene.join(2, 1, 0);
    fail(&mut scene, 1);
    scene.say(1, WorkerMessage::Want(1));
    scene.wait(Duration::from_secs(10));
    assert!(scene.players[&1].jobs.is_empty(), "the other one may take it yet");
    scene.wait(Duration::from_secs(25));
    assert_eq!(scene.players[&1].jobs.len(), 1);
}

/// A worker that takes no jobs, here or at another coordinator, cannot speak for a job that all
/// others fail.
#[test]
fn a_job_that_fails_everywhere_is_dead_beside_workers_that_take_none() {
    for n_elsewhere in [0, 3] {
        let mut scene = Scene::new(1, 0);
        (1..4).for_each(|session| scene.join(session, 1, if session < 3 { 2 } else { 0 }));
        scene.announce_workers(n_elsewhere, true);
        let mut seconds = 0;
        while scene.parked.is_empty() {
            assert!(seconds < 1200, "it is tried forever: {}", scene.attempts[&job(0)].len());
            fail(&mut scene, 1);
            fail(&mut scene, 2);
            scene.want_more();
            scene.wait(Duration::from_secs(1));
            seconds += 1;
        }
        assert!(300 <= seconds, "the third worker might have taken it");
    }
}

#[test]
fn a_worker_that_gives_a_job_back_comes_after_others() {
    let mut scene = Scene::new(1, 0);
    scene.join(1, 4, 8);
    scene.join(2, 1, 2);
    assert_eq!(scene.players.get_mut(&1).unwrap().jobs.pop_front().unwrap().0, job(0));
    scene.say(1, WorkerMessage::Release(vec![key(job(0))]));
    scene.settle();
    assert!(scene.players[&1].jobs.is_empty());
    assert_eq!(scene.players[&2].jobs.len(), 1);
}

#[test]
fn a_result_that_is_repeated_while_the_store_is_away_is_kept_once() {
    let mut scene = Scene::new(1, 0);
    scene.join(1, 1, 2);
    scene.is_store_down = true;
    for _ in 0..5 {
        let repeated = scene.players[&1].jobs.clone();
        assert_eq!(scene.bring(1, false), Some(job(0)));
        scene.players.get_mut(&1).unwrap().jobs = repeated;
    }
    assert_eq!(scene.n_unstored(), 1);
    scene.is_store_down = false;
    scene.wait(Duration::from_secs(1));
    assert!(scene.done.contains_key(&job(0)));
}

/// An audited job without an answer gets a backup copy, as any other.
#[test]
fn a_slow_worker_does_not_hold_an_audited_job() {
    let mut scene = Scene::new(1, 1_000_000);
    scene.join(1, 1, 2);
    scene.join(2, 1, 2);
    scene.join(3, 1, 2);
    let slow = *scene.players.iter().find(|(_, it)| !it.jobs.is_empty()).unwrap().0;
    for n_signs in 1..20 {
        scene.say(slow, WorkerMessage::Heartbeat(vec![scene::progress(job(0), n_signs)]));
        scene.wait(Duration::from_secs(1));
        for other in (1..=3).filter(|&other| other != slow) {
            scene.bring(other, false);
        }
        scene.want_more();
    }
    assert_eq!(scene.done.len(), 1);
    assert!(scene.quarantined.is_empty());
}

#[test]
fn a_worker_that_comes_back_keeps_its_jobs() {
    let mut scene = Scene::new(1, 0);
    scene.join(1, 1, 2);
    let (held, _, ticket) = scene.players[&1].jobs[0].clone();
    let incarnation = scene.players[&1].incarnation;
    scene.join_holding(2, incarnation, 1, vec![(key(held), ticket.clone())]);
    scene.settle();
    assert!(scene.is_kicked(1), "a worker has one session");
    assert!(scene.players[&2].cancelled.is_empty());
    // And one that says it has what it never got is told to stop.
    scene.join_holding(3, worker_of(3), 1, vec![(key(held), ticket)]);
    assert_eq!(scene.players[&3].cancelled, [job(0)]);
}
