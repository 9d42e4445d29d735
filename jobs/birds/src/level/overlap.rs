//! Overlaps of elements.

use super::error::MAX_OVERLAPS;

/// Too many pairs of elements of a level overlap.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "{element} {number} at ({}, {}) overlaps {others} other elements, and {found} pairs of \
     elements overlap, but at most {MAX_OVERLAPS} are allowed",
    place[0],
    place[1]
)]
pub struct TooManyOverlaps {
    /// The number of pairs of elements that overlap.
    pub found: usize,
    /// The kind of the element that overlaps most others, such as `block`.
    pub element: &'static str,
    /// The number of the element among the elements of this kind, from 1.
    pub number: usize,
    /// Its place.
    pub place: [f32; 2],
    /// The number of elements that it overlaps.
    pub others: usize,
}

/// An element as its overlaps see it.
pub(super) struct PlacedElement {
    pub(super) element: &'static str,
    pub(super) number: usize,
    pub(super) place: [f32; 2],
    /// The left, lower, right and upper end.
    pub(super) bounds: [f32; 4],
}

impl PlacedElement {
    fn overlaps(&self, other: &Self) -> bool {
        let ([left, low, right, high], it) = (self.bounds, other.bounds);
        let is_fixed = |it: &Self| it.element == "platform";
        let meets = left < it[2] && it[0] < right && low < it[3] && it[1] < high;
        meets && !(is_fixed(self) && is_fixed(other))
    }
}

/// Checks that elements do not overlap in too many pairs.
pub(super) fn check(elements: &[PlacedElement]) -> Result<(), TooManyOverlaps> {
    let mut others = vec![0; elements.len()];
    for (first, one) in elements.iter().enumerate() {
        for (second, other) in elements.iter().enumerate().skip(first + 1) {
            if one.overlaps(other) {
                others[first] += 1;
                others[second] += 1;
            }
        }
    }
    let found = others.iter().sum::<usize>() / 2;
    // The first of equals.
    let most = elements.iter().zip(others).rev().max_by_key(|(_, others)| *others);
    match most {
        Some((&PlacedElement { element, number, place, .. }, others)) if MAX_OVERLAPS < found => {
            Err(TooManyOverlaps { found, element, number, place, others })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::{
        BlockMaterial, BlockShape, Level, LevelBlock, LevelElements, LevelPlatform,
        LevelSurroundings, Pose,
    };

    fn check(elements: LevelElements) -> Result<(), TooManyOverlaps> {
        Level::new(LevelSurroundings::with_red_birds(1), elements).unwrap().check_overlaps()
    }

    fn blocks(n: u16, gap: f32) -> Vec<LevelBlock> {
        let (shape, material) = (BlockShape::SquareHole, BlockMaterial::Wood);
        let place = |at: u16| Pose::at(gap * f32::from(at % 32) - 4.0, gap * f32::from(at / 32));
        (0..n).map(|at| LevelBlock { shape, material, pose: place(at) }).collect()
    }

    #[test]
    fn many_blocks_on_one_place_are_refused() {
        let check = |n, gap, expected: &str| {
            let found = check(LevelElements { blocks: blocks(n, gap), ..Default::default() });
            let error = found.map_or_else(|error| error.to_string(), |()| String::new());
            assert_eq!(error, expected, "{n} blocks, {gap} apart");
        };
        check(
            999,
            0.0,
            "block 1 at (-4, 0) overlaps 998 other elements, and 498501 pairs of elements overlap, \
             but at most 50000 are allowed",
        );
        check(316, 0.0, "");
        check(
            317,
            0.0,
            "block 1 at (-4, 0) overlaps 316 other elements, and 50086 pairs of elements overlap, \
             but at most 50000 are allowed",
        );
        // Blocks have sides of 0.84.
        check(1_000, 0.3, "");
        check(1_000, 0.85, "");
    }

    /// Platforms never move, so that overlaps of platforms cost nothing; overlaps of blocks and
    /// platforms do.
    #[test]
    fn platforms_count_with_what_moves() {
        let platform = LevelPlatform { pose: Pose::at(0.0, 0.0), scale: [100.0, 100.0] };
        let with = |n_blocks, n_platforms| {
            let platforms = vec![platform; n_platforms];
            check(LevelElements { blocks: blocks(n_blocks, 0.85), platforms, ..Default::default() })
        };
        assert!(with(0, 1_000).is_ok() && with(100, 400).is_ok());
        let error = with(200, 300).unwrap_err();
        assert_eq!((error.element, error.number, error.others), ("block", 1, 300), "{error}");
    }
}
