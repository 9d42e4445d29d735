//! Options from environment variables.

use std::process::Output;

use super::terminal::PseudoTerminal;
use super::{hatchery, scratch, text};

/// Verbs whose help names variables.
const VERBS: [&str; 10] = [
    "run",
    "coordinator",
    "worker",
    "submit",
    "list",
    "fetch",
    "token",
    "experiments",
    "top",
    "show",
];

/// Returns the variables in the help of all verbs.
fn variables() -> Vec<String> {
    let folder = scratch();
    let mut variables = vec!["HATCHERY_LOG".to_owned(), "HATCHERY_REDIS".to_owned()];
    for verb in VERBS {
        let args = match verb {
            "token" => vec![verb, "list", "--help"],
            _ => vec![verb, "--help"],
        };
        let help = hatchery(folder.path(), &args).output().unwrap();
        for rest in text(&help.stdout).split("[env: ").skip(1) {
            variables.push(rest.split(['=', ']']).next().unwrap().to_owned());
        }
    }
    variables.sort_unstable();
    variables.dedup();
    assert!(variables.contains(&"HATCHERY_OPEN_TO_EVERYONE".to_owned()), "{variables:?}");
    variables
}

#[test]
fn an_empty_variable_counts_as_unset() {
    let folder = scratch();
    let variables = variables();
    let with_empty = |args: &[&str]| {
        let mut command = hatchery(folder.path(), args);
        command.envs(variables.iter().map(|name| (name, "")));
        command.output().unwrap()
    };
    let code = |output: &Output, code| {
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
    };
    code(&with_empty(&["run", "pig/smoke"]), 0);
    let nobody = ["--coordinator", "http://127.0.0.1:9"];
    for verb in [&["submit", "pig/smoke"][..], &["list"], &["fetch", "last"], &["top"]] {
        code(&with_empty(&[verb, &nobody].concat()), 10);
    }
    code(&with_empty(&["coordinator", "--redis", "redis://127.0.0.1:9/"]), 10);
    let worker = with_empty(&["worker"]);
    code(&worker, 2);
    assert!(text(&worker.stderr).contains("--coordinator <URL>"), "{}", text(&worker.stderr));
    // The help still says which variables there are.
    let help = with_empty(&["worker", "--help"]);
    assert!(text(&help.stdout).contains("[env: HATCHERY_SLOTS="), "{}", text(&help.stdout));
}

#[test]
fn errors_name_the_variable_that_a_value_came_from() {
    let folder = scratch();
    for (args, name, value, expected) in [
        (&["run", "pig/smoke"][..], "HATCHERY_THREADS", "0", "'0' for 'HATCHERY_THREADS'"),
        (&["run", "pig/smoke"], "HATCHERY_OUTPUT", "xml", "'xml' for 'HATCHERY_OUTPUT'"),
        (&["worker"], "HATCHERY_SLOTS", "many", "'many' for 'HATCHERY_SLOTS'"),
        (&["coordinator"], "HATCHERY_LISTEN", "x", "'x' for 'HATCHERY_LISTEN'"),
        (&["coordinator"], "HATCHERY_OPEN_TO_EVERYONE", "x", "'x' for 'HATCHERY_OPEN_TO_EVERYONE'"),
        (&["coordinator", "--store", "s"], "HATCHERY_LISTEN", "0.0.0.0:1", "HATCHERY_LISTEN 0.0"),
        (&["coordinator", "--store", "s"], "HATCHERY_METRICS", "0.0.0.0:1", "HATCHERY_METRICS is"),
        (&["coordinator", "--store", "s"], "HATCHERY_PARTS", "here", "HATCHERY_PARTS"),
        (&["coordinator"], "HATCHERY_TLS_CERT", "c.pem", "variables are set: HATCHERY_TLS_CERT"),
        (&["list"], "HATCHERY_LOG_FORMAT", "x", "'x' for 'HATCHERY_LOG_FORMAT'"),
    ] {
        let output = hatchery(folder.path(), args).env(name, value).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains(expected), "{name}: {said}");
    }
    // A flag that is given is called by its name.
    let mut command = hatchery(folder.path(), &["run", "pig/smoke", "--threads=0"]);
    let said = text(&command.env("HATCHERY_THREADS", "1").output().unwrap().stderr);
    assert!(said.contains("'0' for '--threads <N>'"), "{said}");
}

#[test]
fn a_wrong_filter_of_the_log_is_named() {
    let folder = scratch();
    let said = |filter: &str| {
        let mut command = hatchery(folder.path(), &["experiments"]);
        let output = command.env("HATCHERY_LOG", filter).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stderr)
    };
    for filter in ["info,hatchery_coordinator=debgu", "hatchery_coordinator=debgu,info"] {
        assert_eq!(
            said(filter),
            "warning: HATCHERY_LOG is not used: \"hatchery_coordinator=debgu\" is not like info \
             or hatchery_worker=debug\n"
        );
    }
    assert_eq!(said("info,hatchery_coordinator=debug"), "");
}

#[test]
fn a_terminal_that_renews_no_line_gets_lines() {
    let folder = scratch();
    for kind in ["dumb", ""] {
        let mut command = hatchery(folder.path(), &["run", "pig/smoke"]);
        command.env("TERM", kind);
        let mut terminal = PseudoTerminal::start(&command, (80, 24));
        let said = terminal.last_words();
        assert!(said.contains("generation 0/2 · "), "{kind}: {said}");
        // Its only control characters are the ends of lines.
        assert!(!said.replace("\r\n", "").contains(char::is_control), "{kind}: {said:?}");
        assert_eq!(terminal.end(), Some(0), "{kind}: {said}");
    }
}
