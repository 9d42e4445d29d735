//! What an experiment can do wrong.

use std::fmt;

use crate::erased::ExperimentError;
use crate::experiment::InvalidParam;
use crate::spec::SpecError;
use crate::wire::Malformed;

/// How many bytes of a value an error shows.
const SHOWN_BYTES: usize = 32;

/// A point of the contract that an experiment does not keep.
#[derive(Debug, thiserror::Error)]
pub enum Violation {
    /// A spec that can't be read, or is not one of the experiment.
    #[error("the spec is not valid")]
    Spec(#[from] SpecError),
    /// A spec that the experiment refuses when it begins.
    #[error("the spec is refused")]
    InvalidParam(#[from] InvalidParam),
    /// A plan without trials, or a value that is not decoded from its own bytes.
    #[error("the experiment breaks its contract with the farm")]
    Experiment(#[from] ExperimentError),
    /// A run that goes on behind the generation that it announced as its last.
    #[error("the run is not done after {generations} generations, but must be: so it says itself")]
    Endless {
        /// The most generations, as the experiment says.
        generations: u32,
    },
    /// A function that gives something else when it is called again.
    #[error("called again, {0}")]
    Unrepeatable(Difference),
    /// A trial whose result depends on what was simulated before it.
    #[error("in another order, {0}")]
    OrderDependent(Difference),
    /// A block of trials whose tally is not that of its trials, absorbed one by one.
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
        /// What differs.
        difference: Difference,
    },
    /// Work that does not add up when tallies are absorbed.
    #[error("absorbed, {0}")]
    WorkLost(Difference),
    /// A run that goes on differently from a checkpoint: the state is not all of its memory.
    #[error("resumed from its checkpoint, {0}")]
    IncompleteState(Difference),
    /// A value whose bytes change when it is decoded and encoded.
    #[error("decoded and encoded, {0}")]
    Reencoded(Difference),
    /// A value that is decoded from bytes that are not all of it, or more than it.
    #[error("{what} of {n_bytes} bytes is decoded from {n_given} of them, but must be refused")]
    Accepted {
        /// What is decoded.
        what: String,
        /// How many bytes it has.
        n_bytes: usize,
        /// How many it was decoded from: fewer, or one too many.
        n_given: usize,
    },
    /// A decoder that panics.
    #[error("decoding {what} panics at {bytes}, but must give a value or an error")]
    DecodePanics {
        /// What is decoded.
        what: String,
        /// The bytes that it was decoded from.
        bytes: String,
    },
    /// A name, a number or a table that is not as it must be.
    #[error("{what} is {value}, but must be {expected}")]
    Wrong {
        /// What it is of.
        what: String,
        /// What it is.
        value: String,
        /// What would be right.
        expected: String,
    },
}

/// Two values that should be the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs.
    pub what: String,
    /// What it is.
    pub value: String,
    /// What it should be.
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
    /// Checks that the bytes `value` are the bytes `expected`; what differs is shown from where it
    /// does.
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

impl From<Malformed> for Violation {
    fn from(malformed: Malformed) -> Self {
        Self::Experiment(malformed.into())
    }
}

/// `bytes` for an error: the first ones as hexadecimal digits.
pub(super) fn shown(bytes: &[u8]) -> String {
    let digits: Vec<_> = bytes.iter().take(SHOWN_BYTES).map(|byte| format!("{byte:02x}")).collect();
    match bytes.len() {
        0 => "empty".to_owned(),
        n if SHOWN_BYTES < n => format!("{}... ({n} bytes)", digits.concat()),
        _ => digits.concat(),
    }
}
