//! The results as scores with intervals.

use hatchery_core::IntervalEstimate;
use hatchery_stats::{ErrorRate, MatchCounts, MatchStrength, ScoreMean, match_strength};

use super::arms::{ArmKind, Opponent};
use super::cells::{AdjustCell, cells};
use super::check::CheckedAdjust;
use super::spec::AdjustSpec;
use super::state::{AdjustState, CellResults};
use super::verdicts::ArmVerdict;
use crate::trial::setup::OpponentChange;

/// A state with its spec.
pub(super) struct AdjustSummary<'a> {
    pub(super) spec: &'a AdjustSpec,
    pub(super) checked: &'a CheckedAdjust,
    pub(super) cells: Vec<SummedCell<'a>>,
}

/// A cell with its results.
pub(super) struct SummedCell<'a> {
    pub(super) cell: AdjustCell,
    pub(super) results: &'a CellResults,
    /// The score of the games that count; `None` without games.
    pub(super) score: Option<ScoreMean>,
    /// The score of the first halves of sequences; `None` without them.
    pub(super) first_half: Option<f64>,
}

impl<'a> AdjustSummary<'a> {
    pub(super) fn new(checked: &'a CheckedAdjust, state: &'a AdjustState) -> Self {
        let cells = cells(checked).into_iter().zip(&state.cells);
        let error_rate = checked.spec.error_rate;
        let cells = cells.map(|(cell, results)| SummedCell::new(cell, results, error_rate));
        Self { spec: &checked.spec, cells: cells.collect(), checked }
    }

    pub(super) fn opponent(&self, cell: &SummedCell<'_>) -> &Opponent {
        &self.checked.opponents[cell.cell.opponent]
    }

    /// Returns the arms that were played, in order, without the judge.
    pub(super) fn kinds(&self) -> Vec<ArmKind> {
        self.checked.arms.iter().map(|arm| arm.kind).collect()
    }

    /// Returns the cells of an arm against BOTs that do not change.
    pub(super) fn bots(&self, kind: ArmKind) -> impl Iterator<Item = &SummedCell<'a>> {
        let of_kind = self.cells.iter().filter(move |it| it.cell.kind == kind);
        of_kind.filter(|it| self.opponent(it).is_steady_bot())
    }

    /// Returns the cells of arms against BOTs that change, with the change.
    pub(super) fn changes(&self) -> impl Iterator<Item = (&SummedCell<'a>, OpponentChange)> {
        self.cells.iter().filter_map(|it| Some((it, it.cell.setup.change?)))
    }

    /// Returns the cells of arms against simulated people.
    pub(super) fn people(&self) -> impl Iterator<Item = &SummedCell<'a>> {
        self.cells.iter().filter(|it| self.opponent(it).person.is_some())
    }

    /// Returns the confidence of intervals, in percent.
    pub(super) fn percent(&self) -> f64 {
        100.0 * (1.0 - self.spec.error_rate.get())
    }

    /// Returns the Elo difference between each BOT and the fixed control, where there are games.
    pub(super) fn ladder(&self) -> Vec<(&Opponent, IntervalEstimate)> {
        let rung = |cell: &SummedCell<'a>| {
            let counts = MatchCounts::of_pairs(cell.results.counted.by_points()).ok()?;
            let elo = match_strength(&counts.reversed(), self.spec.error_rate).elo;
            Some((&self.checked.opponents[cell.cell.opponent], elo))
        };
        self.bots(ArmKind::Fixed).filter_map(rung).collect()
    }

    /// Returns the strength of the judge against the BOT that it met, and that BOT.
    pub(super) fn judge(&self) -> Option<(&Opponent, MatchStrength)> {
        let cell = self.bots(ArmKind::Judge).next()?;
        let counts = MatchCounts::of_pairs(cell.results.counted.by_points()).ok()?;
        Some((self.opponent(cell), match_strength(&counts, self.spec.error_rate)))
    }

    /// Returns the comparison of an arm with the fixed control.
    pub(super) fn verdict(&self, kind: ArmKind) -> ArmVerdict {
        let bots = self.bots(kind).zip(self.bots(ArmKind::Fixed));
        let compared: Vec<_> =
            bots.map(|(arm, control)| Some([arm.score?, control.score?])).collect();
        ArmVerdict::new(&compared, self.spec.error_rate)
    }
}

impl<'a> SummedCell<'a> {
    fn new(cell: AdjustCell, results: &'a CellResults, error_rate: ErrorRate) -> Self {
        let counts = MatchCounts::of_pairs(results.counted.by_points()).ok();
        let score = counts.and_then(|counts| match cell.setup.pairs {
            1 => Some(ScoreMean::of_match(&counts, error_rate)),
            // Games of a sequence depend on each other: sequences are the samples, and so the n.
            _ => ScoreMean::of_scores(&trial_scores(&cell, results), error_rate),
        });
        let first = MatchCounts::of_pairs(results.first.by_points()).ok();
        let first_half = first.map(|it| ScoreMean::of_match(&it, error_rate).interval.mean);
        Self { cell, results, score, first_half }
    }

    /// Returns the score of the games that count in each trial: points per game.
    pub(super) fn trial_scores(&self) -> Vec<f64> {
        trial_scores(&self.cell, self.results)
    }
}

fn trial_scores(cell: &AdjustCell, results: &CellResults) -> Vec<f64> {
    let pairs = cell.setup.pairs;
    let first = cell.setup.change.map_or(pairs / 2, |change| change.after);
    let points = 4.0 * f64::from(pairs - first);
    let sums = match cell.setup.change {
        Some(_) => results.points_around_change().iter().map(|it| it[1]).collect(),
        None => results.trials.clone(),
    };
    sums.into_iter().map(|sum| f64::from(sum) / points).collect()
}
