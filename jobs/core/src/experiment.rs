//! What a leader runs: the trait [`Experiment`], and the values that it is written in.

use std::fmt::Display;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::findings::{Findings, RunHistory};
use crate::forecast::WorkPhase;
use crate::input::{InitialParts, NamedInput};
use crate::measure::{Exhibit, Measure};
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
    /// All memory between generations: checkpointed, so that a run can resume from it anywhere.
    type State: Serialize + DeserializeOwned + Send;

    /// Returns the most generations that a run of `spec` takes, for progress and time left.
    fn generations(spec: &Self::Spec) -> u32;

    /// Returns the phases that all generations fall into, in their order, as far as the parameters
    /// tell. Only estimates of the time left depend on them; by default there are none, and the
    /// work of later generations is judged by that of earlier ones.
    fn phases(_spec: &Self::Spec) -> Vec<WorkPhase> {
        Vec::new()
    }

    /// Returns the inputs that the parameters name, each under its key, at most
    /// [`MAX_INPUTS`](crate::input::MAX_INPUTS): files that the run takes in, such as the weights
    /// that another run has shown. By default there are none.
    fn inputs(_spec: &Self::Spec) -> Vec<NamedInput> {
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
        _spec: &Self::Spec,
        _input: &NamedInput,
        _bytes: &[u8],
    ) -> Result<(), InvalidParam> {
        Ok(())
    }

    /// Returns what a person should know of the parameters before the run begins, although it can
    /// run: what of a file is skipped, by file and line. By default there is nothing.
    fn warnings(_spec: &Self::Spec) -> Vec<String> {
        Vec::new()
    }

    /// Returns the state before generation 0. `parts` tells which part an input is, and takes those
    /// that the parameters make, such as random weights. The state [names](Self::parts) those that
    /// the run needs.
    ///
    /// # Errors
    /// If the parameters contradict each other.
    fn begin(
        spec: &Self::Spec,
        seed: &GenerationSeed,
        parts: &mut InitialParts,
    ) -> Result<Self::State, InvalidParam>;

    /// Returns the parts that `state` names: those that the next generations may need, inputs among
    /// them, and those that its exhibits show. All others are removed. By default there are none.
    fn parts(_state: &Self::State) -> Vec<Part> {
        Vec::new()
    }

    /// Returns what the generation that starts from `state` simulates.
    fn plan(spec: &Self::Spec, state: &Self::State) -> Plan<Self::Simulation>;

    /// Returns the state after a generation, from its tallies: one per series, in plan order.
    fn fold(
        spec: &Self::Spec,
        state: Self::State,
        tallies: Vec<TallyOf<Self>>,
        seed: &GenerationSeed,
    ) -> Step<Self::State>;

    /// Returns the numbers that `state` shows, the most important first.
    fn measures(spec: &Self::Spec, state: &Self::State) -> Vec<Measure>;

    /// Returns the numbers of the generation that led from `begun` to `next`, the most important
    /// first, for its record: those that `next` shows, by default no more. Here tallies add what no
    /// state holds, such as the spread of scores in a population.
    fn generation_measures(
        spec: &Self::Spec,
        _begun: &Self::State,
        _tallies: &[TallyOf<Self>],
        next: &Self::State,
    ) -> Vec<Measure> {
        Self::measures(spec, next)
    }

    /// Returns the files that `state` shows: none by default.
    fn exhibits(_spec: &Self::Spec, _state: &Self::State) -> Vec<Exhibit> {
        Vec::new()
    }

    /// Returns the trial to show first: one of the best subject that `latest`, the run's latest
    /// state, knows, if the generation that started from `begun` has it. By default there is none.
    ///
    /// Generations are asked from the last one back, as far as their states are kept.
    fn best_trial(
        _spec: &Self::Spec,
        _latest: &Self::State,
        _begun: &Self::State,
    ) -> Option<SubjectTrial> {
        None
    }

    /// Returns what the run has found out once it is in `state`: sentences, figures and tables in
    /// the order of the paper. By default there are none, and a report shows measures, their curves
    /// and exhibits.
    fn findings(
        _spec: &Self::Spec,
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

/// A parameter that an experiment cannot run with, although each alone is in range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} = {value}, but must be {expected}")]
pub struct InvalidParam {
    /// The parameter's path below `params`, such as `fitness.games` or `boards.0.width`.
    pub key: String,
    /// The parameter's value.
    pub value: String,
    /// A description of the values allowed.
    pub expected: String,
}

impl InvalidParam {
    /// Returns the error for `key` holding `value` where `expected` would be right.
    pub fn new(
        key: impl Into<String>,
        value: &(impl Display + ?Sized),
        expected: impl Into<String>,
    ) -> Self {
        Self { key: key.into(), value: value.to_string(), expected: expected.into() }
    }

    /// Returns the error of the same parameter below `group`: its key is `group`, a dot, and the
    /// key so far.
    #[must_use]
    pub fn below(self, group: &str) -> Self {
        Self { key: format!("{group}.{}", self.key), ..self }
    }

    /// Checks that the product of `factors`, each a number of things, is at most `most` of `what`.
    ///
    /// # Errors
    /// If it is more: an error with the arithmetic, for `key`, which holds the first factor.
    pub fn check_product(
        key: &str,
        factors: &[(u64, &str)],
        what: &str,
        most: u64,
    ) -> Result<(), Self> {
        let product = factors.iter().fold(1_u128, |all, (n, _)| all.saturating_mul((*n).into()));
        if product <= u128::from(most) {
            return Ok(());
        }
        let first = factors.first().map_or(0, |(n, _)| *n);
        let factors: Vec<_> = factors.iter().map(|(n, things)| format!("{n} {things}")).collect();
        let expected = format!(
            "less, or other factors: {} = {product} {what}, and at most {most} are allowed",
            factors.join(" x ")
        );
        Err(Self::new(key, &first, expected))
    }
}

#[cfg(test)]
mod tests {
    use super::{InvalidParam, SubjectTrial};

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

    #[test]
    fn products_are_refused_with_the_arithmetic() {
        let check =
            |n| InvalidParam::check_product("maps", &[(n, "maps"), (7, "games")], "scores", 21);
        assert_eq!(check(3), Ok(()));
        let expected = "maps = 4, but must be less, or other factors: 4 maps x 7 games = 28 \
                        scores, and at most 21 are allowed";
        assert_eq!(check(4).unwrap_err().to_string(), expected);
        let huge = [(u64::MAX, "a"), (u64::MAX, "b"), (u64::MAX, "c")];
        assert!(InvalidParam::check_product("a", &huge, "d", u64::MAX).is_err());
    }
}
