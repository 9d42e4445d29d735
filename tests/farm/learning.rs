//! Runs whose trials learn: networks, their memories and their games are parts.

use std::time::Instant;

use hatchery_test_redis::PATIENCE;

use crate::harness::{Farm, RUN, Work};
use crate::verbs::{json, output};

/// Games and learning side by side.
const WIDE: Work = Work {
    preset: "othellonia-selfplay/smoke",
    set: &["mode.games=160", "mode.first=20", "mode.most=20", "mode.steps_per_pair=8"],
};

/// Games inside the trials that learn.
const PAPER: Work = Work {
    preset: "othellonia-selfplay/smoke-paper",
    set: &["mode.games=160", "mode.period_steps=40", "mode.steps_per_pair=8"],
};

/// Workers are killed and added and coordinators are killed while networks play and learn: the
/// digest equals the digest of a run without faults, so that no game is lost or counted twice.
#[test]
fn networks_that_learn_by_playing_survive_kills() {
    for work in [WIDE, PAPER] {
        let mut farm = Farm::start(2, 2);
        let submitted = farm.submit(work);
        for round in 0..2 {
            farm.wait_for_progress();
            farm.replace_worker(round);
            farm.wait_for_progress();
            farm.restart_coordinator(farm.leader());
        }
        farm.add_worker();
        let document = farm.finish(submitted);
        assert_eq!(document["digest"], work.digest());
    }
}

/// A trial that would learn for hours ends when its run is cancelled or paused, in the middle of a
/// period, and its worker continues.
#[test]
fn learning_ends_when_its_run_is_cancelled_or_paused() {
    let mut farm = Farm::start(1, 1);
    for verb in ["cancel", "pause"] {
        let begun = Instant::now();
        let set = [
            "mode.games=200000",
            "mode.period_steps=1000000",
            "mode.steps_per_pair=1000",
            "snapshot_games=100000",
        ];
        let set = set.iter().flat_map(|assignment| ["--set", assignment]);
        let args = ["submit", "othellonia-selfplay/smoke-paper"].into_iter().chain(set);
        let submitted = json(&farm, &args.collect::<Vec<_>>());
        let run = submitted["run"].as_str().unwrap();
        let job = format!("{run}/0/0");
        farm.workers[0]
            .wait_for(begun, PATIENCE, |line| line.contains("started") && line.contains(&job));
        let asked = Instant::now();
        output(&farm, &[verb, run]);
        let other = farm.submit(RUN);
        let confirms = |line: &str| line.contains("verdict=Accepted") && !line.contains(run);
        let (ended, _) = farm.coordinators[0].1.wait_for(asked, PATIENCE, confirms);
        println!("{verb} took effect after {:?}", ended - asked);
        assert_eq!(farm.finish(other)["digest"], RUN.digest());
        output(&farm, &["cancel", run]);
    }
    assert!(farm.workers[0].is_running());
}

/// After 50 generations, Redis has the parts of at most 15 states: the first, the last 8, and one
/// for each doubling of age (docs/REFERENCE.md, sizes).
#[test]
fn parts_of_many_generations_are_bounded() {
    let mut farm = Farm::start(1, 2);
    let set = &[
        "mode.games=192",
        "mode.first=4",
        "mode.growth=1",
        "mode.most=4",
        "mode.pairs_per_trial=2",
        "evaluation.every=20",
        "learn.capacity=400",
        "snapshot_games=64",
    ];
    let work = Work { preset: "othellonia-selfplay/smoke", set };
    let submitted = farm.submit(work);
    let document = farm.finish(submitted);
    assert_eq!(document["digest"], work.digest());
    let generations = document["generations"].as_u64().unwrap();
    assert!(50 <= generations, "{generations} generations");
    let run = document["run"].as_str().unwrap();
    let kept = farm.redis.cli(&["HLEN", &format!("ht:{{{run}}}:parts")]).unwrap();
    let kept: u64 = kept.trim().parse().unwrap();
    // A state names the vectors, a model, a memory, at most 3 snapshots, and the games of some 400
    // decisions: of at most 9 generations. At most 15 states are kept, whose last 8 share files.
    println!("{kept} parts after {generations} generations");
    assert!(kept <= 15 * 3 + 3 + 15 * 9, "{kept} parts are kept");
    let bytes = farm.redis.cli(&["INFO", "memory"]).unwrap();
    let used = bytes.lines().find_map(|line| line.strip_prefix("used_memory:")).unwrap();
    let used: u64 = used.trim().parse().unwrap();
    println!("{used} bytes in Redis");
    assert!(used < 100_000_000, "{used} bytes in Redis");
}
