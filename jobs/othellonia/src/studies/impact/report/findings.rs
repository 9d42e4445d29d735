//! What a new piece changes.

use hatchery_core::findings::{FindingBlock, FindingSection, KeyFact, RichText, words};
use hatchery_core::text::{counted, leading_digits};
use hatchery_core::{Findings, IntervalEstimate};
use hatchery_stats::{deciding_chance, further_samples};

use super::table::{change_chart, change_rows, changes, neighbors, new_neighbors};
use crate::studies::finding_parts::{
    agent_line, early, ended_early, for_other_runs, piece_name, piece_words,
};
use crate::studies::impact::check::CheckedImpact;
use crate::studies::impact::state::{ImpactLook, ImpactState};
use crate::studies::loss_curve::{loss_chart, loss_words, named_losses};
use crate::studies::vector_learning::recorded_sums;

/// A run as its findings see it.
#[derive(Clone, Copy)]
pub(super) struct RunView<'a> {
    pub(super) checked: &'a CheckedImpact,
    pub(super) state: &'a ImpactState,
}

/// Returns the findings.
pub(super) fn findings(run: &RunView<'_>) -> Findings {
    let RunView { checked, state } = *run;
    let title = format!(
        "The impact of the new piece {} on {}, played by the agent {}",
        piece_name(&checked.pool, checked.piece),
        counted(checked.hosts.len(), "deck"),
        checked.spec.agent.text()
    );
    let mut sections: Vec<FindingSection> = ended_early(failures(state)).into_iter().collect();
    sections.extend(change_section(run));
    sections.extend(vector(checked, state));
    sections.extend(tuning(state));
    sections.extend(for_other_runs(files(state)));
    Findings {
        title: title.into(),
        summary: summary(run),
        key_facts: key_facts(state),
        sections,
        method: method(run),
    }
}

fn failures(state: &ImpactState) -> Vec<RichText> {
    let vector = state.learning.failure.iter();
    let mut reasons: Vec<_> =
        vector.map(|it| early("The vector", ", and that so far is used", it)).collect();
    reasons.extend(state.failure.iter().map(|it| early("The run", "", it)));
    let tuning = state.tuning.failure.iter();
    reasons.extend(tuning.map(|it| early("Tuning", ", and keeps its last good weights", it)));
    reasons
}

fn summary(run: &RunView<'_>) -> RichText {
    let RunView { checked, state, .. } = *run;
    let piece = piece_name(&checked.pool, checked.piece);
    let mut words = verdict(run, &piece).unwrap_or_default();
    for (agent, look) in state.looks() {
        words = words.plain(" ").join(finding(&piece, look));
        words = match (agent, checked.tune.is_some()) {
            ("tuned", _) => words.plain(", with the tuned agent."),
            (_, true) => words.plain(", with the agent as it is."),
            (_, false) => words.plain("."),
        };
    }
    if words.is_empty() {
        return match (&state.extended, state.games.is_empty()) {
            (None, true) if checked.vector.is_some() => {
                "The games that the vector of the new piece is learned from have not been played \
                 yet."
            }
            (None, false) => "The vector of the new piece is being learned.",
            _ => "The games that count have not been played yet.",
        }
        .into();
    }
    words
}

/// Says whether the piece is too strong, by the games of the agent that has learned most about the
/// piece; `None` without games.
fn verdict(run: &RunView<'_>, piece: &str) -> Option<RichText> {
    let RunView { checked, state } = *run;
    let change = state.looks().last()?.1.all.estimate()?;
    let bound = checked.too_strong;
    let words = RichText::default();
    let words = if bound <= change.low {
        words.strong(format!("{piece} is too strong"))
    } else if change.high < bound {
        words.strong(format!("{piece} is not too strong"))
    } else {
        words.strong(format!("It is undecided whether {piece} is too strong"))
    };
    let n_hosts = checked.hosts.len();
    let together = match n_hosts {
        1 => String::new(),
        n => format!(" over {} together", counted(n, "deck")),
    };
    let words = words.plain(format!(
        "{together}, where {} points of score and more are too much.",
        words::signed_points(bound).trim_start_matches('+')
    ));
    let words = match best_change(run) {
        Some((deck, change)) if 1 < n_hosts => words
            .plain(format!(" It does best in the deck {deck}: "))
            .join(words::points(change))
            .plain(" of score."),
        _ => words,
    };
    let words = match further_samples(&change, bound) {
        Some(0) => words,
        Some(further) => words.plain(format!(
            " About {} (pairs = {}) would decide that {}, if the change is as estimated.",
            counted(leading_digits(further), "more trial"),
            wanted_pairs(checked.spec.pairs, further, change.n),
            deciding_chance()
        )),
        None => words.plain(
            " The estimate is so close to the limit that a thousand times as many games may not \
             decide that.",
        ),
    };
    Some(match checked.spec.agent.caveat() {
        Some(caveat) => words.plain(" ").plain(caveat),
        None => words,
    })
}

/// Returns the deck that gains most from the piece, by the latest look, and the change of its
/// score.
fn best_change<'a>(run: &RunView<'a>) -> Option<(&'a str, IntervalEstimate)> {
    let RunView { checked, state, .. } = *run;
    let hosts = checked.hosts.iter().zip(&state.looks().last()?.1.hosts);
    let changes = hosts.filter_map(|(host, it)| Some((host.name.as_str(), it.estimate()?)));
    changes.max_by(|a, b| a.1.mean.total_cmp(&b.1.mean))
}

/// Returns the parameter `pairs` that brings so many further trials to the `n` so far.
fn wanted_pairs(pairs: u32, further: u64, n: u64) -> u64 {
    let all = u128::from(pairs) * (u128::from(n) + u128::from(further));
    let wanted = u64::try_from(all.div_ceil(u128::from(n.max(1)))).unwrap_or(u64::MAX);
    leading_digits(wanted)
}

/// Says in a sentence whether the piece changes the score.
fn finding(piece: &str, look: &ImpactLook) -> RichText {
    let Some(change) = look.all.estimate() else {
        return "There are no games to tell a change by".into();
    };
    let words = RichText::default();
    let words = if 0.0 < change.low {
        words.strong(format!("{piece} makes its decks stronger")).plain(", by ")
    } else if change.high < 0.0 {
        words.strong(format!("{piece} makes its decks weaker")).plain(", by a change of ")
    } else {
        words.strong("No change is shown").plain(": ")
    };
    words.join(words::points(change)).plain(" of score")
}

fn key_facts(state: &ImpactState) -> Vec<KeyFact> {
    let facts = state.looks().filter_map(|(agent, look)| {
        let change = look.all.estimate()?;
        let name = match agent {
            "tuned" => "Change with the tuned agent",
            _ => "Change of the score",
        };
        Some(KeyFact {
            name: name.to_owned(),
            value: format!("{} points", words::signed_points(change.mean)),
            note: format!("{}, over all decks", words::interval(&change, words::signed_points)),
        })
    });
    facts.take(2).collect()
}

fn change_section(run: &RunView<'_>) -> Option<FindingSection> {
    let RunView { checked, state, .. } = *run;
    let look = state.zero_shot.as_ref()?;
    let trials = look.all.trials();
    let caption = format!(
        "Change of the score of each deck with the new piece, over {}: right of the line, the \
         piece makes the deck stronger. Lines are intervals at 95 %.",
        counted(trials, "trial")
    );
    let chart = change_chart(checked, state).picture();
    let mut blocks = vec![FindingBlock::figure("impact", chart, caption)];
    for (agent, _) in state.looks() {
        let mut rows = change_rows(checked, state);
        rows.retain(|row| row.agent == agent && row.is_of_all_enemies());
        let caption = match (agent, state.tuned.is_some()) {
            ("tuned", _) => "The change with the tuned agent.",
            (_, true) => "The change with the agent as it is.",
            (_, false) => "The change by deck.",
        };
        blocks.push(changes(&rows, checked).block(caption));
    }
    Some(FindingSection::new("Change of the score", blocks))
}

/// Returns how the agent was tuned; none before it was.
/// Returns how the vector was learned, and the pieces whose vectors are nearest; none if it is not
/// learned.
fn vector(checked: &CheckedImpact, state: &ImpactState) -> Option<FindingSection> {
    checked.vector.as_ref()?;
    let [games, _] = recorded_sums(&state.games);
    let steps = state.learning.steps();
    let about = format!(
        "The agent has never met the piece. {} of rule-based agents with decks that hold it, \
         and {}, gave the piece a vector in the space of those that the agent has, which stay as \
         they are; nothing else of the agent changes.",
        counted(games, "game"),
        counted(steps, "step")
    );
    let mut blocks = vec![FindingBlock::text(about)];
    let rows = new_neighbors(checked, state);
    if !rows.is_empty() {
        let caption = "The pieces of the decks whose vectors are nearest to that of the new piece. \
                       The cosine is 1 for vectors of the same direction.";
        blocks.push(neighbors(&rows, checked).block(caption));
    }
    if let Some(words) = loss_words(&state.learning.curve) {
        let curve = named_losses("prediction", &state.learning.curve);
        let chart = loss_chart("Loss of the prediction that the vector is learned from", &[curve]);
        let caption = format!(
            "Loss of the prediction that the vector is learned from, mean of the rows of each \
             stretch of steps: {words}."
        );
        blocks.push(FindingBlock::figure("prediction-losses", chart.picture(), caption));
    }
    Some(FindingSection::new("Vector of the new piece", blocks))
}

fn tuning(state: &ImpactState) -> Option<FindingSection> {
    let tuning = &state.tuning;
    if tuning.curve.is_empty() {
        return None;
    }
    let caption = format!(
        "Loss of tuning, mean of the rows of each stretch of steps: {} and {} with the hosts, the \
         hosts with the new piece and the field. The tuned agent plays both sides, with and \
         without the piece.",
        counted(tuning.games, "game"),
        counted(tuning.steps(), "step")
    );
    let chart = loss_chart("Loss of tuning", &[named_losses("tuning", &tuning.curve)]);
    let figure = FindingBlock::figure("tuning-losses", chart.picture(), caption);
    Some(FindingSection::new("Tuning", vec![figure]))
}

fn files(state: &ImpactState) -> Vec<(&'static str, String, RichText)> {
    let line = |what: &str, file: &str, model| {
        let what = RichText::new(format!("{what}, ")).code(file);
        ("agent", agent_line(model), what)
    };
    let extended = state
        .extended
        .map(|model| line("the agent with the new vector", "agent-extended.safetensors", model));
    let tuned = state.tuning.learner.as_ref();
    let tuned = tuned.map(|it| line("the tuned agent", "agent-tuned.safetensors", it.model));
    extended.into_iter().chain(tuned).collect()
}

fn method(run: &RunView<'_>) -> Vec<FindingBlock> {
    let RunView { checked, .. } = *run;
    let piece = format!(
        "The new piece: {}, {}.",
        piece_name(&checked.pool, checked.piece),
        piece_words(&checked.pool, checked.piece)
    );
    let scores = "A trial is a pair of games with each deck that is met; a score is wins and half \
                  of the draws. Games with and without the piece have the same shuffles; the \
                  change is the mean of the differences of such trials, with a 95 % confidence \
                  interval. The variance ratio says how many times as many games would be needed \
                  without common shuffles.";
    vec![FindingBlock::text(piece), FindingBlock::text(scores)]
}
