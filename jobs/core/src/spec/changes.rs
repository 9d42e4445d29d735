//! The parameters of a run that differ from their defaults.
//!
//! ```text
//! schema, canonical parameters -find-> tree of changes -table-> "What was done" in a report
//! ```

mod table;

use serde_json::{Map, Value as Json};

use super::file_reference::mention;
use super::print::narrowed;
use super::schema::SchemaNode;
use super::walk::alternative;

pub(crate) use table::parameter_table;

/// The default of a parameter that is not set where nobody sets it.
const NOT_SET: &Json = &Json::Null;

/// A node of the schema, which has the words for a parameter.
#[derive(Clone)]
struct ParamNode<'a> {
    node: SchemaNode<'a>,
    /// The list that the parameter is an entry of: its words are the entry's where it has none.
    list: Option<SchemaNode<'a>>,
}

/// A parameter that differs from its default or has no default.
struct ParamChange<'a> {
    node: ParamNode<'a>,
    /// The alternative of the node that the value is.
    choice: Option<SchemaNode<'a>>,
    value: &'a Json,
    /// The default, null if the parameter is not set by default; `None` if it must be set.
    default: Option<&'a Json>,
    /// The changes in a table or in a list of tables, by their keys or indices.
    entries: Vec<(String, Self)>,
}

impl<'a> From<SchemaNode<'a>> for ParamNode<'a> {
    fn from(node: SchemaNode<'a>) -> Self {
        Self { node, list: None }
    }
}

impl<'a> ParamNode<'a> {
    /// Returns the first text of `key`.
    fn text(&self, key: &str) -> Option<&'a str> {
        self.node.text(key).or_else(|| self.list.as_ref()?.text(key))
    }
}

impl<'a> ParamChange<'a> {
    /// Returns the change from `default` to `value`, which is at `node`; `None` if there is none.
    fn find(node: ParamNode<'a>, value: &'a Json, default: Option<&'a Json>) -> Option<Self> {
        if value.is_null() || default.is_some_and(|default| is_same(value, &narrowed(default))) {
            return None;
        }
        let (choice, entries) = match value {
            Json::Object(table) if mention(table).is_none() => {
                let alternative = alternative(&node.node, table);
                let entries = table_entries(&node, &alternative, table, default);
                (Some(alternative), entries)
            }
            Json::Array(list) if list.iter().any(Json::is_object) => {
                let items = node.node.items().unwrap_or_else(|| node.node.anything());
                let items = ParamNode { node: items, list: Some(node.node.clone()) };
                let entry = |(idx, value): (usize, _)| {
                    Some((idx.to_string(), Self::find(items.clone(), value, None)?))
                };
                (None, list.iter().enumerate().filter_map(entry).collect())
            }
            Json::String(word) => (word_choice(&node.node, word), Vec::new()),
            _ => (None, Vec::new()),
        };
        Some(Self { node, choice, value, default, entries })
    }

    /// Returns true if the value is a table that is not set by default.
    fn is_switched_on(&self) -> bool {
        self.value.is_object() && !self.is_tagged() && self.default == Some(NOT_SET)
    }

    /// Returns true if a tag names the alternative that the value is.
    fn is_tagged(&self) -> bool {
        self.choice.iter().any(|choice| choice.tags().next().is_some())
    }

    /// Returns the description of the parameter, and the description of the word or of the tagged
    /// table that the value is. A table without a tag has the description of its type if it has
    /// none of its own.
    fn descriptions(&self) -> impl Iterator<Item = &'a str> {
        let own = self.node.text("description");
        let choice = self.choice.as_ref().and_then(|choice| choice.text("description"));
        let is_said = self.value.is_object() && !self.is_tagged() && own.is_some();
        own.into_iter().chain(choice.filter(|_| !is_said))
    }
}

/// Returns the changes in a table, which is `alternative` of `node`.
fn table_entries<'a>(
    node: &ParamNode<'a>,
    alternative: &SchemaNode<'a>,
    table: &'a Map<String, Json>,
    default: Option<&'a Json>,
) -> Vec<(String, ParamChange<'a>)> {
    let is_tag = |key: &str| alternative.tags().any(|(tag, _)| tag == key);
    // The default of another alternative says nothing about the entries of this one.
    let base = default
        .and_then(Json::as_object)
        .filter(|base| alternative.tags().all(|(tag, _)| base.get(tag) == table.get(tag)));
    let tag_change = |value| ParamChange {
        node: node.clone(),
        choice: Some(alternative.clone()),
        value,
        default: default.and_then(|default| match default {
            Json::Object(other) => alternative.tags().find_map(|(tag, _)| other.get(tag)),
            other => Some(other),
        }),
        entries: Vec::new(),
    };
    let change = |key: &str, value| {
        if is_tag(key) {
            return base.is_none().then(|| tag_change(value));
        }
        let property = alternative.property(key)?;
        let is_required = alternative.required().any(|required| required == key);
        let default = base.and_then(|base| base.get(key)).or_else(|| property.default());
        let default = default.or_else(|| (!is_required).then_some(NOT_SET));
        ParamChange::find(property.into(), value, default)
    };
    table.iter().filter_map(|(key, value)| Some((key.clone(), change(key, value)?))).collect()
}

/// Returns the alternative of `node` that is `word`.
fn word_choice<'a>(node: &SchemaNode<'a>, word: &str) -> Option<SchemaNode<'a>> {
    node.branches().into_iter().find(|branch| branch.text("const") == Some(word))
}

/// Returns true if two values are equal: 1 equals 1.0, and an entry that is not set equals one that
/// is left out.
fn is_same<'a>(a: &'a Json, b: &'a Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) if a.is_f64() || b.is_f64() => a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Json::Object(a), Json::Object(b)) => {
            let entry = |table: &'a Map<String, Json>, key| table.get(key).unwrap_or(NOT_SET);
            a.keys().chain(b.keys()).all(|key| is_same(entry(a, key), entry(b, key)))
        }
        _ => a == b,
    }
}
