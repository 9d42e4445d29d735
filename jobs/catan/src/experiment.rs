//! The experiments: the only files that know the farm.

mod balance;
mod design;
mod map_card;
mod maps;
mod method;
mod openings;
mod scene;
mod seat_marks;
mod simulation;
mod wording;

use crate::players::Agent;

pub use balance::CatanBalance;
pub use design::CatanDesign;
pub use maps::{MapParam, NamedMapParam, PolicyParam, RandomMaps};
pub use method::{MethodParam, SpendingParam};
pub use simulation::CatanGames;

/// The specs and states of the experiments, for programs that write specs in code.
pub mod specs {
    pub use super::balance::{BalanceCandidate, BalanceSpec, BalanceState, HalvingParams};
    pub use super::design::{
        BasisParams, CentersParam, CertifyParams, ClusterMapsParam, ClusteredParam, DesignSpec,
        DesignState, FeatureParams, FeatureSetParam, LabelParams, LabelledMapsParam,
        LearningParams, NodePipsParam, PairsParam, PickParams, PortDistanceParam, PriorParams,
        RoundParams, ScalingParam, StartParams, SwapParam, TwoEqualParam,
    };
}

/// Returns the kind of an agent and its parameters as text.
fn agent_name(agent: &Agent) -> String {
    let json = serde_json::to_value(agent).unwrap_or_default();
    let kind = json["kind"].as_str().unwrap_or("unnamed").to_owned();
    let parameters = json.as_object().into_iter().flatten().filter(|(key, _)| *key != "kind");
    let parameters: Vec<String> = parameters.map(|(key, value)| format!("{key} {value}")).collect();
    if parameters.is_empty() { kind } else { format!("{kind} ({})", parameters.join(", ")) }
}
