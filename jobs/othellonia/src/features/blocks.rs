//! The blocks of a row: each has its fields, in order, and a function that writes them.

pub(crate) mod action;
pub(crate) mod cell;
pub(crate) mod deck;
pub(crate) mod game;
pub(crate) mod hand;
pub(crate) mod status;
