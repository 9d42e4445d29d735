//! Dead jobs: the reason of their failure, and the results that take their place when they are
//! skipped.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU64;

use hatchery_proto::v1::{self, Job, JobCost};
use hatchery_store::{DeadJobRecord, JobResult, WorkerId};
use prost::Message;

use super::{MachineEffect, RunFailure, RunMachine, RunPhase};
use crate::base::event::Event;
use crate::run::record::{FailedAttempt, OutputPart, StoredOutput};

impl RunMachine {
    /// Handles dead jobs as the run's `on_dead` demands.
    pub(super) fn parked(
        &mut self,
        parked: Vec<DeadJobRecord>,
        effects: &mut VecDeque<MachineEffect>,
    ) {
        let RunPhase::Simulating(simulating) = &mut self.phase else { return };
        simulating.handling_dead = false;
        let Some(first) = parked.first() else { return };
        let failure = cause(first);
        let too_large = parked.iter().find_map(|job| Some((smaller(job)?, cause(job).message)));
        if let Some((most_trials, reason)) = too_large {
            return effects.push_back(MachineEffect::CutSmaller { most_trials, reason });
        }
        match self.record.on_dead() {
            v1::OnDead::Fail | v1::OnDead::Unspecified => self.fail(failure, effects),
            v1::OnDead::Pause => {
                let RunFailure { message: reason, trial } = failure;
                effects.push_back(MachineEffect::Pause { reason: reason.clone() });
                effects.push_back(MachineEffect::Keep(Event::RunPaused { reason, trial }));
            }
            v1::OnDead::Skip => {
                let n_trials = |p: &DeadJobRecord| (p.job.index, n_trials(&p.bytes));
                let skipped: BTreeMap<_, _> = parked.iter().map(n_trials).collect();
                let trials = skipped.values().sum();
                simulating.skipped.extend(skipped);
                let n_behind: u64 = simulating.skipped.values().sum();
                let n_missing = simulating.ledger.n_missing() + n_behind;
                if self.record.exceeds_missing(simulating.n_trials, n_missing) {
                    return self.fail(failure, effects);
                }
                let RunFailure { message: reason, .. } = failure;
                effects.push_back(MachineEffect::Skip(parked));
                effects.push_back(MachineEffect::Keep(Event::TrialsMissing { trials, reason }));
            }
        }
    }
}

/// Returns the size of smaller jobs to compute instead, if the job is dead only because its trials
/// together return too much.
fn smaller(parked: &DeadJobRecord) -> Option<NonZeroU64> {
    let attempts = attempts(parked);
    let is_too_large = !attempts.is_empty() && attempts.iter().all(|attempt| attempt.too_large);
    is_too_large.then(|| NonZeroU64::new(n_trials(&parked.bytes) / 2)).flatten()
}

fn attempts(parked: &DeadJobRecord) -> Vec<FailedAttempt> {
    parked.attempts.iter().filter_map(|a| FailedAttempt::decode(a.as_slice()).ok()).collect()
}

/// Returns the reason why the job is dead, from its last attempt.
pub(super) fn cause(parked: &DeadJobRecord) -> RunFailure {
    let attempts = attempts(parked);
    let Some(last) = attempts.iter().max_by_key(|attempt| attempt.unix_ms) else {
        return RunFailure { message: "a job is dead".to_owned(), trial: None };
    };
    let trial = Some(last.trial.clone()).filter(|trial| !trial.is_empty());
    let message = match attempts.len() {
        1 => last.message.clone(),
        n => format!("{n} attempts failed; the last: {}", last.message),
    };
    RunFailure { message, trial }
}

/// Returns the number of trials of an encoded job.
pub(crate) fn n_trials(job: &[u8]) -> u64 {
    Job::decode(job).map_or(0, |job| job.n_trials())
}

/// Returns the result of a job whose trials are missing.
pub(crate) fn missing(parked: &DeadJobRecord) -> JobResult {
    let segments = Job::decode(parked.bytes.as_slice()).map(|job| job.segments).unwrap_or_default();
    let parts = segments.iter().map(|segment| OutputPart {
        series: segment.subject_idx,
        first_trial: segment.first_trial,
        n_trials: segment.n_trials,
        tally: Vec::new(),
    });
    let output = StoredOutput {
        parts: parts.collect(),
        n_missing: n_trials(&parked.bytes),
        large: Vec::new(),
    };
    JobResult {
        parts: Vec::new(),
        worker: WorkerId::NOBODY,
        output: output.encode_to_vec(),
        cost: JobCost::default().encode_to_vec(),
    }
}
