//! The plainest way to run an experiment: one thread, one trial after the other, no farm.
//!
//! This code is short enough to be checked by reading. Every other way of running an experiment
//! must give the same digest.

use crate::digest::Digest;
use crate::erased::{
    AnyExperiment, Beginning, ClosedGeneration, ConfiguredExperiment, ExperimentError,
};
use crate::experiment::Step;
use crate::findings::GenerationMeasures;
use crate::measure::Measure;
use crate::part::PartSet;
use crate::seed::RunSeed;
use crate::simulation::Work;
use crate::trial_context::{PartMemory, TrialContext};

/// The result of a run, and the states on the way.
#[derive(Debug)]
pub struct ReferenceRun {
    /// The digest after the last generation.
    pub digest: Digest,
    /// The number of generations.
    pub generations: u32,
    /// The work done by all trials.
    pub work: Vec<Work>,
    /// The measures of the generations, in order.
    pub history: Vec<GenerationMeasures>,
    /// The state before each generation, and the last state.
    pub states: Vec<Vec<u8>>,
    /// The parts that the last state names.
    pub parts: PartSet,
}

impl ReferenceRun {
    /// Returns the measures of the last generation.
    #[must_use]
    pub fn measures(&self) -> &[Measure] {
        self.history.last().map_or(&[], |last| &last.measures)
    }
}

/// Runs `experiment` as it is `configured`, from its beginning to its end.
///
/// # Errors
/// If the parameters contradict each other, or the experiment breaks its contract.
pub fn run(
    experiment: &dyn AnyExperiment,
    configured: &dyn ConfiguredExperiment,
    seed: u64,
) -> Result<ReferenceRun, ExperimentError> {
    run_with_inputs(experiment, configured, seed, &PartSet::default())
}

/// Runs `experiment` as [`run`] does; `inputs` are the parts that its parameters name.
///
/// # Errors
/// If an input is missing or refused, the parameters contradict each other, or the experiment
/// breaks its contract.
pub fn run_with_inputs(
    experiment: &dyn AnyExperiment,
    configured: &dyn ConfiguredExperiment,
    seed: u64,
    inputs: &PartSet,
) -> Result<ReferenceRun, ExperimentError> {
    let run_seed = RunSeed::new(experiment.name(), seed);
    for input in configured.inputs()? {
        let part = inputs.names().into_iter().find(|part| part.hash() == input.hash);
        if let Some(bytes) = part.and_then(|part| inputs.get(&part)) {
            configured.check_input(&input, &bytes)?;
        }
    }
    let Beginning { mut state, mut parts, named } =
        configured.begin(&run_seed.generation(0), &inputs.names())?;
    parts.extend(inputs.select(&named));
    let mut digest = Digest::begin(
        experiment.name(),
        experiment.version(),
        seed,
        &configured.canonical_params(),
        &state,
    );
    let mut outcome = ReferenceRun {
        digest,
        generations: 0,
        work: Vec::new(),
        history: Vec::new(),
        states: vec![],
        parts: PartSet::default(),
    };
    loop {
        let seed = run_seed.generation(outcome.generations);
        let plan = configured.plan(&state)?;
        plan.check_inputs(|part| parts.get(part).is_some())?;
        let simulation = configured.simulation();
        let prepared = simulation.prepare(&plan.shared)?;
        let (mut tallies, mut written) = (Vec::new(), PartSet::default());
        for (series, subject_idx) in plan.series.iter().zip(0..) {
            let subject = prepared.subject(&series.subject)?;
            let mut streams =
                (0..series.n_trials).map(|trial| seed.trial(plan.draws, subject_idx, trial));
            let host = PartMemory::new(parts.select(&plan.inputs(series)));
            let tally = subject.trials(&mut streams, &TrialContext::new(&host));
            written.extend(host.into_written());
            tallies.push(tally);
        }
        let closed = configured.close(&state, &plan.classes(), &tallies, &seed)?;
        let ClosedGeneration { step, work, known: _, parts: named, measures } = closed;
        let (Step::Continue(next) | Step::Done(next)) = &step;
        digest = digest.fold(&tallies, next);
        parts.extend(written);
        parts.retain(&named);
        work.values().for_each(|work| Work::add(&mut outcome.work, work));
        outcome.history.push(GenerationMeasures { generation: outcome.generations, measures });
        outcome.states.push(std::mem::replace(&mut state, next.clone()));
        outcome.generations += 1;
        if let Step::Done(last) = step {
            outcome.states.push(last);
            outcome.digest = digest;
            outcome.parts = parts;
            return Ok(outcome);
        }
    }
}
