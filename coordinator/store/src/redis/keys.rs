//! The names of the keys.

use crate::{LeaderToken, RunId};

/// The runs: a sorted set by name, which is the order of their creation.
pub(super) const RUNS: &str = "ht:runs";
/// The version of this layout.
pub(super) const SCHEMA: &str = "ht:schema";
/// The run id of the server's last start since which its append-only file was rewritten.
pub(super) const TIDIED: &str = "ht:tidied";
/// Where the bytes of parts are: `redis` or `directory`.
pub(super) const PART_PLACE: &str = "ht:parts";
/// The farm's secret.
pub(super) const SECRET: &str = "ht:secret";
/// The quarantined workers: incarnation to reason.
pub(super) const QUARANTINE: &str = "ht:quarantine";
/// The earlier submissions: key to run.
pub(super) const SUBMISSIONS: &str = "ht:{idem}";
/// The coordinators that announced themselves and did not withdraw.
pub(super) const COORDINATORS: &str = "ht:coords";
/// The key on which the permissions of the caller are tried.
pub(super) const PROBED: &str = "ht:probe";
/// The channel of change notifications, for the runs in database 0.
pub(super) const BELL: &str = "ht:bell";

/// The ends of the keys of a run, in the order of `prelude.lua`.
const OF_A_RUN: [&str; 14] = [
    "rec", "ctl", "ck", "cut", "q", "res", "att", "dead", "gens", "ev", "parts", "claim", "sum",
    "open",
];

/// Returns the end of the channel's name for the runs in a database: a server has its channels for
/// all databases, and notifications of other farms would cost a look each.
pub(super) fn bell_suffix(database: i64) -> String {
    match database {
        0 => String::new(),
        database => format!(":{database}"),
    }
}

/// Returns all keys of a run except the keys with the chunks of its parts. The name in braces
/// decides the slot of a key in a cluster, so these keys share a slot, and one script can use them
/// all.
pub(super) fn of_run(run: RunId) -> Vec<String> {
    OF_A_RUN.iter().map(|end| format!("ht:{{{run}}}:{end}")).collect()
}

/// Returns the key of the names of a run's whole parts.
pub(super) fn parts_of(run: RunId) -> String {
    format!("ht:{{{run}}}:parts")
}

/// Returns the key of the set of idempotency keys of a run.
pub(super) fn submissions_of(run: RunId) -> String {
    format!("{SUBMISSIONS}:{run}")
}

/// Returns the key of a coordinator's announcement.
pub(super) fn of_coordinator(hex: &str) -> String {
    format!("ht:c:{hex}")
}

/// Returns a lead's token as the run stores it.
pub(super) fn token(lead: &LeaderToken) -> String {
    lead.token.to_string()
}
