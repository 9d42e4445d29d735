//! Evaluates placements that remove no row, and finds every board's best placement.

use super::clear::ClearingPlacement;
use crate::batch::evaluator::{BatchEvaluator, FeatureVectors};
use crate::batch::kernel::{FeatureTotals, LandedPlacement, N_FEATURES};
use crate::batch::ranking::{BatchValue, BestPlacements, PlacementRanking};
use crate::batch::vectors::{
    ByteVector, FloatBlock, FloatBlocks, N_BLOCKS, RowSets, VectorTask, WordVector,
};

/// The values of the placements of a piece.
pub(in crate::batch) struct PlacementValues<R: RowSets, V: BatchValue> {
    /// The placements' values come first, in order; a value is valid on the boards where its
    /// placement is playable.
    pub(super) all: Vec<V::Of<R::Bytes>>,
    pub(super) clearing: Vec<ClearingPlacement<V>>,
    pub(in crate::batch) best: BestPlacements<V>,
}

impl<R: RowSets, V: BatchValue> PlacementValues<R, V> {
    pub(in crate::batch) fn new() -> Self {
        Self { all: Vec::new(), clearing: Vec::new(), best: BestPlacements::none() }
    }
}

/// Finds, for every board, the best placement that removes no row, and lists the placements that
/// remove rows.
pub(super) struct RankPlacements<'a, R: RowSets, E: BatchEvaluator> {
    pub(super) evaluator: &'a E,
    /// The number of boards.
    pub(super) n: usize,
    pub(super) landed: &'a [LandedPlacement<R>],
    pub(super) origins: &'a FeatureTotals<<R::Bytes as ByteVector>::Words>,
    pub(super) values: &'a mut PlacementValues<R, E::Value>,
}

impl<R: RowSets, E: BatchEvaluator> VectorTask for RankPlacements<'_, R, E> {
    #[inline(always)]
    fn run(mut self) {
        if self.values.all.len() < self.landed.len() {
            self.values.all.resize(self.landed.len(), E::Value::worst::<R::Bytes>());
        }
        self.values.clearing.clear();
        let mut origins = [[<R::Bytes as ByteVector>::Block::splat(0.0); N_BLOCKS]; N_FEATURES];
        if !E::RELATIVE {
            for (floats, words) in origins.iter_mut().zip(self.origins) {
                *floats = words.floats();
            }
        }
        let mut ranking = <E::Value as BatchValue>::Ranking::<R::Bytes>::new();
        for (index, landed) in (0..).zip(self.landed) {
            let values = if E::RELATIVE {
                self.evaluator.values::<R::Bytes, false>(&FeatureChanges(landed))
            } else {
                let features = ChangedFeatures { landed, origins: &origins };
                self.evaluator.values::<R::Bytes, false>(&features)
            };
            self.values.all[usize::from(index)] = values;
            ranking.take(&values, landed.playable, index);
            if landed.removes.any() {
                self.collect_clearing(landed, index);
            }
        }
        self.values.best = ranking.best();
    }
}

/// The changes of features, valued like features.
struct FeatureChanges<'a, R: RowSets>(&'a LandedPlacement<R>);

impl<R: RowSets> FeatureVectors<R::Bytes> for FeatureChanges<'_, R> {
    #[inline(always)]
    fn feature<const IDX: usize>(&self) -> FloatBlocks<R::Bytes> {
        self.0.change::<IDX>()
    }
}

/// The features after a placement.
struct ChangedFeatures<'a, R: RowSets> {
    landed: &'a LandedPlacement<R>,
    origins: &'a [FloatBlocks<R::Bytes>; N_FEATURES],
}

impl<R: RowSets> FeatureVectors<R::Bytes> for ChangedFeatures<'_, R> {
    #[inline(always)]
    fn feature<const IDX: usize>(&self) -> FloatBlocks<R::Bytes> {
        let mut feature = self.landed.change::<IDX>();
        for (feature, origin) in feature.iter_mut().zip(self.origins[IDX]) {
            *feature = feature.add(origin);
        }
        feature
    }
}

impl<R: RowSets, E: BatchEvaluator> RankPlacements<'_, R, E> {
    /// Lists the boards on which a placement removes rows.
    #[inline(always)]
    fn collect_clearing(&mut self, landed: &LandedPlacement<R>, index: u8) {
        let mut lanes = landed.removes.high_bits();
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            if lane < self.n {
                let (row, full) = (landed.row.at(lane), landed.removed.at(lane));
                let value = E::Value::WORST;
                self.values.clearing.push(ClearingPlacement { lane, index, row, full, value });
            }
        }
    }
}
