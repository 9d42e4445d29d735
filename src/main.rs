//! `hatchery`: a distributed simulation farm for game research.
//!
//! The binary parses the command line, runs the command and converts its outcome into an exit code.

mod access;
mod admin;
mod cli;
mod client;
mod environment;
mod error;
mod format;
mod local;
mod log;
mod pki;
mod progress;
mod recompute;
mod reload;
mod report;
mod run_folder;
mod run_source;
mod server;
mod signals;
mod terminal;
mod tls;
#[cfg(feature = "otel")]
mod traces;

use std::process::ExitCode;

use clap::Parser;

use cli::Cli;
use log::LogOutputs;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let log = LogOutputs::install(cli.log_config());
    let code = match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            error.print();
            ExitCode::from(error.exit_code())
        }
    };
    log.close();
    code
}
