//! Checks the features: their layout, what they tell, and what they must not tell.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod golden;
mod information;
mod layout;
mod positions;
mod values;
