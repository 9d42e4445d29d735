//! The scripts, one per change of a run, so that each change happens as a whole or not at all.
//!
//! They take all keys of the run in the order of [`keys`](super::keys), and the caller as first
//! argument; `create` takes the list of runs as well. `lua/prelude.lua` is put before each script,
//! and [`MAX_RESOLVERS`] and [`COMMANDS`] in the place of their names.
//! The last three are about no run, and do without.
//!
//! A server undoes nothing when it refuses a command in the middle of a script. Therefore a script
//! that writes checks at its beginning that its user may run each of its commands.

use std::sync::LazyLock;

use super::commands::{COMMANDS, permission_check};
use crate::MAX_RESOLVERS;

/// The number of jobs in one call of a script: it takes a few milliseconds, and the server does
/// nothing else meanwhile.
pub(super) const BATCH: usize = 256;

/// The connection of a script: neither a fold with much data nor chunks of parts hold up leases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScriptLane {
    /// The scripts for workers.
    Data,
    /// The scripts for leaders and people.
    Control,
    /// The scripts for parts.
    Parts,
}

/// The effect of sending a call again, after its connection broke before the answer came: the
/// server may have done the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat {
    /// A second time changes nothing and has the same answer, or an answer that is as good.
    Safe,
    /// A second time does more, or its answer hides what the first time did.
    Never,
}

/// A script, ready to be called by its hash.
#[derive(Debug)]
pub(super) struct LuaScript {
    /// The name of its operation.
    pub(super) name: &'static str,
    /// The connection that runs it.
    pub(super) lane: ScriptLane,
    /// The effect of sending a call again.
    pub(super) repeat: Repeat,
    /// The text and its hash.
    pub(super) code: redis::Script,
}

/// The flags of scripts that grow the data: a server without free memory refuses them, so that it
/// cannot be filled up altogether.
const GROWS: &str = "#!lua\n";

/// The flags of scripts that remove data or add little: they go on without free memory, or else
/// nothing would ever be freed.
const DRAINS: &str = "#!lua flags=allow-oom\n";

/// The flags of scripts that only read: they go on whatever is wrong with the server.
const READS: &str = "#!lua flags=no-writes,allow-oom\n";

impl LuaScript {
    fn new(name: &'static str, lane: ScriptLane, repeat: Repeat, parts: [&str; 3]) -> Self {
        let [flags, prelude, body] = parts;
        let all_commands = COMMANDS.map(|command| format!("{{ {command} }}")).join(", ");
        let text = format!("{prelude}{body}")
            .replace("MAX_RESOLVERS", &MAX_RESOLVERS.to_string())
            .replace("ALL_COMMANDS", &all_commands);
        let check = match flags {
            READS => String::new(),
            _ => permission_check(&text),
        };
        Self { name, lane, repeat, code: redis::Script::new(&format!("{flags}{check}{text}")) }
    }
}

/// The beginning of the scripts on runs.
const ON_A_RUN: &str = include_str!("lua/prelude.lua");

/// The beginning of the scripts on runs that also write, need or remove parts.
const ON_PARTS: &str = concat!(include_str!("lua/prelude.lua"), include_str!("lua/parts.lua"));

/// The beginning of the other scripts.
const ON_ITS_OWN: &str = "";

macro_rules! scripts {
    ($(
        $script:ident = $file:literal, $lane:ident, $repeat:ident, $shebang:ident, $prelude:ident;
    )*) => {
        $(pub(super) static $script: LazyLock<LuaScript> = LazyLock::new(|| {
            let body = include_str!(concat!("lua/", $file, ".lua"));
            LuaScript::new($file, ScriptLane::$lane, Repeat::$repeat, [$shebang, $prelude, body])
        });)*
    };
}

scripts! {
    CREATE = "create", Control, Never, GROWS, ON_PARTS;
    DELETE = "delete", Control, Safe, DRAINS, ON_PARTS;
    POSITION = "position", Control, Safe, READS, ON_A_RUN;
    STANDING = "standing", Control, Safe, READS, ON_A_RUN;
    GET = "get", Control, Safe, READS, ON_A_RUN;
    LEAD = "lead", Control, Safe, DRAINS, ON_A_RUN;
    ENQUEUE = "enqueue", Control, Never, GROWS, ON_PARTS;
    LEASE = "lease", Data, Never, DRAINS, ON_A_RUN;
    RELEASE = "release", Data, Safe, DRAINS, ON_A_RUN;
    RENEW = "renew", Data, Safe, DRAINS, ON_A_RUN;
    ADOPT = "adopt", Data, Safe, DRAINS, ON_A_RUN;
    JOBS = "jobs", Data, Safe, READS, ON_A_RUN;
    ATTEMPT = "attempt", Data, Safe, DRAINS, ON_A_RUN;
    PARK = "park", Data, Safe, DRAINS, ON_A_RUN;
    PARKED = "parked", Control, Safe, READS, ON_A_RUN;
    RETRY = "retry", Control, Never, DRAINS, ON_A_RUN;
    COMPLETE = "complete", Data, Safe, DRAINS, ON_PARTS;
    RESULTS = "results", Control, Safe, READS, ON_A_RUN;
    FOLD = "fold", Control, Safe, DRAINS, ON_PARTS;
    SKIP = "skip", Control, Safe, DRAINS, ON_A_RUN;
    DISOWN = "disown", Control, Never, DRAINS, ON_A_RUN;
    REWIND = "rewind", Control, Safe, DRAINS, ON_PARTS;
    PAUSE = "pause", Control, Safe, DRAINS, ON_A_RUN;
    FAIL = "fail", Control, Safe, DRAINS, ON_A_RUN;
    STEER = "steer", Control, Safe, DRAINS, ON_A_RUN;
    LIST = "list", Control, Safe, READS, ON_A_RUN;
    OVERVIEW = "overview", Control, Safe, READS, ON_A_RUN;
    SUMMARIZE = "summarize", Control, Safe, DRAINS, ON_A_RUN;
    APPEND_EVENT = "append_event", Control, Never, DRAINS, ON_A_RUN;
    WRITE_PART = "write_part", Parts, Safe, GROWS, ON_PARTS;
    FINISH_PART = "finish_part", Parts, Safe, DRAINS, ON_PARTS;
    OPEN_PART = "open_part", Parts, Safe, READS, ON_PARTS;
    NOTE_PART = "note_part", Parts, Safe, DRAINS, ON_PARTS;
    FIND_PARTS = "find_parts", Parts, Safe, READS, ON_PARTS;
    PART_CHUNK = "part_chunk", Parts, Safe, READS, ON_PARTS;
    CLAIM = "claim", Control, Safe, DRAINS, ON_A_RUN;
    UNCLAIM = "unclaim", Control, Safe, DRAINS, ON_A_RUN;
    CLAIMED = "claimed", Control, Safe, READS, ON_A_RUN;
    RUN_FOR = "run_for", Control, Safe, GROWS, ON_ITS_OWN;
    FORGET = "forget", Control, Safe, DRAINS, ON_ITS_OWN;
    PROBE = "probe", Control, Safe, DRAINS, ON_ITS_OWN;
}
