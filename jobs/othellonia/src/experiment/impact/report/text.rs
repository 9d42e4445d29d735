//! The report.

use std::fmt::Write as _;

use hatchery_core::IntervalEstimate;
use hatchery_core::text::TAKES_ALL;

use super::table::{NewNeighbor, new_neighbors};
use crate::experiment::impact::change::ChangeCounts;
use crate::experiment::impact::spec::{CheckedImpact, ImpactSpec};
use crate::experiment::impact::state::{ImpactLook, ImpactState};
use crate::pool::{PieceDefinition, PieceText};
use crate::rules::PieceId;

/// Returns the report: what was found comes first.
pub(super) fn report(spec: &ImpactSpec, checked: &CheckedImpact, state: &ImpactState) -> String {
    let mut text = "# The impact of a new piece\n\n".to_owned();
    let mut line = |line: String| writeln!(text, "- {line}").expect(TAKES_ALL);
    let has_several = checked.tune.is_some();
    for (name, look) in state.looks() {
        let agent =
            if has_several { format!(" ({})", name.replace('_', "-")) } else { String::new() };
        line(finding(look) + &agent);
    }
    line(format!("the new piece is {}", described(checked, checked.piece)));
    line(format!(
        "{} hosts against {} decks, all played by the agent {}",
        checked.hosts.len(),
        checked.field.len(),
        spec.agent.text()
    ));
    if let Some(failure) = &state.vector_failure {
        line(format!("**the vector ended early**, and that so far is used: {failure}"));
    }
    if let Some(failure) = &state.failure {
        line(format!("**the run ended early**: {failure}"));
    }
    if let Some(failure) = &state.tuning.failure {
        line(format!("**tuning ended early**, and keeps its last good weights: {failure}"));
    }
    if state.zero_shot.is_none() {
        text.push_str("\nThe games that count have not been played yet.\n");
    }
    if let Some(look) = &state.zero_shot {
        text.push_str("\n## Change of scores\n\n");
        text.push_str(HOW_CHANGES_ARE_MEASURED);
        text.push_str(&changes(checked, state, look));
    }
    if let Some(look) = &state.tuned {
        let (games, steps) = (state.tuning.games, state.tuning.steps());
        writeln!(
            text,
            "\n## Change after tuning\n\n{games} games and {steps} steps with the hosts, the hosts \
             with the new piece and the field tuned the agent, which then plays both sides, with \
             and without the piece.\n"
        )
        .expect(TAKES_ALL);
        text.push_str(&changes(checked, state, look));
    }
    if checked.vector.is_some() {
        text.push_str(&vector(spec, checked, state));
    }
    text
}

/// Says in a sentence whether the piece changes the score.
fn finding(look: &ImpactLook) -> String {
    let Some(change) = look.all.estimate() else {
        return "no games to tell a change by".to_owned();
    };
    let points = points(change);
    if 0.0 < change.low {
        format!("**the new piece makes its decks stronger**: {points} points of score")
    } else if change.high < 0.0 {
        format!("**the new piece makes its decks weaker**: {points} points of score")
    } else {
        format!("no change is shown: {points} points of score")
    }
}

/// The explanation of the tables of changes.
const HOW_CHANGES_ARE_MEASURED: &str = "\
A score is wins and half of the draws. Games with and without the piece have the same shuffles; \
the change is the mean of the differences of such pairs, with a 95 % confidence interval. The \
last column says how many times as many games would be needed without common shuffles.\n\n";

fn changes(checked: &CheckedImpact, state: &ImpactState, look: &ImpactLook) -> String {
    let mut text = "| deck | replaced | without | with | change, points | trials | unchanged | \
                    variance ratio |\n|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for ((host, counts), &old) in checked.hosts.iter().zip(&look.hosts).zip(&state.replaced) {
        row(&mut text, [&host.name, &piece_name(checked, old)], counts);
    }
    row(&mut text, ["all", "-"], &look.all);
    text
}

fn row(text: &mut String, [name, old]: [&str; 2], counts: &ChangeCounts) {
    let (Some([before, after]), Some(change)) = (counts.scores(), counts.estimate()) else {
        return;
    };
    let saving = counts.saving().map_or_else(|| "-".to_owned(), |saving| format!("{saving:.2}"));
    writeln!(
        text,
        "| {name} | {old} | {:.1} % | {:.1} % | {} | {} | {} | {saving} |",
        100.0 * before.mean,
        100.0 * after.mean,
        points(change),
        counts.trials(),
        counts.n_equal(),
    )
    .expect(TAKES_ALL);
}

fn vector(spec: &ImpactSpec, checked: &CheckedImpact, state: &ImpactState) -> String {
    let games: u64 = state.games.iter().map(|games| games.games).sum();
    let steps: u64 = state.vector_curve.iter().map(|point| point.steps).sum();
    let mut text = format!(
        "\n## Vector of the new piece\n\n\
         The agent has never met the piece. {games} games of agents by rule with decks that hold \
         it, and {steps} steps, gave the piece a vector in the space of those that the agent has, \
         which stay as they are; nothing else of the agent changes.\n",
    );
    if let (Some(first), Some(last)) = (state.vector_curve.first(), state.vector_curve.last()) {
        let (first, last) = (first.mean_loss(), last.mean_loss());
        writeln!(text, "Loss: {first:.3} in the first stretch, {last:.3} in the last one.")
            .expect(TAKES_ALL);
    }
    let neighbors = new_neighbors(spec, checked, state);
    if !neighbors.is_empty() {
        text.push_str("\n| nearest piece of the decks | cosine |\n|---|---|\n");
    }
    for NewNeighbor { piece, cosine, .. } in neighbors {
        let name = described(checked, piece.into());
        writeln!(text, "| {name} | {cosine:.3} |").expect(TAKES_ALL);
    }
    text
}

/// Returns a change in points of score.
fn points(IntervalEstimate { mean, low, high, .. }: IntervalEstimate) -> String {
    let [mean, low, high] = [mean, low, high].map(|it| 100.0 * it);
    format!("{mean:+.1} ({low:+.1} to {high:+.1})")
}

fn definition(checked: &CheckedImpact, piece: u32) -> Option<&PieceDefinition> {
    checked.pool.definition(PieceId(u16::try_from(piece).ok()?))
}

/// Names a piece by its name and number, for a table of Markdown.
fn piece_name(checked: &CheckedImpact, piece: u32) -> String {
    let name = definition(checked, piece).map_or("", |it| it.name.as_str());
    // A name is a person's; the table's columns are not.
    format!("{} ({piece})", name.replace('|', "/"))
}

/// Describes a piece: its name, its numbers and its skills.
fn described(checked: &CheckedImpact, piece: u32) -> String {
    let name = piece_name(checked, piece);
    let Some(it) = definition(checked, piece) else { return name };
    let numbers =
        format!("{name}: {}, cost {}, HP {}, attack {}", it.attribute, it.cost, it.hp, it.attack);
    let skill = it.skill.as_ref().map(PieceText::effect);
    let combo = it.combo.as_ref().map(|effect| format!("combo: {}", PieceText::effect(effect)));
    [Some(numbers), skill, combo].into_iter().flatten().collect::<Vec<_>>().join("; ")
}
