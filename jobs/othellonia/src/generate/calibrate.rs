//! Factors that balance the archetypes, found by games.

use hatchery_core::RunSeed;

use super::assess::{GameTally, MatchUp};
use super::{
    Archetype, ArchetypeFactors, DEFAULT_COST_CAP, FactorPair, PoolSettings, generate_deck,
    generate_pieces,
};
use crate::players::{GameAgent, RuleAgent};
use crate::pool::{PiecePool, PoolError};
use crate::rules::GameDeck;

/// How long a calibration plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CalibrationSize {
    /// The number of decks per archetype: the decks from the seeds from 0 on.
    pub decks: u32,
    /// The pairs of games between any two decks.
    pub pairs: u32,
    /// The rounds; each starts with the factors of the one before.
    pub rounds: u32,
}

impl CalibrationSize {
    /// The size that found the factors of the default pool.
    pub const DEFAULT: Self = Self { decks: 32, pairs: 1, rounds: 4 };
}

/// The match-ups of archetypes.
const MATCH_UPS: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];

/// The number of factors: HP and attack for every archetype.
const N_FACTORS: usize = 6;

/// The change of a factor's logarithm for measuring slopes.
const PROBE: f64 = 0.06;

/// The largest change of a factor's logarithm in a round.
const MAX_CHANGE: f64 = 0.1;

/// The largest logarithm of a factor: the limits of factors are in every pool's reach.
const MAX_LOG: f64 = 0.5;

/// What is added to the diagonal of the equations, so that slopes that are no more than noise
/// change little.
const DAMPING: f64 = 2.0;

/// Finds the factors that make decks from the three archetypes win half their games against each
/// other, between standard agents.
///
/// Each round measures the log-odds of the three match-ups, and how they change with each of the
/// six factors, with the same shuffles throughout. Then it takes the smallest change of the factors
/// that brings all three to 0 (Gauss and Newton).
///
/// # Errors
/// If the pool has too few pieces for decks.
pub fn calibrate(
    seed: u64,
    kinds: u32,
    size: CalibrationSize,
) -> Result<ArchetypeFactors, PoolError> {
    // Logarithms of the factors.
    let mut logs = [0.0; N_FACTORS];
    for round in 0..size.rounds {
        let games = CalibrationGames { seed, kinds, size, round };
        let odds = games.log_odds(&logs)?;
        let mut slopes = [[0.0; N_FACTORS]; 3];
        for factor in 0..N_FACTORS {
            let mut probe = logs;
            probe[factor] += PROBE;
            let probed = games.log_odds(&probe)?;
            for (row, (probed, odds)) in slopes.iter_mut().zip(probed.iter().zip(odds)) {
                row[factor] = (probed - odds) / PROBE;
            }
        }
        for row in &mut slopes {
            center(row);
        }
        for (log, change) in logs.iter_mut().zip(least_change(&slopes, odds)) {
            *log = (*log + change.clamp(-MAX_CHANGE, MAX_CHANGE)).clamp(-MAX_LOG, MAX_LOG);
        }
    }
    Ok(factors_of(&logs))
}

/// The games in a round.
struct CalibrationGames {
    seed: u64,
    kinds: u32,
    size: CalibrationSize,
    round: u32,
}

impl CalibrationGames {
    /// Returns the log-odds of the match-ups, with factors of these logarithms.
    fn log_odds(&self, logs: &[f64; N_FACTORS]) -> Result<[f64; 3], PoolError> {
        let Self { seed, kinds, size, round } = *self;
        let factors = factors_of(logs);
        let pool = PiecePool::new(generate_pieces(&PoolSettings { seed, kinds, factors }))?;
        let mut decks: [Vec<GameDeck>; 3] = Default::default();
        for (decks, archetype) in decks.iter_mut().zip(Archetype::ALL) {
            for seed in 0..size.decks {
                let deck = generate_deck(&pool, archetype, seed.into(), DEFAULT_COST_CAP)?;
                decks.push(deck.build(&pool, DEFAULT_COST_CAP)?);
            }
        }
        let agents = [GameAgent::Rule(RuleAgent::STANDARD); 2];
        Ok(MATCH_UPS.map(|[first, second]| {
            let mut tally = GameTally::default();
            for (a, deck_a) in decks[first].iter().enumerate() {
                for (b, deck_b) in decks[second].iter().enumerate() {
                    let name = format!("othellonia-calibrate/{round}/{first}/{a}/{b}");
                    let match_up = MatchUp { decks: [deck_a, deck_b], agents };
                    let found = match_up.play_pairs(size.pairs, &RunSeed::new(&name, seed));
                    tally.add(&found, [0, 1]);
                }
            }
            let rate = tally.win_rate().clamp(0.02, 0.98);
            libm::log(rate / (1.0 - rate))
        }))
    }
}

/// Returns the factors of these logarithms.
fn factors_of(logs: &[f64; N_FACTORS]) -> ArchetypeFactors {
    let factor = |log: f64| {
        let factor = (libm::exp(log) * 10_000.0).round();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "logarithms are from -MAX_LOG to MAX_LOG + PROBE"
        )]
        let factor = factor as u32;
        factor
    };
    let pair =
        |at: usize| FactorPair { hp: factor(logs[2 * at]), attack: factor(logs[2 * at + 1]) };
    ArchetypeFactors { burst: pair(0), tricky: pair(1), endurance: pair(2) }
}

/// Returns the smallest change of the factors that brings `odds` to 0, if they change by `slopes`:
/// x = -S' (S S' + damping)^-1 odds.
fn least_change(slopes: &[[f64; N_FACTORS]; 3], odds: [f64; 3]) -> [f64; N_FACTORS] {
    let dot = |a: &[f64; N_FACTORS], b: &[f64; N_FACTORS]| -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    };
    let mut matrix = slopes.each_ref().map(|a| slopes.each_ref().map(|b| dot(a, b)));
    for (at, row) in matrix.iter_mut().enumerate() {
        row[at] += DAMPING;
    }
    let solved = solve(matrix, odds);
    let mut change = [0.0; N_FACTORS];
    for (row, solved) in slopes.iter().zip(solved) {
        change.iter_mut().zip(row).for_each(|(change, slope)| *change -= slope * solved);
    }
    change
}

/// Subtracts the mean HP slope from the slopes by HP, and the mean attack slope from the slopes by
/// attack. The change of the factors therefore leaves the archetypes' mean HP and attack as they
/// are. Match-ups hardly depend on these means, but the length of games does.
fn center(slopes: &mut [f64; N_FACTORS]) {
    for kind in [0, 1] {
        let mean = (slopes[kind] + slopes[kind + 2] + slopes[kind + 4]) / 3.0;
        for archetype in 0..3 {
            slopes[kind + 2 * archetype] -= mean;
        }
    }
}

/// Solves three linear equations by Cramer's rule; their matrix is positive definite.
fn solve(matrix: [[f64; 3]; 3], right: [f64; 3]) -> [f64; 3] {
    let determinant = |m: &[[f64; 3]; 3]| {
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
            - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    };
    let whole = determinant(&matrix);
    [0, 1, 2].map(|column| {
        let mut replaced = matrix;
        for (row, right) in replaced.iter_mut().zip(right) {
            row[column] = right;
        }
        determinant(&replaced) / whole
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_change_solves_the_equations() {
        let slopes = [
            [3.0, 4.0, -2.0, -5.0, 0.0, 0.0],
            [0.0, 0.0, 3.0, 4.0, -3.0, -2.0],
            [-2.0, -3.0, 0.0, 0.0, 4.0, 3.0],
        ];
        let odds = [0.3, -0.2, 0.1];
        let change = least_change(&slopes, odds);
        for (row, odds) in slopes.iter().zip(odds) {
            let left = odds + row.iter().zip(change).map(|(a, b)| a * b).sum::<f64>();
            assert!(left.abs() < 0.1, "{left} is left of {odds}");
        }
    }

    #[test]
    fn calibration_is_the_same_each_time() {
        let size = CalibrationSize { decks: 1, pairs: 2, rounds: 1 };
        let found = [(); 2].map(|()| calibrate(1, 300, size).unwrap());
        assert_eq!(found[0], found[1]);
        assert_ne!(found[0], ArchetypeFactors::ONE);
        assert!(calibrate(1, 15, size).is_err());
    }
}
