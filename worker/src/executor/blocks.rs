//! The trials of a job in blocks; a thread runs a block.

use std::cell::Cell;
use std::ops::{Range, RangeInclusive};

use hatchery_core::erased::{PreparedSimulation, PreparedSubjects};
use hatchery_core::{Draws, GenerationSeed, RunSeed, StreamRng, TrialContext, catch_panic};
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

/// The number of trials after which a block reports its progress: few enough that long trials show
/// progress, and enough that short trials do not contend for the counter.
const PROGRESS_TRIALS: u32 = 8;

/// The tallies of a block, one for each part of a segment, and its CPU time in nanoseconds.
pub(super) type BlockTallies = (Vec<Vec<u8>>, u64);

/// See the [module](self).
#[derive(Debug)]
pub(super) struct JobBlocks {
    draws: Draws,
    seed: GenerationSeed,
    blocks: Vec<TrialBlock>,
}

/// Consecutive trials of a job, within a segment or over several consecutive segments.
#[derive(Debug, Default)]
struct TrialBlock(Vec<SegmentTrials>);

/// Consecutive trials of a segment.
#[derive(Debug)]
struct SegmentTrials {
    segment_idx: usize,
    subject_idx: u32,
    trials: Range<u32>,
}

impl TrialBlock {
    fn n_trials(&self) -> u32 {
        self.0.iter().map(|part| part.trials.end - part.trials.start).sum()
    }

    /// Returns the indices of its segments.
    fn segments(&self) -> RangeInclusive<usize> {
        let idx = |part: Option<&SegmentTrials>| part.map_or(0, |part| part.segment_idx);
        idx(self.0.first())..=idx(self.0.last())
    }
}

impl JobBlocks {
    /// Splits a job into blocks for `n_threads`. A block with fewer than `batch` trials of a
    /// segment gets trials of the next segments, too.
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

    /// Returns the indices of the segments of block `idx`.
    pub(super) fn segments(&self, idx: usize) -> RangeInclusive<usize> {
        self.blocks[idx].segments()
    }

    /// Runs block `idx`, whose segments are among the segments of `subjects`.
    pub(super) fn run(
        &self,
        idx: usize,
        subjects: &SegmentSubjects<'_>,
        host: &JobHost<'_>,
    ) -> Result<BlockTallies, JobAbort> {
        let handle = host.handle();
        match handle.is_cancelled() {
            true => Err(JobAbort::Cancelled),
            false => handle.run_block(|| {
                let (tallies, cpu_ns) = self.run_trials(&self.blocks[idx], subjects, host)?;
                #[cfg(feature = "faults")]
                let cpu_ns = crate::faults::slow_down(cpu_ns, handle.slowdown());
                Ok((tallies, cpu_ns))
            }),
        }
    }

    fn run_trials(
        &self,
        block: &TrialBlock,
        subjects: &SegmentSubjects<'_>,
        host: &JobHost<'_>,
    ) -> Result<BlockTallies, JobAbort> {
        let (handle, context) = (host.handle(), TrialContext::new(host));
        let started = thread_cpu_ns();
        let n_begun = Cell::new(0);
        let outcome = catch_panic(|| {
            // A trial is done when the next one asks for its stream. A cancelled block gets no
            // more, but each subject has at least one.
            let streams = |part: &SegmentTrials| {
                let mut is_first = true;
                let (streams, n_begun) = (self.streams(part), &n_begun);
                streams.take_while(move |_| {
                    if n_begun.get() != 0 && n_begun.get() % PROGRESS_TRIALS == 0 {
                        handle.add_trials(PROGRESS_TRIALS);
                    }
                    let go_on = std::mem::take(&mut is_first) || !handle.is_cancelled();
                    n_begun.set(n_begun.get() + u32::from(go_on));
                    go_on
                })
            };
            let mut streams: Vec<_> = block.0.iter().map(streams).collect();
            let batch = block.0.iter().zip(&mut streams);
            let batch = batch.map(|(part, streams)| (subjects.idx(part), streams as _));
            subjects.prepared.trials(batch.collect(), &context)
        });
        if handle.is_cancelled() {
            return Err(JobAbort::Cancelled);
        }
        let message = match outcome {
            Ok(tallies) => {
                let reported = n_begun.get().saturating_sub(1) / PROGRESS_TRIALS * PROGRESS_TRIALS;
                handle.add_trials(block.n_trials() - reported);
                return Ok((tallies, thread_cpu_ns().saturating_sub(started)));
            }
            Err(panic) => panic.to_string(),
        };
        // Run the trials one by one, to name the one that failed.
        let fails = |part: &SegmentTrials, stream| {
            let mut once = std::iter::once(stream);
            let batch = vec![(subjects.idx(part), &mut once as _)];
            catch_panic(|| subjects.prepared.trials(batch, &context)).is_err()
        };
        let of_part = |part: &SegmentTrials| {
            let mut trials = part.trials.clone().zip(self.streams(part));
            trials.find_map(|(trial, stream)| {
                let failed = handle.is_cancelled() || fails(part, stream);
                failed.then_some(TrialRef { subject_idx: part.subject_idx, trial })
            })
        };
        let trial = block.0.iter().find_map(of_part);
        if handle.is_cancelled() {
            return Err(JobAbort::Cancelled);
        }
        Err(JobAbort::Failed(JobFailure { trial, ..job_failure(message) }))
    }

    /// Returns the streams of the trials.
    fn streams<'a>(&'a self, part: &SegmentTrials) -> impl Iterator<Item = StreamRng> + use<'a> {
        let subject_idx = part.subject_idx;
        part.trials.clone().map(move |trial| self.seed.trial(self.draws, subject_idx, trial))
    }

    /// Returns the tallies by segment, and the total CPU time in nanoseconds.
    pub(super) fn merge(
        &self,
        simulation: &dyn PreparedSimulation,
        done: &[BlockTallies],
    ) -> Result<(Vec<Vec<u8>>, u64), JobAbort> {
        let n_segments = self.blocks.last().map_or(0, |block| block.segments().end() + 1);
        let mut accumulator = simulation.accumulator(n_segments);
        let mut cpu_ns = 0;
        for (block, (tallies, block_cpu_ns)) in self.blocks.iter().zip(done) {
            for (part, tally) in block.0.iter().zip(tallies) {
                let series = u32::try_from(part.segment_idx).expect("a job has few segments");
                accumulator.absorb(series, tally).map_err(|error| {
                    JobAbort::Failed(job_failure(format!(
                        "a trial returned a malformed tally: {error}"
                    )))
                })?;
            }
            cpu_ns += block_cpu_ns;
        }
        let tallies: Option<Vec<_>> = accumulator.tallies().into_iter().collect();
        Ok((tallies.expect("every segment has at least one block"), cpu_ns))
    }
}

/// The subjects of consecutive segments of a job.
pub(super) struct SegmentSubjects<'a> {
    prepared: Box<dyn PreparedSubjects + 'a>,
    /// The index of the first segment.
    first: usize,
}

impl<'a> SegmentSubjects<'a> {
    /// Prepares the subjects of these segments of `job`.
    pub(super) fn prepare(
        job: &Job,
        segments: RangeInclusive<usize>,
        simulation: &'a dyn PreparedSimulation,
    ) -> Result<Self, JobAbort> {
        let first = *segments.start();
        let mut subjects = job.segments[segments].iter().map(|it| it.subject.as_slice());
        match simulation.subjects(&mut subjects) {
            Ok(prepared) => Ok(Self { prepared, first }),
            Err(error) => Err(JobAbort::Failed(job_failure(format!("malformed subject: {error}")))),
        }
    }

    /// Returns the index of the subject.
    fn idx(&self, part: &SegmentTrials) -> usize {
        part.segment_idx - self.first
    }
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
    // No thread goes without a block for the sake of batches.
    let for_each = job.n_trials().div_ceil(n_threads as u64);
    let batch = u32::try_from(for_each).map_or(batch, |each| batch.min(each)).max(1);
    let size = size.clamp(1, BLOCK_TRIALS).max(batch);
    let mut blocks: Vec<TrialBlock> = Vec::new();
    for (segment_idx, segment) in job.segments.iter().enumerate() {
        let (mut first, end) = (segment.first_trial, segment.first_trial + segment.n_trials);
        while first < end {
            let n_last = blocks.last().map_or(batch, TrialBlock::n_trials);
            if batch <= n_last {
                blocks.push(TrialBlock::default());
            }
            let block = blocks.last_mut().expect("there is one");
            let trials = first..end.min(first + (size - block.n_trials()));
            first = trials.end;
            let subject_idx = segment.subject_idx;
            block.0.push(SegmentTrials { segment_idx, subject_idx, trials });
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the trials by block, as (segment, first, end).
    fn blocks(sizes: &[u32], n_threads: usize, batch: u32) -> Vec<Vec<(usize, u32, u32)>> {
        let segment = |(&n_trials, subject_idx): (&u32, u32)| Segment {
            subject_idx,
            n_trials,
            first_trial: 100,
            ..Segment::default()
        };
        let segments = sizes.iter().zip(0..).map(segment).collect();
        let job = Job { segments, ..Job::default() };
        let of_block = |block: TrialBlock| {
            let parts = block.0.into_iter();
            parts.map(|it| (it.segment_idx, it.trials.start, it.trials.end)).collect()
        };
        split_into_blocks(&job, n_threads, batch).into_iter().map(of_block).collect()
    }

    #[test]
    fn a_batch_has_trials_of_several_segments() {
        let expected = vec![
            vec![(0, 100, 103), (1, 100, 103), (2, 100, 102)],
            vec![(2, 102, 110)],
            vec![(2, 110, 111), (3, 100, 101)],
        ];
        assert_eq!(blocks(&[3, 3, 11, 1], 1, 8), expected);
    }

    #[test]
    fn a_block_has_trials_of_one_segment_where_batches_gain_nothing() {
        let expected = [vec![(0, 100, 102)], vec![(0, 102, 104)], vec![(1, 100, 101)]];
        assert_eq!(blocks(&[4, 1, 1], 1, 1)[..3], expected);
    }

    #[test]
    fn blocks_lose_no_trial() {
        for (n_threads, batch) in [(1, 1), (2, 1), (1, 5), (3, 64), (1, 2048)] {
            let sizes = [1, 700, 2, 2, 31, 64, 1];
            let mut all = blocks(&sizes, n_threads, batch).into_iter().flatten();
            for (segment, &n_trials) in sizes.iter().enumerate() {
                let mut next = 100;
                while next < 100 + n_trials {
                    let (of, first, end) = all.next().expect("trials are missing");
                    assert!(of == segment && first == next && first < end, "{batch}");
                    next = end;
                }
                assert_eq!(next, 100 + n_trials);
            }
            assert_eq!(all.next(), None);
        }
    }
}
