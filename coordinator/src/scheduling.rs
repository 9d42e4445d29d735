//! Whom a run is for, and how soon and how much of the farm it gets. Nothing here can change a
//! result.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use hatchery_proto::MAX_USER_BYTES;
use hatchery_proto::v1;

use crate::record::RunRecord;

/// Whose runs are those of which nobody is said.
const ANYBODY: &str = "anonymous";

/// What a run is to dispatch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scheduling {
    /// Whose it is: places are shared evenly among users.
    pub user: User,
    /// What goes first.
    pub priority: Priority,
    /// The most jobs of it that are at workers at the same time; `None` for no limit.
    pub most_slots: Option<NonZeroU32>,
}

/// The name of somebody who has runs: 1 to [`MAX_USER_BYTES`] ASCII letters, digits and `.`, `_`,
/// `-`, `@`, the first of them a letter or a digit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct User(String);

/// Whose token came with a request: an extension of it, where tokens are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller(pub User);

/// What goes first: the order is that of the variants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Before all others.
    High,
    /// Unless something else is said.
    #[default]
    Normal,
    /// After all others.
    Low,
}

/// Why a text is no [`User`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UserError {
    /// It is empty.
    #[error("the user has no name, but must have 1 to {MAX_USER_BYTES} characters")]
    Empty,
    /// It is too long.
    #[error("the user's name has {n_bytes} bytes, but may have at most {MAX_USER_BYTES}")]
    Long {
        /// How long.
        n_bytes: usize,
    },
    /// It has a character that it may not have there.
    #[error(
        "the user's name has {found:?}, but must begin with a letter or a digit and have nothing \
         but ASCII letters, digits, '.', '_', '-' and '@'"
    )]
    Character {
        /// The first of them.
        found: char,
    },
}

impl User {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for User {
    fn default() -> Self {
        Self(ANYBODY.to_owned())
    }
}

impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for User {
    type Err = UserError;

    fn from_str(text: &str) -> Result<Self, UserError> {
        if MAX_USER_BYTES < text.len() {
            return Err(UserError::Long { n_bytes: text.len() });
        }
        let Some(first) = text.chars().next() else { return Err(UserError::Empty) };
        if !first.is_ascii_alphanumeric() {
            return Err(UserError::Character { found: first });
        }
        let fits = |c: char| c.is_ascii_alphanumeric() || ".-_@".contains(c);
        match text.chars().find(|&c| !fits(c)) {
            Some(found) => Err(UserError::Character { found }),
            None => Ok(Self(text.to_owned())),
        }
    }
}

impl Priority {
    /// The class in a word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Normal => "normal",
            Self::Low => "low",
        }
    }
}

impl From<v1::Priority> for Priority {
    fn from(priority: v1::Priority) -> Self {
        match priority {
            v1::Priority::High => Self::High,
            v1::Priority::Unspecified | v1::Priority::Normal => Self::Normal,
            v1::Priority::Low => Self::Low,
        }
    }
}

impl From<Priority> for v1::Priority {
    fn from(priority: Priority) -> Self {
        match priority {
            Priority::High => Self::High,
            Priority::Normal => Self::Normal,
            Priority::Low => Self::Low,
        }
    }
}

impl From<&RunRecord> for Scheduling {
    /// What a record says; where it says nothing that this build understands, the run is like any
    /// other.
    fn from(record: &RunRecord) -> Self {
        Self {
            user: record.user.parse().unwrap_or_default(),
            priority: record.priority().into(),
            most_slots: NonZeroU32::new(record.most_slots),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_a_short_plain_word() {
        for name in ["a", "7", "ada.l-1_x@lab", &"x".repeat(MAX_USER_BYTES)] {
            assert_eq!(name.parse::<User>().unwrap().as_str(), name);
        }
        assert_eq!("".parse::<User>(), Err(UserError::Empty));
        let n_bytes = MAX_USER_BYTES + 1;
        assert_eq!("x".repeat(n_bytes).parse::<User>(), Err(UserError::Long { n_bytes }));
        for (name, found) in [("-a", '-'), ("a b", ' '), ("über", 'ü'), ("a\u{1b}[2J", '\u{1b}')]
        {
            assert_eq!(name.parse::<User>(), Err(UserError::Character { found }));
        }
    }

    #[test]
    fn a_record_of_before_is_like_any_other() {
        assert_eq!(Scheduling::from(&RunRecord::default()), Scheduling::default());
        let strange = RunRecord {
            user: "\u{1b}[2J".to_owned(),
            priority: 99,
            most_slots: 3,
            ..RunRecord::default()
        };
        let most_slots = NonZeroU32::new(3);
        assert_eq!(Scheduling::from(&strange), Scheduling { most_slots, ..Scheduling::default() });
    }
}
