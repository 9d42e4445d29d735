//! Warnings of elements and attributes of a level file that the reader skips, as the game does.

use std::collections::BTreeMap;
use std::fmt;

use hatchery_core::text::{closest_name, counted, excerpt};

/// Elements or attributes of a level file that nobody reads, and that are skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmlWarning {
    /// The line of the first one, from 1.
    pub line: usize,
    /// The number of such elements or attributes.
    pub count: usize,
    /// The element or attribute that is skipped, such as `` `Score` ``, or an attribute with its
    /// element, such as `` `roation` of `Block` ``.
    pub what: String,
    /// The name that may be meant.
    pub meant: Option<&'static str>,
}

impl fmt::Display for XmlWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, count, what, meant } = self;
        write!(f, "{what} is skipped, {} from line {line}", counted(*count, "time"))?;
        match meant {
            Some(meant) => write!(f, ": did you mean `{meant}`?"),
            None => Ok(()),
        }
    }
}

/// The most kinds of things that are told apart: a hostile file has many.
const MAX_KINDS: usize = 20;

/// The elements and attributes that were skipped so far.
#[derive(Clone, Debug, Default)]
pub(super) struct SkippedParts {
    kinds: BTreeMap<String, XmlWarning>,
}

impl SkippedParts {
    /// Counts an element that is none of `known`.
    pub(super) fn element(&mut self, name: &str, known: &[&'static str], line: usize) {
        self.count(format!("`{}`", excerpt(name)), meant(name, known), line);
    }

    /// Counts an attribute that is none of `known`.
    pub(super) fn attribute(
        &mut self,
        (element, name): (&str, &str),
        known: &[&'static str],
        line: usize,
    ) {
        let what = format!("`{}` of `{element}`", excerpt(name));
        self.count(what, meant(name, known), line);
    }

    fn count(&mut self, what: String, meant: Option<&'static str>, line: usize) {
        if MAX_KINDS <= self.kinds.len() && !self.kinds.contains_key(&what) {
            return;
        }
        let warning = XmlWarning { line, count: 0, what: what.clone(), meant };
        self.kinds.entry(what).or_insert(warning).count += 1;
    }

    /// Returns what was skipped, in the order of the file.
    pub(super) fn warnings(self) -> Vec<XmlWarning> {
        let mut warnings: Vec<_> = self.kinds.into_values().collect();
        warnings.sort_by_key(|warning| warning.line);
        warnings
    }
}

/// Returns the known name that may be meant by `name`.
pub(super) fn meant(name: &str, known: &[&'static str]) -> Option<&'static str> {
    closest_name(name, known.iter().copied())
}
