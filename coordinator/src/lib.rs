//! Plans, leases and folds runs, and serves workers.
//!
//! - `hatchery_store`: runs, jobs and results; everything needed for progress is there and nowhere
//!   else
//! - [`machine`]: decides what a run does next, as a pure function of its inputs; [`job_sizer`]
//!   chooses how large jobs are, [`job_cutter`] cuts a generation into them, and [`ledger`] turns
//!   results into tallies
//! - `leader`: performs the effects of the machine of one run
//! - `supervisor`: opens runs for this coordinator's workers, and claims and leads runs
//! - `scaling`: computes the number of workers that the farm should have
//! - `dispatch`: decides which worker gets which job
//! - `service`: the gRPC service of workers
//! - `coordinator`: starts all of these together; `control`: the gRPC service of people
//! - [`time_left`]: estimates the time that a run still takes
//! - [`caller_limits`]: what callers may do at the same time
//! - `scheduling`: the user, priority and share of a run; `user`: the names of users
//! - [`self_tests`]: small jobs that workers compute before they get jobs of an experiment
//! - `job_ref`: the keys of jobs and the names of parts in messages
//! - `large_value`: values of any size as parts of a run; `part_reader`: parts for workers;
//!   `part_upload`: parts that come in; [`state_thinning`]: which states of past generations are
//!   kept
//! - `identity`: whether a worker may use the id that it claims; `opinions`: which workers count as
//!   different ones in audits
//! - `event`: the events of runs; [`record`]: the stored records of a run

pub mod caller_limits;
mod compute_pool;
mod context;
pub mod control;
pub mod coordinator;
pub mod dispatch;
pub mod event;
mod identity;
pub mod job_cutter;
mod job_ref;
pub mod job_sizer;
mod large_value;
pub mod leader;
pub mod ledger;
pub mod machine;
mod open;
mod opinions;
mod part_reader;
mod part_upload;
pub mod recompute;
pub mod record;
pub mod run_summary;
mod scaling;
pub mod scheduling;
pub mod self_tests;
pub mod service;
pub mod state_thinning;
pub mod submission;
mod summaries;
mod supervisor;
mod ticket;
pub mod time_left;
mod trial_row;
pub mod user;

pub use caller_limits::{Caller, CallerAddress, CallerLimits, CallerPermit};
pub use compute_pool::ComputePool;
pub use control::ControlService;
pub use coordinator::{Coordinator, CoordinatorConfig};
pub use dispatch::RetryPolicy;
pub use event::{Event, StampedEvent};
pub use leader::{LeadError, RunOutcome};
pub use open::OpenError;
pub use opinions::OpinionsBy;
pub use scaling::ScalingPolicy;
pub use scheduling::{RunPriority, RunScheduling};
pub use self_tests::SelfTestPolicy;
pub use submission::Submission;
pub use user::{AuthenticatedUser, UserName};
