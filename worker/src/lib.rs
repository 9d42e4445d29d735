//! Takes jobs from a coordinator and simulates them on all cores.
//!
//! A worker has no state that anybody would miss: it can be killed at any moment. It loses nothing
//! when a coordinator is: its jobs go on, and their results find their way through the next one.
//!
//! - [`config`]: what a worker is
//! - [`mod@work`]: its life, one session after the other; `leave`: how it ends in good time
//! - `session`: what it does with what it hears; `link`: the connection that it hears it from
//! - `desk`: what it has in hand, `crew`: who runs it, [`execute`]: one job, spread over threads
//! - [`shared`]: shared inputs, fetched once per generation
//! - `span`: what traces show of a job
//! - `pulse`: heartbeats; [`progress`]: what they tell
//! - [`dial`]: how coordinators are reached; `itinerary`: in which order, and when
//! - [`panic`](mod@panic): what a panicking trial said

pub mod config;
mod crew;
mod desk;
pub mod dial;
mod entropy;
pub mod execute;
mod itinerary;
mod key;
mod leave;
#[cfg(feature = "faults")]
mod lie;
mod link;
pub mod panic;
pub mod progress;
mod pulse;
mod session;
pub mod shared;
mod span;
pub mod work;

#[cfg(feature = "faults")]
pub use config::Lie;
pub use config::{Config, Execution, Patience, STUCK_GRACE, host_name};
pub use dial::{Connected, Credential, Dial, DialError, Line, TcpDial};
pub use link::SessionError;
pub use work::{WorkError, meters, work, work_counting};
