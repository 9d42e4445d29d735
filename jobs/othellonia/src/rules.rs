//! The rules: the board, pieces and their effects, and games.
//!
//! All numbers are integers, and every division rounds down. The README has the rules in full.

mod attribute;
mod cell;
mod condition;
mod effect;
mod event;
mod game;
mod lines;
mod outcome;
mod piece;
mod placement;
mod resolution;
mod running;
mod shuffle;
mod state;
mod turn;

pub use attribute::Attribute;
pub use cell::{Cell, CellClass, CellError, CellIter, CellSet, N_CELLS, WIDTH};
pub use condition::{Condition, PlacementFacts};
pub use effect::{
    Effect, EffectError, EffectKind, EffectScaling, EffectScope, EffectTarget, MAX_TURNS,
    MagnitudeUnit,
};
pub use event::{EffectSource, GameEvent, GameWatcher, HpChange};
pub use game::{Action, ActionError, Game, GameStart};
pub use lines::{OutflankedLines, legal_cells, outflanked_lines};
pub use outcome::{EndCause, GameOutcome, Player};
pub use piece::{
    DECK_PIECES, EffectChain, GameDeck, GamePiece, MAX_ATTACK, MAX_CHAIN, MAX_PIECE_HP, PieceId,
};
pub use running::{MAX_STATES, PlayerStates, RunningEffect};
pub use shuffle::deck_order;
pub use state::{BoardPiece, GameState, HAND_SLOTS, PlayerState};
