//! The measures and exhibits of `catan-design`.

mod certificates;
mod csv;
mod maps;
mod steps;
mod text;

use hatchery_core::{Exhibit, Measure};
use hatchery_stats::ErrorRate;

use self::maps::MapReport;
use self::steps::StepReport;
use super::certification::{Finalist, FinalistStatus};
use super::{DesignPhase, DesignSpec, DesignState};
use crate::map::MapFile;

/// The summary of a state, computed once.
struct DesignSummary<'a> {
    spec: &'a DesignSpec,
    /// All maps of the start and the steps, in their order.
    maps: Vec<MapReport<'a>>,
    /// The steps, without the start.
    steps: Vec<StepReport<'a>>,
    /// The finalists.
    finalists: &'a [Finalist],
    is_done: bool,
}

/// The error rate of all intervals but those of certificates.
const ERROR_RATE: ErrorRate = ErrorRate::FIVE_PERCENT;

impl<'a> DesignSummary<'a> {
    fn new(spec: &'a DesignSpec, state: &'a DesignState) -> Self {
        let maps = maps::shown(&state.history);
        let steps = steps::all(&state.history, &maps);
        let finalists = match &state.phase {
            DesignPhase::Simulating(_) | DesignPhase::Competing { .. } => &[][..],
            DesignPhase::Confirming { finalists, .. } | DesignPhase::Done { finalists } => {
                finalists
            }
        };
        let is_done = matches!(state.phase, DesignPhase::Done { .. });
        Self { spec, maps, steps, finalists, is_done }
    }

    /// Returns the maps of the steps, which the classifier chose.
    fn chosen(&self) -> impl Iterator<Item = &MapReport<'a>> + Clone {
        self.maps.iter().filter(|shown| shown.step != 0)
    }

    fn certified(&self) -> impl Iterator<Item = &'a Finalist> {
        self.finalists.iter().filter(|finalist| finalist.status == FinalistStatus::Certified)
    }
}

/// Returns the measures: how well the classifier predicted, how even its maps are, and what is
/// certified.
pub(super) fn measures(spec: &DesignSpec, state: &DesignState) -> Vec<Measure> {
    let summary = DesignSummary::new(spec, state);
    let mut measures = Vec::new();
    if spec.certify.is_some() {
        let certified = summary.certified().count() as u64;
        measures.push(Measure::new("certified_maps", "maps", certified));
    }
    measures.extend(steps::totals(&summary.steps));
    measures.extend(maps::measures(summary.chosen()));
    measures.extend(certificates::measures(&summary));
    measures.extend(summary.steps.iter().flat_map(StepReport::measures));
    measures
}

/// Returns the report, the tables, pictures as in the paper's Figs. 2 to 5, and the certified maps.
pub(super) fn exhibits(spec: &DesignSpec, state: &DesignState) -> Vec<Exhibit> {
    let summary = DesignSummary::new(spec, state);
    let mut exhibits = vec![
        Exhibit::new("report.md", "text/markdown", text::report(&summary)),
        Exhibit::new("steps.csv", "text/csv", csv::steps(&summary)),
        Exhibit::new("maps.csv", "text/csv", csv::maps(&summary)),
    ];
    if spec.certify.is_some() {
        exhibits.push(Exhibit::new("finalists.csv", "text/csv", csv::finalists(&summary)));
    }
    for (name, shown) in maps::pictured(&summary) {
        let svg = shown.simulated.map.picture(&shown.title());
        exhibits.push(Exhibit::new(format!("{name}.svg"), "image/svg+xml", svg));
    }
    for (finalist, number) in summary.certified().zip(1..) {
        let title = certificates::title(spec, finalist);
        let name = format!("certified-{number}");
        let svg = finalist.map.picture(&title);
        exhibits.push(Exhibit::new(format!("{name}.svg"), "image/svg+xml", svg));
        let file = MapFile { name: Some(title), map: finalist.map };
        exhibits.push(Exhibit::new(format!("{name}.json"), "application/json", file.to_json()));
    }
    exhibits
}
