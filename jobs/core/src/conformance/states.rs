//! Checks of states, plans and folds.

use crate::erased::{AnyPlan, Beginning, decode_state, encode_plan, encode_state};
use crate::experiment::{Experiment, Step, TallyOf};
use crate::input::InitialParts;
use crate::wire::WireValue;

use super::recording::{Generation, Recording};
use super::violation::{Difference, Violation, shown};

/// Checks that beginning, planning and folding give the same bytes when they are repeated.
///
/// # Errors
/// [`Violation::Unrepeatable`]: beginning, planning or folding depends on more than its arguments.
pub fn states_are_repeatable<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    let Recording { configured, seed, generations, inputs, .. } = recording;
    let Beginning { state, mut parts, named } =
        configured.begin(&seed.generation(0), &inputs.names())?;
    parts.extend(inputs.select(&named));
    let (begun, first) = (format!("{parts:?}"), format!("{:?}", generations[0].parts));
    Difference::check("the state that a run begins with", &state, &generations[0].state)
        .and_then(|()| Difference::check("its parts", begun.as_bytes(), first.as_bytes()))
        .map_err(Violation::Unrepeatable)?;
    for generation in recording.some_generations() {
        let plan = configured.plan(&generation.state)?;
        check_plan(generation.number, &plan, &generation.plan).map_err(Violation::Unrepeatable)?;
        let Generation { state, plan, tallies, seed, .. } = generation;
        let closed = configured.close(state, &plan.classes(), tallies, seed)?;
        check_step(recording, generation.number, &closed.step).map_err(Violation::Unrepeatable)?;
    }
    Ok(())
}

/// Checks that the announced phases, if there are any, have as many generations as the run
/// announces. Checks that each generation has a number of trials in the range of its phase, and
/// that weights are above 0.
///
/// # Errors
/// [`Violation::Wrong`]
pub fn phases_hold<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    let phases = recording.configured.phases();
    if phases.is_empty() {
        return Ok(());
    }
    let is_weight = |weight: f64| 0.0 < weight && weight.is_finite();
    if let Some(phase) = phases.iter().find(|phase| !is_weight(phase.trial_weight)) {
        let what = "the weight of a phase's trials";
        return Err(Violation::wrong(what, phase.trial_weight.to_string(), "above 0"));
    }
    let n_generations: u32 = phases.iter().map(|phase| phase.n_generations).sum();
    let announced = recording.configured.generations();
    if n_generations != announced {
        let what = "the number of generations of all phases";
        return Err(Violation::wrong(what, n_generations.to_string(), announced.to_string()));
    }
    let ranges = phases
        .iter()
        .flat_map(|phase| std::iter::repeat_n(&phase.n_trials, phase.n_generations as usize));
    for (generation, expected) in recording.generations.iter().zip(ranges) {
        let n_trials = generation.plan.n_trials();
        if !expected.contains(&n_trials) {
            let what = format!("the number of trials of generation {}", generation.number);
            return Err(Violation::wrong(what, n_trials.to_string(), format!("in {expected:?}")));
        }
    }
    Ok(())
}

/// Checks that a run that is kept in memory plans, folds and shows the same as a run that goes
/// through a checkpoint at each generation.
///
/// # Errors
/// [`Violation::IncompleteState`]: some memory of the run is not in its checkpoint.
pub fn checkpoints_are_complete<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    let Recording { spec, seed, .. } = recording;
    let mut parts = InitialParts::new(recording.inputs.names());
    let mut state = E::begin(spec, &seed.generation(0), &mut parts)?;
    for generation in &recording.generations {
        let number = generation.number;
        let plan = encode_plan(&E::plan(spec, &state));
        check_plan(number, &generation.plan, &plan).map_err(Violation::IncompleteState)?;
        check_shows(recording, &state, &generation.state)?;
        let tallies = generation.tallies.iter().map(|tally| TallyOf::<E>::decode(tally));
        let tallies = tallies.collect::<Result<Vec<_>, _>>()?;
        let step = E::fold(spec, state, &tallies, &generation.seed);
        let encoded = match &step {
            Step::Continue(next) => Step::Continue(encode_state(next)),
            Step::Done(last) => Step::Done(encode_state(last)),
        };
        check_step(recording, number, &encoded).map_err(Violation::IncompleteState)?;
        let (Step::Continue(next) | Step::Done(next)) = step;
        state = next;
    }
    check_shows(recording, &state, &recording.last)
}

/// Checks that `state` shows the same when it is decoded from `checkpoint`.
fn check_shows<E: Experiment>(
    recording: &Recording<E>,
    state: &E::State,
    checkpoint: &[u8],
) -> Result<(), Violation> {
    let decoded: E::State = decode_state(checkpoint)?;
    let show = |state: &E::State| {
        let measures = format!("{:?}", E::measures(&recording.spec, state));
        [measures, format!("{:?}", E::exhibits(&recording.spec, state))]
    };
    let [value, expected] = [show(&decoded), show(state)];
    for ((what, value), expected) in ["a measure", "an exhibit"].iter().zip(value).zip(expected) {
        Difference::check(what, value.as_bytes(), expected.as_bytes())
            .map_err(Violation::IncompleteState)?;
    }
    Ok(())
}

/// Checks that generation `number` leads to `step`, as in the recording.
fn check_step<E: Experiment>(
    recording: &Recording<E>,
    number: u32,
    step: &Step<Vec<u8>>,
) -> Result<(), Difference> {
    let later = recording.generations.iter().find(|generation| generation.number == number + 1);
    let (kind, state) = match step {
        Step::Continue(state) => ("goes on", state),
        Step::Done(state) => ("is done", state),
    };
    let (expected_kind, expected) = match later {
        Some(generation) => ("goes on", &generation.state),
        None => ("is done", &recording.last),
    };
    if kind != expected_kind {
        let what = format!("the run after generation {number}");
        return Err(Difference {
            what,
            value: kind.to_owned(),
            expected: expected_kind.to_owned(),
        });
    }
    Difference::check(&format!("the state after generation {number}"), state, expected)
}

/// Checks that generation `number` has the plan `expected`.
fn check_plan(number: u32, plan: &AnyPlan, expected: &AnyPlan) -> Result<(), Difference> {
    let parts = |plan: &AnyPlan| {
        let mut parts = vec![
            ("the draws".to_owned(), format!("{:?}", plan.draws)),
            ("the shared input".to_owned(), shown(&plan.shared)),
            ("the number of series".to_owned(), plan.series.len().to_string()),
        ];
        parts.extend(plan.series.iter().zip(0..).map(|(series, idx)| {
            let subject = shown(&series.subject);
            (format!("series {idx}"), format!("{} trials of {subject}", series.n_trials))
        }));
        parts
    };
    if plan == expected {
        return Ok(());
    }
    let differs = parts(plan).into_iter().zip(parts(expected)).find(|(part, other)| part != other);
    let ((part, value), (_, expected)) = differs.unwrap_or_default();
    Err(Difference { what: format!("{part} of generation {number}"), value, expected })
}
