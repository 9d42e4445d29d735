//! Players that know nothing of a game but its rules.

use hatchery_core::{FastRng, StreamRng};

use crate::game::TurnGame;
use crate::params::UctParams;
use crate::play::TurnPlayer;
use crate::uct::UctSearch;

/// A player that takes the first choice of a search by UCT.
#[derive(Clone, Debug)]
pub struct UctPlayer<G: TurnGame> {
    params: UctParams,
    search: UctSearch<G::Move, G::Chance>,
}

impl<G: TurnGame> UctPlayer<G> {
    /// Creates a player that searches with `params`.
    #[must_use]
    pub fn new(params: UctParams) -> Self {
        Self { params, search: UctSearch::new() }
    }
}

impl<G: TurnGame> TurnPlayer<G> for UctPlayer<G> {
    fn choose(&mut self, game: &G, moves: &[G::Move], stream: &StreamRng) -> G::Move {
        let mut rng = FastRng::seeded_by(&mut stream.clone());
        match self.search.run(game, &self.params, &mut rng) {
            Ok(report) => report.best(),
            // More moves than a tree can hold: any of them.
            Err(_) => moves[rng.below(u32::try_from(moves.len()).unwrap_or(u32::MAX)) as usize],
        }
    }
}

/// A player that takes any legal move with equal probability.
#[derive(Clone, Copy, Debug)]
pub struct UniformPlayer;

impl<G: TurnGame> TurnPlayer<G> for UniformPlayer {
    fn choose(&mut self, _game: &G, moves: &[G::Move], stream: &StreamRng) -> G::Move {
        let n = u32::try_from(moves.len()).unwrap_or(u32::MAX);
        moves[stream.clone().below(n) as usize]
    }
}
