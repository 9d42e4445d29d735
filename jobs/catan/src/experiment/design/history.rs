//! What was simulated and learned so far, and which maps come next.

use hatchery_core::GenerationSeed;
use serde::{Deserialize, Serialize};

use super::labels::Labelling;
use super::lesson::{Lesson, Scored, Teacher};
use super::spec::{LabelledParam, Spec};
use crate::map::Map;
use crate::results::Results;

/// What was simulated and learned so far.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct History {
    /// The maps of the start, then those of each step.
    pub(super) batches: Vec<Batch>,
    /// What was learned from each batch and those before it.
    pub(super) lessons: Vec<Lesson>,
}

/// The maps of the start or of a step.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Batch {
    pub(super) maps: Vec<Simulated>,
    /// Of all maps so far, those of this batch last.
    pub(super) labels: Labelling,
}

/// A map to be simulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Candidate {
    pub(super) map: Map,
    pub(super) origin: Origin,
}

/// Where a map is from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Origin {
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
        /// How many swaps lie between.
        swaps: u32,
    },
}

/// A map and what its games came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Simulated {
    pub(super) map: Map,
    pub(super) origin: Origin,
    pub(super) results: Results,
}

impl History {
    /// All maps so far, those of the start first.
    pub(super) fn maps(&self) -> impl Iterator<Item = &Simulated> {
        self.batches.iter().flat_map(|batch| &batch.maps)
    }

    /// Adds a batch, and labels all maps so far.
    pub(super) fn add(&mut self, spec: &Spec, maps: Vec<Simulated>, seed: &GenerationSeed) {
        let results: Vec<Results> =
            self.maps().chain(&maps).map(|simulated| simulated.results).collect();
        let n_start = self.batches.first().map_or(maps.len(), |start| start.maps.len());
        let labels = Labelling::of(&spec.labels, &results, n_start, &mut seed.stream("labels"));
        self.batches.push(Batch { maps, labels });
    }

    /// Learns which maps are simulated next: the candidates with the best scores, then those with
    /// the worst, from the worst on.
    pub(super) fn pick(&mut self, spec: &Spec, seed: &GenerationSeed) -> Vec<Candidate> {
        let scored = self.learn(spec, spec.learning.candidates, seed);
        let best = scored.iter().take(spec.picks.best as usize);
        let best = best.map(|one| (one.map, Origin::CalledGood(one.score)));
        let worst = scored.iter().rev().take(spec.picks.worst as usize);
        let worst = worst.map(|one| (one.map, Origin::CalledBad(one.score)));
        best.chain(worst).map(|(map, origin)| Candidate { map, origin }).collect()
    }

    /// Learns which of `candidates` maps compete: the `n` with the best scores.
    pub(super) fn enter(
        &mut self,
        spec: &Spec,
        (n, candidates): (u32, u32),
        seed: &GenerationSeed,
    ) -> Vec<Simulated> {
        let scored = self.learn(spec, candidates, seed).into_iter().take(n as usize);
        let entrant = |Scored { map, score }| {
            let origin = Origin::CalledGood(score);
            Simulated { map, origin, results: Results::default() }
        };
        scored.map(entrant).collect()
    }

    /// Learns from the maps so far; `n` candidates, the best first.
    fn learn(&mut self, spec: &Spec, n: u32, seed: &GenerationSeed) -> Vec<Scored> {
        let Spec { features, learning, policy, .. } = spec;
        let teacher = Teacher { features: *features, learning, policy: (*policy).into() };
        let maps: Vec<Map> = self.maps().map(|simulated| simulated.map).collect();
        let latest =
            self.batches.last().expect("the start is simulated before anything is learned");
        let labels = match learning.labelled {
            LabelledParam::AllSteps => latest.labels.clone(),
            LabelledParam::LatestStep => latest.labels.clone().of_latest(latest.maps.len()),
        };
        let (lesson, scored) = teacher.teach(&maps, &labels, n, seed);
        self.lessons.push(lesson);
        scored
    }
}
