//! Parameters and their schema, side by side: which nodes of a schema a spec reaches.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::invalid_value::InvalidValue;

use super::schema::{SchemaNode, TableOutline};
use super::words::expected;

/// The address of a node in its schema: two places that share a node have the same one.
pub(crate) type NodeId = (usize, String);

impl SchemaNode<'_> {
    /// Returns the address of this node, or of one of the strings that it allows.
    fn id(&self, choice: &str) -> NodeId {
        let address = self.layers().first().map_or(0, |layer| std::ptr::from_ref(*layer).addr());
        (address, choice.to_owned())
    }
}

/// A value of parameters where it reaches nodes of the schema.
pub(crate) struct Reached<'a> {
    /// The keys and indices from the root.
    pub(crate) path: Vec<String>,
    /// The value.
    pub(crate) value: Json,
    /// The node.
    pub(crate) node: SchemaNode<'a>,
    /// The node, its alternative that the value is, and the string that it is.
    pub(crate) ids: Vec<NodeId>,
}

/// Returns all values of `params` with the nodes of `schema` that they reach. A value that is not
/// set reaches none.
pub(crate) fn reached<'a>(schema: &'a Json, params: &Json) -> Vec<Reached<'a>> {
    let mut all = Vec::new();
    reach(&SchemaNode::root(schema), params, &[], &mut all);
    all
}

fn reach<'a>(node: &SchemaNode<'a>, value: &Json, path: &[String], all: &mut Vec<Reached<'a>>) {
    let below = |part: &str| [path, &[part.to_owned()]].concat();
    let mut ids = vec![node.id("")];
    let mut inside = Vec::new();
    match value {
        Json::Null => return,
        Json::Object(table) => {
            let outline: TableOutline<'_> =
                table.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
            let branch = node.of_table(&outline).unwrap_or_else(|| node.clone());
            ids.push(branch.id(""));
            let properties = table
                .iter()
                .filter_map(|(key, value)| Some((branch.property(key)?, value, below(key))));
            inside.extend(properties);
        }
        Json::Array(list) => {
            let items = node.items().unwrap_or_else(|| node.anything());
            let entries = list.iter().zip(0..);
            inside.extend(
                entries
                    .map(|(entry, idx): (_, u32)| (items.clone(), entry, below(&idx.to_string()))),
            );
        }
        Json::String(text) => ids.push(node.id(text)),
        Json::Bool(_) | Json::Number(_) => {}
    }
    all.push(Reached { path: path.to_vec(), value: value.clone(), node: node.clone(), ids });
    for (node, value, path) in inside {
        reach(&node, value, &path, all);
    }
}

impl Reached<'_> {
    /// Returns true if the value, a number or a length, is in the range of one of its alternatives.
    fn is_in_range(&self) -> bool {
        let length = match &self.value {
            Json::Array(list) => Some(list.len()),
            Json::String(text) => Some(text.chars().count()),
            _ => None,
        };
        self.node.branches().iter().any(|branch| {
            self.value.as_f64().is_none_or(|number| branch.allows_number(number))
                && length.is_none_or(|length| branch.allows_length(length))
        })
    }
}

/// Checks the numbers, texts and lists of `params`: each is in the range that `schema` has for it.
///
/// # Errors
/// If one is not: an error under its key.
pub(crate) fn check_ranges(schema: &Json, params: &Json) -> Result<(), InvalidValue> {
    match reached(schema, params).into_iter().find(|reached| !reached.is_in_range()) {
        None => Ok(()),
        Some(wrong) => {
            let (key, expected) = (wrong.path.join("."), expected(&wrong.node));
            Err(InvalidValue::new(key, &wrong.value, expected))
        }
    }
}

/// Returns all nodes of `schema` with the path of a value there: `agents[].kind=softmax.rate`.
pub(crate) fn nodes(schema: &Json) -> BTreeMap<NodeId, String> {
    let mut all = BTreeMap::new();
    list(&SchemaNode::root(schema), String::new(), &mut all);
    all
}

fn list(node: &SchemaNode<'_>, path: String, all: &mut BTreeMap<NodeId, String>) {
    if all.contains_key(&node.id("")) {
        return;
    }
    for choice in node.choices() {
        all.insert(node.id(choice), format!("{path}={choice}"));
    }
    for branch in node.branches() {
        let tags: Vec<_> = branch.tags().collect();
        let variant: String = tags.iter().map(|(key, tag)| format!(".{key}={tag}")).collect();
        if !tags.is_empty() {
            all.insert(branch.id(""), format!("{path}{variant}"));
        }
        for key in branch.keys().into_iter().filter(|key| tags.iter().all(|tag| tag.0 != *key)) {
            if let Some(property) = branch.property(key) {
                list(&property, format!("{path}{variant}.{key}"), all);
            }
        }
        if let Some(items) = branch.items() {
            list(&items, format!("{path}[]"), all);
        }
    }
    all.insert(node.id(""), path);
}
