//! The command line: one file per verb.

mod completions;
mod coordinator;
mod dead;
mod delete;
mod experiments;
mod explain;
mod farm_args;
mod fetch;
mod follow;
mod list;
mod metrics;
mod opened_spec;
mod output;
mod pki;
mod replay;
mod run;
mod runtime;
mod security;
mod show;
mod spec;
mod steer;
mod submit;
mod token;
mod top;
mod verify;
mod wait;
mod watch;
mod worker;
mod workers;

use clap::{CommandFactory, Parser, Subcommand};

use crate::failure::Failure;
use crate::log::{LogConfig, LogFormat};

/// A distributed simulation farm for game research.
///
/// Exit codes: 0 success, 2 wrong usage, 3 the run failed, 5 it was cancelled, 10 no coordinator
/// answers or can use its store, 11 a token is missing or may not do that, 12 another version, 13
/// invalid spec, 14 a verification failed, 130 interrupted.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    verb: Verb,
    /// How what happens is logged to standard error
    #[arg(long, global = true, value_enum, default_value = "human", env = "HATCHERY_LOG_FORMAT")]
    log_format: LogFormat,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Run(run::Run),
    Coordinator(coordinator::RunCoordinator),
    Worker(worker::Worker),
    Submit(submit::Submit),
    List(list::List),
    Show(show::Show),
    Explain(explain::Explain),
    Top(top::ShowTop),
    Watch(watch::Watch),
    Wait(wait::Wait),
    Pause(steer::Pause),
    Resume(steer::Resume),
    Cancel(steer::Cancel),
    Delete(delete::Delete),
    Fetch(fetch::Fetch),
    #[command(subcommand)]
    Dead(dead::Dead),
    Workers(workers::ListWorkers),
    Drain(workers::Drain),
    Quarantine(workers::Quarantine),
    Verify(verify::Verify),
    Replay(replay::Replay),
    #[command(subcommand)]
    Token(token::TokenVerb),
    #[command(subcommand)]
    Pki(pki::Pki),
    Experiments(experiments::Experiments),
    Spec(spec::PrintSpec),
    Completions(completions::Completions),
}

impl Cli {
    /// Returns what the process logs: one that runs for long tells what happens to it.
    pub(crate) fn log_config(&self) -> LogConfig {
        LogConfig {
            format: self.log_format,
            level: match self.verb {
                Verb::Coordinator(_) | Verb::Worker(_) => "info",
                _ => "error",
            },
            #[cfg(feature = "otel")]
            role: match self.verb {
                Verb::Run(_) => Some("run"),
                Verb::Coordinator(_) => Some("coordinator"),
                Verb::Worker(_) => Some("worker"),
                _ => None,
            },
        }
    }

    /// Does what the command line asks for.
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.verb {
            Verb::Run(run) => run.run(),
            Verb::Coordinator(coordinator) => coordinator.run(),
            Verb::Worker(worker) => worker.run(),
            Verb::Submit(submit) => submit.run(),
            Verb::List(list) => list.run(),
            Verb::Show(show) => show.run(),
            Verb::Explain(explain) => explain.run(),
            Verb::Top(top) => top.run(),
            Verb::Watch(watch) => watch.run(),
            Verb::Wait(wait) => wait.run(),
            Verb::Pause(pause) => pause.run(),
            Verb::Resume(resume) => resume.run(),
            Verb::Cancel(cancel) => cancel.run(),
            Verb::Delete(delete) => delete.run(),
            Verb::Fetch(fetch) => fetch.run(),
            Verb::Dead(dead) => dead.run(),
            Verb::Workers(workers) => workers.run(),
            Verb::Drain(drain) => drain.run(),
            Verb::Quarantine(quarantine) => quarantine.run(),
            Verb::Verify(verify) => verify.run(),
            Verb::Replay(replay) => replay.run(),
            Verb::Token(token) => token.run(),
            Verb::Pki(pki) => pki.run(),
            Verb::Experiments(experiments) => experiments.run(),
            Verb::Spec(spec) => spec.run(),
            Verb::Completions(completions) => completions.run(&mut Self::command()),
        }
    }
}
