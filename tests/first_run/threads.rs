//! Processes to which the system gives few threads.

use std::process::{Command, Output};

use super::{hatchery, scratch, text};

/// Runs the program as a user who may have `most` threads: as `user` if this is root, whom no limit
/// binds. The system counts the threads of each user, so each test has a user of its own. The
/// program is opened before, as the user may not see its folder.
fn with_threads(user: u32, most: u32, args: &[&str]) -> Output {
    let folder = scratch();
    let is_root = rustix::process::getuid().is_root();
    let become_user = match is_root {
        true => format!("setpriv --reuid {user} --clear-groups"),
        false => String::new(),
    };
    if is_root {
        std::os::unix::fs::chown(folder.path(), Some(user), None).unwrap();
    }
    let script = format!(
        "exec 3< \"$0\" && exec {become_user} prlimit --nproc={most} /proc/self/fd/3 \"$@\""
    );
    let program = hatchery(folder.path(), args);
    let mut command = Command::new("sh");
    command.current_dir(folder.path()).arg("-c").arg(script);
    command.arg(program.get_program()).args(args).env_remove("HATCHERY_LOG");
    command.output().unwrap()
}

#[test]
fn too_few_threads_are_an_error() {
    for args in [
        &["run", "pig/smoke"][..],
        &["worker", "--coordinator", "http://127.0.0.1:9"],
        &["coordinator", "--listen", "127.0.0.1:0", "--store", "store.redb"],
        &["list", "--coordinator", "http://127.0.0.1:9"],
        &["replay", "pig/smoke", "0/0/0"],
    ] {
        // With one thread, nobody but the main thread can write the error.
        for most in [1, 3] {
            let output = with_threads(54_321, most, args);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{args:?}: {said}");
            assert!(said.contains("more threads, and at least"), "{args:?}: {said}");
        }
    }
}

#[test]
fn fewer_trials_run_at_the_same_time_where_threads_are_refused() {
    // Anybody else may have any number of threads by now.
    if !rustix::process::getuid().is_root() {
        return;
    }
    let output = with_threads(54_322, 24, &["run", "pig/smoke", "--threads", "200"]);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("trials are to run at the same time on"), "{said}");
    assert!(said.contains("trials run at the same time instead of 200"), "{said}");
}
