//! Numbers that describe levels: what they have, and how it is spread.
//!
//! The definitions of linearity and density come from expressive ranges (Smith & Whitehead,
//! "Analyzing the expressive range of a level generator", 2010). They are computed from objects as
//! by Stephenson & Renz ("Procedural generation of complex stable structures for Angry Birds
//! levels", 2016). The objects of a level are its blocks, pigs, TNT and platforms. Metrics that
//! need the physics or players, such as stability and leniency, are not here.

mod cells;
mod expressive_range;

use hatchery_core::table::TableColumns;
use hatchery_stats::pearson;

pub use cells::{OccupiedCells, mean_distance};
pub use expressive_range::ExpressiveRange;

use super::{BlockMaterial, BlockShape, GROUND_TOP, GROUND_WIDTH, LEVEL_HEIGHT, Level, Pose};

/// The decimal places of numbers in tables.
const DIGITS: usize = 6;

/// Numbers that describe a level.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelMetrics {
    /// The number of blocks per shape, in the order of [`BlockShape::ALL`].
    pub shape_counts: [usize; BlockShape::ALL.len()],
    /// The number of blocks per material, in the order of [`BlockMaterial::ALL`].
    pub material_counts: [usize; BlockMaterial::ALL.len()],
    /// The number of pigs.
    pub n_pigs: usize,
    /// The number of boxes that explode.
    pub n_tnts: usize,
    /// The number of platforms.
    pub n_platforms: usize,
    /// The number of birds.
    pub n_birds: usize,
    /// The distance from the left end of the leftmost object to the right end of the rightmost; 0
    /// without objects.
    pub width: f64,
    /// The height of the highest object's top above the ground; 0 without objects.
    pub height: f64,
    /// Linearity: the share of the variance of the heights of the objects' centers that a straight
    /// line through the centers explains (R^2), from 0 to 1. It is 1 if all centers are at the same
    /// height. `None` if fewer than two centers differ in x.
    pub linearity: Option<f64>,
    /// Density: the area of the objects divided by the area of the level. The level is as wide as
    /// its ground (17.5 times its width) and 11.58 high. Where objects overlap, both count.
    pub density: f64,
    /// Packing: the area of the objects divided by the area of the smallest upright rectangle
    /// around them. `None` without objects.
    pub packing: Option<f64>,
    /// Symmetry: among the cells of .22 that the level or its mirror image occupies, the share of
    /// cells that both occupy, from 0 to 1. The mirror is in the middle between the left end and
    /// the right end. `None` if no cell is occupied.
    pub symmetry: Option<f64>,
}

impl LevelMetrics {
    /// Returns the numbers of `level`.
    #[must_use]
    pub fn of(level: &Level) -> Self {
        let blocks = level.blocks();
        let of_shape = |shape| blocks.iter().filter(|block| block.shape == shape).count();
        let of_material = |it| blocks.iter().filter(|block| block.material == it).count();
        // The sum of nothing is -0.
        let area = level.outlines().map(|outline| f64::from(outline.area())).sum::<f64>() + 0.0;
        let ends = ends(level);
        let [left, low, right, high] = ends.unwrap_or([0.0, 0.0, 0.0, GROUND_TOP]).map(f64::from);
        let ground = f64::from(level.surroundings().width * GROUND_WIDTH);
        Self {
            shape_counts: BlockShape::ALL.map(of_shape),
            material_counts: BlockMaterial::ALL.map(of_material),
            n_pigs: level.pigs().len(),
            n_tnts: level.tnts().len(),
            n_platforms: level.platforms().len(),
            n_birds: level.surroundings().birds.len(),
            width: right - left,
            height: (high - f64::from(GROUND_TOP)).max(0.0),
            linearity: linearity(level),
            density: area / (ground * f64::from(LEVEL_HEIGHT)),
            packing: ends.map(|_| area / ((right - left) * (high - low))),
            symmetry: ends
                .and_then(|[left, _, right, _]| cells::symmetry(level, (left + right) / 2.0)),
        }
    }

    /// Returns the number of blocks.
    #[must_use]
    pub fn n_blocks(&self) -> usize {
        self.shape_counts.iter().sum()
    }

    /// Returns the frequency of blocks per shape, in the order of [`BlockShape::ALL`]; zeros
    /// without blocks.
    #[must_use]
    pub fn shape_shares(&self) -> [f64; BlockShape::ALL.len()] {
        let n = to_f64(self.n_blocks().max(1));
        self.shape_counts.map(|count| to_f64(count) / n)
    }

    /// Returns the entropy of the shapes of blocks in bits: 0 if all are equal, and log2 of 12, or
    /// 3.585, if all shapes are as frequent.
    #[must_use]
    pub fn shape_entropy(&self) -> f64 {
        let shares = self.shape_shares();
        let terms = shares.iter().filter(|share| 0.0 < **share).map(|it| it * libm::log2(1.0 / it));
        // The sum of nothing is -0.
        terms.sum::<f64>() + 0.0
    }

    /// Adds the numbers of each row's level to a table, as columns of their own. A number that a
    /// level does not have is an empty cell.
    pub fn columns<'a, R>(
        table: TableColumns<'a, R>,
        of: impl Fn(&'a R) -> &'a Self + Copy,
    ) -> TableColumns<'a, R> {
        table
            .count("blocks", |row| of(row).n_blocks())
            .count("pigs", |row| of(row).n_pigs)
            .count("tnts", |row| of(row).n_tnts)
            .count("platforms", |row| of(row).n_platforms)
            .count("birds", |row| of(row).n_birds)
            .each(BlockMaterial::ALL.into_iter().enumerate(), |table, (idx, material)| {
                table.count(material.name(), |row| of(row).material_counts[idx])
            })
            .each(BlockShape::ALL.into_iter().enumerate(), |table, (idx, shape)| {
                table.count(shape.name(), |row| of(row).shape_counts[idx])
            })
            .number("shape_entropy", DIGITS, |row| of(row).shape_entropy())
            .number("width", DIGITS, |row| of(row).width)
            .number("height", DIGITS, |row| of(row).height)
            .number("linearity", DIGITS, |row| of(row).linearity)
            .number("density", DIGITS, |row| of(row).density)
            .number("packing", DIGITS, |row| of(row).packing)
            .number("symmetry", DIGITS, |row| of(row).symmetry)
    }
}

/// Returns the linearity of columns of blocks with these heights, none above `most`: 1 - sqrt(sum
/// (h - mean)^2) / sqrt(sum (h - most)^2), as logged by the genetic algorithm of Science Birds of
/// 2015. It is at most 1, which is that of equal columns. `None` if all columns are `most` high, or
/// there are none.
#[must_use]
pub fn column_linearity(heights: &[f64], most: f64) -> Option<f64> {
    let mean = heights.iter().sum::<f64>() / to_f64(heights.len().max(1));
    let length = |from: f64| {
        libm::sqrt(heights.iter().map(|height| (height - from) * (height - from)).sum())
    };
    let all = length(most);
    (0.0 < all).then(|| 1.0 - length(mean) / all)
}

/// Returns the left, lower, right and upper end of the objects together.
fn ends(level: &Level) -> Option<[f32; 4]> {
    let bounds = level.outlines().map(|outline| outline.bounds());
    bounds.reduce(|[left, low, right, high], [x, y, x_end, y_end]| {
        [left.min(x), low.min(y), right.max(x_end), high.max(y_end)]
    })
}

fn linearity(level: &Level) -> Option<f64> {
    let blocks = level.blocks().iter().map(|it| it.pose);
    let others = level.pigs().iter().map(|it| it.pose).chain(level.tnts().iter().map(|it| it.pose));
    let poses = blocks.chain(others).chain(level.platforms().iter().map(|it| it.pose));
    let centers: Vec<[f64; 2]> =
        poses.map(|Pose { x, y, .. }| [f64::from(x), f64::from(y)]).collect();
    #[expect(clippy::float_cmp, reason = "centers at the same height are exactly in a line")]
    let differ = |axis: usize| centers.windows(2).any(|pair| pair[0][axis] != pair[1][axis]);
    match (differ(0), differ(1)) {
        (true, true) => pearson(&centers).map(|r| r * r),
        (true, false) => Some(1.0),
        (false, _) => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a level has at most 1,000 elements")]
const fn to_f64(count: usize) -> f64 {
    count as f64
}
