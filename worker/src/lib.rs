//! Takes jobs from a coordinator and simulates them on all cores.
//!
//! A worker has no state that anybody would miss: it can be killed at any moment.
//!
//! - [`session`]: the conversation with a coordinator
//! - [`execute`]: one job, spread over threads
//! - [`shared`]: shared inputs, fetched once per generation
//! - [`panic`](mod@panic): what a panicking trial said

pub mod execute;
pub mod panic;
pub mod session;
pub mod shared;

pub use session::{Config, SessionError, serve};
