//! What the vectors of pieces show.

use hatchery_core::findings::{FindingBlock, FindingSection, KeyFact, RichText, words};
use hatchery_core::text::{counted, grouped};
use hatchery_core::{Findings, IntervalEstimate};
use hatchery_figures::{ForestChart, ForestRow, Quantity};

use super::neighbors::{LEAST_PLACED, NeighborShares, NeighborTable};
use crate::studies::finding_parts::{
    early, ended_early, for_other_runs, hidden_words, vectors_line,
};
use crate::studies::loss_curve::{loss_chart, loss_words, named_losses};
use crate::studies::represent::spec::CheckedRepresent;
use crate::studies::represent::state::RepresentState;
use crate::studies::vector_learning::recorded_sums;

/// Returns the findings.
pub(super) fn findings(
    checked: &CheckedRepresent,
    state: &RepresentState,
    table: &NeighborTable<'_>,
) -> Findings {
    let shares = table.shares();
    let sections = [
        ended_early(state.failure.iter().map(|it| early("Learning", "", it)).collect()),
        neighbors(shares.as_ref(), table),
        losses(state),
        for_other_runs(vectors(state)),
    ];
    let title = format!(
        "Vectors of {} kinds of pieces: {} on {}, {}",
        grouped(checked.games.kinds()),
        counted(checked.spec.learn.all_steps(), "step"),
        counted(
            2 * u64::from(checked.spec.games.files) * u64::from(checked.spec.games.pairs),
            "game"
        ),
        hidden_words(&checked.spec.learn.hidden)
    );
    Findings {
        title: title.into(),
        summary: summary(checked, state, shares.as_ref()),
        key_facts: key_facts(state, shares.as_ref()),
        sections: sections.into_iter().flatten().collect(),
        method: method(state),
    }
}

fn summary(
    checked: &CheckedRepresent,
    state: &RepresentState,
    shares: Option<&NeighborShares>,
) -> RichText {
    let Some(NeighborShares { near_effect, all_effect, .. }) = shares else {
        if state.games.is_empty() {
            return "The games to learn from have not been played yet.".into();
        }
        let (steps, all) =
            (grouped(state.steps()), counted(checked.spec.learn.all_steps(), "step"));
        let so_far = RichText::new(format!("{steps} of {all} are done. "));
        return so_far.plain("Neighbors are known after the last one.");
    };
    let verdict = if *all_effect < near_effect.low {
        "Pieces that do alike have vectors alike"
    } else if near_effect.high < *all_effect {
        "Pieces that do alike have vectors farther apart than others"
    } else {
        "That pieces that do alike have vectors alike is not shown"
    };
    RichText::default()
        .strong(verdict)
        .plain(": ")
        .join(RichText::percent(*near_effect))
        .plain(" of the pieces have an effect in common with the piece whose vector is nearest, ")
        .plain(format!("and {} of any two pieces have one.", words::percent(*all_effect, 1)))
}

fn key_facts(state: &RepresentState, shares: Option<&NeighborShares>) -> Vec<KeyFact> {
    let near = shares.map(|shares| KeyFact {
        name: "Nearest pieces with a common effect".to_owned(),
        value: words::percent(shares.near_effect.mean, 1),
        note: format!(
            "{}; any two pieces {}",
            words::percent_interval(&shares.near_effect),
            words::percent(shares.all_effect, 1)
        ),
    });
    let loss = state.curve.first().zip(state.curve.last()).map(|(first, last)| KeyFact {
        name: "Loss of the prediction".to_owned(),
        value: format!("{:.3}", last.mean_loss()),
        note: format!("from {:.3} in the first stretch of steps", first.mean_loss()),
    });
    near.into_iter().chain(loss).collect()
}

fn neighbors(shares: Option<&NeighborShares>, table: &NeighborTable<'_>) -> Option<FindingSection> {
    let shares = shares?;
    let about = RichText::new(
        "Pieces that do alike get alike vectors (Kono et al., 8.3, without numbers). The nearest \
         piece is that with the largest cosine of the vectors. All neighbors of all pieces are in ",
    );
    let caption = format!(
        "How often the nearest piece has something in common with a piece, beside how often any \
         two pieces have it. Lines are intervals at 95 % over {}.",
        counted(shares.near_effect.n, "piece")
    );
    Some(FindingSection::new(
        "Nearest pieces",
        vec![
            FindingBlock::text(about.code("neighbors.csv").plain(".")),
            FindingBlock::figure("neighbors", shares_chart(shares).picture(), caption),
            table.block(),
        ],
    ))
}

fn shares_chart(shares: &NeighborShares) -> ForestChart {
    let row = |name: &str, quantity: Quantity| ForestRow {
        name: name.to_owned(),
        quantity: quantity.scaled(100.0),
    };
    let near = |rate: IntervalEstimate| Quantity::from(rate);
    let NeighborShares { near_effect, all_effect, near_attribute, all_attribute } = *shares;
    ForestChart {
        title: "What nearest pieces have in common".to_owned(),
        x_label: "share of pairs, %".to_owned(),
        x_shown: vec![0.0, 100.0],
        reference: None,
        rows: vec![
            row("an effect, nearest pieces", near(near_effect)),
            row("an effect, any two pieces", Quantity::Exact(all_effect)),
            row("the attribute, nearest pieces", near(near_attribute)),
            row("the attribute, any two pieces", Quantity::Exact(all_attribute)),
        ],
    }
}

fn losses(state: &RepresentState) -> Option<FindingSection> {
    let words = loss_words(&state.curve)?;
    let chart = loss_chart(
        "Loss of the prediction of outcomes",
        &[named_losses("prediction", &state.curve)],
    );
    let caption = format!(
        "Loss of the prediction of what a placement leads to, mean of the rows of each stretch of \
         steps: {words}. Rows are those that are learned from, so that a loss has no interval."
    );
    Some(FindingSection::new(
        "Learning",
        vec![FindingBlock::figure("losses", chart.picture(), caption)],
    ))
}

fn vectors(state: &RepresentState) -> Vec<(&'static str, String, RichText)> {
    let learner = state.learner.iter();
    let line = learner.map(|learner| {
        let file = RichText::new("the vectors, ").code("vectors.safetensors");
        ("vectors", vectors_line(learner.model), file)
    });
    line.collect()
}

fn method(state: &RepresentState) -> Vec<FindingBlock> {
    let [games, placements] = recorded_sums(&state.games);
    let learning = format!(
        "From {} with {}, a network learns to predict what a placement leads to (Kono et al., 8) \
         from the state, the action and a vector of 30 numbers in the place of the piece; the \
         vector is learned with the network. Decks and agents are drawn for each pair of games.",
        counted(games, "game"),
        counted(placements, "placement"),
    );
    let shares = format!(
        "Shares: pieces without a skill are left out, and so are those that were placed fewer \
         than {LEAST_PLACED} times. Intervals are those of Wilson at 95 %, as if the neighbors of \
         different pieces were independent."
    );
    vec![FindingBlock::text(learning), FindingBlock::text(shares)]
}
