//! A worker cannot give the second opinion on its own answer, however often it answers and in
//! whichever session. No answer waits for an opinion that no worker is asked for any more.

use std::time::Duration;

use hatchery_proto::v1::{self, Job, result};
use prost::Message as _;

use super::scene::{Scene, key, worker_of};
use super::{job, work};
use crate::dispatch::message::WorkerMessage;

/// A lie for the worker's oldest job, to be told as often as the test likes.
fn lie(scene: &mut Scene, session: u64) -> (Vec<u8>, result::Outcome) {
    let (_, bytes, ticket) = scene.players.get_mut(&session).unwrap().jobs.pop_front().unwrap();
    let mut job = Job::decode(bytes.as_slice()).unwrap();
    job.seed += 1;
    (ticket, result::Outcome::Output(scene.compute(&job)))
}

#[test]
fn the_same_result_twice_is_no_second_opinion() {
    let mut scene = Scene::new(1, 1_000_000);
    scene.join(1, 1, 1);
    scene.join(2, 1, 0);
    let (ticket, outcome) = lie(&mut scene, 1);
    for _ in 0..2 {
        scene.bring_outcome(1, job(0), ticket.clone(), outcome.clone());
    }
    assert!(scene.done.is_empty(), "nobody else has said so");
    // Nor in another session of the same worker.
    let incarnation = scene.players[&1].incarnation;
    scene.join_holding(3, incarnation, 1, vec![(key(job(0)), ticket.clone())]);
    scene.bring_outcome(3, job(0), ticket, outcome);
    assert!(scene.done.is_empty());
}

/// As when a worker comes from a coordinator that was killed.
#[test]
fn a_worker_that_brings_its_result_before_its_job_is_adopted_is_at_it_no_more() {
    let mut scene = Scene::new(1, 1_000_000);
    scene.join(2, 1, 0);
    let ticket = scene.ticket(job(0), worker_of(1));
    scene.join_holding(1, worker_of(1), 1, vec![(key(job(0)), ticket.clone())]);
    scene.pass_self_test(1);
    let right = scene.compute(&Job::decode(scene.bytes(job(0)).as_slice()).unwrap());
    scene.bring_outcome(1, job(0), ticket, result::Outcome::Output(right));
    scene.adopt();
    scene.say(2, WorkerMessage::Want(1));
    scene.settle();
    assert_eq!(scene.players[&2].jobs.len(), 1, "for a second opinion");
    scene.bring(2, false);
    assert!(scene.done.contains_key(&job(0)));
}

#[test]
fn a_result_that_waits_for_its_worker_to_be_checked_is_not_stored_when_it_comes_again() {
    let mut scene = Scene::new(4, 0);
    scene.join(1, 2, 4);
    scene.join(2, 1, 0);
    while scene.players[&1].jobs.len() < 2 {
        scene.wait(Duration::from_secs(1));
    }
    scene.bring(1, true);
    let withheld = scene.players[&1].jobs[0].0;
    let (ticket, outcome) = lie(&mut scene, 1);
    for _ in 0..3 {
        scene.bring_outcome(1, withheld, ticket.clone(), outcome.clone());
    }
    assert!(scene.done.is_empty());
}

#[test]
fn a_halt_before_the_first_comparison_leaves_nobody_waiting() {
    let mut scene = Scene::new(12, 0);
    scene.join(1, 2, 4);
    scene.join(2, 2, 4);
    let mut brought = Vec::new();
    for session in [1, 2] {
        while let Some(job) = scene.bring(session, false) {
            brought.push(job);
        }
    }
    scene.close_and_open();
    for session in [1, 2] {
        let player = &scene.players[&session];
        let said = player.verdicts.len() + player.cancelled.len();
        assert!(0 < said, "worker {session} has its places back");
    }
    work(&mut scene);
    assert_eq!(scene.done.len(), 12);
}

#[test]
fn a_run_that_closes_while_the_store_is_out_of_reach_gives_every_result_a_verdict() {
    let mut scene = Scene::new(2, 0);
    scene.join(1, 1, 2);
    scene.is_store_down = true;
    while scene.bring(1, false).is_some() {}
    assert!(scene.players[&1].verdicts.is_empty());
    scene.close_and_open();
    let unknown: Vec<_> = scene.players[&1].verdicts.iter().map(|&(_, said)| said).collect();
    assert_eq!(unknown, [v1::Verdict::Unknown; 2]);
}

#[test]
fn an_unchecked_worker_that_left_is_not_taken_at_its_word() {
    let mut scene = Scene::new(1, 0);
    scene.join(1, 1, 1);
    scene.join(2, 1, 0);
    scene.bring(1, true);
    scene.leave(1, true);
    scene.join(3, 1, 0);
    scene.wait(Duration::from_secs(5));
    assert!(scene.done.is_empty(), "no other has computed it yet");
    scene.wait(Duration::from_secs(10));
    assert_eq!(scene.done[&job(0)].output, scene.expected(job(0)), "the coordinator has");
    assert_eq!(scene.quarantined, [worker_of(1)]);
}
