//! The seven pieces, their orientations, and their weights in random draws.

use hatchery_core::wire::{MessageReader, MessageWriter, WireField};
use hatchery_core::{DecodeError, InvalidValue};

use super::MAX_WIDTH;

/// A piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Piece {
    /// Four in a row.
    I,
    /// The square.
    O,
    /// Three in a row and one at their middle.
    T,
    /// Two pairs, the upper one to the left.
    Z,
    /// Two pairs, the upper one to the right.
    S,
    /// Three in a row and one at an end.
    J,
    /// Three in a row and one at the other end.
    L,
}

impl Piece {
    /// All pieces, in the order of the literature's reference simulator (MDPTetris).
    pub const ALL: [Self; 7] = [Self::I, Self::O, Self::T, Self::Z, Self::S, Self::J, Self::L];

    /// Returns the piece's orientations, in the order that placements follow. Each orientation is
    /// the orientation before it, rotated by 90 degrees counter-clockwise.
    #[must_use]
    pub fn orientations(self) -> &'static [Orientation] {
        const STARTS: [usize; 8] = [0, 2, 3, 7, 9, 11, 15, 19];
        let idx = self as usize;
        &ORIENTATIONS[STARTS[idx]..STARTS[idx + 1]]
    }

    /// Returns the piece's letter.
    #[must_use]
    pub fn letter(self) -> char {
        ['I', 'O', 'T', 'Z', 'S', 'J', 'L'][self as usize]
    }
}

/// A piece in one rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orientation {
    /// The number of columns that the orientation covers: 1 to 4.
    pub width: usize,
    /// The number of rows that the orientation covers: 1 to 4.
    pub height: u32,
    /// The row of the lowest cell in each column, counted from the piece's lowest row.
    pub bottoms: [u8; 4],
    /// As `bottoms`, with `u32::MAX` in columns that the orientation does not cover.
    pub(crate) padded_bottoms: [u32; 4],
    /// The cells in each column, which form one run: bit r is row r from the piece's lowest row.
    pub cells: [u64; 4],
    /// The number of cells in each column.
    pub n_cells: [u8; 4],
    /// The cells left and right of the piece's own cells: bit 4 w + r is row r of column w, where
    /// column 0 is the one to the left of the piece.
    pub beside: u64,
    /// The piece's own cells, in the order of `beside`.
    own: u64,
    /// The cells by column, the piece's first column at `MAX_WIDTH - 1`, with empty columns on both
    /// sides.
    padded_cells: [u8; 2 * MAX_WIDTH - 1],
}

impl Orientation {
    /// Returns the cells in each column of the widest board if the leftmost ones are in `column`:
    /// bit r is row r from the piece's lowest row.
    #[inline(always)]
    pub(crate) fn cells_from(&self, column: usize) -> &[u8; MAX_WIDTH] {
        let cells = &self.padded_cells[MAX_WIDTH - 1 - column..];
        cells.first_chunk().expect("as many columns follow the first one of any board")
    }

    /// Returns the number of the piece's cells in `rows`: bit r is row r from its lowest row.
    #[inline(always)]
    pub(crate) fn n_cells_in(&self, rows: u64) -> u32 {
        (self.own & ((rows & 0xF) * 0x1_1110)).count_ones()
    }
}

/// The 19 orientations, piece by piece.
pub(crate) const ORIENTATIONS: [Orientation; 19] = orientations();

/// A piece as rows from the top, each with its leftmost column in the highest of `width` bits.
#[derive(Clone, Copy)]
struct PieceShape {
    rows: [u8; 4],
    width: usize,
    height: usize,
}

const fn orientations() -> [Orientation; 19] {
    // The base shapes of MDPTetris, data/pieces4.dat.
    const BASES: [(PieceShape, usize); 7] = [
        (PieceShape { rows: [0b1, 0b1, 0b1, 0b1], width: 1, height: 4 }, 2),
        (PieceShape { rows: [0b11, 0b11, 0, 0], width: 2, height: 2 }, 1),
        (PieceShape { rows: [0b10, 0b11, 0b10, 0], width: 2, height: 3 }, 4),
        (PieceShape { rows: [0b01, 0b11, 0b10, 0], width: 2, height: 3 }, 2),
        (PieceShape { rows: [0b10, 0b11, 0b01, 0], width: 2, height: 3 }, 2),
        (PieceShape { rows: [0b100, 0b111, 0, 0], width: 3, height: 2 }, 4),
        (PieceShape { rows: [0b111, 0b100, 0, 0], width: 3, height: 2 }, 4),
    ];
    let mut all = [columns(BASES[0].0); 19];
    let (mut base, mut idx) = (0, 0);
    while base < BASES.len() {
        let (mut shape, n_orientations) = BASES[base];
        let mut turn = 0;
        while turn < n_orientations {
            all[idx] = columns(shape);
            shape = rotated(shape);
            idx += 1;
            turn += 1;
        }
        base += 1;
    }
    all
}

const fn has_cell(shape: PieceShape, row: usize, column: usize) -> bool {
    shape.rows[row] >> (shape.width - 1 - column) & 1 == 1
}

/// Returns `shape` rotated by 90 degrees counter-clockwise.
const fn rotated(shape: PieceShape) -> PieceShape {
    let mut rows = [0; 4];
    let mut column = 0;
    while column < shape.width {
        let mut row = 0;
        while row < shape.height {
            if has_cell(shape, row, column) {
                // The right column becomes the top row; the top row becomes the left column.
                rows[shape.width - 1 - column] |= 1 << (shape.height - 1 - row);
            }
            row += 1;
        }
        column += 1;
    }
    PieceShape { rows, width: shape.height, height: shape.width }
}

#[expect(clippy::cast_possible_truncation, reason = "a piece has at most four rows")]
const fn columns(shape: PieceShape) -> Orientation {
    let (mut bottoms, mut cells, mut n_cells) = ([0; 4], [0_u64; 4], [0; 4]);
    let (mut padded_bottoms, mut padded_cells) = ([u32::MAX; 4], [0; 2 * MAX_WIDTH - 1]);
    let (mut own, mut sides) = (0, 0);
    let mut column = 0;
    while column < shape.width {
        let mut row = 0;
        while row < shape.height {
            if has_cell(shape, row, column) {
                cells[column] |= 1 << (shape.height - 1 - row);
            }
            row += 1;
        }
        bottoms[column] = cells[column].trailing_zeros() as u8;
        padded_bottoms[column] = cells[column].trailing_zeros();
        padded_cells[MAX_WIDTH - 1 + column] = cells[column] as u8;
        n_cells[column] = cells[column].count_ones() as u8;
        own |= cells[column] << (4 * (column + 1));
        sides |= cells[column] << (4 * column) | cells[column] << (4 * (column + 2));
        column += 1;
    }
    let (width, height) = (shape.width, shape.height as u32);
    let beside = sides & !own;
    Orientation {
        width,
        height,
        bottoms,
        padded_bottoms,
        cells,
        n_cells,
        beside,
        own,
        padded_cells,
    }
}

/// The pieces' relative frequencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceWeights {
    weights: [u32; 7],
    sum: u32,
}

/// The largest weight of a piece.
pub const MAX_PIECE_WEIGHT: u32 = 1000;

/// The seven weights.
impl WireField for PieceWeights {
    fn write_field(&self, tag: u32, message: &mut MessageWriter) {
        self.weights.write_field(tag, message);
    }

    fn read_field(
        tag: u32,
        name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Self, DecodeError> {
        let weights = WireField::read_field(tag, name, message)?;
        Self::new(weights).map_err(|invalid| invalid.under(name).into())
    }
}

impl PieceWeights {
    /// Equal weights for all pieces.
    pub const UNIFORM: Self = Self { weights: [1; 7], sum: 7 };

    /// Creates the distribution with `weights` in the order of [`Piece::ALL`].
    ///
    /// # Errors
    /// If all are 0 or one is above [`MAX_PIECE_WEIGHT`].
    pub fn new(weights: [u32; 7]) -> Result<Self, InvalidValue> {
        for (piece, weight) in Piece::ALL.into_iter().zip(weights) {
            let letter = piece.letter().to_string();
            InvalidValue::check_range(&letter, &weight, &0, &MAX_PIECE_WEIGHT)?;
        }
        match weights.iter().sum() {
            0 => Err(InvalidValue::new("", "0 for all pieces", "above 0 for at least one")),
            sum => Ok(Self { weights, sum }),
        }
    }

    /// Returns the weights, in the order of [`Piece::ALL`].
    #[must_use]
    pub fn weights(&self) -> [u32; 7] {
        self.weights
    }

    /// Returns the sum of the weights.
    #[must_use]
    pub fn sum(&self) -> u32 {
        self.sum
    }

    /// Returns the piece drawn by `ticket`, a number below [`sum`](Self::sum): each piece has as
    /// many consecutive tickets as its weight.
    #[must_use]
    pub fn piece(&self, mut ticket: u32) -> Piece {
        for (piece, weight) in Piece::ALL.into_iter().zip(self.weights) {
            if ticket < weight {
                return piece;
            }
            ticket -= weight;
        }
        Piece::L
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the orientations of a piece as drawings, rows from the top.
    fn drawn(piece: Piece) -> Vec<String> {
        let draw = |orientation: &Orientation| {
            let row = |row: u32| -> String {
                let cells = &orientation.cells[..orientation.width];
                cells.iter().map(|cells| if cells >> row & 1 == 1 { 'X' } else { '.' }).collect()
            };
            (0..orientation.height).rev().map(row).collect::<Vec<_>>().join("/")
        };
        piece.orientations().iter().map(draw).collect()
    }

    #[test]
    fn orientations_turn_counter_clockwise() {
        assert_eq!(drawn(Piece::I), ["X/X/X/X", "XXXX"]);
        assert_eq!(drawn(Piece::O), ["XX/XX"]);
        assert_eq!(drawn(Piece::T), ["X./XX/X.", ".X./XXX", ".X/XX/.X", "XXX/.X."]);
        assert_eq!(drawn(Piece::Z), [".X/XX/X.", "XX./.XX"]);
        assert_eq!(drawn(Piece::S), ["X./XX/.X", ".XX/XX."]);
        assert_eq!(drawn(Piece::J), ["X../XXX", ".X/.X/XX", "XXX/..X", "XX/X./X."]);
        assert_eq!(drawn(Piece::L), ["XXX/X..", "X./X./XX", "..X/XXX", "XX/.X/.X"]);
    }

    #[test]
    fn cells_beside_a_piece_are_those_that_its_rows_touch() {
        // The second T stands on its bar: four cells are beside it, two in each row.
        let t = Piece::T.orientations()[1];
        let columns: Vec<u64> = (0..5).map(|column| t.beside >> (4 * column) & 0xF).collect();
        assert_eq!(columns, [0b01, 0b10, 0b00, 0b10, 0b01]);
        for shape in Piece::ALL.iter().flat_map(|piece| piece.orientations()) {
            assert_eq!(shape.beside.count_ones(), 2 * shape.height);
        }
    }

    #[test]
    fn cells_are_those_of_each_column_wherever_the_piece_is() {
        for shape in Piece::ALL.iter().flat_map(|piece| piece.orientations()) {
            for column in 0..=MAX_WIDTH - shape.width {
                let mut expected = [0; MAX_WIDTH];
                for (expected, &cells) in expected[column..].iter_mut().zip(&shape.cells) {
                    *expected = u8::try_from(cells).unwrap();
                }
                assert_eq!(shape.cells_from(column), &expected, "{shape:?} in column {column}");
            }
            // Rows above the piece have none of its cells.
            for rows in (0..64).chain([u64::MAX]) {
                let expected: u32 = shape.cells.iter().map(|it| (it & rows).count_ones()).sum();
                assert_eq!(shape.n_cells_in(rows), expected, "{shape:?} in rows {rows:b}");
            }
        }
    }

    #[test]
    fn tickets_are_as_many_as_the_weights_say() {
        let weights = PieceWeights::new([1, 1, 1, 3, 3, 1, 1]).unwrap();
        let drawn: String =
            (0..weights.sum()).map(|ticket| weights.piece(ticket).letter()).collect();
        assert_eq!(drawn, "IOTZZZSSSJL");
        assert!(PieceWeights::new([0; 7]).is_err());
        let large = PieceWeights::new([1001, 1, 1, 1, 1, 1, 1]).unwrap_err();
        assert_eq!(large.to_string(), "I is 1001, but must be from 0 to 1000");
    }
}
