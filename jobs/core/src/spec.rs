//! The file a person writes: parsed, checked against the parameters' schema, printed.
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

mod error;
mod print;
mod schema;

pub use error::{Place, SpecError};
pub use print::print;
pub use schema::schema_of;

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use toml_edit::{Item, TableLike};

use crate::experiment::Refusal;
use schema::{Schema, check_ranges};

/// The longest spec: far above any real one, far below what could hurt.
pub const MAX_SPEC_BYTES: usize = 1 << 20;

/// A parsed spec with the text it came from.
#[derive(Clone, Debug)]
pub struct Document {
    /// Where the text came from: a path or a preset's name.
    source: String,
    /// Assignments that were made to the text afterwards, as the person wrote them.
    assignments: Vec<Assignment>,
    tree: toml_edit::Document<String>,
}

/// The part of a spec that is common to all experiments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The experiment's name.
    pub experiment: String,
    /// The seed of all randomness.
    pub seed: u64,
    /// What the run is for, in a line.
    pub about: String,
    /// How long it takes, in words.
    pub takes: String,
}

/// A spec as it is written, with parameters of type `P`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole<P> {
    experiment: String,
    seed: u64,
    #[serde(default)]
    about: String,
    #[serde(default)]
    takes: String,
    params: P,
}

#[derive(Clone, Debug)]
struct Assignment {
    path: Vec<String>,
    written: String,
}

impl Document {
    /// The document that `bytes` of the file or preset `source` hold.
    ///
    /// # Errors
    /// If they are too long, no text, or no TOML.
    pub fn parse(source: &str, bytes: &[u8]) -> Result<Self, SpecError> {
        if MAX_SPEC_BYTES < bytes.len() {
            let message = format!("{} bytes, but a spec has at most {MAX_SPEC_BYTES}", bytes.len());
            return Err(SpecError::whole(source, message));
        }
        let text = str::from_utf8(bytes).map_err(|error| {
            let offset = error.valid_up_to();
            let message = format!("byte {offset} is not UTF-8 text; a spec is a TOML file");
            SpecError::whole(source, message)
        })?;
        let tree = toml_edit::Document::parse(text.to_owned())
            .map_err(|error| SpecError::at(source, text, error.span(), error.message()))?;
        Ok(Self { source: source.to_owned(), assignments: Vec::new(), tree })
    }

    /// The document with `assignment` (`key=value`) made. A key that does not begin with a
    /// top-level one is looked up below `params`; a value that is no TOML value is a string.
    ///
    /// # Errors
    /// If the assignment is not of that form, or its key leads through something that is no table.
    pub fn set(self, assignment: &str) -> Result<Self, SpecError> {
        let from_set = |message: String| SpecError::assignment(assignment, message);
        let Some((key, value)) = assignment.split_once('=') else {
            return Err(from_set("not of the form key=value".to_owned()));
        };
        let mut path: Vec<String> = key.trim().split('.').map(str::to_owned).collect();
        if path.iter().any(String::is_empty) {
            return Err(from_set(format!("{key:?} is no key such as seed or fitness.games")));
        }
        if !matches!(path[0].as_str(), "experiment" | "seed" | "about" | "takes" | "params") {
            path.insert(0, "params".to_owned());
        }
        let value = value.trim();
        let value = value.parse().unwrap_or_else(|_| toml_edit::Value::from(value));
        let mut edited = self.tree.clone().into_mut();
        let mut item = edited.as_item_mut();
        for part in &path {
            item = child_mut(item, part)
                .ok_or_else(|| from_set(format!("there is no place for {part:?} in {key:?}")))?;
        }
        *item = Item::Value(value);
        let mut document = Self::parse(&self.source, edited.to_string().as_bytes())?;
        document.assignments = self.assignments;
        document.assignments.push(Assignment { path, written: assignment.to_owned() });
        Ok(document)
    }

    /// The text, assignments included: a spec that says the same.
    #[must_use]
    pub fn text(&self) -> &str {
        self.tree.raw()
    }

    /// The common part.
    ///
    /// # Errors
    /// If a key is missing, unknown or of the wrong type.
    pub fn head(&self) -> Result<Head, SpecError> {
        if let Some(item) = self.tree.get("seed")
            && item.as_integer().is_none_or(|seed| seed < 0)
        {
            let expected = format!("an integer from 0 to {}", i64::MAX);
            return Err(self.wrong(&["seed"], &shown(item, "seed", &expected)));
        }
        let whole: Whole<Option<IgnoredAny>> = self.deserialize()?;
        let Whole { experiment, seed, about, takes, params: _ } = whole;
        Ok(Head { experiment, seed, about, takes })
    }

    /// The parameters, checked against their schema.
    ///
    /// # Errors
    /// If one is missing, unknown, of the wrong type or out of range.
    pub fn params<S: DeserializeOwned>(&self, schema: &serde_json::Value) -> Result<S, SpecError> {
        let Some(params) = self.tree.get("params") else {
            return toml_edit::de::from_str("")
                .map_err(|error| self.error_at(None, error.message()));
        };
        check_ranges(Schema::root(schema), params, "").map_err(|fault| {
            self.error_at(fault.span, &shown(&fault.item, &fault.key, &fault.expected))
        })?;
        let whole: Whole<S> = self.deserialize()?;
        Ok(whole.params)
    }

    fn deserialize<T: DeserializeOwned>(&self) -> Result<T, SpecError> {
        toml_edit::de::from_document(self.tree.clone())
            .map_err(|error| self.error_at(error.span(), error.message()))
    }

    /// The error that says where `refusal` is.
    #[must_use]
    pub fn refused(&self, refusal: &Refusal) -> SpecError {
        let path: Vec<&str> = std::iter::once("params").chain(refusal.key.split('.')).collect();
        self.wrong(&path, &refusal.to_string())
    }

    /// The error `message` at the value that `path` leads to.
    #[must_use]
    pub fn wrong(&self, path: &[&str], message: &str) -> SpecError {
        let mut span = None;
        let mut item = Some(self.tree.as_item());
        for part in path {
            item = item.and_then(|item| child(item, part));
            span = item.and_then(Item::span).or(span);
        }
        self.error_at(span, message)
    }

    /// An error at `span`; if an assignment put the text there, the error is the assignment's.
    fn error_at(&self, span: Option<std::ops::Range<usize>>, message: &str) -> SpecError {
        let assigned = self.assignments.iter().rev().find(|assignment| {
            let mut item = Some(self.tree.as_item());
            for part in &assignment.path {
                item = item.and_then(|item| child(item, part));
            }
            // The parser reports the key of an unknown field, and the value of a wrong one.
            let value = item.and_then(Item::span);
            let key = self.key_span(&assignment.path);
            span.is_some() && (span == value || span == key)
        });
        match assigned {
            Some(assignment) => SpecError::assignment(&assignment.written, message.to_owned()),
            None => SpecError::at(&self.source, self.text(), span, message),
        }
    }

    fn key_span(&self, path: &[String]) -> Option<std::ops::Range<usize>> {
        let (last, parents) = path.split_last()?;
        let mut item = self.tree.as_item();
        for part in parents {
            item = child(item, part)?;
        }
        item.as_table_like()?.key(last)?.span()
    }
}

/// What is wrong with `item`, in words: its key, its value, what would be right.
fn shown(item: &Item, key: &str, expected: &str) -> String {
    format!("{key} = {}, but must be {expected}", item.to_string().trim())
}

fn child<'a>(item: &'a Item, part: &str) -> Option<&'a Item> {
    match part.parse::<usize>() {
        Ok(idx) if !item.is_table_like() => item.get(idx),
        _ => item.get(part),
    }
}

/// The child of `item` called `part`, made if missing; `None` if `item` can't have one.
fn child_mut<'a>(item: &'a mut Item, part: &str) -> Option<&'a mut Item> {
    if let (Ok(idx), false) = (part.parse::<usize>(), item.is_table_like()) {
        return item.get_mut(idx);
    }
    let table: &mut dyn TableLike = match item {
        Item::None => {
            *item = Item::Table(toml_edit::Table::new());
            item.as_table_like_mut()?
        }
        _ => item.as_table_like_mut()?,
    };
    Some(table.entry(part).or_insert(Item::None))
}
