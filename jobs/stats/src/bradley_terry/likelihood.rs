//! The most likely ratings, in units of the natural logarithm, and their covariances.

use super::table::ResultTable;
use crate::elo::logistic;
use crate::error::StatsError;

/// Updates by minorization-maximization before Newton's method: they never make ratings less
/// likely, and bring them near the maximum from anywhere.
const MM_UPDATES: u32 = 10;

/// The most steps of Newton's method; some ten are enough but for absurd tables.
const NEWTON_STEPS: u32 = 200;

/// The last step changes no rating by more than this part of its standard error. Errors shrink to
/// their square in each step, so that they are gone after it.
const TOLERANCE: f64 = 1e-7;

/// The last step changes no difference of two players that met by more than this.
const MAX_LAST_STEP: f64 = 0.01;

/// The points that players won against each other, including the points of the prior.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PointMatrix {
    players: usize,
    /// By player and opponent, row by row.
    points: Vec<f64>,
    /// As `points`: numbers of games, without the games of the prior.
    games: Vec<u64>,
}

impl PointMatrix {
    /// Takes the games among the players `rated` of `table`, and adds `draws` to each pair that
    /// met.
    pub(super) fn new(table: &ResultTable, rated: &[usize], draws: f64) -> Self {
        let cells = || rated.iter().flat_map(|&a| rated.iter().map(move |&b| (a, b)));
        let games: Vec<u64> =
            cells().map(|(a, b)| (table.half_points(a, b) + table.half_points(b, a)) / 2).collect();
        let points = cells().zip(&games).map(|((a, b), &games)| {
            let of_prior = if games == 0 { 0.0 } else { draws / 2.0 };
            halved(table.half_points(a, b)) + of_prior
        });
        Self { players: rated.len(), points: points.collect(), games }
    }

    /// Returns the number of games of a player.
    pub(super) fn games(&self, player: usize) -> u64 {
        (0..self.players).map(|other| self.games_of_pair(player, other)).sum()
    }

    /// Returns the number of games between two players.
    pub(super) fn games_of_pair(&self, a: usize, b: usize) -> u64 {
        self.games[a * self.players + b]
    }

    /// Returns the largest difference of the `values` of two players that met.
    fn largest_difference(&self, values: &[f64]) -> f64 {
        let of_player = |player: usize| {
            let differences = self
                .opponents(player)
                .map(move |(other, ..)| (values[player] - values[other]).abs());
            differences.fold(0.0, f64::max)
        };
        (0..self.players).map(of_player).fold(0.0, f64::max)
    }

    fn points(&self, a: usize, b: usize) -> f64 {
        self.points[a * self.players + b]
    }

    /// Returns the opponents that a player met, with the points won by it and by the opponent.
    fn opponents(&self, player: usize) -> impl Iterator<Item = (usize, f64, f64)> + '_ {
        let both = move |other| (other, self.points(player, other), self.points(other, player));
        (0..self.players).map(both).filter(|&(_, won, lost)| 0.0 < won + lost)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a relative error of 2^-53 is meant")]
fn halved(half_points: u64) -> f64 {
    half_points as f64 / 2.0
}

/// The most likely ratings and their uncertainty.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MaximumLikelihood {
    /// By player; their sum is 0.
    pub(super) ratings: Vec<f64>,
    /// The information n p (1 - p) on the difference between any two players, row by row.
    information: Vec<f64>,
    /// Covariances of ratings minus the last player's rating, row by row.
    covariances: Vec<f64>,
}

impl MaximumLikelihood {
    /// Finds the maximum: minorization-maximization (Hunter, "MM algorithms for generalized
    /// Bradley-Terry models", Annals of Statistics 32, 2004, §2), then Newton's method with steps
    /// shortened to ln(1 + d) / d, where d is the largest change of a difference of two players
    /// that met; that converges from anywhere (Sun & Tran-Dinh, "Generalized self-concordant
    /// functions", Mathematical Programming 178, 2019).
    pub(super) fn of(points: &PointMatrix) -> Result<Self, StatsError> {
        let n = points.players;
        let mut ratings = vec![0.0; n];
        for _ in 0..MM_UPDATES {
            ratings = mm_update(points, &ratings);
        }
        for _ in 0..NEWTON_STEPS {
            let (surplus, information) = derivatives(points, &ratings);
            let covariances = grounded_inverse(information.clone(), n);
            let row = |player: usize| &covariances[player * n..(player + 1) * n];
            let product = |player| row(player).iter().zip(&surplus).map(|(c, s)| c * s).sum();
            let step: Vec<f64> = (0..n).map(product).collect();
            let length = points.largest_difference(&step);
            // Newton's decrement squared: the square of the step in standard errors.
            let decrement: f64 = step.iter().zip(&surplus).map(|(step, s)| step * s).sum();
            let is_last = decrement.abs() <= TOLERANCE * TOLERANCE && length <= MAX_LAST_STEP;
            let part = if is_last { 1.0 } else { libm::log1p(length) / length };
            ratings.iter_mut().zip(&step).for_each(|(rating, step)| *rating += part * step);
            if is_last {
                center(&mut ratings);
                return Ok(Self { ratings, information, covariances });
            }
        }
        Err(StatsError::NotConverged { steps: NEWTON_STEPS })
    }

    /// Returns the variance of a rating about the mean rating.
    pub(super) fn variance(&self, player: usize) -> f64 {
        let n = self.ratings.len();
        let row = |a: usize| mean(&self.covariances[a * n..(a + 1) * n]);
        let own = self.covariances[player * n + player];
        (own - 2.0 * row(player) + mean(&self.covariances)).max(0.0)
    }

    /// Returns the difference of two ratings with its variance.
    pub(super) fn difference(&self, a: usize, b: usize) -> (f64, f64) {
        (self.ratings[a] - self.ratings[b], resistance(&self.information, self.ratings.len(), a, b))
    }
}

/// Returns the ratings after one update: each strength exp(r) becomes the points won over the sum
/// of n_ij / (exp(r_i) + exp(r_j)); as a sum of logarithms, nothing overflows.
fn mm_update(points: &PointMatrix, ratings: &[f64]) -> Vec<f64> {
    let updated = |(player, rating): (usize, &f64)| {
        let (mut won, mut expected) = (0.0, 0.0);
        for (other, by_player, by_other) in points.opponents(player) {
            won += by_player;
            expected += (by_player + by_other) * logistic(rating - ratings[other]);
        }
        rating + libm::log(won / expected.max(f64::MIN_POSITIVE))
    };
    let mut updated: Vec<f64> = ratings.iter().enumerate().map(updated).collect();
    center(&mut updated);
    updated
}

fn center(ratings: &mut [f64]) {
    let mean = mean(ratings);
    ratings.iter_mut().for_each(|rating| *rating -= mean);
}

#[expect(clippy::cast_precision_loss, reason = "there are at most 300 players")]
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the derivatives of the log-likelihood: for each player the points won beyond the
/// expected points, and for each pair the information n p (1 - p).
fn derivatives(points: &PointMatrix, ratings: &[f64]) -> (Vec<f64>, Vec<f64>) {
    /// Less information than the games of any table contain; it keeps divisions finite while
    /// ratings are still far off.
    const LEAST: f64 = 1e-100;
    let n = points.players;
    let (mut surplus, mut information) = (vec![0.0; n], vec![0.0; n * n]);
    for player in 0..n {
        let mut sum = CompensatedSum::default();
        for (other, won, lost) in points.opponents(player) {
            let difference = ratings[player] - ratings[other];
            // The points that the weaker one is expected to win: no digits are lost by taking the
            // small number from the small one.
            let upset = (won + lost) * logistic(-difference.abs());
            let (more, less) = if difference < 0.0 { (won, upset) } else { (upset, lost) };
            sum.add(more);
            sum.add(-less);
            information[player * n + other] = (upset * logistic(difference.abs())).max(LEAST);
        }
        surplus[player] = sum.value();
    }
    (surplus, information)
}

/// A sum that keeps what each addition rounds off (Neumaier, ZAMM 54, 1974).
///
/// Where a group of players has millions of games, rounding errors of its sums would look like
/// points won against players outside, with whom it may have a single game.
#[derive(Clone, Copy, Debug, Default)]
struct CompensatedSum {
    sum: f64,
    rounded_off: f64,
}

impl CompensatedSum {
    fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        let (large, small) =
            if term.abs() < self.sum.abs() { (self.sum, term) } else { (term, self.sum) };
        self.rounded_off += (large - sum) + small;
        self.sum = sum;
    }

    fn value(self) -> f64 {
        self.sum + self.rounded_off
    }
}

/// Takes the first `count` of `n` nodes out of a network of resistors one after the other
/// (star-mesh transform), and returns the nodes' total conductances to the nodes after them.
///
/// The information matrix describes such a network: off the diagonal it has the `conductances` n p
/// (1 - p) with the opposite sign, and its rows add up to 0. No number is ever subtracted, so that
/// all results keep their digits, however different the conductances are (Grassmann, Taksar &
/// Heyman, "Regenerative analysis and steady state distributions for Markov chains", Operations
/// Research 33, 1985).
fn eliminate(conductances: &mut [f64], n: usize, count: usize) -> Vec<f64> {
    let mut totals = vec![0.0; count];
    for node in 0..count {
        let (eliminated, rest) = conductances[node * n..].split_at_mut(n);
        let total: f64 = eliminated[node + 1..].iter().sum();
        for (offset, row) in rest.chunks_exact_mut(n).enumerate() {
            let other = node + 1 + offset;
            let share = eliminated[other] / total;
            for (cell, through) in row[node + 1..].iter_mut().zip(&eliminated[node + 1..]) {
                *cell += share * through;
            }
            row[other] = 0.0;
        }
        totals[node] = total;
    }
    totals
}

/// Returns the resistance between two nodes: the variance of the difference of two ratings.
fn resistance(conductances: &[f64], n: usize, a: usize, b: usize) -> f64 {
    let order = || (0..n).filter(|&node| node != a && node != b).chain([a, b]);
    let mut ordered: Vec<f64> =
        order().flat_map(|row| order().map(move |column| conductances[row * n + column])).collect();
    eliminate(&mut ordered, n, n - 2);
    1.0 / ordered[(n - 2) * n + n - 1]
}

/// Returns the inverse of the information matrix, row by row, with the last player's rating held at
/// 0: its row and column are 0.
fn grounded_inverse(mut conductances: Vec<f64>, n: usize) -> Vec<f64> {
    let totals = eliminate(&mut conductances, n, n.saturating_sub(1));
    let mut inverse = vec![0.0; n * n];
    for node in (0..n.saturating_sub(1)).rev() {
        let shares: Vec<f64> =
            (node + 1..n).map(|other| conductances[node * n + other] / totals[node]).collect();
        // The voltage of a node is the mean of those of its neighbors, plus its own current.
        let (upper, lower) = inverse.split_at_mut((node + 1) * n);
        let own = &mut upper[node * n..];
        for (share, row) in shares.iter().zip(lower.chunks_exact(n)) {
            for (cell, voltage) in own[node + 1..].iter_mut().zip(&row[node + 1..]) {
                *cell += share * voltage;
            }
        }
        let others: f64 = shares.iter().zip(&own[node + 1..]).map(|(s, cell)| s * cell).sum();
        own[node] = 1.0 / totals[node] + others;
        for other in node + 1..n {
            inverse[other * n + node] = inverse[node * n + other];
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Resistors of 1, 2 and 3 ohms in a triangle: between two nodes, one parallel to the others.
    #[test]
    fn inverse_of_a_triangle_of_resistors() {
        let conductances = [0.0, 1.0, 0.5, 1.0, 0.0, 1.0 / 3.0, 0.5, 1.0 / 3.0, 0.0];
        let inverse = grounded_inverse(conductances.to_vec(), 3);
        let parallel = |one: f64, others: f64| one * others / (one + others);
        // From the last node: 2 parallel to 1 + 3, and 3 parallel to 1 + 2.
        assert!((inverse[0] - parallel(2.0, 4.0)).abs() < 1e-15, "{inverse:?}");
        assert!((inverse[4] - parallel(3.0, 3.0)).abs() < 1e-15, "{inverse:?}");
        let between = inverse[0] + inverse[4] - 2.0 * inverse[1];
        assert!((between - parallel(1.0, 5.0)).abs() < 1e-15, "{inverse:?}");
        assert!((resistance(&conductances, 3, 1, 0) - parallel(1.0, 5.0)).abs() < 1e-15);
        assert!(inverse[6..].iter().chain([&inverse[2], &inverse[5]]).all(|x| x.abs() < 1e-300));
    }
}
