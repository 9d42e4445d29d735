//! The history of a run: simulated maps, what was learned from them, and the choice of the next
//! maps.

use hatchery_core::GenerationSeed;
use serde::{Deserialize, Serialize};

use super::labels::MapLabels;
use super::map_learner::{LearningRecord, MapLearner, ScoredMap};
use super::spec::{DesignSpec, LabelledMapsParam};
use crate::map::Map;
use crate::trial::results::GameResults;

/// The maps simulated so far, and the records of what was learned.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct DesignHistory {
    /// The maps in batches: first the batch of the start, then one batch per step.
    pub(super) batches: Vec<MapBatch>,
    /// The record of what was learned from each batch and those before it.
    pub(super) learning_records: Vec<LearningRecord>,
}

/// The maps of the start or of a step.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct MapBatch {
    pub(super) maps: Vec<SimulatedMap>,
    /// The labels of every map so far. The labels of this batch come last.
    pub(super) labels: MapLabels,
}

/// A map to be simulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct DesignCandidate {
    pub(super) map: Map,
    pub(super) origin: MapOrigin,
}

/// The origin of a map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum MapOrigin {
    /// A starting map of this name.
    Start(String),
    /// One of the best candidates, with its score.
    CalledGood(Option<f64>),
    /// One of the worst candidates, with its score.
    CalledBad(Option<f64>),
    /// A descendant of a candidate.
    Bred {
        /// The candidate.
        founder: Map,
        /// The number of swaps between them.
        swaps: u32,
    },
}

/// A map and the results of its games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SimulatedMap {
    pub(super) map: Map,
    pub(super) origin: MapOrigin,
    pub(super) results: GameResults,
}

impl DesignHistory {
    /// Returns the maps so far, in the order of the batches.
    pub(super) fn maps(&self) -> impl Iterator<Item = &SimulatedMap> {
        self.batches.iter().flat_map(|batch| &batch.maps)
    }

    /// Returns the maps of the start that the spec gives, each once.
    pub(super) fn given(&self, spec: &DesignSpec) -> Vec<SimulatedMap> {
        // Given maps come before those that are drawn.
        let mut given: Vec<SimulatedMap> = Vec::new();
        for simulated in self.maps().take(spec.start.maps.len()) {
            if given.iter().all(|other| other.map != simulated.map) {
                given.push(simulated.clone());
            }
        }
        given
    }

    /// Adds a batch, and labels all maps so far.
    pub(super) fn add(
        &mut self,
        spec: &DesignSpec,
        maps: Vec<SimulatedMap>,
        seed: &GenerationSeed,
    ) {
        let results: Vec<GameResults> =
            self.maps().chain(&maps).map(|simulated| simulated.results).collect();
        let n_start = self.batches.first().map_or(maps.len(), |start| start.maps.len());
        let labels = MapLabels::of(&spec.labels, &results, n_start, &mut seed.stream("labels"));
        self.batches.push(MapBatch { maps, labels });
    }

    /// Learns, and picks the maps to simulate next: first the candidates with the best scores, then
    /// the candidates with the worst scores, worst first.
    pub(super) fn pick(
        &mut self,
        spec: &DesignSpec,
        seed: &GenerationSeed,
    ) -> Vec<DesignCandidate> {
        let scored = self.learn(spec, spec.learning.candidates, seed);
        let best = scored.iter().take(spec.picks.best as usize);
        let best = best.map(|one| (one.map, MapOrigin::CalledGood(one.score)));
        let worst = scored.iter().rev().take(spec.picks.worst as usize);
        let worst = worst.map(|one| (one.map, MapOrigin::CalledBad(one.score)));
        best.chain(worst).map(|(map, origin)| DesignCandidate { map, origin }).collect()
    }

    /// Learns, and picks which of `candidates` maps compete: the `n` with the best scores.
    pub(super) fn enter(
        &mut self,
        spec: &DesignSpec,
        (n, candidates): (u32, u32),
        seed: &GenerationSeed,
    ) -> Vec<DesignCandidate> {
        let scored = self.learn(spec, candidates, seed).into_iter().take(n as usize);
        let origin = MapOrigin::CalledGood;
        scored.map(|one| DesignCandidate { map: one.map, origin: origin(one.score) }).collect()
    }

    /// Learns from the maps so far, and returns `n` candidates, best first.
    fn learn(&mut self, spec: &DesignSpec, n: u32, seed: &GenerationSeed) -> Vec<ScoredMap> {
        let DesignSpec { features, learning, policy, .. } = spec;
        let learner = MapLearner { features: *features, learning, policy: *policy };
        let maps: Vec<Map> = self.maps().map(|simulated| simulated.map).collect();
        let latest =
            self.batches.last().expect("the start is simulated before anything is learned");
        let labels = match learning.labelled {
            LabelledMapsParam::AllSteps => latest.labels.clone(),
            LabelledMapsParam::LatestStep => latest.labels.clone().of_latest(latest.maps.len()),
        };
        let (record, scored) = learner.learn_and_score(&maps, &labels, n, seed);
        self.learning_records.push(record);
        scored
    }
}
