//! The main function: parses the command line, runs the command and converts its outcome into an
//! exit code.

use std::io;
use std::process::ExitCode;

use hatchery_core::AnyExperiment;

use crate::cli::Cli;
use crate::environment::VariableOptions;
use crate::error::CommandError;
use crate::log::LogOutputs;
use crate::program::{self, CatalogUse};
use crate::terminal;

/// Runs hatchery with the `experiments` of a crate beside the experiments of this repository, on
/// the arguments of the process. Returns the exit code.
///
/// An experiment with a name that another experiment has is an error that names it.
pub fn main(experiments: &[&'static dyn AnyExperiment]) -> ExitCode {
    run(experiments, CatalogUse::Beside)
}

/// Runs hatchery with these `experiments` alone, otherwise as [`main`].
pub fn main_without_catalog(experiments: &[&'static dyn AnyExperiment]) -> ExitCode {
    run(experiments, CatalogUse::Without)
}

fn run(experiments: &[&'static dyn AnyExperiment], catalog: CatalogUse) -> ExitCode {
    let code = match program::install(experiments, catalog) {
        Ok(()) => run_command(),
        Err(error) => print_error(&error.into(), &VariableOptions::default()),
    };
    terminal::drain_error_output();
    code
}

fn run_command() -> ExitCode {
    let cli = match Cli::from_process() {
        Ok(Some(cli)) => cli,
        Ok(None) => return ExitCode::SUCCESS,
        Err(error) => return print_usage(&error),
    };
    let log = LogOutputs::install(cli.log_config());
    let variables = cli.variables().clone();
    let code = match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => print_error(&error, &variables),
    };
    log.close();
    code
}

/// Prints an error of the arguments, or the help that was asked for. Arguments that a terminal
/// would obey are escaped.
fn print_usage(error: &clap::Error) -> ExitCode {
    if std::env::args_os().any(|it| it.to_string_lossy().chars().any(terminal::is_control)) {
        terminal::print_status(terminal::escape_controls(&error.render().to_string()).trim_end());
    } else {
        let printed = error.print().or_else(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Ok(()),
            _ => Err(error),
        });
        if let (Err(source), false) = (printed, error.use_stderr()) {
            return print_error(&CommandError::Output(source), &VariableOptions::default());
        }
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Prints an error whose options came from `variables`, and returns its exit code.
fn print_error(error: &CommandError, variables: &VariableOptions) -> ExitCode {
    error.print(variables);
    ExitCode::from(error.exit_code())
}
