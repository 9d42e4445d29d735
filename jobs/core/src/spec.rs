//! Specs: the files that a person writes, parsed, checked against the parameters' schema, printed.
//!
//! A spec says *what* to compute and never *how*: the experiment, the seed and the parameters.
//!
//! ```toml
//! experiment = "pig"
//! seed = 1
//!
//! [params]
//! games = 1000
//! ```
//!
//! A parameter that takes text takes a file: `{ file = "levels/*.xml" }`. The program that starts
//! the run reads the file and puts a [reference](FileReference) in its place: names without
//! folders, and the hash of an input of the run. Parameters are read with the bytes of such inputs
//! ([`SpecDocument::params_with`]), so an experiment sees values and never files.

mod assign;
mod changes;
mod check;
mod error;
mod file_mentions;
mod file_params;
mod file_reference;
mod file_values;
mod locate;
mod print;
mod scan;
mod schema;
mod spec_file;
#[cfg(test)]
mod tests;
mod value;
pub(crate) mod walk;
mod words;

pub(crate) use changes::parameter_table;
pub use error::{SourceSpan, SpecError};
pub use file_mentions::FileMention;
pub use file_params::{FileList, FileValue, FromFile};
pub use file_reference::{FileReference, MAX_FILES, NamedFiles};
pub use print::{print, toml_value};
pub use schema::schema_of;
pub(crate) use schema::{SchemaNode, make_schema};
pub use spec_file::{FileFault, RawFile, SpecFile};
pub(crate) use value::TextValue;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use toml_edit::{Item, Table};

use crate::invalid_value::InvalidValue;
use crate::part::PartSet;
use assign::ParamAssignment;
use check::{FaultFinder, SchemaFault, faults};
use locate::{EntryPart, check_depth, follow, span};
use scan::scan;
use value::ReadError;

/// The longest spec: far above any real one, far below a size that could hurt.
pub const MAX_SPEC_BYTES: usize = 1 << 20;

/// A parsed spec with the text it came from.
#[derive(Clone, Debug)]
pub struct SpecDocument {
    /// The origin of the text: a path or a preset's name.
    source: String,
    /// The text as it was read: errors point into it.
    read: Arc<SpecTree>,
    /// Assignments made to the text afterwards, as the person wrote them.
    assignments: Vec<ParamAssignment>,
    /// The text with the assignments made; the tree as read if there are no assignments.
    tree: Arc<SpecTree>,
}

/// A text as a tree, which takes up to a hundred times the memory of the text.
type SpecTree = toml_edit::Document<String>;

/// The part of a spec that is common to all experiments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecHead {
    /// The experiment's name.
    pub experiment: String,
    /// The seed of all randomness.
    pub seed: u64,
    /// The purpose of the run, in a line.
    pub about: String,
    /// The time that the run takes, such as `30 s on 2 cores`.
    pub takes: String,
}

/// A whole spec, with parameters of any type.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WholeSpec {
    experiment: String,
    #[schemars(range(max = i64::MAX))]
    seed: u64,
    #[serde(default)]
    about: String,
    #[serde(default)]
    takes: String,
    #[serde(rename = "params")]
    #[schemars(with = "Option<serde_json::Value>")]
    _params: Option<IgnoredAny>,
}

impl SpecDocument {
    /// Parses `bytes`, the content of the file or preset `source`.
    ///
    /// # Errors
    /// If `bytes` are too long, have too many keys and values, are nested too deep, or are not TOML
    /// text.
    pub fn parse(source: &str, bytes: &[u8]) -> Result<Self, SpecError> {
        if MAX_SPEC_BYTES < bytes.len() {
            let message = format!("longer than {MAX_SPEC_BYTES} bytes, the most for a spec");
            return Err(SpecError::whole(source, message));
        }
        let text = str::from_utf8(bytes).map_err(|error| {
            let offset = error.valid_up_to();
            let message = format!("byte {offset} is not UTF-8 text; a spec is a TOML file");
            SpecError::whole(source, message)
        })?;
        scan(text).map_err(|(span, message)| SpecError::at(source, text, Some(span), &message))?;
        let tree = SpecTree::parse(text.to_owned())
            .map_err(|error| SpecError::at(source, text, error.span(), error.message()))?;
        check_depth(tree.as_item()).map_err(|message| SpecError::whole(source, message))?;
        let tree = Arc::new(tree);
        let read = Arc::clone(&tree);
        Ok(Self { source: source.to_owned(), read, assignments: Vec::new(), tree })
    }

    /// Returns the document with `assignment` (`key=value`) made.
    ///
    /// A key that does not begin with a top-level key is looked up below `params`. A value that is
    /// not TOML is a string, unless it begins like a quoted string, a list or a table.
    ///
    /// # Errors
    /// If the assignment is not of that form, or its key leads through a value that is not a table.
    pub fn set(mut self, assignment: &str) -> Result<Self, SpecError> {
        let from_set = |message| SpecError::assignment(assignment, message);
        let assignment = ParamAssignment::parse(assignment).map_err(from_set)?;
        let mut edited = Arc::unwrap_or_clone(self.tree).into_mut();
        assignment.make(edited.as_item_mut()).map_err(from_set)?;
        check_depth(edited.as_item()).map_err(from_set)?;
        let text = edited.to_string();
        scan(&text).map_err(|(_, message)| from_set(message))?;
        let tree = SpecTree::parse(text).map_err(|error| from_set(error.message().to_owned()))?;
        self.tree = Arc::new(tree);
        self.assignments.push(assignment);
        Ok(self)
    }

    /// Returns the text with the assignments made: a spec with the same meaning.
    #[must_use]
    pub fn text(&self) -> &str {
        self.tree.raw()
    }

    /// Returns the part that is common to all experiments.
    ///
    /// # Errors
    /// If a key is missing, unknown or of the wrong type.
    pub fn head(&self) -> Result<SpecHead, SpecError> {
        let schema = schema_of::<WholeSpec>();
        let faults = faults(&SchemaNode::root(schema), self.tree.as_item(), &[]);
        let whole: WholeSpec = self.read(&TextValue::from(self.tree.as_item()), &[], &faults)?;
        let WholeSpec { experiment, seed, about, takes, _params } = whole;
        Ok(SpecHead { experiment, seed, about, takes })
    }

    /// Returns the references to files in the parameters.
    #[must_use]
    pub fn files(&self) -> Vec<NamedFiles> {
        self.tree.get("params").map_or_else(Vec::new, |params| TextValue::from(params).references())
    }

    /// Returns the parameters, checked against their schema; they name no files.
    ///
    /// # Errors
    /// If a parameter is missing, unknown, of the wrong type or out of range.
    pub fn params<S: DeserializeOwned>(&self, schema: &serde_json::Value) -> Result<S, SpecError> {
        self.params_with(schema, &PartSet::default())
    }

    /// Returns the parameters, checked against their schema; the files that they name are among
    /// `inputs`.
    ///
    /// # Errors
    /// If a parameter is missing, unknown, of the wrong type or out of range. If a file is missing,
    /// or does not hold what its parameter takes.
    pub fn params_with<S: DeserializeOwned>(
        &self,
        schema: &serde_json::Value,
        inputs: &PartSet,
    ) -> Result<S, SpecError> {
        if let Some(FileMention { path, pattern, .. }) = self.mentions().first() {
            let path: Vec<_> = path.iter().map(String::as_str).collect();
            let message = format!("the file {pattern:?} is to be read by whoever starts the run");
            return Err(self.wrong(&path, &message));
        }
        let nothing = Item::Table(Table::new());
        let params = self.tree.get("params").unwrap_or(&nothing);
        let path = ["params"];
        let faults = faults(&SchemaNode::root(schema), params, &path);
        let mut value = TextValue::from(params);
        value.load(inputs).map_err(|(below, message)| {
            let path: Vec<_> = path.into_iter().chain(below.iter().map(String::as_str)).collect();
            self.wrong(&path, &message)
        })?;
        self.read(&value, &path, &faults)
    }

    /// Reads `value`, which is at `path` from the root and has these faults, as a `T`.
    fn read<T: DeserializeOwned>(
        &self,
        value: &TextValue,
        path: &[&str],
        faults: &[SchemaFault],
    ) -> Result<T, SpecError> {
        if let Some(fault) = faults.iter().find(|fault| fault.by == FaultFinder::Schema) {
            return Err(self.error_at(&fault.path, fault.part, &fault.message));
        }
        value.read().map_err(|error| self.refused_by_type(path, faults, &error))
    }

    /// Returns the error for a value that its type refuses: the schema's fault if there is one, or
    /// otherwise the type's own message.
    fn refused_by_type(
        &self,
        path: &[&str],
        faults: &[SchemaFault],
        error: &ReadError,
    ) -> SpecError {
        if let Some(fault) = faults.first() {
            return self.error_at(&fault.path, fault.part, &fault.message);
        }
        let path: Vec<_> = path.iter().copied().chain(error.path()).collect();
        self.wrong(&path, error.message())
    }

    /// Returns `invalid` as an error that points to the parameter.
    #[must_use]
    pub fn refused(&self, invalid: &InvalidValue) -> SpecError {
        let path: Vec<&str> = std::iter::once("params").chain(invalid.key.split('.')).collect();
        self.wrong(&path, &invalid.to_string())
    }

    /// Returns the error `message` at the value that `path` leads to.
    #[must_use]
    pub fn wrong(&self, path: &[&str], message: &str) -> SpecError {
        let path: Vec<_> = path.iter().map(|&part| part.to_owned()).collect();
        self.error_at(&path, EntryPart::Value, message)
    }

    /// Returns an error at `path`, or at the assignment that made the entry there.
    fn error_at(&self, path: &[String], part: EntryPart, message: &str) -> SpecError {
        let was_read = follow(self.read.as_item(), path).is_some();
        let assigned = self.assignments.iter().rev().find(|assignment| {
            path.starts_with(assignment.path())
                || (!was_read && assignment.path().starts_with(path))
        });
        match assigned {
            Some(assignment) => SpecError::assignment(assignment.written(), message.to_owned()),
            None => {
                let span = span(self.read.as_item(), path, part);
                SpecError::at(&self.source, self.read.raw(), span, message)
            }
        }
    }
}
