//! Stacks: columns of elements.

use super::element::{StackContent, StackElement};
use super::error::StackError;
use super::grammar::StackGrammar;

/// A column of elements, bottom-up; it may be empty.
///
/// Invariant: the rules of the [`StackGrammar`] that made the stack allow each element at its
/// place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockStack(pub(super) Vec<StackElement>);

impl BlockStack {
    /// Returns the stack of these elements.
    ///
    /// # Errors
    /// If an element may not stand where it does, the stack is too high, has too many blocks, or
    /// has blocks and no pig.
    pub fn new(elements: Vec<StackElement>, grammar: &StackGrammar) -> Result<Self, StackError> {
        for (idx, element) in elements.iter().enumerate() {
            grammar.check_next(&elements[..idx], element)?;
        }
        let stack = Self(elements);
        let (found, most) = (stack.n_blocks(), grammar.max_blocks);
        if most < found {
            return Err(StackError::TooManyBlocks { found, most });
        }
        let (found, most) = (grammar.top(&stack.0), grammar.lengths.height);
        if most < found {
            return Err(StackError::TooHigh { found, most });
        }
        if !stack.0.is_empty() && stack.n_pigs() == 0 {
            return Err(StackError::NoPig);
        }
        Ok(stack)
    }

    /// Returns the elements, bottom-up.
    #[must_use]
    pub fn elements(&self) -> &[StackElement] {
        &self.0
    }

    /// Returns the number of blocks. Every block of a composite or a pair counts.
    #[must_use]
    pub fn n_blocks(&self) -> usize {
        self.0.iter().map(StackElement::n_blocks).sum()
    }

    /// Returns the number of pigs.
    #[must_use]
    pub fn n_pigs(&self) -> usize {
        self.0.iter().filter(|element| element.content == StackContent::Pig).count()
    }

    /// Returns the places of the left and right end from the middle of the stack, in thousandths;
    /// `None` for an empty stack.
    #[must_use]
    pub fn extent(&self) -> Option<[i32; 2]> {
        let extents = self.0.iter().map(StackElement::extent);
        extents.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
    }
}
