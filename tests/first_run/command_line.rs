//! The command line as a whole: help, corrections, completions and man pages.

use std::process::{Command, Stdio};

use super::{output, scratch, text};

#[test]
fn the_help_groups_verbs_by_use() {
    let folder = scratch();
    for args in [&["help"][..], &["--help"], &["-h"]] {
        let help = text(&output(folder.path(), args).stdout);
        let positions = [
            "Runs, here or on a farm:",
            "\n  run ",
            "A farm's runs:",
            "\n  submit ",
            "Workers:",
            "\n  worker ",
            "Operators:",
            "\n  pki ",
            "Options:",
            "--log-format",
        ]
        .map(|part| help.find(part).unwrap_or_else(|| panic!("{part} in {help}")));
        assert!(positions.is_sorted(), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    }
}

#[test]
fn a_verb_with_a_typing_error_is_asked_back() {
    let folder = scratch();
    for (typed, meant) in
        [("sumbit", "submit"), ("replya", "replay"), ("statsu", "status"), ("attahc", "attach")]
    {
        let said = text(&output(folder.path(), &[typed]).stderr);
        assert!(said.contains(&format!("'{meant}'")), "{typed}: {said}");
    }
}

/// The completions of bash for the last of `words`, in a folder with a run.
fn offered_by_bash(folder: &std::path::Path, words: &[&str]) -> Vec<String> {
    let script = r#"
        source <(hatchery completions bash)
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_TYPE=9
        _clap_complete_hatchery hatchery "${@: -1}" "${@: -2:1}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_hatchery"));
    let mut path = binary.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", script, "bash"]).args(words).env("PATH", path);
    let output = bash.current_dir(folder).stdin(Stdio::null()).output().unwrap();
    text(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_verbs_presets_and_runs() {
    let folder = scratch();
    assert!(output(folder.path(), &["run", "pig/smoke"]).status.success());
    let [run] = &std::fs::read_dir(folder.path().join("runs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect::<Vec<_>>()[..]
    else {
        panic!("one run")
    };
    let offered = |words: &[&str]| offered_by_bash(folder.path(), words);
    assert_eq!(offered(&["hatchery", "repl"]), ["replay"]);
    assert_eq!(offered(&["hatchery", "run", "pig/"]), ["pig/quick", "pig/smoke"]);
    let runs = offered(&["hatchery", "verify", "pig"]);
    assert_eq!(runs, [run.as_str()]);
    assert!(offered(&["hatchery", "replay", ""]).contains(&"last".to_owned()));
}

#[test]
fn each_verb_has_a_man_page() {
    let folder = scratch();
    let written = output(folder.path(), &["man", "new/man1"]);
    assert!(written.status.success(), "{}", text(&written.stderr));
    for page in ["hatchery", "hatchery-run", "hatchery-submit", "hatchery-pki-init"] {
        let path = folder.path().join(format!("new/man1/{page}.1"));
        let page = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(page.contains(".TH ") && page.contains("SYNOPSIS"), "{}", path.display());
    }
    let output = output(folder.path(), &["man", "/proc/nosuch"]);
    assert!(!output.status.success() && text(&output.stderr).contains("/proc/nosuch"));
}
