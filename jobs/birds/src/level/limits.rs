//! The limits of levels, which errors name too.

use std::ops::RangeInclusive;

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
