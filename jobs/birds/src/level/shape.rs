//! The kinds of things in levels: shapes with their sizes, materials, pigs and birds.
//!
//! The sizes come from the colliders of Science Birds.

use std::f32::consts::{PI, TAU};

use hatchery_core::WireElement;

/// The shape of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, WireElement)]
pub enum BlockShape {
    /// A disk.
    Circle,
    /// A small disk.
    CircleSmall,
    /// The longest bar.
    RectBig,
    /// A thick bar.
    RectFat,
    /// A long bar.
    RectMedium,
    /// A bar.
    RectSmall,
    /// The shortest bar.
    RectTiny,
    /// A square with a hole that nothing fits into.
    SquareHole,
    /// A small square.
    SquareSmall,
    /// The smallest square.
    SquareTiny,
    /// A right-angled triangle, whose right angle is at the lower left.
    Triangle,
    /// A triangle with a flat top, low sides and a hole that nothing fits into.
    TriangleHole,
}

impl BlockShape {
    /// All shapes, in the order of their names.
    pub const ALL: [Self; 12] = [
        Self::Circle,
        Self::CircleSmall,
        Self::RectBig,
        Self::RectFat,
        Self::RectMedium,
        Self::RectSmall,
        Self::RectTiny,
        Self::SquareHole,
        Self::SquareSmall,
        Self::SquareTiny,
        Self::Triangle,
        Self::TriangleHole,
    ];

    /// Returns the name in level files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Circle => "Circle",
            Self::CircleSmall => "CircleSmall",
            Self::RectBig => "RectBig",
            Self::RectFat => "RectFat",
            Self::RectMedium => "RectMedium",
            Self::RectSmall => "RectSmall",
            Self::RectTiny => "RectTiny",
            Self::SquareHole => "SquareHole",
            Self::SquareSmall => "SquareSmall",
            Self::SquareTiny => "SquareTiny",
            Self::Triangle => "Triangle",
            Self::TriangleHole => "TriangleHole",
        }
    }

    /// Returns the shape of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.name() == name)
    }

    /// Returns width and height without a turn.
    #[must_use]
    pub const fn size(self) -> [f32; 2] {
        match self {
            Self::Circle => [0.76, 0.76],
            Self::CircleSmall => [0.41, 0.41],
            Self::RectBig => [2.06, 0.22],
            Self::RectFat => [0.85, 0.43],
            Self::RectMedium => [1.68, 0.22],
            Self::RectSmall => [0.85, 0.22],
            Self::RectTiny => [0.43, 0.22],
            Self::SquareHole => [0.84, 0.84],
            Self::SquareSmall => [0.43, 0.43],
            Self::SquareTiny => [0.22, 0.22],
            Self::Triangle => [0.83, 0.83],
            Self::TriangleHole => [0.84, 0.84],
        }
    }

    /// Returns the corners around the center without a turn, counterclockwise. They are convex:
    /// holes are part of the shape, as they are in Science Birds.
    ///
    /// The corners of a triangle with a hole come from its collider (Science Birds, prefab
    /// `TriangleHole`). Circles have as many corners as the polygons of Science Birds. The polygons
    /// of Science Birds are drawn by hand, and .76 x .75 and .41 x .41 in size; the polygons here
    /// are regular.
    #[must_use]
    pub fn corners(self) -> Vec<[f32; 2]> {
        let [width, height] = self.size();
        let (x, y) = (width / 2.0, height / 2.0);
        match self {
            Self::Circle => regular_polygon(12, x),
            Self::CircleSmall => regular_polygon(8, x),
            Self::Triangle => vec![[-x, -y], [x, -y], [-x, y]],
            Self::TriangleHole => {
                vec![[-x, -y], [x, -y], [x, -0.27], [0.04, y], [-0.04, y], [-x, -0.26]]
            }
            Self::RectBig
            | Self::RectFat
            | Self::RectMedium
            | Self::RectSmall
            | Self::RectTiny
            | Self::SquareHole
            | Self::SquareSmall
            | Self::SquareTiny => vec![[-x, -y], [x, -y], [x, y], [-x, y]],
        }
    }

    /// Returns the hole that the collider of a triangle with a hole has (Science Birds, prefab
    /// `TriangleHole`), cut into triangles, counterclockwise. The hole of a square is only seen.
    #[must_use]
    pub(crate) fn hole(self) -> &'static [[[f32; 2]; 3]] {
        match self {
            Self::TriangleHole => &[
                [[0.0, 0.04], [-0.1, -0.17], [0.02, -0.03]],
                [[0.02, -0.03], [-0.1, -0.17], [0.11, -0.17]],
            ],
            _ => &[],
        }
    }

    /// Returns the area, without that of the hole of the collider.
    #[must_use]
    pub fn area(self) -> f32 {
        let hole: f32 = self.hole().iter().map(|corners| polygon_area(corners)).sum();
        polygon_area(&self.corners()) - hole
    }
}

/// Returns the area of the polygon with these corners, counterclockwise.
pub(super) fn polygon_area(corners: &[[f32; 2]]) -> f32 {
    // From its first corner, so that nothing is lost far from the origin.
    let [x, y] = corners.first().copied().unwrap_or_default();
    let sides = corners.iter().zip(corners.iter().cycle().skip(1));
    let doubled = sides.map(|(a, b)| (a[0] - x) * (b[1] - y) - (b[0] - x) * (a[1] - y));
    doubled.sum::<f32>() / 2.0
}

/// Returns the corners of a regular polygon with a side at its bottom. All sides are at the
/// distance `apothem` from the center, so that a polygon of 8 or 12 corners is twice as wide and
/// high.
fn regular_polygon(n_corners: u8, apothem: f32) -> Vec<[f32; 2]> {
    let radius = apothem / libm::cosf(PI / f32::from(n_corners));
    let corner = |number: u8| {
        let angle = TAU * (f32::from(number) + 0.5) / f32::from(n_corners) - TAU / 4.0;
        [radius * libm::cosf(angle), radius * libm::sinf(angle)]
    };
    (0..n_corners).map(corner).collect()
}

/// The material of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, WireElement)]
pub enum BlockMaterial {
    /// Wood.
    Wood,
    /// Stone.
    Stone,
    /// Ice, which is slippery.
    Ice,
}

impl BlockMaterial {
    /// All materials.
    pub const ALL: [Self; 3] = [Self::Wood, Self::Stone, Self::Ice];

    /// Returns the name in level files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wood => "wood",
            Self::Stone => "stone",
            Self::Ice => "ice",
        }
    }

    /// Returns the material of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|material| material.name() == name)
    }
}

/// The size of a pig.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, WireElement)]
pub enum PigKind {
    /// The usual pig.
    Small,
    /// A larger pig.
    Medium,
    /// The largest pig.
    Big,
}

impl PigKind {
    /// All sizes.
    pub const ALL: [Self; 3] = [Self::Small, Self::Medium, Self::Big];

    /// Returns the name in level files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Small => "BasicSmall",
            Self::Medium => "BasicMedium",
            Self::Big => "BasicBig",
        }
    }

    /// Returns the pig of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the radius. Pigs of Science Birds are polygons that are nearly round.
    #[must_use]
    pub const fn radius(self) -> f32 {
        match self {
            Self::Small => 0.235,
            Self::Medium => 0.39,
            Self::Big => 0.495,
        }
    }
}

/// The kind of a bird.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, WireElement)]
pub enum BirdKind {
    /// The usual bird.
    Red,
    /// A small bird, which divides in flight.
    Blue,
    /// A bird that is faster after a tap.
    Yellow,
    /// A bird that explodes.
    Black,
    /// A bird that drops an egg.
    White,
}

impl BirdKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Red, Self::Blue, Self::Yellow, Self::Black, Self::White];

    /// Returns the name in level files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Red => "BirdRed",
            Self::Blue => "BirdBlue",
            Self::Yellow => "BirdYellow",
            Self::Black => "BirdBlack",
            Self::White => "BirdWhite",
        }
    }

    /// Returns the bird of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::BlockShape;

    #[test]
    fn corners_span_the_size_counterclockwise() {
        for shape in BlockShape::ALL {
            let [width, height] = shape.size();
            for (axis, size) in [(0, width), (1, height)] {
                let places = || shape.corners().into_iter().map(|corner| corner[axis]);
                let ends = [places().fold(0.0, f32::min), places().fold(0.0, f32::max)];
                assert!((2.0 * ends[0] + size).abs() < 1e-6, "{shape:?}: {ends:?}");
                assert!((2.0 * ends[1] - size).abs() < 1e-6, "{shape:?}: {ends:?}");
            }
            let (area, bounds) = (shape.area(), width * height);
            assert!(0.49 * bounds < area && area <= bounds + 1e-6, "{shape:?} has {area}");
        }
    }
}
