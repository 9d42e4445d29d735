//! The farm as its users run it: real processes, a real Redis, real kills. Each test is a fault of
//! the failure-mode table in docs/FAILURES.md; every test ends with the digest of the plain
//! reference run, and with every invariant of the store intact.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

#[path = "farm/chaos.rs"]
mod chaos;
#[path = "farm/client.rs"]
mod client;
#[cfg(feature = "otel")]
#[path = "farm/collector.rs"]
mod collector;
#[path = "farm/guarded.rs"]
mod guarded;
#[path = "farm/harness.rs"]
mod harness;
#[path = "farm/history.rs"]
mod history;
#[path = "farm/process.rs"]
mod process;
#[path = "farm/proxy.rs"]
mod proxy;
#[path = "golden/references.rs"]
mod references;
#[path = "first_run/terminal.rs"]
mod terminal;

#[path = "farm/coordinators.rs"]
mod coordinators;
#[path = "farm/hostile.rs"]
mod hostile;
#[path = "farm/hostile_parts.rs"]
mod hostile_parts;
#[path = "farm/inputs.rs"]
mod inputs;
#[path = "farm/learning.rs"]
mod learning;
#[path = "farm/long.rs"]
mod long;
#[path = "farm/metrics.rs"]
mod metrics;
#[path = "farm/network.rs"]
mod network;
#[path = "farm/operators.rs"]
mod operators;
#[path = "farm/overload.rs"]
mod overload;
#[path = "farm/parts.rs"]
mod parts;
#[path = "farm/progress.rs"]
mod progress;
#[path = "farm/redis.rs"]
mod redis;
#[path = "farm/self_tests.rs"]
mod self_tests;
#[path = "farm/sharing.rs"]
mod sharing;
#[path = "farm/slow_lines.rs"]
mod slow_lines;
#[path = "farm/sweeps.rs"]
mod sweeps;
#[path = "farm/tls.rs"]
mod tls;
#[path = "farm/tokens.rs"]
mod tokens;
#[path = "farm/top.rs"]
mod top;
#[cfg(feature = "otel")]
#[path = "farm/traces.rs"]
mod traces;
#[path = "farm/unread.rs"]
mod unread;
#[path = "farm/verbs.rs"]
mod verbs;
#[path = "farm/workers.rs"]
mod workers;
