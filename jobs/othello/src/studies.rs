//! The experiments: the only files that know the farm.

mod adjust;
mod crosstable;
mod games;
mod ladder;
mod matches;
mod naturalness_columns;
mod ratings;
mod score_matrix;
mod wording;

pub use adjust::OthelloAdjust;
pub use games::OthelloArchive;
pub use ladder::OthelloLadder;
pub use matches::OthelloMatch;

/// The specs and states of the experiments, for programs that write specs in code.
pub mod specs {
    pub use super::adjust::{
        AdjustSpec, AdjustState, ArmParam, BotParam, CellResults, ChangingBotParam, CheckedAdjust,
        JudgeParam, PeopleParam,
    };
    pub use super::games::{CheckedGames, GameJudgeParam, GamesSpec, GamesState};
    pub use super::ladder::{CheckedLadder, LadderSpec, LadderState};
    pub use super::matches::{
        CheckedMatch, EloModelParam, MatchMethod, MatchPairing, MatchSpec, MatchState,
        PairingState, StoredPair,
    };
}
