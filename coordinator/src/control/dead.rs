//! Lists dead jobs.

use hatchery_proto::v1::{self, DeadAttempt, DeadJob, ListDeadResponse};
use hatchery_store::operation::{ControlView, ReadDeadJobs};
use hatchery_store::{DeadJobRecord, RunId, StoreError, StoreView};
use prost::Message;

use crate::run::record::{AttemptKind, FailedAttempt};

/// The most jobs in a response, and the most bytes: the rest comes with the next page.
const MAX_DEAD: usize = 100;
const MAX_DEAD_BYTES: usize = 1 << 20;

/// The most ranges of trials that are spelled out.
const MAX_RANGES: usize = 4;

/// Returns the dead jobs of `run` from index `from` on.
pub(super) async fn list(
    store: StoreView<'_, ControlView>,
    run: RunId,
    from: u64,
) -> Result<ListDeadResponse, StoreError> {
    let parked = store.execute(ReadDeadJobs { run, from, most: MAX_DEAD }).await?;
    let (mut jobs, mut n_bytes) = (Vec::new(), 0);
    for job in parked.iter().map(dead_job) {
        n_bytes += job.encoded_len();
        if MAX_DEAD_BYTES < n_bytes && !jobs.is_empty() {
            break;
        }
        jobs.push(job);
    }
    Ok(ListDeadResponse { jobs })
}

fn dead_job(DeadJobRecord { job, bytes, attempts }: &DeadJobRecord) -> DeadJob {
    // Undecodable content is shown as empty: the job's address is what an operator acts on.
    let mut attempts: Vec<_> =
        attempts.iter().filter_map(|bytes| FailedAttempt::decode(bytes.as_slice()).ok()).collect();
    // Attempts at several coordinators come in the order of their ids.
    attempts.sort_by_key(|attempt| attempt.unix_ms);
    let failed = attempts.iter().rev().find(|attempt| !attempt.trial.is_empty());
    let segments = v1::Job::decode(bytes.as_slice()).map(|job| job.segments).unwrap_or_default();
    DeadJob {
        generation: job.generation,
        index: job.index,
        trials: trials(job.generation, &segments),
        trial: failed.map(|attempt| attempt.trial.clone()).unwrap_or_default(),
        attempts: attempts.into_iter().map(dead_attempt).collect(),
    }
}

fn dead_attempt(attempt: FailedAttempt) -> DeadAttempt {
    let kind = match attempt.kind() {
        AttemptKind::Error => "error",
        AttemptKind::Lost => "lost",
        AttemptKind::Timeout => "timeout",
    };
    let FailedAttempt { name: worker, message, unix_ms, .. } = attempt;
    DeadAttempt { kind: kind.to_owned(), worker, message, unix_ms }
}

/// Formats ranges of trials: `3/0/16 to 3/0/31, 3/1/0`.
fn trials(generation: u32, segments: &[v1::Segment]) -> String {
    let range = |segment: &v1::Segment| {
        let v1::Segment { subject_idx, first_trial, n_trials, .. } = segment;
        let first = format!("{generation}/{subject_idx}/{first_trial}");
        match n_trials {
            0 | 1 => first,
            n => {
                let last = u64::from(*first_trial) + u64::from(*n) - 1;
                format!("{first} to {generation}/{subject_idx}/{last}")
            }
        }
    };
    let mut ranges: Vec<_> = segments.iter().take(MAX_RANGES).map(range).collect();
    if MAX_RANGES < segments.len() {
        ranges.push(format!("trials of {} more subjects", segments.len() - MAX_RANGES));
    }
    ranges.join(", ")
}

#[cfg(test)]
mod tests {
    use hatchery_store::JobId;

    use super::*;

    #[test]
    fn trials_are_spelled_out_up_to_a_limit() {
        let segment = |subject_idx, first_trial, n_trials| v1::Segment {
            subject_idx,
            first_trial,
            n_trials,
            subject: vec![],
        };
        let two = [segment(0, 16, 16), segment(1, 0, 1)];
        assert_eq!(trials(3, &two), "3/0/16 to 3/0/31, 3/1/0");
        let many: Vec<_> = (0..9).map(|subject| segment(subject, 0, 1)).collect();
        assert_eq!(trials(0, &many), "0/0/0, 0/1/0, 0/2/0, 0/3/0, trials of 5 more subjects");
        let hostile = [segment(0, u32::MAX, u32::MAX)];
        assert_eq!(trials(0, &hostile), "0/0/4294967295 to 0/0/8589934589");
    }

    #[test]
    fn a_dead_job_says_what_was_tried() {
        let attempt = |kind: AttemptKind, trial: &str, unix_ms| {
            let (name, message) = ("w1".to_owned(), "a bug".to_owned());
            let (trial, worker) = (trial.to_owned(), vec![0; 16]);
            FailedAttempt {
                kind: kind.into(),
                worker,
                name,
                message,
                trial,
                unix_ms,
                too_large: false,
            }
            .encode_to_vec()
        };
        let job = JobId { generation: 3, index: 7 };
        let attempts = vec![
            attempt(AttemptKind::Lost, "", 30),
            attempt(AttemptKind::Error, "3/0/17", 10),
            b"\xff".to_vec(),
        ];
        let dead =
            dead_job(&DeadJobRecord { job, bytes: v1::Job::default().encode_to_vec(), attempts });
        assert_eq!((dead.generation, dead.index, dead.trial.as_str()), (3, 7, "3/0/17"));
        let kinds: Vec<_> = dead.attempts.iter().map(|attempt| attempt.kind.as_str()).collect();
        assert_eq!(kinds, ["error", "lost"]);
    }
}
