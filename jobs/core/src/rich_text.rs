//! Texts with emphasis.

use std::fmt;

/// A text for people, with optional emphasis on some words. It has no markup: `*` and `<` are plain
/// characters.
///
/// ```
/// use hatchery_core::findings::RichText;
///
/// let text = RichText::new("All maps are ").strong("unfair").plain(".");
/// assert_eq!(text.to_string(), "All maps are unfair.");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RichText(Vec<TextSpan>);

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextSpan {
    /// Words as they are.
    Plain(String),
    /// Words that a reader must not miss.
    Strong(String),
    /// A name, a command or a value as a machine writes it.
    Code(String),
    /// A qualification of the words before, such as an interval: shown with less weight.
    Soft(String),
}

impl RichText {
    /// Returns a text without emphasis.
    pub fn new(words: impl Into<String>) -> Self {
        Self(vec![TextSpan::Plain(words.into())])
    }

    /// Appends `words`, and returns the text.
    #[must_use]
    pub fn plain(self, words: impl Into<String>) -> Self {
        self.with(TextSpan::Plain(words.into()))
    }

    /// Appends `words` that a reader must not miss, and returns the text.
    #[must_use]
    pub fn strong(self, words: impl Into<String>) -> Self {
        self.with(TextSpan::Strong(words.into()))
    }

    /// Appends `words` as a machine writes them, and returns the text.
    #[must_use]
    pub fn code(self, words: impl Into<String>) -> Self {
        self.with(TextSpan::Code(words.into()))
    }

    /// Appends `words` that qualify the text so far, and returns the text.
    #[must_use]
    pub fn soft(self, words: impl Into<String>) -> Self {
        self.with(TextSpan::Soft(words.into()))
    }

    /// Appends `other`, and returns the text.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Returns the parts in their order.
    #[must_use]
    pub fn spans(&self) -> &[TextSpan] {
        &self.0
    }

    /// Returns true if there is nothing to read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|span| span.words().is_empty())
    }

    fn with(mut self, span: TextSpan) -> Self {
        self.0.push(span);
        self
    }
}

impl TextSpan {
    /// Returns the words without their emphasis.
    #[must_use]
    pub fn words(&self) -> &str {
        match self {
            Self::Plain(words) | Self::Strong(words) | Self::Code(words) | Self::Soft(words) => {
                words
            }
        }
    }
}

impl fmt::Display for RichText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|span| f.write_str(span.words()))
    }
}

impl From<&str> for RichText {
    fn from(words: &str) -> Self {
        Self::new(words)
    }
}

impl From<String> for RichText {
    fn from(words: String) -> Self {
        Self::new(words)
    }
}
