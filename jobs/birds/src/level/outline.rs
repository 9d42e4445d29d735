//! The outlines of elements where they stand.

use std::f32::consts::PI;

use super::Level;
use super::element::{LevelBlock, LevelPig, LevelPlatform, LevelTnt, Pose};
use super::shape::polygon_area;

/// The outline of an element at its place.
#[derive(Clone, Debug, PartialEq)]
pub enum ElementOutline {
    /// The corners of a convex polygon, counterclockwise.
    Polygon(Vec<[f32; 2]>),
    /// A disk.
    Disk {
        /// The place of the center.
        center: [f32; 2],
        /// The radius.
        radius: f32,
    },
}

impl ElementOutline {
    /// Returns the left, lower, right and upper end.
    #[must_use]
    pub fn bounds(&self) -> [f32; 4] {
        match self {
            Self::Polygon(corners) => {
                let none = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
                corners.iter().fold(none, |[left, low, right, high], &[x, y]| {
                    [left.min(x), low.min(y), right.max(x), high.max(y)]
                })
            }
            Self::Disk { center: [x, y], radius } => {
                [x - radius, y - radius, x + radius, y + radius]
            }
        }
    }

    /// Returns the area.
    #[must_use]
    pub fn area(&self) -> f32 {
        match self {
            Self::Polygon(corners) => polygon_area(corners),
            Self::Disk { radius, .. } => PI * radius * radius,
        }
    }

    /// Returns true if the point is at most `margin` away from the area. At corners of polygons,
    /// points are a little further away.
    #[must_use]
    pub fn contains(&self, [x, y]: [f32; 2], margin: f32) -> bool {
        match self {
            Self::Polygon(corners) => {
                let mut sides = corners.iter().zip(corners.iter().cycle().skip(1));
                sides.all(|(a, b)| {
                    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
                    let length = (dx * dx + dy * dy).sqrt();
                    -margin * length <= dx * (y - a[1]) - dy * (x - a[0])
                })
            }
            Self::Disk { center, radius } => {
                let (dx, dy) = (x - center[0], y - center[1]);
                dx * dx + dy * dy <= (radius + margin) * (radius + margin)
            }
        }
    }
}

impl LevelBlock {
    /// Returns the outline.
    #[must_use]
    pub fn outline(&self) -> ElementOutline {
        ElementOutline::Polygon(self.pose.place(&self.shape.corners()))
    }
}

impl LevelPig {
    /// Returns the outline: a disk.
    #[must_use]
    pub const fn outline(&self) -> ElementOutline {
        ElementOutline::Disk { center: [self.pose.x, self.pose.y], radius: self.kind.radius() }
    }
}

impl LevelTnt {
    /// Returns the outline.
    #[must_use]
    pub fn outline(&self) -> ElementOutline {
        rectangle(&self.pose, [Self::SIDE; 2])
    }
}

impl LevelPlatform {
    /// Returns the outline.
    #[must_use]
    pub fn outline(&self) -> ElementOutline {
        rectangle(&self.pose, self.size())
    }
}

impl Level {
    /// Returns every element's outline: blocks, pigs, TNT, platforms.
    pub fn outlines(&self) -> impl Iterator<Item = ElementOutline> {
        let blocks = self.blocks().iter().map(LevelBlock::outline);
        let pigs = self.pigs().iter().map(LevelPig::outline);
        let tnts = self.tnts().iter().map(LevelTnt::outline);
        blocks.chain(pigs).chain(tnts).chain(self.platforms().iter().map(LevelPlatform::outline))
    }
}

fn rectangle(pose: &Pose, [width, height]: [f32; 2]) -> ElementOutline {
    let (x, y) = (width / 2.0, height / 2.0);
    ElementOutline::Polygon(pose.place(&[[-x, -y], [x, -y], [x, y], [-x, y]]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::{BlockMaterial, BlockShape, PigKind};

    fn block(shape: BlockShape, x: f32, y: f32, degrees: f32) -> ElementOutline {
        let pose = Pose { x, y, degrees };
        LevelBlock { shape, material: BlockMaterial::Wood, pose }.outline()
    }

    fn check_bounds(outline: &ElementOutline, expected: [f32; 4]) {
        let found = outline.bounds();
        let close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(close, "{found:?} instead of {expected:?}");
    }

    #[test]
    fn bars_turn_around_their_center() {
        check_bounds(&block(BlockShape::RectBig, 3.0, 1.0, 0.0), [1.97, 0.89, 4.03, 1.11]);
        check_bounds(&block(BlockShape::RectBig, 3.0, 1.0, 90.0), [2.89, -0.03, 3.11, 2.03]);
        check_bounds(&block(BlockShape::RectBig, 3.0, 1.0, -450.0), [2.89, -0.03, 3.11, 2.03]);
        // A square on its corner is sqrt(2) times as wide: .43 * .707107 = .304056.
        let corner = 0.304_056;
        check_bounds(
            &block(BlockShape::SquareSmall, 0.0, 0.0, 45.0),
            [-corner, -corner, corner, corner],
        );
        // The right angle of a triangle is at the lower left, and after a quarter turn at the lower
        // right.
        let ElementOutline::Polygon(corners) = block(BlockShape::Triangle, 0.0, 0.0, 90.0) else {
            panic!("a triangle is no disk");
        };
        assert!((corners[0][0] - 0.415).abs() < 1e-5 && (corners[0][1] + 0.415).abs() < 1e-5);
    }

    #[test]
    fn areas_and_points_are_those_of_the_figure() {
        let turned = block(BlockShape::RectFat, -7.0, 2.0, 30.0);
        assert!((turned.area() - 0.85 * 0.43).abs() < 1e-4);
        assert!(turned.contains([-7.0, 2.0], 0.0) && !turned.contains([-7.0, 2.3], 0.0));
        // Along the bar, 30 degrees up, it reaches .425 from the center.
        let along = |distance: f32| [-7.0 + distance * 0.866_025, 2.0 + distance * 0.5];
        assert!(turned.contains(along(0.424), 0.0) && !turned.contains(along(0.426), 0.0));
        assert!(turned.contains(along(0.426), 0.01));
        let pig = LevelPig { kind: PigKind::Small, pose: Pose::at(1.0, 1.0) }.outline();
        assert!((pig.area() - 0.173_494).abs() < 1e-5);
        assert!(pig.contains([1.166, 1.166], 0.0) && !pig.contains([1.167, 1.167], 0.0));
        check_bounds(&pig, [0.765, 0.765, 1.235, 1.235]);
        let platform = LevelPlatform { pose: Pose::at(0.0, 1.0), scale: [2.0, 0.5] }.outline();
        check_bounds(&platform, [-0.64, 0.84, 0.64, 1.16]);
        let tnt = LevelTnt { pose: Pose::at(0.0, 0.0) }.outline();
        assert!((tnt.area() - 0.4356).abs() < 1e-6);
    }
}
