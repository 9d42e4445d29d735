//! Plans, leases and folds runs, and serves workers.
//!
//! - `hatchery_store`: runs, jobs and results; everything needed for progress is there and nowhere
//!   else
//! - [`run`]: one run: its records, its machine, its jobs and tallies, its time left
//! - `leader`: performs the effects of the machine of one run
//! - `supervisor`: opens runs for this coordinator's workers, claims and leads runs, and computes the
//!   number of workers that the farm should have
//! - `dispatch`: decides which worker gets which job
//! - `service`: the gRPC service of workers
//! - `coordinator`: starts all of these together; `control`: the gRPC service of people
//! - [`self_tests`]: small jobs that workers compute before they get jobs of an experiment
//! - `parts`: the parts that workers ask for, and those that come in
//! - [`base`]: what every other part may use

pub mod base;
pub mod control;
pub mod coordinator;
pub mod dispatch;
pub mod leader;
mod parts;
pub mod run;
pub mod self_tests;
pub mod service;
mod supervisor;

pub use base::caller_limits::{Caller, CallerAddress, CallerLimits, CallerPermit};
pub use base::compute_pool::ComputePool;
pub use base::event::{Event, StampedEvent};
pub use base::opinions::OpinionsBy;
pub use base::user::{AuthenticatedUser, UserName};
pub use control::ControlService;
pub use coordinator::{Coordinator, CoordinatorConfig};
pub use dispatch::RetryPolicy;
pub use leader::open::OpenError;
pub use leader::submission::Submission;
pub use leader::{LeadError, RunOutcome};
pub use run::scheduling::{RunPriority, RunScheduling};
pub use self_tests::SelfTestPolicy;
pub use supervisor::ScalingPolicy;
