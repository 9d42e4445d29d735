//! The checks that every experiment must pass.
//!
//! An experiment's own tests call [`check`] with a spec that takes no time. Each check is one
//! property that the farm relies on; what breaks it is named as a [`Violation`].

use crate::erased::{AnyPlan, Bytes, Procedure, decode_state, encode_state, erased};
use crate::experiment::{Experiment, Plan, Series, Step, Tally, Work};
use crate::reference;
use crate::seed::{GenerationSeed, RunSeed};
use crate::spec::{Document, SpecError};
use crate::wire::Wire;

/// The most trials of a series that checks run: enough for all ways to cut a few.
const TRIALS: u32 = 8;

/// A property that an experiment does not have.
#[derive(Debug, thiserror::Error)]
pub enum Violation {
    /// The spec to check with is invalid.
    #[error("the spec is invalid: {0}")]
    Spec(#[from] SpecError),
    /// The farm could not run it at all.
    #[error("it can't be run")]
    Run(#[from] crate::erased::FarmError),
    /// The same call gave other bytes.
    #[error("{what} gives other bytes when it is called again")]
    NotRepeatable {
        /// Which call.
        what: &'static str,
    },
    /// Trials that were cut otherwise gave another tally.
    #[error(
        "subject {subject}: trials cut into pieces of {size} give another tally than one by one"
    )]
    CutMatters {
        /// The subject.
        subject: usize,
        /// The size of the pieces.
        size: u32,
    },
    /// (a + b) + c is not a + (b + c).
    #[error("subject {subject}: absorbing tallies depends on how they are grouped")]
    NotAssociative {
        /// The subject.
        subject: usize,
    },
    /// A value is not the same after it was encoded and decoded.
    #[error("{what} of generation {generation} is another one after it was encoded and decoded")]
    LosesInformation {
        /// Which value.
        what: &'static str,
        /// The generation.
        generation: u32,
    },
    /// Bytes that are no value were taken for one.
    #[error("{n_bytes} of the {of} bytes of a {what} are taken for a whole one")]
    TakesTruncated {
        /// Which value.
        what: &'static str,
        /// How many bytes were taken.
        n_bytes: usize,
        /// How many a whole one has.
        of: usize,
    },
    /// A measure is infinite or not a number, or has no name.
    #[error("measure {name:?} is nameless or not finite")]
    BadMeasure {
        /// Its name.
        name: String,
    },
    /// An exhibit's name is no file name, or two have the same.
    #[error("exhibit {name:?} has a bad name, or one that another has")]
    BadExhibit {
        /// Its name.
        name: String,
    },
    /// Work does not add up.
    #[error("subject {subject}: the work of all trials is not the sum of their work")]
    WorkDoesNotAddUp {
        /// The subject.
        subject: usize,
    },
    /// A run took more generations than announced.
    #[error("the run takes {took} generations, but announces at most {announced}")]
    TooLong {
        /// How many it took.
        took: u32,
        /// How many it announced.
        announced: u32,
    },
}

/// Checks `E` with the spec `text`, which should take no time.
///
/// # Errors
/// The first property that `E` does not have.
pub fn check<E: Experiment>(text: &str) -> Result<(), Violation> {
    let experiment = erased::<E>();
    let document = Document::parse("conformance", text.as_bytes())?;
    let seed = document.head()?.seed;
    let procedure = experiment.procedure(&document)?;
    let spec: E::Spec = document.params(&experiment.schema())?;
    let outcome = reference::run(experiment, procedure.as_ref(), seed)?;

    ends_in_time(procedure.as_ref(), outcome.generations)?;
    let run_seed = RunSeed::new(E::NAME, seed);
    for (state, generation) in outcome.states.iter().zip(0..) {
        let last = generation == outcome.generations;
        shows_well::<E>(&spec, state)?;
        takes_no_less("state", state, |bytes| decode_state::<E::State>(bytes).is_ok())?;
        if last {
            break;
        }
        let plan = E::plan(&spec, &decode(state)?);
        repeats(procedure.as_ref(), state)?;
        let seed = run_seed.generation(generation);
        for (subject, series) in plan.series.iter().enumerate() {
            let trials = Trials { plan: &plan, series, seed: &seed, subject };
            trials.check(generation)?;
        }
    }
    resumes::<E>(&spec, &run_seed, &outcome.states)
}

fn decode<S: serde::de::DeserializeOwned>(state: &[u8]) -> Result<S, crate::erased::FarmError> {
    Ok(decode_state(state)?)
}

/// A run must not take more generations than it announces.
fn ends_in_time(procedure: &dyn Procedure, took: u32) -> Result<(), Violation> {
    let announced = procedure.generations();
    if took <= announced { Ok(()) } else { Err(Violation::TooLong { took, announced }) }
}

/// The same state must give the same plan.
fn repeats(procedure: &dyn Procedure, state: &[u8]) -> Result<(), Violation> {
    let plans: [AnyPlan; 2] = [procedure.plan(state)?, procedure.plan(state)?];
    if plans[0] == plans[1] { Ok(()) } else { Err(Violation::NotRepeatable { what: "plan" }) }
}

/// Measures must be numbers with names, exhibits files with names of their own.
fn shows_well<E: Experiment>(spec: &E::Spec, state: &[u8]) -> Result<(), Violation> {
    let state = decode(state)?;
    for measure in E::measures(spec, &state) {
        if measure.name.is_empty() || !measure.value.is_finite() {
            return Err(Violation::BadMeasure { name: measure.name });
        }
    }
    let mut names = Vec::new();
    for exhibit in E::exhibits(spec, &state) {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let safe = exhibit.name.chars().all(plain)
            && exhibit.name.starts_with(|c: char| c.is_ascii_alphanumeric());
        if !safe || names.contains(&exhibit.name) {
            return Err(Violation::BadExhibit { name: exhibit.name });
        }
        names.push(exhibit.name);
    }
    Ok(())
}

/// No beginning of `bytes`, and nothing longer, must be taken for the value that they are.
fn takes_no_less(
    what: &'static str,
    bytes: &[u8],
    takes: impl Fn(&[u8]) -> bool,
) -> Result<(), Violation> {
    let of = bytes.len();
    if let Some(n_bytes) = (0..of).find(|&n_bytes| takes(&bytes[..n_bytes])) {
        return Err(Violation::TakesTruncated { what, n_bytes, of });
    }
    let longer = [bytes, &[0]].concat();
    if takes(&longer) {
        Err(Violation::TakesTruncated { what, n_bytes: of + 1, of })
    } else {
        Ok(())
    }
}

/// A run that keeps its state in memory must come by the same states as one that goes on from bytes
/// after each generation.
fn resumes<E: Experiment>(
    spec: &E::Spec,
    seed: &RunSeed,
    states: &[Bytes],
) -> Result<(), Violation> {
    let Ok(mut state) = E::begin(spec, &seed.generation(0)) else {
        return Err(Violation::NotRepeatable { what: "begin" });
    };
    for (generation, expected) in (0..).zip(states) {
        if encode_state(&state) != *expected
            || encode_state(&decode::<E::State>(expected)?) != *expected
        {
            return Err(Violation::LosesInformation { what: "the state", generation });
        }
        if generation as usize + 1 == states.len() {
            break;
        }
        let plan = E::plan(spec, &state);
        let seed = seed.generation(generation);
        let series = plan.series.iter().enumerate();
        let tallies = series.map(|(subject, series)| {
            let trials = Trials { plan: &plan, series, seed: &seed, subject };
            trials.one_by_one(series.n_trials)
        });
        let (Step::Continue(next) | Step::Done(next)) =
            E::fold(spec, state, tallies.collect(), &seed);
        state = next;
    }
    Ok(())
}

/// The trials of one series.
struct Trials<'a, E: Experiment> {
    plan: &'a Plan<E>,
    series: &'a Series<E::Subject>,
    seed: &'a GenerationSeed,
    subject: usize,
}

impl<E: Experiment> Trials<'_, E> {
    fn check(&self, generation: u32) -> Result<(), Violation> {
        let subject = self.subject;
        let n = self.series.n_trials.min(TRIALS);
        let whole = self.one_by_one(n).encode();
        // Backwards, so that a trial that remembers an earlier one is seen.
        let singles: Vec<_> = (0..n).rev().map(|trial| self.cut(trial, 1)).collect();
        let single = singles.into_iter().rev().reduce(absorbed).map(|tally| tally.encode());
        if single.as_ref() != Some(&whole) {
            return Err(Violation::NotRepeatable { what: "trial" });
        }
        for size in 1..=n {
            let starts = (0..n).step_by(size as usize);
            let pieces = starts.map(|first| self.cut(first, size.min(n - first)));
            if pieces.reduce(absorbed).map(|tally| tally.encode()).as_ref() != Some(&whole) {
                return Err(Violation::CutMatters { subject, size });
            }
        }
        if 3 <= n {
            let [a, b, c] = [0, 1, 2].map(|trial| self.cut(trial, 1).encode());
            let parse =
                |bytes: &Bytes| E::Tally::decode(bytes).map_err(crate::erased::FarmError::from);
            let left = absorbed(absorbed(parse(&a)?, parse(&b)?), parse(&c)?);
            let right = absorbed(parse(&a)?, absorbed(parse(&b)?, parse(&c)?));
            if left.encode() != right.encode() {
                return Err(Violation::NotAssociative { subject });
            }
        }
        self.work_adds_up(n)?;
        survives::<E::Shared>("the shared input", &self.plan.shared, generation)?;
        survives::<E::Subject>("a subject", &self.series.subject, generation)?;
        survives::<E::Tally>("a tally", &self.one_by_one(n), generation)
    }

    /// The tally of `n` trials, played one after the other.
    fn one_by_one(&self, n: u32) -> E::Tally {
        let play = |trial| E::trial(&self.plan.shared, &self.series.subject, self.stream(trial));
        (0..n).map(play).reduce(absorbed).expect("a series has at least one trial")
    }

    /// The tally of `n` trials from number `first` on, played together.
    fn cut(&self, first: u32, n: u32) -> E::Tally {
        let streams = (first..first + n).map(|trial| self.stream(trial));
        E::trials(&self.plan.shared, &self.series.subject, streams)
    }

    fn stream(&self, trial: u32) -> crate::seed::StreamRng {
        let subject = u32::try_from(self.subject).expect("subjects are counted by u32");
        self.seed.trial(self.plan.draws, subject, trial)
    }

    fn work_adds_up(&self, n: u32) -> Result<(), Violation> {
        let mut sum: Vec<Work> = Vec::new();
        (0..n).for_each(|trial| Work::add(&mut sum, &E::work(&self.cut(trial, 1))));
        if E::work(&self.cut(0, n)) == sum {
            Ok(())
        } else {
            Err(Violation::WorkDoesNotAddUp { subject: self.subject })
        }
    }
}

fn absorbed<T: Tally>(mut earlier: T, later: T) -> T {
    earlier.absorb(later);
    earlier
}

/// A value on the wire must come back as it was, whole or not at all.
fn survives<W: Wire>(what: &'static str, value: &W, generation: u32) -> Result<(), Violation> {
    let bytes = value.encode();
    if W::decode(&bytes).map(|value| value.encode()).ok().as_ref() != Some(&bytes) {
        return Err(Violation::LosesInformation { what, generation });
    }
    takes_no_less(what, &bytes, |bytes| W::decode(bytes).is_ok())
}
