//! Runs to be created.

use std::num::NonZeroU32;

use hatchery_core::Digest;
use hatchery_core::erased::{AnyPlan, Beginning};
use hatchery_proto::v1;
use prost::bytes::Bytes;

use super::FirstGeneration;
use crate::run::large_value;
use crate::run::record::{Checkpoint, RunRecord};
use crate::run::scheduling::RunScheduling;
use crate::run::state_thinning::KeptState;

/// A run to be created.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The experiment's name.
    pub experiment: String,
    /// The experiment's version.
    pub version: u32,
    /// The spec's seed.
    pub seed: u64,
    /// The experiment's canonical parameters.
    pub params: String,
    /// The state before the first generation, with its parts. The store has the parts that are
    /// inputs.
    pub beginning: Beginning,
    /// The plan of generation 0, if it could be made; otherwise the leader plans again.
    pub first_plan: Option<AnyPlan>,
    /// The spec text as submitted.
    pub spec: String,
    /// The name shown to people.
    pub name: String,
    /// The reaction to a dead job.
    pub on_dead: v1::OnDead,
    /// The most missing trials in a generation, in millionths of the generation's trials.
    pub skip_ppm: u32,
    /// Time without progress after which a job counts as hanging, in milliseconds; 0 for the
    /// default.
    pub stall_ms: u64,
    /// Its user, priority and share of the farm.
    pub scheduling: RunScheduling,
}

impl Submission {
    /// Returns the run's record with this time of creation, its first checkpoint, the parts that
    /// the checkpoint names, and the beginning for the leader.
    pub(crate) fn split(
        self,
        created_unix_ms: u64,
    ) -> (RunRecord, Checkpoint, Vec<Bytes>, Option<FirstGeneration>) {
        let Self { experiment, version, seed, params, beginning, spec, name, .. } = self;
        let Beginning { state, parts, named } = beginning;
        let Self { on_dead, skip_ppm, stall_ms, scheduling, first_plan: plan, .. } = self;
        let RunScheduling { user, priority, most_slots } = scheduling;
        let digest = Digest::begin(&experiment, version, seed, &params, &state);
        let digest = digest.as_bytes().to_vec();
        let (state_parts, mut pieces) = large_value::cut(state);
        pieces.extend(parts.into_iter().map(|(_, bytes)| bytes));
        let kept = vec![KeptState::new(0, &state_parts, &named)];
        let checkpoint = Checkpoint { state_parts, digest, kept, ..Checkpoint::default() };
        let record = RunRecord {
            experiment,
            version,
            seed,
            params,
            spec,
            name,
            on_dead: on_dead.into(),
            skip_ppm,
            stall_ms,
            user: user.to_string(),
            priority: v1::Priority::from(priority).into(),
            most_slots: most_slots.map_or(0, NonZeroU32::get),
            created_unix_ms,
        };
        let state = large_value::first_state(&checkpoint, &pieces);
        let first = state.map(|state| FirstGeneration { state, plan });
        (record, checkpoint, pieces, first)
    }
}
