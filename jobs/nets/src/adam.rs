//! The optimizer Adam (Kingma & Ba 2015, Algorithm 1).

use crate::kernel::{AdamFactors, InstructionSet, adam_step};
use crate::network::{Gradients, Network};

/// The settings of Adam.
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
#[derive(Clone, Debug, PartialEq)]
pub struct AdamState {
    pub(crate) steps: u64,
    /// The decaying means of gradients and of their squares, in the order of parameters.
    pub(crate) means: Vec<[Vec<f32>; 2]>,
    /// `beta1` and `beta2` to the power of `steps`.
    pub(crate) powers: [f64; 2],
}

impl AdamState {
    /// Returns the memory before the first step.
    #[must_use]
    pub fn new(network: &Network) -> Self {
        let zeros = |parameters: &[f32]| [vec![0.0; parameters.len()], vec![0.0; parameters.len()]];
        Self { steps: 0, means: network.parameters().map(zeros).collect(), powers: [1.0; 2] }
    }

    /// Returns the number of steps so far.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// Changes the parameters of `network` by a step against `gradients`.
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
        let of_network = network.parameters_mut().zip(gradients.parameters());
        for ((parameters, gradients), [means, squares]) in of_network.zip(&mut self.means) {
            let memory = [means.as_mut_slice(), squares];
            adam_step(instructions, factors, parameters, Some(gradients), memory);
        }
    }
}
