//! The places of elements: from a genome to a level.

use super::LevelGenome;
use super::element::{ElementCopies, PIG, StackBlocks, StackContent};
use super::grammar::StackGrammar;
use super::stack::BlockStack;
use super::template::BlockTurn;
use crate::level::{GROUND_TOP, Level, LevelBlock, LevelElements, LevelPig, Pose};

impl LevelGenome {
    /// Returns the level: stacks edge to edge from the left, each as wide as its elements reach,
    /// and elements on each other, with the gaps of the settings.
    ///
    /// # Panics
    /// If the genome was made with another grammar, of more elements than a level may have.
    #[must_use]
    pub fn decode(&self, grammar: &StackGrammar) -> Level {
        let mut elements = LevelElements::default();
        let mut left = grammar.lengths.left;
        for stack in &self.stacks {
            if let Some([first, _]) = stack.extent() {
                place(stack, left - first, grammar, &mut elements);
            }
            left += grammar.pitch(stack);
        }
        Level::new(grammar.surroundings.clone(), elements)
            .expect("the grammar keeps numbers and places within those of levels")
    }
}

impl StackGrammar {
    /// Returns the distance from the left end of a stack to that of the next, in thousandths.
    pub(super) fn pitch(&self, stack: &BlockStack) -> i32 {
        let width = stack.extent().map_or(self.lengths.empty_width, |[left, right]| right - left);
        width + self.lengths.column_gap
    }
}

/// Adds the blocks and pigs of a stack whose middle is at `middle`.
fn place(stack: &BlockStack, middle: i32, grammar: &StackGrammar, level: &mut LevelElements) {
    for (bottom, element) in grammar.bottoms(&stack.0).into_iter().zip(&stack.0) {
        let (x, [width, height]) = (middle + element.offset, element.size());
        match element.content {
            StackContent::Pig => {
                level.pigs.push(LevelPig { kind: PIG, pose: pose([x, bottom + height / 2]) });
            }
            StackContent::Blocks(blocks) => {
                let places = match blocks.copies {
                    ElementCopies::One => vec![x],
                    ElementCopies::Two => vec![x - width / 4, x + width / 4],
                };
                level.blocks.extend(places.into_iter().flat_map(|x| placed(&blocks, [x, bottom])));
            }
        }
    }
}

/// Returns the blocks of a template whose lower side has its middle at a place.
fn placed(blocks: &StackBlocks, [x, bottom]: [i32; 2]) -> impl Iterator<Item = LevelBlock> {
    let material = blocks.material;
    blocks.template.pieces().into_iter().map(move |piece| {
        let pose = pose([x + piece.center[0], bottom + piece.center[1]]);
        let degrees = match piece.turn {
            BlockTurn::Flat => 0.0,
            BlockTurn::Upright => 90.0,
        };
        LevelBlock { shape: piece.shape, material, pose: Pose { degrees, ..pose } }
    })
}

/// Returns the place of a height above the ground, both in thousandths.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "below 10^5")]
fn pose([x, height]: [i32; 2]) -> Pose {
    let y = height + (1000.0 * GROUND_TOP) as i32;
    Pose::at(x as f32 / 1000.0, y as f32 / 1000.0)
}
