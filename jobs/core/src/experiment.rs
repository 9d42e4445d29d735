//! The trait [`Experiment`], which a leader runs, and its values.

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
/// one machine to another. The functions are pure: the same arguments give the same bytes on every
/// machine. [`crate::conformance`] checks this contract.
///
/// ```text
/// spec -begin-> state -plan-> subjects x trials -trial-> tallies -fold-> next state, or the last
/// ```
pub trait Experiment: Sized + Send + Sync + 'static {
    /// The name in specs, on the wire and in metrics: `kebab-case`.
    const NAME: &'static str;
    /// The version of the procedure. Raise it whenever a trial or a fold can give another result.
    const VERSION: u32;
    /// One line that says what the experiment computes.
    const SUMMARY: &'static str;
    /// The specs that ship with the experiment.
    const PRESETS: &'static [Preset];

    /// The trials of a generation.
    type Simulation: Simulation;
    /// The parameters that a person writes; unknown keys are errors (`deny_unknown_fields`).
    type Spec: DeserializeOwned + Serialize + JsonSchema + Send + Sync;
    /// The checked parameters, with everything that follows from them, such as decks by name. The
    /// other functions take this type. It is often the same type as [`Spec`](Self::Spec).
    type Checked: Send + Sync;
    /// The whole memory between generations. It is checkpointed, so a run can resume from any
    /// generation.
    type State: Serialize + DeserializeOwned + Send;

    /// Checks the parameters once, when a spec is opened. Each single parameter is already in the
    /// range that its type declares.
    ///
    /// # Errors
    /// If the parameters contradict each other: an error under the key of a parameter involved.
    fn check(spec: Self::Spec) -> Result<Self::Checked, InvalidValue>;

    /// Returns the most generations that a run of `spec` takes, for progress and time left.
    fn generations(spec: &Self::Checked) -> u32;

    /// Returns the phases of the run's generations, in order, as far as the parameters determine
    /// them. Only estimates of the time left depend on phases. By default there are none, and
    /// estimates judge the work of later generations by the work of earlier generations.
    fn phases(_spec: &Self::Checked) -> Vec<WorkPhase> {
        Vec::new()
    }

    /// Returns the inputs that the parameters name, each under its key, at most
    /// [`MAX_INPUTS`](crate::input::MAX_INPUTS): files that the run reads, such as the weights that
    /// another run has shown. By default there are no inputs.
    fn inputs(_spec: &Self::Checked) -> Vec<NamedInput> {
        Vec::new()
    }

    /// Checks that the bytes of an input, which is listed in [`inputs`](Self::inputs), are what the
    /// parameters need. By default all bytes are accepted.
    ///
    /// A client that starts a run and has the bytes checks them before the run begins. If the bytes
    /// are elsewhere, nothing checks them in advance: the trial that reads the input
    /// [refuses](crate::TrialContext::refuse_input) it.
    ///
    /// # Errors
    /// If the run could not use the bytes: an error under the key of the input.
    fn check_input(
        _spec: &Self::Checked,
        _input: &NamedInput,
        _bytes: &[u8],
    ) -> Result<(), InvalidValue> {
        Ok(())
    }

    /// Returns warnings about the parameters of a run that can begin all the same, for example
    /// which lines of a file are skipped. By default there are no warnings.
    fn warnings(_spec: &Self::Checked) -> Vec<String> {
        Vec::new()
    }

    /// Returns the state before generation 0. `parts` has the parts of the inputs. It also takes
    /// parts that the parameters make, such as random weights. The state [names](Self::parts) the
    /// parts that the run needs.
    ///
    /// # Errors
    /// If the run cannot begin with an input, or with the parts that the parameters make.
    fn begin(
        spec: &Self::Checked,
        seed: &GenerationSeed,
        parts: &mut InitialParts,
    ) -> Result<Self::State, InvalidValue>;

    /// Returns the parts that `state` names: the parts that the next generations may need,
    /// including inputs, and the parts that its exhibits show. All other parts are removed. By
    /// default there are no parts.
    fn parts(_state: &Self::State) -> Vec<Part> {
        Vec::new()
    }

    /// Returns the trials of the generation that starts from `state`.
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
    /// first, for the generation's record. By default these are the numbers that `next` shows. An
    /// experiment may add numbers from tallies that no state holds, such as the spread of scores in
    /// a population.
    fn generation_measures(
        spec: &Self::Checked,
        _begun: &Self::State,
        _tallies: &[TallyOf<Self>],
        next: &Self::State,
    ) -> Vec<Measure> {
        Self::measures(spec, next)
    }

    /// Returns the files that `state` shows. By default there are no files.
    fn exhibits(_spec: &Self::Checked, _state: &Self::State) -> Vec<Exhibit> {
        Vec::new()
    }

    /// Returns the trial to show first: a trial of the best subject in `latest`, the run's latest
    /// state, if the generation that started from `begun` has such a trial. By default there is
    /// none.
    ///
    /// The caller asks for generations from the last back to the first, as far as their states are
    /// kept.
    fn best_trial(
        _spec: &Self::Checked,
        _latest: &Self::State,
        _begun: &Self::State,
    ) -> Option<SubjectTrial> {
        None
    }

    /// Returns the findings of the run in `state`: sentences, figures and tables in the order of
    /// the paper. By default there are no findings, and a report shows measures, their curves and
    /// exhibits.
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

/// The trials of a generation.
#[derive(Debug)]
pub struct Plan<S: Simulation> {
    /// Input common to all trials.
    pub shared: S::Shared,
    /// The subjects, in the order in which the fold gets their tallies; at least one subject.
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

    /// Returns the same series with long trials: each trial is a job of its own.
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

    /// Returns the first trial with the largest of `values`, the values of all trials, subject by
    /// subject; `None` if there are no values.
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
    /// A job has a single trial, which takes long, such as training a network for minutes. Jobs of
    /// this class are handed out first. They get no second copy before it is known how long such
    /// jobs take. A second worker checks them no more often than the farm's audit rate demands.
    Alone,
}

/// The outcome of a fold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<S> {
    /// The run continues with the generation planned from this state.
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

/// Lists presets whose specs are in the folder `specs` of the game's crate:
/// `presets!["evolve-": "quick", "smoke"]` are `specs/evolve-quick.toml` and
/// `specs/evolve-smoke.toml`.
#[macro_export]
macro_rules! presets {
    ($experiment:literal: $($name:literal),* $(,)?) => {
        &[$($crate::Preset {
            name: $name,
            text: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/specs/",
                $experiment,
                $name,
                ".toml"
            )),
        }),*]
    };
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
