//! What a token is for.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;

/// What a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// To compute: sessions and shared inputs, and nothing of what people do.
    Worker,
    /// To look at runs, workers and metrics.
    Viewer,
    /// To do all that people do.
    Operator,
}

/// What has to be shown for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Nothing.
    Nothing,
    /// A token that is at least this.
    Token(Role),
}

impl Role {
    /// Whether this role may do what needs `least`.
    pub(crate) fn may(self, least: Self) -> bool {
        self == least || (self, least) == (Self::Operator, Self::Viewer)
    }

    fn word(self) -> &'static str {
        match self {
            Self::Worker => "worker",
            Self::Viewer => "viewer",
            Self::Operator => "operator",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Role {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let found = Self::value_variants().iter().find(|role| role.word() == text);
        found.copied().ok_or(())
    }
}
