//! Items: the decisions of games that the replay memory holds.

use super::settings::LearnedMoves;
use crate::learning::samples::{TrainingGame, TrainingGames};
use crate::rules::Player;

/// An item, as the number of its decision among the decisions in the games at hand.
pub(super) type Item = u32;

/// Iterates over the items of a game, in the order of plies.
pub(super) fn items_of(game: &TrainingGame, moves: LearnedMoves) -> impl Iterator<Item = Item> {
    let plies = (game.first()..).zip(0..game.actions().len());
    let learned = plies.filter(move |(_, ply)| match moves {
        LearnedMoves::Own => game.player(*ply) == Player::A,
        LearnedMoves::Both => true,
    });
    learned.map(|(number, _)| number)
}

/// The items of the games at hand, with their numbers.
pub(super) struct GameItems {
    /// The number of the first item.
    first: u64,
    /// The items, in the order of their numbers.
    items: Vec<Item>,
    /// For each game, the number of items in the game and in the games before it.
    ends: Vec<usize>,
}

impl GameItems {
    /// Returns the items in the games; `first` is the number of the first item.
    pub(super) fn new(games: &TrainingGames<'_>, moves: LearnedMoves, first: u64) -> Self {
        let (mut items, mut ends) = (Vec::new(), Vec::new());
        for game in games.games() {
            items.extend(items_of(game, moves));
            ends.push(items.len());
        }
        Self { first, items, ends }
    }

    /// Returns item number `number`; `None` if the games have none with that number.
    pub(super) fn get(&self, number: u64) -> Option<Item> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.items.get(place).copied()
    }

    /// Returns the number of games whose items are those below number `end`; `None` if `end` is the
    /// number of the first item of no game, nor that after the last.
    pub(super) fn n_games_before(&self, end: u64) -> Option<usize> {
        let n_items = usize::try_from(end.checked_sub(self.first)?).ok()?;
        let n_games = self.ends.partition_point(|end| *end <= n_items);
        let is_boundary = n_games == 0 && n_items == 0
            || n_games.checked_sub(1).is_some_and(|last| self.ends[last] == n_items);
        is_boundary.then_some(n_games)
    }
}
