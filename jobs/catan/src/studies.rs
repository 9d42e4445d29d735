//! The experiments: the only files that know the farm.

mod balance;
mod design;
mod map_card;
mod openings;
mod table;
mod wording;

pub use balance::CatanBalance;
pub use design::CatanDesign;

/// The specs and states of the experiments, for programs that write specs in code.
pub mod specs {
    pub use super::balance::{
        BalanceCandidate, BalanceSpec, BalanceState, CheckedBalance, HalvingParams, KeptSeries,
    };
    pub use super::design::{
        BasisParams, CertifyParams, CheckedDesign, ClusterMapsParam, ClusteredParam, DesignSpec,
        DesignState, FeatureParams, FeatureSetParam, LabelParams, LabelledMapsParam,
        LearningParams, PickParams, PriorParams, RoundAgentsParam, RoundParams, ScalingParam,
        StartParams,
    };
}
