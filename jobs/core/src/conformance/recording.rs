//! A run with all its parts, as the checks need it.

use std::fmt;

use crate::erased::{
    AnyPlan, Beginning, ClosedGeneration, ConfiguredExperiment, EncodedBytes, ExperimentError,
    erased,
};
use crate::experiment::{Experiment, Step};
use crate::findings::GenerationMeasures;
use crate::measure::Measure;
use crate::part::PartSet;
use crate::seed::{GenerationSeed, RunSeed, StreamRng};
use crate::simulation::{Simulation, SubjectStreams};
use crate::spec::SpecDocument;
use crate::trial_context::{PartMemory, TrialContext, TrialHost};
use crate::wire::WireValue;

use super::violation::{Difference, Violation};

/// The number of generations that are checked where a sample is enough: the first, the last, and
/// some between, so that every phase of a procedure is likely to be checked.
const GENERATIONS: usize = 8;

/// The number of series that are checked in a generation, spread in the same way.
pub(super) const SERIES: usize = 8;

/// The number of trials in a series that are checked together: as many as a worker runs at once.
const BLOCK: u32 = 64;

/// The number of trials in a series that are checked separately: enough to cut in many ways.
const FEW: usize = 8;

/// A run of a spec with all its values, made in the plain way through the interface of the farm.
pub struct Recording<E: Experiment> {
    /// The parameters as written, checked.
    pub(super) spec: E::Checked,
    /// The experiment with its parameters as stored.
    pub(super) configured: Box<dyn ConfiguredExperiment>,
    pub(super) seed: RunSeed,
    /// The generations in their order; at least one.
    pub(super) generations: Vec<Generation>,
    /// The state after the last generation.
    pub(super) last: EncodedBytes,
    /// The parts that the parameters name.
    pub(super) inputs: PartSet,
}

/// A generation of a run.
pub(super) struct Generation {
    /// The generation, counted from 0.
    pub(super) number: u32,
    pub(super) seed: GenerationSeed,
    /// The state that the generation starts from.
    pub(super) state: EncodedBytes,
    pub(super) plan: AnyPlan,
    /// The tallies, by series.
    pub(super) tallies: Vec<EncodedBytes>,
    /// The parts that the state names.
    pub(super) parts: PartSet,
    /// The parts that trials wrote.
    pub(super) written: PartSet,
    /// The numbers of the generation.
    pub(super) measures: Vec<Measure>,
}

/// A series and its first trials.
pub(super) struct Block<S: Simulation> {
    /// The name of the series, for errors.
    pub(super) of: String,
    pub(super) subject: S::Subject,
    /// The streams of the first trials; at least one.
    pub(super) streams: Vec<StreamRng>,
    /// The parts that the trials may read.
    pub(super) inputs: PartSet,
}

impl<E: Experiment> Recording<E> {
    /// Runs the spec `spec_text`.
    ///
    /// # Errors
    /// If the spec is not valid, a plan has no trials, or the run does not end in time.
    pub fn new(spec_text: &str) -> Result<Self, Violation> {
        Self::with_inputs(spec_text, PartSet::default())
    }

    /// Runs the spec `spec_text`, which names `inputs`.
    ///
    /// # Errors
    /// As for [`new`](Self::new), or if an input is missing.
    pub fn with_inputs(spec_text: &str, inputs: PartSet) -> Result<Self, Violation> {
        let experiment = erased::<E>();
        let document = SpecDocument::parse("spec", spec_text.as_bytes())?;
        let head = document.head()?;
        if head.experiment != E::NAME {
            return Err(Violation::wrong("the spec's experiment", head.experiment, E::NAME));
        }
        let params = experiment.configure_with(&document, &inputs)?.canonical_params();
        let mut recording = Self {
            spec: E::check(document.params_with(experiment.schema(), &inputs)?)?,
            configured: experiment.reopen(&params, &inputs)?,
            seed: RunSeed::new(E::NAME, head.seed),
            generations: Vec::new(),
            last: Vec::new(),
            inputs,
        };
        let again = recording.configured.canonical_params();
        Difference::check("the text of all parameters", again.as_bytes(), params.as_bytes())
            .map_err(Violation::Reencoded)?;
        recording.run()?;
        Ok(recording)
    }

    fn run(&mut self) -> Result<(), Violation> {
        let Beginning { mut state, mut parts, named } =
            self.configured.begin(&self.seed.generation(0), &self.inputs.names())?;
        parts.extend(self.inputs.select(&named));
        let generations = self.configured.generations();
        for number in 0..generations {
            let seed = self.seed.generation(number);
            let plan = self.configured.plan(&state)?;
            let missing = plan.check_inputs(|part| parts.get(part).is_some());
            missing.map_err(ExperimentError::from)?;
            let prepared = self.configured.simulation().prepare(&plan.shared)?;
            let (mut tallies, mut written) = (Vec::new(), PartSet::default());
            for (series, subject) in plan.series.iter().zip(0..) {
                let mut streams =
                    (0..series.n_trials).map(|trial| seed.trial(plan.draws, subject, trial));
                let host = PartMemory::new(parts.select(&plan.inputs(series)));
                let subject = prepared.subject(&series.subject)?;
                tallies.push(subject.trials(&mut streams, &TrialContext::new(&host)));
                written.extend(host.into_written());
            }
            let closed = self.configured.close(&state, &plan.classes(), &tallies, &seed)?;
            let ClosedGeneration { step, parts: named, measures, .. } = closed;
            let mut after = parts.clone();
            after.extend(written.clone());
            after.retain(&named);
            let before = std::mem::replace(&mut parts, after);
            let generation =
                Generation { number, seed, state, plan, tallies, parts: before, written, measures };
            self.generations.push(generation);
            match step {
                Step::Continue(next) => state = next,
                Step::Done(last) => {
                    self.last = last;
                    return Ok(());
                }
            }
        }
        Err(Violation::Endless { generations })
    }

    /// Returns the measures of the run's generations.
    pub(super) fn history(&self) -> Vec<GenerationMeasures> {
        let measures = |generation: &Generation| GenerationMeasures {
            generation: generation.number,
            measures: generation.measures.clone(),
        };
        self.generations.iter().map(measures).collect()
    }

    /// Returns the first generation.
    pub(super) fn first_generation(&self) -> &Generation {
        &self.generations[0]
    }

    /// Returns some generations, the first and the last among them.
    pub(super) fn some_generations(&self) -> impl Iterator<Item = &Generation> {
        spread(self.generations.len(), GENERATIONS).map(|idx| &self.generations[idx])
    }

    /// Returns all states in order, with their names for errors.
    pub(super) fn states(&self) -> impl Iterator<Item = (String, &EncodedBytes)> {
        let before = self.generations.iter().map(|generation| {
            (format!("the state before generation {}", generation.number), &generation.state)
        });
        before.chain([("the last state".to_owned(), &self.last)])
    }
}

impl<E: Experiment> fmt::Debug for Recording<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let generations = self.generations.len();
        f.debug_struct(E::NAME).field("generations", &generations).finish_non_exhaustive()
    }
}

impl Generation {
    pub(super) fn shared<S: Simulation>(&self) -> Result<S::Shared, Violation> {
        Ok(S::Shared::decode(&self.plan.shared)?)
    }

    /// Returns some series, the first and the last among them.
    pub(super) fn blocks<S: Simulation>(&self) -> Result<Vec<Block<S>>, Violation> {
        let block = |idx: usize| {
            let series = &self.plan.series[idx];
            let subject_idx = u32::try_from(idx).expect("a run has counted the series in 32 bits");
            let trials = 0..series.n_trials.min(BLOCK);
            Ok(Block {
                of: format!("series {idx} of generation {}", self.number),
                subject: S::Subject::decode(&series.subject)?,
                streams: trials
                    .map(|trial| self.seed.trial(self.plan.draws, subject_idx, trial))
                    .collect(),
                inputs: self.parts.select(&self.plan.inputs(series)),
            })
        };
        spread(self.plan.series.len(), SERIES).map(block).collect()
    }
}

impl<S: Simulation> Block<S> {
    /// Returns the tally of trial number `trial`.
    pub(super) fn play(&self, shared: &S::Shared, trial: usize) -> S::Tally {
        self.play_on(&PartMemory::new(self.inputs.clone()), shared, trial)
    }

    /// Returns the tally of trial number `trial`, which `host` runs.
    pub(super) fn play_on(
        &self,
        host: &dyn TrialHost,
        shared: &S::Shared,
        trial: usize,
    ) -> S::Tally {
        S::trial(shared, &self.subject, self.streams[trial].clone(), &TrialContext::new(host))
    }

    /// Returns the tally of the trials with these `streams`, run as one block.
    pub(super) fn play_block(&self, shared: &S::Shared, streams: &[StreamRng]) -> S::Tally {
        let host = PartMemory::new(self.inputs.clone());
        let streams = &mut streams.iter().cloned();
        S::trials_of(shared, &self.subject, streams, &TrialContext::new(&host))
    }

    /// Returns a tally per block: the tally of the block's first trials. All trials run together.
    pub(super) fn play_together(shared: &S::Shared, blocks: &[Self]) -> Vec<S::Tally> {
        let mut inputs = PartSet::default();
        blocks.iter().for_each(|block| inputs.extend(block.inputs.clone()));
        let host = PartMemory::new(inputs);
        let few = blocks.iter().map(|block| block.streams[..block.n_few()].iter().cloned());
        let mut streams: Vec<_> = few.collect();
        let batch = blocks.iter().zip(&mut streams);
        let batch = batch.map(|(it, streams)| SubjectStreams { subject: &it.subject, streams });
        S::trials(shared, batch.collect(), &TrialContext::new(&host))
    }

    /// Returns the tallies of the first trials.
    pub(super) fn play_few(&self, shared: &S::Shared) -> impl Iterator<Item = S::Tally> {
        (0..self.n_few()).map(|trial| self.play(shared, trial))
    }

    pub(super) fn n_few(&self) -> usize {
        self.streams.len().min(FEW)
    }
}

/// Returns up to `at_most` indices below `n`, evenly spread: the first and the last among them.
pub(super) fn spread(n: usize, at_most: usize) -> impl Iterator<Item = usize> {
    let n_taken = n.min(at_most);
    let gaps = n_taken.saturating_sub(1).max(1);
    (0..n_taken).map(move |idx| idx * (n - 1) / gaps)
}
