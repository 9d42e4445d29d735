//! The terms of the bound that depend on numbers of visits only, in tables.

/// Numbers of visits that the tables have. Nearly all nodes have fewer; tables of more would not
/// stay in the cache.
const TABLE_LEN: u32 = 4_096;

/// Returns the terms of UCB1 by numbers of visits. A number that is not in the tables is computed
/// by the same functions, so the tables change no result.
#[derive(Clone, Debug)]
pub(super) struct VisitTerms {
    widths: Vec<f64>,
    shares: Vec<VisitShares>,
}

/// The terms of a child with n visits.
#[derive(Clone, Copy, Debug)]
pub(super) struct VisitShares {
    /// 1 / (2 n): from half points to the mean.
    pub(super) per_half_point: f64,
    /// 1 / sqrt n.
    pub(super) inverse_root: f64,
}

impl VisitTerms {
    pub(super) fn new() -> Self {
        Self {
            widths: (0..TABLE_LEN).map(width).collect(),
            shares: (0..TABLE_LEN).map(shares).collect(),
        }
    }

    /// Returns sqrt(2 ln N) of a node with `n` visits.
    #[inline(always)]
    pub(super) fn width(&self, n: u32) -> f64 {
        match self.widths.get(n as usize) {
            Some(width) => *width,
            None => width(n),
        }
    }

    /// Returns the terms of a child with `n` visits.
    #[inline(always)]
    pub(super) fn shares(&self, n: u32) -> VisitShares {
        match self.shares.get(n as usize) {
            Some(shares) => *shares,
            None => shares(n),
        }
    }
}

#[inline(never)]
fn width(n: u32) -> f64 {
    (2.0 * libm::log(f64::from(n.max(1)))).sqrt()
}

#[inline(always)]
fn shares(n: u32) -> VisitShares {
    let n = f64::from(n.max(1));
    VisitShares { per_half_point: 0.5 / n, inverse_root: 1.0 / n.sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_hold_what_is_computed() {
        let terms = VisitTerms::new();
        for n in [1, 2, 3, 100, TABLE_LEN - 1, TABLE_LEN, 1_000_000] {
            assert_eq!(terms.width(n).to_bits(), width(n).to_bits());
            let [found, expected] = [terms.shares(n), shares(n)];
            assert_eq!(found.inverse_root.to_bits(), expected.inverse_root.to_bits());
            assert_eq!(found.per_half_point.to_bits(), expected.per_half_point.to_bits());
            assert!((found.per_half_point * 2.0 * f64::from(n) - 1.0).abs() < 1e-12);
        }
        // ln 4,096 = 12 ln 2.
        let width = terms.width(4_096);
        assert!((width * width / 2.0 - 12.0 * core::f64::consts::LN_2).abs() < 1e-12);
    }
}
