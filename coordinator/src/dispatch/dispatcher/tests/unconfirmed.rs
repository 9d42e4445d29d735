//! Tests of the parts that a worker may send before there are verdicts on its results.

use hatchery_proto::{MAX_JOB_PART_BYTES, v1};
use hatchery_store::JobId;
use tonic::Code;

use super::fail;
use super::scene::{RUN, Scene, key};
use crate::dispatch::message::{DispatchMessage, WorkerMessage};

/// The worker asks to send as many bytes of parts as a job may have; returns the answer.
fn ask(scene: &mut Scene, job: JobId) -> Code {
    let answer = scene.admit_parts(1, job, MAX_JOB_PART_BYTES as u64);
    answer.err().map_or(Code::Ok, |status| status.code())
}

/// Waiting does not help the parts of a job whose run is not open any more.
#[test]
fn a_closed_run_takes_no_parts() {
    let mut scene = Scene::new(16, 0);
    scene.join(1, 4, 16);
    let job = scene.players[&1].jobs[0].0;
    assert_eq!(ask(&mut scene, job), Code::Ok);
    scene.take(DispatchMessage::Close(RUN));
    assert_eq!(ask(&mut scene, job), Code::FailedPrecondition);
}

#[test]
fn a_verdict_confirms_the_parts_of_its_own_job_only() {
    let mut scene = Scene::new(16, 0);
    scene.join(1, 4, 16);
    let jobs: Vec<_> = scene.players[&1].jobs.iter().map(|(job, ..)| *job).collect();
    let [without, failed, first, second, third, fourth, next, last, ..] = jobs[..] else {
        panic!("too few jobs: {jobs:?}")
    };
    for job in [first, second, third, fourth, first] {
        assert_eq!(ask(&mut scene, job), Code::Ok);
    }
    assert_eq!(ask(&mut scene, next), Code::ResourceExhausted);

    assert_eq!(scene.bring(1, false), Some(without));
    assert!(scene.players[&1].verdicts.contains(&(without, v1::Verdict::Accepted)));
    fail(&mut scene, 1);
    assert!(scene.players[&1].verdicts.contains(&(failed, v1::Verdict::Accepted)));
    assert_eq!(ask(&mut scene, next), Code::ResourceExhausted);

    assert_eq!(scene.bring(1, false), Some(first));
    assert!(scene.players[&1].verdicts.contains(&(first, v1::Verdict::Accepted)));
    assert_eq!(ask(&mut scene, next), Code::Ok);
    assert_eq!(ask(&mut scene, first), Code::FailedPrecondition);

    scene.say(1, WorkerMessage::Release(vec![key(second)]));
    assert_eq!(ask(&mut scene, second), Code::FailedPrecondition);
    assert_eq!(ask(&mut scene, last), Code::Ok);
}
