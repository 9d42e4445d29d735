//! The tests of the card game, in one program.

mod acceptance;
mod actions;
mod agreement;
mod checksums;
mod conformance;
mod dominance;
mod features;
mod generated_pools;
mod impact;
mod learning;
mod logs;
mod logs_decks;
mod matrices;
mod mining;
mod models;
mod naive;
mod parameters;
mod playthrough;
mod pools;
mod previews;
mod random_decks;
mod readme;
mod refused_results;
mod refused_specs;
mod selfplay;
mod selfplay_reports;
mod synthetic;
mod training;
mod wire_properties;
mod worked_game;

use hatchery_core::Experiment;
use hatchery_othellonia::studies::specs::{
    ImitateSpec, ImpactSpec, LogsSpec, MatrixSpec, RepresentSpec, SelfplaySpec,
};
use hatchery_othellonia::{
    OthelloniaImitate, OthelloniaImpact, OthelloniaLogs, OthelloniaMatrix, OthelloniaRepresent,
    OthelloniaSelfplay,
};

/// Returns a spec whose parameters fit together, checked.
pub(crate) fn checked<E: Experiment<Spec: Clone>>(spec: &E::Spec) -> E::Checked {
    E::check(spec.clone()).expect("it is valid")
}

/// A spec that its experiment can check.
pub(crate) trait CheckedSpec {
    type Checked;

    /// Returns the spec, whose parameters fit together, checked.
    fn checked(&self) -> Self::Checked;
}

macro_rules! checked_specs {
    ($($spec:ty, $experiment:ty;)*) => { $(
        impl CheckedSpec for $spec {
            type Checked = <$experiment as Experiment>::Checked;

            fn checked(&self) -> Self::Checked {
                checked::<$experiment>(self)
            }
        }
    )* };
}

checked_specs! {
    ImitateSpec, OthelloniaImitate;
    ImpactSpec, OthelloniaImpact;
    LogsSpec, OthelloniaLogs;
    MatrixSpec, OthelloniaMatrix;
    RepresentSpec, OthelloniaRepresent;
    SelfplaySpec, OthelloniaSelfplay;
}
