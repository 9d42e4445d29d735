//! The experiments.

mod adapt;
mod evaluate;
mod generate;

mod level_param;
mod level_sheet;
mod mean_estimate;
mod plain_name;
mod player_param;
mod stored_results;

pub use adapt::{
    AdaptSpec, AdaptState, AdaptTrack, BirdsAdapt, ConventionalBlocks, ConventionalRule, FinalPlay,
    FitnessHistory, HistorySums, LevelCondition, RoundRecord, ShownPigs, SubjectGroupParam,
};
pub use evaluate::{BirdsEvaluate, LevelEvaluation, LevelEvaluationSpec, LevelEvaluationState};
pub use generate::{BirdsGenerate, GenerateSpec, GenerateState, LevelKindParam};
pub use level_param::{LevelEntries, LevelParam, NamedLevel, level_entries, read_levels};
pub use player_param::{OwnPlayerParam, PlayerParam};
pub use stored_results::StoredResults;
