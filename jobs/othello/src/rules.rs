//! The rules of Othello on bitboards: positions, random games, perft and exact endgames.
//!
//! A [`Position`] is what people and files speak of: it has colors, and refuses illegal moves. What
//! runs millions of times works on a [`DiscBoard`], whose type parameter [`BoardOps`] is a set of
//! instructions. [`dispatch`] chooses it once for a whole [`BoardJob`]; all sets have the same
//! results.
//!
//! The rules are the rules of the World Othello Federation. Black begins. A move flips at least one
//! disc, and all discs that it outflanks. A player passes if and only if it has no move. The game
//! ends when neither player has a move.

mod color;
mod disc_board;
mod ops;
mod perft;
mod playout;
mod position;
mod score;
mod solver;
mod square;

pub use color::DiscColor;
pub use disc_board::DiscBoard;
pub use ops::dispatch::{BoardBackend, dispatch};
pub use ops::plain::PlainOps;
pub use ops::{BoardJob, BoardOps};
pub use perft::{PerftConvention, perft};
pub use playout::{RandomGameEnd, random_games};
pub(crate) use position::color_of;
pub use position::{MoveError, Position, PositionError, TurnState};
pub use score::{DiscCount, ScoreRule};
pub use solver::{EndgameSolver, MoveValue, NodeLimitReached, SolvedPosition, SolverOptions};
pub(crate) use square::shortened;
pub use square::{Square, SquareError, SquareIter, SquareSet};
