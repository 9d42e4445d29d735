//! Texts with emphasis.

use std::fmt;

use crate::measure::IntervalEstimate;
use crate::text::rounded;

/// A text for people, a part of which may be emphasized. It has no markup: `*` and `<` stand for
/// themselves.
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
    /// What qualifies the words before, such as an interval: shown with less weight.
    Soft(String),
}

impl RichText {
    /// Returns a text without emphasis.
    pub fn new(words: impl Into<String>) -> Self {
        Self(vec![TextSpan::Plain(words.into())])
    }

    /// Returns an estimate with this number of decimal places and its interval:
    /// `6.53 (5.50 to 7.70)`.
    #[must_use]
    pub fn estimate(it: IntervalEstimate, digits: usize) -> Self {
        let [mean, low, high] = [it.mean, it.low, it.high].map(|part| rounded(part, digits));
        Self::new(mean).soft(format!(" ({low} to {high})"))
    }

    /// Returns the estimate of a share and its interval in percent: `38.7 % (36.6 to 40.9)`.
    #[must_use]
    pub fn percent(it: IntervalEstimate) -> Self {
        let parts = [it.mean, it.low, it.high].map(|part| rounded(100.0 * part, 1));
        let [mean, low, high] = parts;
        Self::new(format!("{mean} %")).soft(format!(" ({low} to {high})"))
    }

    /// Returns the text, and `words` after it.
    #[must_use]
    pub fn plain(self, words: impl Into<String>) -> Self {
        self.with(TextSpan::Plain(words.into()))
    }

    /// Returns the text, and `words` after it that a reader must not miss.
    #[must_use]
    pub fn strong(self, words: impl Into<String>) -> Self {
        self.with(TextSpan::Strong(words.into()))
    }

    /// Returns the text, and after it `words` as a machine writes them.
    #[must_use]
    pub fn code(self, words: impl Into<String>) -> Self {
        self.with(TextSpan::Code(words.into()))
    }

    /// Returns the text, and after it `words` that qualify it.
    #[must_use]
    pub fn soft(self, words: impl Into<String>) -> Self {
        self.with(TextSpan::Soft(words.into()))
    }

    /// Returns the text, and `other` after it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_numbers_with_soft_intervals() {
        let it =
            IntervalEstimate { mean: 0.387, low: -0.0004, high: 0.409, n: 9, confidence: 0.95 };
        assert_eq!(RichText::percent(it).to_string(), "38.7 % (0.0 to 40.9)");
        assert_eq!(RichText::estimate(it, 2), RichText::new("0.39").soft(" (0.00 to 0.41)"));
    }
}
