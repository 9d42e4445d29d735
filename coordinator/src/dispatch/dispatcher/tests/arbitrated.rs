//! Tests of the workers that are quarantined, and of the workers that are not, when results differ.

use std::time::Duration;

use hatchery_proto::v1::{self, Job, JobFailure, result};
use hatchery_store::{DeadJobRecord, JobId, WorkerId};
use prost::Message as _;

use super::scene::{Scene, worker_of};
use super::{fail, job};
use crate::dispatch::effect::ArbitrationError;
use crate::dispatch::message::WorkerMessage;
use crate::run::machine::dead_jobs::missing;

/// Two workers that were found right, each with jobs in hand.
fn checked() -> Scene {
    let mut scene = Scene::new(20, 0);
    scene.join(1, 1, 4);
    scene.join(2, 1, 4);
    while scene.done.len() < 8 {
        scene.bring(1, false);
        scene.bring(2, false);
        scene.want_more();
    }
    scene
}

/// Returns a job of worker 1: its id, its ticket for each worker, the right result, and a lie.
fn in_hand(scene: &mut Scene) -> (JobId, [Vec<u8>; 2], [result::Outcome; 2]) {
    let (id, bytes, ticket) = scene.players.get_mut(&1).unwrap().jobs.pop_front().unwrap();
    let right = Job::decode(bytes.as_slice()).unwrap();
    let wrong = Job { seed: right.seed + 1, ..right.clone() };
    let outcomes = [right, wrong].map(|job| result::Outcome::Output(scene.compute(&job)));
    let other = scene.ticket(id, scene.players[&2].incarnation);
    (id, [ticket, other], outcomes)
}

#[test]
fn the_first_of_two_different_results_may_be_the_wrong_one() {
    let mut scene = checked();
    let (id, [first, second], [right, wrong]) = in_hand(&mut scene);
    scene.is_store_down = true;
    scene.bring_outcome(2, id, second, wrong);
    scene.bring_outcome(1, id, first, right);
    scene.is_store_down = false;
    scene.wait(Duration::from_secs(1));
    assert_eq!(scene.quarantined, [scene.players[&2].incarnation]);
    assert!(scene.players[&1].verdicts.contains(&(id, v1::Verdict::Duplicate)));
}

#[test]
fn nobody_is_quarantined_for_a_result_of_a_job_that_was_skipped() {
    let mut scene = checked();
    let (id, [ticket, _], [right, _]) = in_hand(&mut scene);
    let bytes = scene.bytes(id);
    let skipped = missing(&DeadJobRecord { job: id, bytes, attempts: Vec::new() });
    assert_eq!(skipped.worker, WorkerId::NOBODY);
    scene.done.insert(id, skipped);
    scene.bring_outcome(1, id, ticket, right);
    assert!(scene.quarantined.is_empty());
    assert!(scene.players[&1].verdicts.contains(&(id, v1::Verdict::Unknown)));
}

#[test]
fn the_store_hears_of_a_liar_when_it_can() {
    let mut scene = Scene::new(1, 1_000_000);
    scene.join(1, 1, 1);
    scene.join(2, 1, 1);
    scene.bring(1, true);
    scene.is_store_down = true;
    scene.wait(Duration::from_secs(1));
    scene.bring(2, false);
    assert!(scene.is_kicked(1) && scene.quarantined.is_empty());
    scene.is_store_down = false;
    scene.wait(Duration::from_secs(1));
    assert_eq!(scene.quarantined, [worker_of(1)]);
}

#[test]
fn jobs_that_are_leased_a_second_time_keep_what_came_of_them() {
    let mut scene = Scene::new(1, 1_000_000);
    scene.join(1, 1, 1);
    scene.join(2, 1, 0);
    scene.bring(1, false);
    scene.lease_again();
    scene.say(2, WorkerMessage::Want(1));
    scene.settle();
    scene.bring(2, false);
    assert_eq!(scene.done.len(), 1, "the first answer is still there");
}

#[test]
fn a_failure_that_is_reported_twice_is_one_attempt() {
    let mut scene = Scene::new(1, 0);
    scene.join(1, 1, 1);
    let (id, _, ticket) = scene.players.get_mut(&1).unwrap().jobs.pop_front().unwrap();
    for _ in 0..3 {
        let failure = JobFailure { message: "it broke".to_owned(), ..JobFailure::default() };
        scene.bring_outcome(1, id, ticket.clone(), result::Outcome::Failure(failure));
    }
    assert_eq!(scene.attempts[&job(0)].len(), 1);
}

/// Returns the seconds until the only job is dead or done, if the coordinator cannot compute it,
/// and worker 1 answers it whenever it gets it.
fn seconds_until_it_ends(error: &ArbitrationError, other: fn(&mut Scene)) -> u32 {
    let mut scene = Scene::new(1, 1_000_000);
    scene.arbiter_fails = Some(error.clone());
    scene.join(1, 1, 2);
    scene.join(2, 1, 2);
    let mut seconds = 0;
    while scene.parked.is_empty() && scene.done.is_empty() {
        assert!(seconds < 600, "{error:?}: for ever, after {:?}", scene.attempts);
        scene.bring(1, true);
        other(&mut scene);
        scene.want_more();
        scene.wait(Duration::from_secs(1));
        seconds += 1;
    }
    assert!(scene.done.is_empty(), "{error:?}: nobody has confirmed the lie");
    assert!(scene.quarantined.is_empty(), "{error:?}: nobody was found wrong");
    seconds
}

/// The job panics or hangs for honest workers and in the coordinator, and a liar answers it. Or a
/// liar and an honest worker answer it, and the coordinator takes too long to judge.
#[test]
fn a_job_that_only_a_liar_answers_ends() {
    let overdue = ArbitrationError::Overdue(Duration::from_secs(600));
    for error in [ArbitrationError::Failed("a trial panicked".to_owned()), overdue] {
        let fails = seconds_until_it_ends(&error, |scene| fail(scene, 2));
        let answers = seconds_until_it_ends(&error, |scene| _ = scene.bring(2, false));
        println!("{error:?}: dead after {fails} s, or {answers} s");
    }
}
