//! Random stacks and levels.

use hatchery_core::StreamRng;
use hatchery_evolve::normal::normal;

use super::LevelGenome;
use super::element::{ElementCopies, StackBlocks, StackContent, StackElement};
use super::grammar::StackGrammar;
use super::stack::BlockStack;
use super::template::BlockTemplate;
use crate::level::BlockMaterial;

/// The most elements that a portal encloses.
const MAX_ENCLOSED: u8 = 7;

/// The height below which a random stack is empty (Angry Birds clone of 2015).
const MIN_HEIGHT: f64 = 1.0;

impl StackGrammar {
    /// Draws a level: stacks until a random width is reached.
    #[must_use]
    pub fn random_genome(&self, rng: &mut StreamRng) -> LevelGenome {
        let settings = &self.settings;
        let target = normal_modulo(settings.width_mean, settings.width_spread, settings.width, rng);
        let (mut stacks, mut width) = (Vec::new(), 0);
        while stacks.is_empty() || f64::from(width) < 1000.0 * target {
            let stack = self.random_stack(rng);
            width += self.pitch(&stack);
            stacks.push(stack);
        }
        LevelGenome::new(stacks, self)
    }

    /// Draws a stack.
    ///
    /// Elements are added until one would be too high. Portals are put over the elements below as
    /// far as these fit. Portals with room have pigs. A circle on top becomes a pig, and so does a
    /// triangle on top if the stack has none; else a stack without a pig has one on top.
    #[must_use]
    pub fn random_stack(&self, rng: &mut StreamRng) -> BlockStack {
        let settings = &self.settings;
        let target =
            normal_modulo(settings.height_mean, settings.height_spread, settings.height, rng);
        let mut stack = BlockStack(Vec::new());
        if target < MIN_HEIGHT {
            return stack;
        }
        while let Some(element) = self.random_element(&stack.0, rng) {
            let mut grown = stack.clone();
            self.add(element, &mut grown.0, rng);
            let top = self.top(&grown.0);
            let is_full = 1000.0 * target < f64::from(top) || self.roof() < top;
            if is_full || self.max_blocks < grown.n_blocks() {
                break;
            }
            stack = grown;
        }
        self.top_with_pig(&mut stack, rng);
        stack
    }

    /// Draws an element that can stand on `below`, the elements so far; `None` if no element can.
    fn random_element(&self, below: &[StackElement], rng: &mut StreamRng) -> Option<StackElement> {
        let offset = self.random_offset(rng);
        let material = BlockMaterial::ALL[rng.below(3) as usize];
        let element = |template, copies, encloses| {
            let blocks = StackBlocks { template, material, copies, encloses };
            StackElement { content: StackContent::Blocks(blocks), offset }
        };
        let stands = |element: &StackElement| self.check_next(below, element).is_ok();
        let fitted = |template: BlockTemplate| {
            let most = if template.cavity().is_some() { MAX_ENCLOSED } else { 0 };
            let options = (0..=most).rev().map(|n| element(template, ElementCopies::One, n));
            options.into_iter().find(stands)
        };
        let weighted = self.settings.templates.iter().filter(|one| 0.0 < one.weight);
        let options: Vec<_> =
            weighted.filter_map(|one| Some((one, fitted(one.template)?))).collect();
        let total: f64 = options.iter().map(|(one, _)| one.weight).sum();
        let mut left = total * rng.unit_f64();
        let chosen = options.iter().find(|(one, _)| {
            left -= one.weight;
            left < 0.0
        });
        // Rounding can leave a rest behind the last.
        let (one, single) = chosen.or_else(|| options.last())?;
        let double = element(one.template, ElementCopies::Two, 0);
        let doubles = stands(&double) && rng.unit_f64() < self.settings.double;
        Some(if doubles { double } else { *single })
    }

    /// Adds an element, with a pig in it if it is a portal with room for one.
    fn add(&self, element: StackElement, stack: &mut Vec<StackElement>, rng: &mut StreamRng) {
        if let StackContent::Blocks(blocks) = element.content
            && blocks.template.cavity().is_some()
        {
            let n_outside = stack.len() - usize::from(blocks.encloses);
            let has_pig = |elements: &[StackElement]| {
                elements.iter().any(|one| one.content == StackContent::Pig)
            };
            let is_first = !has_pig(&stack[..n_outside]);
            let pig = self.random_pig(rng);
            let around = StackBlocks { encloses: blocks.encloses + 1, ..blocks };
            let around = StackElement { content: StackContent::Blocks(around), ..element };
            let wanted = is_first || rng.unit_f64() < self.settings.pig_inside;
            if wanted && self.check_next(stack, &pig).is_ok() {
                stack.push(pig);
                if self.check_next(stack, &around).is_ok() {
                    stack.push(around);
                    return;
                }
                stack.pop();
            }
        }
        stack.push(element);
    }

    fn top_with_pig(&self, stack: &mut BlockStack, rng: &mut StreamRng) {
        let pig = self.random_pig(rng);
        let has_pig = 0 < stack.n_pigs();
        let pointed = stack.0.last().is_some_and(|element| match element.content {
            StackContent::Pig => false,
            StackContent::Blocks(StackBlocks { template, .. }) => {
                template.is_circle() || (!has_pig && !template.has_flat_top())
            }
        });
        if pointed {
            stack.0.pop();
        }
        if pointed || !has_pig {
            stack.0.push(pig);
        }
    }

    fn random_pig(&self, rng: &mut StreamRng) -> StackElement {
        StackElement { content: StackContent::Pig, offset: self.random_offset(rng) }
    }

    fn random_offset(&self, rng: &mut StreamRng) -> i32 {
        let jitter = self.lengths.jitter;
        let drawn = rng.below(2 * jitter.unsigned_abs() + 1);
        drawn.cast_signed() - jitter
    }
}

/// Draws the magnitude of a normal number, modulo `limit`. `mean` and `spread` are shares of
/// `limit`.
fn normal_modulo(mean: f64, spread: f64, limit: f64, rng: &mut StreamRng) -> f64 {
    libm::fmod(libm::fabs((mean + spread * normal(rng)) * limit), limit)
}
