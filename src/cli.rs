//! The command line: one file per verb.

mod completions;
mod coordinator;
mod dead;
mod delete;
mod download;
mod elo;
mod experiments;
mod explain;
mod farm_args;
mod fetch;
mod follow;
mod game;
mod help_groups;
mod hints;
mod input_args;
mod list;
mod loaded_spec;
mod man;
mod match_args;
mod metrics;
mod open;
mod output;
mod pki;
mod plot;
mod replay;
mod report;
mod run;
mod runtime;
mod security;
mod show;
mod spec;
mod spec_args;
mod sprt;
mod stall_args;
mod steer;
mod store;
mod submission;
mod submit;
mod sweep_results;
mod sweep_specs;
mod threads;
mod token;
mod top;
mod variables;
mod verify;
mod wait;
mod watch;
mod worker;
mod workers;

use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::environment::{VariableOptions, is_before_1970};
use crate::error::CommandError;
use crate::log::{LogConfig, LogFormat};
use crate::program;

/// What `--version` prints after the name of a program that is not hatchery itself.
const HATCHERY_VERSION: &str = concat!("(hatchery ", env!("CARGO_PKG_VERSION"), ")");

/// A distributed simulation farm for game research.
///
/// Exit codes: 0 success, 2 wrong usage, 3 the run failed, 5 the run was cancelled, 10 no
/// coordinator answers or can use its store, 11 a token is missing or not sufficient, 12 another
/// version, 13 invalid spec, 14 a verification failed, 130 interrupted.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    verb: CliCommand,
    /// Log format on stderr
    #[arg(long, global = true, value_enum, default_value = "human", env = "HATCHERY_LOG_FORMAT")]
    log_format: LogFormat,
    #[arg(skip)]
    variables: VariableOptions,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    Run(run::RunCommand),
    Coordinator(coordinator::CoordinatorCommand),
    Worker(worker::WorkerCommand),
    Submit(submit::SubmitCommand),
    #[command(alias = "ls")]
    List(list::ListCommand),
    #[command(alias = "status")]
    Show(show::ShowCommand),
    Explain(explain::ExplainCommand),
    Top(top::TopCommand),
    #[command(alias = "attach")]
    Watch(watch::WatchCommand),
    Wait(wait::WaitCommand),
    Pause(steer::PauseCommand),
    Resume(steer::ResumeCommand),
    #[command(alias = "stop")]
    Cancel(steer::CancelCommand),
    Delete(delete::DeleteCommand),
    Fetch(fetch::FetchCommand),
    #[command(subcommand)]
    Dead(dead::DeadCommand),
    Workers(workers::WorkersCommand),
    Drain(workers::DrainCommand),
    Quarantine(workers::QuarantineCommand),
    Verify(verify::VerifyCommand),
    Replay(replay::ReplayCommand),
    Plot(plot::PlotCommand),
    Report(report::ReportCommand),
    Open(open::OpenCommand),
    #[command(subcommand)]
    Token(token::TokenCommand),
    #[command(subcommand)]
    Pki(pki::PkiCommand),
    Experiments(experiments::ExperimentsCommand),
    Spec(spec::SpecCommand),
    #[command(subcommand)]
    Game(game::GameCommand),
    Elo(elo::EloCommand),
    Sprt(sprt::SprtCommand),
    Completions(completions::CompletionsCommand),
    Man(man::ManCommand),
}

impl Cli {
    /// Returns the command line with its help by groups and what shells complete.
    fn whole_command() -> Command {
        let command = completions::with_candidates(help_groups::grouped(Self::command()));
        match program::has_own_experiments() {
            true => command.name(program::name()).version(HATCHERY_VERSION),
            false => command,
        }
    }

    /// Parses the arguments of the process. Returns `None` if they came from a shell's completion
    /// script, which is answered.
    ///
    /// # Errors
    ///
    /// Fails if the arguments are wrong, or ask for help.
    pub(crate) fn from_process() -> Result<Option<Self>, clap::Error> {
        if completions::answer(Self::whole_command)? {
            return Ok(None);
        }
        let arguments: Vec<_> = std::env::args_os().collect();
        let (matches, variables) = variables::parse(Self::whole_command(), &arguments)?;
        Ok(Some(Self { variables, ..Self::from_arg_matches(&matches)? }))
    }

    /// Returns the options that came from environment variables.
    pub(crate) fn variables(&self) -> &VariableOptions {
        &self.variables
    }

    /// Returns the log filter of the process: a long-running process logs its progress.
    pub(crate) fn log_config(&self) -> LogConfig {
        LogConfig {
            format: self.log_format,
            level: match self.verb {
                CliCommand::Coordinator(_) | CliCommand::Worker(_) => "info",
                _ => "error",
            },
            #[cfg(feature = "otel")]
            role: match self.verb {
                CliCommand::Run(_) => Some("run"),
                CliCommand::Coordinator(_) => Some("coordinator"),
                CliCommand::Worker(_) => Some("worker"),
                _ => None,
            },
        }
    }

    /// Runs the command.
    pub(crate) fn run(self) -> Result<(), CommandError> {
        self.check_clock()?;
        match self.verb {
            CliCommand::Run(run) => run.run(),
            CliCommand::Coordinator(coordinator) => coordinator.run(),
            CliCommand::Worker(worker) => worker.run(),
            CliCommand::Submit(submit) => submit.run(),
            CliCommand::List(list) => list.run(),
            CliCommand::Show(show) => show.run(),
            CliCommand::Explain(explain) => explain.run(),
            CliCommand::Top(top) => top.run(),
            CliCommand::Watch(watch) => watch.run(),
            CliCommand::Wait(wait) => wait.run(),
            CliCommand::Pause(pause) => pause.run(),
            CliCommand::Resume(resume) => resume.run(),
            CliCommand::Cancel(cancel) => cancel.run(),
            CliCommand::Delete(delete) => delete.run(),
            CliCommand::Fetch(fetch) => fetch.run(),
            CliCommand::Dead(dead) => dead.run(),
            CliCommand::Workers(workers) => workers.run(),
            CliCommand::Drain(drain) => drain.run(),
            CliCommand::Quarantine(quarantine) => quarantine.run(),
            CliCommand::Verify(verify) => verify.run(),
            CliCommand::Replay(replay) => replay.run(),
            CliCommand::Plot(plot) => plot.run(),
            CliCommand::Report(report) => report.run(),
            CliCommand::Open(open) => open.run(),
            CliCommand::Token(token) => token.run(),
            CliCommand::Pki(pki) => pki.run(),
            CliCommand::Experiments(experiments) => experiments.run(),
            CliCommand::Spec(spec) => spec.run(),
            CliCommand::Game(game) => game.run(),
            CliCommand::Elo(elo) => elo.run(),
            CliCommand::Sprt(sprt) => sprt.run(),
            CliCommand::Completions(completions) => completions.run(),
            CliCommand::Man(man) => man.run(Self::whole_command()),
        }
    }

    /// Checks that a command that serves or certifies can use the clock. A command that connects
    /// to a farm checks it there.
    fn check_clock(&self) -> Result<(), CommandError> {
        use CliCommand::{Coordinator, Pki, Run, Worker};
        match &self.verb {
            Run(_) | Coordinator(_) | Worker(_) | Pki(_) if is_before_1970() => {
                Err(CommandError::ClockBefore1970)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_verb_is_in_one_group_of_the_help() {
        let command = Cli::whole_command();
        let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
        let mut verbs: Vec<_> = verbs.map(Command::get_name).collect();
        let in_groups = help_groups::GROUPS.iter().flat_map(|(_, verbs)| *verbs);
        let mut in_groups: Vec<_> = in_groups.copied().collect();
        verbs.sort_unstable();
        in_groups.sort_unstable();
        assert_eq!(in_groups, verbs);
        for verb in command.get_subcommands() {
            let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
            // The help is a template, in which braces are tags.
            assert!(!about.is_empty() && !about.contains(['{', '\n']), "{}", verb.get_name());
        }
    }
}
