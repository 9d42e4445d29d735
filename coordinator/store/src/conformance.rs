//! The contract of [stores](super), as tests that every store runs.
//!
//! [`check_points`] takes the points of the contracts of [stores](super) and of their
//! [membership](crate::membership) one by one. [`check_random`] plays random sequences of
//! operations against a [`Model`] of the contract and compares every answer and everything that can
//! be read; what fails is shrunk and printed as calls. [`ModelStore`] is the model as a store, for
//! simulations.
//!
//! A store is tested by a [`Medium`], which lets the suite leave the store and come back:
//! ```text
//!   #[test]
//!   fn my_store_keeps_the_contract() {
//!       conformance::check_all(|| MyMedium::new_and_empty());
//!   }
//! ```

mod farm;
mod gone;
mod jobs;
mod keeping;
mod leases;
mod medium;
mod membership;
mod model;
mod parts;
mod people;
mod play;
mod random;
mod refusal;
mod runs;
mod several;
mod step;
mod view;
mod witness;

pub use farm::ModelStore;
pub use medium::Medium;
pub use model::{Job, JobState, Model, OpenPart, Run, RunParts};
pub use random::{check_random, differs_at_random};
pub use refusal::Refusal;
pub use view::{RunView, View};

use std::pin::Pin;

use medium::runtime;

/// The number of random sequences that [`check_all`] plays.
const N_RANDOM: u32 = 300;

/// Checks the whole contract; `make` gives an empty medium each time.
///
/// # Panics
/// If the store breaks the contract.
pub fn check_all<M: Medium>(make: impl Fn() -> M) {
    check_points(&make);
    check_random(&make, N_RANDOM);
}

/// Checks the contract point by point, and what several stores on one medium have to keep if it is
/// [shared](Medium::shared).
///
/// # Panics
/// If the store breaks the contract.
pub fn check_points<M: Medium>(make: impl Fn() -> M) {
    let runtime = runtime();
    for point in POINTS {
        runtime.block_on(point(&make()));
    }
    for point in POINTS_OF_SEVERAL {
        let medium = make();
        if medium.shared() {
            runtime.block_on(point(&medium));
        }
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
    |medium| Box::pin(leases::lease_hands_out_each_job_once(medium)),
    |medium| Box::pin(leases::lease_to_several_at_once_hands_out_each_job_once(medium)),
    |medium| Box::pin(leases::what_is_enqueued_is_leased_at_once(medium)),
    |medium| Box::pin(leases::only_the_holder_releases(medium)),
    |medium| Box::pin(leases::renew_tells_what_is_lost(medium)),
    |medium| Box::pin(leases::adopt_takes_jobs_over(medium)),
    |medium| Box::pin(leases::leases_end_with_the_process(medium)),
    |medium| Box::pin(jobs::results_end_before_the_first_gap(medium)),
    |medium| Box::pin(jobs::bytes_are_there_until_the_fold(medium)),
    |medium| Box::pin(runs::fold_removes_what_it_folds(medium)),
    |medium| Box::pin(runs::a_generation_ends_when_all_is_resolved(medium)),
    |medium| Box::pin(people::an_ended_run_rests(medium)),
    |medium| Box::pin(people::a_paused_run_hands_out_nothing(medium)),
    |medium| Box::pin(people::steer_makes_the_changes_it_says(medium)),
    |medium| Box::pin(people::a_resumed_run_goes_on(medium)),
    |medium| Box::pin(people::a_parked_job_waits_for_retry(medium)),
    |medium| Box::pin(people::a_leader_skips_what_is_parked(medium)),
    |medium| Box::pin(people::a_leader_pauses(medium)),
    |medium| Box::pin(people::a_parked_job_takes_results(medium)),
    |medium| Box::pin(people::attempts_are_kept(medium)),
    |medium| Box::pin(people::the_resolver_of_a_failed_job_is_named(medium)),
    |medium| Box::pin(runs::disown_takes_back_what_a_worker_did(medium)),
    |medium| Box::pin(runs::rewind_goes_back(medium)),
    |medium| Box::pin(runs::rewind_is_for_active_runs(medium)),
    |medium| Box::pin(keeping::runs_do_not_mix(medium)),
    |medium| Box::pin(gone::a_missing_run_is_an_error(medium)),
    |medium| Box::pin(gone::a_deleted_run_is_gone(medium)),
    |medium| Box::pin(gone::a_deleted_run_can_be_made_again(medium)),
    |medium| Box::pin(keeping::a_key_stands_for_one_run(medium)),
    |medium| Box::pin(keeping::bytes_of_any_size_come_back(medium)),
    |medium| Box::pin(parts::a_part_is_whole_when_all_chunks_are_there(medium)),
    |medium| Box::pin(parts::a_part_has_one_length(medium)),
    |medium| Box::pin(parts::other_bytes_are_no_chunk(medium)),
    |medium| Box::pin(parts::parts_are_found_by_their_hash(medium)),
    |medium| Box::pin(parts::parts_of_any_size_come_back(medium)),
    |medium| Box::pin(parts::parts_come_before_their_run(medium)),
    |medium| Box::pin(parts::an_ended_run_gets_no_part(medium)),
    |medium| Box::pin(parts::a_result_waits_for_its_parts(medium)),
    |medium| Box::pin(parts::a_fold_names_the_parts_that_stay(medium)),
    |medium| Box::pin(parts::a_fold_names_the_parts_that_go(medium)),
    |medium| Box::pin(parts::a_rewind_names_the_parts_that_stay(medium)),
    |medium| Box::pin(membership::a_run_is_claimed_by_one(medium)),
    |medium| Box::pin(membership::coordinators_come_and_go(medium)),
    |medium| Box::pin(membership::a_quarantine_stays(medium)),
    |medium| Box::pin(membership::the_secret_is_made_once(medium)),
];

/// The points for several stores on one medium.
const POINTS_OF_SEVERAL: &[Point] = &[
    |medium| Box::pin(several::leases_exclude(medium)),
    |medium| Box::pin(several::leads_fence(medium)),
    |medium| Box::pin(several::claims_exclude(medium)),
    |medium| Box::pin(several::all_see_the_same(medium)),
    |medium| Box::pin(several::changes_are_published(medium)),
];
