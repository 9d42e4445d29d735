//! A run's owner, priority and share of the farm. Nothing here can change a result.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use hatchery_proto::MAX_USER_BYTES;
use hatchery_proto::v1;

use crate::record::RunRecord;

/// The user of runs submitted without one.
const ANYBODY: &str = "anonymous";

/// The attributes of a run that dispatch schedules by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunScheduling {
    /// The owner: slots are shared evenly among users.
    pub user: UserName,
    /// The priority class.
    pub priority: RunPriority,
    /// The most slots that it uses at the same time; `None` for no limit.
    pub most_slots: Option<NonZeroU32>,
}

/// The name of a user who owns runs: 1 to [`MAX_USER_BYTES`] ASCII letters, digits and `.`, `_`,
/// `-`, `@`, the first of them a letter or a digit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserName(String);

/// The user whose token authenticated a request: a request extension, set where tokens are
/// required.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthenticatedUser(pub UserName);

/// A priority class, ordered from first to last served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RunPriority {
    /// Before all others.
    High,
    /// The default.
    #[default]
    Normal,
    /// After all others.
    Low,
}

/// An error in the text of a [`UserName`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UserError {
    /// The name is empty.
    #[error("the user has no name, but must have 1 to {MAX_USER_BYTES} characters")]
    Empty,
    /// The name is too long.
    #[error("the user's name has {n_bytes} bytes, but may have at most {MAX_USER_BYTES}")]
    Long {
        /// Its length.
        n_bytes: usize,
    },
    /// The name has a character that is not allowed at its place.
    #[error(
        "the user's name has {found:?}, but must begin with a letter or a digit and have nothing \
         but ASCII letters, digits, '.', '_', '-' and '@'"
    )]
    Character {
        /// The first such character.
        found: char,
    },
}

impl UserName {
    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for UserName {
    fn default() -> Self {
        Self(ANYBODY.to_owned())
    }
}

impl fmt::Display for UserName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for UserName {
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

impl RunPriority {
    /// Returns the name of the class.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Normal => "normal",
            Self::Low => "low",
        }
    }
}

impl From<v1::Priority> for RunPriority {
    fn from(priority: v1::Priority) -> Self {
        match priority {
            v1::Priority::High => Self::High,
            v1::Priority::Unspecified | v1::Priority::Normal => Self::Normal,
            v1::Priority::Low => Self::Low,
        }
    }
}

impl From<RunPriority> for v1::Priority {
    fn from(priority: RunPriority) -> Self {
        match priority {
            RunPriority::High => Self::High,
            RunPriority::Normal => Self::Normal,
            RunPriority::Low => Self::Low,
        }
    }
}

impl From<&RunRecord> for RunScheduling {
    /// Reads the attributes from a record; values that this build does not understand become the
    /// defaults.
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
            assert_eq!(name.parse::<UserName>().unwrap().as_str(), name);
        }
        assert_eq!("".parse::<UserName>(), Err(UserError::Empty));
        let n_bytes = MAX_USER_BYTES + 1;
        assert_eq!("x".repeat(n_bytes).parse::<UserName>(), Err(UserError::Long { n_bytes }));
        for (name, found) in [("-a", '-'), ("a b", ' '), ("über", 'ü'), ("a\u{1b}[2J", '\u{1b}')]
        {
            assert_eq!(name.parse::<UserName>(), Err(UserError::Character { found }));
        }
    }

    #[test]
    fn a_record_of_before_is_like_any_other() {
        assert_eq!(RunScheduling::from(&RunRecord::default()), RunScheduling::default());
        let strange = RunRecord {
            user: "\u{1b}[2J".to_owned(),
            priority: 99,
            most_slots: 3,
            ..RunRecord::default()
        };
        let most_slots = NonZeroU32::new(3);
        assert_eq!(
            RunScheduling::from(&strange),
            RunScheduling { most_slots, ..RunScheduling::default() }
        );
    }
}
