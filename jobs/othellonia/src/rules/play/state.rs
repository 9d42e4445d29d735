//! The state of a game between two placements.

use super::outcome::{GameOutcome, Player};
use super::running::{PlayerStates, RunningEffect};
use crate::rules::{Cell, CellSet, DECK_PIECES, N_CELLS};

/// The number of slots of a hand.
pub const HAND_SLOTS: usize = 4;

/// The state of a game: plain data, the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameState {
    /// The players.
    pub players: [PlayerState; 2],
    /// What is on each cell, beside its owner; plain on empty cells.
    pub board: [BoardPiece; N_CELLS],
    /// The player whose turn it is.
    pub to_move: Player,
    /// The player who placed first: black.
    pub first: Player,
    /// The cells where the player whose turn it is can place; none if the game is over.
    pub legal: CellSet,
    /// The placements so far.
    pub placements: u8,
    /// True if the turn before this one was a pass.
    pub has_passed: bool,
    /// The outcome, if the game is over.
    pub outcome: Option<GameOutcome>,
}

/// The state of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayerState {
    /// The HP.
    pub hp: u32,
    /// The highest HP: those at the start, unless an effect raised them.
    pub highest_hp: u32,
    /// The HP at the start of the player's latest turn.
    pub latched_hp: u32,
    /// The number of the player's latest turn, counted from 1; passes count.
    pub turn: u8,
    /// The cells of the player's pieces.
    pub cells: CellSet,
    /// The cells with pieces on which something runs.
    pub running: CellSet,
    /// The order of the draws from the deck: indices of its pieces.
    pub order: [u8; DECK_PIECES],
    /// The number of pieces drawn so far.
    pub drawn: u8,
    /// The hand: indices of pieces of the deck.
    pub hand: [Option<u8>; HAND_SLOTS],
    /// What the player suffers from, or is charged with.
    pub states: PlayerStates,
}

/// A piece on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoardPiece {
    /// The index of the piece in its owner's deck; `None` for a plain piece.
    pub piece: Option<u8>,
    /// What runs on it: of its skill, and of its combo skill.
    pub running: [Option<RunningEffect>; 2],
}

impl GameState {
    /// Returns the player's state.
    #[must_use]
    pub const fn player(&self, player: Player) -> &PlayerState {
        &self.players[player.index()]
    }

    pub(super) const fn player_mut(&mut self, player: Player) -> &mut PlayerState {
        &mut self.players[player.index()]
    }

    /// Returns what is on a cell.
    #[must_use]
    pub const fn at(&self, cell: Cell) -> &BoardPiece {
        &self.board[cell.index()]
    }

    /// Returns the player whose piece is on a cell.
    #[must_use]
    pub const fn owner(&self, cell: Cell) -> Option<Player> {
        if self.players[0].cells.contains(cell) {
            Some(Player::A)
        } else if self.players[1].cells.contains(cell) {
            Some(Player::B)
        } else {
            None
        }
    }

    /// Iterates over what runs on the player's pieces, by cell, the skill's before the combo
    /// skill's.
    pub fn running(&self, player: Player) -> impl Iterator<Item = (Cell, &RunningEffect)> {
        let cells = self.player(player).running.iter();
        cells.flat_map(|cell| self.at(cell).running.iter().flatten().map(move |it| (cell, it)))
    }
}

impl PlayerState {
    /// Returns the number of pieces in the hand.
    #[must_use]
    pub fn hand_pieces(&self) -> usize {
        self.hand.iter().flatten().count()
    }

    /// Returns true if neither deck nor hand has a piece left.
    #[must_use]
    pub fn is_used_up(&self) -> bool {
        usize::from(self.drawn) == DECK_PIECES && self.hand.iter().all(Option::is_none)
    }
}
