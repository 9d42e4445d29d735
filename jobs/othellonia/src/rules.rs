//! The rules: the board, pieces and their effects, and games.
//!
//! All numbers are integers, and every division rounds down. The README has the rules in full.

mod board;
mod pieces;
mod play;

pub use board::cell::{Cell, CellClass, CellError, CellIter, CellSet, N_CELLS, WIDTH};
pub use board::lines::{OutflankedLines, legal_cells, outflanked_lines};
pub use pieces::attribute::Attribute;
pub use pieces::condition::{Condition, PlacementFacts};
pub use pieces::effect::{
    Effect, EffectError, EffectKind, EffectScaling, EffectScope, EffectTarget, MAX_TURNS,
    MagnitudeUnit,
};
pub use pieces::piece::{
    DECK_PIECES, EffectChain, GameDeck, GamePiece, MAX_ATTACK, MAX_CHAIN, MAX_PIECE_HP, PieceId,
};
pub use play::event::{EffectSource, GameEvent, GameWatcher, HpChange};
pub use play::game::{Action, ActionError, Game, GameStart};
pub use play::outcome::{EndCause, GameOutcome, Player};
pub use play::running::{MAX_STATES, PlayerStates, RunningEffect};
pub use play::shuffle::deck_order;
pub use play::state::{BoardPiece, GameState, HAND_SLOTS, PlayerState};
