//! The client of a farm: connecting to its coordinators, and finding a run.
//!
//! Any coordinator answers for the whole farm, so a call goes to the coordinator that answered last
//! and, if that coordinator is gone, to the next. Every call can be repeated.

mod args;
mod connect;
mod farm;
mod follow;
mod reloading;
mod select;
mod submission;

pub(crate) use args::{FarmArgs, coordinator_url};
pub(crate) use connect::{CONNECTION_HEADING, ConnectArgs};
pub(crate) use farm::{CoordinatorClient, FailoverPolicy, FarmClient};
pub(crate) use follow::{RunFollower, SilentFollower, follow, has_ended};
pub(crate) use reloading::ReloadingDialer;
pub(crate) use select::SelectedRuns;
