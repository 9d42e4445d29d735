//! The vector operations that kernels need, and the vectors that every processor has.
//!
//! Operations are lane by lane and round as IEEE 754 says, so that all vectors give the same bits.

/// The largest number of lanes.
pub(super) const MAX_LANES: usize = 16;

/// Some 32-bit floats.
pub(super) trait FloatVector: Copy {
    /// The number of floats.
    const N_LANES: usize;
    /// The number of rows of a tile whose sums stay in registers: 6, 4, 2 or 1.
    const N_TILE_ROWS: usize;
    /// The number of vectors in each of its rows: 4 or 2.
    const N_PANEL_VECTORS: usize;
    /// The number of vectors of a row whose sums stay in registers.
    const N_ROW_VECTORS: usize;

    fn splat(float: f32) -> Self;
    /// Loads the first floats; there must be enough.
    fn load(floats: &[f32]) -> Self;
    /// Stores to the first floats; there must be enough.
    fn store(self, floats: &mut [f32]);

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    /// Returns 0 where `sign` is at most 0, `self` elsewhere, also where `sign` is not a number.
    fn zero_unless_positive(self, sign: Self) -> Self;
    /// Returns 0 where the magnitude is below `least`, which must be positive, `self` elsewhere,
    /// also where it is not a number.
    fn zero_below(self, least: Self) -> Self;

    /// Loads all of fewer floats than a vector has; the others are 0.
    #[inline(always)]
    fn load_part(floats: &[f32]) -> Self {
        let mut all = [0.0; MAX_LANES];
        all[..floats.len()].copy_from_slice(floats);
        Self::load(&all)
    }

    /// Stores to all of fewer floats than a vector has.
    #[inline(always)]
    fn store_part(self, floats: &mut [f32]) {
        let mut all = [0.0; MAX_LANES];
        self.store(&mut all);
        floats.copy_from_slice(&all[..floats.len()]);
    }
}

/// A task that is compiled for the vector instructions. Everything it calls must be inlined, which
/// is not certain for closures and much of the standard library.
pub(super) trait VectorTask {
    fn run<V: FloatVector>(self);
}

/// Four floats, as arrays that every processor can work with.
#[derive(Clone, Copy)]
pub(super) struct PlainFloats([f32; 4]);

impl PlainFloats {
    #[inline(always)]
    fn zip(self, other: Self, operation: impl Fn(f32, f32) -> f32) -> Self {
        let (Self([a, b, c, d]), Self([e, f, g, h])) = (self, other);
        Self([operation(a, e), operation(b, f), operation(c, g), operation(d, h)])
    }
}

impl FloatVector for PlainFloats {
    const N_LANES: usize = 4;
    const N_TILE_ROWS: usize = 4;
    const N_PANEL_VECTORS: usize = 2;
    const N_ROW_VECTORS: usize = 8;

    #[inline(always)]
    fn splat(float: f32) -> Self {
        Self([float; 4])
    }

    #[inline(always)]
    fn load(floats: &[f32]) -> Self {
        Self([floats[0], floats[1], floats[2], floats[3]])
    }

    #[inline(always)]
    fn store(self, floats: &mut [f32]) {
        floats[..4].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.zip(self, |a, _| a.sqrt())
    }

    #[inline(always)]
    fn zero_unless_positive(self, sign: Self) -> Self {
        self.zip(sign, |float, sign| if sign <= 0.0 { 0.0 } else { float })
    }

    #[inline(always)]
    fn zero_below(self, least: Self) -> Self {
        self.zip(least, |float, least| if float.abs() < least { 0.0 } else { float })
    }
}
