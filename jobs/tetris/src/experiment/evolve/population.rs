//! The measures of a population that only its tallies show: the distribution of fitness, and
//! intervals of its best and its mean.

use hatchery_core::{IntervalEstimate, Measure, MeasureValue};
use hatchery_evolve::MeanScore;
use hatchery_stats::{five_number_summary, stratified_mean_estimate};

use super::race::{RaceOutcome, race};
use super::report::{BEST, MEAN, QUANTILES, measures};
use super::spec::EvolveSpec;
use super::state::{EvolvePhase, EvolveState};
use crate::experiment::estimator::{PlayerResults, score};
use crate::rules::BoardSize;
use crate::wire::GameTally;

/// Returns the measures of `next` after the generation that started from `begun`. If it has scored
/// a population: with the five-number summary of the individuals' fitness, and with intervals for
/// the best and the mean where tallies tell.
///
/// They do not where games are stopped before they end, as an allocation of games does. The best
/// has an interval if it is an individual with the games of this generation only: not if scores are
/// pooled over generations, and not the center of a distribution. The mean has one if individuals
/// play games; with splitting, it has none.
pub(super) fn generation_measures(
    spec: &EvolveSpec,
    begun: &EvolveState,
    tallies: &[GameTally],
    next: &EvolveState,
) -> Vec<Measure> {
    let mut measures = measures(spec, next);
    let size = spec.trials().0.game.rules.size;
    let scores = match &begun.phase {
        EvolvePhase::Evolving { .. } => {
            set_interval(&mut measures, BEST, best_interval(tallies, size, next.best));
            set_interval(&mut measures, MEAN, mean_interval(tallies));
            tallies.iter().map(|games| score(games, size)).collect()
        }
        EvolvePhase::Racing { rounds, .. } => match race(spec, rounds.iter().cloned(), tallies) {
            RaceOutcome::Scored(scores) => scores.concat(),
            RaceOutcome::Next(_) => Vec::new(),
        },
        _ => Vec::new(),
    };
    let fitness = scores.iter().copied().map(MeanScore::mean).collect();
    let quantiles = five_number_summary(fitness).into_iter().flatten();
    measures.extend(
        QUANTILES.iter().zip(quantiles).map(|(name, value)| Measure::new(*name, "lines", value)),
    );
    measures
}

/// Turns the measure `name` into an estimate, if there is an interval.
fn set_interval(measures: &mut [Measure], name: &str, interval: Option<IntervalEstimate>) {
    let measure = measures.iter_mut().find(|measure| measure.name == name);
    if let (Some(measure), Some(interval)) = (measure, interval) {
        measure.value = MeasureValue::Estimate(interval);
    }
}

/// Returns the interval of the individual whose games are the score `best`.
fn best_interval(
    tallies: &[GameTally],
    size: BoardSize,
    best: MeanScore,
) -> Option<IntervalEstimate> {
    let games = tallies.iter().find(|games| score(games, size) == best)?;
    PlayerResults::from(games.clone()).mean(size)
}

/// Returns the interval of the mean over all individuals, if they have played games.
fn mean_interval(tallies: &[GameTally]) -> Option<IntervalEstimate> {
    let games: Vec<_> =
        tallies.iter().map(|games| PlayerResults::from(games.clone()).summary()).collect();
    let has_games = tallies.iter().all(|games| games.splits.is_empty());
    has_games.then(|| stratified_mean_estimate(&games))
}
