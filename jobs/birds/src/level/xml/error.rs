//! Errors in texts that should be level files of Science Birds.

use crate::level::LevelError;
use crate::level::error::MAX_TEXT_BYTES;

/// The reason why a text is no level file of Science Birds, and its line.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct LevelXmlError {
    /// The line, from 1.
    pub line: usize,
    /// The reason.
    pub fault: XmlFault,
}

/// A fault in a text that should be a level file of Science Birds. Texts in it are shortened.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum XmlFault {
    /// The text is longer than any level.
    #[error("{n_bytes} bytes, but a level has at most {MAX_TEXT_BYTES}")]
    TooLong {
        /// The number of bytes.
        n_bytes: usize,
    },
    /// The text ends too soon.
    #[error("the text ends where {expected} should be")]
    Ended {
        /// A description of what is missing.
        expected: String,
    },
    /// Other text is in the place of an element.
    #[error("found `{found}`, expected {expected}")]
    Misplaced {
        /// The beginning of the other text.
        found: String,
        /// A description of what should stand there.
        expected: String,
    },
    /// An element that must be closed is not.
    #[error("`{element}` is not closed before `{found}`; end it with `/>`")]
    Unclosed {
        /// The element's name.
        element: &'static str,
        /// The beginning of what follows.
        found: String,
    },
    /// The text is not written as XML is.
    #[error("no XML: {reason}")]
    Syntax {
        /// A description of what is wrong.
        reason: String,
    },
    /// An element has too many attributes.
    #[error("`{element}` has more than {most} attributes")]
    Attributes {
        /// The element's name.
        element: String,
        /// The most attributes.
        most: usize,
    },
    /// An attribute is missing.
    #[error("`{element}` has no attribute `{attribute}`{likely}, which must be {expected}")]
    Missing {
        /// The element's name.
        element: &'static str,
        /// The attribute's name.
        attribute: &'static str,
        /// The attribute that may be meant, in words, or nothing.
        likely: String,
        /// A description of the values allowed.
        expected: &'static str,
    },
    /// An attribute has a value that is not allowed.
    #[error("`{element}`: `{attribute}` is `{found}`, but must be {expected}")]
    Value {
        /// The element's name.
        element: &'static str,
        /// The attribute's name.
        attribute: &'static str,
        /// The value.
        found: String,
        /// A description of the values allowed.
        expected: &'static str,
    },
    /// The text says something that is no level, such as a place far from the ground.
    #[error(transparent)]
    Level(LevelError),
}

impl XmlFault {
    /// Returns the fault with its line.
    pub(super) const fn at(self, line: usize) -> LevelXmlError {
        LevelXmlError { line, fault: self }
    }
}
