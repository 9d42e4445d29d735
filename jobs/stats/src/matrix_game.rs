//! Equilibria of symmetric zero-sum games that are given by a table of payoffs, such as the win
//! rates of decks against each other.
//!
//! Both players choose one of n strategies; i against j pays A_ij to the first, and A_ji = -A_ij.
//! A mixed strategy x chooses each with a probability. It is an equilibrium if no strategy gains
//! anything against it: (A x)_i <= 0 for all i. There always is one, and the value of the game is 0
//! (von Neumann, "Zur Theorie der Gesellschaftsspiele", Mathematische Annalen 100, 1928).
//!
//! Of several equilibria, the most even one is returned: that with the least sum of squared
//! probabilities. There is exactly one, because the equilibria are a convex set, and it does not
//! depend on the order of strategies: strategies with equal payoffs get equal probabilities. It is
//! the point of the polyhedron
//!
//! ```text
//! x_i >= 0,  -(A x)_i >= 0,  sum of x_i = 1
//! ```
//!
//! next to the uniform mixture, and is found by the dual active-set method, which is exact up to
//! rounding (Goldfarb & Idnani, "A numerically stable dual method for solving strictly convex
//! quadratic programs", Mathematical Programming 27, 1983, §3): from the uniform mixture on, it
//! meets one violated constraint after the other, and lets go of constraints that hold it back.

use crate::count::to_f64;
use crate::error::StatsError;
use crate::orthogonal_basis::{OrthogonalBasis, add_multiple, dot};

/// The most strategies: a game of this size takes a third of a second.
const MAX_STRATEGIES: usize = 500;
/// Payoffs of two strategies against each other add up to 0 but for this.
const MAX_ASYMMETRY: f64 = 1e-9;
/// No strategy gains more than this part of the largest payoff against a solution.
const MAX_GAP: f64 = 1e-9;
/// A constraint is met up to this distance; rounding moves a mixture by less.
const MAX_VIOLATION: f64 = 1e-12;
/// Smaller probabilities are rounding errors.
const MIN_WEIGHT: f64 = 1e-11;
/// A constraint with a normal vector this close to the span of the constraints in force depends on
/// them.
const MIN_INDEPENDENCE: f64 = 1e-11;
/// The most steps for each strategy; a step meets a constraint or lets go of a constraint; random
/// games need fewer than two.
const STEPS_PER_STRATEGY: usize = 50;

/// A symmetric zero-sum game.
#[derive(Clone, Debug, PartialEq)]
pub struct ZeroSumGame {
    /// The payoffs by strategy, in parts of the largest.
    payoffs: Vec<Vec<f64>>,
    /// The largest payoff; 0 if there is none.
    largest: f64,
}

/// An equilibrium.
#[derive(Clone, Debug, PartialEq)]
pub struct MixedStrategy {
    /// The probabilities of the strategies; they add up to 1.
    pub weights: Vec<f64>,
    /// The most that a strategy gains against the mixture on average: 0 but for rounding, and at
    /// most 1e-9 of the largest payoff.
    pub gap: f64,
}

impl ZeroSumGame {
    /// Creates the game whose strategy i against j has the payoff `payoffs[i][j]`. For win rates W,
    /// take 2 W - 1.
    ///
    /// # Errors
    /// If there are no or more than 500 strategies, a row's number of payoffs differs from the
    /// number of rows, a payoff is not finite, or two payoffs against each other do not add up to 0
    /// within 1e-9.
    pub fn new(payoffs: &[Vec<f64>]) -> Result<Self, StatsError> {
        let n = payoffs.len();
        if !(1..=MAX_STRATEGIES).contains(&n) {
            return Err(StatsError::StrategyCount { n, most: MAX_STRATEGIES });
        }
        for (row, columns) in payoffs.iter().map(Vec::len).enumerate() {
            if columns != n {
                return Err(StatsError::NotSquare { row, columns, rows: n });
            }
        }
        if let Some(&value) = payoffs.iter().flatten().find(|value| !value.is_finite()) {
            let range = "a finite number";
            return Err(StatsError::OutOfRange { name: "a payoff", value, range });
        }
        for (row, column) in (0..n).flat_map(|row| (0..=row).map(move |column| (row, column))) {
            if MAX_ASYMMETRY < (payoffs[row][column] + payoffs[column][row]).abs() {
                return Err(StatsError::NotAntisymmetric { row, column });
            }
        }
        let mean =
            |row: usize, column: usize| payoffs[row][column] / 2.0 - payoffs[column][row] / 2.0;
        let mut game = Self {
            payoffs: (0..n).map(|row| (0..n).map(|column| mean(row, column)).collect()).collect(),
            largest: 0.0,
        };
        game.largest = game.payoffs.iter().flatten().fold(0.0, |most, it| it.abs().max(most));
        if 0.0 < game.largest {
            game.payoffs.iter_mut().flatten().for_each(|payoff| *payoff /= game.largest);
        }
        Ok(game)
    }

    /// Returns the most even equilibrium.
    ///
    /// # Errors
    /// If rounding errors keep the search from a gap of at most 1e-9 of the largest payoff.
    pub fn solve(&self) -> Result<MixedStrategy, StatsError> {
        let n = self.payoffs.len();
        let steps = STEPS_PER_STRATEGY * n;
        let mut search = EquilibriumSearch::new(self);
        let mut violated = search.worst_violation();
        for _ in 0..steps {
            let Some(pending) = violated else { break };
            violated = match search.step(pending) {
                SearchStep::Met => search.worst_violation(),
                SearchStep::Released(pending) => Some(pending),
                SearchStep::Stuck => break,
            };
        }
        let weights = search.weights();
        let gap = self.payoffs.iter().map(|row| dot(row, &weights)).fold(0.0, f64::max);
        // Whatever ended the search: a mixture that meets all constraints is the nearest one.
        if MAX_GAP < gap {
            return Err(StatsError::NoEquilibrium { n, steps });
        }
        Ok(MixedStrategy { weights, gap: gap * self.largest })
    }
}

/// An inequality that a mixture may violate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GameConstraint {
    /// The probability of a strategy is not negative.
    Probability(usize),
    /// A strategy gains nothing.
    Gain(usize),
}

/// A violated constraint that is about to be met.
#[derive(Clone, Copy, Debug)]
struct PendingConstraint {
    constraint: GameConstraint,
    /// Its multiplier so far.
    force: f64,
}

/// The result of a step of the search.
#[derive(Clone, Copy, Debug)]
enum SearchStep {
    /// The constraint is in force.
    Met,
    /// Another constraint is no longer in force, and this one is still violated.
    Released(PendingConstraint),
    /// No mixture meets the constraint together with the constraints in force: it is violated by
    /// rounding.
    Stuck,
}

/// The mixture nearest to the uniform mixture that meets the constraints in force with equality.
#[derive(Clone, Debug)]
struct EquilibriumSearch<'a> {
    game: &'a ZeroSumGame,
    /// The lengths of the rows of payoffs.
    row_lengths: Vec<f64>,
    mixture: Vec<f64>,
    /// The constraints in force with their multipliers, which are not negative.
    active: Vec<PendingConstraint>,
    /// The normal vector of the sum of probabilities, then the normal vectors of the constraints in
    /// force.
    normals: OrthogonalBasis,
}

impl<'a> EquilibriumSearch<'a> {
    fn new(game: &'a ZeroSumGame) -> Self {
        let n = game.payoffs.len();
        let mut normals = OrthogonalBasis::default();
        normals.push(normals.split(&vec![1.0; n]));
        Self {
            game,
            row_lengths: game.payoffs.iter().map(|row| libm::sqrt(dot(row, row))).collect(),
            mixture: vec![1.0 / to_f64(n as u64); n],
            active: Vec::new(),
            normals,
        }
    }

    /// Returns the constraint that is farthest from being met, the first among several.
    fn worst_violation(&self) -> Option<PendingConstraint> {
        let (mut worst, mut least) = (None, -MAX_VIOLATION);
        let strategies = 0..self.mixture.len();
        let gains = strategies.clone().map(GameConstraint::Gain);
        for constraint in strategies.map(GameConstraint::Probability).chain(gains) {
            let slack = self.slack(constraint);
            if slack < least {
                (worst, least) = (Some(PendingConstraint { constraint, force: 0.0 }), slack);
            }
        }
        worst
    }

    /// Returns the distance of the mixture from the border of a constraint; negative if the
    /// constraint is violated.
    fn slack(&self, constraint: GameConstraint) -> f64 {
        match constraint {
            GameConstraint::Probability(idx) => self.mixture[idx],
            GameConstraint::Gain(idx) if self.row_lengths[idx] <= 0.0 => 0.0,
            GameConstraint::Gain(idx) => {
                -dot(&self.game.payoffs[idx], &self.mixture) / self.row_lengths[idx]
            }
        }
    }

    /// Returns the direction, of length 1, that makes the slack of a constraint grow.
    fn normal(&self, constraint: GameConstraint) -> Vec<f64> {
        match constraint {
            GameConstraint::Probability(idx) => {
                let mut normal = vec![0.0; self.mixture.len()];
                normal[idx] = 1.0;
                normal
            }
            GameConstraint::Gain(idx) => {
                let length = self.row_lengths[idx];
                self.game.payoffs[idx].iter().map(|payoff| -payoff / length).collect()
            }
        }
    }

    /// Moves the mixture along the constraints in force until another constraint is met, or until a
    /// constraint no longer holds the mixture back and is let go.
    fn step(&mut self, pending: PendingConstraint) -> SearchStep {
        let PendingConstraint { constraint, force } = pending;
        let split = self.normals.split(&self.normal(constraint));
        // The changes of the multipliers; the first one is that of the sum, which is always met.
        let pulls = self.normals.solve(&split.along).split_off(1);
        let release = self.first_release(&pulls);
        let square = dot(&split.rest, &split.rest);
        let meeting = (MIN_INDEPENDENCE * MIN_INDEPENDENCE < square)
            .then(|| (-self.slack(constraint)).max(0.0) / square);
        let part = match (meeting, release) {
            (None, None) => return SearchStep::Stuck,
            (Some(part), None) | (None, Some((part, _))) => part,
            (Some(meeting), Some((release, _))) => meeting.min(release),
        };
        for (it, pull) in self.active.iter_mut().zip(pulls) {
            it.force = (it.force - part * pull).max(0.0);
        }
        if meeting.is_some() {
            add_multiple(&mut self.mixture, part, &split.rest);
        }
        let pending = PendingConstraint { constraint, force: force + part };
        match release {
            Some((release, idx)) if meeting.is_none_or(|meeting| release < meeting) => {
                self.active.remove(idx);
                self.normals.remove(idx + 1);
                SearchStep::Released(pending)
            }
            _ => {
                self.active.push(pending);
                self.normals.push(split);
                SearchStep::Met
            }
        }
    }

    /// Returns the first constraint in force whose multiplier falls to 0, and the step after which
    /// it does, if multipliers fall by `pulls` in a step of 1.
    fn first_release(&self, pulls: &[f64]) -> Option<(f64, usize)> {
        /// Rounding errors of pulls that are 0.
        const LEAST: f64 = 1e-12;
        let releases = self.active.iter().zip(pulls).enumerate();
        let releases = releases.filter(|(_, (_, pull))| LEAST < **pull);
        releases.map(|(idx, (it, pull))| (it.force / pull, idx)).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Returns the mixture without rounding errors about 0 and in the sum.
    fn weights(&self) -> Vec<f64> {
        let rounded = |weight: &f64| if *weight < MIN_WEIGHT { 0.0 } else { *weight };
        let mut weights: Vec<f64> = self.mixture.iter().map(rounded).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        weights
    }
}

#[cfg(test)]
mod tests;
