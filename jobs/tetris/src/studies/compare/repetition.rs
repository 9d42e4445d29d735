//! One repetition of a search, and the points of its learning curve.

use hatchery_core::{Series, StreamRng};
use hatchery_evolve::{MeanScore, Optimizer, ScoringRound, StageOutcome};
use serde::{Deserialize, Serialize};

use super::spec::{CheckedCompare, CompareSpec, SearchParams};
use crate::studies::genotype::score_by_finished_games;
use crate::trial::results::GameTally;
use crate::trial::setup::TetrisPlayer;

/// A repetition of a search, between two stages.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SearchRepetition {
    search: Optimizer,
    round: ScoringRound,
    /// The generations that were scored.
    generation: u32,
    /// The pieces that the repetition has spent.
    pieces: u64,
    /// The best genome after the last generation that was scored; empty before the first.
    best: Vec<f32>,
    /// The index of the next point; the number of points when the search has ended.
    next_point: u32,
    n_points: u32,
    points: Vec<LearningCurvePoint>,
}

/// A point of a learning curve.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct LearningCurvePoint {
    /// The index of the point on the curve.
    pub(super) idx: u32,
    result: PointResult,
}

/// The result of a search at a point.
#[derive(Debug, Serialize, Deserialize)]
enum PointResult {
    /// A genome that has yet to play.
    Pending(Vec<f32>),
    /// The score of the genome.
    Scored(MeanScore),
}

impl LearningCurvePoint {
    /// Returns the score of the point, if it has played.
    pub(super) fn score(&self) -> Option<MeanScore> {
        match &self.result {
            PointResult::Pending(_) => None,
            PointResult::Scored(score) => Some(*score),
        }
    }
}

impl SearchRepetition {
    pub(super) fn begin(spec: &CompareSpec, search: &SearchParams, rng: &mut StreamRng) -> Self {
        let n_genes = spec.genotype().n_genes();
        let optimizer_config = search.optimizer_config();
        let search = Optimizer::begin(search.population, n_genes, optimizer_config, rng);
        Self {
            round: ScoringRound::begin(search.before(optimizer_config)),
            search,
            generation: 0,
            pieces: 0,
            best: Vec::new(),
            next_point: 0,
            n_points: spec.points,
            points: Vec::new(),
        }
    }

    /// Returns the points that were reached; points before the end of the first generation are left
    /// out.
    pub(super) fn points(&self) -> &[LearningCurvePoint] {
        &self.points
    }

    /// Returns true if the search has ended and all points have played.
    pub(super) fn is_done(&self) -> bool {
        self.has_ended() && self.n_unplayed_points() == 0
    }

    fn has_ended(&self) -> bool {
        self.next_point == self.n_points
    }

    /// Returns the number of individuals that play in the stage.
    pub(super) fn n_active(&self) -> usize {
        if self.has_ended() { 0 } else { self.round.active().count() }
    }

    /// Returns the number of points that have yet to play.
    pub(super) fn n_unplayed_points(&self) -> usize {
        self.points.iter().filter(|point| point.score().is_none()).count()
    }

    /// Returns the series of the stage: one for each active individual.
    pub(super) fn stage_series(
        &self,
        CheckedCompare { spec, trial }: &CheckedCompare,
        search: &SearchParams,
    ) -> Vec<Series<TetrisPlayer>> {
        let allocation = search.allocation.as_ref();
        let trial = trial.with_exposure_cap(allocation.map(|it| it.exposure_cap));
        let n_trials = self.round.n_trials(search.games, allocation);
        let active = self.round.active().take(self.n_active());
        let series = active.map(|idx| {
            let genome = &self.search.individuals()[idx].genome;
            Series::new(spec.genotype().player(genome, &trial), n_trials)
        });
        series.collect()
    }

    /// Returns the series of the points that have yet to play.
    pub(super) fn point_series(
        &self,
        CheckedCompare { spec, trial }: &CheckedCompare,
    ) -> impl Iterator<Item = Series<TetrisPlayer>> {
        self.points.iter().filter_map(|point| match &point.result {
            PointResult::Pending(genome) => {
                let subject = spec.genotype().player(genome, trial);
                Some(Series::new(subject, spec.point_games))
            }
            PointResult::Scored(_) => None,
        })
    }

    /// Records the results of the points' games.
    pub(super) fn score_points(&mut self, games: &[GameTally]) {
        let unplayed = self.points.iter_mut().filter(|point| point.score().is_none());
        for (point, games) in unplayed.zip(games) {
            let score = MeanScore { total: games.lines.iter().sum(), n: games.lines.len() as u64 };
            point.result = PointResult::Scored(score);
        }
    }

    /// Records the results of the stage's games.
    pub(super) fn record(
        &mut self,
        spec: &CompareSpec,
        search: &SearchParams,
        games: &[GameTally],
        rng: &mut StreamRng,
    ) {
        self.pieces = games.iter().fold(self.pieces, |sum, games| sum.saturating_add(games.pieces));
        // Results with the pieces of this stage come after these points.
        while !self.has_ended() && spec.budget(self.next_point) < self.pieces {
            if !self.best.is_empty() {
                let result = PointResult::Pending(self.best.clone());
                self.points.push(LearningCurvePoint { idx: self.next_point, result });
            }
            self.next_point += 1;
        }
        let scores = games.iter().map(score_by_finished_games);
        self.round = match self.round.clone().record(scores, search.allocation.as_ref()) {
            StageOutcome::Next(round) => round,
            StageOutcome::Scored(scores) => {
                let optimizer_config = search.optimizer_config();
                self.search.record(scores, optimizer_config);
                self.best = self.search.best(optimizer_config).genome;
                self.search = self.search.next(optimizer_config, rng);
                self.generation += 1;
                if self.generation == spec.generations {
                    self.next_point = self.n_points;
                }
                ScoringRound::begin(self.search.before(optimizer_config))
            }
        };
    }
}
