//! Every board's best placement so far.

use std::ops::Sub;

use super::vectors::{ByteVector, FloatBlock, FloatBlocks, N_BLOCKS, N_BOARDS, PerBoard};

/// The value of a board; larger is better.
pub(super) trait BatchValue: Copy + PartialOrd + Sub<Output = Self> + From<f32> {
    /// A value for each board.
    type Of<B: ByteVector>: Copy;

    /// The ranking of placements by such values.
    type Ranking<B: ByteVector>: PlacementRanking<B, Self>;

    /// A value below all others.
    const WORST: Self;

    fn in_order<B: ByteVector>(values: &Self::Of<B>) -> PerBoard<Self>;

    /// Returns a board's value.
    fn at<B: ByteVector>(values: &Self::Of<B>, lane: usize) -> Self;

    /// Returns [`WORST`](Self::WORST) for each board.
    fn worst<B: ByteVector>() -> Self::Of<B>;
}

/// A search for every board's best placement.
pub(super) trait PlacementRanking<B: ByteVector, V: BatchValue> {
    fn new() -> Self;

    /// Adds the placement `index` with its values, where `playable`.
    fn take(&mut self, values: &V::Of<B>, playable: B, index: u8);

    fn best(&self) -> BestPlacements<V>;
}

/// Every board's best placement.
pub(super) struct BestPlacements<V> {
    /// The largest values.
    pub(super) values: PerBoard<V>,
    /// The indices of the placements with the largest values, the first of equal ones. 0 if no
    /// placement is playable.
    pub(super) indices: PerBoard<u8>,
    /// The second largest values; equal to the largest if two placements share it.
    seconds: PerBoard<V>,
}

impl<V: BatchValue> BestPlacements<V> {
    /// Creates the ranking of no placements.
    pub(super) fn none() -> Self {
        Self { values: [V::WORST; N_BOARDS], indices: [0; N_BOARDS], seconds: [V::WORST; N_BOARDS] }
    }

    /// Adds another placement of the board in `lane`.
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

    /// Returns true if `value` is so close to the best that it may be better.
    #[inline(always)]
    pub(super) fn is_close(&self, lane: usize, value: V, margin: f32) -> bool {
        self.values[lane] - value <= V::from(margin)
    }

    /// Returns true if another placement is so close to the best that it may be better.
    #[inline(always)]
    pub(super) fn is_contested(&self, lane: usize, margin: f32) -> bool {
        self.is_close(lane, self.seconds[lane], margin)
    }
}

impl BatchValue for f32 {
    type Of<B: ByteVector> = FloatBlocks<B>;
    type Ranking<B: ByteVector> = FloatRanking<B>;

    const WORST: Self = Self::NEG_INFINITY;

    #[inline(always)]
    fn in_order<B: ByteVector>(values: &FloatBlocks<B>) -> PerBoard<Self> {
        B::in_order(values)
    }

    #[inline(always)]
    fn at<B: ByteVector>(values: &FloatBlocks<B>, lane: usize) -> Self {
        B::float_at(values, lane)
    }

    #[inline(always)]
    fn worst<B: ByteVector>() -> FloatBlocks<B> {
        [B::Block::splat(Self::WORST); N_BLOCKS]
    }
}

/// The ranking by 32-bit floats.
pub(super) struct FloatRanking<B: ByteVector> {
    best: FloatBlocks<B>,
    seconds: FloatBlocks<B>,
    indices: B,
}

impl<B: ByteVector> PlacementRanking<B, f32> for FloatRanking<B> {
    #[inline(always)]
    fn new() -> Self {
        let worst = [B::Block::splat(f32::WORST); N_BLOCKS];
        Self { best: worst, seconds: worst, indices: B::splat(0) }
    }

    #[inline(always)]
    fn take(&mut self, values: &FloatBlocks<B>, playable: B, index: u8) {
        let mut masks = playable.masks();
        for (block, mask) in masks.iter_mut().enumerate() {
            let value = values[block].or_unless(B::Block::splat(f32::WORST), *mask);
            let best = self.best[block];
            *mask = best.less(value);
            self.seconds[block] = self.seconds[block].max(best.min(value));
            self.best[block] = best.max(value);
        }
        self.indices = self.indices.or_if(B::splat(index), B::from_masks(masks));
    }

    #[inline(always)]
    fn best(&self) -> BestPlacements<f32> {
        let (values, seconds) = (B::in_order(&self.best), B::in_order(&self.seconds));
        BestPlacements { values, indices: self.indices.store(), seconds }
    }
}

impl BatchValue for f64 {
    type Of<B: ByteVector> = PerBoard<Self>;
    type Ranking<B: ByteVector> = DoubleRanking;

    const WORST: Self = Self::NEG_INFINITY;

    #[inline(always)]
    fn in_order<B: ByteVector>(values: &PerBoard<Self>) -> PerBoard<Self> {
        *values
    }

    #[inline(always)]
    fn at<B: ByteVector>(values: &PerBoard<Self>, lane: usize) -> Self {
        values[lane]
    }

    #[inline(always)]
    fn worst<B: ByteVector>() -> PerBoard<Self> {
        [Self::WORST; N_BOARDS]
    }
}

/// The ranking by 64-bit floats.
pub(super) struct DoubleRanking {
    best: PerBoard<f64>,
    indices: PerBoard<f64>,
}

impl<B: ByteVector> PlacementRanking<B, f64> for DoubleRanking {
    #[inline(always)]
    fn new() -> Self {
        Self { best: [f64::WORST; N_BOARDS], indices: [0.0; N_BOARDS] }
    }

    #[inline(always)]
    fn take(&mut self, values: &PerBoard<f64>, playable: B, index: u8) {
        let (playable, index) = (playable.store(), f64::from(index));
        for lane in 0..N_BOARDS {
            let value = if playable[lane] == 0 { f64::WORST } else { values[lane] };
            let better = self.best[lane] < value;
            self.best[lane] = if better { value } else { self.best[lane] };
            self.indices[lane] = if better { index } else { self.indices[lane] };
        }
    }

    #[inline(always)]
    fn best(&self) -> BestPlacements<f64> {
        let mut indices = [0; N_BOARDS];
        for (to, &from) in indices.iter_mut().zip(&self.indices) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "was u8")]
            let index = from as u8;
            *to = index;
        }
        BestPlacements { values: self.best, indices, seconds: [f64::WORST; N_BOARDS] }
    }
}
