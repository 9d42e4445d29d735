//! Scoring stage by stage: the individuals that still have a chance play more games.

use hatchery_evolve::{MeanScore, ScoringRound, StageOutcome};

use super::spec::EvolveSpec;
use crate::experiment::genotype::score_by_finished_games;
use crate::wire::GameTally;

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
