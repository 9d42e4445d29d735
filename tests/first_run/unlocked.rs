//! File systems without locks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::{hatchery, result, scratch, text};

/// Calls that lock files, as on a file system without locks: each fails with `NO_LOCKS`.
const SHIM: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
static int refuse(void) { errno = atoi(getenv("NO_LOCKS")); return -1; }
int flock(int fd, int operation) { return refuse(); }
long syscall(long number, ...) {
    static long (*next)(long, ...);
    long a[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++) a[i] = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_fcntl && F_OFD_GETLK <= a[1] && a[1] <= F_OFD_SETLKW) return refuse();
    if (!next) next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
"#;

/// The errors of Linux for locks: ENOLCK, ENOSYS and EOPNOTSUPP.
const ERRORS: [&str; 3] = ["37", "38", "95"];

/// Builds a library that replaces functions of the system, by the compiler that links this test.
pub(crate) fn build_shim(folder: &Path, code: &str) -> PathBuf {
    let (source, library) = (folder.join("shim.c"), folder.join("shim.so"));
    fs::write(&source, code).unwrap();
    let mut build = Command::new("cc");
    let built = build.args(["-shared", "-fPIC", "-o"]).args([&library, &source]).output().unwrap();
    assert!(built.status.success(), "{}", text(&built.stderr));
    library
}

#[test]
fn a_file_system_without_locks_is_named_and_nothing_is_left() {
    let tools = scratch();
    let shim = build_shim(tools.path(), SHIM);
    let scratch = scratch();
    let folder = scratch.path();
    result(folder, &["run", "pig/smoke", "--out", "there", "--output", "json"]);
    let there = || -> Vec<_> {
        let entries =
            fs::read_dir(folder).unwrap().chain(fs::read_dir(folder.join("there")).unwrap());
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let before = there();
    let unlocked = |args: &[&str], error: &str| -> Output {
        hatchery(folder, args).env("LD_PRELOAD", &shim).env("NO_LOCKS", error).output().unwrap()
    };
    for error in ERRORS {
        for args in [
            &["run", "pig/smoke"][..],
            &["run", "pig/smoke", "--out", "new/run"],
            &["run", "pig/smoke", "--out", "there", "--resume"],
            &["verify", "there"],
            &["coordinator", "--listen", "127.0.0.1:0", "--store", "farm.redb"],
        ] {
            let output = unlocked(args, error);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{args:?}: {said}");
            for part in ["cannot lock files (", "use a folder on a local disk"] {
                assert!(said.contains(part), "{args:?}: no {part:?} in {said}");
            }
            assert_eq!(there(), before, "{args:?}");
        }
    }
}
