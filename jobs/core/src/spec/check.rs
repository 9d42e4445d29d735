//! Parameters checked against their schema.

use toml_edit::{Item, TableLike};

use super::locate::EntryPart;
use super::schema::{SchemaNode, TableOutline};
use super::words::{expected, quoted};
use crate::text::closest_name;

/// The number of characters of a wrong value that an error repeats.
const SHOWN_CHARS: usize = 60;

/// An entry that does not fit its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SchemaFault {
    /// The path of the entry: keys and indices from the root.
    pub(super) path: Vec<String>,
    /// The part of the entry that is wrong.
    pub(super) part: EntryPart,
    /// The value and the allowed values, in words.
    pub(super) message: String,
    /// The check that refuses the entry.
    pub(super) by: FaultFinder,
}

/// The check that refuses an entry that does not fit its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaultFinder {
    /// The schema alone: the type might accept the entry. Examples are ranges, and unknown keys in
    /// a variant without fields, which serde overlooks.
    Schema,
    /// The type as well, when it is deserialized; the schema's fault only has better words.
    Type,
}

/// Returns all faults of `item`, which is at `path` from the root, in the order of the text.
pub(super) fn faults(schema: &SchemaNode<'_>, item: &Item, path: &[&str]) -> Vec<SchemaFault> {
    let path = path.iter().map(|&part| part.to_owned()).collect();
    let mut walk = SchemaWalk { path, faults: Vec::new() };
    walk.item(schema, item);
    walk.faults
}

/// Returns the message for the value `item` at `path`, where `expected` would be right.
pub(super) fn wrong_value(path: &[String], item: &Item, expected: &str) -> String {
    let key = shown_path(path);
    if item.is_table_like() {
        return format!("{key} is a table, but must be {expected}");
    }
    if item.is_array_of_tables() {
        return format!("{key} is a list of tables, but must be {expected}");
    }
    let value = item.to_string();
    let value = value.trim();
    match value.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{key} is {}..., but must be {expected}", &value[..end]),
        None => format!("{key} is {value}, but must be {expected}"),
    }
}

/// Returns a path as a person writes it: below `params`, or in full for the common part.
pub(super) fn shown_path(path: &[String]) -> String {
    match path {
        [first, below @ ..] if first == "params" && !below.is_empty() => below.join("."),
        path => path.join("."),
    }
}

struct SchemaWalk {
    path: Vec<String>,
    faults: Vec<SchemaFault>,
}

impl SchemaWalk {
    fn item(&mut self, schema: &SchemaNode<'_>, item: &Item) {
        if let Some(table) = item.as_table_like() {
            return self.table(schema, item, table);
        }
        let mut branches = schema.branches();
        branches.retain(|branch| is_of_type(branch, item));
        if branches.is_empty() {
            return self.wrong(item, &expected(schema), FaultFinder::Type);
        }
        if !branches.iter().any(|branch| is_in_range(branch, item)) {
            return self.wrong(item, &expected(schema), FaultFinder::Schema);
        }
        let Some(items) = schema.items() else { return };
        for (idx, element) in (0..).map_while(|idx: usize| Some((idx, item.get(idx)?))) {
            self.below(&idx.to_string(), |walk| walk.item(&items, element));
        }
    }

    fn table(&mut self, schema: &SchemaNode<'_>, item: &Item, table: &dyn TableLike) {
        let outline: TableOutline<'_> =
            table.iter().map(|(key, item)| (key, item.as_str())).collect();
        let Some(branch) = schema.of_table(&outline) else {
            let is_table = schema.branches().iter().any(|branch| branch.has_type("object"));
            return match schema.tag() {
                Some((key, choices)) if is_table => self.wrong_tag(table, key, &choices),
                _ => self.wrong(item, &expected(schema), FaultFinder::Type),
            };
        };
        for (key, item) in table.iter() {
            match branch.property(key) {
                Some(property) => self.below(key, |walk| walk.item(&property, item)),
                None if branch.is_closed() => self.unknown(key, &branch.keys()),
                None => {}
            }
        }
        for key in branch.required().filter(|key| !outline.contains_key(key)) {
            let expected = branch.property(key).map(|property| expected(&property));
            self.missing(key, &expected.unwrap_or_default());
        }
    }

    fn wrong_tag(&mut self, table: &dyn TableLike, key: &str, choices: &[&str]) {
        let expected = format!("one of {}", quoted(choices));
        match table.get(key) {
            Some(item) => self.below(key, |walk| walk.wrong(item, &expected, FaultFinder::Type)),
            None => self.missing(key, &expected),
        }
    }

    fn below(&mut self, part: &str, walk: impl FnOnce(&mut Self)) {
        self.path.push(part.to_owned());
        walk(self);
        self.path.pop();
    }

    fn wrong(&mut self, item: &Item, expected: &str, by: FaultFinder) {
        let message = wrong_value(&self.path, item, expected);
        self.faults.push(SchemaFault {
            path: self.path.clone(),
            part: EntryPart::Value,
            message,
            by,
        });
    }

    fn missing(&mut self, key: &str, expected: &str) {
        let key = shown_path(&[&self.path[..], &[key.to_owned()]].concat());
        let message = format!("{key} is missing; it must be {expected}");
        let path = self.path.clone();
        self.faults.push(SchemaFault {
            path,
            part: EntryPart::Value,
            message,
            by: FaultFinder::Type,
        });
    }

    fn unknown(&mut self, key: &str, known: &[&str]) {
        let path = [&self.path[..], &[key.to_owned()]].concat();
        let closest = closest_name(key, known.iter().copied());
        let meant = closest.map_or_else(String::new, |it| format!("did you mean {it}? "));
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let message = format!("there is no {}; {meant}known are {known}", shown_path(&path));
        self.faults.push(SchemaFault {
            path,
            part: EntryPart::Key,
            message,
            by: FaultFinder::Schema,
        });
    }
}

/// Returns true if `item` is of the type of `branch`, or an allowed string of the branch.
fn is_of_type(branch: &SchemaNode<'_>, item: &Item) -> bool {
    match item.type_name() {
        "integer" => branch.has_type("integer") || branch.has_type("number"),
        "float" => branch.has_type("number"),
        "boolean" => branch.has_type("boolean"),
        "array" | "array of tables" => branch.has_type("array"),
        "string" => {
            branch.has_type("string") && item.as_str().is_some_and(|text| branch.allows_text(text))
        }
        // Dates have no type in a schema.
        other => branch.has_type(other),
    }
}

fn is_in_range(branch: &SchemaNode<'_>, item: &Item) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "bounds are far below 2^53")]
    let number = item.as_float().or_else(|| item.as_integer().map(|integer| integer as f64));
    let length = match item {
        Item::ArrayOfTables(tables) => Some(tables.len()),
        item => item
            .as_array()
            .map(toml_edit::Array::len)
            .or_else(|| item.as_str().map(|text| text.chars().count())),
    };
    number.is_none_or(|number| branch.allows_number(number))
        && length.is_none_or(|length| branch.allows_length(length))
}
