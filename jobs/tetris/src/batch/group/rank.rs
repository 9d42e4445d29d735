//! Placements that remove no row: the best of each board.

use super::Values;
use super::settle::Removing;
use crate::batch::judge::{Features, Judge};
use crate::batch::kernel::{Landed, N_FEATURES, Totals};
use crate::batch::ranking::{Ranking, Value};
use crate::batch::vectors::{Block, Bytes, Floats, N_BLOCKS, Rows, Task, Words};

/// Finds the best placement of each board among those that remove no row, and notes the others.
pub(super) struct Rank<'a, R: Rows, J: Judge> {
    pub(super) judge: &'a J,
    /// The number of boards.
    pub(super) n: usize,
    pub(super) landed: &'a [Landed<R>],
    pub(super) origins: &'a Totals<<R::Bytes as Bytes>::Words>,
    pub(super) values: &'a mut Values<R, J::Value>,
}

impl<R: Rows, J: Judge> Task for Rank<'_, R, J> {
    #[inline(always)]
    fn run(mut self) {
        self.values.all.resize(self.landed.len(), J::Value::worst::<R::Bytes>());
        self.values.removing.clear();
        let mut origins = [[<R::Bytes as Bytes>::Block::splat(0.0); N_BLOCKS]; N_FEATURES];
        if !J::RELATIVE {
            for (floats, words) in origins.iter_mut().zip(self.origins) {
                *floats = words.floats();
            }
        }
        let mut ranking = <J::Value as Value>::Ranking::<R::Bytes>::new();
        for (index, landed) in (0..).zip(self.landed) {
            let values = if J::RELATIVE {
                self.judge.values::<R::Bytes, false>(&Changes(landed))
            } else {
                let features = Changed { landed, origins: &origins };
                self.judge.values::<R::Bytes, false>(&features)
            };
            self.values.all[usize::from(index)] = values;
            ranking.take(&values, landed.playable, index);
            if landed.removes.any() {
                self.note(landed, index);
            }
        }
        self.values.best = ranking.best();
    }
}

/// The changes of features as features.
struct Changes<'a, R: Rows>(&'a Landed<R>);

impl<R: Rows> Features<R::Bytes> for Changes<'_, R> {
    #[inline(always)]
    fn feature<const IDX: usize>(&self) -> Floats<R::Bytes> {
        self.0.change::<IDX>()
    }
}

/// The features after a placement.
struct Changed<'a, R: Rows> {
    landed: &'a Landed<R>,
    origins: &'a [Floats<R::Bytes>; N_FEATURES],
}

impl<R: Rows> Features<R::Bytes> for Changed<'_, R> {
    #[inline(always)]
    fn feature<const IDX: usize>(&self) -> Floats<R::Bytes> {
        let mut feature = self.landed.change::<IDX>();
        for (feature, origin) in feature.iter_mut().zip(self.origins[IDX]) {
            *feature = feature.add(origin);
        }
        feature
    }
}

impl<R: Rows, J: Judge> Rank<'_, R, J> {
    /// Notes the boards on which a placement removes rows.
    #[inline(always)]
    fn note(&mut self, landed: &Landed<R>, index: u8) {
        let (rows, full) = (landed.row.store(), landed.full.store());
        let mut lanes = landed.removes.high_bits();
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            if lane < self.n {
                let (row, full, value) = (rows[lane], full[lane], J::Value::WORST);
                self.values.removing.push(Removing { lane, index, row, full, value });
            }
        }
    }
}
