//! Maps that are too rare to be found by chance are reached in small steps.

use std::collections::BTreeSet;

use hatchery_catan::map::{MapPolicy, Port, pips};
use hatchery_catan::{Hex, Map, PortPlace};

use super::world::{RunOutput, run, sigma};

/// Returns rates that are uneven by the places of pips and ports: each place helps one seat more or
/// less, so a swap is a small step. The median map is 11 points uneven; one of many thousands is
/// even to half a point.
fn by_places(map: &Map) -> [f64; 4] {
    let mut seats = [0.0; 4];
    for (hex, weight) in Hex::ALL.into_iter().zip(steps(1.0, 0.025)) {
        seats[hex.index() % 4] += weight * (f64::from(map.token(hex).map_or(0, pips)) - 3.0);
    }
    for (place, weight) in PortPlace::ALL.into_iter().zip(steps(0.2, 0.11)) {
        let is_special = matches!(map.port(place), Port::Special(_));
        seats[place.index() % 4] += if is_special { weight } else { -weight };
    }
    let mean = seats.iter().sum::<f64>() / 4.0;
    let rates = seats.map(|seat| (0.25 + 0.035 * (seat - mean)).max(0.01));
    let sum: f64 = rates.iter().sum();
    rates.map(|rate| rate / sum)
}

fn steps(first: f64, step: f64) -> impl Iterator<Item = f64> {
    std::iter::successors(Some(first), move |last| Some(last + step))
}

const LEARNING: &str = "policy = 'random_no_red_adjacent'\ngames = 200\nsteps = 1\n\
    learning = { unlabelled = 100, candidates = 100, lambdas = [1.0] }\n";

fn certify(rounds: &str) -> String {
    format!(
        "{LEARNING}[params.certify]\nwanted = 4\ncandidates = 100\nrounds = [{rounds}]\n\
         finalists = 6\ngames = 20_000\nmost_games = 160_000\n"
    )
}

fn finalists(output: &RunOutput) -> Vec<Map> {
    output.column("finalists.csv", "line").into_iter().map(|line| line.parse().unwrap()).collect()
}

#[test]
fn children_are_more_even_than_what_is_met_by_chance() {
    let found = run(&certify("{ maps = 50, games = 400 }, { maps = 25, games = 2000 }"), by_places);
    let bred = run(
        &certify(
            "{ maps = 50, games = 400 }, { maps = 12, children = 20, games = 1000 }, \
             { maps = 12, relatives = 1, children = 20, games = 4000 }, \
             { maps = 10, relatives = 1, children = 30, swap = 'ports', games = 4000 }, \
             { maps = 8, relatives = 1, children = 30, swap = 'ports', games = 10_000 }",
        ),
        by_places,
    );
    // The means over the finalists.
    let [by_chance, by_steps] = [&found, &bred].map(|output| {
        let maps = finalists(output);
        maps.iter().map(|map| sigma(by_places(map))).sum::<f64>() / maps.len() as f64
    });
    assert!(by_steps < by_chance / 3.0, "{by_steps} and {by_chance}");
    for map in finalists(&bred) {
        assert!(MapPolicy::RandomNoRedAdjacent.allows(&map), "{map}");
    }
    // Each finalist has another founder.
    let founders: Vec<&str> = bred.column("finalists.csv", "origin");
    let founders: Vec<&str> =
        founders.into_iter().filter_map(|origin| origin.split("from ").nth(1)).collect();
    assert_eq!(founders.iter().collect::<BTreeSet<_>>().len(), founders.len(), "{founders:?}");
}

/// Rounds have the numbers of maps and children in the spec, and all maps are different.
#[test]
fn families_are_as_large_as_said() {
    let RunOutput { plans, .. } = run(
        &certify(
            "{ maps = 10, games = 50 }, { maps = 6, children = 3, games = 50 }, \
             { maps = 8, relatives = 2, children = 1, swap = 'equal-pips', games = 70 }",
        ),
        by_places,
    );
    // The start, a step, then the rounds.
    let rounds = &plans[2..5];
    assert_eq!(rounds.iter().map(Vec::len).collect::<Vec<_>>(), [10, 24, 16]);
    for round in rounds {
        assert_eq!(round.iter().map(|(map, _)| map).collect::<BTreeSet<_>>().len(), round.len());
    }
    assert!(rounds[2].iter().all(|&(_, games)| games == 70));
}
