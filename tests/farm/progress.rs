//! What people see of a run in progress.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::Value as Json;

use crate::metrics::{address, coordinator, get, value};
use crate::process::pause;
use crate::verbs::json;

/// After this many announcements by the leader, a result that was done before them has been
/// announced. After this many reads, the other coordinator has read that announcement. One call may
/// already be in progress, and one more passes before the leader learns of the result. How long
/// that takes is tested in virtual time, in `tests/simulation/bounds.rs`.
const CALLS_UNTIL_KNOWN: f64 = 3.0;

/// The time between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// How much of the work a coordinator that does not lead it has been told for sure.
#[derive(Default)]
struct KnownProgress {
    /// The trials that were done at a look, and the leader's announcements before it.
    done: VecDeque<(u64, f64)>,
    /// The trials that the leader has announced, and the announcements that the other coordinator
    /// has read.
    announced: VecDeque<(u64, f64)>,
    trials: u64,
}

impl KnownProgress {
    /// Looks at the leader's metrics, and then at the other coordinator's metrics.
    fn look(&mut self, [leader, other]: [&str; 2]) {
        let text = |address: &str| get(address, "/metrics").unwrap().1;
        let n_calls = |text: &str, op: &str| {
            let series =
                format!("hatchery_store_op_duration_seconds_count{{op=\"{op}\",outcome=\"ok\"}}");
            value(text, &series).unwrap_or(0.0)
        };
        let leader = text(leader);
        let (n_announced, n_read) =
            (n_calls(&leader, "announce"), n_calls(&text(other), "announced"));
        while let Some((trials, _)) =
            self.done.pop_front_if(|(_, n)| *n + CALLS_UNTIL_KNOWN <= n_announced)
        {
            self.announced.push_back((trials, n_read));
        }
        while let Some((trials, _)) =
            self.announced.pop_front_if(|(_, n)| *n + CALLS_UNTIL_KNOWN <= n_read)
        {
            self.trials = trials;
        }
        self.done.push_back((counted(&leader), n_announced));
    }
}

/// The trials that a coordinator has counted.
fn counted(metrics: &str) -> u64 {
    let counted = value(metrics, "hatchery_units_completed_total{kind=\"tetris-evolve\"}");
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
    let trials = counted.unwrap_or(0.0) as u64;
    trials
}

/// The status of a run follows the work, also through generations of milliseconds and at a
/// coordinator that does not lead the run.
#[test]
fn a_status_is_never_far_behind_the_work() {
    let (mut farm, metrics) = coordinator();
    let worker = farm.worker(&[farm.coordinators[0].0.clone()], &[]);
    farm.workers.push(worker);
    // Both coordinators are there first: the run may take no longer than one needs to start.
    farm.add_coordinator();
    let work = ["submit", "tetris-evolve/smoke", "--set", "generations=400"];
    let run = json(&farm, &work)["run"].as_str().unwrap().to_owned();
    let (other, process) = &farm.coordinators[1];
    let other_metrics = address(process, "serves metrics on http://");
    let show = |url: &str| -> Json {
        let shown = farm.hatchery(&["show", &run, "--output", "json", "--coordinator", url]);
        serde_json::from_slice(&{ shown }.output().unwrap().stdout).unwrap()
    };
    let (mut told, mut looks) = (KnownProgress::default(), 0);
    let end = loop {
        told.look([&metrics, &other_metrics]);
        let shown = show(other);
        let (trials, least) = (shown["trials_total"].as_u64().unwrap(), told.trials);
        assert!(least <= trials, "{trials} trials are shown, but {least} were told before {shown}");
        if shown["state"] == "done" {
            break shown;
        }
        // Its leader has told something, so there is no generation without trials.
        if shown["trials_per_s"] != 0.0 {
            assert_ne!(shown["trials"], 0, "{shown}");
            looks += 1;
        }
        pause(LOOK_EVERY);
    };
    assert!(0 < looks && 0 < told.trials, "the run was over before it was seen");
    let (_, text) = get(&metrics, "/metrics").unwrap();
    assert_eq!(end["trials_total"], counted(&text), "{end}");
    assert_eq!(end["percent"], 100.0, "{end}");
    let [started, ended] = ["started_unix_ms", "ended_unix_ms"].map(|key| end[key].as_u64());
    assert!(started < ended && end["created_unix_ms"].as_u64() <= started, "{end}");
    assert_eq!(end["measure_history"].as_array().unwrap().len(), 60, "{end}");
    assert!(0.0 < end["cpu_s"].as_f64().unwrap(), "{end}");
}
