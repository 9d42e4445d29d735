//! The vector of the new piece.

use hatchery_core::findings::{FindingBlock, FindingSection};
use hatchery_core::text::counted;

use crate::studies::impact::report::table::{neighbors, new_neighbors};
use crate::studies::impact::spec::CheckedImpact;
use crate::studies::impact::state::ImpactState;
use crate::studies::loss_curve::{loss_chart, loss_words, named_losses};
use crate::studies::vector_learning::recorded_sums;

/// Returns how the vector was learned, and the pieces whose vectors are nearest; none if it is not
/// learned.
pub(super) fn vector(checked: &CheckedImpact, state: &ImpactState) -> Option<FindingSection> {
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
