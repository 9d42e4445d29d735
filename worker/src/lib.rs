//! Takes jobs from a coordinator and simulates them on all cores.
//!
//! A worker has no state that would be missed: it can be killed at any moment. It loses nothing when
//! a coordinator is killed: its jobs go on, and their results are reported to the next coordinator.
//!
//! From top to bottom; imports point down only:
//!
//! - `worker`: connects to one coordinator after the other until it is stopped
//! - `session`: reacts to messages and finished jobs; its connection (`stream`), heartbeats, and the
//!   fetch of shared inputs
//! - `state`: all that outlives a session
//! - `job_table`: jobs and results in hand
//! - [`executor`]: runs jobs in threads, or in virtual time for a simulated farm
//! - `endpoints`: which coordinator comes next, and when; `shutdown`: the deadlines of a worker that
//!   leaves; `faults`: wrong results for tests
//! - [`config`]: the settings of a worker

pub mod config;
mod endpoints;
pub mod executor;
#[cfg(feature = "faults")]
mod faults;
mod ids;
mod job_table;
mod rng;
mod session;
mod shutdown;
mod state;
mod text;
mod worker;

#[cfg(feature = "faults")]
pub use config::FaultMode;
pub use config::{ExecutionMode, ReconnectPolicy, STUCK_GRACE, WorkerConfig, host_name};
pub use session::dial::{
    AuthChannel, CallCredentials, DialError, Dialer, PreconnectedDialer, TcpDialer,
};
pub use session::stream::SessionError;
pub use worker::{WorkerError, run_worker, run_worker_with_meters, worker_meters};
