//! The experiments.

mod adapt;
mod evaluate;
mod generate;

mod level_sheet;
mod mean_estimate;
mod stored_results;

pub use adapt::{
    AdaptSpec, AdaptState, AdaptTrack, BirdsAdapt, ConventionalBlocks, ConventionalRule, FinalPlay,
    FitnessHistory, HistorySums, LevelCondition, RoundRecord, ShownPigs, SubjectGroupParam,
};
pub use evaluate::{BirdsEvaluate, LevelEvaluation, LevelEvaluationSpec, LevelEvaluationState};
pub use generate::{BirdsGenerate, GenerateSpec, GenerateState, LevelKindParam};
pub use stored_results::StoredResults;
