//! The jobs that every system runs, in Rust. `README.md` says what each is for.

use rustix::time::{ClockId, clock_gettime};

/// What a kind of job burns, in nanoseconds of CPU time of its thread.
fn burn_ns(kind: &str) -> u64 {
    match kind {
        "burn" => 1_000_000,
        "hold" => 200_000_000,
        _ => 0,
    }
}

/// What a clock says, in nanoseconds.
pub fn now_ns(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    u64::try_from(time.tv_sec * 1_000_000_000 + time.tv_nsec).expect("these clocks start at 0")
}

/// Runs one job. Returns when it started (`start`), which process ran it (`hold`), or what it
/// burnt.
pub fn work(kind: &str) -> u64 {
    if kind == "start" {
        return now_ns(ClockId::Monotonic);
    }
    let burn = burn_ns(kind);
    let began = now_ns(ClockId::ThreadCPUTime);
    let mut burnt = 0;
    while burnt < burn {
        burnt = now_ns(ClockId::ThreadCPUTime) - began;
    }
    if kind == "hold" { std::process::id().into() } else { burnt }
}
