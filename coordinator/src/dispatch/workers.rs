//! The workers of this coordinator: their sessions, the jobs that they hold, and their health.
//!
//! - `session`: a worker's session; `session_table`: all sessions; `unconfirmed_parts`: the parts
//!   of results that are not stored yet
//! - `held_jobs`: the jobs in each session; `slot_limit`: the slots that a run may have there
//! - `health`: completions, failures and the resulting pauses
//! - `self_test_table`: the self-tests that each worker has passed
//! - `quarantine_list`: the quarantined workers
//! - `peers`: the other coordinators of the farm with their workers, as announced

pub(super) mod health;
pub(super) mod held_jobs;
pub(super) mod peers;
pub(super) mod quarantine_list;
pub(super) mod self_test_table;
pub(super) mod session;
pub(super) mod session_table;
pub(super) mod slot_limit;
mod unconfirmed_parts;
