//! Errors in stacks.

/// The reason why a list of elements is no stack. Elements are counted from 1, bottom-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StackError {
    /// An element has no flat, wide support.
    #[error("element {element} has no flat, wide support")]
    Unsupported {
        /// The element's number.
        element: usize,
    },
    /// An element encloses others that do not fit, or is no portal.
    #[error("element {element} has no room for the elements that it encloses")]
    NotEnclosed {
        /// The element's number.
        element: usize,
    },
    /// Two blocks of a kind that does not stand side by side, or on the ground.
    #[error("element {element} cannot be two side by side")]
    Doubled {
        /// The element's number.
        element: usize,
    },
    /// An element is too far from the middle of its stack.
    #[error("element {element} is displaced by {offset} thousandths, more than allowed")]
    Displaced {
        /// The element's number.
        element: usize,
        /// The displacement in thousandths of a unit.
        offset: i32,
    },
    /// The stack is too high.
    #[error("the stack is {found} thousandths high, but {most} are allowed")]
    TooHigh {
        /// The height in thousandths of a unit.
        found: i32,
        /// The height allowed.
        most: i32,
    },
    /// The stack has more blocks than a level may have.
    #[error("the stack has {found} blocks, but {most} are allowed")]
    TooManyBlocks {
        /// The number of blocks.
        found: usize,
        /// The number allowed.
        most: usize,
    },
    /// A stack that is not empty has no pig.
    #[error("the stack has no pig")]
    NoPig,
}
