//! The settings of stacks and of breeding.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::template::BlockTemplate;

/// The highest stacks allowed: no higher than a bird flies (Science Birds).
pub(super) const MAX_HEIGHT: f64 = 12.0;

/// The least width for stacks: that of the widest one.
pub(super) const MIN_WIDTH: f64 = 5.0;

/// The most horizontal displacement allowed: two elements of the least width, .22, that are
/// displaced by it to both sides still touch.
pub(super) const MAX_JITTER: f64 = 0.1;

/// The settings of the stacks that a level consists of.
///
/// Lengths are in units of Science Birds, and are rounded to thousandths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StackSettings {
    /// The number of birds, all red.
    #[schemars(range(min = 1, max = 20), extend("x-source" = "Kaidan et al., §5.1"))]
    pub birds: u32,
    /// The place of the left end of the first stack. The slingshot is at -8.
    #[schemars(
        range(min = -6.0, max = 12.0),
        extend("x-source" = "baseline generator of the AIBIRDS competition: -3")
    )]
    pub left: f64,
    /// The most width of all stacks together: stacks beyond it are dropped. Birds reach the ground
    /// at 14.7, but only what is below 5.5 at the right end of the default, 9.
    #[schemars(
        range(min = MIN_WIDTH, max = 23.0),
        extend("x-source" = "baseline generator of the AIBIRDS competition: -3 to 9")
    )]
    pub width: f64,
    /// The most height of a stack.
    #[schemars(
        range(min = 2.0, max = MAX_HEIGHT),
        extend("x-source" = "Angry Birds clone of 2015: H = 12")
    )]
    pub height: f64,
    /// The mean of the normal distribution of the heights of random stacks, as a share of `height`:
    /// the height is the magnitude of the number drawn, modulo `height`.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Angry Birds clone of 2015"))]
    pub height_mean: f64,
    /// The standard deviation of that distribution, as a share of `height`.
    #[schemars(range(min = 0.0, max = 2.0), extend("x-source" = "ours"))]
    pub height_spread: f64,
    /// The mean of the normal distribution of the widths of random levels, as a share of `width`.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Angry Birds clone of 2015"))]
    pub width_mean: f64,
    /// The standard deviation of that distribution, as a share of `width`.
    #[schemars(range(min = 0.0, max = 2.0), extend("x-source" = "Angry Birds clone of 2015"))]
    pub width_spread: f64,
    /// The width of an empty stack. A random stack is empty if its height would be below 1.
    #[schemars(range(min = 0.5, max = 5.0), extend("x-source" = "Angry Birds clone of 2015"))]
    pub empty_width: f64,
    /// The probability that an element is two blocks side by side, where there is an element below
    /// that is at least twice as wide as one.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Angry Birds clone of 2015"))]
    pub double: f64,
    /// The probability of a pig in a portal that has room for one; the first such portal of a stack
    /// always has one.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Angry Birds clone of 2015"))]
    pub pig_inside: f64,
    /// The rule for the width of what stands on an element.
    #[schemars(extend("x-source" = "Angry Birds clone of 2015, April"))]
    pub support: SupportRule,
    /// The vertical gap below each element, through which it falls at first.
    #[schemars(range(min = 0.0, max = 0.2), extend("x-source" = "ours"))]
    pub layer_gap: f64,
    /// The horizontal gap between stacks.
    #[schemars(
        range(min = 0.0, max = 2.0),
        extend("x-source" = "ours; Angry Birds clone of 2015: 0")
    )]
    pub column_gap: f64,
    /// The most horizontal displacement of an element from the middle of its stack; each element's
    /// is drawn uniformly, and is part of the genome. Without it, nearly no stack falls, and all
    /// levels are about as stable; at the default, a quarter of random levels have a mean speed
    /// above .1.
    #[schemars(range(min = 0.0, max = MAX_JITTER), extend("x-source" = "ours"))]
    pub jitter: f64,
    /// The templates that stacks are made of, with their weights in random draws.
    #[schemars(length(min = 1, max = 24), extend(
        "x-source" = "baseline generator of the AIBIRDS competition; circles, triangles and \
                      composites are ours"
    ))]
    pub templates: Vec<TemplateWeight>,
}

/// A template and its weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TemplateWeight {
    /// The template.
    pub template: BlockTemplate,
    /// Its probability is this, divided by the weights of all templates that fit.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub weight: f64,
}

/// A rule for the width of what stands on an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SupportRule {
    /// Blocks are not wider than what they stand on.
    NotWider,
    /// Blocks may be wider than what they stand on; portals and pairs of blocks may not.
    AnyWidth,
}

/// The settings of breeding.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BreedingSettings {
    /// The probability that a child has two parents; otherwise it begins as a copy of one.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Kaidan et al., §5.1"))]
    pub crossover: f64,
    /// The probability that a child keeps a stack where only one parent has one.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Angry Birds clone of 2015"))]
    pub surplus: f64,
    /// The probability that a stack of a child is replaced by a random one.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Kaidan et al., §5.1"))]
    pub mutation: f64,
}

/// The default weights of templates. The weights of oriented blocks add up to 1.
const WEIGHTS: [(BlockTemplate, f64); 24] = [
    (BlockTemplate::SquareHole, 0.10),
    (BlockTemplate::RectFat, 0.10),
    (BlockTemplate::RectFatUpright, 0.10),
    (BlockTemplate::SquareSmall, 0.05),
    (BlockTemplate::SquareTiny, 0.02),
    (BlockTemplate::RectTiny, 0.05),
    (BlockTemplate::RectTinyUpright, 0.05),
    (BlockTemplate::RectSmall, 0.10),
    (BlockTemplate::RectSmallUpright, 0.05),
    (BlockTemplate::RectMedium, 0.16),
    (BlockTemplate::RectMediumUpright, 0.04),
    (BlockTemplate::RectBig, 0.16),
    (BlockTemplate::RectBigUpright, 0.02),
    (BlockTemplate::Circle, 0.02),
    (BlockTemplate::CircleSmall, 0.02),
    (BlockTemplate::Triangle, 0.02),
    (BlockTemplate::TriangleHole, 0.02),
    (BlockTemplate::Portal, 0.04),
    (BlockTemplate::WidePortal, 0.04),
    (BlockTemplate::ThickPortal, 0.04),
    (BlockTemplate::WalledPortal, 0.04),
    (BlockTemplate::TallPortal, 0.04),
    (BlockTemplate::LowPodium, 0.04),
    (BlockTemplate::HighPodium, 0.04),
];

impl Default for StackSettings {
    fn default() -> Self {
        let weight = |(template, weight)| TemplateWeight { template, weight };
        Self {
            birds: 3,
            left: -3.0,
            width: 12.0,
            height: 12.0,
            height_mean: 0.5,
            height_spread: 0.5,
            width_mean: 0.5,
            width_spread: 0.5,
            empty_width: 2.0,
            double: 0.5,
            pig_inside: 0.5,
            support: SupportRule::NotWider,
            layer_gap: 0.02,
            column_gap: 0.02,
            jitter: 0.08,
            templates: WEIGHTS.map(weight).to_vec(),
        }
    }
}

impl Default for BreedingSettings {
    fn default() -> Self {
        Self { crossover: 0.95, surplus: 0.5, mutation: 0.05 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_has_a_weight_and_oriented_blocks_have_those_of_the_table() {
        let weights = StackSettings::default().templates;
        assert!(weights.iter().map(|one| one.template).eq(BlockTemplate::ALL));
        let sum: f64 = weights[..13].iter().map(|one| one.weight).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{sum}");
    }
}
