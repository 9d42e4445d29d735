//! Parameters checked against their schema: what is wrong, and what would be right.

use toml_edit::{Item, TableLike};

use super::locate::Part;
use super::schema::{Outline, Schema};
use super::words::{expected, quoted};

/// How many characters of a wrong value an error repeats.
const SHOWN_CHARS: usize = 60;

/// An entry that does not fit its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Where it is: keys and indices from the root.
    pub(super) path: Vec<String>,
    /// What of the entry is wrong.
    pub(super) part: Part,
    /// What is wrong, and what would be right.
    pub(super) message: String,
    /// Who refuses it.
    pub(super) by: Refuser,
}

/// Who refuses an entry that does not fit its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refuser {
    /// The schema: its type alone might accept it. Ranges are such, and so are unknown keys: serde
    /// overlooks them in a variant without fields.
    Schema,
    /// Its type, when it is deserialized. The fault only says it better.
    Type,
}

/// All faults of `item`, which is at `path` from the root, in the order of the text.
pub(super) fn faults(schema: &Schema<'_>, item: &Item, path: &[&str]) -> Vec<Fault> {
    let path = path.iter().map(|&part| part.to_owned()).collect();
    let mut walk = Walk { path, faults: Vec::new() };
    walk.item(schema, item);
    walk.faults
}

/// What is wrong with the value `item` of `path`, in words.
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
        Some((end, _)) => format!("{key} = {}..., but must be {expected}", &value[..end]),
        None => format!("{key} = {value}, but must be {expected}"),
    }
}

/// A path as a person writes it: below `params` unless it is of the common part.
pub(super) fn shown_path(path: &[String]) -> String {
    match path {
        [first, below @ ..] if first == "params" && !below.is_empty() => below.join("."),
        path => path.join("."),
    }
}

struct Walk {
    path: Vec<String>,
    faults: Vec<Fault>,
}

impl Walk {
    fn item(&mut self, schema: &Schema<'_>, item: &Item) {
        if let Some(table) = item.as_table_like() {
            return self.table(schema, item, table);
        }
        let mut branches = schema.branches();
        branches.retain(|branch| is_of_type(branch, item));
        if branches.is_empty() {
            return self.wrong(item, &expected(schema), Refuser::Type);
        }
        if !branches.iter().any(|branch| is_in_range(branch, item)) {
            return self.wrong(item, &expected(schema), Refuser::Schema);
        }
        let Some(items) = schema.items() else { return };
        for (idx, element) in (0..).map_while(|idx: usize| Some((idx, item.get(idx)?))) {
            self.below(&idx.to_string(), |walk| walk.item(&items, element));
        }
    }

    fn table(&mut self, schema: &Schema<'_>, item: &Item, table: &dyn TableLike) {
        let outline: Outline<'_> = table.iter().map(|(key, item)| (key, item.as_str())).collect();
        let Some(branch) = schema.of_table(&outline) else {
            let is_table = schema.branches().iter().any(|branch| branch.has_type("object"));
            return match schema.tag() {
                Some((key, choices)) if is_table => self.wrong_tag(table, key, &choices),
                _ => self.wrong(item, &expected(schema), Refuser::Type),
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
            Some(item) => self.below(key, |walk| walk.wrong(item, &expected, Refuser::Type)),
            None => self.missing(key, &expected),
        }
    }

    fn below(&mut self, part: &str, walk: impl FnOnce(&mut Self)) {
        self.path.push(part.to_owned());
        walk(self);
        self.path.pop();
    }

    fn wrong(&mut self, item: &Item, expected: &str, by: Refuser) {
        let message = wrong_value(&self.path, item, expected);
        self.faults.push(Fault { path: self.path.clone(), part: Part::Value, message, by });
    }

    fn missing(&mut self, key: &str, expected: &str) {
        let key = shown_path(&[&self.path[..], &[key.to_owned()]].concat());
        let message = format!("{key} is missing; it must be {expected}");
        let path = self.path.clone();
        self.faults.push(Fault { path, part: Part::Value, message, by: Refuser::Type });
    }

    fn unknown(&mut self, key: &str, known: &[&str]) {
        let path = [&self.path[..], &[key.to_owned()]].concat();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let message = format!("there is no {}; known are {known}", shown_path(&path));
        self.faults.push(Fault { path, part: Part::Key, message, by: Refuser::Schema });
    }
}

/// Whether `item` is of the type of `branch`, or one of the strings that it allows.
fn is_of_type(branch: &Schema<'_>, item: &Item) -> bool {
    match item.type_name() {
        "integer" => branch.has_type("integer") || branch.has_type("number"),
        "float" => branch.has_type("number"),
        "boolean" => branch.has_type("boolean"),
        "array" | "array of tables" => branch.has_type("array"),
        "string" => {
            branch.has_type("string") && item.as_str().is_some_and(|text| branch.allows_text(text))
        }
        // Of dates schemas do not speak.
        other => branch.has_type(other),
    }
}

fn is_in_range(branch: &Schema<'_>, item: &Item) -> bool {
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
