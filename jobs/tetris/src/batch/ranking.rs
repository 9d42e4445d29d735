//! The best placement of each board so far.

use std::ops::Sub;

use super::vectors::{Block, Bytes, Each, Floats, N_BLOCKS, N_BOARDS};

/// The value of a board; the larger, the better.
pub(super) trait Value: Copy + PartialOrd + Sub<Output = Self> + From<f32> {
    /// A value for each board.
    type Of<B: Bytes>: Copy;

    /// What finds the best placements.
    type Ranking<B: Bytes>: Ranking<B, Self>;

    /// Less than any value.
    const WORST: Self;

    fn in_order<B: Bytes>(values: &Self::Of<B>) -> Each<Self>;

    /// The value of one board.
    fn at<B: Bytes>(values: &Self::Of<B>, lane: usize) -> Self;

    /// [`WORST`](Self::WORST) for each board.
    fn worst<B: Bytes>() -> Self::Of<B>;
}

/// What finds the best placement of each board.
pub(super) trait Ranking<B: Bytes, V: Value> {
    fn new() -> Self;

    /// Takes in the values of the placement `index`, where `playable`.
    fn take(&mut self, values: &V::Of<B>, playable: B, index: u8);

    fn best(&self) -> Best<V>;
}

/// The best placements of boards.
pub(super) struct Best<V> {
    /// The largest values.
    pub(super) values: Each<V>,
    /// The placements that have them: of equal values the first. 0 if no placement is playable.
    pub(super) indices: Each<u8>,
    /// The second largest values; as the largest if two placements have it.
    seconds: Each<V>,
}

impl<V: Value> Best<V> {
    /// No placement.
    pub(super) fn none() -> Self {
        Self { values: [V::WORST; N_BOARDS], indices: [0; N_BOARDS], seconds: [V::WORST; N_BOARDS] }
    }

    /// Takes in another placement.
    #[inline(always)]
    pub(super) fn take(&mut self, lane: usize, value: V, index: u8) {
        let best = self.values[lane];
        if best < value || (best == value && index < self.indices[lane]) {
            (self.values[lane], self.indices[lane]) = (value, index);
            self.seconds[lane] = best;
        } else if self.seconds[lane] < value {
            self.seconds[lane] = value;
        }
    }

    /// Whether `value` is so close to the best that it may be better.
    #[inline(always)]
    pub(super) fn is_close(&self, lane: usize, value: V, margin: f32) -> bool {
        self.values[lane] - value <= V::from(margin)
    }

    /// Whether another placement is so close that it may be better.
    #[inline(always)]
    pub(super) fn is_contested(&self, lane: usize, margin: f32) -> bool {
        self.is_close(lane, self.seconds[lane], margin)
    }
}

impl Value for f32 {
    type Of<B: Bytes> = Floats<B>;
    type Ranking<B: Bytes> = FloatRanking<B>;

    const WORST: Self = Self::NEG_INFINITY;

    #[inline(always)]
    fn in_order<B: Bytes>(values: &Floats<B>) -> Each<Self> {
        B::in_order(values)
    }

    #[inline(always)]
    fn at<B: Bytes>(values: &Floats<B>, lane: usize) -> Self {
        B::float_at(values, lane)
    }

    #[inline(always)]
    fn worst<B: Bytes>() -> Floats<B> {
        [B::Block::splat(Self::WORST); N_BLOCKS]
    }
}

/// See [`Ranking`].
pub(super) struct FloatRanking<B: Bytes> {
    best: Floats<B>,
    seconds: Floats<B>,
    indices: B,
}

impl<B: Bytes> Ranking<B, f32> for FloatRanking<B> {
    #[inline(always)]
    fn new() -> Self {
        let worst = [B::Block::splat(f32::WORST); N_BLOCKS];
        Self { best: worst, seconds: worst, indices: B::splat(0) }
    }

    #[inline(always)]
    fn take(&mut self, values: &Floats<B>, playable: B, index: u8) {
        let mut masks = playable.masks();
        for (block, mask) in masks.iter_mut().enumerate() {
            let value = values[block].or_unless(B::Block::splat(f32::WORST), *mask);
            let best = self.best[block];
            *mask = best.less(value);
            self.seconds[block] = self.seconds[block].max(best.min(value));
            self.best[block] = best.max(value);
        }
        self.indices = self.indices.or_if(B::splat(index), B::of_masks(masks));
    }

    #[inline(always)]
    fn best(&self) -> Best<f32> {
        let (values, seconds) = (B::in_order(&self.best), B::in_order(&self.seconds));
        Best { values, indices: self.indices.store(), seconds }
    }
}

impl Value for f64 {
    type Of<B: Bytes> = Each<Self>;
    type Ranking<B: Bytes> = DoubleRanking;

    const WORST: Self = Self::NEG_INFINITY;

    #[inline(always)]
    fn in_order<B: Bytes>(values: &Each<Self>) -> Each<Self> {
        *values
    }

    #[inline(always)]
    fn at<B: Bytes>(values: &Each<Self>, lane: usize) -> Self {
        values[lane]
    }

    #[inline(always)]
    fn worst<B: Bytes>() -> Each<Self> {
        [Self::WORST; N_BOARDS]
    }
}

/// See [`Ranking`].
pub(super) struct DoubleRanking {
    best: Each<f64>,
    indices: Each<f64>,
}

impl<B: Bytes> Ranking<B, f64> for DoubleRanking {
    #[inline(always)]
    fn new() -> Self {
        Self { best: [f64::WORST; N_BOARDS], indices: [0.0; N_BOARDS] }
    }

    #[inline(always)]
    fn take(&mut self, values: &Each<f64>, playable: B, index: u8) {
        let (playable, index) = (playable.store(), f64::from(index));
        for lane in 0..N_BOARDS {
            let value = if playable[lane] == 0 { f64::WORST } else { values[lane] };
            let better = self.best[lane] < value;
            self.best[lane] = if better { value } else { self.best[lane] };
            self.indices[lane] = if better { index } else { self.indices[lane] };
        }
    }

    #[inline(always)]
    fn best(&self) -> Best<f64> {
        let mut indices = [0; N_BOARDS];
        for (to, &from) in indices.iter_mut().zip(&self.indices) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "was u8")]
            let index = from as u8;
            *to = index;
        }
        Best { values: self.best, indices, seconds: [f64::WORST; N_BOARDS] }
    }
}
