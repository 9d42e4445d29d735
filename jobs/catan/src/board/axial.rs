//! Axial coordinates of the hexes, on land and at sea.

/// A point of the hexagonal grid: `q` grows to the east, `r` to the south-east.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Axial {
    /// Steps to the east.
    pub q: i8,
    /// Steps to the south-east.
    pub r: i8,
}

impl Axial {
    /// Creates the point with these coordinates.
    #[must_use]
    pub const fn new(q: i8, r: i8) -> Self {
        Self { q, r }
    }

    /// Returns the next hex in `direction`.
    #[must_use]
    pub const fn step(self, direction: Direction) -> Self {
        self.plus(direction.vector())
    }

    /// Returns the number of steps from neighbor to neighbor between two hexes.
    #[must_use]
    pub const fn distance(self, other: Self) -> u8 {
        let (q, r) = (self.q - other.q, self.r - other.r);
        (q.unsigned_abs() + r.unsigned_abs() + (q + r).unsigned_abs()) / 2
    }

    pub(super) const fn plus(self, other: Self) -> Self {
        Self::new(self.q + other.q, self.r + other.r)
    }

    pub(super) const fn times(self, factor: i8) -> Self {
        Self::new(self.q * factor, self.r * factor)
    }

    pub(super) const fn equals(self, other: Self) -> bool {
        self.q == other.q && self.r == other.r
    }

    /// Returns true if this point comes before `other` in reading order: rows from top to bottom,
    /// and west to east within a row.
    pub(super) const fn is_before(self, other: Self) -> bool {
        self.r < other.r || (self.r == other.r && self.q < other.q)
    }
}

/// A side of a hex, which is the direction of a neighbor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Direction {
    /// (+1, -1)
    NorthEast,
    /// (+1, 0)
    East,
    /// (0, +1)
    SouthEast,
    /// (-1, +1)
    SouthWest,
    /// (-1, 0)
    West,
    /// (0, -1)
    NorthWest,
}

impl Direction {
    /// All directions, clockwise.
    pub const ALL: [Self; 6] = [
        Self::NorthEast,
        Self::East,
        Self::SouthEast,
        Self::SouthWest,
        Self::West,
        Self::NorthWest,
    ];

    /// Returns the step from a hex to its neighbor in this direction.
    #[must_use]
    pub const fn vector(self) -> Axial {
        match self {
            Self::NorthEast => Axial::new(1, -1),
            Self::East => Axial::new(1, 0),
            Self::SouthEast => Axial::new(0, 1),
            Self::SouthWest => Axial::new(-1, 1),
            Self::West => Axial::new(-1, 0),
            Self::NorthWest => Axial::new(0, -1),
        }
    }
}
