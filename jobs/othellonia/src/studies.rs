//! The experiments: the only files that know the farm.

mod imitate;
mod impact;
mod logs;
mod matrix;
mod represent;
mod selfplay;

mod finding_parts;
mod loss_curve;
mod network_findings;
mod vector_learning;
mod win_rates;

pub use imitate::OthelloniaImitate;
pub use impact::OthelloniaImpact;
pub use logs::OthelloniaLogs;
pub use matrix::OthelloniaMatrix;
pub use represent::OthelloniaRepresent;
pub use selfplay::OthelloniaSelfplay;

/// The specs and states of the experiments, for programs that write specs in code.
pub mod specs {
    pub use super::imitate::{
        CheckedImitate, EvaluationParam, FirstLayerParam, ImitateSpec, ImitateState,
        LearnedVectorsParam, NetworkLook, NetworkState, VectorsParam,
    };
    pub use super::impact::{
        ChangeCounts, CheckedImpact, HostParam, ImpactLook, ImpactSpec, ImpactState,
        NewVectorParam, ReplacedPiece, ReplacementRule, TuneParam, TuningState,
    };
    pub use super::logs::{CheckedLogs, LogsSpec, LogsState, SeriesGames};
    pub use super::matrix::{CheckedMatrix, MatchupState, MatrixSpec, MatrixState, MirrorMatches};
    pub use super::represent::{CheckedRepresent, RepresentSpec, RepresentState};
    pub use super::selfplay::{
        CheckedSelfplay, LearnerState, LearningPeriod, OpponentLook, PaperModeParam, SelfplayMode,
        SelfplaySpec, SelfplayState, SelfplayVectorsParam, Snapshot, StrengthLook, StrengthParam,
        WideModeParam,
    };
    pub use super::vector_learning::VectorLearning;
}
