//! What a run of `catan-design` shows.

mod certificates;
mod csv;
mod maps;
mod steps;
mod text;

use hatchery_core::{Exhibit, Measure};
use hatchery_stats::ErrorRate;

use self::maps::Shown;
use self::steps::Step;
use super::certification::{Finalist, Standing};
use super::{Phase, Spec, State};
use crate::map::MapFile;

/// What a state shows, computed once.
struct Summary<'a> {
    spec: &'a Spec,
    /// All maps of the start and the steps, in their order.
    maps: Vec<Shown<'a>>,
    /// The steps, without the start.
    steps: Vec<Step<'a>>,
    /// The maps that are, or were, confirmed.
    finalists: &'a [Finalist],
    is_done: bool,
}

/// The error rate of all intervals but those of certificates.
const ERROR_RATE: ErrorRate = ErrorRate::FIVE_PERCENT;

impl<'a> Summary<'a> {
    fn new(spec: &'a Spec, state: &'a State) -> Self {
        let maps = maps::shown(&state.history);
        let steps = steps::all(&state.history, &maps);
        let finalists = match &state.phase {
            Phase::Simulating(_) | Phase::Competing { .. } => &[][..],
            Phase::Confirming { finalists, .. } | Phase::Done { finalists } => finalists,
        };
        let is_done = matches!(state.phase, Phase::Done { .. });
        Self { spec, maps, steps, finalists, is_done }
    }

    /// The maps of the steps: those that the classifier chose.
    fn chosen(&self) -> impl Iterator<Item = &Shown<'a>> + Clone {
        self.maps.iter().filter(|shown| shown.step != 0)
    }

    fn certified(&self) -> impl Iterator<Item = &'a Finalist> {
        self.finalists.iter().filter(|finalist| finalist.standing == Standing::Certified)
    }
}

/// How well the classifier foretold, how even its maps are, and what is certified.
pub(super) fn measures(spec: &Spec, state: &State) -> Vec<Measure> {
    let summary = Summary::new(spec, state);
    let mut measures = Vec::new();
    if spec.certify.is_some() {
        let certified = summary.certified().count() as u64;
        measures.push(Measure::new("certified_maps", "maps", certified));
    }
    measures.extend(steps::totals(&summary.steps));
    measures.extend(maps::measures(summary.chosen()));
    measures.extend(certificates::measures(&summary));
    measures.extend(summary.steps.iter().flat_map(Step::measures));
    measures
}

/// The report, the tables, pictures as in the paper's Figs. 2 to 5, and the certified maps.
pub(super) fn exhibits(spec: &Spec, state: &State) -> Vec<Exhibit> {
    let summary = Summary::new(spec, state);
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
