//! The values of labels. All of them are few and known beforehand.

/// Enums whose variants are values of a label.
macro_rules! labels {
    ($($(#[doc = $about:literal])* $name:ident {
        $($(#[doc = $meaning:literal])* $variant:ident = $value:literal,)*
    })*) => {$(
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[doc = $meaning])* $variant,)*
        }

        impl $name {
            /// All values.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The value as the label has it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $value,)*
                }
            }
        }
    )*};
}

labels! {
    /// Where an unresolved job is.
    JobState {
        /// Waiting for a worker.
        Ready = "ready",
        /// With a coordinator, and maybe with a worker of it.
        Leased = "leased",
        /// Given up: nobody is handed it.
        Parked = "parked",
    }
    /// What became of a result.
    Outcome {
        /// It is the job's result.
        Accepted = "accepted",
        /// The job had the same result already.
        Duplicate = "duplicate",
        /// It was malformed, wrong, or brought without a valid ticket.
        Invalid = "invalid",
        /// The job had another result already.
        Mismatch = "mismatch",
    }
    /// Why an attempt failed.
    AttemptReason {
        /// A trial panicked, or the result was malformed.
        Error = "error",
        /// The worker was lost.
        Lost = "lost",
        /// The job made no progress.
        Timeout = "timeout",
    }
    /// Whose lease ended.
    LeaseLevel {
        /// A worker's: it was silent.
        Worker = "worker",
        /// A coordinator's: the store gave the job to another.
        Coordinator = "coordinator",
    }
    /// How a backup copy ended.
    Backup {
        /// Its result was accepted.
        Won = "won",
        /// The first copy's was.
        Lost = "lost",
    }
    /// What a coordinator knows of a worker.
    WorkerState {
        /// It has a session.
        Connected = "connected",
        /// It has a session, and takes no more jobs.
        Draining = "draining",
        /// It is shut out, in the whole farm.
        Quarantined = "quarantined",
    }
    /// What a slot does.
    SlotState {
        /// It runs a trial.
        Busy = "busy",
        /// It does not.
        Idle = "idle",
    }
    /// Why a session ended.
    SessionEnd {
        /// The worker said goodbye.
        Goodbye = "goodbye",
        /// The connection broke, or one side broke the rules.
        Lost = "lost",
        /// The worker was silent.
        Silent = "silent",
        /// The worker has a newer session.
        Replaced = "replaced",
        /// The worker was shut out.
        ShutOut = "shut_out",
    }
    /// How a run stands.
    RunState {
        /// It goes on.
        Active = "active",
        /// It is halted.
        Paused = "paused",
        /// It has a result.
        Done = "done",
        /// It can't go on.
        Failed = "failed",
        /// A person ended it.
        Cancelled = "cancelled",
    }
    /// What came of a call to the store.
    Answer {
        /// An answer.
        Ok = "ok",
        /// None, or a refusal.
        Error = "error",
    }
    /// What was wrong with a call to the store.
    StoreTrouble {
        /// It can't be reached, written or read.
        Io = "io",
        /// It is full.
        Oom = "oom",
        /// It can't save what it has.
        Misconf = "misconf",
        /// It has not read its data yet.
        Loading = "loading",
        /// Another coordinator leads the run.
        Fenced = "fenced",
        /// The run is elsewhere than its leader thinks.
        Stale = "stale",
        /// Its data are damaged, or of another version.
        Damaged = "damaged",
    }
    /// Which way a message goes.
    Direction {
        /// From a worker.
        In = "in",
        /// To a worker.
        Out = "out",
    }
    /// How an audit ended.
    Audit {
        /// Both answers are equal.
        Passed = "passed",
        /// They differ: somebody computes wrong.
        Failed = "failed",
        /// There was nobody to ask in time: one answer was enough.
        Skipped = "skipped",
    }
    /// Why something was refused.
    AuthFailure {
        /// A call without a token.
        Missing = "missing",
        /// A call with a token that is none of the farm's.
        Unknown = "unknown",
        /// A call with a token that was revoked, or that went on when it was.
        Revoked = "revoked",
        /// A call that the token's role may not make.
        Role = "role",
        /// A connection without a certificate that is trusted.
        Certificate = "certificate",
        /// A result without a ticket for its job.
        Ticket = "ticket",
        /// A worker that is shut out came again.
        ShutOut = "shut_out",
    }
}
