//! The scripts, one per change of a run, so that each change happens as a whole or not at all.
//!
//! They take all keys of the run in the order of [`keys`](super::keys), and the caller as first
//! argument; `create` takes the list of runs as well. `lua/prelude.lua` is put before each script.
//! The last two are about keys for submissions, and do without.

use std::sync::LazyLock;

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

/// A script, ready to be called by its hash.
#[derive(Debug)]
pub(super) struct LuaScript {
    /// The name of its operation.
    pub(super) name: &'static str,
    /// The connection that runs it.
    pub(super) lane: ScriptLane,
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
    fn new(name: &'static str, lane: ScriptLane, parts: [&str; 3]) -> Self {
        Self { name, lane, code: redis::Script::new(&parts.concat()) }
    }
}

/// The beginning of the scripts on runs.
const ON_A_RUN: &str = include_str!("lua/prelude.lua");

/// The beginning of the scripts on runs that also write, need or remove parts.
const ON_PARTS: &str = concat!(include_str!("lua/prelude.lua"), include_str!("lua/parts.lua"));

/// The beginning of the other scripts.
const ON_ITS_OWN: &str = "";

macro_rules! scripts {
    ($($script:ident = $file:literal, $lane:ident, $shebang:ident, $prelude:ident;)*) => {
        $(pub(super) static $script: LazyLock<LuaScript> = LazyLock::new(|| {
            let body = include_str!(concat!("lua/", $file, ".lua"));
            LuaScript::new($file, ScriptLane::$lane, [$shebang, $prelude, body])
        });)*
    };
}

scripts! {
    CREATE = "create", Control, GROWS, ON_PARTS;
    DELETE = "delete", Control, DRAINS, ON_PARTS;
    POSITION = "position", Control, READS, ON_A_RUN;
    STANDING = "standing", Control, READS, ON_A_RUN;
    GET = "get", Control, READS, ON_A_RUN;
    LEAD = "lead", Control, DRAINS, ON_A_RUN;
    ENQUEUE = "enqueue", Control, GROWS, ON_PARTS;
    LEASE = "lease", Data, DRAINS, ON_A_RUN;
    RELEASE = "release", Data, DRAINS, ON_A_RUN;
    RENEW = "renew", Data, DRAINS, ON_A_RUN;
    ADOPT = "adopt", Data, DRAINS, ON_A_RUN;
    JOBS = "jobs", Data, READS, ON_A_RUN;
    ATTEMPT = "attempt", Data, DRAINS, ON_A_RUN;
    PARK = "park", Data, DRAINS, ON_A_RUN;
    PARKED = "parked", Control, READS, ON_A_RUN;
    RETRY = "retry", Control, DRAINS, ON_A_RUN;
    COMPLETE = "complete", Data, DRAINS, ON_PARTS;
    RESULTS = "results", Control, READS, ON_A_RUN;
    FOLD = "fold", Control, DRAINS, ON_PARTS;
    SKIP = "skip", Control, DRAINS, ON_A_RUN;
    DISOWN = "disown", Control, DRAINS, ON_A_RUN;
    REWIND = "rewind", Control, DRAINS, ON_PARTS;
    PAUSE = "pause", Control, DRAINS, ON_A_RUN;
    FAIL = "fail", Control, DRAINS, ON_A_RUN;
    STEER = "steer", Control, DRAINS, ON_A_RUN;
    LIST = "list", Control, READS, ON_A_RUN;
    OVERVIEW = "overview", Control, READS, ON_A_RUN;
    SUMMARIZE = "summarize", Control, DRAINS, ON_A_RUN;
    APPEND_EVENT = "append_event", Control, DRAINS, ON_A_RUN;
    WRITE_PART = "write_part", Parts, GROWS, ON_PARTS;
    FINISH_PART = "finish_part", Parts, DRAINS, ON_PARTS;
    OPEN_PART = "open_part", Parts, READS, ON_PARTS;
    NOTE_PART = "note_part", Parts, DRAINS, ON_PARTS;
    FIND_PARTS = "find_parts", Parts, READS, ON_PARTS;
    PART_CHUNK = "part_chunk", Parts, READS, ON_PARTS;
    CLAIM = "claim", Control, DRAINS, ON_A_RUN;
    UNCLAIM = "unclaim", Control, DRAINS, ON_A_RUN;
    CLAIMED = "claimed", Control, READS, ON_A_RUN;
    RUN_FOR = "run_for", Control, GROWS, ON_ITS_OWN;
    FORGET = "forget", Control, DRAINS, ON_ITS_OWN;
}
