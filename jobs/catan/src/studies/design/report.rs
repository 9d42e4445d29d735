//! The measures and exhibits of `catan-design`.

mod certificates;
mod evidence;
mod findings;
mod maps;
mod panel;
mod panel_json;
mod seat_advice;
mod steps;
mod summary;
mod tables;

use hatchery_core::{Exhibit, Findings, Measure, RunSeed};

use self::steps::StepReport;
use self::summary::DesignSummary;
use super::certification::FinalistStatus;
use super::spec::CheckedDesign;
use super::state::DesignState;
use crate::map::{Map, MapFile};

/// Returns the measures: how well the classifier predicted, how even its maps are, and what is
/// certified.
pub(super) fn measures(checked: &CheckedDesign, state: &DesignState) -> Vec<Measure> {
    let summary = DesignSummary::new(checked, state);
    let mut measures = Vec::new();
    if checked.looks.is_some() {
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
pub(super) fn findings(checked: &CheckedDesign, state: &DesignState, seed: &RunSeed) -> Findings {
    findings::findings(&DesignSummary::new(checked, state), Some(seed))
}

/// Returns the findings, the tables, pictures as in the paper's Figs. 2 to 5, and the certified
/// maps.
pub(super) fn exhibits(checked: &CheckedDesign, state: &DesignState) -> Vec<Exhibit> {
    let summary = DesignSummary::new(checked, state);
    // Exhibits do not depend on the seed, so no trials are played again for them.
    let mut exhibits = findings::findings(&summary, None).exhibits();
    exhibits.extend([
        tables::steps(&summary.steps).csv("steps.csv"),
        tables::maps(&summary.maps).csv("maps.csv"),
    ]);
    if checked.looks.is_some() {
        let (rows, has_panel) = (tables::finalist_rows(&summary), !summary.panel.is_empty());
        exhibits.push(tables::finalists(&rows, has_panel).csv("finalists.csv"));
    }
    for (role, shown) in summary.pictured() {
        let svg = shown.simulated.map.picture(&shown.title());
        let name = format!("{}.svg", role.file);
        exhibits.push(Exhibit::new(name, "image/svg+xml", svg));
    }
    exhibits.extend(certified_maps(&summary));
    exhibits
}

/// Returns the files of certified maps. With a panel, also returns the files of maps that are
/// certified for only some agents of the panel, and all verdicts as JSON.
fn certified_maps(summary: &DesignSummary<'_>) -> Vec<Exhibit> {
    let spec = summary.spec;
    let Some(json) = panel_json::json(summary) else {
        let certified = summary.certified().zip(1..);
        let files = certified.flat_map(|(finalist, number)| {
            let certificate = certificates::certificate(spec, finalist);
            let name = format!("certified-{number}");
            map_files(&name, &finalist.map, &certificate.clone(), certificate)
        });
        return files.collect();
    };
    let mut exhibits = vec![Exhibit::new("certificates.json", "application/json", json)];
    let whole = summary.panel.iter().filter(|map| map.standing == FinalistStatus::Certified);
    let partly = summary.panel.iter().filter(|map| map.is_partly_certified());
    let whole = whole.zip(1..).map(|(map, number)| (format!("certified-{number}"), map));
    let partly = partly.zip(1..).map(|(map, number)| (format!("partly-certified-{number}"), map));
    for (name, map) in whole.chain(partly) {
        let title = certificates::panel_title(spec, map);
        let certificate = certificates::panel_certificate(spec, map);
        exhibits.extend(map_files(&name, map.map, &title, certificate));
    }
    exhibits
}

/// Returns a map's picture with a title, and its file with a certificate.
fn map_files(name: &str, map: &Map, title: &str, certificate: String) -> [Exhibit; 2] {
    let id = format!("{:.12}", map.id());
    let svg = map.picture(&format!("{id}: {title}"));
    let file = MapFile { name: Some(id), certificate: Some(certificate), map: *map };
    [
        Exhibit::new(format!("{name}.svg"), "image/svg+xml", svg),
        Exhibit::new(format!("{name}.json"), "application/json", file.to_json()),
    ]
}
