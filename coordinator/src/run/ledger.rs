//! Merges each result into tallies once, in job order within a class.
//!
//! ```text
//!   index    0 ................. n_alone ................ n_jobs
//!   jobs     a long trial each  | several trials each
//!            ^ next of Alone      ^ next of Pooled
//! ```
//!
//! The two classes share no series, so neither class waits for the other.

use std::collections::{BTreeMap, BTreeSet};

use hatchery_core::erased::{AnyPlan, TallyAccumulator};
use hatchery_core::{DecodeError, Part, SeriesClass};
use hatchery_proto::v1::JobCost;
use hatchery_store::{JobResult, WorkerId};
use prost::Message;

use super::cutter::sizer::{FREE_OUTPUT_BYTES, ResultCost};
use super::cutter::trial_row::TrialRow;
use super::record::{Checkpoint, CostTotals, MAX_SAMPLES, ResultOrigin, StoredOutput};
use crate::base::compute_pool::caught;

/// The tallies of a generation so far.
pub struct Ledger {
    gathering: Box<dyn TallyAccumulator>,
    classes: Vec<SeriesClass>,
    alone: ClassLedger,
    pooled: ClassLedger,
    /// The number of long trials. Each long trial is a job.
    n_alone: u64,
    n_trials: u64,
    spent: CostTotals,
    workers: BTreeSet<WorkerId>,
    /// The hashes of sampled outputs, by job.
    samples: BTreeMap<u64, u64>,
    stride: u64,
    n_missing: u64,
}

/// The place that the ledger has reached in a class.
#[derive(Debug)]
struct ClassLedger {
    /// The index of the next job to absorb.
    next_index: u64,
    row: TrialRow,
    /// The worker that reported the last result.
    last_worker: Option<WorkerId>,
}

/// A stored result that does not fit the plan: the store, or the code that wrote to it, is faulty.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The result is not a valid protobuf message.
    #[error("stored result of job {index} is malformed")]
    Decode {
        /// The job's index.
        index: u64,
        /// The decoding error.
        source: prost::DecodeError,
    },
    /// A tally of the result is malformed.
    #[error("stored result of job {index} has a malformed tally")]
    Tally {
        /// The job's index.
        index: u64,
        /// The decoding error.
        source: DecodeError,
    },
    /// The experiment panicked while it merged a tally: a bug in the experiment.
    #[error("the experiment {message} over the tallies up to job {index}")]
    Panicked {
        /// The job's index.
        index: u64,
        /// The panic's message.
        message: String,
    },
    /// The result does not cover the next trials: it was computed before the store was rolled back,
    /// and since then the trials have been cut into other jobs.
    #[error("stored result of job {index} is of trial {series}/{first_trial}, not of {next:?}")]
    OtherCut {
        /// The job's index.
        index: u64,
        /// The series of its first trial.
        series: u32,
        /// The number of that trial in its series.
        first_trial: u32,
        /// The series and number of the next trial; `None` if there is none.
        next: Option<(u32, u32)>,
        /// The worker that reported this result, and the worker that reported the result before it:
        /// either result may belong to another cut.
        workers: BTreeSet<WorkerId>,
    },
    /// All trials of a subject are missing, so its tally does not exist.
    #[error("all trials of subject {series} are missing: their jobs are dead")]
    NothingOf {
        /// The subject.
        series: usize,
    },
}

/// Returns the hash that is kept for a sampled output: enough to detect a different output.
#[must_use]
pub fn sample_hash(output: &[u8]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *blake3::hash(output).as_bytes();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

impl Ledger {
    /// Creates the ledger of `plan` over an empty `gathering`, including the tallies that
    /// `checkpoint` holds.
    ///
    /// # Errors
    /// If a tally of the checkpoint is malformed.
    pub fn new(
        mut gathering: Box<dyn TallyAccumulator>,
        plan: &AnyPlan,
        checkpoint: &Checkpoint,
    ) -> Result<Self, LedgerError> {
        for (&series, tally) in &checkpoint.tallies {
            absorb(gathering.as_mut(), checkpoint.spent.jobs, series, tally)?;
        }
        let ResultOrigin { workers, samples, stride, n_missing } = checkpoint.origin.clone();
        let workers = workers.iter().filter_map(|worker| WorkerId::from_bytes(worker)).collect();
        let (spent, stride) = (checkpoint.spent, stride.max(1));
        // A checkpoint holds the first jobs, whatever their class.
        let n_alone = plan.n_trials_of(SeriesClass::Alone);
        let absorbed_alone = spent.jobs.min(n_alone);
        let class = |class, next_index, n_trials| {
            let mut row = TrialRow::of_class(plan, class);
            row.skip(n_trials);
            ClassLedger { next_index, row, last_worker: None }
        };
        Ok(Self {
            gathering,
            classes: plan.series.iter().map(|series| series.class).collect(),
            alone: class(SeriesClass::Alone, absorbed_alone, absorbed_alone),
            pooled: class(
                SeriesClass::Pooled,
                spent.jobs.max(n_alone),
                spent.trials.saturating_sub(absorbed_alone),
            ),
            n_alone,
            n_trials: plan.n_trials(),
            spent,
            workers,
            samples: (0..).map(|n| n * stride).zip(samples).collect(),
            stride,
            n_missing,
        })
    }

    /// Adds the result of the next job of a class.
    ///
    /// # Errors
    /// If the result is malformed or is not of the next trials.
    pub fn absorb(
        &mut self,
        class: SeriesClass,
        result: &JobResult,
    ) -> Result<ResultCost, LedgerError> {
        let index = self.next_index(class);
        let decode = |source| LedgerError::Decode { index, source };
        let output = StoredOutput::decode(result.output.as_slice()).map_err(decode)?;
        let cost = JobCost::decode(result.cost.as_slice()).map_err(decode)?;
        self.follow(class, result.worker, &output)?;
        let mut n_trials = 0;
        for part in &output.parts {
            n_trials += u64::from(part.n_trials);
            if 0 < output.n_missing {
                continue;
            }
            absorb(self.gathering.as_mut(), index, part.series, &part.tally)?;
        }
        self.sample(index, &result.output);
        self.workers.insert(result.worker);
        self.n_missing += output.n_missing;
        self.spent.trials += n_trials;
        self.spent.jobs += 1;
        // A worker may claim any CPU time; the sum must not overflow.
        self.spent.cpu_ns = self.spent.cpu_ns.saturating_add(cost.cpu_ns);
        if class == SeriesClass::Alone {
            self.spent.alone_trials += n_trials;
            self.spent.alone_cpu_ns = self.spent.alone_cpu_ns.saturating_add(cost.cpu_ns);
        }
        let n_part_bytes = result.parts.iter().map(Part::n_bytes).sum();
        let n_bytes = result.output.len().saturating_sub(FREE_OUTPUT_BYTES);
        Ok(ResultCost { n_jobs: 1, n_trials, cpu_ns: cost.cpu_ns, n_bytes, n_part_bytes })
    }

    /// Checks that the output covers the next trials of the class, and moves past them.
    fn follow(
        &mut self,
        class: SeriesClass,
        worker: WorkerId,
        output: &StoredOutput,
    ) -> Result<(), LedgerError> {
        let of_class = match class {
            SeriesClass::Alone => &mut self.alone,
            SeriesClass::Pooled => &mut self.pooled,
        };
        let (index, mut row) = (of_class.next_index, of_class.row.clone());
        for part in &output.parts {
            let (series, first_trial, next) = (part.series, part.first_trial, row.next());
            if next != Some((series, first_trial)) || row.n_left_in_series() < part.n_trials {
                let workers = of_class.last_worker.into_iter().chain([worker]).collect();
                return Err(LedgerError::OtherCut { index, series, first_trial, next, workers });
            }
            row.skip(part.n_trials.into());
        }
        *of_class = ClassLedger { next_index: index + 1, row, last_worker: Some(worker) };
        Ok(())
    }

    /// Keeps the hash of the output if the job is sampled; halves the samples when there are too
    /// many.
    fn sample(&mut self, index: u64, output: &[u8]) {
        if index.is_multiple_of(self.stride) {
            self.samples.insert(index, sample_hash(output));
        }
        if MAX_SAMPLES < self.samples.len() {
            self.stride *= 2;
            self.samples.retain(|index, _| index.is_multiple_of(self.stride));
        }
    }

    /// Returns the workers whose results the ledger holds.
    #[must_use]
    pub fn workers(&self) -> &BTreeSet<WorkerId> {
        &self.workers
    }

    /// Returns the origin of the results.
    #[must_use]
    pub fn origin(&self) -> ResultOrigin {
        ResultOrigin {
            workers: self.workers.iter().map(|worker| worker.to_bytes().to_vec()).collect(),
            samples: self.samples.values().copied().collect(),
            stride: self.stride,
            n_missing: self.n_missing,
        }
    }

    /// Returns the number of missing trials.
    #[must_use]
    pub fn n_missing(&self) -> u64 {
        self.n_missing
    }

    /// Returns the index of the next job of a class to absorb.
    #[must_use]
    pub fn next_index(&self, class: SeriesClass) -> u64 {
        match class {
            SeriesClass::Alone => self.alone.next_index,
            SeriesClass::Pooled => self.pooled.next_index,
        }
    }

    /// Returns the number of jobs of long trials that are not absorbed.
    #[must_use]
    pub fn n_alone_left(&self) -> u64 {
        self.n_alone - self.alone.next_index
    }

    /// Returns the number of jobs of long trials below `cursor` that are not absorbed.
    #[must_use]
    pub fn n_alone_open(&self, cursor: u64) -> u64 {
        self.n_alone.min(cursor).saturating_sub(self.alone.next_index)
    }

    /// Returns whether the job with this index is absorbed.
    #[must_use]
    pub fn has(&self, index: u64) -> bool {
        let class = if index < self.n_alone { &self.alone } else { &self.pooled };
        index < class.next_index
    }

    /// Returns the number of absorbed jobs.
    #[must_use]
    pub fn n_jobs(&self) -> u64 {
        self.spent.jobs
    }

    /// Returns the number of absorbed jobs, if these are exactly the first jobs, so that a
    /// checkpoint can hold them; `None` if an earlier job is missing.
    #[must_use]
    pub fn n_first_jobs(&self) -> Option<u64> {
        let is_gapless = self.n_alone_left() == 0 || self.pooled.next_index == self.n_alone;
        is_gapless.then_some(self.spent.jobs)
    }

    /// Returns the cost of the absorbed jobs; the caller adds the elapsed time.
    #[must_use]
    pub fn spent(&self) -> CostTotals {
        self.spent
    }

    /// Returns the classes of the plan's series.
    #[must_use]
    pub fn classes(&self) -> &[SeriesClass] {
        &self.classes
    }

    /// Returns the tallies so far, by series.
    #[must_use]
    pub fn tallies(&self) -> BTreeMap<u32, Vec<u8>> {
        let tallies = (0..).zip(self.gathering.tallies());
        tallies.filter_map(|(series, tally)| Some((series, tally?))).collect()
    }

    /// Returns all tallies in plan order once every trial is absorbed or known to be missing.
    ///
    /// # Errors
    /// If a subject has no tally because all its trials are missing.
    pub fn complete(&self) -> Result<Option<Vec<Vec<u8>>>, LedgerError> {
        if self.spent.trials != self.n_trials {
            return Ok(None);
        }
        let index = self.spent.jobs;
        let tallies = caught(|| self.gathering.tallies());
        let tallies = tallies.map_err(|message| LedgerError::Panicked { index, message })?;
        let tallies = tallies.into_iter().enumerate();
        let tallies = tallies.map(|(series, t)| t.ok_or(LedgerError::NothingOf { series }));
        tallies.collect::<Result<_, _>>().map(Some)
    }
}

/// Merges a tally with the experiment's own code. A gathering is unusable after a panic.
fn absorb(
    gathering: &mut dyn TallyAccumulator,
    index: u64,
    series: u32,
    tally: &[u8],
) -> Result<(), LedgerError> {
    caught(|| gathering.absorb(series, tally))
        .map_err(|message| LedgerError::Panicked { index, message })?
        .map_err(|source| LedgerError::Tally { index, source })
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { n_trials, spent, .. } = self;
        f.debug_struct("Ledger")
            .field("n_trials", n_trials)
            .field("spent", spent)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::Draws;

    use super::*;
    use crate::run::record::OutputPart;

    /// Notes the tallies in the order in which they come.
    #[derive(Default)]
    struct NotedTallies(Vec<Vec<u8>>);

    impl TallyAccumulator for NotedTallies {
        fn absorb(&mut self, series: u32, tally: &[u8]) -> Result<(), DecodeError> {
            self.0[series as usize].extend(tally);
            Ok(())
        }

        fn tallies(&self) -> Vec<Option<Vec<u8>>> {
            self.0.iter().map(|notes| Some(notes.clone())).collect()
        }
    }

    /// Two series of four trials, and between them a series of two long trials.
    fn plan() -> AnyPlan {
        let series = [4, 2, 4].map(|n_trials| (Vec::new(), n_trials));
        let mut plan = AnyPlan::without_parts(Vec::new(), series, Draws::Common);
        plan.series[1].class = SeriesClass::Alone;
        plan
    }

    fn ledger(checkpoint: &Checkpoint) -> Ledger {
        Ledger::new(Box::new(NotedTallies(vec![Vec::new(); 3])), &plan(), checkpoint).unwrap()
    }

    fn result(series: u32, trials: std::ops::Range<u8>) -> JobResult {
        let part = OutputPart {
            series,
            n_trials: u32::try_from(trials.len()).unwrap(),
            tally: trials.clone().collect(),
            first_trial: trials.start.into(),
        };
        let output = StoredOutput { parts: vec![part], ..StoredOutput::default() };
        JobResult {
            worker: WorkerId(7),
            output: output.encode_to_vec(),
            cost: JobCost { cpu_ns: 1000, wall_ns: 0 }.encode_to_vec(),
            parts: Vec::new(),
        }
    }

    #[test]
    fn classes_do_not_wait_for_each_other() {
        use SeriesClass::{Alone, Pooled};
        let mut ledger = ledger(&Checkpoint::default());
        let steps = [
            (Pooled, result(0, 0..3), None),
            (Alone, result(1, 0..1), None),
            (Pooled, result(0, 3..4), None),
            (Alone, result(1, 1..2), Some(4)),
            (Pooled, result(2, 0..4), Some(5)),
        ];
        for (class, result, n_first_jobs) in steps {
            assert_eq!(ledger.complete().unwrap(), None);
            ledger.absorb(class, &result).unwrap();
            assert_eq!(ledger.n_first_jobs(), n_first_jobs);
        }
        let tallies = ledger.complete().unwrap().unwrap();
        assert_eq!(tallies, [vec![0, 1, 2, 3], vec![0, 1], vec![0, 1, 2, 3]]);
        let spent = ledger.spent();
        assert_eq!((spent.jobs, spent.trials, spent.cpu_ns), (5, 10, 5000));
        assert_eq!((spent.alone_trials, spent.alone_cpu_ns), (2, 2000));
        assert_eq!(ledger.origin().samples.len(), 5);
        let hash = |series, trials| sample_hash(&result(series, trials).output);
        let in_job_order =
            [hash(1, 0..1), hash(1, 1..2), hash(0, 0..3), hash(0, 3..4), hash(2, 0..4)];
        assert_eq!(ledger.origin().samples, in_job_order);
    }

    #[test]
    fn a_checkpoint_is_continued_in_either_class() {
        use SeriesClass::{Alone, Pooled};
        for (jobs, trials, next) in [(0, 0, [0, 2]), (1, 1, [1, 2]), (2, 2, [2, 2]), (3, 5, [2, 3])]
        {
            let spent = CostTotals { jobs, trials, ..CostTotals::default() };
            let ledger = ledger(&Checkpoint { spent, ..Checkpoint::default() });
            assert_eq!([Alone, Pooled].map(|class| ledger.next_index(class)), next);
            assert_eq!(ledger.n_alone_left(), 2 - next[0]);
            let has = (0..5).filter(|&index| ledger.has(index)).count();
            assert_eq!(has as u64, jobs);
        }
    }

    #[test]
    fn a_result_of_other_trials_is_refused() {
        let mut ledger = ledger(&Checkpoint::default());
        for (class, wrong) in [
            (SeriesClass::Alone, result(0, 0..1)),
            (SeriesClass::Alone, result(1, 1..2)),
            (SeriesClass::Pooled, result(1, 0..1)),
            (SeriesClass::Pooled, result(0, 0..5)),
            (SeriesClass::Pooled, result(9, 0..1)),
        ] {
            let refused = ledger.absorb(class, &wrong).unwrap_err();
            assert!(matches!(refused, LedgerError::OtherCut { .. }), "{refused}");
        }
        ledger.absorb(SeriesClass::Pooled, &result(0, 0..4)).unwrap();
    }
}
