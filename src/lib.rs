//! `hatchery`: a distributed simulation farm for game research, as a program and as a library.
//!
//! A crate of your own adds experiments to the program and gets everything else: the command line,
//! runs on one machine, coordinators and workers. [`main`] is its whole main function:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use hatchery_core::AnyExperiment;
//!
//! /// `[erased::<Checkers>()]`, in a crate with the experiment `Checkers`.
//! const EXPERIMENTS: [&dyn AnyExperiment; 0] = [];
//!
//! fn main() -> ExitCode {
//!     hatchery::main(&EXPERIMENTS)
//! }
//! ```
//!
//! `docs/ADDING_A_GAME.md` shows how to write the experiment. All processes of a farm are the same
//! program: workers compute the experiments that they have, and the coordinator has to have them
//! too.

mod build_info;
mod cli;
mod client;
mod control_socket;
mod entry;
mod environment;
mod error;
mod format;
mod game;
mod html;
mod inputs;
mod key_input;
mod local;
mod local_run;
mod log;
mod program;
mod progress;
mod recompute;
mod replay;
mod report;
mod run_folder;
mod run_source;
mod scene_player;
mod selector;
mod signals;
mod spec_files;
mod sweep;
mod terminal;
#[cfg(feature = "otel")]
mod traces;

pub use entry::{main, main_without_catalog};
