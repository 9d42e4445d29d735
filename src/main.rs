//! `hatchery`: a distributed simulation farm for game research.
//!
//! The binary parses the command line, runs the command and converts its outcome into an exit code.

mod build_info;
mod cli;
mod client;
mod control_socket;
mod environment;
mod error;
mod format;
mod html;
mod inputs;
mod key_input;
mod local;
mod local_run;
mod log;
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

use std::io;
use std::process::ExitCode;

use cli::Cli;
use environment::VariableOptions;
use error::CommandError;
use log::LogOutputs;

/// Prints an error of the arguments, or the help that was asked for. Arguments that a terminal
/// would obey are escaped.
fn print_usage(error: &clap::Error) -> ExitCode {
    if std::env::args_os().any(|it| it.to_string_lossy().chars().any(terminal::is_control)) {
        terminal::print_status(terminal::escape_controls(&error.render().to_string()).trim_end());
        terminal::drain_error_output();
    } else {
        let printed = error.print().or_else(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Ok(()),
            _ => Err(error),
        });
        if let (Err(source), false) = (printed, error.use_stderr()) {
            let error = CommandError::Output(source);
            error.print(&VariableOptions::default());
            terminal::drain_error_output();
            return ExitCode::from(error.exit_code());
        }
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

fn main() -> ExitCode {
    let cli = match Cli::from_process() {
        Ok(Some(cli)) => cli,
        Ok(None) => return ExitCode::SUCCESS,
        Err(error) => return print_usage(&error),
    };
    let log = LogOutputs::install(cli.log_config());
    let variables = cli.variables().clone();
    let code = match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            error.print(&variables);
            ExitCode::from(error.exit_code())
        }
    };
    log.close();
    terminal::drain_error_output();
    code
}
