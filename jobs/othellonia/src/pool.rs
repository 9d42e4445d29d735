//! Pools of pieces and decks: what people write and programs generate, checked before it is played.

mod deck;
mod draw;
mod error;
mod piece;
mod piece_pool;

pub use deck::{CostCap, DeckDefinition};
pub use draw::{MAX_DRAWS, draw_deck};
pub use error::PoolError;
pub use piece::{PieceDefinition, PieceText};
pub use piece_pool::{MAX_KINDS, PiecePool};
