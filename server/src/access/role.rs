//! Roles of tokens.

use std::fmt;
use std::str::FromStr;

/// The role of a token: the calls that it allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenRole {
    /// May compute jobs: sessions and shared inputs only.
    Worker,
    /// May look at runs, workers and metrics.
    Viewer,
    /// May look and make all changes: submit, pause, cancel, delete, drain, quarantine.
    Operator,
}

/// The access that a call requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallAccess {
    /// Everyone may make the call.
    Public,
    /// A token is needed whose role includes this one.
    Role(TokenRole),
}

impl TokenRole {
    /// Returns true if this role allows all that `least` allows.
    pub(crate) fn includes(self, least: Self) -> bool {
        self == least || (self, least) == (Self::Operator, Self::Viewer)
    }

    /// The word for the role, in files and errors.
    fn word(self) -> &'static str {
        match self {
            Self::Worker => "worker",
            Self::Viewer => "viewer",
            Self::Operator => "operator",
        }
    }
}

impl fmt::Display for TokenRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for TokenRole {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let all = [Self::Worker, Self::Viewer, Self::Operator];
        all.into_iter().find(|role| role.word() == text).ok_or(())
    }
}
