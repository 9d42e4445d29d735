//! Executes one job, while the caller waits.

use std::time::Instant;

use hatchery_core::erased::PreparedSimulation;
use hatchery_core::{PartMemory, PartSet};
use hatchery_proto::v1::{Job, JobCost, JobFailure, JobOutput};
use hatchery_proto::{MAX_BATCH_BYTES, MAX_JOB_PART_BYTES, MAX_JOB_PARTS, MAX_RESULT_BYTES};
use prost::Message;
use rayon::prelude::*;

use super::blocks::{BlockTallies, JobBlocks, SegmentSubjects};
use super::handle::JobHandle;
use super::host::JobHost;
use super::job::{ComputedOutput, JobAbort, JobOutcome, job_failure};

/// The largest output: the rest of a result is small.
const MAX_OUTPUT_BYTES: usize = MAX_RESULT_BYTES - MAX_BATCH_BYTES;

/// The threads that run a job's trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialThreads {
    /// All threads of the current pool.
    Pool,
    /// The current thread alone.
    Current,
}

/// Executes `job` with `simulation` until it ends or is cancelled through `handle`. Its trials may
/// read `inputs`.
#[must_use]
pub fn execute_job(
    job: &Job,
    simulation: &dyn PreparedSimulation,
    inputs: PartSet,
    handle: &JobHandle,
    threads: TrialThreads,
) -> JobOutcome {
    let started = Instant::now();
    let parts = PartMemory::new(inputs);
    let run = run_trials(job, simulation, &JobHost::new(handle, &parts), threads);
    outcome(run, parts, started)
}

/// Returns the outcome of a job that was `started` then, from the tallies by segment and the total
/// CPU time in nanoseconds.
pub(super) fn outcome(
    run: Result<(Vec<Vec<u8>>, u64), JobAbort>,
    parts: PartMemory,
    started: Instant,
) -> JobOutcome {
    match run {
        Ok((tallies, cpu_ns)) => {
            let output = JobOutput { tallies }.encode_to_vec();
            let wall_ns = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
            let cost = JobCost { cpu_ns, wall_ns };
            let computed = ComputedOutput { output, parts: parts.into_written(), cost };
            match too_large(&computed) {
                Some(message) => {
                    JobOutcome::Failed(JobFailure { too_large: true, ..job_failure(message) })
                }
                None => JobOutcome::Output(computed),
            }
        }
        Err(JobAbort::Cancelled) => JobOutcome::Cancelled,
        Err(JobAbort::Failed(failure)) => JobOutcome::Failed(failure),
    }
}

/// Returns the value that is too large to be sent, with the limit; `None` if all can be.
fn too_large(ComputedOutput { output, parts, .. }: &ComputedOutput) -> Option<String> {
    let (n_bytes, n_parts) = (parts.n_bytes(), parts.n_parts());
    match () {
        () if MAX_OUTPUT_BYTES < output.len() => Some(format!(
            "the tallies of a job have {} bytes, but at most {MAX_OUTPUT_BYTES} can be sent: large \
             bytes belong in parts",
            output.len()
        )),
        () if (MAX_JOB_PART_BYTES as u64) < n_bytes || MAX_JOB_PARTS < n_parts => Some(format!(
            "the trials of a job wrote {n_parts} parts of {n_bytes} bytes, but at most \
             {MAX_JOB_PARTS} of {MAX_JOB_PART_BYTES} can be sent"
        )),
        () => None,
    }
}

/// Returns the tallies by segment, and the total CPU time in nanoseconds.
fn run_trials(
    job: &Job,
    simulation: &dyn PreparedSimulation,
    host: &JobHost<'_>,
    threads: TrialThreads,
) -> Result<(Vec<Vec<u8>>, u64), JobAbort> {
    let n_threads = match threads {
        TrialThreads::Pool => rayon::current_num_threads(),
        TrialThreads::Current => 1,
    };
    let blocks = JobBlocks::new(job, n_threads, simulation.batch())?;
    let subjects = SegmentSubjects::prepare(job, 0..=job.segments.len() - 1, simulation)?;
    let run_block = |idx| blocks.run(idx, &subjects, host);
    let done: Vec<BlockTallies> = match threads {
        TrialThreads::Pool => {
            (0..blocks.len()).into_par_iter().map(run_block).collect::<Result<_, _>>()?
        }
        TrialThreads::Current => (0..blocks.len()).map(run_block).collect::<Result<_, _>>()?,
    };
    blocks.merge(simulation, &done)
}
