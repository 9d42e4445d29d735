//! The method in sentences that no parameter says: sequences of pieces, intervals and files.

use hatchery_core::findings::{FindingBlock, RichText};
use hatchery_core::text::grouped;

use crate::params::estimator_param::EstimatorParam;
use crate::params::game_params::DrawParams;
use crate::studies::evaluate::spec::EvaluateSpec;
use crate::studies::player_results::PlayerResults;

/// Returns what was done.
pub(super) fn method(spec: &EvaluateSpec, results: &[PlayerResults]) -> Vec<FindingBlock> {
    let ratios = "Ratios combine the intervals of both means (MOVER, Zou & Donner 2008); they are \
                  not corrected for the number of comparisons.";
    let intervals = match spec.estimator {
        EstimatorParam::Games => {
            "Means have gamma intervals at 95 %, which suit scores that are nearly exponential \
             (Miyazaki & Arakawa, §2.1; Epstein & Sobel 1953), medians those of order statistics, \
             from six games on."
        }
        EstimatorParam::Splitting => {
            "Intervals of means are at 95 %, on the logarithmic scale with Student's quantile."
        }
    };
    let intervals = FindingBlock::text(format!("{intervals} {ratios}"));
    let games =
        (spec.estimator == EstimatorParam::Games).then(|| FindingBlock::text(games(spec, results)));
    games.into_iter().chain([intervals, FindingBlock::Text(files(spec))]).collect()
}

/// Says which games were played.
fn games(spec: &EvaluateSpec, results: &[PlayerResults]) -> String {
    let fixed = match spec.draws.iter().any(DrawParams::is_fixed) {
        true => " The pieces of a list or of a seed are one game, whose lines are exact.",
        false => "",
    };
    let stopped: u64 = results.iter().map(PlayerResults::n_capped).sum();
    let stopped = match results {
        [] => String::new(),
        _ => format!(" Stopped games: {}.", grouped(stopped)),
    };
    format!(
        "The score of a game is the number of removed rows. Each game has a sequence of pieces of \
         its own: on the same pieces, scores of two controllers hardly correlate, so common ones \
         would gain nothing.{fixed}{stopped}"
    )
}

fn files(spec: &EvaluateSpec) -> RichText {
    let (file, what) = match spec.estimator {
        EstimatorParam::Games => ("scores.csv", " the lines of each game."),
        EstimatorParam::Splitting => ("splits.csv", " the climbs of each replicate."),
    };
    let table = RichText::default().code("table.md");
    table.plain(" has all numbers in the form of the paper's Table 2, ").code(file).plain(what)
}
