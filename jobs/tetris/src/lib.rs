//! todo
pub mod rules;
pub mod features;
pub mod players;
pub mod picture;
