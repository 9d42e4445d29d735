//! Runs own games: WebAssembly modules that come as inputs of a run.
//!
//! The digest of a run holds for such a game by construction. A module sees its subject, its
//! parameters and its stream of random numbers, and nothing else: no clock, no file, no thread.
//! Each trial has an instance of its own. WebAssembly leaves the bits of a NaN and the depth of
//! calls open; one rewriting of the module (`rewrite.rs`) closes both.
//!
//! Two engines run the rewritten modules, with the same results and the same failures to the
//! letter: wasmi interprets modules, and wasmtime (feature `jit`) compiles modules. Nothing that is
//! kept depends on the choice of [`WasmRunner::new`].
//!
//! ```text
//!   bytes -> inspect -> rewrite -> engine: compile -> cache, by hash and cap of memory
//!            ModuleError
//!   trial -> instance -> start -> alloc, begin(parameters) -> alloc, trial(subject) -> measures
//!            GameFailure
//! ```
//!
//! # Interface of a module (ABI 1)
//!
//! | import from `hatchery` | |
//! |---|---|
//! | `random() -> i64` | the next 64 bits of the trial's stream |
//! | `measure(id: i32, value: i64)` | records a value of a measure, at most 4,096 in a trial |
//! | `beat(done: i64, of: i64) -> i32` | reports progress; after 1 the result is dropped: return |
//! | `frame(address: i32, length: i32)` | shows a text in UTF-8, if the trial is a replay |
//!
//! | export | |
//! |---|---|
//! | `hatchery_about() -> i64` | address << 32, or length, of JSON ([`GameAbout`]) |
//! | `hatchery_alloc(length: i32) -> i32` | room for bytes that the host writes |
//! | `hatchery_begin(address, length: i32)` | takes the parameters; optional |
//! | `hatchery_trial(address, length: i32) -> i32` | simulates a subject; not 0: refuses it |
//! | `hatchery_replay(address, length: i32) -> i32` | the same with frames; optional |
//!
//! The host calls `hatchery_alloc` once for the parameters and once for the subject of an instance.
//! Only trials may draw and measure. A module has one memory, and needs no other export.
//!
//! [`GameAbout`]: hatchery_core::GameAbout

mod cache;
mod engine;
mod error;
mod guest;
mod inspect;
mod interface;
mod limits;
mod module_runner;
mod rewrite;
mod state;
mod wasm_runner;

pub use error::ModuleError;
pub use inspect::check_module;
pub use interface::{Export, Import, Signature};
pub use limits::MAX_MODULE_BYTES;
pub use wasm_runner::{EngineKind, WasmRunner};
