//! What every other part of a coordinator may use.
//!
//! - [`event`]: the events of runs and workers
//! - `context`: the handles that parts share: views of the store, catalog, pool, meters
//! - `compute_pool`: the threads for plans and folds
//! - [`user`]: the names of users
//! - [`caller_limits`]: how many requests callers may have in progress
//! - `identity`: the check that a worker may use the id that it claims
//! - `job_ref`: the keys of jobs and the names of parts in messages
//! - `opinions`: which workers count as one opinion in audits
//! - `ticket`: the proof that a worker was sent a job

pub mod caller_limits;
pub(crate) mod compute_pool;
pub(crate) mod context;
pub mod event;
pub(crate) mod identity;
pub(crate) mod job_ref;
pub(crate) mod opinions;
pub(crate) mod ticket;
pub mod user;
