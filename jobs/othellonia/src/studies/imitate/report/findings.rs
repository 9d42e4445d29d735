//! What networks that imitate have learned.

use hatchery_core::Findings;
use hatchery_core::findings::{FindingBlock, FindingSection, KeyFact, RichText, words};
use hatchery_core::text::{counted, grouped, joined};

use super::rates::{ArmCurve, ArmLook, RunView};
use super::strength;
use crate::params::encoding_param::EncodingParam;
use crate::studies::finding_parts::{
    claim_table, early, ended_early, for_other_runs, hidden_words,
};
use crate::studies::imitate::check::CheckedVectors;
use crate::studies::loss_curve::{loss_chart, loss_words, named_losses};
use crate::studies::network_findings::file_lines;
use crate::studies::vector_learning::recorded_sums;
use crate::studies::win_rates::{NetworkGames, comparison};

/// Returns the findings.
pub(super) fn findings(run: &RunView<'_>) -> Findings {
    let RunView { checked, state, curves } = *run;
    let arms: Vec<_> = curves.iter().map(|curve| curve.arm.words()).collect();
    let title = format!(
        "Networks that imitate, with {}: {}, {} on {}",
        joined(arms),
        hidden_words(&checked.spec.learn.hidden),
        counted(checked.spec.learn.all_steps(), "step"),
        counted(
            2 * u64::from(checked.spec.games.files) * u64::from(checked.spec.games.pairs),
            "game"
        )
    );
    let learners = checked.networks.iter().zip(state.networks.iter().map(|it| &it.learner));
    let sections = [
        ended_early(failures(run)),
        strength::strength(run),
        strength::decks(run),
        strength::seeds(run),
        losses(run),
        Some(claims(curves)),
        for_other_runs(file_lines(learners, state.vectors)),
    ];
    Findings {
        title: title.into(),
        summary: summary(run),
        key_facts: key_facts(run),
        sections: sections.into_iter().flatten().collect(),
        method: method(run),
    }
}

fn failures(run: &RunView<'_>) -> Vec<RichText> {
    let RunView { checked, state, .. } = *run;
    let networks = checked.networks.iter().zip(&state.networks);
    let networks = networks.filter_map(|(network, it)| {
        let reason = it.failure.as_ref()?;
        Some(early(&network.words(checked.spec.seeds), " and keeps its last good weights", reason))
    });
    let mut reasons: Vec<_> = networks.collect();
    let vectors = state.learning.failure.iter();
    reasons.extend(vectors.map(|it| early("Vectors", ", and those so far are used", it)));
    reasons.extend(state.failure.iter().map(|it| early("The run", "", it)));
    reasons
}

fn summary(run: &RunView<'_>) -> RichText {
    let RunView { checked, state, curves } = *run;
    let mut words = RichText::default();
    let mut looks = curves.iter().filter_map(|it| Some((it.arm.words(), it.looks.last()?)));
    let Some((arm, look)) = looks.next() else {
        if state.games.is_empty() {
            return "The games to learn from have not been played yet.".into();
        }
        let steps = curves.iter().map(|curve| curve.steps).max().unwrap_or(0);
        let (steps, all) = (grouped(steps), counted(checked.spec.learn.all_steps(), "step"));
        return format!(
            "Networks have taken {steps} of {all}, and no games have shown yet how well they play."
        )
        .into();
    };
    let after = |steps: u64| counted(steps, "step");
    words = words
        .plain(format!("After {} ", after(look.steps)))
        .strong(format!(
            "the network with {arm} wins {} of its games against the agent {}",
            words::percent(look.rate().mean, 1),
            checked.opponent_name
        ))
        .soft(format!(" ({})", words::percent_interval(&look.rate())));
    for (arm, other) in looks {
        words = words.plain(format!(", the one with {arm} "));
        if other.steps != look.steps {
            words = words.plain(format!("after {} ", after(other.steps)));
        }
        words = words.join(RichText::percent(other.rate()));
    }
    words = words.plain(".");
    match vectors_and_one_hot(curves) {
        Comparison::Found { steps, words: found } => {
            let found = RichText::new(format!(" After {}, ", after(steps))).join(found);
            words.join(found).plain(".")
        }
        Comparison::Missing(_) => words,
    }
}

fn key_facts(run: &RunView<'_>) -> Vec<KeyFact> {
    let facts = run.curves.iter().filter_map(|curve| {
        let rate = curve.looks.last()?.rate();
        Some(KeyFact {
            name: format!("Won with {}", curve.arm.words()),
            value: words::percent(rate.mean, 1),
            note: format!(
                "{}, against {}",
                words::percent_interval(&rate),
                run.checked.opponent_name
            ),
        })
    });
    facts.take(2).collect()
}

/// A comparison of two arms.
enum Comparison {
    /// What was found after so many steps of both.
    Found { steps: u64, words: RichText },
    /// The reason for there being none.
    Missing(&'static str),
}

/// Compares the win rates with vectors and with one-hot after as many steps.
fn vectors_and_one_hot(curves: &[ArmCurve]) -> Comparison {
    let curve = |arm| curves.iter().find(|curve| curve.arm == arm);
    let (Some(vectors), Some(one_hot)) =
        (curve(EncodingParam::Vectors), curve(EncodingParam::OneHot))
    else {
        return Comparison::Missing("not run: it needs the arms vectors and one-hot");
    };
    let mut pairs = vectors.looks.iter().rev().filter_map(|look| {
        let other = one_hot.looks.iter().find(|other| other.steps == look.steps)?;
        let games = [look, other].map(|look: &ArmLook| NetworkGames(&look.networks));
        let words = comparison(["vectors", "one-hot"], games)?;
        Some(Comparison::Found { steps: look.steps, words })
    });
    pairs.next().unwrap_or(Comparison::Missing("no games after as many steps with both"))
}

/// Returns the claims of the paper beside what the run shows.
fn claims(curves: &[ArmCurve]) -> FindingSection {
    let ours = match vectors_and_one_hot(curves) {
        Comparison::Found { steps, words } => {
            RichText::new(format!("after {}, ", counted(steps, "step"))).join(words)
        }
        Comparison::Missing(reason) => reason.into(),
    };
    let speed = RichText::new("the ratio of the work of two runs, ")
        .code("speed-vectors")
        .plain(" and ")
        .code("speed-one-hot");
    let rows = [
        ("The win rate per step is about equal with vectors and with one-hot", ours),
        ("Inputs of 5,649 and 74,570 columns", "5,649 and 74,564 for 925 kinds".into()),
        ("5.6 times the time for 500,000 steps with one-hot, on a GPU", speed),
    ];
    let limits = "Hidden sizes, batch, rate and the win rates themselves are in images of the \
                  paper that our copy lacks: no number here is the paper's. Its logs are of human \
                  players, ours of rule-based agents; its opponent, pieces and decks are not ours \
                  either.";
    let blocks = vec![claim_table("Kono et al., 9.2", &rows), FindingBlock::text(limits)];
    FindingSection::new("Claims of the paper", blocks)
}

/// Returns the curves of losses, imitation and prediction each in a figure of its own; none before
/// the first steps.
fn losses(run: &RunView<'_>) -> Option<FindingSection> {
    let RunView { checked, state, .. } = *run;
    let mut blocks = Vec::new();
    let networks = checked.networks.iter().zip(&state.networks);
    let curves: Vec<_> = networks
        .filter(|(_, it)| !it.curve.is_empty())
        .map(|(network, it)| named_losses(network.words(checked.spec.seeds), &it.curve))
        .collect();
    if !curves.is_empty() {
        let chart = loss_chart("Loss of imitation", &curves);
        let caption = "Loss of imitation: the cross entropy of put and not put, mean of the rows \
                       of each stretch of steps. Rows are those that are learned from, so that a \
                       loss has no interval, and a low one can be learned by heart.";
        blocks.push(FindingBlock::figure("losses", chart.picture(), caption));
    }
    if let Some(words) = loss_words(&state.learning.curve) {
        let curve = named_losses("prediction", &state.learning.curve);
        let chart = loss_chart("Loss of the prediction that vectors are learned from", &[curve]);
        let caption = format!(
            "Loss of the prediction that vectors are learned from, another kind of loss: {words}."
        );
        blocks.push(FindingBlock::figure("prediction-losses", chart.picture(), caption));
    }
    (!blocks.is_empty()).then(|| FindingSection::new("Learning", blocks))
}

fn method(run: &RunView<'_>) -> Vec<FindingBlock> {
    let RunView { checked, state, .. } = *run;
    let [games, placements] = recorded_sums(&state.games);
    let vectors = match checked.vectors {
        CheckedVectors::Learned { .. } => {
            let steps = counted(state.learning.steps(), "step");
            format!(" Vectors were learned from the same games, in {steps}.")
        }
        CheckedVectors::None | CheckedVectors::Random | CheckedVectors::File(_) => String::new(),
    };
    let learning = format!(
        "Networks learn from {} with {}.{vectors}",
        counted(games, "game"),
        counted(placements, "decision"),
    );
    let strength = "Networks play their best actions against their opponent, each with the same \
                    deck as the opponent, from both sides. Win rates count won games, of all \
                    networks of an arm together; intervals are those of Wilson at 95 %.";
    vec![FindingBlock::text(learning), FindingBlock::text(strength)]
}
