//! What a leader runs: the trait [`Experiment`], and the values that it is written in.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::exhibit::Exhibit;
use crate::findings::{Findings, RunHistory};
use crate::forecast::WorkPhase;
use crate::input::{InitialParts, NamedInput};
use crate::invalid_value::InvalidValue;
use crate::measure::Measure;
use crate::part::Part;
use crate::seed::{Draws, GenerationSeed};
use crate::simulation::Simulation;

/// A paper's procedure: per generation, run n seeded trials on each of m subjects, then compute
/// the next state.
///
/// All functions are associated functions without `self`: nothing can leak from one generation or
/// one machine to another. They are pure: the same arguments give the same bytes on every machine.
/// [`crate::conformance`] checks what follows from that.
///
/// ```text
/// spec -begin-> state -plan-> subjects x trials -trial-> tallies -fold-> next state, or the last
/// ```
pub trait Experiment: Sized + Send + Sync + 'static {
    /// The name in specs, on the wire and in metrics: `kebab-case`.
    const NAME: &'static str;
    /// The version of the procedure: raised whenever a trial or a fold can give another result.
    const VERSION: u32;
    /// One line that says what the experiment computes.
    const SUMMARY: &'static str;
    /// The specs that ship with the experiment.
    const PRESETS: &'static [Preset];

    /// The trials that a generation is made of.
    type Simulation: Simulation;
    /// The parameters that a person writes; unknown keys are errors (`deny_unknown_fields`).
    type Spec: DeserializeOwned + Serialize + JsonSchema + Send + Sync;
    /// The parameters once they are checked, with all that follows from them, such as decks by
    /// name: the other functions take them. Often the same type as [`Spec`](Self::Spec).
    type Checked: Send + Sync;
    /// All memory between generations: checkpointed, so that a run can resume from it anywhere.
    type State: Serialize + DeserializeOwned + Send;

    /// Checks the parameters, once, when a spec is opened. Each alone is in the range that its type
    /// declares.
    ///
    /// # Errors
    /// If the parameters contradict each other: an error under the key of one of them.
    fn check(spec: Self::Spec) -> Result<Self::Checked, InvalidValue>;

    /// Returns the most generations that a run of `spec` takes, for progress and time left.
    fn generations(spec: &Self::Checked) -> u32;

    /// Returns the phases that all generations fall into, in their order, as far as the parameters
    /// tell. Only estimates of the time left depend on them; by default there are none, and the
    /// work of later generations is judged by that of earlier ones.
    fn phases(_spec: &Self::Checked) -> Vec<WorkPhase> {
        Vec::new()
    }

    /// Returns the inputs that the parameters name, each under its key, at most
    /// [`MAX_INPUTS`](crate::input::MAX_INPUTS): files that the run takes in, such as the weights
    /// that another run has shown. By default there are none.
    fn inputs(_spec: &Self::Checked) -> Vec<NamedInput> {
        Vec::new()
    }

    /// Checks that the bytes of an input, one of [`inputs`](Self::inputs), are what the parameters
    /// need. By default all are.
    ///
    /// A client that starts a run and has the bytes checks them before it begins. An input that is
    /// elsewhere is not checked: the trial that reads it
    /// [refuses](crate::TrialContext::refuse_input) it.
    ///
    /// # Errors
    /// If the run could not use them: an error under the key of the input.
    fn check_input(
        _spec: &Self::Checked,
        _input: &NamedInput,
        _bytes: &[u8],
    ) -> Result<(), InvalidValue> {
        Ok(())
    }

    /// Returns what a person should know of the parameters before the run begins, although it can
    /// run: what of a file is skipped, by file and line. By default there is nothing.
    fn warnings(_spec: &Self::Checked) -> Vec<String> {
        Vec::new()
    }

    /// Returns the state before generation 0. `parts` tells which part an input is, and takes those
    /// that the parameters make, such as random weights. The state [names](Self::parts) those that
    /// the run needs.
    ///
    /// # Errors
    /// If the run cannot begin with an input, or with the parts that the parameters make.
    fn begin(
        spec: &Self::Checked,
        seed: &GenerationSeed,
        parts: &mut InitialParts,
    ) -> Result<Self::State, InvalidValue>;

    /// Returns the parts that `state` names: those that the next generations may need, inputs among
    /// them, and those that its exhibits show. All others are removed. By default there are none.
    fn parts(_state: &Self::State) -> Vec<Part> {
        Vec::new()
    }

    /// Returns what the generation that starts from `state` simulates.
    fn plan(spec: &Self::Checked, state: &Self::State) -> Plan<Self::Simulation>;

    /// Returns the state after a generation, from its tallies: one per series, in plan order.
    fn fold(
        spec: &Self::Checked,
        state: Self::State,
        tallies: &[TallyOf<Self>],
        seed: &GenerationSeed,
    ) -> Step<Self::State>;

    /// Returns the numbers that `state` shows, the most important first.
    fn measures(spec: &Self::Checked, state: &Self::State) -> Vec<Measure>;

    /// Returns the numbers of the generation that led from `begun` to `next`, the most important
    /// first, for its record: those that `next` shows, by default no more. Here tallies add what no
    /// state holds, such as the spread of scores in a population.
    fn generation_measures(
        spec: &Self::Checked,
        _begun: &Self::State,
        _tallies: &[TallyOf<Self>],
        next: &Self::State,
    ) -> Vec<Measure> {
        Self::measures(spec, next)
    }

    /// Returns the files that `state` shows: none by default.
    fn exhibits(_spec: &Self::Checked, _state: &Self::State) -> Vec<Exhibit> {
        Vec::new()
    }

    /// Returns the trial to show first: one of the best subject that `latest`, the run's latest
    /// state, knows, if the generation that started from `begun` has it. By default there is none.
    ///
    /// Generations are asked from the last one back, as far as their states are kept.
    fn best_trial(
        _spec: &Self::Checked,
        _latest: &Self::State,
        _begun: &Self::State,
    ) -> Option<SubjectTrial> {
        None
    }

    /// Returns what the run has found out once it is in `state`: sentences, figures and tables in
    /// the order of the paper. By default there are none, and a report shows measures, their curves
    /// and exhibits.
    fn findings(
        _spec: &Self::Checked,
        _state: &Self::State,
        _history: &RunHistory<'_>,
    ) -> Option<Findings> {
        None
    }
}

/// The shared input of the experiment `E`.
pub type SharedOf<E> = <<E as Experiment>::Simulation as Simulation>::Shared;

/// The tallies of the experiment `E`.
pub type TallyOf<E> = <<E as Experiment>::Simulation as Simulation>::Tally;

/// The trials of one generation.
#[derive(Debug)]
pub struct Plan<S: Simulation> {
    /// Input common to all trials.
    pub shared: S::Shared,
    /// The subjects, in the order in which fold gets their tallies; at least one.
    pub series: Vec<Series<S::Subject>>,
    /// The choice between own and common random numbers for subjects.
    pub draws: Draws,
}

/// A subject and its number of trials.
#[derive(Clone, Debug)]
pub struct Series<S> {
    /// The thing simulated.
    pub subject: S,
    /// The number of trials; at least 1.
    pub n_trials: u32,
    /// The class of the trials.
    pub class: SeriesClass,
}

impl<S> Series<S> {
    /// Returns the series of `n_trials` trials of `subject`, which share jobs.
    pub fn new(subject: S, n_trials: u32) -> Self {
        Self { subject, n_trials, class: SeriesClass::Pooled }
    }

    /// Returns the same series with long trials: each is a job of its own.
    #[must_use]
    pub fn alone(self) -> Self {
        Self { class: SeriesClass::Alone, ..self }
    }
}

/// A trial of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubjectTrial {
    /// The index of the subject in the plan.
    pub subject: u32,
    /// The number of the trial, counted from 0.
    pub trial: u32,
}

impl SubjectTrial {
    /// Returns the first trial of the subject with this index.
    #[must_use]
    pub fn first_of(subject: usize) -> Option<Self> {
        Some(Self { subject: u32::try_from(subject).ok()?, trial: 0 })
    }

    /// Returns the first trial with the largest of `values`, which are those of all trials, subject
    /// by subject; `None` if there are none.
    pub fn with_largest<V: PartialOrd>(
        values: impl IntoIterator<Item = impl IntoIterator<Item = V>>,
    ) -> Option<Self> {
        let mut largest: Option<(V, Self)> = None;
        for (subject, values) in (0..).zip(values) {
            for (trial, value) in (0..).zip(values) {
                if largest.as_ref().is_none_or(|(known, _)| *known < value) {
                    largest = Some((value, Self { subject, trial }));
                }
            }
        }
        largest.map(|(_, trial)| trial)
    }
}

/// The class of a series: how a farm schedules its trials, which never changes their tallies.
///
/// A farm keeps the cost and the usual duration of both classes apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SeriesClass {
    /// A job has as many trials as take a second or two.
    #[default]
    Pooled,
    /// A job has one trial, which takes long, such as training a network for minutes. Its jobs are
    /// handed out first, get no second copy before it is known how long others take, and are
    /// checked by a second worker no more often than the farm's audit rate says.
    Alone,
}

/// The outcome of a fold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<S> {
    /// The run goes on with the generation planned from this state.
    Continue(S),
    /// The run ends; this state is its result.
    Done(S),
}

/// A spec that ships with an experiment, as `EXPERIMENT/NAME`.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The name after the slash.
    pub name: &'static str,
    /// The spec's text.
    pub text: &'static str,
}

#[cfg(test)]
mod tests {
    use super::SubjectTrial;

    #[test]
    fn the_first_trial_with_the_largest_value_is_found() {
        let check = |values: &[&[f64]], expected: Option<(u32, u32)>| {
            let values = values.iter().map(|values| values.iter().copied());
            let found = SubjectTrial::with_largest(values);
            assert_eq!(found.map(|it| (it.subject, it.trial)), expected);
        };
        check(&[&[1.0, 3.0], &[2.0, 3.0]], Some((0, 1)));
        check(&[&[], &[-1.0]], Some((1, 0)));
        check(&[&[0.0, f64::NAN], &[4.0]], Some((1, 0)));
        check(&[&[]], None);
    }
}
