//! The grammar of stacks: checked settings, and the rules for what may stand where.

use hatchery_core::InvalidValue;

use super::element::{ElementCopies, PIG_SIZE, StackContent, StackElement};
use super::error::StackError;
use super::settings::{MAX_HEIGHT, MAX_JITTER, MIN_WIDTH, StackSettings, SupportRule};
use crate::level::{GROUND_WIDTH, LevelSurroundings};

/// The most blocks that a level of stacks may be allowed: with the pigs that can be between them,
/// they are elements of a level.
pub const MAX_LEVEL_BLOCKS: u32 = 500;

/// The settings of stacks, checked, and the rules that follow from them.
#[derive(Clone, Debug, PartialEq)]
pub struct StackGrammar {
    pub(super) settings: StackSettings,
    pub(super) surroundings: LevelSurroundings,
    pub(super) max_blocks: usize,
    pub(super) lengths: StackLengths,
}

/// The lengths of the settings in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StackLengths {
    pub(super) left: i32,
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) empty_width: i32,
    pub(super) layer_gap: i32,
    pub(super) column_gap: i32,
    pub(super) jitter: i32,
}

impl StackGrammar {
    /// Returns the grammar of levels of at most `max_blocks` blocks.
    ///
    /// # Errors
    /// If a setting is out of its range, the stacks would reach beyond the ground, or no template
    /// has a weight. Keys are the fields of [`StackSettings`], or `max_blocks`.
    pub fn new(settings: &StackSettings, max_blocks: u32) -> Result<Self, InvalidValue> {
        let StackSettings { left, width, height, .. } = *settings;
        let surroundings = LevelSurroundings::with_red_birds(settings.birds as usize);
        let end = f64::from(surroundings.width * GROUND_WIDTH / 2.0);
        let ranges = [
            ("birds", f64::from(settings.birds), 1.0, LevelSurroundings::MAX_BIRDS as f64),
            ("max_blocks", f64::from(max_blocks), 1.0, f64::from(MAX_LEVEL_BLOCKS)),
            ("left", left, -6.0, end - MIN_WIDTH),
            ("width", width, MIN_WIDTH, end - left),
            ("height", height, 2.0, MAX_HEIGHT),
            ("height_mean", settings.height_mean, 0.0, 1.0),
            ("height_spread", settings.height_spread, 0.0, 2.0),
            ("width_mean", settings.width_mean, 0.0, 1.0),
            ("width_spread", settings.width_spread, 0.0, 2.0),
            ("empty_width", settings.empty_width, 0.5, MIN_WIDTH),
            ("double", settings.double, 0.0, 1.0),
            ("pig_inside", settings.pig_inside, 0.0, 1.0),
            ("layer_gap", settings.layer_gap, 0.0, 0.2),
            ("column_gap", settings.column_gap, 0.0, 2.0),
            ("jitter", settings.jitter, 0.0, MAX_JITTER),
        ];
        for (key, found, low, high) in ranges {
            InvalidValue::check_range(key, &found, &low, &high)?;
        }
        for (idx, one) in settings.templates.iter().enumerate() {
            let key = format!("templates.{idx}.weight");
            InvalidValue::check_range(&key, &one.weight, &0.0, &1000.0)?;
            if settings.templates[..idx].iter().any(|other| other.template == one.template) {
                let key = format!("templates.{idx}.template");
                let found = serde_json::to_string(&one.template).unwrap_or_default();
                return Err(InvalidValue::new(key, &found, "unlike those before"));
            }
        }
        if settings.templates.iter().all(|one| one.weight <= 0.0) {
            return Err(InvalidValue::new("templates", "no weight above 0", "one at least"));
        }
        let lengths = StackLengths {
            left: rounded(left),
            width: rounded(width),
            height: rounded(height),
            empty_width: rounded(settings.empty_width),
            layer_gap: rounded(settings.layer_gap),
            column_gap: rounded(settings.column_gap),
            jitter: rounded(settings.jitter),
        };
        Ok(Self {
            settings: settings.clone(),
            surroundings,
            max_blocks: max_blocks as usize,
            lengths,
        })
    }

    /// Checks that `next` may stand on, or over, the elements of a stack so far.
    pub(super) fn check_next(
        &self,
        below: &[StackElement],
        next: &StackElement,
    ) -> Result<(), StackError> {
        let element = below.len() + 1;
        if self.lengths.jitter < next.offset.abs() {
            return Err(StackError::Displaced { element, offset: next.offset });
        }
        let blocks = match next.content {
            StackContent::Pig => {
                let stands = below.last().is_none_or(StackElement::has_flat_top);
                return if stands { Ok(()) } else { Err(StackError::Unsupported { element }) };
            }
            StackContent::Blocks(blocks) => blocks,
        };
        let n_enclosed = usize::from(blocks.encloses);
        let Some(n_outside) = below.len().checked_sub(n_enclosed) else {
            return Err(StackError::NotEnclosed { element });
        };
        let (outside, enclosed) = below.split_at(n_outside);
        if !self.encloses(next, enclosed) {
            return Err(StackError::NotEnclosed { element });
        }
        let doubles = blocks.copies == ElementCopies::Two;
        if doubles && (!blocks.template.may_double() || outside.is_empty()) {
            return Err(StackError::Doubled { element });
        }
        let Some(support) = outside.last() else { return Ok(()) };
        // Two blocks are twice as wide as one: a pair is never wider than its support.
        let any_width = self.settings.support == SupportRule::AnyWidth
            && !doubles
            && blocks.template.cavity().is_none();
        let [width, _] = next.size();
        let stands = support.has_flat_top() && (any_width || width <= support.size()[0]);
        if stands { Ok(()) } else { Err(StackError::Unsupported { element }) }
    }

    /// Returns true if `enclosed` fit into the cavity of `portal`, or there are none.
    fn encloses(&self, portal: &StackElement, enclosed: &[StackElement]) -> bool {
        if enclosed.is_empty() {
            return true;
        }
        let Some([width, height]) = portal.cavity() else { return false };
        let inside = [portal.offset - width / 2, portal.offset + width / 2];
        let fits = |one: &StackElement| {
            let [left, right] = one.extent();
            one.cavity().is_none() && inside[0] <= left && right <= inside[1]
        };
        enclosed.iter().all(fits) && self.height_inside(enclosed) <= height
    }

    /// Returns the height that elements on each other need in a portal, whose own gap is below it
    /// as that of the lowest is.
    fn height_inside(&self, elements: &[StackElement]) -> i32 {
        let heights = elements.iter().map(|element| element.size()[1] + self.lengths.layer_gap);
        heights.sum::<i32>() - self.lengths.layer_gap
    }

    /// Returns the height of the highest element, in thousandths.
    pub(super) fn top(&self, elements: &[StackElement]) -> i32 {
        let tops = self.bottoms(elements).into_iter().zip(elements);
        tops.map(|(bottom, element)| bottom + element.size()[1]).max().unwrap_or(0)
    }

    /// Returns the heights above the ground at which elements begin, in thousandths. Each element
    /// but the first encloses no more than there are before it.
    pub(super) fn bottoms(&self, elements: &[StackElement]) -> Vec<i32> {
        let mut bottoms: Vec<i32> = Vec::with_capacity(elements.len());
        for (idx, element) in elements.iter().enumerate() {
            let support = idx.saturating_sub(element.n_enclosed()).checked_sub(1);
            let floor = support.map_or(0, |below| bottoms[below] + elements[below].size()[1]);
            bottoms.push(floor + self.lengths.layer_gap);
        }
        bottoms
    }

    /// Returns the highest that blocks of a stack may reach, so that a pig has room on top.
    pub(super) const fn roof(&self) -> i32 {
        self.lengths.height - PIG_SIZE - self.lengths.layer_gap
    }
}

/// Returns a length of at most 1,000 units, rounded to thousandths.
#[expect(clippy::cast_possible_truncation, reason = "at most 10^6")]
fn rounded(length: f64) -> i32 {
    libm::round(1000.0 * length) as i32
}
