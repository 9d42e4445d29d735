//! The equilibrium of the choice of decks.

use hatchery_core::RunSeed;
use hatchery_stats::{ZeroSumGame, normal};

use super::spec::CheckedMatrix;
use super::state::MatrixState;

/// The samples of match-up scores whose equilibria show how sure the shares are.
pub(super) const RESAMPLES: usize = 200;

/// The share of a deck from which on it counts as played.
const PLAYED: f64 = 1e-6;

/// The share of a deck in the mixture of decks against which no deck wins more than half of its
/// points.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeckShare {
    /// The share by the scores that were measured.
    pub(super) share: f64,
    /// The ends of the interval of the shares that samples of the scores lead to.
    pub(super) low: f64,
    pub(super) high: f64,
    /// The share of these samples with an equilibrium that plays the deck at all.
    pub(super) is_played: f64,
}

/// Returns every deck's share; `None` before all match-ups were played, or if no equilibrium is
/// found.
///
/// The intervals come from a parametric bootstrap: each match-up's score is drawn from the normal
/// distribution with its mean and standard error, independently of the other scores.
pub(super) fn deck_shares(checked: &CheckedMatrix, state: &MatrixState) -> Option<Vec<DeckShare>> {
    let n = checked.decks.len();
    let mut scores = Vec::new();
    for (&[a, b], matchup) in checked.matchups.iter().zip(&state.matchups) {
        if a != b {
            let score = matchup.score(checked)?;
            scores.push(([a, b], score.interval.mean, score.error.value));
        }
    }
    let shares = equilibrium(n, scores.iter().map(|&(decks, mean, _)| (decks, mean)))?;
    let mut rng = RunSeed::new("othellonia equilibrium", 0).generation(0).stream("resamples");
    let mut samples: Vec<Vec<f64>> = Vec::new();
    for _ in 0..RESAMPLES {
        let drawn: Vec<_> = scores
            .iter()
            .map(|&(decks, mean, error)| {
                // Never 0 or 1, where the quantile is infinite.
                let p = (rng.unit_f64() + HALF_STEP).min(1.0 - HALF_STEP);
                (decks, (mean + error * normal::quantile(p)).clamp(0.0, 1.0))
            })
            .collect();
        samples.extend(equilibrium(n, drawn.into_iter()));
    }
    let deck = |(deck, share): (usize, f64)| {
        let mut drawn: Vec<f64> = samples.iter().map(|sample| sample[deck]).collect();
        drawn.sort_by(f64::total_cmp);
        let n_played = drawn.iter().filter(|&&share| PLAYED < share).count();
        DeckShare {
            share,
            low: ordered(&drawn, checked.error_rate.get() / 2.0).unwrap_or(share).min(share),
            high: ordered(&drawn, 1.0 - checked.error_rate.get() / 2.0).unwrap_or(share).max(share),
            is_played: part(n_played, drawn.len()),
        }
    };
    Some(shares.into_iter().enumerate().map(deck).collect())
}

/// Half of the smallest step between two random numbers.
const HALF_STEP: f64 = 1.0 / (1_u64 << 54) as f64;

/// Returns the value below which a part of the sorted values lie.
fn ordered(sorted: &[f64], part: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an index among a few hundred"
    )]
    let at = (part * last as f64 + 0.5) as usize;
    sorted.get(at.min(last)).copied()
}

#[expect(clippy::cast_precision_loss, reason = "for display")]
fn part(count: usize, of: usize) -> f64 {
    count as f64 / of.max(1) as f64
}

/// Returns the shares that `n` decks have in the equilibrium; `scores` has the first deck's score
/// for every match-up.
fn equilibrium(n: usize, scores: impl Iterator<Item = ([usize; 2], f64)>) -> Option<Vec<f64>> {
    let mut payoffs = vec![vec![0.0; n]; n];
    for ([a, b], score) in scores {
        payoffs[a][b] = 2.0 * score - 1.0;
        payoffs[b][a] = 1.0 - 2.0 * score;
    }
    Some(ZeroSumGame::new(&payoffs).ok()?.solve().ok()?.weights)
}
