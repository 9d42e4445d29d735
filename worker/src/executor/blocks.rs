//! The trials of a job in blocks, each of which one thread runs.

use hatchery_core::erased::{PreparedSimulation, PreparedSubject};
use hatchery_core::{Draws, GenerationSeed, RunSeed, TrialContext, catch_panic};
use hatchery_proto::v1::{self, Job, JobFailure, Segment, TrialRef};
use hatchery_proto::{MAX_JOB_SEGMENTS, MAX_JOB_TRIALS};
use rustix::time::{ClockId, clock_gettime};

use super::host::JobHost;
use super::job::{JobAbort, job_failure};

/// The most trials that a thread takes at once, unless the experiment wants more together.
const BLOCK_TRIALS: u32 = 64;

/// The number of blocks per thread that a job is split into, so that threads end at about the same
/// time.
const BLOCKS_PER_THREAD: u64 = 4;

/// The number of trials after which a block reports its progress: few enough for long trials to
/// show some, and enough for short ones not to contend for the counter.
const PROGRESS_TRIALS: u32 = 8;

/// The tally of a block, and its CPU time in nanoseconds.
pub(super) type BlockTally = (Vec<u8>, u64);

/// See the [module](self).
#[derive(Debug)]
pub(super) struct JobBlocks {
    draws: Draws,
    seed: GenerationSeed,
    blocks: Vec<TrialBlock>,
}

/// Consecutive trials of one segment.
#[derive(Debug)]
struct TrialBlock {
    segment_idx: usize,
    subject_idx: u32,
    first_trial: u32,
    n_trials: u32,
}

impl JobBlocks {
    /// Splits a job into blocks for `n_threads`, of at least `batch` trials or as many as a segment
    /// has.
    pub(super) fn new(job: &Job, n_threads: usize, batch: u32) -> Result<Self, JobAbort> {
        let draws = validate(job)
            .map_err(|what| JobAbort::Failed(job_failure(format!("malformed job: {what}"))))?;
        let seed = RunSeed::new(&job.experiment, job.seed).generation(job.generation);
        Ok(Self { draws, seed, blocks: split_into_blocks(job, n_threads, batch) })
    }

    /// Returns the number of blocks: at least one.
    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Returns the index of the segment of block `idx`.
    pub(super) fn segment_idx(&self, idx: usize) -> usize {
        self.blocks[idx].segment_idx
    }

    /// Runs block `idx`, of `subject`.
    pub(super) fn run(
        &self,
        idx: usize,
        subject: &dyn PreparedSubject,
        host: &JobHost<'_>,
    ) -> Result<BlockTally, JobAbort> {
        let handle = host.handle();
        match handle.is_cancelled() {
            true => Err(JobAbort::Cancelled),
            false => handle.run_block(|| self.run_trials(&self.blocks[idx], subject, host)),
        }
    }

    fn run_trials(
        &self,
        block: &TrialBlock,
        subject: &dyn PreparedSubject,
        host: &JobHost<'_>,
    ) -> Result<BlockTally, JobAbort> {
        let (handle, context) = (host.handle(), TrialContext::new(host));
        let trials = block.first_trial..block.first_trial + block.n_trials;
        let stream = |trial| self.seed.trial(self.draws, block.subject_idx, trial);
        let started = thread_cpu_ns();
        let mut n_begun = 0;
        let outcome = catch_panic(|| {
            // A trial is done when the next one asks for its stream. A cancelled block gets no
            // more.
            let mut streams = trials.clone().map_while(|trial| {
                if n_begun != 0 && n_begun % PROGRESS_TRIALS == 0 {
                    handle.add_trials(PROGRESS_TRIALS);
                }
                let go_on = n_begun == 0 || !handle.is_cancelled();
                n_begun += u32::from(go_on);
                go_on.then(|| stream(trial))
            });
            subject.trials(&mut streams, &context)
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
        let alone = |trial: u32| {
            catch_panic(|| subject.trials(&mut std::iter::once(stream(trial)), &context))
        };
        let failed = { trials }.find(|&trial| handle.is_cancelled() || alone(trial).is_err());
        let trial = failed.map(|trial| TrialRef { subject_idx: block.subject_idx, trial });
        Err(JobAbort::Failed(JobFailure { trial, ..job_failure(message) }))
    }

    /// Returns the tally of each segment, and the CPU time of all trials in nanoseconds.
    pub(super) fn merge(
        &self,
        simulation: &dyn PreparedSimulation,
        done: &[BlockTally],
    ) -> Result<(Vec<Vec<u8>>, u64), JobAbort> {
        let n_segments = self.blocks.last().map_or(0, |block| block.segment_idx + 1);
        let mut accumulator = simulation.accumulator(n_segments);
        let mut cpu_ns = 0;
        for (block, (tally, block_cpu_ns)) in self.blocks.iter().zip(done) {
            let series = u32::try_from(block.segment_idx).expect("a job has few segments");
            accumulator.absorb(series, tally).map_err(|error| {
                JobAbort::Failed(job_failure(format!(
                    "a trial returned a malformed tally: {error}"
                )))
            })?;
            cpu_ns += block_cpu_ns;
        }
        let tallies: Option<Vec<_>> = accumulator.tallies().into_iter().collect();
        Ok((tallies.expect("every segment has at least one block"), cpu_ns))
    }
}

/// Prepares a subject of `job`.
pub(super) fn prepare<'a>(
    simulation: &'a dyn PreparedSimulation,
    segment: &Segment,
) -> Result<Box<dyn PreparedSubject + 'a>, JobAbort> {
    let malformed = |error| JobAbort::Failed(job_failure(format!("malformed subject: {error}")));
    simulation.subject(&segment.subject).map_err(malformed)
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

fn split_into_blocks(job: &Job, n_threads: usize, batch: u32) -> Vec<TrialBlock> {
    let n_blocks = BLOCKS_PER_THREAD * n_threads as u64;
    let size = u32::try_from(job.n_trials().div_ceil(n_blocks)).unwrap_or(BLOCK_TRIALS);
    let size = size.clamp(1, BLOCK_TRIALS).max(batch);
    let mut blocks = Vec::new();
    for (segment_idx, segment) in job.segments.iter().enumerate() {
        let mut done = 0;
        while done < segment.n_trials {
            let n_trials = size.min(segment.n_trials - done);
            blocks.push(TrialBlock {
                segment_idx,
                subject_idx: segment.subject_idx,
                first_trial: segment.first_trial + done,
                n_trials,
            });
            done += n_trials;
        }
    }
    blocks
}

/// Returns the CPU time of this thread so far.
fn thread_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let ns = i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec);
    u64::try_from(ns).unwrap_or(0)
}
