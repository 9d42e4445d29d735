//! Cuts a generation into jobs.
//!
//! All trials of a generation form one row, series after series; a job is a range of that row. Long
//! trials come first, and each long trial is a job. The sizes of jobs are recorded with each
//! generation.

pub mod sizer;
pub(crate) mod trial_row;

use std::collections::BTreeSet;

use hatchery_core::erased::AnyPlan;
use hatchery_core::{Draws, Part, SeriesClass};
use hatchery_proto::v1;
use hatchery_proto::{
    MAX_BATCH_BYTES, MAX_JOB_INPUT_BYTES, MAX_JOB_PARTS, MAX_JOB_SEGMENTS, MAX_JOB_TRIALS,
};
use prost::Message;

use crate::base::job_ref;
use trial_row::TrialRow;

/// From job `first_index` on, jobs have up to `trials_per_job` trials.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct Cut {
    /// The first job of this size.
    #[prost(uint64, tag = "1")]
    pub first_index: u64,
    /// The size.
    #[prost(uint64, tag = "2")]
    pub trials_per_job: u64,
}

/// The row of trials of a generation and the position up to which it is cut.
#[derive(Debug)]
pub struct JobCutter {
    plan: AnyPlan,
    template: v1::Job,
    row: TrialRow,
    n_trials_left: u64,
}

impl JobCutter {
    /// Cuts the row of `plan` from trial number `next_trial` on. `template` is a job without
    /// segments.
    #[must_use]
    pub fn new(plan: AnyPlan, mut template: v1::Job, next_trial: u64) -> Self {
        template.draws = match plan.draws {
            Draws::PerSubject => v1::Draws::PerSubject,
            Draws::Common => v1::Draws::Common,
        }
        .into();
        let (row, n_trials_left) = (TrialRow::of(&plan), plan.n_trials());
        let mut cutter = Self { plan, template, row, n_trials_left };
        cutter.skip(next_trial);
        cutter
    }

    /// Returns the number of trials that make a batch fast.
    #[must_use]
    pub fn lanes(&self) -> u64 {
        self.plan.lanes.into()
    }

    /// Returns the number of trials that are not in a job yet.
    #[must_use]
    pub fn n_trials_left(&self) -> u64 {
        self.n_trials_left
    }

    /// Returns the class of the next trial; `None` once all trials are in jobs.
    #[must_use]
    pub fn next_class(&self) -> Option<SeriesClass> {
        let (series, _) = self.row.next()?;
        Some(self.plan.series[series as usize].class)
    }

    /// Returns the next job, with up to `most` trials, or with one if it is long; `None` once all
    /// trials are in jobs.
    pub fn next_job(&mut self, most: u64) -> Option<v1::Job> {
        let mut job = self.template.clone();
        job.alone = self.next_class()? == SeriesClass::Alone;
        let most = if job.alone { 1 } else { most };
        let (mut room, mut n_bytes) = (most.clamp(1, MAX_JOB_TRIALS), 0);
        let mut inputs: BTreeSet<Part> = self.plan.shared_parts.iter().copied().collect();
        let mut n_input_bytes: u64 = inputs.iter().map(Part::n_bytes).sum();
        while 0 < room
            && let Some((series_idx, first_trial)) = self.row.next()
        {
            let series = &self.plan.series[series_idx as usize];
            n_bytes += series.subject.len();
            let n_inputs = inputs.len() + series.parts.len();
            let new: BTreeSet<_> = series.parts.iter().filter(|it| !inputs.contains(it)).collect();
            n_input_bytes += new.iter().map(|part| part.n_bytes()).sum::<u64>();
            let full = MAX_JOB_SEGMENTS <= job.segments.len()
                || MAX_BATCH_BYTES / 2 < n_bytes
                || MAX_JOB_PARTS < n_inputs
                || (MAX_JOB_INPUT_BYTES as u64) < n_input_bytes;
            if full && !job.segments.is_empty() {
                break;
            }
            inputs.extend(&series.parts);
            let left = self.row.n_left_in_series();
            let n_trials = u32::try_from(room).map_or(left, |room| room.min(left));
            job.segments.push(v1::Segment {
                subject_idx: series_idx,
                subject: series.subject.clone(),
                first_trial,
                n_trials,
            });
            self.skip(n_trials.into());
            room -= u64::from(n_trials);
        }
        job.inputs = inputs.iter().map(job_ref::part_to_wire).collect();
        (!job.segments.is_empty()).then_some(job)
    }

    fn skip(&mut self, n_trials: u64) {
        self.n_trials_left -= n_trials;
        self.row.skip(n_trials);
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::Digest;

    use super::*;

    fn plan(sizes: &[u32]) -> AnyPlan {
        let series = sizes.iter().map(|&n_trials| (vec![7; 10], n_trials));
        AnyPlan::without_parts(vec![], series, Draws::Common)
    }

    /// Returns every trial of the row exactly once and in order, as (series, trial).
    fn row(sizes: &[u32]) -> Vec<(u32, u32)> {
        sizes.iter().zip(0..).flat_map(|(&n, series)| (0..n).map(move |t| (series, t))).collect()
    }

    fn trials(job: &v1::Job) -> impl Iterator<Item = (u32, u32)> {
        job.segments.iter().flat_map(|segment| {
            (0..segment.n_trials).map(|t| (segment.subject_idx, segment.first_trial + t))
        })
    }

    #[test]
    fn jobs_cover_the_row_once_and_in_order() {
        let sizes = [3, 1, 10, 2];
        for most in 1..20 {
            for start in 0..16 {
                let mut cutter = JobCutter::new(plan(&sizes), v1::Job::default(), start);
                let jobs: Vec<_> = std::iter::from_fn(|| cutter.next_job(most)).collect();
                let got: Vec<_> = jobs.iter().flat_map(trials).collect();
                assert_eq!(got, row(&sizes)[usize::try_from(start).unwrap()..]);
                assert_eq!(cutter.n_trials_left(), 0);
            }
        }
    }

    #[test]
    fn a_long_trial_is_a_job_and_comes_first() {
        let mut plan = plan(&[3, 2, 4]);
        plan.series[1].class = SeriesClass::Alone;
        for start in 0..=9 {
            let mut cutter = JobCutter::new(plan.clone(), v1::Job::default(), start);
            let jobs: Vec<_> = std::iter::from_fn(|| cutter.next_job(100)).collect();
            let sizes: Vec<_> = jobs.iter().map(|job| (job.alone, job.n_trials())).collect();
            let expected = match start {
                0 => vec![(true, 1), (true, 1), (false, 7)],
                1 => vec![(true, 1), (false, 7)],
                2..9 => vec![(false, 9 - start)],
                _ => vec![],
            };
            assert_eq!(sizes, expected);
        }
    }

    #[test]
    fn jobs_stay_within_their_limits() {
        let many = plan(&vec![1; 3 * MAX_JOB_SEGMENTS]);
        let mut cutter = JobCutter::new(many, v1::Job::default(), 0);
        assert_eq!(cutter.next_job(u64::MAX).unwrap().segments.len(), MAX_JOB_SEGMENTS);
        let mut large = plan(&[1, 1, 1]);
        large.series.iter_mut().for_each(|series| series.subject = vec![0; MAX_BATCH_BYTES]);
        let mut cutter = JobCutter::new(large, v1::Job::default(), 0);
        assert_eq!(cutter.next_job(3).unwrap().segments.len(), 1);

        // Parts of 60 MB each: eight fit into the memory of a worker, and one that is named twice
        // counts once.
        let part = |n: u8| Part::new(Digest::of(&[n]), 60_000_000).unwrap();
        let mut heavy = plan(&[1; 20]);
        let parts = (0..20).map(|n| vec![part(0), part(n / 2)]);
        heavy.series.iter_mut().zip(parts).for_each(|(series, parts)| series.parts = parts);
        let mut cutter = JobCutter::new(heavy, v1::Job::default(), 0);
        let jobs: Vec<_> = std::iter::from_fn(|| cutter.next_job(20)).collect();
        let sizes: Vec<_> = jobs.iter().map(|job| (job.n_trials(), job.inputs.len())).collect();
        assert_eq!(sizes, [(16, 8), (4, 3)]);
    }
}
