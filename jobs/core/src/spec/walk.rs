//! Parameters and their schema, side by side: which nodes of a schema a spec reaches.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

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
    let mut see = |path: &[String], node: &SchemaNode<'a>, value: &Json| {
        let alternative = value.as_object().map(|table| alternative(node, table).id(""));
        let word = value.as_str().map(|text| node.id(text));
        let ids = [node.id("")].into_iter().chain(alternative).chain(word).collect();
        let (node, value) = (node.clone(), value.clone());
        all.push(Reached { path: path.to_vec(), value, node, ids });
    };
    visit(&SchemaNode::root(schema), params, &mut Vec::new(), &mut see);
    all
}

/// Checks the numbers, texts and lists of `params`: each is in the range that `schema` has for it.
///
/// # Errors
/// If one is not: an error under its key.
pub(crate) fn check_ranges(schema: &Json, params: &Json) -> Result<(), InvalidValue> {
    let mut checked = Ok(());
    let mut see = |path: &[String], node: &SchemaNode<'_>, value: &Json| {
        if checked.is_ok() && !is_in_range(node, value) {
            checked = Err(InvalidValue::new(path.join("."), value, expected(node)));
        }
    };
    visit(&SchemaNode::root(schema), params, &mut Vec::new(), &mut see);
    checked
}

/// Returns true if the value, a number or a length, is in the range of an alternative of `node`.
fn is_in_range(node: &SchemaNode<'_>, value: &Json) -> bool {
    let length = match value {
        Json::Array(list) => Some(list.len()),
        Json::String(text) => Some(text.chars().count()),
        _ => None,
    };
    node.branches().iter().any(|branch| {
        value.as_f64().is_none_or(|number| branch.allows_number(number))
            && length.is_none_or(|length| branch.allows_length(length))
    })
}

/// Returns the alternative of `node` that a table is.
pub(super) fn alternative<'a>(node: &SchemaNode<'a>, table: &Map<String, Json>) -> SchemaNode<'a> {
    let outline: TableOutline<'_> =
        table.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    node.of_table(&outline).unwrap_or_else(|| node.clone())
}

/// Calls `see` with the path and the node of `value` and of each value below it.
fn visit<'a>(
    node: &SchemaNode<'a>,
    value: &Json,
    path: &mut Vec<String>,
    see: &mut impl FnMut(&[String], &SchemaNode<'a>, &Json),
) {
    if value.is_null() {
        return;
    }
    see(path, node, value);
    let mut below = |part: String, node: &SchemaNode<'a>, value: &Json| {
        path.push(part);
        visit(node, value, path, see);
        path.pop();
    };
    match value {
        Json::Object(table) => {
            let alternative = alternative(node, table);
            for (key, value) in table {
                if let Some(property) = alternative.property(key) {
                    below(key.clone(), &property, value);
                }
            }
        }
        Json::Array(list) => {
            let items = node.items().unwrap_or_else(|| node.anything());
            for (idx, value) in list.iter().enumerate() {
                below(idx.to_string(), &items, value);
            }
        }
        _ => {}
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
