//! The worth of pieces: a regression of the scores of decks on the pieces that they have.

use std::collections::{BTreeMap, BTreeSet};

use hatchery_core::IntervalEstimate;
use hatchery_stats::error::ErrorRate;
use hatchery_stats::{
    LinearCoefficient, LinearModel, MeanDifference, StandardError, benjamini_hochberg,
};

use super::cost_line::{CostLine, PieceScatter};
use super::power::{TestPower, TestSize};
use super::spec::CheckedMatrix;
use super::state::MatrixState;
use crate::rules::PieceId;

/// The worths of pieces, or the reason for there being none.
#[derive(Clone, Debug)]
pub(super) enum PieceWorths {
    /// The worths of the pieces that some decks have.
    Estimated {
        /// The worths, the largest first.
        worths: Vec<PieceWorth>,
        /// The pieces that all decks have, which tell no decks apart.
        in_all_decks: Vec<u32>,
        /// The piece whose cost no other one has, while the others have one cost.
        alone_in_cost: Option<u32>,
        /// The power of the test with this number of decks.
        power: TestPower,
    },
    /// The decks do not allow a regression: the reason.
    NotEstimated(String),
}

/// The worth of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct PieceWorth {
    /// The number of the piece in the pool.
    pub(super) piece: u32,
    /// The decks that have it.
    pub(super) n_decks: usize,
    /// Its cost.
    pub(super) cost: u32,
    /// The others of the same cost.
    pub(super) n_of_cost: usize,
    /// The change of a deck's mean score against all other decks when the piece takes the place of
    /// a usual one of its cost: one on the line of worth by cost through the other pieces.
    pub(super) worth: f64,
    /// The standard error, that of the line included.
    pub(super) error: f64,
    /// The worth with an interval that is above the margin of dominance if and only if the piece is
    /// dominant: each end is missed with the share of the error rate that the named pieces have
    /// (Benjamini & Yekutieli, JASA 100, 2005).
    pub(super) interval: IntervalEstimate,
    /// The probability of at least such a worth where the true one is the margin, adjusted for the
    /// number of pieces (Benjamini & Hochberg).
    pub(super) adjusted_p: f64,
    /// True if the piece is dominant at the error rate.
    pub(super) is_dominant: bool,
}

/// The fewest decks that must remain for each estimate of the spread: below, intervals are so wide
/// that nothing is found.
const MIN_DEGREES: usize = 5;

/// The fewest pieces for a line of worth by cost whose scatter can be estimated.
const MIN_PIECES: usize = 5;

/// Estimates the worth of every piece that some decks have and other decks do not have.
///
/// The model: the mean score of a deck against all others is a constant, and a number for each of
/// its pieces. All decks have the same number of pieces, so that only differences between pieces
/// can be told: the worth of a piece is that in place of a usual one of its cost, on the line of
/// worth by cost through the other pieces. A piece that costs more is meant to be stronger, which
/// is no fault of balance. Fair pieces are scattered about the line, so the line itself is
/// uncertain, most at costs that few other pieces have. If two pieces are worth something only
/// together, each piece counts this worth by the part of its decks that also have the other piece.
/// The rest is part of the residuals, which give the standard errors, and makes the test more
/// careful.
pub(super) fn piece_worths(checked: &CheckedMatrix, state: &MatrixState) -> PieceWorths {
    let Some(scores) = mean_scores(checked, state) else {
        return PieceWorths::NotEstimated("not all match-ups have been played".to_owned());
    };
    let n_decks = checked.decks.len();
    let mut decks_with: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, deck) in checked.decks.iter().enumerate() {
        for &piece in &deck.definition.pieces {
            decks_with.entry(piece).or_default().push(number);
        }
    }
    let in_all = decks_with.iter().filter(|(_, decks)| decks.len() == n_decks);
    let in_all_decks = in_all.map(|(&piece, _)| piece).collect();
    decks_with.retain(|_, decks| decks.len() < n_decks);
    let n_pieces = decks_with.len();
    if n_pieces == 0 {
        return PieceWorths::NotEstimated("all decks have the same pieces".to_owned());
    }
    if n_pieces < MIN_PIECES {
        return PieceWorths::NotEstimated(format!(
            "{n_pieces} pieces are in some decks and not in others, where a comparison by cost \
             needs {MIN_PIECES}"
        ));
    }
    if n_decks < n_pieces + MIN_DEGREES {
        return PieceWorths::NotEstimated(format!(
            "{n_decks} decks with {n_pieces} different pieces, where a regression needs \
             {MIN_DEGREES} decks more than pieces: decks that share pieces, such as those that \
             are drawn at random"
        ));
    }
    estimate(checked, &decks_with, &scores, in_all_decks).unwrap_or_else(|| {
        PieceWorths::NotEstimated(
            "some pieces are always in the same decks, so that their worths cannot be told apart"
                .to_owned(),
        )
    })
}

fn estimate(
    checked: &CheckedMatrix,
    decks_with: &BTreeMap<u32, Vec<usize>>,
    scores: &[f64],
    in_all_decks: Vec<u32>,
) -> Option<PieceWorths> {
    let pieces: Vec<SharedPiece<'_>> = decks_with
        .iter()
        .map(|(&piece, decks)| SharedPiece { piece, decks, cost: cost_of(checked, piece) })
        .collect();
    let costs: Vec<f64> = pieces.iter().map(|it| it.cost.into()).collect();
    let mut compared = Vec::new();
    let mut alone_in_cost = None;
    for (at, shared) in pieces.iter().enumerate() {
        match CostLine::through_others(&costs, at) {
            Some(line) => {
                let fitted = worth_of(at, &pieces, &line.weights, scores)?;
                compared.push(ComparedPiece { shared, line, fitted });
            }
            None => alone_in_cost = Some(shared.piece),
        }
    }
    let n_costs = pieces.iter().map(|it| it.cost).collect::<BTreeSet<_>>().len();
    let distances = compared.iter().map(|it| (&it.line, it.fitted.value, it.sampling_variance()));
    let scatter = PieceScatter::new(n_costs, distances);
    let differences: Vec<_> = compared.iter().map(|it| it.difference(&scatter)).collect();
    let p_value = |it: &MeanDifference| {
        LinearCoefficient { value: it.mean, error: it.error }
            .p_value_above(checked.spec.dominance_margin)
    };
    let adjusted = benjamini_hochberg(&differences.iter().map(p_value).collect::<Vec<_>>()).ok()?;
    let is_dominant = |adjusted_p: f64| adjusted_p <= checked.error_rate.get();
    let n_dominant = adjusted.iter().filter(|&&p| is_dominant(p)).count();
    let both_ends = interval_error_rate(checked.error_rate, n_dominant, compared.len());
    let mut worths = Vec::new();
    for ((it, worth), adjusted_p) in compared.iter().zip(&differences).zip(adjusted) {
        let SharedPiece { piece, decks, cost } = *it.shared;
        worths.push(PieceWorth {
            piece,
            n_decks: decks.len(),
            cost,
            n_of_cost: pieces.iter().filter(|other| other.cost == cost).count() - 1,
            worth: worth.mean,
            error: worth.error.value,
            interval: worth.interval(both_ends, scores.len() as u64),
            adjusted_p,
            is_dominant: is_dominant(adjusted_p),
        });
    }
    worths.sort_by(|a, b| b.worth.total_cmp(&a.worth));
    let usual = |error: &dyn Fn(&ComparedPiece<'_>) -> f64| {
        let mut errors: Vec<f64> = compared.iter().map(error).collect();
        errors.sort_by(f64::total_cmp);
        errors[errors.len() / 2]
    };
    let size = TestSize {
        n_decks: scores.len(),
        n_pieces: pieces.len(),
        error_rate: checked.error_rate,
        sampled: usual(&|it| it.fitted.error.value),
        line: usual(&|it| it.line_error(&scatter).value),
    };
    Some(PieceWorths::Estimated { worths, in_all_decks, alone_in_cost, power: size.power() })
}

/// A piece with the line that it is compared with, and its distance from it.
struct ComparedPiece<'a> {
    shared: &'a SharedPiece<'a>,
    line: CostLine,
    fitted: LinearCoefficient,
}

impl ComparedPiece<'_> {
    fn sampling_variance(&self) -> f64 {
        self.fitted.error.value * self.fitted.error.value
    }

    /// Returns the standard error of the line at the cost of the piece.
    fn line_error(&self, scatter: &PieceScatter) -> StandardError {
        let (distance, sampling) = (self.fitted.value, self.sampling_variance());
        let (variance, degrees) = scatter.without(&self.line, distance, sampling);
        StandardError { value: libm::sqrt(variance * self.line.variance()), degrees }
    }

    fn difference(&self, scatter: &PieceScatter) -> MeanDifference {
        MeanDifference::new(self.fitted.value, [self.fitted.error, self.line_error(scatter)])
    }
}

/// Returns the error rate for each interval if `n_named` of `n` worths are reported.
fn interval_error_rate(error_rate: ErrorRate, n_named: usize, n: usize) -> ErrorRate {
    #[expect(clippy::cast_precision_loss, reason = "few pieces")]
    let share = n_named.max(1) as f64 / n.max(1) as f64;
    // Both ends are missed as often.
    ErrorRate::new((2.0 * share * error_rate.get()).min(0.5)).unwrap_or(error_rate)
}

/// A piece that some decks have and others do not.
struct SharedPiece<'a> {
    piece: u32,
    decks: &'a [usize],
    cost: u32,
}

fn cost_of(checked: &CheckedMatrix, piece: u32) -> u32 {
    let id = u16::try_from(piece).map(PieceId);
    id.ok().and_then(|id| checked.pool.definition(id)).map_or(0, |definition| definition.cost)
}

/// Returns the worth of the piece with the index `at` beyond the worths of the others by `weights`,
/// 1 together; `None` if it cannot be told apart.
///
/// Write the number of the piece as its worth w plus these weighted worths. Then w is a coefficient
/// in another model: there, every other piece's column also has the piece's column added, times the
/// other piece's weight. The numbers are known but for a constant, so the model leaves a column
/// out.
fn worth_of(
    at: usize,
    pieces: &[SharedPiece<'_>],
    weights: &[f64],
    scores: &[f64],
) -> Option<LinearCoefficient> {
    let has = |deck: usize, piece: usize| f64::from(u8::from(pieces[piece].decks.contains(&deck)));
    let column = |other: usize| {
        (0..scores.len()).map(|deck| has(deck, other) + weights[other] * has(deck, at)).collect()
    };
    let mut columns: Vec<Vec<f64>> = vec![(0..scores.len()).map(|deck| has(deck, at)).collect()];
    columns.extend((0..pieces.len()).filter(|&other| other != at).skip(1).map(column));
    LinearModel::fit(scores, &columns).ok()?.slopes.first().copied()
}

/// Returns every deck's mean score against all other decks.
pub(super) fn mean_scores(checked: &CheckedMatrix, state: &MatrixState) -> Option<Vec<f64>> {
    let n = checked.decks.len();
    let mut sums = vec![0.0; n];
    for (&[a, b], matchup) in checked.matchups.iter().zip(&state.matchups) {
        if a != b {
            let score = matchup.score(checked)?.interval.mean;
            sums[a] += score;
            sums[b] += 1.0 - score;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "few decks")]
    let others = (n - 1) as f64;
    Some(sums.into_iter().map(|sum| sum / others).collect())
}
