//! Plans, leases and folds runs, and serves workers.
//!
//! - [`store`]: where runs live; everything needed for progress is there and nowhere else
//! - [`machine`]: what a run does next, as a pure function of inputs; [`cut`] and [`ledger`] are its
//!   two ends: how a generation becomes jobs, and how results become tallies
//! - [`driver`]: the loop that performs what the machine decides
//! - [`dispatch`]: which worker gets which job
//! - [`service`]: the gRPC service that workers talk to
//! - [`coordinator`]: all of these, started together
//! - [`event`]: what happened, for whoever watches; [`record`]: what the store holds of a run

pub mod coordinator;
pub mod cut;
pub mod dispatch;
pub mod driver;
pub mod event;
pub mod ledger;
pub mod machine;
pub mod record;
pub mod service;
pub mod store;
mod wire;

pub use coordinator::{Coordinator, Submission};
pub use driver::{DriveError, Ended};
pub use event::{Event, Stamped};
pub use store::{EmbeddedStore, RunId, RunState, Store, StoreError};
