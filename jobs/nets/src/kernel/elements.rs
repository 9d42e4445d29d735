//! Operations number by number.

use super::vectors::{FloatVector, VectorTask};

/// Makes values 0 where they are not positive.
pub(super) struct Relu<'m> {
    pub(super) values: &'m mut [f32],
}

/// Makes values 0 where the values of `signs` are not positive.
pub(super) struct Mask<'m> {
    pub(super) values: &'m mut [f32],
    pub(super) signs: &'m [f32],
}

/// Adds values to others.
pub(super) struct Add<'m> {
    pub(super) to: &'m mut [f32],
    pub(super) values: &'m [f32],
}

/// A step of Adam for some parameters.
pub(super) struct AdamStep<'m> {
    pub(super) factors: AdamFactors,
    pub(super) parameters: &'m mut [f32],
    /// The gradients, or none where all are 0.
    pub(super) gradients: Option<&'m [f32]>,
    pub(super) means: &'m mut [f32],
    pub(super) squares: &'m mut [f32],
}

/// The numbers of a step of Adam that all parameters share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AdamFactors {
    pub(crate) rate: f32,
    pub(crate) beta1: f32,
    pub(crate) beta2: f32,
    pub(crate) epsilon: f32,
    pub(crate) weight_decay: f32,
    /// The factor that makes the mean of gradients unbiased.
    pub(crate) mean_scale: f32,
    /// The factor that makes the mean of their squares unbiased.
    pub(crate) square_scale: f32,
}

/// The least magnitude of a mean of gradients; smaller values are 0.
///
/// Means of rows without gradients would decay until they are subnormal, stay there, and make
/// steps up to five times slower. Such a mean moves a weight by less than 1e-22 of the rate.
pub(crate) const MIN_MEAN: f32 = 1e-30;

/// The least mean of their squares, whose root is far below any epsilon.
pub(crate) const MIN_SQUARE: f32 = 1e-37;

impl VectorTask for Relu<'_> {
    #[inline(always)]
    fn run<V: FloatVector>(self) {
        let mut chunks = self.values.chunks_exact_mut(V::N_LANES);
        for chunk in &mut chunks {
            let values = V::load(chunk);
            values.zero_unless_positive(values).store(chunk);
        }
        let rest = chunks.into_remainder();
        let values = V::load_part(rest);
        values.zero_unless_positive(values).store_part(rest);
    }
}

impl VectorTask for Mask<'_> {
    #[inline(always)]
    fn run<V: FloatVector>(self) {
        let mut values = self.values.chunks_exact_mut(V::N_LANES);
        let mut signs = self.signs.chunks_exact(V::N_LANES);
        for (values, signs) in (&mut values).zip(&mut signs) {
            V::load(values).zero_unless_positive(V::load(signs)).store(values);
        }
        let rest = values.into_remainder();
        V::load_part(rest).zero_unless_positive(V::load_part(signs.remainder())).store_part(rest);
    }
}

impl VectorTask for Add<'_> {
    #[inline(always)]
    fn run<V: FloatVector>(self) {
        let mut to = self.to.chunks_exact_mut(V::N_LANES);
        let mut values = self.values.chunks_exact(V::N_LANES);
        for (to, values) in (&mut to).zip(&mut values) {
            V::load(to).add(V::load(values)).store(to);
        }
        let rest = to.into_remainder();
        V::load_part(rest).add(V::load_part(values.remainder())).store_part(rest);
    }
}

impl VectorTask for AdamStep<'_> {
    #[inline(always)]
    fn run<V: FloatVector>(self) {
        let Self { factors, parameters, gradients, means, squares } = self;
        let constants = AdamVectors::<V>::new(factors);
        let len = parameters.len();
        assert!(means.len() == len && squares.len() == len, "numbers for each parameter");
        assert!(gradients.is_none_or(|gradients| gradients.len() == len), "or no gradients");
        let mut at = 0;
        while at + V::N_LANES <= len {
            let gradient = match gradients {
                Some(gradients) => V::load(&gradients[at..]),
                None => V::splat(0.0),
            };
            let old = [V::load(&parameters[at..]), V::load(&means[at..]), V::load(&squares[at..])];
            let [parameter, mean, square] = constants.step(gradient, old);
            parameter.store(&mut parameters[at..]);
            mean.store(&mut means[at..]);
            square.store(&mut squares[at..]);
            at += V::N_LANES;
        }
        let gradient = match gradients {
            Some(gradients) => V::load_part(&gradients[at..]),
            None => V::splat(0.0),
        };
        let old = [
            V::load_part(&parameters[at..]),
            V::load_part(&means[at..]),
            V::load_part(&squares[at..]),
        ];
        let [parameter, mean, square] = constants.step(gradient, old);
        parameter.store_part(&mut parameters[at..]);
        mean.store_part(&mut means[at..]);
        square.store_part(&mut squares[at..]);
    }
}

/// The numbers of a step, in each lane.
struct AdamVectors<V> {
    rate: V,
    betas: [V; 2],
    /// One minus each decay.
    complements: [V; 2],
    epsilon: V,
    weight_decay: V,
    mean_scale: V,
    square_scale: V,
    least: [V; 2],
}

impl<V: FloatVector> AdamVectors<V> {
    #[inline(always)]
    fn new(factors: AdamFactors) -> Self {
        Self {
            rate: V::splat(factors.rate),
            betas: [V::splat(factors.beta1), V::splat(factors.beta2)],
            complements: [V::splat(1.0 - factors.beta1), V::splat(1.0 - factors.beta2)],
            epsilon: V::splat(factors.epsilon),
            weight_decay: V::splat(factors.weight_decay),
            mean_scale: V::splat(factors.mean_scale),
            square_scale: V::splat(factors.square_scale),
            least: [V::splat(MIN_MEAN), V::splat(MIN_SQUARE)],
        }
    }

    /// Returns the parameters, means and squares after a step.
    #[inline(always)]
    fn step(&self, gradient: V, [parameter, mean, square]: [V; 3]) -> [V; 3] {
        let gradient = gradient.add(self.weight_decay.mul(parameter));
        let mean = self.betas[0].mul(mean).add(self.complements[0].mul(gradient));
        let square = self.betas[1].mul(square).add(self.complements[1].mul(gradient.mul(gradient)));
        let (mean, square) = (mean.zero_below(self.least[0]), square.zero_below(self.least[1]));
        let divisor = square.mul(self.square_scale).sqrt().add(self.epsilon);
        let change = self.rate.mul(mean.mul(self.mean_scale)).div(divisor);
        [parameter.sub(change), mean, square]
    }
}
