//! Agents of graded strength, agents that adjust to their opponent, and the controls that do not.
//!
//! An [`OthelloAgent`] is a value; an [`AgentPlayer`] is one at play. All randomness of a choice
//! comes from the stream that the caller gives it, and each agent within an agent has a part of its
//! own: the moves are the same in any order of the searches.

mod agent;
mod board_game;
mod dynamic;
mod effort;
mod error;
mod estimate;
mod matching;
mod mcts;
mod player;
mod ranking;
mod softmax;

pub use agent::{AdjustingAgent, AgentChoices, OthelloAgent};
pub use board_game::{BoardTurn, OthelloGame, choices, is_over, side_of};
pub use dynamic::DynamicSettings;
pub use effort::{MeanEffort, SearchEffort};
pub(crate) use error::refused_search;
pub use estimate::{LEVEL_STEPS, StrengthEstimate, StrengthMatch};
pub use matching::{FirstReply, MatchingRules, NearestTie, SeveralMatch, Unmatched};
pub use mcts::{AgentSearch, DepthReading, MctsAgent, SearchSettings};
pub(crate) use mcts::{DepthSearch, exploration};
pub use player::{AgentMemory, AgentMove, AgentPlayer, ObservedMove};
pub use ranking::{FIRST_CHOICES, MoveRanking, RankedMove};
pub use softmax::{SoftmaxSettings, StrengthControl, StrengthIndex};
