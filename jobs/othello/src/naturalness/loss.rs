//! Losses: what a move is worth less than the best one.

use hatchery_core::DecodeError;
use hatchery_stats::RegressionSums;

/// How the judge values moves, and so the unit of losses.
///
/// Losses are whole numbers of steps, and are also counted in bins: the first bin has the losses
/// below one bin width, the last one all that are higher than the others. All thresholds are
/// multiples of the bin width.
///
/// | | `Exact` | `Estimated` |
/// |---|---|---|
/// | step | 1 disc | 1/10,000 point |
/// | bins | 33, of 2 discs; the last has 64 and more | 20, of 0.05 points |
/// | loss of a corner event | 2 discs | 0.05 points |
/// | clear loss | 4 discs | 0.10 points |
/// | heavy loss | 10 discs | 0.25 points |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossZone {
    /// Values are exact, in discs.
    Exact,
    /// Values are mean scores of a search, from 0 (all lost) to 1 point (all won).
    Estimated,
}

impl LossZone {
    /// Returns the number of steps of a disc or a point.
    #[must_use]
    pub const fn steps_per_unit(self) -> u64 {
        match self {
            Self::Exact => 1,
            Self::Estimated => 10_000,
        }
    }

    /// Returns the largest loss in steps: 128 discs or 1 point.
    #[must_use]
    pub const fn largest_loss(self) -> u64 {
        match self {
            Self::Exact => 128,
            Self::Estimated => 10_000,
        }
    }

    /// Returns the width of a bin in steps.
    #[must_use]
    pub const fn bin_width(self) -> u64 {
        match self {
            Self::Exact => 2,
            Self::Estimated => 500,
        }
    }

    /// Returns the number of bins.
    #[must_use]
    pub const fn n_bins(self) -> usize {
        match self {
            Self::Exact => 33,
            Self::Estimated => 20,
        }
    }

    /// Returns the loss in steps from which a declined corner, or one given away, is an event.
    #[must_use]
    pub const fn corner_loss(self) -> u64 {
        CORNER_BINS as u64 * self.bin_width()
    }

    /// Returns the loss in steps from which a move loses clearly.
    #[must_use]
    pub const fn clear_loss(self) -> u64 {
        CLEAR_BINS as u64 * self.bin_width()
    }

    /// Returns the loss in steps from which a move loses heavily.
    #[must_use]
    pub const fn heavy_loss(self) -> u64 {
        HEAVY_BINS as u64 * self.bin_width()
    }

    /// Returns the names of the five sums and of the bins.
    const fn field_names(self) -> [&'static str; 6] {
        match self {
            Self::Exact => [
                "exact.moves",
                "exact.advantage",
                "exact.loss",
                "exact.advantage_squared",
                "exact.advantage_times_loss",
                "exact.bins",
            ],
            Self::Estimated => [
                "estimated.moves",
                "estimated.advantage",
                "estimated.loss",
                "estimated.advantage_squared",
                "estimated.advantage_times_loss",
                "estimated.bins",
            ],
        }
    }
}

/// The thresholds in bins.
pub(super) const CORNER_BINS: usize = 1;
pub(super) const CLEAR_BINS: usize = 2;
pub(super) const HEAVY_BINS: usize = 5;

/// The number of sums in each zone, besides its bins.
pub(super) const N_SUMS: usize = 5;

/// Sums over the moves in one zone, in steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LossTotals {
    zone: LossZone,
    /// Losses on advantages: the value of the best move, counted from the lowest value there is.
    sums: RegressionSums,
    bins: Vec<u64>,
}

impl LossTotals {
    pub(super) fn new(zone: LossZone) -> Self {
        Self { zone, sums: RegressionSums::default(), bins: vec![0; zone.n_bins()] }
    }

    /// Adds a move. Neither number is above the zone's largest loss.
    pub(super) fn add(&mut self, advantage: u64, loss: u64) {
        let last = self.bins.len() - 1;
        let bin = usize::try_from(loss / self.zone.bin_width()).map_or(last, |bin| bin.min(last));
        self.bins[bin] += 1;
        self.sums.n += 1;
        self.sums.x += advantage;
        self.sums.y += loss;
        self.sums.xx += advantage * advantage;
        self.sums.xy += advantage * loss;
    }

    /// Returns all numbers with their names.
    pub(super) fn fields_mut(&mut self) -> impl Iterator<Item = (&'static str, &mut u64)> {
        let [moves, advantage, loss, squared, times_loss, bins] = self.zone.field_names();
        let RegressionSums { n, x, y, xx, xy } = &mut self.sums;
        [(moves, n), (advantage, x), (loss, y), (squared, xx), (times_loss, xy)]
            .into_iter()
            .chain(self.bins.iter_mut().map(move |bin| (bins, bin)))
    }

    pub(super) fn moves(&self) -> u64 {
        self.sums.n
    }

    /// Returns the sum of losses in steps.
    pub(super) fn loss(&self) -> u64 {
        self.sums.y
    }

    /// Returns the slope of losses on advantages.
    pub(super) fn slope(&self) -> Option<f64> {
        self.sums.slope()
    }

    /// Returns the number of moves that lose at least `bins` bin widths.
    pub(super) fn n_from(&self, bins: usize) -> u64 {
        self.bins.iter().skip(bins).sum()
    }

    /// Returns the lower end, in steps, of the bin with the lowest loss that at least `percent` of
    /// the moves do not exceed. `None` without moves.
    pub(super) fn quantile(&self, percent: u64) -> Option<u64> {
        let rank = (self.moves() * percent).div_ceil(100).max(1);
        let mut below = 0;
        let ends = (0..).step_by(usize::try_from(self.zone.bin_width()).unwrap_or(1));
        ends.zip(&self.bins).find_map(|(end, &n)| {
            below += n;
            (rank <= below).then_some(end)
        })
    }

    /// Checks that some moves have these sums and bins.
    pub(super) fn check(&self) -> Result<(), DecodeError> {
        let [moves, advantage, loss, squared, times_loss, _] = self.zone.field_names();
        let largest = u128::from(self.zone.largest_loss());
        let RegressionSums { n, x, y, xx, xy } = self.sums;
        let [n, x, y, xx, xy] = [n, x, y, xx, xy].map(u128::from);
        let in_bins: u128 = self.bins.iter().copied().map(u128::from).sum();
        if n != in_bins {
            return Err(DecodeError::field(moves, &n, "the sum of the bins"));
        }
        if n * largest < x {
            return Err(DecodeError::field(advantage, &x, format!("at most {largest} per move")));
        }
        let (lowest, highest) = self.loss_range();
        if y < lowest || highest < y || x < y {
            return Err(DecodeError::field(loss, &y, "as the bins say, and at most `advantage`"));
        }
        // Cauchy-Schwarz, and x at most `largest`.
        if n * xx < x * x || x * largest < xx {
            return Err(DecodeError::field(squared, &xx, "the sum of squares of advantages"));
        }
        // No loss is higher than its advantage.
        if xx < xy || y * largest < xy || n * xy < y * y {
            return Err(DecodeError::field(times_loss, &xy, "the sum of advantage times loss"));
        }
        Ok(())
    }

    /// Returns the lowest and the highest sum of losses with these bins.
    fn loss_range(&self) -> (u128, u128) {
        let (width, last) = (u128::from(self.zone.bin_width()), self.bins.len() - 1);
        let (mut lowest, mut highest, mut start) = (0, 0, 0);
        for (bin, &n) in self.bins.iter().enumerate() {
            let largest = u128::from(self.zone.largest_loss());
            let end = if bin == last { largest } else { start + width - 1 };
            lowest += start * u128::from(n);
            highest += end * u128::from(n);
            start += width;
        }
        (lowest, highest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(zone: LossZone, moves: &[(u64, u64)]) -> LossTotals {
        let mut totals = LossTotals::new(zone);
        moves.iter().for_each(|&(advantage, loss)| totals.add(advantage, loss));
        totals
    }

    #[test]
    fn thresholds_are_those_of_the_table() {
        let of = |zone: LossZone| [zone.corner_loss(), zone.clear_loss(), zone.heavy_loss()];
        assert_eq!(of(LossZone::Exact), [2, 4, 10]);
        assert_eq!(of(LossZone::Estimated), [500, 1_000, 2_500]);
        let covered = |zone: LossZone| zone.n_bins() as u64 * zone.bin_width();
        assert_eq!([LossZone::Exact, LossZone::Estimated].map(covered), [66, 10_000]);
    }

    #[test]
    fn quantiles_are_ends_of_bins() {
        let check = |zone, losses: &[u64], median, p95| {
            let moves: Vec<_> = losses.iter().map(|&loss| (loss, loss)).collect();
            let totals = totals(zone, &moves);
            assert_eq!([50, 95].map(|percent| totals.quantile(percent)), [median, p95]);
            totals.check().unwrap();
        };
        check(LossZone::Exact, &[], None, None);
        check(LossZone::Exact, &[8], Some(8), Some(8));
        check(LossZone::Exact, &[0, 2, 4, 6], Some(2), Some(6));
        check(LossZone::Exact, &[128, 64, 70], Some(64), Some(64));
        check(LossZone::Estimated, &[499, 500, 9_999, 10_000, 600], Some(500), Some(9_500));
        let mut many = vec![0; 95];
        many.extend([12; 5]);
        check(LossZone::Exact, &many, Some(0), Some(0));
        many.push(12);
        check(LossZone::Exact, &many, Some(0), Some(12));
    }

    #[test]
    fn thresholds_are_within_their_bins() {
        let exact = totals(LossZone::Exact, &[(64, 3), (64, 4), (70, 9), (128, 10), (2, 1)]);
        let n = [CORNER_BINS, CLEAR_BINS, HEAVY_BINS].map(|bins| exact.n_from(bins));
        assert_eq!(n, [4, 3, 1]);
    }

    #[test]
    fn impossible_sums_are_refused() {
        let right = totals(LossZone::Estimated, &[(5_000, 300), (9_000, 2_600), (200, 200)]);
        right.check().unwrap();
        let check = |field: &str, change: fn(&mut LossTotals)| {
            let mut wrong = right.clone();
            change(&mut wrong);
            let error = wrong.check().unwrap_err().to_string();
            assert!(error.starts_with(&format!("estimated.{field} is ")), "{error}");
        };
        check("moves", |it| it.sums.n = 4);
        check("moves", |it| it.bins[3] = 1);
        check("advantage", |it| it.sums.x = 30_001);
        check("loss", |it| it.sums.y = 2_499);
        check("loss", |it| it.sums.y = 3_998);
        check("advantage_squared", |it| it.sums.xx = 67_213_333);
        check("advantage_squared", |it| it.sums.xx = 142_000_001);
        check("advantage_times_loss", |it| it.sums.xy = 3_203_333);
        check("advantage_times_loss", |it| it.sums.xy = 31_000_001);
    }
}
