//! Pieces: their attributes, their effects, and the conditions of the effects.

pub(crate) mod attribute;
pub(crate) mod condition;
pub(crate) mod effect;
pub(crate) mod piece;
