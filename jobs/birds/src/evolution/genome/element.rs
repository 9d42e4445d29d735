//! The elements of stacks.

use super::template::BlockTemplate;
use crate::level::{BlockMaterial, PigKind};

/// The pigs of stacks.
pub(super) const PIG: PigKind = PigKind::Small;

/// Their width and height in thousandths.
pub(super) const PIG_SIZE: i32 = 470;

/// An element of a stack: a pig, a block, two blocks side by side, or a composite of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StackElement {
    /// The content of the element.
    pub content: StackContent,
    /// The displacement of its middle from that of the stack, in thousandths of a unit.
    pub offset: i32,
}

/// The content of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StackContent {
    /// A small pig.
    Pig,
    /// Blocks.
    Blocks(StackBlocks),
}

/// The blocks of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StackBlocks {
    /// The template.
    pub template: BlockTemplate,
    /// The material that all blocks share.
    pub material: BlockMaterial,
    /// The number of copies.
    pub copies: ElementCopies,
    /// The number of elements just below in the list that stand in the cavity of a portal, and not
    /// below it. The portal rests on the element before the enclosed elements.
    pub encloses: u8,
}

/// The number of copies of a template that stand side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ElementCopies {
    /// One.
    One,
    /// Two, which touch.
    Two,
}

impl StackElement {
    /// Returns width and height in thousandths.
    #[must_use]
    pub const fn size(&self) -> [i32; 2] {
        match self.content {
            StackContent::Pig => [PIG_SIZE, PIG_SIZE],
            StackContent::Blocks(StackBlocks { template, copies, .. }) => {
                let [width, height] = template.size();
                match copies {
                    ElementCopies::One => [width, height],
                    ElementCopies::Two => [2 * width, height],
                }
            }
        }
    }

    /// Returns the places of the left and right end from the middle of the stack, in thousandths.
    #[must_use]
    pub const fn extent(&self) -> [i32; 2] {
        let half = self.size()[0] / 2;
        [self.offset - half, self.offset + half]
    }

    /// Returns the number of blocks.
    #[must_use]
    pub const fn n_blocks(&self) -> usize {
        match self.content {
            StackContent::Pig => 0,
            StackContent::Blocks(StackBlocks { template, copies, .. }) => match copies {
                ElementCopies::One => template.n_pieces(),
                ElementCopies::Two => 2 * template.n_pieces(),
            },
        }
    }

    pub(super) const fn has_flat_top(&self) -> bool {
        match self.content {
            StackContent::Pig => false,
            StackContent::Blocks(blocks) => blocks.template.has_flat_top(),
        }
    }

    pub(super) const fn cavity(&self) -> Option<[i32; 2]> {
        match self.content {
            StackContent::Pig => None,
            StackContent::Blocks(blocks) => blocks.template.cavity(),
        }
    }

    pub(super) const fn n_enclosed(&self) -> usize {
        match self.content {
            StackContent::Pig => 0,
            StackContent::Blocks(blocks) => blocks.encloses as usize,
        }
    }
}
