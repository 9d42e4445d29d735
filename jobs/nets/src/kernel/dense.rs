//! Products of dense matrices, tile by tile.
//!
//! ```text
//!                 B: inner x columns, in panels of some vectors
//!                 +--+--+--+
//!                 |  |  |  |  one block of the inner dimension at a time
//!                 +--+--+--+
//! A: rows x inner +--+--+--+
//!   +-----------+ |##|  |  |  C: a tile of some rows and a panel is summed in registers
//!   +-----------+ +--+--+--+
//! ```
//!
//! Blocks ascend, and a sum that waits in memory for the next block is not rounded again: so each
//! sum has the order of the plain definition.

use std::ops::Range;

use super::factors::{Band, Block, Factors};
use super::vectors::{FloatVector, VectorTask};
use crate::matrix::Matrix;

/// The largest length of a block of the inner dimension: a packed block of 256 columns fits in the
/// second cache, and the factors of a tile in the first.
const MAX_BLOCK_LEN: usize = 384;

/// The matrix on the right of a product.
#[derive(Clone, Copy)]
pub(super) enum Right<'m> {
    /// Some rows of a matrix, each of the number of columns of the product.
    Rows(&'m [f32]),
    /// The transpose of a matrix.
    Transposed(&'m Matrix),
}

/// Memory for copies of parts of matrices, in the reading order of tiles.
#[derive(Clone, Debug, Default)]
pub(super) struct Packing {
    factors: Vec<f32>,
    panels: Vec<f32>,
    /// For each sparse row the number of its entries that were copied already.
    pub(super) cursors: Vec<usize>,
}

/// Adds the product of `factors` and `right` to `to`, rows of `n_cols` columns.
pub(super) struct AddProduct<'m> {
    pub(super) factors: Factors<'m>,
    pub(super) right: Right<'m>,
    pub(super) to: &'m mut [f32],
    pub(super) n_cols: usize,
    pub(super) packing: &'m mut Packing,
}

impl VectorTask for AddProduct<'_> {
    #[inline(always)]
    fn run<V: FloatVector>(self) {
        let Self { factors, right, to, n_cols, packing } = self;
        let n_inner = factors.n_inner();
        let is_fit = match right {
            Right::Rows(values) => values.len() == n_inner * n_cols,
            Right::Transposed(matrix) => (matrix.n_rows(), matrix.n_cols()) == (n_cols, n_inner),
        };
        assert!(is_fit && to.len() == factors.n_rows() * n_cols, "the matrices fit together");
        packing.cursors.clear();
        packing.cursors.resize(factors.n_cursors(), 0);
        // Blocks of about the same length.
        let len = n_inner.div_ceil(n_inner.div_ceil(MAX_BLOCK_LEN).max(1));
        let mut start = 0;
        while start < n_inner {
            let block = Block { start, len: len.min(n_inner - start) };
            add_block::<V>(factors, right, block, to, n_cols, packing);
            start += block.len;
        }
    }
}

#[inline(always)]
fn add_block<V: FloatVector>(
    factors: Factors<'_>,
    right: Right<'_>,
    block: Block,
    to: &mut [f32],
    n_cols: usize,
    packing: &mut Packing,
) {
    let n_rows = factors.n_rows();
    let panel_len = V::N_PANEL_VECTORS * V::N_LANES;
    // Panels that are read once are not worth a copy.
    let direct = match right {
        Right::Rows(rows) if n_rows <= V::N_TILE_ROWS => &rows[block.start * n_cols..],
        _ => &[],
    };
    let n_direct = if direct.is_empty() { 0 } else { n_cols - n_cols % panel_len };
    pack_panels::<V>(right, block, n_direct..n_cols, panel_len, &mut packing.panels);
    let panels = Panels { packed: &packing.panels, direct, n_direct, panel_len };
    let mut row = 0;
    while row < n_rows {
        let band = Band::new(row, n_rows - row, V::N_TILE_ROWS);
        factors.pack(block, &band, &mut packing.cursors, &mut packing.factors);
        let mut at = 0;
        while at < band.n_rows {
            let n_tile_rows = band.tile_rows_at(at);
            let factors = &packing.factors[at * block.len..][..n_tile_rows * block.len];
            let to = &mut to[(row + at) * n_cols..];
            match n_tile_rows {
                6 => add_tiles::<V, 6>(factors, panels, block, to, n_cols),
                4 => add_tiles::<V, 4>(factors, panels, block, to, n_cols),
                2 => add_tiles::<V, 2>(factors, panels, block, to, n_cols),
                _ => add_tiles::<V, 1>(factors, panels, block, to, n_cols),
            }
            at += n_tile_rows;
        }
        row += band.n_rows;
    }
}

/// The panels of a block: the first columns in place, the others copied.
#[derive(Clone, Copy)]
struct Panels<'m> {
    packed: &'m [f32],
    direct: &'m [f32],
    n_direct: usize,
    panel_len: usize,
}

/// Adds to all columns of `R` rows.
#[inline(always)]
fn add_tiles<V: FloatVector, const R: usize>(
    factors: &[f32],
    panels: Panels<'_>,
    block: Block,
    to: &mut [f32],
    n_cols: usize,
) {
    let Panels { packed, direct, n_direct, panel_len } = panels;
    let mut col = 0;
    while col < n_cols {
        let (panel, stride) = match col < n_direct {
            true => (&direct[col..], n_cols),
            false => (&packed[(col - n_direct) * block.len..], panel_len),
        };
        let width = panel_len.min(n_cols - col);
        let tile = Tile { factors, panel, stride, width, n_cols };
        let to = &mut to[col..];
        match width.div_ceil(V::N_LANES) {
            4 if V::N_PANEL_VECTORS == 4 => tile.add::<V, R, 4>(to),
            3 if V::N_PANEL_VECTORS == 4 => tile.add::<V, R, 3>(to),
            2 => tile.add::<V, R, 2>(to),
            _ => tile.add::<V, R, 1>(to),
        }
        col += width;
    }
}

/// Copies the panels of some columns of a block, each row by row; the last panel is filled up with
/// zeros.
#[inline(always)]
fn pack_panels<V: FloatVector>(
    right: Right<'_>,
    block: Block,
    cols: Range<usize>,
    panel_len: usize,
    panels: &mut Vec<f32>,
) {
    let n_panels = cols.len().div_ceil(panel_len);
    panels.resize(n_panels * panel_len * block.len, 0.0);
    for (at, panel) in panels.chunks_exact_mut(panel_len * block.len).enumerate() {
        let col = cols.start + at * panel_len;
        let width = panel_len.min(cols.end - col);
        if width < panel_len {
            panel.fill(0.0);
        }
        match right {
            Right::Rows(rows) => {
                let rows = rows[block.start * cols.end..].chunks_exact(cols.end);
                for (row, to) in rows.zip(panel.chunks_exact_mut(panel_len)) {
                    let row = &row[col..col + width];
                    match width == V::N_PANEL_VECTORS * V::N_LANES {
                        true => {
                            for at in 0..V::N_PANEL_VECTORS {
                                let at = at * V::N_LANES;
                                V::load(&row[at..]).store(&mut to[at..]);
                            }
                        }
                        false => to[..width].copy_from_slice(row),
                    }
                }
            }
            Right::Transposed(matrix) => {
                for lane in 0..width {
                    let column = &matrix.row(col + lane)[block.start..][..block.len];
                    for (to, &value) in panel[lane..].iter_mut().step_by(panel_len).zip(column) {
                        *to = value;
                    }
                }
            }
        }
    }
}

/// The summand of a tile of `c`: for each number of the inner dimension, the product of a column of
/// factors and a row of the panel.
struct Tile<'m> {
    factors: &'m [f32],
    panel: &'m [f32],
    /// The distance between rows of the panel.
    stride: usize,
    /// The columns of the tile.
    width: usize,
    /// The columns of `c`.
    n_cols: usize,
}

impl Tile<'_> {
    #[inline(always)]
    fn add<V: FloatVector, const R: usize, const W: usize>(&self, to: &mut [f32]) {
        let mut sums = [[V::splat(0.0); W]; R];
        let is_whole = self.width == W * V::N_LANES;
        let last = (W - 1) * V::N_LANES;
        for (at, sums) in sums.iter_mut().enumerate() {
            let row = &to[at * self.n_cols..][..self.width];
            for (at, sum) in sums.iter_mut().enumerate().take(W - 1) {
                *sum = V::load(&row[at * V::N_LANES..]);
            }
            sums[W - 1] = match is_whole {
                true => V::load(&row[last..]),
                false => V::load_part(&row[last..]),
            };
        }
        let (factors, _) = self.factors.as_chunks::<R>();
        for (factors, row) in factors.iter().zip(self.panel.chunks(self.stride)) {
            let row = &row[..W * V::N_LANES];
            let mut values = [V::splat(0.0); W];
            for (at, value) in values.iter_mut().enumerate() {
                *value = V::load(&row[at * V::N_LANES..]);
            }
            for (sums, &factor) in sums.iter_mut().zip(factors) {
                let factor = V::splat(factor);
                for (sum, &value) in sums.iter_mut().zip(&values) {
                    *sum = sum.add(factor.mul(value));
                }
            }
        }
        for (at, sums) in sums.iter().enumerate() {
            let row = &mut to[at * self.n_cols..][..self.width];
            for (at, sum) in sums.iter().enumerate().take(W - 1) {
                sum.store(&mut row[at * V::N_LANES..]);
            }
            match is_whole {
                true => sums[W - 1].store(&mut row[last..]),
                false => sums[W - 1].store_part(&mut row[last..]),
            }
        }
    }
}
