//! Templates: the blocks, and the combinations of blocks, that stacks are made of.
//!
//! Lengths are in thousandths of a unit of Science Birds: all sizes and their halves are whole.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::level::BlockShape;

/// A block as it stands, or some blocks that stand together.
///
/// The first thirteen are the oriented blocks of the baseline level generator of the AIBIRDS
/// competition (Stephenson). The sizes of the composites of the clone of 2015 (Box1 to Box5,
/// Podium1, Podium2, and those among Rect1 to Rect22) are not known to us: the portals, with a
/// cavity as its boxes have, and the podiums here are built of blocks of Science Birds instead.
///
/// ```text
///   portal     wide portal     thick portal   walled portal   tall portal       podiums
///  ========   ============     ============     ========     ============     ====  ========
///  |      |   |          |     ##        ##     #      #     |          |      #       |
///  |      |   |          |     ##        ##     #      #     |          |      #       |
///                                                            |          |
/// ```
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum BlockTemplate {
    /// A square with a hole, in which nothing fits.
    SquareHole,
    /// A thick bar.
    RectFat,
    /// A thick bar on its short side.
    RectFatUpright,
    /// A small square.
    SquareSmall,
    /// The smallest square.
    SquareTiny,
    /// The shortest bar.
    RectTiny,
    /// The shortest bar on its short side.
    RectTinyUpright,
    /// A bar.
    RectSmall,
    /// A bar on its short side.
    RectSmallUpright,
    /// A long bar.
    RectMedium,
    /// A long bar on its short side.
    RectMediumUpright,
    /// The longest bar.
    RectBig,
    /// The longest bar on its short side.
    RectBigUpright,
    /// A disk.
    Circle,
    /// A small disk.
    CircleSmall,
    /// A right-angled triangle.
    Triangle,
    /// An isosceles triangle.
    TriangleHole,
    /// A long bar on two upright bars.
    Portal,
    /// The longest bar on two upright bars.
    WidePortal,
    /// The longest bar on two upright thick bars.
    ThickPortal,
    /// A long bar on two columns of two small squares.
    WalledPortal,
    /// The longest bar on two upright long bars.
    TallPortal,
    /// A bar on a small square.
    LowPodium,
    /// A long bar on an upright thick bar.
    HighPodium,
}

/// The turn of a block in a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockTurn {
    /// None.
    Flat,
    /// A quarter turn.
    Upright,
}

/// A block of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TemplatePiece {
    /// The shape.
    pub shape: BlockShape,
    /// The turn.
    pub turn: BlockTurn,
    /// The place of its center, from the middle of the template's lower side.
    pub center: [i32; 2],
}

impl BlockTemplate {
    /// All templates.
    pub const ALL: [Self; 24] = [
        Self::SquareHole,
        Self::RectFat,
        Self::RectFatUpright,
        Self::SquareSmall,
        Self::SquareTiny,
        Self::RectTiny,
        Self::RectTinyUpright,
        Self::RectSmall,
        Self::RectSmallUpright,
        Self::RectMedium,
        Self::RectMediumUpright,
        Self::RectBig,
        Self::RectBigUpright,
        Self::Circle,
        Self::CircleSmall,
        Self::Triangle,
        Self::TriangleHole,
        Self::Portal,
        Self::WidePortal,
        Self::ThickPortal,
        Self::WalledPortal,
        Self::TallPortal,
        Self::LowPodium,
        Self::HighPodium,
    ];

    /// Returns width and height.
    #[must_use]
    pub const fn size(self) -> [i32; 2] {
        match TemplateForm::of(self) {
            TemplateForm::Single(shape, turn) => turned_size(shape, turn),
            TemplateForm::Portal { pillar: (shape, turn), n_high, lintel } => {
                let [_, height] = turned_size(shape, turn);
                let [width, thickness] = turned_size(lintel, BlockTurn::Flat);
                [width, n_high * height + thickness]
            }
            TemplateForm::Podium { pillar: (shape, turn), slab } => {
                let [_, height] = turned_size(shape, turn);
                let [width, thickness] = turned_size(slab, BlockTurn::Flat);
                [width, height + thickness]
            }
        }
    }

    /// Returns width and height of the room between the pillars of a portal.
    #[must_use]
    pub const fn cavity(self) -> Option<[i32; 2]> {
        match TemplateForm::of(self) {
            TemplateForm::Portal { pillar: (shape, turn), n_high, lintel } => {
                let [pillar_width, height] = turned_size(shape, turn);
                let [width, _] = turned_size(lintel, BlockTurn::Flat);
                Some([width - 2 * pillar_width, n_high * height])
            }
            TemplateForm::Single(..) | TemplateForm::Podium { .. } => None,
        }
    }

    /// Returns true if something can stand on top.
    #[must_use]
    pub const fn has_flat_top(self) -> bool {
        !matches!(self, Self::Circle | Self::CircleSmall | Self::Triangle | Self::TriangleHole)
    }

    /// Returns true if two may stand side by side: rectangles and squares only.
    #[must_use]
    pub const fn may_double(self) -> bool {
        self.has_flat_top() && matches!(TemplateForm::of(self), TemplateForm::Single(..))
    }

    /// Returns true if it is a disk.
    #[must_use]
    pub const fn is_circle(self) -> bool {
        matches!(self, Self::Circle | Self::CircleSmall)
    }

    /// Returns the number of blocks.
    #[must_use]
    pub const fn n_pieces(self) -> usize {
        match self {
            Self::Portal | Self::WidePortal | Self::ThickPortal | Self::TallPortal => 3,
            Self::WalledPortal => 5,
            Self::LowPodium | Self::HighPodium => 2,
            _ => 1,
        }
    }

    /// Returns the blocks, from the lowest to the highest. The blocks of a composite touch each
    /// other.
    #[must_use]
    pub fn pieces(self) -> Vec<TemplatePiece> {
        let piece = |(shape, turn), x, bottom: i32| {
            let [_, height] = turned_size(shape, turn);
            TemplatePiece { shape, turn, center: [x, bottom + height / 2] }
        };
        let flat = |shape| (shape, BlockTurn::Flat);
        match TemplateForm::of(self) {
            TemplateForm::Single(shape, turn) => vec![piece((shape, turn), 0, 0)],
            TemplateForm::Portal { pillar, n_high, lintel } => {
                let [pillar_width, height] = turned_size(pillar.0, pillar.1);
                let [width, _] = turned_size(lintel, BlockTurn::Flat);
                let x = (width - pillar_width) / 2;
                let pairs = (0..n_high).flat_map(|n_below| [(-x, n_below), (x, n_below)]);
                let pillars = pairs.map(|(x, n_below)| piece(pillar, x, n_below * height));
                pillars.chain([piece(flat(lintel), 0, n_high * height)]).collect()
            }
            TemplateForm::Podium { pillar, slab } => {
                let [_, height] = turned_size(pillar.0, pillar.1);
                vec![piece(pillar, 0, 0), piece(flat(slab), 0, height)]
            }
        }
    }
}

/// Returns the width and height of a block with this turn.
const fn turned_size(shape: BlockShape, turn: BlockTurn) -> [i32; 2] {
    let [width, height] = shape.size();
    match turn {
        BlockTurn::Flat => [in_thousandths(width), in_thousandths(height)],
        BlockTurn::Upright => [in_thousandths(height), in_thousandths(width)],
    }
}

/// Returns a length of less than 1,000 units, not negative, rounded to thousandths.
#[expect(clippy::cast_possible_truncation, reason = "below 10^6")]
const fn in_thousandths(length: f32) -> i32 {
    (length * 1000.0 + 0.5) as i32
}

/// A form that a template is built of.
enum TemplateForm {
    /// A block.
    Single(BlockShape, BlockTurn),
    /// Two pillars of `n_high` blocks each, below the ends of a lintel.
    Portal { pillar: (BlockShape, BlockTurn), n_high: i32, lintel: BlockShape },
    /// A pillar below the middle of a slab.
    Podium { pillar: (BlockShape, BlockTurn), slab: BlockShape },
}

impl TemplateForm {
    /// Returns the form of a template.
    const fn of(template: BlockTemplate) -> Self {
        use BlockTurn::{Flat, Upright};
        let (shape, turn) = match template {
            BlockTemplate::SquareHole => (BlockShape::SquareHole, Flat),
            BlockTemplate::RectFat => (BlockShape::RectFat, Flat),
            BlockTemplate::RectFatUpright => (BlockShape::RectFat, Upright),
            BlockTemplate::SquareSmall => (BlockShape::SquareSmall, Flat),
            BlockTemplate::SquareTiny => (BlockShape::SquareTiny, Flat),
            BlockTemplate::RectTiny => (BlockShape::RectTiny, Flat),
            BlockTemplate::RectTinyUpright => (BlockShape::RectTiny, Upright),
            BlockTemplate::RectSmall => (BlockShape::RectSmall, Flat),
            BlockTemplate::RectSmallUpright => (BlockShape::RectSmall, Upright),
            BlockTemplate::RectMedium => (BlockShape::RectMedium, Flat),
            BlockTemplate::RectMediumUpright => (BlockShape::RectMedium, Upright),
            BlockTemplate::RectBig => (BlockShape::RectBig, Flat),
            BlockTemplate::RectBigUpright => (BlockShape::RectBig, Upright),
            BlockTemplate::Circle => (BlockShape::Circle, Flat),
            BlockTemplate::CircleSmall => (BlockShape::CircleSmall, Flat),
            BlockTemplate::Triangle => (BlockShape::Triangle, Flat),
            BlockTemplate::TriangleHole => (BlockShape::TriangleHole, Flat),
            BlockTemplate::Portal => {
                return portal(BlockShape::RectSmall, Upright, 1, BlockShape::RectMedium);
            }
            BlockTemplate::WidePortal => {
                return portal(BlockShape::RectSmall, Upright, 1, BlockShape::RectBig);
            }
            BlockTemplate::ThickPortal => {
                return portal(BlockShape::RectFat, Upright, 1, BlockShape::RectBig);
            }
            BlockTemplate::WalledPortal => {
                return portal(BlockShape::SquareSmall, Flat, 2, BlockShape::RectMedium);
            }
            BlockTemplate::TallPortal => {
                return portal(BlockShape::RectMedium, Upright, 1, BlockShape::RectBig);
            }
            BlockTemplate::LowPodium => {
                let pillar = (BlockShape::SquareSmall, Flat);
                return Self::Podium { pillar, slab: BlockShape::RectSmall };
            }
            BlockTemplate::HighPodium => {
                let pillar = (BlockShape::RectFat, Upright);
                return Self::Podium { pillar, slab: BlockShape::RectMedium };
            }
        };
        Self::Single(shape, turn)
    }
}

const fn portal(
    shape: BlockShape,
    turn: BlockTurn,
    n_high: i32,
    lintel: BlockShape,
) -> TemplateForm {
    TemplateForm::Portal { pillar: (shape, turn), n_high, lintel }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_span_the_size_without_overlap() {
        for template in BlockTemplate::ALL {
            let pieces = template.pieces();
            assert_eq!(pieces.len(), template.n_pieces(), "{template:?}");
            let bounds = |piece: &TemplatePiece| {
                let [width, height] = turned_size(piece.shape, piece.turn);
                let [x, y] = piece.center;
                [x - width / 2, x + width / 2, y - height / 2, y + height / 2]
            };
            let all: Vec<_> = pieces.iter().map(bounds).collect();
            let [width, height] = template.size();
            let least = |idx: usize| all.iter().map(|bounds| bounds[idx]).min().unwrap();
            let most = |idx: usize| all.iter().map(|bounds| bounds[idx]).max().unwrap();
            assert_eq!([least(0), most(1)], [-width / 2, width / 2], "{template:?}");
            assert_eq!([least(2), most(3)], [0, height], "{template:?}");
            for (idx, a) in all.iter().enumerate() {
                for b in &all[..idx] {
                    let apart = a[1] <= b[0] || b[1] <= a[0] || a[3] <= b[2] || b[3] <= a[2];
                    assert!(apart, "{template:?}: {a:?} overlaps {b:?}");
                }
            }
        }
    }

    #[test]
    fn portals_have_room_for_pigs() {
        let cavities = BlockTemplate::ALL.map(BlockTemplate::cavity);
        let cavities: Vec<_> = cavities.into_iter().flatten().collect();
        let expected = [[1240, 850], [1620, 850], [1200, 850], [820, 860], [1620, 1680]];
        assert_eq!(cavities, expected);
    }
}
