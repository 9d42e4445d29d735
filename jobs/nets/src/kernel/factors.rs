//! The matrix on the left of a product, which is read factor by factor.

use crate::batch::SparseRows;
use crate::matrix::Matrix;

/// A matrix of factors.
#[derive(Clone, Copy)]
pub(super) enum Factors<'m> {
    Rows(&'m Matrix),
    Transposed(&'m Matrix),
    SparseRows(RowList<'m>),
    SparseTransposed(RowList<'m>),
}

/// Some of the rows of a batch, in some order.
#[derive(Clone, Copy)]
pub(crate) struct RowList<'m> {
    /// The rows.
    pub(crate) rows: &'m SparseRows,
    /// The numbers of the listed rows; `None` lists all rows in order.
    pub(crate) order: Option<&'m [u32]>,
}

/// A part of the inner dimension.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) start: usize,
    pub(super) len: usize,
}

impl<'m> RowList<'m> {
    /// Returns all rows, in order.
    pub(crate) const fn all(rows: &'m SparseRows) -> Self {
        Self { rows, order: None }
    }

    /// Returns the number of rows.
    pub(crate) fn n_rows(self) -> usize {
        self.order.map_or_else(|| self.rows.n_rows(), <[u32]>::len)
    }

    /// Returns the entries of a row.
    #[inline(always)]
    pub(crate) fn row(self, at: usize) -> &'m [(u32, f32)] {
        self.rows.row(match self.order {
            Some(order) => order[at] as usize,
            None => at,
        })
    }
}

impl Factors<'_> {
    pub(super) fn n_rows(self) -> usize {
        match self {
            Self::Rows(matrix) => matrix.n_rows(),
            Self::Transposed(matrix) => matrix.n_cols(),
            Self::SparseRows(list) => list.n_rows(),
            Self::SparseTransposed(list) => list.rows.n_cols(),
        }
    }

    pub(super) fn n_inner(self) -> usize {
        match self {
            Self::Rows(matrix) => matrix.n_cols(),
            Self::Transposed(matrix) => matrix.n_rows(),
            Self::SparseRows(list) => list.rows.n_cols(),
            Self::SparseTransposed(list) => list.n_rows(),
        }
    }

    /// Returns the number of sparse rows.
    pub(super) fn n_cursors(self) -> usize {
        match self {
            Self::Rows(_) | Self::Transposed(_) => 0,
            Self::SparseRows(list) | Self::SparseTransposed(list) => list.n_rows(),
        }
    }

    /// Copies the factors of a band's rows.
    ///
    /// Blocks ascend, and so do bands within a block: a cursor for each sparse row finds its next
    /// entries, and is 0 at first.
    #[inline(always)]
    pub(super) fn pack(self, block: Block, band: &Band, cursors: &mut [usize], to: &mut Vec<f32>) {
        to.resize(band.n_rows * block.len, 0.0);
        let rows = band.first_row..band.first_row + band.n_rows;
        match self {
            Self::Rows(matrix) => {
                for (row, place) in rows.zip(&band.places) {
                    let row = &matrix.row(row)[block.start..][..block.len];
                    let to = to[place.start(block)..].iter_mut().step_by(place.n_tile_rows);
                    for (to, &value) in to.zip(row) {
                        *to = value;
                    }
                }
            }
            Self::Transposed(matrix) => {
                let mut at = 0;
                while at < band.n_rows {
                    let (n_rows, start) = (band.places[at].n_tile_rows, at * block.len);
                    let tile = &mut to[start..start + n_rows * block.len];
                    for (inner, to) in tile.chunks_exact_mut(n_rows).enumerate() {
                        let row = matrix.row(block.start + inner);
                        to.copy_from_slice(&row[band.first_row + at..][..n_rows]);
                    }
                    at += n_rows;
                }
            }
            Self::SparseRows(list) => {
                to.fill(0.0);
                for (row, place) in rows.zip(&band.places) {
                    let (start, end) = (place.start(block), block.start + block.len);
                    let entries = list.row(row);
                    let mut at = cursors[row];
                    while at < entries.len() && (entries[at].0 as usize) < end {
                        let inner = entries[at].0 as usize - block.start;
                        to[start + inner * place.n_tile_rows] = entries[at].1;
                        at += 1;
                    }
                    cursors[row] = at;
                }
            }
            Self::SparseTransposed(list) => {
                to.fill(0.0);
                for inner in 0..block.len {
                    let row = block.start + inner;
                    let entries = list.row(row);
                    let mut at = cursors[row];
                    while at < entries.len() && (entries[at].0 as usize) < rows.end {
                        let place = &band.places[entries[at].0 as usize - rows.start];
                        to[place.start(block) + inner * place.n_tile_rows] = entries[at].1;
                        at += 1;
                    }
                    cursors[row] = at;
                }
            }
        }
    }
}

/// The most rows of a band.
pub(super) const MAX_BAND_ROWS: usize = 64;

/// Some rows whose factors are copied at once, tile by tile; the factors of a tile are adjacent for
/// each number of the inner dimension.
pub(super) struct Band {
    pub(super) first_row: usize,
    pub(super) n_rows: usize,
    places: [Place; MAX_BAND_ROWS],
}

/// The places of the factors of a row.
#[derive(Clone, Copy, Default)]
struct Place {
    /// The rows of the band before the tile's rows.
    n_rows_before: usize,
    /// The rows of the tile before this one.
    lane: usize,
    n_tile_rows: usize,
}

impl Place {
    #[inline(always)]
    fn start(self, block: Block) -> usize {
        self.n_rows_before * block.len + self.lane
    }
}

impl Band {
    /// Returns the band from `first_row` on, of at most `n_rows` rows, in tiles of at most
    /// `max_tile_rows`.
    #[inline(always)]
    pub(super) fn new(first_row: usize, n_rows: usize, max_tile_rows: usize) -> Self {
        let n_rows = n_rows.min(MAX_BAND_ROWS - MAX_BAND_ROWS % max_tile_rows);
        let mut band = Self { first_row, n_rows, places: [Place::default(); MAX_BAND_ROWS] };
        let mut start = 0;
        while start < n_rows {
            let n_tile_rows = tile_rows(max_tile_rows.min(n_rows - start));
            for lane in 0..n_tile_rows {
                band.places[start + lane] = Place { n_rows_before: start, lane, n_tile_rows };
            }
            start += n_tile_rows;
        }
        band
    }

    /// Returns the number of rows of the tile that begins with row `at` of the band.
    #[inline(always)]
    pub(super) fn tile_rows_at(&self, at: usize) -> usize {
        self.places[at].n_tile_rows
    }
}

/// Returns the largest number of rows of a tile that is at most `most`.
#[inline(always)]
fn tile_rows(most: usize) -> usize {
    match most {
        6.. => 6,
        4.. => 4,
        2.. => 2,
        _ => 1,
    }
}
