//! The optimizer Adam (Kingma & Ba 2015, Algorithm 1).

use crate::kernel::{AdamFactors, InstructionSet, adam_step};
use crate::matrix::RowFlags;
use crate::network::{Gradients, Network};

/// The settings of Adam.
///
/// Means of gradients below 1e-30, and of squares below 1e-37, count as 0, so that no subnormal
/// numbers slow down a long run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adam {
    /// The step size.
    pub rate: f32,
    /// The decay of the mean of gradients, usually 0.9.
    pub beta1: f32,
    /// The decay of the mean of their squares, usually 0.999.
    pub beta2: f32,
    /// The number that keeps the divisor from 0, usually 1e-8.
    pub epsilon: f32,
    /// The share of a weight that a gradient of L2 regularization adds; 0 for none.
    pub weight_decay: f32,
}

impl Adam {
    /// Returns the usual settings with this step size, without regularization.
    #[must_use]
    pub const fn with_rate(rate: f32) -> Self {
        Self { rate, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 0.0 }
    }
}

/// The memory of Adam: two numbers for each parameter, and the number of steps.
#[derive(Clone, Debug)]
pub struct AdamState {
    pub(crate) steps: u64,
    /// The decaying means of gradients and of their squares, in the order of parameters.
    pub(crate) means: Vec<[Vec<f32>; 2]>,
    /// `beta1` and `beta2` to the power of `steps`.
    pub(crate) powers: [f64; 2],
    /// The rows of the first layer's weights whose means may differ from 0; none yet before the
    /// first step, and after reading.
    pub(crate) active: RowFlags,
}

impl PartialEq for AdamState {
    fn eq(&self, other: &Self) -> bool {
        (self.steps, &self.means, self.powers) == (other.steps, &other.means, other.powers)
    }
}

impl AdamState {
    /// Returns the memory before the first step.
    #[must_use]
    pub fn new(network: &Network) -> Self {
        let zeros = |parameters: &[f32]| [vec![0.0; parameters.len()], vec![0.0; parameters.len()]];
        Self {
            steps: 0,
            means: network.parameters().map(zeros).collect(),
            powers: [1.0; 2],
            active: RowFlags::default(),
        }
    }

    /// Returns the number of steps so far.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// Changes the parameters of `network` by a step against `gradients`.
    ///
    /// Rows of the first layer's weights that never had a gradient are left alone where that gives
    /// the same bits: without weight decay.
    pub fn step(&mut self, adam: &Adam, network: &mut Network, gradients: &Gradients) {
        self.step_with(InstructionSet::fastest(), adam, network, gradients);
    }

    /// Changes the parameters like [`Self::step`], with `instructions` rather than the fastest.
    pub fn step_with(
        &mut self,
        instructions: InstructionSet,
        adam: &Adam,
        network: &mut Network,
        gradients: &Gradients,
    ) {
        self.steps += 1;
        self.powers[0] *= f64::from(adam.beta1);
        self.powers[1] *= f64::from(adam.beta2);
        #[expect(clippy::cast_possible_truncation, reason = "rounded to the weights' precision")]
        let [mean_scale, square_scale] =
            [1.0 / (1.0 - self.powers[0]), 1.0 / (1.0 - self.powers[1])].map(|it| it as f32);
        let &Adam { rate, beta1, beta2, epsilon, weight_decay } = adam;
        let factors =
            AdamFactors { rate, beta1, beta2, epsilon, weight_decay, mean_scale, square_scale };
        self.mark_active_rows(network, gradients, adam);
        let n_cols = network.layers()[0].n_outputs();
        let mut of_network = network.parameters_mut().zip(gradients.parameters());
        let mut memory = self.means.iter_mut();
        if let (Some(of_first), Some(memory)) = (of_network.next(), memory.next()) {
            let rows =
                FirstRows { n_cols, touched: gradients.touched_rows(), active: &self.active };
            rows.step(instructions, factors, of_first, memory);
        }
        for ((parameters, gradients), [means, squares]) in of_network.zip(memory) {
            let memory = [means.as_mut_slice(), squares];
            adam_step(instructions, factors, parameters, Some(gradients), memory);
        }
    }

    /// Marks the rows of the first layer's weights that this step may change.
    fn mark_active_rows(&mut self, network: &Network, gradients: &Gradients, adam: &Adam) {
        let n_rows = network.layers()[0].n_inputs();
        if self.active.n_rows() != n_rows {
            let n_cols = network.layers()[0].n_outputs().max(1);
            self.active = RowFlags::new(n_rows);
            for values in &self.means[0] {
                let rows = values.chunks_exact(n_cols).enumerate();
                let used = rows.filter(|(_, row)| row.iter().any(|value| value.to_bits() != 0));
                used.for_each(|(row, _)| self.active.mark(row));
            }
        }
        // Without a gradient, means of 0 stay 0, and change a weight by 0 / epsilon.
        let stay = adam.weight_decay == 0.0 && 0.0 < adam.epsilon && 0.0 <= adam.rate;
        let mut start = 0;
        while start < n_rows {
            let rows = gradients.touched_rows().run_from(start);
            start = rows.end;
            if !stay || gradients.touched_rows().is_marked(rows.start) {
                self.active.mark_range(rows);
            }
        }
    }
}

/// The rows of the first layer's weights.
struct FirstRows<'s> {
    n_cols: usize,
    touched: &'s RowFlags,
    active: &'s RowFlags,
}

impl FirstRows<'_> {
    /// Takes a step for the rows that it may change, with no look at gradients that are 0.
    fn step(
        &self,
        instructions: InstructionSet,
        factors: AdamFactors,
        (parameters, gradients): (&mut [f32], &[f32]),
        [means, squares]: &mut [Vec<f32>; 2],
    ) {
        // The ends of the runs that `start` is in: each run is looked for once.
        let (mut start, mut touched_end, mut active_end) = (0, 0, 0);
        while start < self.touched.n_rows() {
            if touched_end <= start {
                touched_end = self.touched.run_from(start).end;
            }
            if active_end <= start {
                active_end = self.active.run_from(start).end;
            }
            let rows = start..touched_end.min(active_end);
            start = rows.end;
            if self.active.is_marked(rows.start) {
                let part = rows.start * self.n_cols..rows.end * self.n_cols;
                let is_touched = self.touched.is_marked(rows.start);
                let gradients = is_touched.then(|| &gradients[part.clone()]);
                let memory = [&mut means[part.clone()], &mut squares[part.clone()]];
                adam_step(instructions, factors, &mut parameters[part], gradients, memory);
            }
        }
    }
}
