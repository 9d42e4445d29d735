//! Sweeps on one machine: runs of a spec with several values of its keys, and their joint table;
//! finished runs that replace new runs.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::references::digest as reference_digest;
use crate::{hatchery, output, refused, result, scratch, text};

#[test]
fn each_point_is_a_run_and_the_table_has_means_over_seeds() {
    let folder = scratch();
    let sweep = ["run", "pig/smoke", "--sweep", "games=50,100", "--sweep", "seed=1..2"];
    let out = ["--out", "s", "--output", "json"];
    let document = result(folder.path(), &[&sweep[..], &out].concat());
    assert_eq!(
        (&document["schema"], &document["sweep"]),
        (&"hatchery.sweep/2".into(), &"s".into())
    );
    let runs = document["runs"].as_array().unwrap();
    let points: Vec<_> = runs.iter().map(|run| run["point"].as_str().unwrap()).collect();
    assert_eq!(
        points,
        ["games=50,seed=1", "games=50,seed=2", "games=100,seed=1", "games=100,seed=2"]
    );
    assert_eq!(runs[3]["digest"], reference_digest("pig/smoke", &["games=100", "seed=2"]));
    let table = document["table"].as_array().unwrap();
    assert_eq!(table.len(), 2);
    let turns = table[0]["measures"].as_array().unwrap();
    let turns = turns.iter().find(|measure| measure["name"] == "mean_turns").unwrap();
    let value = |run: &serde_json::Value| {
        let measures = run["measures"].as_array().unwrap();
        let turns = measures.iter().find(|measure| measure["name"] == "mean_turns").unwrap();
        turns["value"].as_f64().unwrap()
    };
    let mean = f64::midpoint(value(&runs[0]), value(&runs[1]));
    assert!((turns["value"].as_f64().unwrap() - mean).abs() < 1e-9, "{turns}");
    assert_eq!((&turns["n"], &table[0]["done"]), (&2.into(), &2.into()));
    // Each run is one like any other, and the table is a file.
    let point = folder.path().join("s/games=100,seed=2");
    for file in ["result.json", "report.html", "run.redb"] {
        assert!(point.join(file).exists(), "{file}");
    }
    let csv = fs::read_to_string(folder.path().join("s/sweep.csv")).unwrap();
    assert_eq!(csv.lines().count(), 5, "{csv}");
    // The joint report is a page, which is written again from the folder, as it was.
    let report = folder.path().join("s/report.html");
    let page = fs::read_to_string(&report).unwrap();
    assert!(page.contains("<code>games</code>") && page.contains("games=100,seed=2"), "{page}");
    fs::remove_file(&report).unwrap();
    let written = output(folder.path(), &["report", "s"]);
    assert_eq!(text(&written.stdout), "s/report.html\n", "{}", text(&written.stderr));
    assert_eq!(fs::read_to_string(&report).unwrap(), page);
    // The same again is refused, unless it resumes: then all is there already.
    let again = output(folder.path(), &[&sweep[..], &out].concat());
    assert_eq!(again.status.code(), Some(2), "{}", text(&again.stderr));
    let written = |name: &str| fs::read(folder.path().join("s").join(name)).unwrap();
    assert_eq!(written("sweep.csv"), csv.as_bytes(), "what is refused writes nothing");
    let resumed = result(folder.path(), &[&sweep[..], &out, &["--resume"]].concat());
    assert_eq!(resumed, document);
    // Other values of the same keys join the table; other keys do not.
    let more = ["run", "pig/smoke", "--sweep", "games=50", "--sweep", "seed=3", "--resume"];
    let more = result(folder.path(), &[&more[..], &out].concat());
    assert_eq!(more["runs"].as_array().unwrap().len(), 5);
    assert_eq!(more["table"][0]["done"], 3);
    let other = ["run", "pig/smoke", "--sweep", "seed=1..2", "--resume"];
    let other = output(folder.path(), &[&other[..], &out].concat());
    assert!(text(&other.stderr).contains("holds a sweep with other keys"), "{other:?}");
    // A sweep is no run, and its files are not for other pages.
    let waited = output(folder.path(), &["wait", "s"]);
    let said = text(&waited.stderr);
    assert_eq!(waited.status.code(), Some(2), "{said}");
    assert!(said.contains("s is a sweep of this machine, not a run"), "{said}");
    let out = ["report", "s/games=50,seed=1", "--out", "s/games=50,seed=1/run.redb"];
    let replaced = output(folder.path(), &out);
    assert_eq!(replaced.status.code(), Some(2), "{}", text(&replaced.stderr));
    assert!(output(folder.path(), &["show", "s/games=50,seed=1"]).status.success());
}

#[test]
fn runs_of_a_sweep_are_listed_and_named_by_their_points() {
    let folder = scratch();
    let args = ["run", "pig/smoke", "--sweep", "seed=7,8"];
    let table = output(folder.path(), &args);
    let said = text(&table.stdout);
    assert!(table.status.success() && said.contains("2 of 2"), "{said}");
    let sweep = said.split("sweep ").last().unwrap().split(' ').next().unwrap();
    let named = format!("{sweep}/seed=8");
    let shown = result(folder.path(), &["show", &named, "--output", "json"]);
    assert_eq!((&shown["seed"], &shown["name"]), (&8.into(), &named.as_str().into()));
    let listed = result(folder.path(), &["list", "--sweep", sweep, "--output", "json"]);
    assert_eq!(listed["runs"].as_array().unwrap().len(), 2);
    let none = result(folder.path(), &["list", "--sweep", "other", "--output", "json"]);
    assert!(none["runs"].as_array().unwrap().is_empty());
}

#[test]
fn a_wrong_sweep_is_refused_before_its_first_run() {
    let folder = scratch();
    let check = |sweep: &[&str], code: i32, part: &str| {
        let output = output(folder.path(), &[&["run", "pig/smoke"], sweep].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{sweep:?}: {said}");
        assert!(said.contains(part), "{sweep:?}: {said}");
        assert!(!folder.path().join("runs").exists(), "{sweep:?}");
    };
    check(&["--sweep", "gamez=1,2"], 13, "did you mean games?");
    check(&["--sweep", "games=50,-1"], 13, "games is -1");
    check(&["--sweep", "seed=3..1"], 2, "the range 3..1 is empty");
    check(&["--sweep", "seed="], 2, "seed has an empty value");
    check(&["--sweep", "seed=1..101", "--sweep", "games=1..100"], 2, "10100 runs (101 x 100)");
    check(&["--sweep", "seed=1,2", "--set", "seed=3"], 2, "seed is both set and swept");
    check(&["--sweep", "seed=1,0x1"], 2, "seed=1 and seed=0x1 are the same run");
    check(&["--sweep", "about=it's,x"], 2, "' is not closed");
    check(&["--reuse", "--out", "there"], 2, "leave out --out");
    check(&["--seed", "1", "--set", "seed=2"], 2, "the seed is given twice");
    check(&["--sweep", "seed=1,2", "--resume"], 2, "--resume of a sweep needs its folder");
}

#[test]
fn a_run_that_is_done_is_reused_if_asked() {
    let folder = scratch();
    let run = |extra: &[&str]| {
        let args = [&["run", "pig/smoke", "--output", "json"], extra].concat();
        result(folder.path(), &args)["run"].clone()
    };
    let first = run(&["--reuse"]);
    assert_eq!(run(&["--reuse"]), first);
    // What is left at its default is the same spec; another seed or value is not.
    assert_ne!(run(&[]), first);
    assert_ne!(run(&["--reuse", "--set", "games=51"]), first);
    assert_ne!(run(&["--reuse", "--seed", "9"]), first);
    let said = output(folder.path(), &["run", "pig/smoke", "--seed", "9", "--reuse"]);
    assert!(text(&said.stderr).starts_with("reused run "), "{}", text(&said.stderr));
    let swept = ["run", "pig/smoke", "--sweep", "seed=8,9", "--reuse", "--output", "json"];
    let runs = result(folder.path(), &swept)["runs"].clone();
    assert_eq!(runs[1]["run"], run(&["--reuse", "--seed", "9"]));
    assert_ne!(runs[0]["run"], runs[1]["run"]);
    // The joint report knows the run that is elsewhere.
    let sweep = fs::read_dir(folder.path().join("runs")).unwrap();
    let names = sweep.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let sweep = names.into_iter().find(|name| name.contains("-sweep-")).unwrap();
    let page = text(&output(folder.path(), &["report", &sweep, "--out", "-"]).stdout);
    assert!(page.contains(runs[1]["run"].as_str().unwrap()), "{page}");
    // Its store counts, not its files.
    let edited = folder.path().join(format!("runs/{sweep}/seed=8/result.json"));
    let said = fs::read_to_string(&edited).unwrap();
    fs::write(&edited, said.replace("\"digest\": \"", "\"digest\": \"ff")).unwrap();
    let args = ["run", "pig/smoke", "--seed", "8", "--reuse", "--output", "json"];
    assert_eq!(result(folder.path(), &args)["digest"], runs[0]["digest"]);
}

/// Whenever a sweep is stopped, it continues where it was, also where values do not name its
/// points.
#[test]
fn a_stopped_sweep_is_resumed() {
    let folder = scratch();
    let sweep =
        ["run", "pig/quick", "--set", "games=300000", "--sweep", "hold_at=[5, 10],[20, 30]"];
    let resume = ["--out", "s", "--resume", "--output", "json"];
    let args = [&sweep[..], &resume].concat();
    for (begun, signal) in
        [("run 1", Signal::KILL), ("run 1", Signal::INT), ("run 2", Signal::KILL)]
    {
        let mut run = hatchery(folder.path(), &args).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(run.stderr.take().unwrap()).lines();
        let mut lines = lines.skip_while(|line| !line.as_ref().unwrap().starts_with(begun));
        assert!(lines.next().is_some(), "{begun}");
        kill_process(Pid::from_child(&run), signal).unwrap();
        lines.for_each(drop);
        run.wait().unwrap();
        // What is there can be looked at, with the values of each point.
        let page = text(&output(folder.path(), &["report", "s", "--out", "-"]).stdout);
        assert!(page.contains("[20, 30]") && page.contains("of 2 runs are done"), "{page}");
    }
    let document = result(folder.path(), &args);
    for (idx, hold_at) in ["hold_at=[5, 10]", "hold_at=[20, 30]"].iter().enumerate() {
        let digest = reference_digest("pig/quick", &["games=300000", hold_at]);
        assert_eq!(document["runs"][idx]["digest"], digest);
    }
    // The same numbers with other values are another sweep.
    let other = ["run", "pig/quick", "--sweep", "hold_at=[5],[20, 30, 40]"];
    let said = refused(folder.path(), &[&other[..], &resume].concat());
    assert!(said.contains("holds a sweep with other keys"), "{said}");
    fs::write(folder.path().join("s/sweep.json"), "{").unwrap();
    assert!(refused(folder.path(), &args).contains("s/sweep.json is damaged"));
    assert!(refused(folder.path(), &["report", "s"]).contains("s/sweep.json is damaged"));
}

/// The same values are the same point, whatever it is called; the reused run stays.
#[test]
fn points_are_the_same_by_their_values() {
    let folder = scratch();
    let run = |args: &[&str]| {
        let out = ["--out", "s", "--output", "json"];
        result(folder.path(), &[&["run", "pig/smoke"], args, &out].concat())
    };
    let ids = |document: &serde_json::Value| {
        let runs = document["runs"].as_array().unwrap().iter();
        runs.map(|run| run["run"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let reused = result(folder.path(), &["run", "pig/smoke", "--seed", "2", "--output", "json"]);
    let reused = reused["run"].as_str().unwrap();
    let first = run(&["--sweep", "hold_at=[5],[20]", "--sweep", "seed=1"]);
    // In another order of keys, and numbered for the sake of a value with a comma.
    let more = ["--sweep", "seed=1", "--sweep", "hold_at=[20],[5],[7,8]", "--resume"];
    let more = run(&more);
    assert_eq!((ids(&more).len(), &ids(&more)[..2]), (3, &ids(&first)[..]));
    let args = ["run", "pig/smoke", "--sweep", "seed=1..2", "--reuse", "--output", "json"];
    let reusing = result(folder.path(), &[&args[..], &["--out", "t"]].concat());
    assert_eq!(ids(&reusing)[1], reused);
    let resumed = result(folder.path(), &[&args[..], &["--out", "t", "--resume"]].concat());
    assert_eq!(ids(&resumed), ids(&reusing));
    let single = ["run", "pig/smoke", "--reuse", "--resume"];
    assert!(refused(folder.path(), &single).contains("leave out one of the two"));
}

/// A key that is called like a measure has a column of its own.
#[test]
fn columns_of_a_sweep_have_names_of_their_own() {
    let folder = scratch();
    let args = ["run", "catan-balance/smoke", "--sweep", "games=8,9", "--out", "s"];
    result(folder.path(), &[&args[..], &["--output", "json"]].concat());
    let csv = fs::read_to_string(folder.path().join("s/sweep.csv")).unwrap();
    let mut names: Vec<_> = csv.lines().next().unwrap().split(',').collect();
    assert!(names.contains(&"games") && names.contains(&"params.games"), "{csv}");
    let n_columns = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), n_columns, "{csv}");
}

#[test]
fn files_that_are_no_sweeps_are_kept() {
    let folder = scratch();
    let there = folder.path().join("there");
    fs::create_dir(&there).unwrap();
    fs::write(there.join("sweep.csv"), "mine").unwrap();
    let args = ["run", "pig/smoke", "--sweep", "seed=1,2", "--out", "there"];
    let said = refused(folder.path(), &args);
    assert!(said.contains("is not empty and holds no sweep"), "{said}");
    assert_eq!(fs::read_to_string(there.join("sweep.csv")).unwrap(), "mine");
    result(folder.path(), &["run", "pig/smoke", "--output", "json"]);
    let all = refused(folder.path(), &["run", "pig/smoke", "--sweep", "seed=1,2", "--out", "runs"]);
    assert!(all.contains("holds no sweep"), "{all}");
}

/// The memory of a process that is in use, in KiB.
fn resident_kib(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// The memory that may be in use for what is known of all points, and by chance: a store that stays
/// open takes more than that for a few points.
const MAX_GROWTH_KIB: u64 = 32 << 10;

/// A sweep of more points than files may be open, and more than could start a worker each. The
/// store of a point is closed when the point ends, so other processes can read it beside the sweep.
/// The soak sweeps 10,000 points.
#[test]
fn a_sweep_keeps_no_finished_point_open() {
    let is_soak = std::env::var_os("HATCHERY_SOAK_MINUTES").is_some();
    let (n_points, looks) = if is_soak { (10_000, 10) } else { (300, 3) };
    let folder = scratch();
    let sweep = "ulimit -n 64 && exec \"$0\" run pig/smoke --set games=10 --out s \"$@\"";
    let mut command = std::process::Command::new("sh");
    command.current_dir(folder.path()).args(["-c", sweep, env!("CARGO_BIN_EXE_hatchery")]);
    command.args(["--sweep", &format!("seed=1..{n_points}")]).stderr(Stdio::piped());
    let mut run = command.env_remove("HATCHERY_LOG").spawn().unwrap();
    let mut lines = BufReader::new(run.stderr.take().unwrap()).lines().map(Result::unwrap);
    let mut first_kib = None;
    for look in 1..=looks {
        let point = n_points * look / (looks + 1);
        // The line of a point comes when the one before it has ended.
        lines.find(|line| line.starts_with(&format!("run {point} of {n_points}"))).unwrap();
        let now_kib = resident_kib(run.id());
        let most_kib = *first_kib.get_or_insert(now_kib) + MAX_GROWTH_KIB;
        assert!(now_kib <= most_kib, "{now_kib} KiB at point {point}, at first {first_kib:?}");
        let before = format!("s/seed={}", point - 1);
        for args in [&["verify", &before][..], &["replay", &before, "0/0/0", "--frames", "1..1"]] {
            let read = output(folder.path(), args);
            assert!(read.status.success(), "{args:?}: {}", text(&read.stderr));
        }
    }
    let rest: Vec<_> = lines.collect();
    assert!(run.wait().unwrap().success(), "{}", rest.join("\n"));
    let document = fs::read(folder.path().join("s/sweep.json")).unwrap();
    let document: serde_json::Value = serde_json::from_slice(&document).unwrap();
    let runs = document["runs"].as_array().unwrap();
    assert_eq!(runs.len(), n_points);
    assert_eq!(runs[99]["digest"], reference_digest("pig/smoke", &["games=10", "seed=100"]));
}
