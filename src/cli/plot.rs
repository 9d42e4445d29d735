//! `hatchery plot`

use clap::Args;
use console::Term;
use hatchery_core::text::closest_name;
use hatchery_core::{GenerationMeasures, Measure};
use hatchery_figures::{MeasuredPoint, TextPlot};

use super::output::print_result;
use super::runtime::in_runtime;
use crate::client::FarmArgs;
use crate::error::{CommandError, UsageError};
use crate::format::measured_with_interval;
use crate::report::course;
use crate::run_source::RunSource;
use crate::terminal::escape_line;

/// The width where standard output is no terminal, and the range of widths.
const DEFAULT_COLUMNS: usize = 80;
const COLUMNS: std::ops::RangeInclusive<usize> = 40..=200;
/// The rows of the plot itself.
const ROWS: usize = 15;

/// Plot a measure of a run by generation in the terminal
///
/// The line is solid, and the band of its intervals is dotted.
#[derive(Debug, Args)]
pub(crate) struct PlotCommand {
    /// Run: its folder, its name, the beginning or end of its id, or `last`; with
    /// --coordinator, a run of the farm
    run: String,
    /// Measure, such as `mean_fitness` [default: the most important measure with a course]
    measure: Option<String>,
    /// Columns of text, from 40 to 200 [default: the width of the terminal, or 80]
    #[arg(long, value_parser = parse_columns)]
    columns: Option<usize>,
    #[command(flatten)]
    farm: FarmArgs,
}

impl PlotCommand {
    pub(super) fn run(&self) -> Result<(), CommandError> {
        in_runtime(async {
            let source = RunSource::open(&self.run, &self.farm).await?;
            let history = source.run.history();
            let measure = self.measure(&history)?;
            print_result(&plot(measure, &history, self.columns()))
        })
    }

    /// Returns the latest value of the measure that is wanted.
    fn measure<'a>(&self, history: &'a [GenerationMeasures]) -> Result<&'a Measure, UsageError> {
        let measures = history.last().map_or(&[][..], |last| &last.measures);
        let found = match &self.measure {
            Some(name) => measures.iter().find(|measure| measure.name == *name),
            None => {
                let has_course = |measure: &&Measure| 1 < course(&measure.name, history).count();
                measures.iter().find(has_course).or_else(|| measures.first())
            }
        };
        found.ok_or_else(|| match (&self.measure, measures) {
            (_, []) => UsageError::NoMeasureYet,
            (name, known) => {
                let name = name.clone().unwrap_or_default();
                let known: Vec<_> = known.iter().map(|it| it.name.as_str()).collect();
                let likely = closest_name(&name, known.iter().copied()).map(str::to_owned);
                UsageError::UnknownMeasure { likely, known: known.join(", "), name }
            }
        })
    }

    fn columns(&self) -> usize {
        let terminal = || Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
        let columns = self.columns.or_else(terminal).unwrap_or(DEFAULT_COLUMNS);
        columns.clamp(*COLUMNS.start(), *COLUMNS.end())
    }
}

fn parse_columns(text: &str) -> Result<usize, String> {
    let columns = text.parse().ok().filter(|columns| COLUMNS.contains(columns));
    columns.ok_or_else(|| "not a number from 40 to 200".to_owned())
}

/// Returns the plot of a measure, under a line with its latest value.
fn plot(measure: &Measure, history: &[GenerationMeasures], columns: usize) -> String {
    let Measure { name, unit, value, selected_from, .. } = measure;
    let (value, interval) = measured_with_interval(*value);
    let interval = interval.map(|interval| format!(" ({interval})")).unwrap_or_default();
    let selected =
        selected_from.map(|n| format!("; best of {n}, so biased upward")).unwrap_or_default();
    let points = course(name, history);
    let points = points.map(|(generation, y)| MeasuredPoint { x: generation.into(), y });
    let plot = TextPlot {
        x_label: "generation".to_owned(),
        points: points.collect(),
        columns,
        rows: ROWS,
    };
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    let head = escape_line(&format!("{name}: {value}{unit}{interval}{selected}"));
    format!("{head}\n{}", plot.text())
}
