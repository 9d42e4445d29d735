//! Errors in levels, and the limits that they name.

use std::ops::RangeInclusive;

use hatchery_core::DecodeError;

/// See [`Level::MAX_ELEMENTS`](super::Level::MAX_ELEMENTS).
pub(super) const MAX_ELEMENTS: usize = 1000;

/// See [`Level::MAX_TEXT_BYTES`](super::Level::MAX_TEXT_BYTES).
pub(super) const MAX_TEXT_BYTES: usize = 1 << 20;

/// See [`LevelSurroundings::MAX_BIRDS`](super::LevelSurroundings::MAX_BIRDS).
pub(super) const MAX_BIRDS: usize = 20;

/// See [`LevelSurroundings::WIDTHS`](super::LevelSurroundings::WIDTHS).
pub(super) const WIDTHS: RangeInclusive<f32> = 1.0..=10.0;

/// See [`Level::MAX_OVERLAPS`](super::Level::MAX_OVERLAPS).
pub(super) const MAX_OVERLAPS: usize = 50_000;

/// The reason why something is no level.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LevelError {
    /// The level has too many blocks, pigs, TNT and platforms together.
    #[error("{found} elements, but at most {MAX_ELEMENTS} are allowed")]
    TooManyElements {
        /// The number of elements.
        found: usize,
    },
    /// The level has no birds, or too many.
    #[error("{found} birds, but 1 to {MAX_BIRDS} are allowed")]
    Birds {
        /// The number of birds.
        found: usize,
    },
    /// The width is out of its range or not whole.
    #[error(
        "the width is {found}, but must be a whole number from {} to {}",
        WIDTHS.start(),
        WIDTHS.end()
    )]
    Width {
        /// The width found.
        found: f32,
    },
    /// A number of an element is out of its range, or none.
    #[error("{element} {number}: {attribute} is {found}, but must be from {low} to {high}")]
    OutOfRange {
        /// The kind of element, such as `block`.
        element: &'static str,
        /// The number of the element among the elements of its kind, from 1.
        number: usize,
        /// The number's name, as in a level file.
        attribute: &'static str,
        /// The number found.
        found: f32,
        /// The lowest number allowed.
        low: f32,
        /// The highest number allowed.
        high: f32,
    },
}

impl From<LevelError> for DecodeError {
    fn from(error: LevelError) -> Self {
        Self::field("level", "impossible", format!("within its limits: {error}"))
    }
}
