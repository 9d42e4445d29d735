//! The experiments: the only files that know the farm.

mod balance;
mod design;
mod maps;
mod method;
mod simulation;

use crate::players::Agent;

pub use balance::CatanBalance;
pub use design::CatanDesign;
pub use maps::{MapParam, NamedMapParam, PolicyParam, RandomMaps};
pub use method::{MethodParam, SpendingParam};
pub use simulation::CatanGames;

/// What the experiments are made of, for those who write specs in code.
pub mod specs {
    pub use super::balance::{
        Candidate as BalanceCandidate, Halving as BalanceHalving, Spec as BalanceSpec,
        State as BalanceState,
    };
    pub use super::design::{
        AboutParam, BasisParams, CertifyParams, ClusteredParam, FeatureParams, LabelParams,
        LabelledParam, LearningParams, MadeParam, NodePipsParam, PairsParam, PickParams,
        PortDistanceParam, PriorParams, RoundParams, ScalingParam, SetParam, Spec as DesignSpec,
        StartParams, State as DesignState, SwapParam, TwoEqualParam,
    };
}

/// The kind of an agent and its parameters.
fn agent_name(agent: &Agent) -> String {
    let json = serde_json::to_value(agent).unwrap_or_default();
    let kind = json["kind"].as_str().unwrap_or("unnamed").to_owned();
    let parameters = json.as_object().into_iter().flatten().filter(|(key, _)| *key != "kind");
    let parameters: Vec<String> = parameters.map(|(key, value)| format!("{key} {value}")).collect();
    if parameters.is_empty() { kind } else { format!("{kind} ({})", parameters.join(", ")) }
}
