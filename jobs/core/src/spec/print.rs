//! A spec printed with every parameter explained: meaning, range, default, source.

use serde_json::{Map, Value as Json};

use super::Head;
use super::schema::Schema;

/// The spec of `head` and canonical `params`, as a TOML file in which a comment above each
/// parameter says its meaning, range, default and source. Reading it again gives the same spec.
#[must_use]
pub fn print(head: &Head, params: &Json, schema: &Json) -> String {
    let mut out = Lines(String::new());
    out.comment(&head.about);
    if !head.takes.is_empty() {
        out.comment(&format!("Takes {}.", head.takes));
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
        out.table("params", params, Schema::root(schema));
    }
    out.0
}

struct Lines(String);

impl Lines {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn comment(&mut self, text: &str) {
        const WIDTH: usize = 96;
        let mut line = String::from("#");
        for word in text.split_whitespace() {
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

    /// The table called `path`: its plain entries first, as TOML wants it, then its tables.
    fn table(&mut self, path: &str, table: &Map<String, Json>, schema: Schema<'_>) {
        self.line("");
        self.line(&format!("[{path}]"));
        self.entries(path, table, schema);
    }

    fn entries(&mut self, path: &str, table: &Map<String, Json>, schema: Schema<'_>) {
        let schema = schema.follow().of_object(table);
        let (tables, plain): (Vec<_>, Vec<_>) =
            table.iter().partition(|(_, value)| is_table(value) || is_table_array(value));
        for (key, value) in plain {
            if let Some(property) = schema.property(key) {
                self.explain(property);
            }
            match value {
                Json::Null => self.line(&format!("# {key} = (not set)")),
                value => self.line(&format!("{key} = {}", toml_value(value))),
            }
        }
        for (key, value) in tables {
            let path = format!("{path}.{key}");
            let Some(property) = schema.property(key) else { continue };
            match value {
                Json::Array(elements) => self.table_array(&path, elements, property),
                Json::Object(table) => {
                    self.line("");
                    self.explain(property);
                    self.line(&format!("[{path}]"));
                    self.entries(&path, table, property);
                }
                _ => {}
            }
        }
    }

    /// An array of tables; the first element's comments serve for all.
    fn table_array(&mut self, path: &str, elements: &[Json], schema: Schema<'_>) {
        let Some(items) = schema.items() else { return };
        self.line("");
        self.explain(schema);
        for element in elements.iter().filter_map(Json::as_object) {
            self.line(&format!("[[{path}]]"));
            self.entries(path, element, items);
        }
    }

    fn explain(&mut self, property: Schema<'_>) {
        let resolved = property.follow();
        let meaning = property.text("description").or_else(|| resolved.text("description"));
        let mut parts: Vec<String> = meaning.map(str::to_owned).into_iter().collect();
        if let Some(range) = property.range() {
            parts.push(format!("Range: {range}."));
        }
        let choices = property.choices();
        if !choices.is_empty() {
            parts.push(format!("One of: {}.", choices.join(", ")));
        }
        if let Some(default) = property.default() {
            parts.push(format!("Default: {}.", toml_value(default)));
        }
        if let Some(source) = property.text("x-source") {
            parts.push(format!("Source: {source}."));
        }
        self.comment(&parts.join(" "));
    }
}

fn is_table(value: &Json) -> bool {
    value.is_object()
}

fn is_table_array(value: &Json) -> bool {
    value.as_array().is_some_and(|array| !array.is_empty() && array.iter().all(is_table))
}

fn toml_text(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

/// `value` as TOML on one line.
fn toml_value(value: &Json) -> String {
    match value {
        Json::Null => "none".to_owned(),
        Json::String(text) => toml_text(text),
        Json::Array(elements) => {
            let elements: Vec<_> = elements.iter().map(toml_value).collect();
            format!("[{}]", elements.join(", "))
        }
        Json::Object(table) => {
            let entries = table.iter().filter(|(_, value)| !value.is_null());
            let entries: Vec<_> =
                entries.map(|(key, value)| format!("{key} = {}", toml_value(value))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Json::Bool(_) | Json::Number(_) => value.to_string(),
    }
}
