//! The spread of scores beside that of exponential ones.

use hatchery_core::findings::{FindingBlock, FindingSection};
use hatchery_figures::{HistogramBins, HistogramPanel, Histograms};

use crate::studies::evaluate::condition::{PlayedCondition, PlayedController};

/// The most histograms, and the fewest games that make one.
const MAX_PANELS: usize = 4;
const MIN_GAMES: usize = 100;
/// The bins reach to this many times the mean: of exponential scores, 0.7 % are beyond.
const MOST: f64 = 5.0;
const N_BINS: usize = 25;

/// Returns histograms of the scores in a condition; `None` if games were too few, or stopped.
pub(super) fn section(condition: &PlayedCondition<'_>) -> Option<FindingSection> {
    let ranking = condition.ranking();
    let is_shown = |it: &&PlayedController<'_>| {
        let results = it.results;
        MIN_GAMES <= results.lines.len()
            && results.n_capped() == 0
            && 0.0 < results.summary().mean()
    };
    let shown: Vec<_> = ranking.iter().filter(is_shown).take(MAX_PANELS).collect();
    let n_games = shown.first()?.results.lines.len();
    let bins = HistogramBins::between([0.0, MOST], N_BINS);
    let panels = shown.iter().map(|it| {
        let mean = it.results.summary().mean();
        #[expect(clippy::cast_precision_loss, reason = "for display")]
        let values = it.results.lines.iter().map(|lines| *lines as f64 / mean).collect();
        HistogramPanel { name: it.params.name.clone(), color: HistogramPanel::BARS, values }
    });
    let name = condition.name();
    let histograms = Histograms {
        title: format!("Scores on {name}, divided by the controller's mean"),
        heading: format!("Scores on {name}, divided by the controller's mean"),
        caption: "number of games; line: exponential scores; dashed: the mean".to_owned(),
        expected: expected(&bins, n_games),
        bins,
        marker: 1.0,
        panels: panels.collect(),
    };
    let caption = "Numbers of games by their score, divided by the controller's mean. The line is \
                   what exponential scores would have, as if a game could end by an accident that \
                   is as likely at any time (Miyazaki & Arakawa, §2.1); the dashed line is at the \
                   mean. The last bin has all higher scores as well.";
    let figure = FindingBlock::figure("score-spread", histograms.picture(), caption);
    Some(FindingSection::new(format!("How scores spread on {name}"), vec![figure]))
}

/// Returns the number of `n_games` exponential scores with a mean of 1 in each bin.
fn expected(bins: &HistogramBins, n_games: usize) -> Vec<f64> {
    #[expect(clippy::cast_precision_loss, reason = "for display")]
    let n = n_games as f64;
    let tail = |edge: f64| if edge < MOST { libm::exp(-edge) } else { 0.0 };
    bins.edges().map(|[low, high]| n * (libm::exp(-low) - tail(high))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_counts_add_up_to_all_games() {
        let expected = expected(&HistogramBins::between([0.0, MOST], N_BINS), 1000);
        assert!((expected.iter().sum::<f64>() - 1000.0).abs() < 1e-9, "{expected:?}");
        // 1 - exp(-0.2) of all scores are in the first bin.
        assert!((expected[0] - 181.27).abs() < 0.01, "{expected:?}");
    }
}
