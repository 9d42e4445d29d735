//! Executes one job, spread over threads.

use std::time::Instant;

use hatchery_core::erased::{PreparedSimulation, PreparedSubject};
use hatchery_core::{Draws, GenerationSeed, RunSeed, catch_panic};
use hatchery_proto::v1::{self, Job, JobCost, JobFailure, JobOutput, Segment, TrialRef};
use hatchery_proto::{MAX_BATCH_BYTES, MAX_JOB_SEGMENTS, MAX_JOB_TRIALS};
use prost::Message;
use rayon::prelude::*;
use rustix::time::{ClockId, clock_gettime};

use super::handle::JobHandle;

/// The most trials that a thread takes at once, unless the experiment wants more together.
const BLOCK_TRIALS: u32 = 64;

/// The number of blocks per thread that a job is split into, so that threads end at about the same
/// time.
const BLOCKS_PER_THREAD: u64 = 4;

/// The number of trials after which a block reports its progress: few enough for long trials to
/// show some, and enough for short ones not to contend for the counter.
const PROGRESS_TRIALS: u32 = 8;

/// The longest message of a failure.
const MAX_FAILURE_BYTES: usize = 4096;

/// The outcome of an execution.
#[derive(Debug)]
pub enum JobOutcome {
    /// The encoded [`JobOutput`], and the time that it took.
    Output(Vec<u8>, JobCost),
    /// The job cannot be computed here.
    Failed(JobFailure),
    /// The job was cancelled.
    Cancelled,
}

/// The threads that run a job's trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialThreads {
    /// All threads of the current pool.
    Pool,
    /// The current thread alone.
    Current,
}

/// Executes `job` with `simulation` until it ends or is cancelled through `handle`.
#[must_use]
pub fn execute_job(
    job: &Job,
    simulation: &dyn PreparedSimulation,
    handle: &JobHandle,
    threads: TrialThreads,
) -> JobOutcome {
    let started = Instant::now();
    match run_trials(job, simulation, handle, threads) {
        Ok((tallies, cpu_ns)) => {
            let output = JobOutput { tallies }.encode_to_vec();
            if MAX_BATCH_BYTES < output.len() {
                return JobOutcome::Failed(job_failure(format!(
                    "the tallies of a job have {} bytes, but at most {MAX_BATCH_BYTES} can be sent",
                    output.len()
                )));
            }
            let wall_ns = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
            JobOutcome::Output(output, JobCost { cpu_ns, wall_ns })
        }
        Err(JobAbort::Cancelled) => JobOutcome::Cancelled,
        Err(JobAbort::Failed(failure)) => JobOutcome::Failed(failure),
    }
}

/// Returns the failure of a job as a whole, with a message that is cut off if it is too long.
#[must_use]
pub(crate) fn job_failure(mut message: String) -> JobFailure {
    message.truncate(message.floor_char_boundary(MAX_FAILURE_BYTES));
    JobFailure { message, trial: None }
}

/// An early end of an execution.
enum JobAbort {
    Cancelled,
    Failed(JobFailure),
}

/// Consecutive trials of one segment.
struct TrialBlock<'a> {
    segment_idx: usize,
    subject_idx: u32,
    subject: &'a dyn PreparedSubject,
    first_trial: u32,
    n_trials: u32,
}

/// Returns the tally of each segment, and the CPU time of all trials in nanoseconds.
fn run_trials(
    job: &Job,
    simulation: &dyn PreparedSimulation,
    handle: &JobHandle,
    threads: TrialThreads,
) -> Result<(Vec<Vec<u8>>, u64), JobAbort> {
    let draws = validate(job)
        .map_err(|what| JobAbort::Failed(job_failure(format!("malformed job: {what}"))))?;
    let seed = RunSeed::new(&job.experiment, job.seed).generation(job.generation);
    let subjects = job.segments.iter().map(|segment| simulation.subject(&segment.subject));
    let subjects: Vec<_> = subjects
        .collect::<Result<_, _>>()
        .map_err(|error| JobAbort::Failed(job_failure(format!("malformed subject: {error}"))))?;
    let n_threads = match threads {
        TrialThreads::Pool => rayon::current_num_threads(),
        TrialThreads::Current => 1,
    };
    let blocks = split_into_blocks(job, &subjects, n_threads, simulation.batch());
    let run_block = |block: &TrialBlock<'_>| match handle.is_cancelled() {
        true => Err(JobAbort::Cancelled),
        false => handle.run_block(|| run_block(block, draws, &seed, handle)),
    };
    let done: Vec<(Vec<u8>, u64)> = match threads {
        TrialThreads::Pool => blocks.par_iter().map(run_block).collect::<Result<_, _>>()?,
        TrialThreads::Current => blocks.iter().map(run_block).collect::<Result<_, _>>()?,
    };

    let mut accumulator = simulation.accumulator(job.segments.len());
    let mut cpu_ns = 0;
    for (block, (tally, block_cpu_ns)) in blocks.iter().zip(&done) {
        let series = u32::try_from(block.segment_idx).expect("a job has few segments");
        accumulator.absorb(series, tally).map_err(|error| {
            JobAbort::Failed(job_failure(format!("a trial returned a malformed tally: {error}")))
        })?;
        cpu_ns += block_cpu_ns;
    }
    let tallies: Option<Vec<_>> = accumulator.tallies().into_iter().collect();
    Ok((tallies.expect("every segment has at least one block"), cpu_ns))
}

/// Returns how the job draws, or what its coordinator got wrong.
fn validate(job: &Job) -> Result<Draws, &'static str> {
    if job.segments.is_empty() || MAX_JOB_SEGMENTS < job.segments.len() {
        return Err("no segments, or too many");
    }
    if MAX_JOB_TRIALS < job.n_trials() {
        return Err("too many trials");
    }
    let is_valid = |segment: &Segment| {
        segment.n_trials != 0 && segment.first_trial.checked_add(segment.n_trials).is_some()
    };
    if !job.segments.iter().all(is_valid) {
        return Err("a segment without trials, or with numbers too large");
    }
    match job.draws() {
        v1::Draws::PerSubject => Ok(Draws::PerSubject),
        v1::Draws::Common => Ok(Draws::Common),
        v1::Draws::Unspecified => Err("no draws"),
    }
}

/// Splits the trials of `job` into blocks of at least `batch` trials, or as many as a segment has.
fn split_into_blocks<'a>(
    job: &Job,
    subjects: &'a [Box<dyn PreparedSubject + 'a>],
    n_threads: usize,
    batch: u32,
) -> Vec<TrialBlock<'a>> {
    let n_blocks = BLOCKS_PER_THREAD * n_threads as u64;
    let size = u32::try_from(job.n_trials().div_ceil(n_blocks)).unwrap_or(BLOCK_TRIALS);
    let size = size.clamp(1, BLOCK_TRIALS).max(batch);
    let mut blocks = Vec::new();
    for (segment_idx, (segment, subject)) in job.segments.iter().zip(subjects).enumerate() {
        let mut done = 0;
        while done < segment.n_trials {
            let n_trials = size.min(segment.n_trials - done);
            blocks.push(TrialBlock {
                segment_idx,
                subject_idx: segment.subject_idx,
                subject: subject.as_ref(),
                first_trial: segment.first_trial + done,
                n_trials,
            });
            done += n_trials;
        }
    }
    blocks
}

/// Returns the tally of a block, and its CPU time in nanoseconds.
fn run_block(
    block: &TrialBlock<'_>,
    draws: Draws,
    seed: &GenerationSeed,
    handle: &JobHandle,
) -> Result<(Vec<u8>, u64), JobAbort> {
    let trials = block.first_trial..block.first_trial + block.n_trials;
    let stream = |trial| seed.trial(draws, block.subject_idx, trial);
    let started = thread_cpu_ns();
    let mut n_begun = 0;
    let outcome = catch_panic(|| {
        // A trial is done when the next one asks for its stream. A cancelled block gets no more.
        let mut streams = trials.clone().map_while(|trial| {
            if n_begun != 0 && n_begun % PROGRESS_TRIALS == 0 {
                handle.add_trials(PROGRESS_TRIALS);
            }
            let go_on = n_begun == 0 || !handle.is_cancelled();
            n_begun += u32::from(go_on);
            go_on.then(|| stream(trial))
        });
        block.subject.trials(&mut streams)
    });
    if handle.is_cancelled() {
        return Err(JobAbort::Cancelled);
    }
    let message = match outcome {
        Ok(tally) => {
            handle.add_trials(
                block.n_trials - n_begun.saturating_sub(1) / PROGRESS_TRIALS * PROGRESS_TRIALS,
            );
            return Ok((tally, thread_cpu_ns().saturating_sub(started)));
        }
        Err(panic) => panic.to_string(),
    };
    // Run the trials one by one, to name the one that failed.
    let alone =
        |trial: u32| catch_panic(|| block.subject.trials(&mut std::iter::once(stream(trial))));
    let failed = { trials }.find(|&trial| handle.is_cancelled() || alone(trial).is_err());
    let trial = failed.map(|trial| TrialRef { subject_idx: block.subject_idx, trial });
    Err(JobAbort::Failed(JobFailure { trial, ..job_failure(message) }))
}

/// Returns the CPU time of this thread so far.
fn thread_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let ns = i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec);
    u64::try_from(ns).unwrap_or(0)
}
