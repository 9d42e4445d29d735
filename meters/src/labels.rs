//! The values of labels: few, and known beforehand.

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

            /// Returns the value of the label.
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
    /// The state of an unresolved job.
    JobState {
        /// The job waits for a worker.
        Ready = "ready",
        /// A coordinator has the job, and perhaps a worker of the coordinator.
        Leased = "leased",
        /// The job is dead: no worker gets it.
        Dead = "parked",
    }
    /// The outcome of a result.
    ResultOutcome {
        /// The result is the job's.
        Accepted = "accepted",
        /// The job had the same result already.
        Duplicate = "duplicate",
        /// The result was malformed or wrong, or had no valid ticket.
        Invalid = "invalid",
        /// The job had another result already.
        Mismatch = "mismatch",
    }
    /// The reason for which an attempt failed.
    AttemptReason {
        /// A trial panicked, or the result was malformed.
        Error = "error",
        /// The worker was lost.
        Lost = "lost",
        /// The job made no progress.
        Timeout = "timeout",
    }
    /// The holder of a lease that ended.
    LeaseLevel {
        /// A worker, which was silent.
        Worker = "worker",
        /// A coordinator: the store gave the job to another.
        Coordinator = "coordinator",
    }
    /// The outcome of a backup copy.
    BackupOutcome {
        /// The copy's result was accepted.
        Won = "won",
        /// The first execution's result was accepted.
        Lost = "lost",
    }
    /// The state of a worker, as its coordinator sees it.
    WorkerState {
        /// The worker has a session.
        Connected = "connected",
        /// The worker has a session and takes no more jobs.
        Draining = "draining",
        /// The worker gets no jobs for a while, because it failed jobs that other workers
        /// completed.
        Paused = "paused",
        /// The worker is quarantined, in the whole farm.
        Quarantined = "quarantined",
    }
    /// The state of a slot.
    SlotState {
        /// The slot runs a trial.
        Busy = "busy",
        /// The slot is free.
        Idle = "idle",
    }
    /// The reason for which a session ended.
    SessionEnd {
        /// The worker said goodbye.
        Goodbye = "goodbye",
        /// The connection broke, or one side broke the rules.
        Lost = "lost",
        /// The worker was silent.
        Silent = "silent",
        /// The worker has a newer session.
        Replaced = "replaced",
        /// The worker was quarantined.
        Quarantined = "shut_out",
    }
    /// The state of a run.
    RunState {
        /// The run is active.
        Active = "active",
        /// The run is paused.
        Paused = "paused",
        /// The run has a result.
        Done = "done",
        /// The run cannot go on.
        Failed = "failed",
        /// A person ended it.
        Cancelled = "cancelled",
    }
    /// The outcome of a call to the store.
    CallOutcome {
        /// The store answered.
        Ok = "ok",
        /// The store did not answer, or refused.
        Error = "error",
    }
    /// The kind of an error of the store.
    StoreErrorKind {
        /// The store cannot be reached, written or read.
        Io = "io",
        /// The store is full.
        Oom = "oom",
        /// The store cannot save its data.
        Misconf = "misconf",
        /// The store has not read its data yet.
        Loading = "loading",
        /// Another coordinator leads the run.
        Fenced = "fenced",
        /// The run is not at its leader's position.
        Stale = "stale",
        /// The data is damaged, or of another version.
        Damaged = "damaged",
    }
    /// The direction of a message.
    MessageDirection {
        /// From a worker.
        In = "in",
        /// To a worker.
        Out = "out",
    }
    /// The outcome of an audit.
    AuditOutcome {
        /// The results are equal.
        Passed = "passed",
        /// The results differ: a worker computes wrong.
        Failed = "failed",
        /// No other worker can compute the run: the worker's result was accepted unchecked.
        Skipped = "skipped",
    }
    /// The reason for a refusal.
    AuthFailure {
        /// A call without a token.
        Missing = "missing",
        /// A call with a token that is not in the farm's list.
        Unknown = "unknown",
        /// A call with a revoked token, or a call in progress when its token was revoked.
        Revoked = "revoked",
        /// A call that the token's role may not make.
        Role = "role",
        /// A connection without a trusted certificate.
        Certificate = "certificate",
        /// A result without a ticket for its job.
        Ticket = "ticket",
        /// A session under a worker id that is not the worker's own.
        Identity = "identity",
        /// A session of a quarantined worker.
        Quarantined = "shut_out",
    }
}
