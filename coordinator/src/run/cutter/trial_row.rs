//! A row of trials, series after series, and a place in it.

use std::sync::Arc;

use hatchery_core::SeriesClass;
use hatchery_core::erased::AnyPlan;

/// The trials of some series of a plan, in the order in which they are cut into jobs, with the
/// place of the next trial. Clones share the row, and each clone has its own place.
#[derive(Clone, Debug)]
pub(crate) struct TrialRow {
    /// The series in order: the index in the plan, and the number of trials.
    series: Arc<[(u32, u32)]>,
    /// The position in `series` of the next trial's series, and the number of the trial there.
    next: (usize, u32),
}

impl TrialRow {
    /// Returns the row with all trials of `plan`, at its beginning.
    pub(crate) fn of(plan: &AnyPlan) -> Self {
        Self::of_series(plan, plan.job_order().into_iter())
    }

    /// Returns the row with the trials of a single class, at its beginning.
    pub(crate) fn of_class(plan: &AnyPlan, class: SeriesClass) -> Self {
        let of_class = |idx: &u32| plan.series[*idx as usize].class == class;
        Self::of_series(plan, plan.job_order().into_iter().filter(of_class))
    }

    fn of_series(plan: &AnyPlan, series: impl Iterator<Item = u32>) -> Self {
        let series = series.map(|idx| (idx, plan.series[idx as usize].n_trials));
        Self { series: series.collect(), next: (0, 0) }
    }

    /// Returns the series of the next trial and its number there; `None` at the end.
    pub(crate) fn next(&self) -> Option<(u32, u32)> {
        let (at, trial) = self.next;
        self.series.get(at).map(|(idx, _)| (*idx, trial))
    }

    /// Returns the number of trials of the next trial's series from that trial on; 0 at the end.
    pub(crate) fn n_left_in_series(&self) -> u32 {
        let (at, trial) = self.next;
        self.series.get(at).map_or(0, |(_, n_trials)| n_trials - trial)
    }

    /// Moves on by `n_trials` trials, at most to the end.
    pub(crate) fn skip(&mut self, mut n_trials: u64) {
        while self.next.0 < self.series.len() {
            let left = self.n_left_in_series();
            match u32::try_from(n_trials) {
                Ok(few) if few < left => return self.next.1 += few,
                _ => self.next = (self.next.0 + 1, 0),
            }
            n_trials -= u64::from(left);
        }
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::Draws;

    use super::*;

    #[test]
    fn long_trials_come_first() {
        let sizes = [2, 1, 3, 2];
        let series = sizes.map(|n_trials| (Vec::new(), n_trials));
        let mut plan = AnyPlan::without_parts(Vec::new(), series, Draws::Common);
        plan.series[1].class = SeriesClass::Alone;
        plan.series[3].class = SeriesClass::Alone;
        let all = |mut row: TrialRow| -> Vec<_> {
            std::iter::from_fn(|| row.next().inspect(|_| row.skip(1))).collect()
        };
        let (alone, pooled) =
            (vec![(1, 0), (3, 0), (3, 1)], vec![(0, 0), (0, 1), (2, 0), (2, 1), (2, 2)]);
        assert_eq!(all(TrialRow::of_class(&plan, SeriesClass::Alone)), alone);
        assert_eq!(all(TrialRow::of_class(&plan, SeriesClass::Pooled)), pooled);
        let row = [alone, pooled].concat();
        for skipped in 0..=row.len() {
            let mut rest = TrialRow::of(&plan);
            rest.skip(skipped as u64);
            assert_eq!(all(rest), row[skipped..]);
        }
        assert_eq!(plan.n_trials_of(SeriesClass::Alone), 3);
    }
}
