//! The users who own runs and call a coordinator.

use std::fmt;
use std::str::FromStr;

use hatchery_proto::MAX_USER_BYTES;

/// The user of runs submitted without one.
const ANYBODY: &str = "anonymous";

/// The name of a user who owns runs: 1 to [`MAX_USER_BYTES`] ASCII letters, digits and `.`, `_`,
/// `-`, `@`. The first character is a letter or a digit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserName(String);

/// The user whose token authenticated a request: a request extension, set where tokens are
/// required.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthenticatedUser(pub UserName);

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
}
