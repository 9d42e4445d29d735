//! One repetition of a search, and the points of its learning curve.

use hatchery_core::{Series, StreamRng};
use hatchery_evolve::{MeanScore, Optimizer, ScoringRound, StageOutcome};
use serde::{Deserialize, Serialize};

use super::spec::{SearchParams, Spec};
use crate::experiment::evolved::score_by_ends;
use crate::wire::{Games, Player};

/// A repetition of a search, between two stages.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Runner {
    search: Optimizer,
    round: ScoringRound,
    /// The generations that were scored.
    generation: u32,
    /// What it has spent.
    pieces: u64,
    /// What it had come to after the last generation that was scored; empty before the first.
    best: Vec<f32>,
    /// The point that comes next; the number of points when the search has ended.
    next_point: u32,
    n_points: u32,
    points: Vec<Point>,
}

/// A point of a learning curve.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Point {
    /// Its place on the curve.
    pub(super) idx: u32,
    found: Found,
}

/// What a search had come to.
#[derive(Debug, Serialize, Deserialize)]
enum Found {
    /// A genome that has yet to play.
    Due(Vec<f32>),
    /// What it scored.
    Scored(MeanScore),
}

impl Point {
    /// What it scored, if it has played.
    pub(super) fn score(&self) -> Option<MeanScore> {
        match &self.found {
            Found::Due(_) => None,
            Found::Scored(score) => Some(*score),
        }
    }
}

impl Runner {
    pub(super) fn begin(spec: &Spec, search: &SearchParams, rng: &mut StreamRng) -> Self {
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

    /// The points that were reached; those that come before the end of the first generation are not
    /// among them.
    pub(super) fn points(&self) -> &[Point] {
        &self.points
    }

    /// Whether the search has ended and all points have played.
    pub(super) fn is_done(&self) -> bool {
        self.has_ended() && self.n_due() == 0
    }

    fn has_ended(&self) -> bool {
        self.next_point == self.n_points
    }

    /// The individuals that play in the stage.
    pub(super) fn n_active(&self) -> usize {
        if self.has_ended() { 0 } else { self.round.active().count() }
    }

    /// The points that have yet to play.
    pub(super) fn n_due(&self) -> usize {
        self.points.iter().filter(|point| point.score().is_none()).count()
    }

    /// What the stage plays: as many series as individuals.
    pub(super) fn stage(&self, spec: &Spec, search: &SearchParams) -> Vec<Series<Player>> {
        let allocation = search.allocation.as_ref();
        let trial = spec.trial().with_exposure_cap(allocation.map(|it| it.exposure_cap));
        let n_trials = self.round.n_trials(search.games, allocation);
        let active = self.round.active().take(self.n_active());
        let series = active.map(|idx| {
            let genome = &self.search.individuals()[idx].genome;
            Series { subject: spec.genotype().player(genome, trial), n_trials }
        });
        series.collect()
    }

    /// What the points play that have yet to.
    pub(super) fn due(&self, spec: &Spec) -> impl Iterator<Item = Series<Player>> {
        self.points.iter().filter_map(|point| match &point.found {
            Found::Due(genome) => {
                let subject = spec.genotype().player(genome, spec.trial());
                Some(Series { subject, n_trials: spec.point_games })
            }
            Found::Scored(_) => None,
        })
    }

    /// Takes in what the points played.
    pub(super) fn score_points(&mut self, games: &[Games]) {
        let due = self.points.iter_mut().filter(|point| point.score().is_none());
        for (point, games) in due.zip(games) {
            let score = MeanScore { total: games.lines.iter().sum(), n: games.lines.len() as u64 };
            point.found = Found::Scored(score);
        }
    }

    /// Takes in what the stage played.
    pub(super) fn record(
        &mut self,
        spec: &Spec,
        search: &SearchParams,
        games: &[Games],
        rng: &mut StreamRng,
    ) {
        self.pieces += games.iter().map(|games| games.pieces).sum::<u64>();
        // What a search comes to with the pieces of this stage is beyond these points.
        while !self.has_ended() && spec.budget(self.next_point) < self.pieces {
            if !self.best.is_empty() {
                let found = Found::Due(self.best.clone());
                self.points.push(Point { idx: self.next_point, found });
            }
            self.next_point += 1;
        }
        let scores = games.iter().map(score_by_ends);
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
