//! One job, spread over threads.

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

/// How many blocks per thread a job is spread over, so that threads end at about the same time.
const BLOCKS_PER_THREAD: u64 = 4;

/// How many trials of a block are told of at a time, so that long trials show their progress and
/// short ones do not contend for it.
const PROGRESS_TRIALS: u32 = 8;

/// The longest report of a failure.
const MAX_FAILURE_BYTES: usize = 4096;

/// How an execution ended.
#[derive(Debug)]
pub enum JobOutcome {
    /// With output: an encoded [`JobOutput`], and what it took.
    Output(Vec<u8>, JobCost),
    /// With a failure.
    Failed(JobFailure),
    /// Not at all: the job is not wanted any more.
    Cancelled,
}

/// Which threads run a job's trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialThreads {
    /// Those of the current thread pool.
    Pool,
    /// The current one alone.
    Here,
}

/// Runs `job` on `bench` until it ends or is cancelled by its `handle`.
#[must_use]
pub fn execute(
    job: &Job,
    bench: &dyn PreparedSimulation,
    handle: &JobHandle,
    spread: TrialThreads,
) -> JobOutcome {
    let started = Instant::now();
    match run(job, bench, handle, spread) {
        Ok((tallies, cpu_ns)) => {
            let output = JobOutput { tallies }.encode_to_vec();
            if MAX_BATCH_BYTES < output.len() {
                return JobOutcome::Failed(failure(format!(
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

/// The report of a failure that is not one trial's.
#[must_use]
pub fn failure(mut message: String) -> JobFailure {
    message.truncate(message.floor_char_boundary(MAX_FAILURE_BYTES));
    JobFailure { message, trial: None }
}

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

fn run(
    job: &Job,
    bench: &dyn PreparedSimulation,
    handle: &JobHandle,
    spread: TrialThreads,
) -> Result<(Vec<Vec<u8>>, u64), JobAbort> {
    let draws =
        check(job).map_err(|what| JobAbort::Failed(failure(format!("malformed job: {what}"))))?;
    let seed = RunSeed::new(&job.experiment, job.seed).generation(job.generation);
    let subjects = job.segments.iter().map(|segment| bench.subject(&segment.subject));
    let subjects: Vec<_> = subjects
        .collect::<Result<_, _>>()
        .map_err(|error| JobAbort::Failed(failure(format!("malformed subject: {error}"))))?;
    let n_threads = match spread {
        TrialThreads::Pool => rayon::current_num_threads(),
        TrialThreads::Here => 1,
    };
    let blocks = blocks(job, &subjects, n_threads, bench.batch());
    let run_block = |block: &TrialBlock<'_>| match handle.is_cancelled() {
        true => Err(JobAbort::Cancelled),
        false => handle.block(|| run_block(block, draws, &seed, handle)),
    };
    let done: Vec<(Vec<u8>, u64)> = match spread {
        TrialThreads::Pool => blocks.par_iter().map(run_block).collect::<Result<_, _>>()?,
        TrialThreads::Here => blocks.iter().map(run_block).collect::<Result<_, _>>()?,
    };

    let mut gathering = bench.accumulator(job.segments.len());
    let mut cpu_ns = 0;
    for (block, (tally, block_cpu_ns)) in blocks.iter().zip(&done) {
        let series = u32::try_from(block.segment_idx).expect("a job has few segments");
        gathering.absorb(series, tally).map_err(|error| {
            JobAbort::Failed(failure(format!("a trial returned a malformed tally: {error}")))
        })?;
        cpu_ns += block_cpu_ns;
    }
    let tallies: Option<Vec<_>> = gathering.tallies().into_iter().collect();
    Ok((tallies.expect("every segment has at least one block"), cpu_ns))
}

/// Checks what a coordinator may have got wrong.
fn check(job: &Job) -> Result<Draws, &'static str> {
    if job.segments.is_empty() || MAX_JOB_SEGMENTS < job.segments.len() {
        return Err("no segments, or too many");
    }
    if MAX_JOB_TRIALS < job.n_trials() {
        return Err("too many trials");
    }
    let whole = |segment: &Segment| {
        segment.n_trials != 0 && segment.first_trial.checked_add(segment.n_trials).is_some()
    };
    if !job.segments.iter().all(whole) {
        return Err("a segment without trials, or with numbers too large");
    }
    match job.draws() {
        v1::Draws::PerSubject => Ok(Draws::PerSubject),
        v1::Draws::Common => Ok(Draws::Common),
        v1::Draws::Unspecified => Err("no draws"),
    }
}

fn blocks<'a>(
    job: &Job,
    subjects: &'a [Box<dyn PreparedSubject + 'a>],
    n_threads: usize,
    together: u32,
) -> Vec<TrialBlock<'a>> {
    let n_blocks = BLOCKS_PER_THREAD * n_threads as u64;
    let size = u32::try_from(job.n_trials().div_ceil(n_blocks)).unwrap_or(BLOCK_TRIALS);
    let size = size.clamp(1, BLOCK_TRIALS).max(together);
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

/// The tally of a block and its CPU time.
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
    let played = catch_panic(|| {
        // A trial is done when the next one asks for its stream. A cancelled block goes no further.
        let mut streams = trials.clone().map_while(|trial| {
            if n_begun != 0 && n_begun % PROGRESS_TRIALS == 0 {
                handle.add(PROGRESS_TRIALS);
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
    let message = match played {
        Ok(tally) => {
            handle.add(
                block.n_trials - n_begun.saturating_sub(1) / PROGRESS_TRIALS * PROGRESS_TRIALS,
            );
            return Ok((tally, thread_cpu_ns().saturating_sub(started)));
        }
        Err(panic) => panic.to_string(),
    };
    // One by one, to name the trial that failed.
    let alone =
        |trial: u32| catch_panic(|| block.subject.trials(&mut std::iter::once(stream(trial))));
    let guilty = { trials }.find(|&trial| handle.is_cancelled() || alone(trial).is_err());
    let trial = guilty.map(|trial| TrialRef { subject_idx: block.subject_idx, trial });
    Err(JobAbort::Failed(JobFailure { trial, ..failure(message) }))
}

/// The CPU time of this thread so far.
fn thread_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let ns = i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec);
    u64::try_from(ns).unwrap_or(0)
}
