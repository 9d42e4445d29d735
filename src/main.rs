//! `hatchery`: a distributed simulation farm for game research.
//!
//! This binary parses the command line, starts what it asks for and turns the outcome into an exit
//! code; everything else is in the libraries.

mod access;
mod cli;
mod client;
mod environment;
mod failure;
mod folder;
mod format;
mod local;
mod log;
mod observe;
mod pki;
mod progress;
mod recompute;
mod report;
mod server;
mod signals;
mod source;
mod terminal;
mod tls;
#[cfg(feature = "otel")]
mod traces;

use std::process::ExitCode;

use clap::Parser;

use cli::Cli;
use log::Log;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let log = Log::begin(cli.log_config());
    let code = match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.exit_code())
        }
    };
    log.end();
    code
}
