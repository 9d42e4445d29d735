//! The stack encoding of levels.
//!
//! A level is a list of stacks from left to right, and a stack is a list of elements from the
//! ground up: pigs, blocks, pairs of blocks, and composites. Places are not part of the encoding.
//! Stacks are placed edge to edge. Each element rests on the element before it, displaced by at
//! most a small jitter. The encoding comes from the Angry Birds clone's genetic algorithm of 2015;
//! the blocks come from Science Birds.
//!
//! - Circles, triangles and pigs support nothing, but a portal may be put over them.
//! - Blocks are not wider than their support; pigs may be.
//! - Two blocks stand side by side only on an element that is at least twice as wide as one.
//! - A stack that is not empty has a pig.

mod breeding;
mod element;
mod error;
mod generator;
mod grammar;
mod layout;
mod settings;
mod stack;
mod template;
#[cfg(test)]
mod tests;

pub use element::{ElementCopies, StackBlocks, StackContent, StackElement};
pub use error::StackError;
pub use grammar::{MAX_LEVEL_BLOCKS, StackGrammar};
pub use settings::{BreedingSettings, StackSettings, SupportRule, TemplateWeight};
pub use stack::BlockStack;
pub use template::{BlockTemplate, BlockTurn, TemplatePiece};

/// A level as a list of stacks. Equal genomes are equal levels, so that it is the key of a cache.
///
/// Invariant: together, the stacks are no wider and have no more blocks than the
/// [`StackGrammar`] allows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LevelGenome {
    stacks: Vec<BlockStack>,
}

impl LevelGenome {
    /// Returns the genome of these stacks, without the last ones as long as there are too many
    /// blocks or the stacks are too wide: as in the clone of 2015, what is beyond the right end is
    /// dropped, whatever it is, and no other stack changes. The first stack always has room.
    #[must_use]
    pub fn new(mut stacks: Vec<BlockStack>, grammar: &StackGrammar) -> Self {
        let (mut width, mut n_blocks) = (0, 0);
        let fitting = stacks.iter().take_while(|stack| {
            let left = width;
            width += grammar.pitch(stack);
            n_blocks += stack.n_blocks();
            let end = stack.extent().map_or(left, |[first, last]| left + last - first);
            end <= grammar.lengths.width && n_blocks <= grammar.max_blocks
        });
        let n_fitting = fitting.count();
        stacks.truncate(n_fitting);
        Self { stacks }
    }

    /// Returns the stacks, from left to right.
    #[must_use]
    pub fn stacks(&self) -> &[BlockStack] {
        &self.stacks
    }

    /// Returns the number of blocks, which is that of the level.
    #[must_use]
    pub fn n_blocks(&self) -> usize {
        self.stacks.iter().map(BlockStack::n_blocks).sum()
    }

    /// Returns the number of pigs, which is that of the level.
    #[must_use]
    pub fn n_pigs(&self) -> usize {
        self.stacks.iter().map(BlockStack::n_pigs).sum()
    }
}
