//! A run: its stored records, its next step, and the time that it still takes.
//!
//! - [`record`]: the stored records; [`summary`]: the summary that lists read
//! - [`machine`]: *decides* what a run does next, as a pure function of its inputs
//! - [`cutter`]: *decides* how large jobs are and cuts a generation into them
//! - [`ledger`]: merges each result into tallies once, in job order within a class
//! - `large_value`: values of any size as parts of a run
//! - [`state_thinning`]: *decides* which states of past generations are kept
//! - [`scheduling`]: the user, priority and share of a run
//! - [`recompute`]: computes a job in this process: to arbitrate, and for self-tests
//! - [`time_left`]: *estimates* the time that a run still takes

pub mod cutter;
pub(crate) mod large_value;
pub mod ledger;
pub mod machine;
pub mod recompute;
pub mod record;
pub mod scheduling;
pub mod state_thinning;
pub mod summary;
pub mod time_left;
