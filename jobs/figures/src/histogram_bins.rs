//! Bins of histograms.

use crate::markup::to_f64;

/// Bins become wider rather than more numerous than this; 60 are about 10 units wide each.
const MAX_BINS: usize = 60;
/// Values beyond this count as infinite: sums and widths of bins stay finite.
const MAX_VALUE: f64 = 1e100;

/// Bins of equal width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistogramBins {
    low: f64,
    width: f64,
    n: usize,
}

impl HistogramBins {
    /// Returns bins of `min_width`, doubled until there are about 60 at most, that begin with a
    /// multiple of their width and hold all finite `values`; one bin if there are none.
    ///
    /// # Panics
    /// If `min_width` is not positive.
    #[must_use]
    pub fn around(values: impl IntoIterator<Item = f64>, min_width: f64) -> Self {
        assert!(0.0 < min_width, "bins have a width");
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|value| is_counted(*value)) {
            least = least.min(value);
            most = most.max(value);
        }
        if most < least {
            (least, most) = (0.0, 0.0);
        }
        let mut width = min_width;
        while most - least > to_f64(MAX_BINS) * width {
            width *= 2.0;
        }
        let low = libm::floor(least / width) * width;
        let past = |n: &usize| low + width * to_f64(*n) > most;
        let n = (1..=MAX_BINS).find(past).unwrap_or(MAX_BINS + 1);
        Self { low, width, n }
    }

    /// Returns `n` bins that divide the range evenly.
    ///
    /// # Panics
    /// If the range is empty or not finite, or `n` is 0.
    #[must_use]
    pub fn between([low, high]: [f64; 2], n: usize) -> Self {
        assert!(low < high && is_counted(low) && is_counted(high), "a range has a width");
        assert!(n != 0, "there is a bin");
        Self { low, width: (high - low) / to_f64(n), n }
    }

    /// Returns the lower and upper edges of the bins, from left to right.
    pub fn edges(&self) -> impl Iterator<Item = [f64; 2]> {
        (0..self.n).map(|idx| [self.edge(idx), self.edge(idx + 1)])
    }

    /// Returns the number of bins.
    pub(crate) fn n(&self) -> usize {
        self.n
    }

    /// Returns the position of `value` as a share of the range, 0 at its low and 1 at its high end.
    pub(crate) fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.width * to_f64(self.n))
    }

    /// Returns the index of the bin that `value` is in, or is nearest to.
    pub(crate) fn index(&self, value: f64) -> usize {
        (0..self.n).rev().find(|&idx| self.edge(idx) <= value).unwrap_or(0)
    }

    /// Returns the lower edge of a bin; the lower edge of the bin behind the last is the upper end
    /// of the range.
    pub(crate) fn edge(&self, idx: usize) -> f64 {
        self.low + self.width * to_f64(idx)
    }

    /// Returns the number of finite `values` in each bin; a value outside the range counts in the
    /// nearest bin.
    pub(crate) fn counts(&self, values: &[f64]) -> Vec<usize> {
        let mut counts = vec![0; self.n];
        for value in values.iter().filter(|value| is_counted(**value)) {
            counts[self.index(*value)] += 1;
        }
        counts
    }
}

/// Returns true for a value that can be in a bin.
pub(crate) fn is_counted(value: f64) -> bool {
    value.abs() <= MAX_VALUE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bins(values: &[f64]) -> (Vec<[f64; 2]>, Vec<usize>) {
        let bins = HistogramBins::around(values.iter().copied(), 0.5);
        (bins.edges().collect(), bins.counts(values))
    }

    #[test]
    fn bins_begin_with_a_multiple_of_their_width_and_hold_all_values() {
        let (edges, counts) = bins(&[25.25, 24.75, 25.0]);
        assert_eq!(edges, [[24.5, 25.0], [25.0, 25.5]]);
        assert_eq!(counts, [1, 2]);
    }

    #[test]
    fn bins_widen_before_there_are_too_many() {
        let (edges, counts) = bins(&[0.25, 99.75]);
        assert_eq!((edges[0], edges.len()), ([0.0, 2.0], 50));
        assert_eq!((counts[0], counts[49]), (1, 1));
    }

    #[test]
    fn values_without_a_bin_are_not_counted() {
        let (edges, counts) = bins(&[f64::NAN, f64::INFINITY, -1e200]);
        assert_eq!((edges, counts), (vec![[0.0, 0.5]], vec![0]));
    }
}
