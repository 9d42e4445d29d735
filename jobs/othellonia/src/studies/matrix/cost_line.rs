//! Lines of worth by cost: what pieces of a cost are worth.

/// The line of worth by cost through all pieces but one, at the cost of that one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CostLine {
    /// The weight that each piece's worth has in the line's height there: all weights sum to 1, and
    /// the piece itself has weight 0.
    pub(super) weights: Vec<f64>,
    /// The share of the piece in the height of the line through all pieces: its leverage.
    leverage: f64,
}

impl CostLine {
    /// Returns the line for the piece with the index `at`, of pieces with these costs: by ordinary
    /// least squares (Draper & Smith, *Applied Regression Analysis*, 1998, §1.4), and level if the
    /// other pieces have one cost. `None` if that is another cost: no line says what it is worth.
    pub(super) fn through_others(costs: &[f64], at: usize) -> Option<Self> {
        let is_other = |idx: usize| f64::from(u8::from(idx != at));
        let n = to_f64(costs.len() - 1);
        let sum = |term: &dyn Fn(f64) -> f64| {
            let terms = costs.iter().enumerate().map(|(idx, &cost)| is_other(idx) * term(cost));
            terms.sum::<f64>()
        };
        let mean = sum(&|cost| cost) / n;
        let spread = sum(&|cost| (cost - mean) * (cost - mean));
        let distance = costs[at] - mean;
        let slope = match (0.0 < spread, distance.abs() <= 0.0) {
            (true, _) => distance / spread,
            (false, true) => 0.0,
            (false, false) => return None,
        };
        let weight = |(idx, &cost)| is_other(idx) * (1.0 / n + slope * (cost - mean));
        // The leverage among the others, v, is v / (1 + v) among all.
        let among_others = 1.0 / n + slope * distance;
        Some(Self {
            weights: costs.iter().enumerate().map(weight).collect(),
            leverage: among_others / (1.0 + among_others),
        })
    }

    /// Returns the variance of the line's height in units of the variance of pieces about it.
    pub(super) fn variance(&self) -> f64 {
        self.weights.iter().map(|weight| weight * weight).sum()
    }
}

/// The distances of pieces from their lines, from which follows how far pieces are off a line that
/// they are meant to lie on.
pub(super) struct PieceScatter {
    /// The sum of the squared residuals about the line through all pieces, less what the errors of
    /// the distances add to it on average.
    excess: f64,
    /// The degrees of freedom without one of the pieces.
    degrees: usize,
}

impl PieceScatter {
    /// Returns the scatter of pieces on `lines` of so many different costs; each has a distance
    /// from its line and that distance's variance.
    pub(super) fn new<'a>(
        n_costs: usize,
        pieces: impl Iterator<Item = (&'a CostLine, f64, f64)>,
    ) -> Self {
        let n_coefficients = if n_costs < 2 { 1 } else { 2 };
        let (mut excess, mut n) = (0.0, 0_usize);
        for (line, distance, variance) in pieces {
            // The residual of a piece is its distance times 1 - leverage.
            let part = 1.0 - line.leverage;
            excess += part * part * (distance * distance - variance);
            n += 1;
        }
        Self { excess, degrees: n.saturating_sub(1 + n_coefficients).max(1) }
    }

    /// Returns the variance of the other pieces about their line, with its degrees of freedom, by
    /// the method of moments; 0 if the errors explain their scatter. What the piece itself adds is
    /// left out: it may be the one that is far off.
    pub(super) fn without(&self, line: &CostLine, distance: f64, variance: f64) -> (f64, u64) {
        let own = (1.0 - line.leverage) * (distance * distance - variance);
        (((self.excess - own) / to_f64(self.degrees)).max(0.0), self.degrees as u64)
    }
}

/// Converts a count of decks or pieces to a float.
#[expect(clippy::cast_precision_loss, reason = "few decks and pieces")]
pub(super) fn to_f64(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn height(line: &CostLine, worths: &[f64]) -> f64 {
        line.weights.iter().zip(worths).map(|(weight, worth)| weight * worth).sum()
    }

    /// The others lie on 1 + 2 cost, whatever the piece itself is worth.
    #[test]
    fn lines_go_through_the_others() {
        let (costs, worths) = ([5.0, 5.0, 10.0, 20.0, 10.0], [11.0, 11.0, 21.0, 99.0, 21.0]);
        let line = CostLine::through_others(&costs, 3).unwrap();
        assert!((height(&line, &worths) - 41.0).abs() < 1e-9, "{line:?}");
        // 1/4 + 12.5^2 / 25: far from the others, the line says little.
        assert!((line.variance() - 6.5).abs() < 1e-9, "{line:?}");
        let peers = CostLine::through_others(&[10.0; 4], 1).unwrap();
        assert_eq!(peers.weights, [1.0 / 3.0, 0.0, 1.0 / 3.0, 1.0 / 3.0]);
        assert_eq!(CostLine::through_others(&[10.0, 10.0, 10.0, 20.0], 3), None);
    }

    /// Worths of 1, 2, 3, 4 and 9 at one cost, known to a variance of 0.5. Without the last worth,
    /// the others have a variance of 5/3; their own errors make up 0.5 of this variance.
    #[test]
    fn scatter_leaves_the_piece_and_the_errors_out() {
        let (costs, worths) = ([10.0; 5], [1.0, 2.0, 3.0, 4.0, 9.0]);
        let line = |at| CostLine::through_others(&costs, at).unwrap();
        let lines: Vec<CostLine> = (0..5).map(line).collect();
        let distance = |at: usize| worths[at] - height(&lines[at], &worths);
        // A distance has the error of its piece, and a quarter of each of the others.
        let variance = 0.5 * 1.25;
        let pieces = lines.iter().enumerate().map(|(at, line)| (line, distance(at), variance));
        let scatter = PieceScatter::new(1, pieces);
        let (found, degrees) = scatter.without(&lines[4], distance(4), variance);
        assert!((found - (5.0 / 3.0 - 0.5)).abs() < 1e-9 && degrees == 3, "{found} {degrees}");
    }
}
