#![doc = include_str!("../README.md")]

pub mod conformance;
pub mod error;
pub mod game;
pub mod params;
pub mod play;
pub mod players;
pub mod uct;

pub use error::{MatchError, SearchError, playouts_text};
pub use game::{Margin, Side, TurnGame};
pub use params::{
    BudgetGrowth, DepthCap, ExplorationWeight, PlayoutBudget, PlayoutEnd, StopRule, UctParams,
};
pub use play::{MatchRecord, TurnPlayer, chance_stream, choice_stream, play_match};
pub use players::{UctPlayer, UniformPlayer};
pub use uct::{RootMove, SearchEnd, SearchReport, UctSearch};
