//! Tells the program the commit that it is built from.
//!
//! `HATCHERY_COMMIT` names it, for builds without the repository; otherwise git does, if the
//! sources are a checkout of their own. The same sources at the same commit give the same program,
//! and a build without git one that knows no commit.

use std::path::Path;
use std::process::Command;

/// The variable that names the commit, for this script and for the program.
const VARIABLE: &str = "HATCHERY_COMMIT";

fn main() {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    println!("cargo::rerun-if-changed=build.rs");
    let given = std::env::var(VARIABLE).ok().filter(|commit| !commit.is_empty());
    if let Some(commit) = given.or_else(checked_out) {
        println!("cargo::rustc-env={VARIABLE}={commit}");
    }
}

/// Returns the commit that is checked out here; `None` if these sources are no checkout.
fn checked_out() -> Option<String> {
    let sources = std::env::var("CARGO_MANIFEST_DIR").ok()?;
    // Sources below the checkout of another project are not of its commit.
    if Path::new(&git(&["rev-parse", "--show-toplevel"])?) != Path::new(&sources) {
        return None;
    }
    // A commit or a checkout of another one appends a line to it. Without it, cargo asks each time.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    println!("cargo::rerun-if-changed={log}");
    git(&["rev-parse", "HEAD"])
}

/// Returns what git prints; `None` if there is no git, or it refuses.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
