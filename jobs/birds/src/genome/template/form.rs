//! The forms of templates: the blocks that each is built of.

use super::{BlockTemplate, BlockTurn};
use crate::level::BlockShape;

/// A form that a template is built of.
pub(super) enum TemplateForm {
    /// A block.
    Single(BlockShape, BlockTurn),
    /// Two pillars of `n_high` blocks each, below the ends of a lintel.
    Portal { pillar: (BlockShape, BlockTurn), n_high: i32, lintel: BlockShape },
    /// A pillar below the middle of a slab.
    Podium { pillar: (BlockShape, BlockTurn), slab: BlockShape },
}

impl TemplateForm {
    /// Returns the form of a template.
    pub(super) const fn of(template: BlockTemplate) -> Self {
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
