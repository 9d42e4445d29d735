//! Plans, leases and folds runs, and serves workers.
//!
//! Everything needed for progress is in the store (`hatchery_store`) and nowhere else. From top to
//! bottom:
//!
//! - [`control`]: the gRPC service of people
//! - [`coordinator`]: starts and stops all parts
//! - [`service`]: the gRPC service of workers
//! - `supervisor`: opens runs for this coordinator's workers, claims and leads runs, and computes
//!   the number of workers that the farm should have
//! - [`leader`]: performs the effects of the machine of one run
//! - `parts`: the parts that workers ask for, and the parts that workers send
//! - [`dispatch`]: decides which worker gets which job
//! - [`self_tests`]: small jobs that a worker must compute before it gets jobs of an experiment
//! - [`run`]: one run: its records, its machine, its jobs and tallies, its time left
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
pub use leader::open::submission::Submission;
pub use leader::{LeadError, RunOutcome};
pub use run::scheduling::{RunPriority, RunScheduling};
pub use self_tests::SelfTestPolicy;
pub use supervisor::ScalingPolicy;
