//! The worth of pieces: a regression of the scores of decks on the pieces that they have.

use std::collections::BTreeMap;

use hatchery_core::IntervalEstimate;
use hatchery_stats::error::ErrorRate;
use hatchery_stats::{LinearCoefficient, LinearModel, MeanDifference, benjamini_hochberg};

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
    },
    /// The decks do not allow a regression: the reason.
    NotEstimated(String),
}

/// The pieces that a piece is compared with.
#[derive(Clone, Copy, Debug)]
pub(super) enum ComparedPieces {
    /// So many others of the same cost.
    OfCost {
        /// Their number.
        n: usize,
        /// Their cost.
        cost: u32,
    },
    /// So many of any cost, as no other piece has the same cost.
    OfAnyCost(usize),
}

/// The worth of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct PieceWorth {
    /// The number of the piece in the pool.
    pub(super) piece: u32,
    /// The decks that have it.
    pub(super) n_decks: usize,
    /// The pieces that it is compared with.
    pub(super) compared: ComparedPieces,
    /// The change of a deck's mean score against all other decks when the piece takes the place of
    /// an average other one of its cost; of any cost, if no other piece has its cost.
    pub(super) worth: f64,
    /// The standard error.
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

/// Estimates the worth of all pieces that some decks have and others do not.
///
/// The model: the mean score of a deck against all others is a constant, and a number for each of
/// its pieces. All decks have the same number of pieces, so that only differences between pieces
/// can be told: the worth of a piece is that in place of an average other one of its cost. A piece
/// that costs more is meant to be stronger, which is no fault of balance. What two pieces are worth
/// only together counts for each of them by the part of its decks that have the other one as well;
/// the rest is part of the residuals, from which the standard errors come, and makes the test more
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
    if n_pieces < 2 {
        let reason = "all decks have the same pieces".to_owned();
        return PieceWorths::NotEstimated(reason);
    }
    if n_decks < n_pieces + MIN_DEGREES {
        return PieceWorths::NotEstimated(format!(
            "{n_decks} decks with {n_pieces} different pieces, where a regression needs \
             {MIN_DEGREES} decks more than pieces: decks that share pieces, such as those that \
             are drawn at random"
        ));
    }
    match estimate(checked, &decks_with, &scores) {
        Some(worths) => PieceWorths::Estimated { worths, in_all_decks },
        None => PieceWorths::NotEstimated(
            "some pieces are always in the same decks, so that their worths cannot be told apart"
                .to_owned(),
        ),
    }
}

fn estimate(
    checked: &CheckedMatrix,
    decks_with: &BTreeMap<u32, Vec<usize>>,
    scores: &[f64],
) -> Option<Vec<PieceWorth>> {
    let pieces: Vec<SharedPiece<'_>> = decks_with
        .iter()
        .map(|(&piece, decks)| SharedPiece { piece, decks, cost: cost_of(checked, piece) })
        .collect();
    let fitted = (0..pieces.len()).map(|at| worth_of(at, &pieces, scores));
    let fitted: Vec<LinearCoefficient> = fitted.collect::<Option<_>>()?;
    let p_values: Vec<f64> =
        fitted.iter().map(|worth| worth.p_value_above(checked.dominance_margin)).collect();
    let adjusted = benjamini_hochberg(&p_values).ok()?;
    let is_dominant = |adjusted_p: f64| adjusted_p <= checked.error_rate.get();
    let n_dominant = adjusted.iter().filter(|&&p| is_dominant(p)).count();
    let both_ends = interval_error_rate(checked.error_rate, n_dominant, pieces.len());
    let mut worths = Vec::new();
    for ((shared, fitted), adjusted_p) in pieces.iter().zip(fitted).zip(adjusted) {
        let (piece, n_decks) = (shared.piece, shared.decks.len());
        let n = pieces.iter().filter(|other| other.cost == shared.cost).count() - 1;
        let compared = match n {
            0 => ComparedPieces::OfAnyCost(pieces.len() - 1),
            n => ComparedPieces::OfCost { n, cost: shared.cost },
        };
        let worth = MeanDifference { mean: fitted.value, error: fitted.error };
        worths.push(PieceWorth {
            piece,
            n_decks,
            compared,
            worth: fitted.value,
            error: fitted.error.value,
            interval: worth.interval(both_ends, scores.len() as u64),
            adjusted_p,
            is_dominant: is_dominant(adjusted_p),
        });
    }
    worths.sort_by(|a, b| b.worth.total_cmp(&a.worth));
    Some(worths)
}

/// Returns the error rate of intervals of so many worths, so many of which are named.
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

/// Returns the worth of the piece with the index `at`; `None` if it cannot be told apart.
///
/// With the number of the piece written as its worth w plus the mean of those of the k pieces that
/// it is compared with, w is the coefficient of a model in which the column of each of these has a
/// k-th of the piece's column on top of its own. The numbers are known but for a constant, so one
/// of the columns is left out.
fn worth_of(at: usize, pieces: &[SharedPiece<'_>], scores: &[f64]) -> Option<LinearCoefficient> {
    let others = || (0..pieces.len()).filter(|&other| other != at);
    let has_equal = others().any(|other| pieces[other].cost == pieces[at].cost);
    let is_compared = |other: usize| !has_equal || pieces[other].cost == pieces[at].cost;
    #[expect(clippy::cast_precision_loss, reason = "few pieces")]
    let n_compared = others().filter(|&other| is_compared(other)).count() as f64;
    let has = |deck: usize, piece: usize| f64::from(u8::from(pieces[piece].decks.contains(&deck)));
    let column = |other: usize| {
        let of_piece = if is_compared(other) { 1.0 / n_compared } else { 0.0 };
        (0..scores.len()).map(|deck| has(deck, other) + of_piece * has(deck, at)).collect()
    };
    let mut columns: Vec<Vec<f64>> = vec![(0..scores.len()).map(|deck| has(deck, at)).collect()];
    columns.extend(others().skip(1).map(column));
    LinearModel::fit(scores, &columns).ok()?.slopes.first().copied()
}

/// Returns the mean score of each deck against all other decks.
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
