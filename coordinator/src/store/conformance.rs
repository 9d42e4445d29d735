//! The contract of [`Store`], as tests that every store runs.
//!
//! [`check_points`] takes the points of the [contract](super) one by one. [`check_random`] plays
//! random sequences of operations against a [`Model`] of the contract and compares every answer
//! and everything that can be read; what fails is shrunk and printed as calls.
//!
//! A store is tested by a [`Medium`], which lets the suite leave the store and come back:
//! ```text
//!   #[test]
//!   fn my_store_keeps_the_contract() {
//!       conformance::check_all(|| MyMedium::new_and_empty());
//!   }
//! ```

mod call;
mod jobs;
mod keeping;
mod model;
mod play;
mod random;
mod runs;
mod step;
mod view;
mod witness;

pub use call::{Answer, Call, Refusal};
pub use model::{JobState, Model, Run};
pub use random::check_random;
pub use view::{RunView, View};

use std::pin::Pin;

use async_trait::async_trait;
use tokio::runtime::Runtime;

use super::Store;

/// How many random sequences [`check_all`] plays.
const N_RANDOM: u32 = 200;

/// What keeps a store's data while no store is open on it.
#[async_trait]
pub trait Medium: Send + Sync {
    /// Opens the store: what was acknowledged before is there, and nothing is leased. The store
    /// opened last was dropped before.
    async fn open(&self) -> Box<dyn Store>;
}

/// Checks the whole contract; `make` gives an empty medium each time.
///
/// # Panics
/// If the store breaks the contract.
pub fn check_all<M: Medium>(make: impl Fn() -> M) {
    check_points(&make);
    check_random(&make, N_RANDOM);
}

/// Checks the contract point by point.
///
/// # Panics
/// If the store breaks the contract.
pub fn check_points<M: Medium>(make: impl Fn() -> M) {
    let runtime = runtime();
    for point in POINTS {
        runtime.block_on(point(&make()));
    }
}

type Point = for<'a> fn(&'a dyn Medium) -> Pin<Box<dyn Future<Output = ()> + 'a>>;

/// All points, in the order of the contract.
const POINTS: &[Point] = &[
    |medium| Box::pin(keeping::acknowledged_writes_outlive_the_process(medium)),
    |medium| Box::pin(keeping::repeats_change_nothing(medium)),
    |medium| Box::pin(keeping::refused_calls_change_nothing(medium)),
    |medium| Box::pin(jobs::one_result_is_accepted(medium)),
    |medium| Box::pin(jobs::one_of_several_at_once_is_accepted(medium)),
    |medium| Box::pin(jobs::results_of_no_job_are_unknown(medium)),
    |medium| Box::pin(runs::only_the_last_leader_writes(medium)),
    |medium| Box::pin(jobs::enqueue_appends_at_the_cursor(medium)),
    |medium| Box::pin(jobs::lease_hands_out_each_job_once(medium)),
    |medium| Box::pin(jobs::lease_to_several_at_once_hands_out_each_job_once(medium)),
    |medium| Box::pin(jobs::only_the_holder_releases(medium)),
    |medium| Box::pin(jobs::leases_end_with_the_process(medium)),
    |medium| Box::pin(jobs::results_end_before_the_first_gap(medium)),
    |medium| Box::pin(runs::fold_removes_what_it_folds(medium)),
    |medium| Box::pin(runs::a_generation_ends_when_all_is_resolved(medium)),
    |medium| Box::pin(runs::an_ended_run_rests(medium)),
    |medium| Box::pin(runs::a_reopened_run_goes_on(medium)),
    |medium| Box::pin(keeping::runs_do_not_mix(medium)),
    |medium| Box::pin(keeping::a_missing_run_is_an_error(medium)),
    |medium| Box::pin(keeping::blobs_are_found_by_their_hash(medium)),
    |medium| Box::pin(keeping::bytes_of_any_size_come_back(medium)),
];

/// A runtime for a check: one thread, and others for what blocks.
fn runtime() -> Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().expect("the system has room for a runtime")
}
