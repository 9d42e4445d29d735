//! The method, as the findings tell it: games, intervals and where the numbers come from.

use hatchery_core::findings::RichText;
use hatchery_core::text::{counted, grouped};

use crate::params::estimator_param::EstimatorParam;
use crate::params::game_params::DrawParams;
use crate::splitting::{LevelClimbs, SplittingConfig};
use crate::studies::evaluate::spec::EvaluateSpec;
use crate::studies::player_results::PlayerResults;
use crate::studies::wording;

/// Returns the method: games, limits and intervals.
pub(super) fn method(spec: &EvaluateSpec, results: &[PlayerResults]) -> Vec<RichText> {
    let controllers = counted(spec.controllers.len(), "controller");
    let n_conditions = (spec.boards.len() * spec.draws.len()) as u64;
    let conditions = match n_conditions {
        1 => String::new(),
        n => format!(" in each of {}", counted(n, "condition")),
    };
    let fixed = match spec.draws.iter().any(DrawParams::is_fixed) {
        true => " The pieces of a list or of a seed are one game, whose lines are exact.",
        false => "",
    };
    let who = match spec.estimator {
        EstimatorParam::Games => format!(
            "{controllers}, {} of each{conditions}, each game with a sequence of pieces of its \
             own: on the same pieces, scores of two controllers hardly correlate, so common ones \
             would gain nothing.{fixed}",
            counted(spec.games, "game")
        ),
        EstimatorParam::Splitting => {
            format!("{controllers}, {} of each{conditions}.", replicates(spec))
        }
    };
    let rules = wording::rules(spec.overflow, spec.max_pieces);
    let stopped: u64 = results.iter().map(PlayerResults::n_capped).sum();
    let stopped = match (spec.estimator, results) {
        (EstimatorParam::Splitting, _) | (_, []) => String::new(),
        (EstimatorParam::Games, _) => format!(" Games so stopped: {}.", grouped(stopped)),
    };
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
    let ratios = "Ratios combine the intervals of both means (MOVER, Zou & Donner 2008); they are \
                  not corrected for the number of comparisons.";
    vec![
        who.into(),
        format!("{rules}{stopped}").into(),
        format!("{intervals} {ratios}").into(),
        files(spec),
    ]
}

fn replicates(spec: &EvaluateSpec) -> String {
    let SplittingConfig { down, first_level, step, climbs, streams, burn_in, pieces } =
        &spec.splitting;
    let [burn_in, pieces] = [*burn_in, *pieces].map(grouped);
    let climbs = match climbs {
        LevelClimbs::Same(number) => {
            format!("{} climbs or more from each level", grouped(*number))
        }
        LevelClimbs::Each(numbers) => {
            let numbers: Vec<_> = numbers.iter().map(|&number| grouped(number)).collect();
            format!("at least {} climbs from the levels, the lowest first", numbers.join(" / "))
        }
    };
    format!(
        "{} of an estimate by multilevel splitting, which multiplies the rates at which the wall \
         rises from one height to the next (from height {first_level} on, in steps of {step}; a \
         wall of height {down} is down again; {climbs}; {} of \
         {pieces} pieces each after {burn_in})",
        counted(spec.games, "replicate"),
        counted(*streams, "stream")
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
