//! The report.

mod claims;
mod learners;
mod rows;

use std::fmt::Write as _;

use hatchery_core::text::{TAKES_ALL, counted};

use super::arms::{ArmCurve, ArmLook};
use crate::experiment::selfplay::spec::{CheckedSelfplay, SelfplayMode, SelfplaySpec};
use crate::experiment::selfplay::state::SelfplayState;
use crate::experiment::win_rates::win_rate;
use rows::{push_rates, table_head};

/// The most looks of an arm in a table: the others are in the table of curves.
const MAX_LOOKS: usize = 10;

/// Returns the report.
pub(super) fn report(
    spec: &SelfplaySpec,
    checked: &CheckedSelfplay,
    state: &SelfplayState,
    curves: &[ArmCurve<'_>],
) -> String {
    let mut text = heading(spec, checked, state);
    if state.networks.iter().all(|network| network.periods.is_empty()) {
        text.push_str("\nNo network has learned yet.\n");
        return text;
    }
    text.push_str(&strength(checked, curves));
    text.push_str(&learners::by_seed(checked, curves));
    text.push_str(&learning(checked, curves));
    text.push_str(&learners::learners(checked, state));
    text.push_str(&claims::claims(checked, curves));
    text
}

fn heading(spec: &SelfplaySpec, checked: &CheckedSelfplay, state: &SelfplayState) -> String {
    let mut text = "# Networks that learn from their own games\n\n".to_owned();
    let mut line = |line: String| writeln!(text, "- {line}").expect(TAKES_ALL);
    line(match &spec.mode {
        SelfplayMode::Paper(mode) => format!(
            "mode `paper`: each network plays {} games, and takes {} steps after each pair of them",
            mode.games, mode.steps_per_pair
        ),
        SelfplayMode::Wide(mode) => format!(
            "mode `wide`: each network plays {} games, and takes {} steps for each pair of them \
             while the next ones are played",
            mode.games, mode.steps_per_pair
        ),
    });
    line(format!(
        "opponents of these games: random for {} games, then one of the snapshots, of which one \
         is kept every {} games; both change at the ends of generations",
        spec.random_games, spec.snapshot_games
    ));
    line(format!("decks: {}, kinds of pieces: {}", checked.decks.len(), checked.kinds()));
    for (network, it) in checked.networks.iter().zip(&state.networks) {
        if let Some(failure) = &it.failure {
            let name = network.name();
            line(format!("**{name} ended early** and keeps its last good weights: {failure}"));
        }
    }
    text
}

/// Returns the last look at each arm.
fn strength(checked: &CheckedSelfplay, curves: &[ArmCurve<'_>]) -> String {
    if curves.iter().all(|curve| curve.looks.is_empty()) {
        return "\n## Strength\n\nNo look at the networks was taken yet.\n".to_owned();
    }
    let mut text = "\n## Strength\n\nWin rates at the last look: greedy and without noise, each \
                    deck against each, from both sides, all seeds of an arm together; intervals \
                    are those of Wilson at 95 %, over games.\n\n"
        .to_owned();
    table_head(&mut text, "| arm | games to learn from | steps | games with each |", checked);
    for curve in curves {
        let name = curve.arm.name();
        match curve.looks.last() {
            Some(look) => {
                let played = look.opponents.first().map_or(0, |&games| win_rate(games).n);
                let (games, steps) = (look.games, look.steps);
                write!(text, "| {name} | {games} | {steps} | {played} |").expect(TAKES_ALL);
                push_rates(&mut text, checked, look);
            }
            None => writeln!(text, "| {name} | - | - | 0 |").expect(TAKES_ALL),
        }
    }
    text
}

/// Returns some looks at each arm, and whether win rates rose.
fn learning(checked: &CheckedSelfplay, curves: &[ArmCurve<'_>]) -> String {
    let mut text = String::new();
    for curve in curves.iter().filter(|curve| 1 < curve.looks.len()) {
        let (name, n_looks) = (curve.arm.name(), curve.looks.len());
        writeln!(text, "\n## Learning: {name}\n").expect(TAKES_ALL);
        table_head(&mut text, "| games to learn from | steps |", checked);
        let n_shown = n_looks.min(MAX_LOOKS);
        // The first and the last look, and evenly spaced ones between.
        let shown = (0..n_shown).map(|at| &curve.looks[at * (n_looks - 1) / (n_shown - 1)]);
        for look in shown {
            write!(text, "| {} | {} |", look.games, look.steps).expect(TAKES_ALL);
            push_rates(&mut text, checked, look);
        }
        text.push('\n');
        for (at, opponent) in checked.opponents.iter().enumerate() {
            if let Some(trend) = trend(&curve.looks, at) {
                writeln!(text, "- {}: {trend}", opponent.name).expect(TAKES_ALL);
            }
        }
    }
    text
}

/// Returns how win rates moved from the first look to the last one.
fn trend(looks: &[ArmLook], opponent: usize) -> Option<String> {
    let rates: Vec<_> = looks.iter().filter_map(|look| look.rate(opponent)).collect();
    let (first, last) = (rates.first()?, rates.last()?);
    let change = match (first.high < last.low, last.high < first.low) {
        (true, _) => "rose",
        (_, true) => "fell",
        _ => "neither rose nor fell beyond the intervals",
    };
    let n_rises = rates.windows(2).filter(|pair| pair[0].mean < pair[1].mean).count();
    let steps = counted(rates.len() - 1, "step");
    Some(format!(
        "{change} from the first look to the last one; higher than before in {n_rises} \
                  of {steps} from look to look"
    ))
}
