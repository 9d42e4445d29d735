//! Curves of losses: that of imitation and that of prediction have each its own figure.

use hatchery_core::findings::{FindingBlock, FindingSection};

use crate::studies::imitate::report::rates::RunView;
use crate::studies::loss_curve::{loss_chart, loss_words, named_losses};

/// Returns the curves of losses; none before the first steps.
pub(super) fn losses(run: &RunView<'_>) -> Option<FindingSection> {
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
