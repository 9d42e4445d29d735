//! The addresses of trials.

use std::fmt;
use std::str::FromStr;

/// The address of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TrialAddress {
    pub(crate) generation: u32,
    pub(crate) subject: u32,
    pub(crate) trial: u32,
}

impl fmt::Display for TrialAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { generation, subject, trial } = self;
        write!(f, "{generation}/{subject}/{trial}")
    }
}

/// A trial as a person names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrialSelector {
    /// A trial of the best subject.
    Best,
    /// The trial of this address.
    Address(TrialAddress),
}

impl FromStr for TrialSelector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "best" {
            return Ok(Self::Best);
        }
        let parts: Vec<_> = text.split('/').map(str::parse).collect();
        match parts.as_slice() {
            [Ok(generation), Ok(subject), Ok(trial)] => {
                let (generation, subject, trial) = (*generation, *subject, *trial);
                Ok(Self::Address(TrialAddress { generation, subject, trial }))
            }
            _ => Err("neither `best` nor of the form GENERATION/SUBJECT/TRIAL, such as 3/0/17"
                .to_owned()),
        }
    }
}
