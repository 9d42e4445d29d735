//! Errors in the list of tokens.

use hatchery_coordinator::UserName;

/// A list of tokens that cannot be read, or changed as asked for.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TokenListError {
    #[error("line {line}: {what}")]
    Line { line: usize, what: &'static str },
    #[error("more than {max} tokens")]
    TooMany { max: usize },
    #[error("no token {0} that is not revoked")]
    Unknown(UserName),
    #[error("token {0} already exists: revoke it first, or choose another name")]
    Taken(UserName),
}
