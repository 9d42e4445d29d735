//! The finding of a run in words, as documents have it.

use hatchery_coordinator::run::summary::RunFinding;
use hatchery_proto::v1;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::format::wrapped;
use crate::terminal::escape_controls;

/// The finding of a run; empty if there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct FindingText {
    /// The finding of the run in a line; only present if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    /// The finding in a few sentences; only present if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) summary: Option<String>,
    /// The finding in a few words, for lists; only present if there are such words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) headline: Option<String>,
}

impl FindingText {
    /// Returns the title and the summary as paragraphs of lines for a terminal, with an empty line
    /// after each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let paragraphs = [&self.title, &self.summary].into_iter().flatten();
        paragraphs.flat_map(|words| wrapped(words).into_iter().chain([String::new()])).collect()
    }

    /// Returns the finding without characters that control a terminal.
    pub(crate) fn escaped(&self) -> Self {
        let escaped = |words: &Option<String>| words.as_deref().map(escape_controls);
        let Self { title, summary, headline } = self;
        Self { title: escaped(title), summary: escaped(summary), headline: escaped(headline) }
    }
}

impl From<RunFinding> for FindingText {
    fn from(RunFinding { title, summary, headline }: RunFinding) -> Self {
        let said = |words: String| (!words.is_empty()).then_some(words);
        Self { title: said(title), summary: said(summary), headline: said(headline) }
    }
}

impl From<v1::RunFinding> for FindingText {
    fn from(v1::RunFinding { title, summary, headline }: v1::RunFinding) -> Self {
        Self::from(RunFinding { title, summary, headline }).escaped()
    }
}
