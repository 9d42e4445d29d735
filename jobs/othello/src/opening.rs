//! The openings that games begin with.

use hatchery_core::StreamRng;

use crate::record::RecordedGame;
use crate::rules::{Position, TurnState};

/// The openings of a series: each pair of games has one.
#[derive(Clone, Debug, PartialEq)]
pub enum OpeningRule {
    /// Uniformly random moves from the start of the game.
    Random {
        /// The smallest number of moves.
        min_plies: u32,
        /// The largest number of moves, at most [`MAX_RANDOM_PLIES`](Self::MAX_RANDOM_PLIES).
        max_plies: u32,
    },
    /// Any of these, all with the same probability: at least one, and none is over.
    Listed(Vec<RecordedGame>),
}

impl OpeningRule {
    /// The largest number of random moves: no game ends before the ninth.
    pub const MAX_RANDOM_PLIES: u32 = 8;

    /// The largest number of listed openings.
    pub const MAX_LISTED: usize = 10_000;

    /// Returns the rule by which every game begins at the start.
    #[must_use]
    pub fn start() -> Self {
        Self::Listed(vec![RecordedGame::begin(Position::START)])
    }

    /// Returns the rule of random moves; `None` if the numbers are out of range.
    #[must_use]
    pub fn random(min_plies: u32, max_plies: u32) -> Option<Self> {
        let is_range = min_plies <= max_plies && max_plies <= Self::MAX_RANDOM_PLIES;
        is_range.then_some(Self::Random { min_plies, max_plies })
    }

    /// Returns the rule of these openings; `None` if there are none, or too many, or one is over.
    #[must_use]
    pub fn listed(openings: Vec<RecordedGame>) -> Option<Self> {
        let is_open = |game: &RecordedGame| game.state() == TurnState::CanMove;
        let is_fine = (1..=Self::MAX_LISTED).contains(&openings.len());
        (is_fine && openings.iter().all(is_open)).then_some(Self::Listed(openings))
    }

    /// Draws an opening.
    pub(crate) fn draw(&self, rng: &mut StreamRng) -> RecordedGame {
        match self {
            Self::Random { min_plies, max_plies } => {
                let plies = min_plies + rng.below(max_plies - min_plies + 1);
                let mut game = RecordedGame::begin(Position::START);
                for _ in 0..plies {
                    let legal = game.last_position().legal_moves();
                    let n = rng.below(legal.len().max(1));
                    let square = legal.iter().nth(n as usize).expect("no game ends so early");
                    game.push(square).expect("a legal move");
                }
                game
            }
            Self::Listed(openings) => {
                let n = u32::try_from(openings.len()).unwrap_or(u32::MAX);
                openings[rng.below(n.max(1)) as usize].clone()
            }
        }
    }
}
