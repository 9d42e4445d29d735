//! Tests of workers that count as one opinion because they run on one host.

use hatchery_store::{CoordinatorId, WorkerId};

use super::scene::{Scene, key, worker_of};
use super::{job, work};
use crate::base::opinions::OpinionsBy;

/// A scene with all jobs audited and workers on these hosts, in the order of their sessions.
fn scene(n_jobs: u64, opinions_by: OpinionsBy, hosts: &[u8]) -> Scene {
    let mut scene = Scene::with_opinions(n_jobs, 1_000_000, opinions_by);
    for (session, &host) in (1..).zip(hosts) {
        scene.hosts.insert(session, host);
        scene.join(session, 1, 4);
    }
    scene
}

/// Returns the session that has a job.
fn asked(scene: &Scene) -> u64 {
    let asked = scene.players.iter().find(|(_, player)| !player.jobs.is_empty());
    *asked.expect("a worker has the job").0
}

/// Two workers of one host; the first worker has answered wrong.
fn lie_on_a_host(opinions_by: OpinionsBy) -> Scene {
    let mut scene = scene(1, opinions_by, &[1, 1]);
    let liar = asked(&scene);
    scene.bring(liar, true);
    scene
}

#[test]
fn a_worker_is_not_asked_for_a_second_opinion_of_its_host() {
    let mut by_worker = lie_on_a_host(OpinionsBy::Worker);
    let second = asked(&by_worker);
    by_worker.bring(second, true);
    assert_ne!(by_worker.done[&job(0)].output, by_worker.expected(job(0)), "they agree");

    // The coordinator decides, as nobody else is there.
    let by_host = lie_on_a_host(OpinionsBy::Host);
    assert!(by_host.players.values().all(|player| player.jobs.is_empty()), "nobody is asked");
    assert_eq!(by_host.quarantined.len(), 1);
    assert_eq!(by_host.done[&job(0)].output, by_host.expected(job(0)));
}

#[test]
fn a_second_opinion_comes_from_another_host() {
    for hosts in [[1, 1, 2], [1, 2, 1], [2, 1, 1]] {
        let mut scene = scene(1, OpinionsBy::Host, &hosts);
        let first = asked(&scene);
        scene.bring(first, false);
        assert!(!scene.done.contains_key(&job(0)));
        let second = asked(&scene);
        assert_ne!(scene.hosts[&first], scene.hosts[&second]);
        scene.bring(second, false);
        assert!(scene.done.contains_key(&job(0)));
    }
}

/// An answer of a worker that was not asked: it had the job from an earlier session.
#[test]
fn an_answer_of_the_same_host_does_not_count_as_another_opinion() {
    let mut scene = scene(1, OpinionsBy::Host, &[1, 2]);
    // Worker 3 shares the host of worker 1, and both lie alike; worker 2 takes its time.
    scene.hosts.insert(3, 1);
    let ticket = scene.ticket(job(0), worker_of(3));
    scene.join_holding(3, worker_of(3), 1, vec![(key(job(0)), ticket)]);
    scene.pass_self_test(3);
    scene.settle();
    let lie = scene.wrong_output(job(0));
    for session in [1, 3] {
        let ticket = scene.ticket(job(0), worker_of(session));
        scene.bring_outcome(session, job(0), ticket, lie.clone());
        assert!(!scene.done.contains_key(&job(0)), "worker {session} is believed");
    }
    let ticket = scene.ticket(job(0), worker_of(2));
    let right = scene.right_output(job(0));
    scene.bring_outcome(2, job(0), ticket, right);
    assert_eq!(scene.done[&job(0)].output, scene.expected(job(0)));
    let mut quarantined = scene.quarantined.clone();
    quarantined.sort_unstable();
    assert_eq!(quarantined, [worker_of(1), worker_of(3)]);
}

/// The coordinator also checks the worker that is left when the other worker is quarantined.
#[test]
fn a_host_alone_is_checked_by_the_coordinator() {
    for hosts in [&[1][..], &[1, 1]] {
        let mut scene = scene(3, OpinionsBy::Host, hosts);
        let sessions: Vec<_> = scene.players.keys().copied().collect();
        for &session in &sessions {
            scene.bring(session, true);
        }
        assert_eq!(scene.quarantined.len(), hosts.len());
        assert!(sessions.iter().all(|&session| scene.is_kicked(session)));
        assert!(scene.done.iter().all(|(&job, done)| done.output == scene.expected(job)));
    }
}

#[test]
fn a_host_alone_gets_its_work_done() {
    for hosts in [&[1][..], &[1, 1, 1]] {
        let mut scene = scene(20, OpinionsBy::Host, hosts);
        assert_eq!(work(&mut scene), 20);
        assert_eq!(scene.done.len(), 20);
        assert!(scene.quarantined.is_empty());
    }
}

/// Otherwise it would never be quarantined: results under this id are the coordinator's own.
#[test]
fn a_worker_cannot_be_a_coordinator() {
    let mut scene = Scene::new(1, 0);
    scene.join_holding(1, WorkerId::from(CoordinatorId(1)), 1, Vec::new());
    assert!(scene.is_kicked(1));
    assert_eq!(scene.count("hatchery_auth_failures_total{reason=\"identity\"}"), 1);
}
