//! Numbers that are drawn in proportion to their size.

/// Numbers with the sums of pairs, of fours and so on: node `i` is the sum of nodes `2i` and
/// `2i + 1`.
///
/// ```text
/// 1:                10
/// 2, 3:       3           7
/// 4 to 7:   1   2       3   4
/// ```
///
/// A node's sum is computed from its two children and not by differences, so that it does not
/// depend on earlier numbers.
#[derive(Clone, Debug)]
pub(super) struct SumTree {
    nodes: Vec<f64>,
}

impl SumTree {
    /// Returns a tree of zeros.
    pub(super) fn new(n_leaves: usize) -> Self {
        Self { nodes: vec![0.0; 2 * n_leaves.next_power_of_two()] }
    }

    const fn n_leaves(&self) -> usize {
        self.nodes.len() / 2
    }

    /// Returns the sum of the numbers.
    pub(super) fn sum(&self) -> f64 {
        self.nodes[1]
    }

    /// Returns the number at `leaf`.
    pub(super) fn get(&self, leaf: usize) -> f64 {
        self.nodes[self.n_leaves() + leaf]
    }

    /// Changes the number at `leaf`.
    pub(super) fn set(&mut self, leaf: usize, value: f64) {
        let mut node = self.n_leaves() + leaf;
        self.nodes[node] = value;
        while 1 < node {
            node /= 2;
            self.nodes[node] = self.nodes[2 * node] + self.nodes[2 * node + 1];
        }
    }

    /// Returns the leaf whose part of the sum contains `place`, and never a leaf of 0 unless all
    /// leaves are 0.
    pub(super) fn find(&self, mut place: f64) -> usize {
        let mut node = 1;
        while node < self.n_leaves() {
            let [left, right] = [self.nodes[2 * node], self.nodes[2 * node + 1]];
            node *= 2;
            if left <= place && 0.0 < right {
                place -= left;
                node += 1;
            }
        }
        node - self.n_leaves()
    }
}
