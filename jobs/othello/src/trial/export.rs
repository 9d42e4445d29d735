//! The games of a trial in GGF.

use super::play::GameWatcher;
use super::scene::names_in;
use super::setup::MatchSetup;
use crate::record::RecordedGame;
use crate::record::ggf::{self, GgfGame};
use crate::rules::DiscColor;

/// The games of a trial so far.
pub(super) struct GameExport<'a> {
    setup: &'a MatchSetup,
    n_games: u32,
    /// The color of the first agent in the current game.
    color: DiscColor,
    games: Vec<GgfGame>,
}

impl<'a> GameExport<'a> {
    pub(super) fn new(setup: &'a MatchSetup) -> Self {
        Self { setup, n_games: 0, color: DiscColor::Black, games: Vec::new() }
    }

    /// Returns the games as lines of GGF.
    pub(super) fn text(&self) -> String {
        ggf::write(&self.games)
    }
}

impl GameWatcher for GameExport<'_> {
    fn begins(&mut self, _opening: &RecordedGame, colors: [DiscColor; 2]) {
        self.color = colors[0];
    }

    fn ended(&mut self, game: &RecordedGame) {
        let [first, second] = &names_in(self.setup, self.n_games);
        let players = match self.color {
            DiscColor::Black => [first.as_str(), second],
            DiscColor::White => [second.as_str(), first],
        };
        self.games.push(GgfGame::new(game.clone()).with_players(players));
        self.n_games += 1;
    }
}
