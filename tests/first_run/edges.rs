//! Where a run's surroundings end: memory, standard output, folders, flags and variables.

use crate::{hatchery, output, result, scratch, text};

#[test]
fn a_generation_that_fits_no_memory_is_refused_before_it_is_made() {
    let folder = scratch();
    let open = |replicates: u32, population: u32| {
        let replicates = format!("replicates={replicates}");
        let population = format!("population={population}");
        let args = ["spec", "tetris-evolve/smoke", "--set", "hidden=5"];
        output(folder.path(), &[&args[..], &["--set", &replicates, "--set", &population]].concat())
    };
    assert!(open(1000, 78).status.success());
    for (replicates, population) in [(1000, 79), (300, 10_000), (1000, 10_000)] {
        let refused = open(replicates, population);
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(13), "{said}");
        assert!(
            said.contains(&format!("population is {population}, but must be at most")),
            "{said}"
        );
    }
}

#[test]
fn a_full_disk_behind_standard_output_is_no_success() {
    let folder = scratch();
    result(folder.path(), &["run", "pig/smoke", "--out", "run", "--output", "json"]);
    for args in [
        &["--help"][..],
        &["run", "--help"],
        &["--version"],
        &["spec", "pig/quick"],
        &["experiments"],
        &["completions", "bash"],
        &["run", "pig/smoke", "--out", "other"],
        &["replay", "run", "0/0/0"],
        &["replay", "run", "0/0/0", "--output", "json"],
        &["verify", "run"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = hatchery(folder.path(), args).stdout(full).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {said}");
        assert!(said.contains("cannot write to standard output"), "{args:?}: {said}");
        assert!(said.contains("No space left on device"), "{args:?}: {said}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let args: Vec<_> = args.iter().map(|&a| if a == "other" { "third" } else { a }).collect();
        let output = hatchery(folder.path(), &args).stdout(writer).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_folder_means_its_run_even_where_a_farm_is_set() {
    let folder = scratch();
    result(folder.path(), &["run", "pig/smoke", "--out", "runs/mine", "--output", "json"]);
    let nobody = |args: &[&str]| {
        let mut command = hatchery(folder.path(), args);
        command.env("HATCHERY_COORDINATOR", "http://127.0.0.1:9").output().unwrap()
    };
    for run in ["runs/mine", "mine"] {
        let output = nobody(&["replay", run, "0/0/0", "--frames", "1..1"]);
        assert!(output.status.success(), "{run}: {}", text(&output.stderr));
    }
    assert_eq!(nobody(&["replay", "last", "0/0/0"]).status.code(), Some(10));
}

#[test]
fn a_fetched_folder_says_that_its_store_is_the_farms() {
    let folder = scratch();
    result(folder.path(), &["run", "pig/smoke", "--out", "fetched", "--output", "json"]);
    std::fs::remove_file(folder.path().join("fetched/run.redb")).unwrap();
    for args in [&["replay", "fetched", "0/0/0"][..], &["verify", "fetched"]] {
        let output = output(folder.path(), args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("fetched was written by `fetch` and has no store"), "{said}");
    }
}

#[test]
fn flags_beat_variables_and_mistakes_are_wrong_usage() {
    let folder = scratch();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let nobody = "http://127.0.0.1:9";
    let long = "n".repeat(129);
    let submit = |more: &[&str]| {
        let args = [&["submit", "pig/smoke", "--coordinator", nobody], more].concat();
        hatchery(folder.path(), &args).env("HATCHERY_OUT", "out").output().unwrap()
    };
    // The variable is of no use without --wait, and does no harm.
    assert_eq!(submit(&[]).status.code(), Some(10));
    for more in [
        ["--out", "out"],
        ["--name", "last"],
        ["--name", &long],
        ["--idempotency-key", ""],
        ["--stall-timeout", "1ms"],
    ] {
        assert_eq!(submit(&more).status.code(), Some(2), "{more:?}");
    }
    let coordinator = |args: &[&str]| {
        let mut command = hatchery(folder.path(), &[&["coordinator"], args].concat());
        command.env("HATCHERY_REDIS", "foo").output().unwrap()
    };
    let said = text(&coordinator(&["--store", "file/below"]).stderr);
    assert!(said.contains("file/below"), "the flag beats the variable: {said}");
    for args in [&[][..], &["--redis", "redis://host:port"], &["--redis", "bar", "--store", "s"]] {
        assert_eq!(coordinator(args).status.code(), Some(2), "{args:?}");
    }
    let output = output(folder.path(), &["run", "pig/smoke", "--stall-timeout", "1ms"]);
    assert_eq!(output.status.code(), Some(2));
    let output = super::output(folder.path(), &["run", "pig/smoke", "--out", "file"]);
    assert_eq!(output.status.code(), Some(2));

    let unreachable = coordinator(&["--redis", "redis://127.0.0.1:9/"]);
    let said = text(&unreachable.stderr);
    assert_eq!(unreachable.status.code(), Some(10), "{said}");
    assert!(said.contains("--wait-for-store") && !said.contains("acknowledged"), "{said}");
    for missing in ["pig/smoek", "missing.toml"] {
        let output = super::output(folder.path(), &["run", missing]);
        assert_eq!(output.status.code(), Some(2), "{missing}: {}", text(&output.stderr));
    }
    assert!(text(&output.stderr).contains("file is a file, not a folder"));
}

#[test]
fn what_a_spec_says_does_not_reach_the_terminal_as_it_is() {
    let folder = scratch();
    let spec = "experiment = \"pig\"\nseed = 1\n[params]\n\"\\u001b]0;x\\u0007g\" = 1\n";
    std::fs::write(folder.path().join("evil.toml"), spec).unwrap();
    let refused = output(folder.path(), &["run", "evil.toml"]);
    assert_eq!(refused.status.code(), Some(13));
    let said = text(&refused.stderr);
    assert!(!said.contains(|c: char| c.is_control() && c != '\n'), "{said:?}");
    assert!(said.contains("there is no \\u{1b}]0;x\\u{7}g"), "{said}");
}

/// A device without end is read no further than a spec can be.
#[test]
fn a_spec_without_end_is_refused() {
    let folder = scratch();
    let output = output(folder.path(), &["run", "/dev/zero"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(13), "{said}");
    assert!(said.contains("/dev/zero: longer than 1048576 bytes"), "{said}");
}

/// A run of many generations is verified where its states are kept, and the command prints how much
/// is left out.
#[test]
fn a_long_run_is_verified_where_its_states_are_kept() {
    let folder = scratch();
    let run = ["run", "burn/smoke", "--set", "generations=14", "--out", "run"];
    assert!(output(folder.path(), &run).status.success());
    let verified = output(folder.path(), &["verify", "run", "--sample", "100%"]);
    let said = text(&verified.stdout);
    assert!(verified.status.success(), "{}", text(&verified.stderr));
    assert!(said.contains("all results are the same here"), "{said}");
    assert!(said.contains("other jobs are of generations whose states are not kept"), "{said}");
}
