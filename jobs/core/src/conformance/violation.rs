//! The ways to break the contract of an experiment.

use std::fmt;

use crate::erased::ExperimentError;
use crate::invalid_value::InvalidValue;
use crate::spec::SpecError;
use crate::wire::DecodeError;

/// The number of bytes of a value that an error shows.
const SHOWN_BYTES: usize = 32;

/// A point of the contract that an experiment breaks.
#[derive(Debug, thiserror::Error)]
pub enum Violation {
    /// A spec that is not valid, or not of the experiment.
    #[error("the spec is not valid")]
    Spec(#[from] SpecError),
    /// A spec that the experiment refuses when it begins.
    #[error("the spec is refused")]
    InvalidValue(#[from] InvalidValue),
    /// A plan without trials, or a value that does not decode from its own bytes.
    #[error("the experiment breaks its contract with the farm")]
    Experiment(#[from] ExperimentError),
    /// A run that continues after the generation that it announced as its last.
    #[error("the run is not done after {generations} generations, the most that it announced")]
    Endless {
        /// The most generations, by [`Experiment::generations`](crate::Experiment::generations).
        generations: u32,
    },
    /// A function with another result when it is called again.
    #[error("called again, {0}")]
    Unrepeatable(Difference),
    /// A trial whose result depends on the trials before it.
    #[error("in another order, {0}")]
    OrderDependent(Difference),
    /// A block of trials whose tally differs from the absorbed tallies of its trials.
    #[error("as a block, {0}")]
    UnequalBlock(Difference),
    /// A tally that depends on how absorbing is bracketed.
    #[error("with a + (b + c) for (a + b) + c, {0}")]
    NotAssociative(Difference),
    /// A tally that depends on how trials are cut into jobs.
    #[error("cut into jobs of {cut:?} trials, {difference}")]
    UnequalChunks {
        /// The numbers of trials of the jobs.
        cut: Vec<usize>,
        /// The difference.
        difference: Difference,
    },
    /// Work that does not add up when tallies are absorbed.
    #[error("absorbed, {0}")]
    WorkLost(Difference),
    /// A run that continues differently from a checkpoint, because its state is not its whole
    /// memory.
    #[error("resumed from its checkpoint, {0}")]
    IncompleteState(Difference),
    /// A value whose bytes change when it is decoded and encoded.
    #[error("decoded and encoded, {0}")]
    Reencoded(Difference),
    /// A value that decodes from too few or too many bytes.
    #[error("{what} of {n_bytes} bytes is decoded from {n_given} of them, but must be refused")]
    Accepted {
        /// A description of the value.
        what: String,
        /// The length of the value.
        n_bytes: usize,
        /// The number of bytes that the value decodes from: too few, or one too many.
        n_given: usize,
    },
    /// A decoder that panics.
    #[error("decoding {what} panics at {bytes}, but must give a value or an error")]
    DecodePanics {
        /// A description of the value.
        what: String,
        /// The first bytes, in hexadecimal digits.
        bytes: String,
    },
    /// A tally of a single trial that is decoded, although the sum over as many trials as a series
    /// may have overflows.
    #[error("{what} is decoded from {bytes}, but {n_trials} such trials do not add up: refuse it")]
    Overflows {
        /// A description of the tally.
        what: String,
        /// The first bytes of the tally, in hexadecimal digits.
        bytes: String,
        /// The number of trials whose sum fails.
        n_trials: u64,
    },
    /// A name, a number or a table that is not allowed.
    #[error("{what} is {value}, but must be {expected}")]
    Wrong {
        /// The thing checked.
        what: String,
        /// Its value.
        value: String,
        /// A description of the allowed values.
        expected: String,
    },
}

/// Two values that should be the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The thing compared.
    pub what: String,
    /// Its value.
    pub value: String,
    /// The expected value.
    pub expected: String,
}

impl Violation {
    pub(super) fn wrong(
        what: impl Into<String>,
        value: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self::Wrong { what: what.into(), value: value.into(), expected: expected.into() }
    }
}

impl Difference {
    /// Checks that the bytes `value` are the bytes `expected`; the error shows both from the first
    /// byte that differs.
    pub(super) fn check(what: &str, value: &[u8], expected: &[u8]) -> Result<(), Self> {
        if value == expected {
            return Ok(());
        }
        let n_equal = value.iter().zip(expected).take_while(|(a, b)| a == b).count();
        let what =
            if n_equal == 0 { what.to_owned() } else { format!("{what} from byte {n_equal}") };
        Err(Self { what, value: shown(&value[n_equal..]), expected: shown(&expected[n_equal..]) })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, value, expected } = self;
        write!(f, "{what} is {value}, but must be {expected}")
    }
}

impl From<DecodeError> for Violation {
    fn from(malformed: DecodeError) -> Self {
        Self::Experiment(malformed.into())
    }
}

/// Returns the first bytes of `bytes` as hexadecimal digits, for an error.
pub(super) fn shown(bytes: &[u8]) -> String {
    let digits: Vec<_> = bytes.iter().take(SHOWN_BYTES).map(|byte| format!("{byte:02x}")).collect();
    match bytes.len() {
        0 => "empty".to_owned(),
        n if SHOWN_BYTES < n => format!("{}... ({n} bytes)", digits.concat()),
        _ => digits.concat(),
    }
}
