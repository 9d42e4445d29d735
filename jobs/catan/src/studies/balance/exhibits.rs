//! The exhibits of a state.

use hatchery_core::{Exhibit, IntervalEstimate, SubjectTrial, TrialRow};

use super::findings::findings;
use super::maps_csv;
use super::state::{BalanceState, KeptSeries};
use super::summary::{BalanceSummary, MapSummary};
use crate::map::MapFile;
use crate::trial::results::GameOutcome;
use crate::trial::seat_balance::estimate_in_points;

/// The number of best and of worst maps that are drawn.
const DRAWN: usize = 3;

/// Returns the findings, the tables, and the best and the worst maps.
pub(super) fn exhibits(summary: &BalanceSummary<'_>) -> Vec<Exhibit> {
    // Exhibits do not depend on the seed, so no trials are played again for them.
    let mut exhibits = findings(summary, None).exhibits();
    exhibits.push(maps_csv::table(summary));
    exhibits.extend(trials_table(summary.state));
    if summary.maps_with_statistics().next().is_none() {
        return exhibits;
    }
    let maps = &summary.maps;
    // No map is drawn both as one of the best and as one of the worst.
    let n_best = DRAWN.min(maps.len().div_ceil(2));
    let n_worst = DRAWN.min(maps.len() - n_best);
    for (map, place) in maps.iter().take(n_best).zip(1..) {
        let name = format!("best-{place}");
        exhibits.push(picture(&name, map));
        let title = Some(map.candidate.name.clone());
        let file = MapFile { name: title, certificate: None, map: map.candidate.map };
        let json = file.to_json();
        exhibits.push(Exhibit::new(format!("{name}.json"), "application/json", json));
    }
    for (map, place) in maps.iter().rev().take(n_worst).zip(1..) {
        exhibits.push(picture(&format!("worst-{place}"), map));
    }
    exhibits
}

fn picture(name: &str, map: &MapSummary<'_>) -> Exhibit {
    let sigma = map.statistics.map(|statistics| {
        let IntervalEstimate { low, high, .. } =
            estimate_in_points(statistics.balance.spread.sigma);
        format!(", sigma {low:.2} to {high:.2} points")
    });
    let sigma = sigma.unwrap_or_default();
    let title = format!("{}: {}{sigma}", map.candidate.name, map.stage.name());
    let svg = map.candidate.map.picture(&title);
    Exhibit::new(format!("{name}.svg"), "image/svg+xml", svg)
}

/// Returns the table of games, map by map: the score is the seat that won, from 1 to 4 and empty if
/// none did, and the length is the number of turns. `None` if the run keeps sums only.
fn trials_table(state: &BalanceState) -> Option<Exhibit> {
    let mut all: Vec<&KeptSeries> = state.trials.as_ref()?.iter().collect();
    // The sort is stable: the series of a map stay in the order of their generations.
    all.sort_by_key(|series| series.candidate);
    let rows = all.into_iter().flat_map(|series| {
        let KeptSeries { generation, subject, candidate, outcomes } = series;
        let name = state.candidates.get(*candidate).map_or("", |candidate| &candidate.name);
        outcomes.iter().zip(0..).map(move |(GameOutcome { winner, turns }, trial)| TrialRow {
            generation: *generation,
            trial: SubjectTrial { subject: *subject, trial },
            subject: name,
            #[expect(clippy::cast_precision_loss, reason = "1 to 4")]
            score: winner.map(|seat| (seat.index() + 1) as f64),
            length: Some((*turns).into()),
        })
    });
    Some(Exhibit::trials(rows))
}
