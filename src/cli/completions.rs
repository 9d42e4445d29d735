//! `hatchery completions`, and the values that a shell completes.

use std::ffi::OsStr;

use clap::{Args, Command};
use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};

use super::output::print_result;
use crate::error::CommandError;
use crate::program::{self, catalog};
use crate::run_folder::RunFolder;
use crate::selector::LAST;

/// The variable that a completion script sets to ask for candidates: it names the shell.
const VARIABLE: &str = "HATCHERY_COMPLETE";

/// The verbs whose runs may be on this machine; the runs of the others are a farm's.
const WITH_LOCAL_RUNS: &[&str] = &[
    "cancel", "fetch", "open", "pause", "plot", "replay", "report", "resume", "show", "verify",
    "wait", "watch",
];

/// Print a shell completion script
///
/// The script asks hatchery for completions, including presets and the runs below runs/. For bash:
/// add `source <(hatchery completions bash)` to ~/.bashrc.
#[derive(Debug, Args)]
pub(crate) struct CompletionsCommand {
    /// Shell to complete commands in
    shell: Shell,
}

impl CompletionsCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        let mut script = Vec::new();
        let shells = Shells::builtins();
        let shell = shells.completer(&self.shell.to_string()).expect("a built-in shell");
        let program = program::name();
        shell
            .write_registration(VARIABLE, program, program, program, &mut script)
            .map_err(CommandError::Output)?;
        print_result(&String::from_utf8_lossy(&script))
    }
}

/// Answers a completion script, and returns whether one has asked.
///
/// # Errors
///
/// Fails if the shell is unknown or has gone.
pub(super) fn answer(command: fn() -> Command) -> Result<bool, clap::Error> {
    let here = std::env::current_dir().ok();
    let completions = CompleteEnv::with_factory(command).var(VARIABLE);
    completions.try_complete(std::env::args_os(), here.as_deref())
}

/// Returns `command` with presets and runs as values of the arguments that take them.
pub(super) fn with_candidates(command: Command) -> Command {
    command.mut_subcommands(|verb| {
        let has_local_runs = WITH_LOCAL_RUNS.contains(&verb.get_name());
        verb.mut_args(|arg| match arg.get_id().as_str() {
            "spec" => arg.add(ArgValueCompleter::new(presets_and_files)),
            "run" | "runs" | "others" if has_local_runs => arg.add(ArgValueCandidates::new(runs)),
            _ => arg,
        })
    })
}

fn presets_and_files(typed: &OsStr) -> Vec<CompletionCandidate> {
    let begins = |path: &String| typed.to_str().is_some_and(|typed| path.starts_with(typed));
    let catalog = catalog();
    let presets = catalog.preset_paths().filter(begins);
    let presets = presets.map(CompletionCandidate::new);
    presets.chain(PathCompleter::file().complete(typed)).collect()
}

fn runs() -> Vec<CompletionCandidate> {
    let last = CompletionCandidate::new(LAST);
    let names = RunFolder::names().into_iter().map(CompletionCandidate::new);
    [last].into_iter().chain(names).collect()
}
