//! Games and positions as the community's files have them.
//!
//! | format | module | contents |
//! |---|---|---|
//! | transcript | [`transcript`] | the moves of a game, `f5d6c3...`, without passes |
//! | GGF | [`ggf`] | games with players, results, evaluations and times: servers and NBoard |
//! | WTHOR | [`wthor`] | the binary database of tournament games |
//! | OBF | [`obf`] | positions with the values of their moves, for tests of solvers |
//!
//! [`archive`] reads files of any number of games in the first three, and in the tags of PGN.
//!
//! Readers take bytes and return a value or a [`RecordError`]; nothing here opens a file. All games
//! are replayed: a game that the rules do not allow is an error that names the ply. In an archive,
//! the error also names the game, and the other games are read. Readers do not guess. A game may be
//! unfinished, as openings are; [`RecordedGame::state`] and [`RecordedGame::require_end`] tell.

pub mod archive;
pub mod ggf;
pub mod obf;
pub mod transcript;
pub mod wthor;

mod cursor;
mod error;
mod game;
mod notation;

pub use error::{RecordError, RecordField};
pub use game::{RecordedGame, RecordedTurn};
