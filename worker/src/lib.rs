//! Takes jobs from a coordinator and simulates them on all cores.
//!
//! A worker has no state that would be missed: it can be killed at any moment. It loses nothing
//! when a coordinator is killed: its jobs go on, and their results go to the next coordinator.
//!
//! The modules from top to bottom; each imports only modules below it:
//!
//! - `worker`: connects to one coordinator after the other until the worker is stopped
//! - `session`: reacts to messages and to finished jobs. In its folder: the connection (`stream`),
//!   heartbeats, the fetch of shared inputs, and the ways to dial a coordinator
//! - `state`: all that outlives a session
//! - `job_table`: the jobs and results in hand
//! - `input`: the inputs of jobs
//! - `executor`: runs jobs on threads, or in virtual time for a simulated farm
//! - `endpoints`: the order of coordinators, and the waits between attempts
//! - `shutdown`: the deadlines of a worker that leaves
//! - `faults`: wrong results and slow trials, for tests of the coordinators' checks
//! - `config`, `ids`, `rng`, `text`: settings, identities, random waits, a peer's text

mod config;
mod endpoints;
mod executor;
#[cfg(feature = "faults")]
mod faults;
mod ids;
mod input;
mod job_table;
mod rng;
mod session;
mod shutdown;
mod state;
mod text;
mod worker;

pub use config::{
    ExecutionMode, PART_CACHE_BYTES, ReconnectPolicy, STUCK_GRACE, WorkerConfig, host_name,
};
#[cfg(feature = "faults")]
pub use config::{FaultMode, Slowdown};
pub use executor::execute::{TrialThreads, execute_job};
pub use executor::handle::JobHandle;
pub use executor::job::{ComputedOutput, JobOutcome};
pub use session::dial::{
    AuthChannel, CallCredentials, DialError, Dialer, PreconnectedDialer, TcpDialer,
};
pub use session::stream::SessionError;
pub use worker::{WorkerError, run_worker, run_worker_with_meters, worker_meters};
