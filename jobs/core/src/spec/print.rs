//! A spec printed with every parameter explained: meaning, range, default, source.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

use super::SpecHead;
use super::schema::{SchemaNode, TableOutline};
use super::words::range;

/// Returns the spec of `head` and canonical `params` as a TOML file.
///
/// A comment above each parameter says its meaning, range, default and source. Reading the file
/// again gives the same spec.
#[must_use]
pub fn print(head: &SpecHead, params: &Json, schema: &Json) -> String {
    let mut out = SpecPrinter::default();
    out.comment(&head.about);
    if !head.takes.is_empty() {
        out.comment(&format!("Time: {}.", head.takes));
    }
    out.line(&format!("experiment = {}", toml_text(&head.experiment)));
    out.comment("The seed of all randomness: an integer from 0. Another seed is another sample.");
    out.line(&format!("seed = {}", head.seed));
    for (key, text) in [("about", &head.about), ("takes", &head.takes)] {
        if !text.is_empty() {
            out.line(&format!("{key} = {}", toml_text(text)));
        }
    }
    if let Some(params) = params.as_object() {
        out.line("\n[params]");
        out.entries("params", params, &SchemaNode::root(schema));
    }
    out.text
}

#[derive(Default)]
struct SpecPrinter {
    text: String,
    /// The explanations so far, with their paths: entries of a list of tables are explained once.
    explained: BTreeSet<String>,
}

impl SpecPrinter {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn comment(&mut self, text: &str) {
        const WIDTH: usize = 96;
        let mut line = String::from("#");
        // A comment may hold no control characters.
        let words = text.split(|c: char| c.is_whitespace() || c.is_control());
        for word in words.filter(|word| !word.is_empty()) {
            if WIDTH < line.chars().count() + 1 + word.chars().count() {
                self.line(&line);
                line = String::from("#");
            }
            line.push(' ');
            line.push_str(word);
        }
        if line != "#" {
            self.line(&line);
        }
    }

    /// Prints an array of tables.
    fn table_array(&mut self, path: &str, elements: &[Json], schema: &SchemaNode<'_>) {
        let items = schema.items().unwrap_or_else(|| schema.anything());
        self.line("");
        self.explain(path, schema);
        for (element, idx) in elements.iter().filter_map(Json::as_object).zip(0..) {
            if idx != 0 {
                self.line("");
            }
            self.line(&format!("[[{path}]]"));
            self.entries(path, element, &items);
        }
    }

    /// Prints the entries of a table: first the plain entries, as TOML requires, then tables.
    fn entries(&mut self, path: &str, table: &Map<String, Json>, schema: &SchemaNode<'_>) {
        let outline: TableOutline<'_> =
            table.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let tag = schema.tag();
        let schema = schema.of_table(&outline).unwrap_or_else(|| schema.clone());
        let (tables, plain): (Vec<_>, Vec<_>) =
            table.iter().partition(|(_, value)| value.is_object() || is_table_array(value));
        let property = |key: &str| schema.property(key).unwrap_or_else(|| schema.anything());
        for (key, value) in plain {
            let path = format!("{path}.{key}");
            match &tag {
                Some((tag, choices)) if tag == key => {
                    self.explain_once(&path, &format!("One of: {}.", choices.join(", ")));
                }
                _ => self.explain(&path, &property(key)),
            }
            let key = toml_key(key);
            match value {
                Json::Null => self.line(&format!("# {key} = (not set)")),
                value => self.line(&format!("{key} = {}", toml_value(value))),
            }
        }
        // Parameters that are left out while they are not set.
        for key in schema.keys().into_iter().filter(|key| !table.contains_key(*key)) {
            let path = format!("{path}.{key}");
            if self.explained.insert(format!("{path}: (not set)")) {
                self.explain(&path, &property(key));
                self.line(&format!("# {} = (not set)", toml_key(key)));
            }
        }
        for (key, value) in tables {
            let path = format!("{path}.{}", toml_key(key));
            match value {
                Json::Array(elements) => self.table_array(&path, elements, &property(key)),
                Json::Object(table) => {
                    self.line("");
                    self.explain(&path, &property(key));
                    self.line(&format!("[{path}]"));
                    self.entries(&path, table, &property(key));
                }
                _ => {}
            }
        }
    }

    /// Prints the comment above the entry at `path`.
    fn explain(&mut self, path: &str, property: &SchemaNode<'_>) {
        let mut parts: Vec<String> =
            property.text("description").map(str::to_owned).into_iter().collect();
        if let Some(range) = range(property) {
            parts.push(format!("Range: {range}."));
        }
        if let choices @ [_, _, ..] = &property.choices()[..] {
            parts.push(format!("One of: {}.", choices.join(", ")));
        }
        // A table's entries show their own defaults.
        if let Some(default) = property.default().filter(|default| !default.is_object()) {
            parts.push(format!("Default: {}.", toml_value(&narrowed(default))));
        }
        if let Some(source) = property.text("x-source") {
            parts.push(format!("Source: {source}."));
        }
        self.explain_once(path, &parts.join(" "));
    }

    fn explain_once(&mut self, path: &str, text: &str) {
        if self.explained.insert(format!("{path}: {text}")) {
            self.comment(text);
        }
    }
}

/// Returns a default with numbers as a person would write them. The schema holds 32-bit numbers
/// widened: 0.01 as 0.009999999776482582.
pub(super) fn narrowed(default: &Json) -> Json {
    match default {
        Json::Array(elements) => elements.iter().map(narrowed).collect(),
        Json::Object(table) => {
            table.iter().map(|(key, value)| (key.clone(), narrowed(value))).collect()
        }
        Json::Number(number) if number.is_f64() => {
            number.as_f64().and_then(shortest).map_or_else(|| default.clone(), Json::from)
        }
        other => other.clone(),
    }
}

/// Returns the number with the fewest digits that 32 bits hold as `number`; `None` if they do not
/// hold `number` itself.
fn shortest(number: f64) -> Option<f64> {
    #[expect(clippy::cast_possible_truncation, reason = "only exact numbers count")]
    let narrow = number as f32;
    let is_exact = f64::from(narrow).to_bits() == number.to_bits();
    is_exact.then(|| narrow.to_string().parse().ok())?
}

fn is_table_array(value: &Json) -> bool {
    value.as_array().is_some_and(|array| !array.is_empty() && array.iter().all(Json::is_object))
}

pub(super) fn toml_key(key: &str) -> String {
    toml_edit::Key::new(key).to_string()
}

fn toml_text(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

/// Returns `value` as TOML on one line. A value that is not set becomes `none`, which TOML cannot
/// express.
#[must_use]
pub fn toml_value(value: &Json) -> String {
    match value {
        Json::Null => "none".to_owned(),
        Json::String(text) => toml_text(text),
        Json::Array(elements) => {
            let elements: Vec<_> = elements.iter().map(toml_value).collect();
            format!("[{}]", elements.join(", "))
        }
        Json::Object(table) => {
            let entries = table.iter().filter(|(_, value)| !value.is_null());
            let entries: Vec<_> = entries
                .map(|(key, value)| format!("{} = {}", toml_key(key), toml_value(value)))
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Json::Bool(_) | Json::Number(_) => value.to_string(),
    }
}
