//! The measures of a population that only its tallies show: the distribution of fitness, and
//! intervals of its best and its mean.

use hatchery_core::{IntervalEstimate, Measure, MeasureValue};
use hatchery_evolve::{MeanScore, ScoringRound, StageOutcome};
use hatchery_stats::{five_number_summary, sampled_mean_estimate, stratified_mean_estimate};

use super::report::{BEST, MEAN, QUANTILES, measures};
use super::spec::{CheckedEvolve, EvolveSpec};
use super::state::{EvolvePhase, EvolveState};
use crate::rules::BoardSize;
use crate::studies::genotype::score_by_finished_games;
use crate::studies::player_results::{PlayerResults, score};
use crate::trial::results::GameTally;

/// Returns the measures of `next` after the generation that started from `begun`. If it has scored
/// a population: with the five-number summary of the individuals' fitness, and with intervals for
/// the best and the mean where tallies tell.
///
/// They do not where games are stopped before they end, as an allocation of games does. The best
/// has an interval if it is an individual, and not the center of a distribution; if its score is
/// pooled over generations, the spread of its games is that of its games in this one. The mean has
/// one if individuals play games; with splitting, it has none.
pub(super) fn generation_measures(
    checked: &CheckedEvolve,
    begun: &EvolveState,
    tallies: &[GameTally],
    next: &EvolveState,
) -> Vec<Measure> {
    let CheckedEvolve { spec, fitness, .. } = checked;
    let mut measures = measures(checked, next);
    let size = fitness.game.rules.size;
    let scores = match &begun.phase {
        EvolvePhase::Evolving { replicates, .. } => {
            let before = replicates.iter().flat_map(|it| it.before(spec.optimizer_config()));
            let before: Vec<_> = before.collect();
            set_interval(&mut measures, BEST, best_interval(tallies, &before, size, next.best));
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

/// Returns the interval of the individual with the score `best`; `before` are the scores of earlier
/// generations that count.
fn best_interval(
    tallies: &[GameTally],
    before: &[MeanScore],
    size: BoardSize,
    best: MeanScore,
) -> Option<IntervalEstimate> {
    let mut individuals = tallies.iter().zip(before);
    let is_best =
        |(games, before): &(&GameTally, &MeanScore)| before.pooled(score(games, size)) == best;
    let (games, before) = individuals.find(is_best)?;
    let results = PlayerResults::from(games);
    if *before == MeanScore::default() {
        return results.mean(size);
    }
    let has_games = games.splits.is_empty();
    has_games.then(|| sampled_mean_estimate(best.mean(), best.n, &results.summary()))
}

/// Returns the interval of the mean over all individuals, if they have played games.
fn mean_interval(tallies: &[GameTally]) -> Option<IntervalEstimate> {
    let games: Vec<_> = tallies.iter().map(|games| PlayerResults::from(games).summary()).collect();
    let has_games = tallies.iter().all(|games| games.splits.is_empty());
    has_games.then(|| stratified_mean_estimate(&games))
}

/// The outcome of a stage in all replicates, whose stages are the same.
pub(super) enum RaceOutcome {
    /// The rounds with their next stage.
    Next(Vec<ScoringRound>),
    /// Every replicate's scores, individual by individual.
    Scored(Vec<Vec<MeanScore>>),
}

/// Records a stage's `tallies` in the rounds, one round per replicate.
pub(super) fn race(
    spec: &EvolveSpec,
    rounds: impl IntoIterator<Item = ScoringRound>,
    tallies: &[GameTally],
) -> RaceOutcome {
    let mut scores = tallies.iter().map(score_by_finished_games);
    let (mut next, mut scored) = (Vec::new(), Vec::new());
    for round in rounds {
        let n_active = round.active().count();
        let stage: Vec<_> = scores.by_ref().take(n_active).collect();
        match round.record(stage, spec.fitness.allocation.as_ref()) {
            StageOutcome::Next(round) => next.push(round),
            StageOutcome::Scored(scores) => scored.push(scores),
        }
    }
    if next.is_empty() { RaceOutcome::Scored(scored) } else { RaceOutcome::Next(next) }
}
