//! A clock before 1970.

use std::process::Command;

use crate::unlocked::build_shim;
use crate::{hatchery, result, scratch, text};

/// A clock that is 2,000,000,000 s behind, in the year 1963 or so.
const SHIM: &str = r#"
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *time) {
    long result = syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec -= 2000000000;
    return (int)result;
}
"#;

#[test]
fn a_clock_before_1970_is_refused_by_what_needs_dates() {
    let tools = scratch();
    let shim = build_shim(tools.path(), SHIM);
    let scratch = scratch();
    let folder = scratch.path();
    result(folder, &["run", "pig/smoke", "--out", "runs/there", "--output", "json"]);
    let early = |args: &[&str]| -> Command {
        let mut command = hatchery(folder, args);
        command.env("LD_PRELOAD", &shim);
        command
    };
    for args in [
        &["run", "pig/smoke", "--out", "new"][..],
        &["coordinator", "--listen", "127.0.0.1:0", "--store", "new"],
        &["worker", "--coordinator", "http://127.0.0.1:9"],
        &["submit", "pig/smoke", "--coordinator", "https://127.0.0.1:9"],
        &["pki", "init", "new", "--host", "farm.example"],
    ] {
        let output = early(args).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {said}");
        assert!(said.contains("the clock of this machine is before 1970"), "{args:?}: {said}");
        assert!(!folder.join("new").exists(), "{args:?}");
    }
    for args in [
        &["list"][..],
        &["show", "there"],
        &["verify", "there"],
        &["replay", "there", "0/0/0"],
        &["report", "there"],
        &["fetch", "there", "--out", "copy"],
    ] {
        let output = early(args).output().unwrap();
        let said = text(&output.stderr);
        assert!(output.status.success() && !said.contains("panicked"), "{args:?}: {said}");
    }
}
