//! Trades with other players, and what a player remembers of them in a turn.

pub(crate) mod negotiation;
pub(crate) mod trade_side;
pub(crate) mod turn_memory;
