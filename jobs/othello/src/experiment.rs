//! The experiments: the only files that know the farm.

mod adjust;
mod agent_param;
mod crosstable;
mod ladder;
mod match_param;
mod matches;
mod opening_param;
mod ratings;
pub(crate) mod scene;
mod score_matrix;
mod simulation;
mod wording;

pub use adjust::OthelloAdjust;
pub use agent_param::{
    AdjustingParam, AgentParam, ChoicesParam, DynamicParam, FixedParam, MctsParam, RandomParam,
    SoftmaxParam, SolverParam,
};
pub use ladder::OthelloLadder;
pub use matches::OthelloMatch;
pub use opening_param::{GameText, OpeningParam, PositionText};
pub use simulation::OthelloGames;

/// The specs and states of the experiments, for programs that write specs in code.
pub mod specs {
    pub use super::adjust::{
        AdjustSpec, AdjustState, ArmParam, BotParam, CellResults, ChangingBotParam, CheckedAdjust,
        JudgeParam, PeopleParam,
    };
    pub use super::ladder::{CheckedLadder, LadderSpec, LadderState};
    pub use super::matches::{
        CheckedMatch, EloModelParam, MatchMethod, MatchPairing, MatchSpec, MatchState,
        PairingState, StoredPair,
    };
}
