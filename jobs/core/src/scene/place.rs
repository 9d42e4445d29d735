//! Places and turns.

use schemars::JsonSchema;
use serde::Serialize;

/// Parts of a hexagonal cell: places on a hex board are counted in sixths of a cell, so that
/// centers, corners and the middles of sides are all whole numbers.
const SIXTHS: i32 = 6;

/// The corners of a cell around its center, in sixths, clockwise from the north.
const CORNERS: [(i32, i32); 6] = [(2, -4), (4, -2), (2, 2), (-2, 4), (-4, 2), (-2, -2)];

/// The middles of a cell's sides around its center, in sixths, clockwise from the north-east.
const SIDES: [(i32, i32); 6] = [(3, -3), (3, 0), (0, 3), (-3, 3), (-3, 0), (0, -3)];

/// A place in the space of a scene, which says what its numbers are: see
/// [`SceneSpace`](crate::scene::SceneSpace).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct ScenePlace {
    /// The first coordinate.
    pub x: i32,
    /// The second coordinate.
    pub y: i32,
}

impl ScenePlace {
    /// Returns the place with these coordinates.
    #[must_use]
    pub const fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }

    /// Returns the center of the hexagonal cell at `q` and `r`.
    #[must_use]
    pub const fn hex(q: i32, r: i32) -> Self {
        Self::new(SIXTHS * q, SIXTHS * r)
    }

    /// Returns a corner of the hexagonal cell at `q` and `r`, counted clockwise from 0 at the
    /// north; from 6 on they repeat. A corner that cells share is one place.
    #[must_use]
    pub const fn hex_corner(q: i32, r: i32, corner: usize) -> Self {
        Self::hex(q, r).plus(CORNERS[corner % CORNERS.len()])
    }

    /// Returns the middle of a side of the hexagonal cell at `q` and `r`, counted clockwise from 0
    /// at the north-east; from 6 on they repeat. A side that two cells share is one place.
    #[must_use]
    pub const fn hex_side(q: i32, r: i32, side: usize) -> Self {
        Self::hex(q, r).plus(SIDES[side % SIDES.len()])
    }

    /// Returns the place halfway to `other`, rounded toward zero.
    #[must_use]
    pub const fn midpoint(self, other: Self) -> Self {
        Self::new(i32::midpoint(self.x, other.x), i32::midpoint(self.y, other.y))
    }

    /// Returns true if the place is the center of a hexagonal cell.
    pub(super) const fn is_hex_center(self) -> bool {
        self.x % SIXTHS == 0 && self.y % SIXTHS == 0
    }

    /// Returns true if the place is at most a cell away from the center of a hexagonal cell.
    pub(super) const fn is_near_hex(self, center: Self) -> bool {
        let (dx, dy) = (self.x.abs_diff(center.x), self.y.abs_diff(center.y));
        let across = (self.x as i64 + self.y as i64 - center.x as i64 - center.y as i64).abs();
        let cell = SIXTHS.unsigned_abs();
        dx <= cell && dy <= cell && across <= SIXTHS as i64
    }

    /// Returns the corners of the hexagonal cell with this center, clockwise from the north.
    pub(super) fn corners(self) -> impl Iterator<Item = Self> {
        CORNERS.into_iter().map(move |corner| self.plus(corner))
    }

    /// Returns the middles of the sides of the hexagonal cell with this center, clockwise from the
    /// north-east.
    pub(super) fn sides(self) -> impl Iterator<Item = Self> {
        SIDES.into_iter().map(move |side| self.plus(side))
    }

    const fn plus(self, (dx, dy): (i32, i32)) -> Self {
        Self::new(self.x + dx, self.y + dy)
    }
}

/// A turn of a thing: counterclockwise as one sees it, in tenths of a degree below 3,600.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SceneTurn(u16);

impl SceneTurn {
    /// The turn of an upright thing, drawn like its symbol.
    pub const NONE: Self = Self(0);

    const FULL: i32 = 3600;

    /// Returns the turn by `tenths` of a degree, whole turns removed.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "0 to 3,599")]
    pub const fn from_tenths(tenths: i32) -> Self {
        Self(tenths.rem_euclid(Self::FULL) as u16)
    }

    /// Returns the turn by `degrees`, whole turns removed.
    #[must_use]
    pub const fn from_degrees(degrees: i32) -> Self {
        Self::from_tenths(degrees % 360 * 10)
    }

    /// Returns the turn in tenths of a degree: 0 to 3,599.
    #[must_use]
    pub const fn tenths(self) -> u16 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighboring_cells_share_corners_and_sides() {
        let corner = ScenePlace::hex_corner;
        assert_eq!(corner(0, 0, 0), corner(1, -1, 4));
        assert_eq!(corner(0, 0, 0), corner(0, -1, 2));
        assert_eq!(corner(2, -1, 7), corner(3, -1, 5));
        for (side, (q, r)) in
            [(1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1)].into_iter().enumerate()
        {
            assert_eq!(ScenePlace::hex_side(0, 0, side), ScenePlace::hex_side(q, r, side + 3));
            let middle = corner(0, 0, side).midpoint(corner(0, 0, side + 1));
            assert_eq!(ScenePlace::hex_side(0, 0, side), middle);
        }
    }

    #[test]
    fn centers_and_their_surroundings_are_known() {
        let center = ScenePlace::hex(2, -1);
        assert!(center.is_hex_center() && !ScenePlace::hex_corner(2, -1, 3).is_hex_center());
        assert!(center.corners().chain(center.sides()).all(|place| place.is_near_hex(center)));
        assert!(ScenePlace::hex(3, -2).is_near_hex(center));
        assert!(!ScenePlace::hex(3, 0).is_near_hex(center));
        assert!(!ScenePlace::new(i32::MAX, i32::MIN).is_near_hex(center));
    }

    #[test]
    fn whole_turns_are_removed() {
        assert_eq!(SceneTurn::from_degrees(-90).tenths(), 2700);
        assert_eq!(SceneTurn::from_degrees(i32::MAX).tenths(), 1270);
        assert_eq!(SceneTurn::from_tenths(3600), SceneTurn::NONE);
    }
}
