//! The measures and exhibits of `catan-design`.

mod certificates;
mod csv;
mod evidence;
mod findings;
mod maps;
mod steps;
mod summary;

use hatchery_core::{Exhibit, Findings, Measure, RunSeed};

use self::steps::StepReport;
use self::summary::DesignSummary;
use super::spec::DesignSpec;
use super::state::DesignState;
use crate::map::MapFile;

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

/// Returns the findings of a run with this seed.
pub(super) fn findings(spec: &DesignSpec, state: &DesignState, seed: &RunSeed) -> Findings {
    findings::findings(&DesignSummary::new(spec, state), Some(seed))
}

/// Returns the findings, the tables, pictures as in the paper's Figs. 2 to 5, and the certified
/// maps.
pub(super) fn exhibits(spec: &DesignSpec, state: &DesignState) -> Vec<Exhibit> {
    let summary = DesignSummary::new(spec, state);
    // Exhibits do not depend on the seed, so no trials are played again for them.
    let mut exhibits = findings::findings(&summary, None).exhibits();
    exhibits.extend([
        Exhibit::new("steps.csv", "text/csv", csv::steps(&summary)),
        Exhibit::new("maps.csv", "text/csv", csv::maps(&summary)),
    ]);
    if spec.certify.is_some() {
        exhibits.push(Exhibit::new("finalists.csv", "text/csv", csv::finalists(&summary)));
    }
    for (role, shown) in summary.pictured() {
        let svg = shown.simulated.map.picture(&shown.title());
        let name = format!("{}.svg", role.file);
        exhibits.push(Exhibit::new(name, "image/svg+xml", svg));
    }
    for (finalist, number) in summary.certified().zip(1..) {
        let certificate = certificates::certificate(spec, finalist);
        let id = format!("{:.12}", finalist.map.id());
        let name = format!("certified-{number}");
        let svg = finalist.map.picture(&format!("{id}: {certificate}"));
        exhibits.push(Exhibit::new(format!("{name}.svg"), "image/svg+xml", svg));
        let (certificate, map) = (Some(certificate), finalist.map);
        let file = MapFile { name: Some(id), certificate, map };
        exhibits.push(Exhibit::new(format!("{name}.json"), "application/json", file.to_json()));
    }
    exhibits
}
