//! The rule that ends an evolution without progress.

/// Counts how often in a row the best fitness has equaled the one before.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EqualBests {
    last: Option<f64>,
    n: u32,
}

impl EqualBests {
    /// Records the best of a generation, and returns the number of times in a row that it has not
    /// changed: 0 if it has.
    ///
    /// Numbers are compared exactly, which is legitimate as evaluation is deterministic.
    pub(super) fn record(&mut self, best: f64) -> u32 {
        let equal = self.last.is_some_and(|last| last.total_cmp(&best).is_eq());
        self.n = if equal { self.n + 1 } else { 0 };
        self.last = Some(best);
        self.n
    }
}

#[cfg(test)]
mod tests {
    use super::EqualBests;

    #[test]
    fn any_change_ends_the_streak() {
        let mut streak = EqualBests::default();
        let bests = [3.0, 3.0, 3.0, 2.0, 2.0, 3.0, f64::INFINITY, f64::INFINITY, 0.0, -0.0];
        assert_eq!(bests.map(|best| streak.record(best)), [0, 1, 2, 0, 1, 0, 0, 1, 0, 0]);
    }
}
