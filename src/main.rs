//! `hatchery`: a distributed simulation farm for game research.
//!
//! This binary parses the command line, starts what it asks for and turns the outcome into an exit
//! code; everything else is in the libraries.

mod access;
mod cli;
mod client;
mod failure;
mod folder;
mod local;
mod observe;
mod pki;
mod progress;
mod recompute;
mod report;
mod server;
mod signals;
mod source;
mod tls;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, LogFormat};

fn main() -> ExitCode {
    let cli = Cli::parse();
    log(&cli);
    match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Has logs written to standard error from now on.
fn log(cli: &Cli) {
    let filter = tracing_subscriber::EnvFilter::try_from_env("HATCHERY_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(cli.log_level()));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match cli.log_format() {
        LogFormat::Human => logs.init(),
        LogFormat::Json => logs.json().flatten_event(true).init(),
    }
}
