//! A game: decks, a state, and the actions that lead from one state to the next.

use std::fmt;

use super::event::GameWatcher;
use super::outcome::{GameFlow, GameOutcome, Player};
use super::running::PlayerStates;
use super::shuffle::deck_order;
use super::state::{BoardPiece, GameState, HAND_SLOTS, PlayerState};
use crate::rules::{Cell, CellSet, GameDeck, N_CELLS, legal_cells};

/// The start of a game: the seed of its draws, and the player who places first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameStart {
    /// The seed for the order that pieces are drawn in.
    pub seed: u64,
    /// The player who places first: black.
    pub first: Player,
}

/// A piece of the hand, and the cell where it is placed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action {
    /// The cell.
    pub cell: Cell,
    /// The slot of the hand, below 4.
    pub slot: u8,
}

/// A game between two decks.
#[derive(Clone, Debug)]
pub struct Game<'a> {
    pub(super) decks: [&'a GameDeck; 2],
    pub(super) state: GameState,
}

impl<'a> Game<'a> {
    /// Starts a game: the four pieces in the middle are plain, both hands have their leader and
    /// three more pieces, and the first player's turn has begun.
    #[must_use]
    pub fn start(decks: [&'a GameDeck; 2], start: GameStart) -> Self {
        let mut game = Self::before_first_turn(decks, start);
        leave_to_state(game.begin_turns(&mut ()));
        game
    }

    fn before_first_turn(decks: [&'a GameDeck; 2], GameStart { seed, first }: GameStart) -> Self {
        let orders = deck_order(seed, decks);
        // As in reversi: black has d3 and c4, white c3 and d4.
        let [black, white] = [[(3, 2), (2, 3)], [(2, 2), (3, 3)]].map(|cells| {
            let cells = cells.map(|(column, row)| Cell::at(column, row).expect("on the board"));
            cells.iter().fold(CellSet::EMPTY, |set, cell| set.or(cell.set()))
        });
        let players = Player::ALL.map(|player| {
            let (order, hp) = (orders[player.index()], decks[player.index()].hp());
            let mut hand = [None; HAND_SLOTS];
            for (slot, piece) in hand.iter_mut().zip(order) {
                *slot = Some(piece);
            }
            PlayerState {
                hp,
                highest_hp: hp,
                latched_hp: hp,
                turn: 0,
                cells: if player == first { black } else { white },
                running: CellSet::EMPTY,
                order,
                drawn: 4,
                hand,
                states: PlayerStates::default(),
            }
        });
        let state = GameState {
            players,
            board: [BoardPiece::default(); N_CELLS],
            to_move: first,
            first,
            legal: legal_cells(black, white),
            placements: 0,
            has_passed: false,
            outcome: None,
        };
        Self { decks, state }
    }

    /// Returns the decks.
    #[must_use]
    pub const fn decks(&self) -> [&'a GameDeck; 2] {
        self.decks
    }

    /// Returns the state.
    #[must_use]
    pub const fn state(&self) -> &GameState {
        &self.state
    }

    /// Returns the outcome, if the game is over.
    #[must_use]
    pub const fn outcome(&self) -> Option<GameOutcome> {
        self.state.outcome
    }

    /// Iterates over the legal actions, by cell and then by slot; none if the game is over.
    pub fn actions(&self) -> impl Iterator<Item = Action> {
        let hand = self.state.player(self.state.to_move).hand;
        self.state.legal.iter().flat_map(move |cell| {
            let slots = (0..).zip(hand).filter_map(|(slot, piece)| piece.map(|_| slot));
            slots.map(move |slot| Action { cell, slot })
        })
    }

    /// Plays an action, ends the turn, and begins the next turn that has a place for a piece.
    ///
    /// # Errors
    /// If the action is not legal: then nothing has happened.
    pub fn play(
        &mut self,
        action: Action,
        watcher: &mut impl GameWatcher,
    ) -> Result<(), ActionError> {
        self.place(action, watcher)?;
        if self.state.outcome.is_none() {
            self.state.to_move = self.state.to_move.enemy();
            leave_to_state(self.begin_turns(watcher));
        }
        Ok(())
    }

    /// Returns the game after an action, to the end of the turn: what `play` does before the next
    /// turn begins. In the copy, it is still the same player's turn.
    ///
    /// # Errors
    /// If the action is not legal.
    pub fn preview(
        &self,
        action: Action,
        watcher: &mut impl GameWatcher,
    ) -> Result<Self, ActionError> {
        let mut after = self.clone();
        after.place(action, watcher)?;
        Ok(after)
    }

    fn place(&mut self, action: Action, watcher: &mut impl GameWatcher) -> Result<(), ActionError> {
        let Action { cell, slot } = action;
        let state = &mut self.state;
        if state.outcome.is_some() {
            return Err(ActionError::GameOver { action });
        }
        if !state.legal.contains(cell) {
            return Err(ActionError::IllegalCell { cell, player: state.to_move });
        }
        let Some(placement) = self.put_piece(cell, usize::from(slot), watcher) else {
            return Err(ActionError::EmptySlot { slot, player: self.state.to_move });
        };
        self.state.placements += 1;
        self.state.has_passed = false;
        leave_to_state(self.resolve(&placement, watcher));
        Ok(())
    }
}

/// Ends steps of the rules: the state says whether the game is over.
fn leave_to_state(_: GameFlow) {}

impl Action {
    /// The number of actions that there can be. A byte encodes an action.
    pub const COUNT: u8 = 144;

    /// Returns the byte that encodes the action, below [`COUNT`](Self::COUNT).
    #[must_use]
    pub const fn to_byte(self) -> u8 {
        self.cell.number() * SLOTS + self.slot
    }

    /// Returns the action that a byte encodes.
    #[must_use]
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match Cell::new(byte / SLOTS) {
            Some(cell) => Some(Self { cell, slot: byte % SLOTS }),
            None => None,
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.cell, self.slot + 1)
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An error for an action that is not legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActionError {
    /// The game is over.
    #[error("{action} after the end of the game")]
    GameOver {
        /// The action.
        action: Action,
    },
    /// The piece would flip nothing, or the cell has a piece.
    #[error("{player} cannot place a piece on {cell}")]
    IllegalCell {
        /// The cell.
        cell: Cell,
        /// The player.
        player: Player,
    },
    /// The hand has no piece there.
    #[error("slot {} of {player}'s hand is empty", slot + 1)]
    EmptySlot {
        /// The slot.
        slot: u8,
        /// The player.
        player: Player,
    },
}

/// The number of slots of a hand, as a byte.
const SLOTS: u8 = 4;

const _: () =
    assert!(SLOTS as usize == HAND_SLOTS && Action::COUNT as usize == N_CELLS * HAND_SLOTS);
