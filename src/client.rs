//! The client of a farm: which of its coordinators answers, and which run is meant.
//!
//! Any coordinator answers for the whole farm, so a call goes to the one that answered last and, if
//! that is gone, to the next. Every call can be repeated.

mod args;
mod connect;
mod farm;
mod follow;
mod select;

pub(crate) use args::FarmArgs;
pub(crate) use connect::ConnectArgs;
pub(crate) use farm::{Asking, Client, Farm};
pub(crate) use follow::{Follower, follow};
