//! `hatchery experiments`

use clap::Args;
use comfy_table::{ContentArrangement, Table, presets::NOTHING};
use hatchery_core::AnyExperiment;
use hatchery_core::spec::{SpecDocument, SpecHead};
use serde_json::json;

use super::output::{OutputFormat, print_result};
use crate::error::CommandError;
use crate::program::{self, catalog};
use crate::terminal::stdout_columns;

/// List the experiments and their presets
#[derive(Debug, Args)]
pub(crate) struct ExperimentsCommand {
    /// Output format
    #[arg(long, value_enum, default_value = "table", env = "HATCHERY_OUTPUT")]
    output: OutputFormat,
}

impl ExperimentsCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        match self.output {
            OutputFormat::Table => print_result(&table()?),
            OutputFormat::Json => print_result(&format!("{:#}\n", json()?)),
            OutputFormat::Quiet => Ok(()),
        }
    }
}

fn head(path: &str, text: &str) -> Result<SpecHead, CommandError> {
    SpecDocument::parse(path, text.as_bytes())
        .and_then(|spec| spec.head())
        .map_err(CommandError::Spec)
}

fn table() -> Result<String, CommandError> {
    let mut out = String::new();
    for experiment in catalog().experiments() {
        out += &presets(experiment)?;
    }
    Ok(out + &next())
}

/// Returns the commands that take a preset.
fn next() -> String {
    let program = program::name();
    format!(
        "Print a preset with every parameter explained: {program} spec PRESET\n\
         Run it: {program} run PRESET\n"
    )
}

/// Returns the presets of an experiment, and what to do with them.
pub(super) fn listing(experiment: &dyn AnyExperiment) -> Result<String, CommandError> {
    Ok(presets(experiment)? + &next())
}

fn presets(experiment: &dyn AnyExperiment) -> Result<String, CommandError> {
    let (name, version) = (experiment.name(), experiment.version());
    let title = format!("{name} (version {version}): {}\n", experiment.summary());
    let mut table = Table::new();
    table.load_style(NOTHING);
    if let Ok(columns) = u16::try_from(stdout_columns()) {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(columns);
    }
    table.set_header(["  PRESET", "TIME", "ABOUT"]);
    for preset in experiment.presets() {
        let path = format!("{name}/{}", preset.name);
        let SpecHead { about, takes, .. } = head(&path, preset.text)?;
        table.add_row([format!("  {path}"), takes, about]);
    }
    Ok(format!("{title}{}\n\n", table.trim_fmt()))
}

fn json() -> Result<serde_json::Value, CommandError> {
    let mut experiments = Vec::new();
    for experiment in catalog().experiments() {
        let mut presets = Vec::new();
        for preset in experiment.presets() {
            let path = format!("{}/{}", experiment.name(), preset.name);
            let SpecHead { about, takes, .. } = head(&path, preset.text)?;
            presets.push(json!({ "name": path, "about": about, "takes": takes }));
        }
        experiments.push(json!({
            "name": experiment.name(),
            "version": experiment.version(),
            "summary": experiment.summary(),
            "presets": presets,
        }));
    }
    Ok(json!({ "schema": "hatchery.experiments/1", "experiments": experiments }))
}
