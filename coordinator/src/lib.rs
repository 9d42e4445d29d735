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
//! - `scheduling`: the user, priority and share of a run
//! - [`self_tests`]: small jobs that workers compute before they get jobs of an experiment
//! - `large_value`: values of any size as parts of a run; `part_reader`: parts for workers;
//!   `part_upload`: parts that come in; [`state_thinning`]: which states of past generations are
//!   kept
//! - `opinions`: which workers count as different ones in audits
//! - [`record`]: the stored records of a run
//! - [`base`]: what every other part may use

pub mod base;
pub mod control;
pub mod coordinator;
pub mod dispatch;
pub mod job_cutter;
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
pub mod time_left;
mod trial_row;

pub use base::caller_limits::{Caller, CallerAddress, CallerLimits, CallerPermit};
pub use base::compute_pool::ComputePool;
pub use base::event::{Event, StampedEvent};
pub use base::user::{AuthenticatedUser, UserName};
pub use control::ControlService;
pub use coordinator::{Coordinator, CoordinatorConfig};
pub use dispatch::RetryPolicy;
pub use leader::{LeadError, RunOutcome};
pub use open::OpenError;
pub use opinions::OpinionsBy;
pub use scaling::ScalingPolicy;
pub use scheduling::{RunPriority, RunScheduling};
pub use self_tests::SelfTestPolicy;
pub use submission::Submission;
