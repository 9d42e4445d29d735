//! Measures of the naturalness of moves, in place of questions to players.
//!
//! Takagi, Fujii and Katayose ask for moves of four kinds to be avoided, [`UnnaturalKind`], and let
//! three people judge. Here a judge that is stronger than the players values every move: the exact
//! solver near the end of the game, a strong search before.
//!
//! 1. [`MoveEvidence`] is all that is known of a move that was not forced: the position, the move,
//!    the judge's opinion, and the rankings of agents.
//! 2. [`MoveEvidence::judge`] turns the evidence into a [`MoveJudgement`], in whole numbers.
//! 3. A [`GameNaturalness`] adds up the judgements of a game. Sums are exact, so any grouping of
//!    moves and games gives the same on every machine.
//! 4. A [`NaturalnessSummary`] gives each [`NaturalnessMetric`] for many games with an interval.
//!    The interval resamples games, not moves, because moves within one game are alike.
//!
//! Losses have two units, which are never added up: discs where the judge is exact, and points (a
//! won game is one) where it estimates. [`LossZone`] has the thresholds of both.

mod corners;
mod event;
mod evidence;
mod game;
mod judgement;
mod loss;
mod metric;
mod summary;

pub use event::MoveEvent;
pub use evidence::{EvidenceError, JudgeOpinion, LevelChoices, MoveEvidence};
pub use game::GameNaturalness;
pub use judgement::MoveJudgement;
pub use loss::LossZone;
pub use metric::{NaturalnessMetric, UnnaturalKind};
pub use summary::{NaturalnessRow, NaturalnessSummary};
