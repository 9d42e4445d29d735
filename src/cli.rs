//! The command line: one file per verb.

mod completions;
mod experiments;
mod replay;
mod run;
mod spec;

use std::io::Write;

use clap::{Parser, Subcommand, ValueEnum};
use hatchery_catalog::CATALOG;
use hatchery_core::spec::Document;

use crate::failure::Failure;

/// A distributed simulation farm for game research.
///
/// Exit codes: 0 success, 2 wrong usage, 3 the run failed, 12 another version, 13 invalid spec,
/// 130 interrupted.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Run(run::Run),
    Replay(replay::Replay),
    Experiments(experiments::Experiments),
    Spec(spec::PrintSpec),
    Completions(completions::Completions),
}

/// How a command shows its result on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people.
    Table,
    /// One JSON document, for scripts.
    Json,
    /// Nothing.
    Quiet,
}

impl Cli {
    /// Does what the command line asks for.
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.verb {
            Verb::Run(run) => run.run(),
            Verb::Replay(replay) => replay.run(),
            Verb::Experiments(experiments) => experiments.run(),
            Verb::Spec(spec) => spec.run(),
            Verb::Completions(completions) => completions.run(),
        }
    }
}

/// The spec in the file, or of the preset, that `name` names. A file wins: a preset's name with
/// `./` before it is always a file.
fn load(name: &str) -> Result<Document, Failure> {
    let path = std::path::Path::new(name);
    let looks_like_file = path.extension().is_some() || path.exists();
    if let (false, Some(preset)) = (looks_like_file, CATALOG.preset(name)) {
        return Document::parse(name, preset.text.as_bytes()).map_err(Failure::Spec);
    }
    match std::fs::read(path) {
        Ok(bytes) => Document::parse(name, &bytes).map_err(Failure::Spec),
        Err(source) if looks_like_file => {
            Err(Failure::File { path: path.to_owned(), act: "read", source })
        }
        Err(_) => {
            let known: Vec<_> = CATALOG.preset_paths().collect();
            Err(Failure::Usage(format!(
                "{name:?} is neither a file nor a preset; the presets are {}",
                known.join(", ")
            )))
        }
    }
}

/// Writes a result to standard output. A reader that has seen enough is no failure.
pub(crate) fn show(text: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).unwrap_or(());
}

/// Writes a message to standard error.
pub(crate) fn say(line: &str) {
    writeln!(std::io::stderr().lock(), "{line}").unwrap_or(());
}
