//! Tests of the health of workers.

use hatchery_store::JobId;
use ulid::Ulid;

use super::*;

const RUN: RunId = RunId(Ulid(1));
const GOOD: WorkerId = WorkerId(1);
const BAD: WorkerId = WorkerId(2);

fn key(index: u64) -> JobKey {
    JobKey { run: RUN, job: JobId { generation: 0, index } }
}

/// Has the bad worker fail a job that the good one then completes.
fn fail(
    table: &mut HealthTable,
    now: Instant,
    index: u64,
    kind: FailureKind,
) -> Vec<WorkerSanction> {
    table.record_failure(now, "pig", key(index), BAD, kind);
    table.record_completion(now, "pig", key(index), Some(GOOD))
}

#[test]
fn pauses_grow_while_a_worker_fails_and_end_with_a_completion() {
    let (mut table, mut now) = (HealthTable::default(), Instant::now());
    assert_eq!(fail(&mut table, now, 0, FailureKind::NoResult), []);
    let mut pauses = Vec::new();
    for index in 1..8 {
        if let [WorkerSanction::Pause { worker: BAD, pause }] =
            fail(&mut table, now, index, FailureKind::NoResult)[..]
        {
            pauses.push(pause.as_secs());
            assert_eq!(table.allowance(now, BAD, "pig"), JobAllowance::Paused);
            assert_eq!(table.allowance(now, BAD, "catan"), JobAllowance::Full);
            assert_eq!(table.pause(now, BAD), Some(pause));
            now += pause;
            assert_eq!(table.allowance(now, BAD, "pig"), JobAllowance::One);
        }
    }
    assert_eq!(pauses, [1, 5, 25, 125, 300, 300, 300]);
    table.record_completion(now, "pig", key(9), Some(BAD));
    assert_eq!(table.allowance(now, BAD, "pig"), JobAllowance::Full);
    assert_eq!(fail(&mut table, now, 10, FailureKind::NoResult), []);
    assert_eq!(table.allowance(now, GOOD, "pig"), JobAllowance::Full);
}

#[test]
fn a_job_that_was_given_back_blames_nobody() {
    let (mut table, now) = (HealthTable::default(), Instant::now());
    table.record_returned(now, key(0), BAD);
    assert_eq!((table.n_failures(key(0), BAD), table.n_failures(key(0), GOOD)), (1, 0));
    assert_eq!(table.record_completion(now, "pig", key(0), Some(GOOD)), []);
    assert_eq!(table.allowance(now, BAD, "pig"), JobAllowance::Full);
    // Another coordinator may have completed this one.
    table.record_returned(now, key(1), BAD);
    table.prune(now + REMEMBERED, |_| true);
    assert!(!table.has_failures(key(1)));
}

#[test]
fn failures_that_one_pause_covers_are_counted_once() {
    let (mut table, now) = (HealthTable::default(), Instant::now());
    for index in 0..8 {
        table.record_failure(now, "pig", key(index), BAD, FailureKind::NoResult);
    }
    let consequences: Vec<_> = (0..8)
        .flat_map(|index| table.record_completion(now, "pig", key(index), Some(GOOD)))
        .collect();
    let pause = PAUSES[0];
    assert_eq!(consequences, [WorkerSanction::Pause { worker: BAD, pause }]);
}

#[test]
fn three_malformed_results_for_jobs_that_others_complete_are_too_many() {
    let (mut table, now) = (HealthTable::default(), Instant::now());
    for index in 0..9 {
        table.record_failure(now, "pig", key(index), BAD, FailureKind::Malformed);
    }
    let mut complete = |index| table.record_completion(now, "pig", key(index), Some(GOOD));
    assert_eq!(complete(0), []);
    assert!(matches!(complete(1)[..], [WorkerSanction::Pause { .. }]));
    assert_eq!(complete(2), [WorkerSanction::Quarantine { worker: BAD, n_malformed: 3 }]);
}

#[test]
fn a_failure_is_evidence_if_its_worker_completes_something_afterwards() {
    let (mut table, now) = (HealthTable::default(), Instant::now());
    let error = FailedAttempt { kind: AttemptKind::Error.into(), ..FailedAttempt::default() };
    let lost = FailedAttempt { kind: AttemptKind::Lost.into(), ..FailedAttempt::default() };
    table.record_failure(now, "pig", key(0), GOOD, FailureKind::NoResult);
    assert!(!table.is_evidence(key(0), GOOD, &lost), "it has completed nothing");
    table.record_completion(now, "pig", key(1), Some(GOOD));
    assert!(table.is_evidence(key(0), GOOD, &error));
    table.record_failure(now, "pig", key(2), GOOD, FailureKind::NoResult);
    assert!(!table.is_evidence(key(2), GOOD, &error), "nothing since");
    assert!(table.is_evidence(key(2), GOOD, &lost), "it completed one before");
}
