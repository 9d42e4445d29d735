//! Plans, leases and folds runs, and serves workers.
//!
//! - [`store`]: where runs live; everything needed for progress is there and nowhere else
//! - [`machine`]: what a run does next, as a pure function of inputs; [`cut`] and [`ledger`] are
//!   its two ends: how a generation becomes jobs, and how results become tallies
//! - [`driver`]: the loop that performs what the machine decides, for one run
//! - `supervise`: which runs this coordinator works on, and which it leads
//! - `scaling`: how many workers the farm should have
//! - [`dispatch`]: which worker gets which job
//! - [`service`]: the gRPC service that workers talk to
//! - [`coordinator`]: all of these, started together; [`control`]: the gRPC service for people
//! - [`scheduling`]: whom a run is for, and how much of the farm it gets
//! - [`event`]: what happened, for whoever watches; [`record`]: what the store holds of a run

mod compute_pool;
mod context;
pub mod control;
pub mod coordinator;
pub mod cut;
pub mod dispatch;
pub mod event;
pub mod leader;
pub mod ledger;
pub mod machine;
mod open;
pub mod recompute;
pub mod record;
mod scaling;
pub mod scheduling;
pub mod service;
pub mod store;
mod supervisor;
mod ticket;
mod wire;

pub use compute_pool::ComputePool;
pub use control::ControlService;
pub use coordinator::{Coordinator, CoordinatorConfig, Submission};
pub use dispatch::RetryPolicy;
pub use event::{Event, StampedEvent};
pub use leader::{LeadError, RunOutcome};
pub use open::OpenError;
pub use scaling::ScalingPolicy;
pub use scheduling::{AuthenticatedUser, RunPriority, RunScheduling, UserName};
pub use store::{EmbeddedStore, RedisStore, RunId, RunState, Store, StoreError};
