//! What a player sees of a position.

use hatchery_core::WireElement;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::{
    BoardPiece, DECK_PIECES, Game, GameDeck, GamePiece, GameState, HAND_SLOTS, N_CELLS, Player,
    PlayerState,
};

/// The slots of a state.
pub(super) const N_SLOTS: usize = N_CELLS + 2 * HAND_SLOTS + 2 * DECK_PIECES;

/// A network's knowledge of the game.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement,
)]
#[schemars(rename = "InformationParam")]
#[serde(rename_all = "snake_case")]
pub enum Information {
    /// Both hands and what both decks have left.
    // Not the order in which pieces will be drawn: Kono et al. treat the game as one of perfect
    // information.
    #[default]
    Perfect,
    /// The player's own hand and deck.
    // Of the enemy's pieces it knows the leader and those that were placed; of the enemy's hand and
    // deck, the number of pieces.
    Own,
}

/// The decks and the state of a game: what the features of a state depend on.
#[derive(Clone, Copy, Debug)]
pub struct GameView<'a> {
    /// The decks.
    pub decks: [&'a GameDeck; 2],
    /// The state.
    pub state: &'a GameState,
}

impl<'a> From<&'a Game<'_>> for GameView<'a> {
    fn from(game: &'a Game<'_>) -> Self {
        Self { decks: game.decks(), state: game.state() }
    }
}

/// What is in a slot: on a cell, in a slot of a hand, or in one of a deck.
#[derive(Clone, Copy)]
pub(super) enum SlotContent<'a> {
    /// Nothing.
    Empty,
    /// A plain piece.
    Plain,
    /// A piece that the player does not know.
    Unknown,
    /// A piece known to the player.
    Piece(KnownPiece<'a>),
}

/// A piece known to the player.
#[derive(Clone, Copy)]
pub(super) struct KnownPiece<'a> {
    pub(super) piece: &'a GamePiece,
    /// Its index in its deck.
    pub(super) index: usize,
    pub(super) is_leader: bool,
}

/// The place of a piece of a deck.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PiecePlace {
    /// It was not drawn yet.
    Deck,
    Hand,
    Board,
    /// It was placed and flipped.
    Used,
}

/// One player, as the player whose turn it is sees it.
pub(super) struct PlayerSight<'a> {
    pub(super) deck: &'a GameDeck,
    pub(super) state: &'a PlayerState,
    /// The places of the pieces of the deck.
    places: [PiecePlace; DECK_PIECES],
    information: Information,
}

impl<'a> PlayerSight<'a> {
    /// Returns what is seen of `player`.
    pub(super) fn new(view: GameView<'a>, player: Player, information: Information) -> Self {
        let (deck, state) = (view.decks[player.index()], view.state.player(player));
        let mut places = [PiecePlace::Used; DECK_PIECES];
        for &piece in state.order.iter().skip(state.drawn.into()) {
            places[usize::from(piece)] = PiecePlace::Deck;
        }
        for piece in state.hand.into_iter().flatten() {
            places[usize::from(piece)] = PiecePlace::Hand;
        }
        for piece in state.cells.iter().filter_map(|cell| view.state.at(cell).piece) {
            places[usize::from(piece)] = PiecePlace::Board;
        }
        let is_own = player == view.state.to_move;
        let information = if is_own { Information::Perfect } else { information };
        Self { deck, state, places, information }
    }

    /// Returns true if everything about the player's pieces but the order of draws is known.
    pub(super) fn is_open(&self) -> bool {
        self.information == Information::Perfect
    }

    /// Returns the place of a piece of the deck; `None` if it is not known.
    pub(super) fn place(&self, index: usize) -> Option<PiecePlace> {
        let place = self.places[index];
        let was_placed = matches!(place, PiecePlace::Board | PiecePlace::Used);
        (self.is_open() || was_placed || index == self.deck.leader()).then_some(place)
    }

    /// Returns the number of pieces that were placed and flipped.
    pub(super) fn n_used(&self) -> usize {
        self.places.iter().filter(|&&place| place == PiecePlace::Used).count()
    }

    /// Returns what is in a slot of the deck.
    pub(super) fn deck_slot(&self, index: usize) -> SlotContent<'a> {
        match self.place(index) {
            Some(_) => SlotContent::Piece(self.known(index)),
            None => SlotContent::Unknown,
        }
    }

    /// Returns what is in a slot of the hand. Unknown pieces are in the first slots, so that
    /// nothing reveals which slot the enemy has played from.
    pub(super) fn hand_slot(&self, slot: usize) -> SlotContent<'a> {
        if self.is_open() {
            let index = self.state.hand[slot].map(usize::from);
            return index.map_or(SlotContent::Empty, |index| SlotContent::Piece(self.known(index)));
        }
        if slot < self.state.hand_pieces() { SlotContent::Unknown } else { SlotContent::Empty }
    }

    /// Returns what is on a cell of the player.
    pub(super) fn on_board(&self, piece: &BoardPiece) -> SlotContent<'a> {
        piece.piece.map_or(SlotContent::Plain, |index| SlotContent::Piece(self.known(index.into())))
    }

    fn known(&self, index: usize) -> KnownPiece<'a> {
        let piece = &self.deck.pieces()[index];
        KnownPiece { piece, index, is_leader: index == self.deck.leader() }
    }
}
