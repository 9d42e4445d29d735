//! The parameters that a person writes.

use hatchery_core::part::MAX_PART_BYTES;
use hatchery_core::{InvalidValue, PartInput};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most parts that a trial may read, and their most bytes: as many as a farm sends to a worker
/// for a job. Each trial may read the run's input and all other parts.
const MAX_TRIAL_PARTS: u32 = 4096;
const MAX_TRIAL_PART_BYTES: u64 = 512 << 20;

/// The most bytes of the tallies of a generation: a coordinator has all tallies in memory.
const MAX_TALLY_BYTES: u64 = 1 << 30;

/// The parameters of a run.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BurnSpec {
    /// Number of trials of a generation.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub trials: u32,
    /// Rounds per trial, of about 2 ns each; with 0, trials cost nothing.
    #[schemars(range(max = 1_000_000_000))]
    pub rounds: u32,
    /// Number of generations, all alike.
    #[schemars(range(min = 1, max = 100_000))]
    #[serde(default = "one")]
    pub generations: u32,
    /// Bytes of shared input, which each worker fetches once; a trial reads eight of them.
    // A farm sends at most 64 MiB.
    #[schemars(range(max = 60_000_000))]
    #[serde(default)]
    pub shared_bytes: u32,
    /// Bytes of the state, other ones after each generation.
    #[schemars(range(max = 1_000_000_000))]
    #[serde(default)]
    pub state_bytes: u32,
    /// Parts that the state names. A trial reads eight bytes of one of them.
    #[schemars(range(max = 4_096))]
    #[serde(default)]
    pub parts: u32,
    /// Bytes of a part.
    #[schemars(range(max = 60_000_000))]
    #[serde(default)]
    pub part_bytes: u32,
    /// Parts that a generation replaces, the oldest first: each is written by a trial of its own.
    #[schemars(range(max = 4_096))]
    #[serde(default)]
    pub new_parts: u32,
    /// Bytes that each trial adds to its tally.
    #[schemars(range(max = 60_000_000))]
    #[serde(default)]
    pub tally_bytes: u32,
    /// Long trials of a generation, beside the others.
    #[schemars(range(max = 10_000))]
    #[serde(default)]
    pub long_trials: u32,
    /// Rounds of a long trial.
    #[schemars(range(max = 10_000_000_000_000_u64))]
    #[serde(default)]
    pub long_rounds: u64,
    /// File that the run takes in; each trial reads eight bytes of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<PartInput>,
}

impl BurnSpec {
    /// Checks that the parameters fit each other.
    pub(crate) fn check(&self) -> Result<(), InvalidValue> {
        if self.parts < self.new_parts {
            let expected = format!("at most parts = {}", self.parts);
            return Err(InvalidValue::new("new_parts", &self.new_parts, expected));
        }
        let n_inputs = u32::from(self.input.is_some());
        if MAX_TRIAL_PARTS - n_inputs < self.parts {
            let beside = if n_inputs == 0 { "" } else { " beside the input" };
            let expected = format!("at most {}{beside}", MAX_TRIAL_PARTS - n_inputs);
            return Err(InvalidValue::new("parts", &self.parts, expected));
        }
        let factors = [(self.trials.into(), "trials"), (self.tally_bytes.into(), "bytes")];
        InvalidValue::check_product("trials", &factors, "bytes of tallies", MAX_TALLY_BYTES)?;
        // The input, whose length is not known here, may be as large as a part can be.
        let most = MAX_TRIAL_PART_BYTES - u64::from(n_inputs) * MAX_PART_BYTES as u64;
        let factors = [(self.parts.into(), "parts"), (self.part_bytes.into(), "bytes")];
        InvalidValue::check_product("parts", &factors, "bytes", most)
    }
}

fn one() -> u32 {
    1
}
