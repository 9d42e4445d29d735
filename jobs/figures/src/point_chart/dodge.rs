//! Moves points aside whose error bars would cover each other.

use super::drawn_series::DrawnSeries;
use crate::markup::to_f64;

/// The distance of two series at the same place, where there is room.
const STEP: f64 = 13.0;
/// The most that all series take of the distance of two places.
const SHARE: f64 = 0.7;
/// The most that all series take at a place: they stay within the margins of the axis.
const MAX_WIDTH: f64 = 60.0;
/// Points that are closer than this are at the same place.
const MIN_GAP: f64 = 1.0;

/// Moves the series with error bars sideways if two such series have points at the same place: each
/// by the same distance everywhere, in their order from left to right.
pub(super) fn move_aside(series: &mut [DrawnSeries]) {
    let barred = || series.iter().filter(|series| series.has_bars());
    let n = barred().count();
    let mut owners: Vec<(f64, usize)> = barred()
        .enumerate()
        .flat_map(|(owner, series)| series.points.iter().map(move |point| (point.at[0], owner)))
        .collect();
    owners.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let gap = |pair: &[(f64, usize)]| pair[1].0 - pair[0].0;
    let is_shared = owners.windows(2).any(|pair| gap(pair) < MIN_GAP && pair[0].1 != pair[1].1);
    if !is_shared {
        return;
    }
    let gaps = owners.windows(2).map(gap).filter(|gap| MIN_GAP <= *gap);
    let room = gaps.map(|gap| SHARE * gap).fold(MAX_WIDTH, f64::min);
    let step = STEP.min(room / to_f64(n));
    let middle = to_f64(n - 1) / 2.0;
    for (idx, series) in series.iter_mut().filter(|series| series.has_bars()).enumerate() {
        let aside = step * (to_f64(idx) - middle);
        series.points.iter_mut().for_each(|point| point.at[0] += aside);
    }
}
