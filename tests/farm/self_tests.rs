//! A worker computes the self-test of an experiment when a run of that experiment needs the worker,
//! and no other self-test, however many experiments there are.

use crate::guarded::succeed;
use crate::harness::{Farm, Work};

/// The number of log lines so far about a self-test that a coordinator computed.
fn n_computed(farm: &Farm) -> usize {
    let lines = farm.coordinators[0].1.lines();
    lines.iter().filter(|line| line.contains("self-test computed")).count()
}

/// The number of log lines so far about a self-test that a worker ran.
fn n_run(farm: &Farm) -> usize {
    let lines = farm.workers.iter().flat_map(crate::process::Process::lines);
    lines.filter(|line| line.contains("self-test run")).count()
}

#[test]
fn only_the_experiments_of_runs_are_tested() {
    let mut farm = Farm::start(0, 0);
    farm.variables = vec![("HATCHERY_LOG", "debug".to_owned())];
    farm.add_coordinator();
    farm.add_worker();
    for (preset, n_tested) in [("pig/smoke", 1), ("pig/smoke", 1), ("burn/smoke", 2)] {
        let work = Work { preset, set: &[] };
        let submitted = farm.submit(work);
        assert_eq!(farm.finish(submitted)["digest"], work.digest());
        assert_eq!((n_computed(&farm), n_run(&farm)), (n_tested, n_tested), "after {preset}");
    }
}

/// A worker that is tested when there is a run already gets its jobs.
#[test]
fn a_worker_that_comes_later_is_tested_for_the_runs_in_progress() {
    let mut farm = Farm::start(0, 0);
    farm.variables = vec![("HATCHERY_LOG", "debug".to_owned())];
    farm.add_coordinator();
    let work = Work { preset: "pig/smoke", set: &[] };
    let url = farm.coordinators[0].0.clone();
    succeed(&farm, &["submit", work.preset, "--coordinator", &url]);
    farm.add_worker();
    succeed(&farm, &["wait", "last", "--coordinator", &url]);
    assert_eq!((n_computed(&farm), n_run(&farm)), (1, 1));
}
