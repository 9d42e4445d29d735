//! The report.

use std::fmt::Write as _;

use hatchery_core::text::TAKES_ALL;

use super::rates::ArmCurve;
use crate::experiment::encoding_param::EncodingParam;
use crate::experiment::imitate::spec::{CheckedImitate, ImitateSpec};
use crate::experiment::imitate::state::ImitateState;
use crate::experiment::win_rates::{percent, win_rate};

/// Returns the report.
pub(super) fn report(
    spec: &ImitateSpec,
    checked: &CheckedImitate,
    state: &ImitateState,
    curves: &[ArmCurve],
) -> String {
    let mut text = "# Networks that imitate\n\n".to_owned();
    let games: u64 = state.games.iter().map(|games| games.games).sum();
    let placements: u64 = state.games.iter().map(|games| games.placements).sum();
    let mut line = |line: String| writeln!(text, "- {line}").expect(TAKES_ALL);
    line(format!("games to learn from: {games} with {placements} decisions"));
    line(format!(
        "decks: {}, kinds of pieces: {}",
        checked.games.decks.len(),
        checked.games.kinds()
    ));
    if !state.vector_curve.is_empty() {
        let steps: u64 = state.vector_curve.iter().map(|point| point.steps).sum();
        line(format!("steps of learning vectors: {steps}"));
    }
    let failures = checked.networks.iter().zip(&state.networks);
    let failures =
        failures.filter_map(|(network, it)| Some((network.name(), it.failure.as_ref()?)));
    for (name, failure) in failures {
        line(format!("**{name} ended early** and keeps its last good weights: {failure}"));
    }
    if let Some(failure) = &state.vector_failure {
        line(format!("**vectors ended early**, and those so far are used: {failure}"));
    }
    if let Some(failure) = &state.failure {
        line(format!("**the run ended early**: {failure}"));
    }
    text.push_str(&arms(spec, checked, curves));
    text.push_str(&claims(curves));
    text
}

fn arms(spec: &ImitateSpec, checked: &CheckedImitate, curves: &[ArmCurve]) -> String {
    let mut text = format!(
        "\n## Arms\n\nWin rates against the agent {} with {} decks, greedy, both sides, the \
         network and its opponent with the same deck; intervals are those of Wilson at 95 %.\n\n\
         | arm | steps of {} | loss | games | win rate |\n|---|---|---|---|---|\n",
        checked.opponent_name,
        checked.decks.len(),
        spec.learn.all_steps(),
    );
    for curve in curves {
        let loss = curve.loss.map_or_else(|| "-".to_owned(), |loss| format!("{loss:.3}"));
        let (games, rate) = curve.looks.last().map_or_else(
            || (0, "-".to_owned()),
            |look| {
                let rate = win_rate(look.games);
                (rate.n, percent(&rate))
            },
        );
        let (name, steps) = (curve.arm.name(), curve.steps);
        writeln!(text, "| {name} | {steps} | {loss} | {games} | {rate} |").expect(TAKES_ALL);
    }
    text
}

/// Returns the claims of the paper beside what the run shows.
fn claims(curves: &[ArmCurve]) -> String {
    let ours = vectors_and_one_hot(curves);
    format!(
        "\n## Claims of the paper\n\n\
         | Kono et al., 9.2 | here |\n|---|---|\n\
         | the win rate per step is about equal with vectors and with one-hot | {ours} |\n\
         | inputs of 5,649 and 74,570 columns | 5,649 and 74,564 for 925 kinds |\n\
         | 5.6 times the time for 500,000 steps with one-hot, on a GPU | the ratio of the work of \
         two runs, `speed-vectors` and `speed-one-hot` |\n\n\
         Hidden sizes, batch, rate and the win rates themselves are in images of the paper that \
         our copy lacks: no number here is the paper's. Its logs are of human players, ours of \
         agents by rule; its opponent, pieces and decks are not ours either.\n"
    )
}

/// Returns how far the win rates with vectors and with one-hot are apart after as many steps.
fn vectors_and_one_hot(curves: &[ArmCurve]) -> String {
    let curve = |arm| curves.iter().find(|curve| curve.arm == arm);
    let (Some(vectors), Some(one_hot)) =
        (curve(EncodingParam::Vectors), curve(EncodingParam::OneHot))
    else {
        return "not run: it needs the arms `vectors` and `one_hot`".to_owned();
    };
    let mut pairs = vectors.looks.iter().rev().filter_map(|look| {
        let other = one_hot.looks.iter().find(|other| other.steps == look.steps)?;
        Some((look.steps, [look, other].map(|it| 100.0 * it.rate().mean)))
    });
    match pairs.next() {
        Some((steps, [vectors, one_hot])) => {
            format!("{:.1} points apart after {steps} steps", (vectors - one_hot).abs())
        }
        None => "no games after as many steps with both".to_owned(),
    }
}
