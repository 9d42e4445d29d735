//! The names of all keys.

use crate::store::{LeaderToken, RunId};

/// The runs: a sorted set by name, which is the order of their making.
pub(super) const RUNS: &str = "ht:runs";
/// The version of this layout.
pub(super) const SCHEMA: &str = "ht:schema";
/// Which start of the server began its append-only file anew: its run id.
pub(super) const TIDIED: &str = "ht:tidied";
/// The farm's secret.
pub(super) const SECRET: &str = "ht:secret";
/// The workers that are shut out: incarnation to reason.
pub(super) const QUARANTINE: &str = "ht:quarantine";
/// What was submitted before: key to run.
pub(super) const SUBMISSIONS: &str = "ht:{idem}";
/// The coordinators that announced themselves and did not withdraw.
pub(super) const COORDINATORS: &str = "ht:coords";
/// The channel of the bells.
pub(super) const BELL: &str = "ht:bell";

/// The keys of a run end with these, in the order in which `prelude.lua` names them.
const OF_A_RUN: [&str; 12] =
    ["rec", "ctl", "ck", "cut", "q", "res", "att", "dead", "gens", "ev", "blobs", "claim"];

/// All keys of a run. What is in braces decides in which slot of a cluster a key is, so they are
/// in one, and one script can use them all.
pub(super) fn of_run(run: RunId) -> Vec<String> {
    OF_A_RUN.iter().map(|end| format!("ht:{{{run}}}:{end}")).collect()
}

/// The keys with which a run was submitted.
pub(super) fn submissions_of(run: RunId) -> String {
    format!("{SUBMISSIONS}:{run}")
}

/// What a coordinator says of itself.
pub(super) fn of_coordinator(hex: &str) -> String {
    format!("ht:c:{hex}")
}

/// A lead as the run remembers it.
pub(super) fn token(lead: &LeaderToken) -> String {
    lead.token.to_string()
}
