//! A job that the threads of a pool run together, block by block.
//!
//! No thread waits for another: each takes the next block until there is none, and the last to be
//! done merges the tallies. A thread of a pool that waits begins another task meanwhile, and its
//! job would end after that: with a long trial in it, after hours.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use hatchery_core::PartMemory;
use tracing::Span;

use super::blocks::{BlockTallies, JobBlocks, SegmentSubjects};
use super::execute::outcome;
use super::host::JobHost;
use super::job::{JobAbort, JobOutcome, catch_worker_panic};
use super::task::JobTask;
use super::trace;
use crate::ids::JobKey;

/// See the [module](self).
pub(super) struct PooledJob {
    task: JobTask,
    span: Span,
    started: Instant,
    blocks: JobBlocks,
    parts: PartMemory,
    /// The index of the next block to run.
    next: AtomicUsize,
    /// The number of threads that run it.
    n_threads: usize,
    done: Mutex<Result<Vec<Option<BlockTallies>>, JobAbort>>,
}

impl PooledJob {
    /// Begins a job on at most `n_threads` threads; returns its outcome if it cannot be run.
    pub(super) fn begin(mut task: JobTask, n_threads: usize) -> Result<Self, JobOutcome> {
        let started = Instant::now();
        let span = trace::job_span(task.key, &task.job);
        let parts = PartMemory::new(std::mem::take(&mut task.inputs));
        match JobBlocks::new(&task.job, n_threads, task.simulation.batch()) {
            Ok(blocks) => {
                let n_blocks = blocks.len();
                let n_threads = n_threads.min(n_blocks);
                let done = Mutex::new(Ok(vec![None; n_blocks]));
                let next = AtomicUsize::new(0);
                Ok(Self { task, span, started, blocks, parts, next, n_threads, done })
            }
            Err(abort) => {
                let ended = outcome(Err(abort), parts, started);
                trace::record_outcome(&span, &ended);
                Err(ended)
            }
        }
    }

    /// Runs the job together with other tasks of this thread's pool. Calls `end` with the outcome
    /// on the thread that is done last.
    pub(super) fn spread(self, end: impl FnOnce(JobKey, JobOutcome) + Clone + Send + 'static) {
        let job = Arc::new(self);
        for _ in 1..job.n_threads {
            let (job, end) = (Arc::clone(&job), end.clone());
            rayon::spawn(move || job.run(end));
        }
        job.run(end);
    }

    /// Runs blocks until there are no more. Each of its threads calls it once.
    fn run(self: Arc<Self>, end: impl FnOnce(JobKey, JobOutcome)) {
        if let Err(failure) = catch_worker_panic(|| self.run_blocks()) {
            self.abort(JobAbort::Failed(failure));
        }
        // Returns it to one thread: the last.
        if let Some(job) = Arc::into_inner(self) {
            let key = job.task.key;
            let ended = catch_worker_panic(|| job.finish());
            end(key, ended.unwrap_or_else(JobOutcome::Failed));
        }
    }

    fn finish(self) -> JobOutcome {
        let Self { task, span, started, blocks, parts, done, .. } = self;
        let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        let run = done.and_then(|done| {
            let done: Option<Vec<_>> = done.into_iter().collect();
            let done = done.expect("a job that did not fail has run all its blocks");
            blocks.merge(task.simulation.as_ref(), &done)
        });
        let ended = outcome(run, parts, started);
        trace::record_outcome(&span, &ended);
        ended
    }

    fn run_blocks(&self) {
        let Self { task, blocks, parts, .. } = self;
        let host = JobHost::new(&task.handle, parts);
        // The blocks of one segment follow each other: its subject is prepared once.
        let mut subjects = None;
        while let Some(idx) = self.next_block() {
            let segments = blocks.segments(idx);
            let prepared = match subjects.take() {
                Some((of, prepared)) if of == segments => Ok(prepared),
                _ => {
                    let simulation = task.simulation.as_ref();
                    SegmentSubjects::prepare(&task.job, segments.clone(), simulation)
                }
            };
            let run = prepared.and_then(|prepared| {
                let tallies = blocks.run(idx, &prepared, &host);
                subjects = Some((segments, prepared));
                tallies
            });
            match run {
                Ok(tallies) => self.record(idx, tallies),
                Err(abort) => return self.abort(abort),
            }
        }
    }

    fn next_block(&self) -> Option<usize> {
        let idx = self.next.fetch_add(1, Ordering::Relaxed);
        (idx < self.blocks.len()).then_some(idx)
    }

    fn record(&self, idx: usize, tallies: BlockTallies) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(done) = &mut *done {
            done[idx] = Some(tallies);
        }
    }

    /// Ends the job: no further block begins.
    fn abort(&self, abort: JobAbort) {
        self.next.store(self.blocks.len(), Ordering::Relaxed);
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        if done.is_ok() {
            *done = Err(abort);
        }
    }
}
