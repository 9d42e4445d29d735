//! Changes as a table with the schema's words.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::super::file_reference::mention;
use super::super::print::{narrowed, toml_key, toml_value};
use super::super::schema::SchemaNode;
use super::ParamChange;
use crate::rich_text::RichText;
use crate::table::{FindingTable, TableHead};
use crate::text::grouped;

/// The most rows: a reader goes through two pages of paper, and more is in the spec of the run.
const MAX_ROWS: usize = 40;

/// The most rows of a list of tables. If their changes are more, each table is a row, and if the
/// tables are more, the list is.
const MAX_LIST_ROWS: usize = 12;

/// The most characters of a value that are shown: three lines of a cell.
const MAX_VALUE_CHARS: usize = 96;

/// Returns the table of the parameters in `params` that differ from their defaults or have none, in
/// the order of `schema`; `None` if there are none.
pub(crate) fn parameter_table(schema: &Json, params: &Json) -> Option<FindingTable> {
    let whole = ParamChange::find(SchemaNode::root(schema).into(), params, None)?;
    let mut rows = Vec::new();
    add_entries(&whole, &mut Vec::new(), &mut rows);
    let n_more = rows.len().saturating_sub(MAX_ROWS);
    rows.truncate(MAX_ROWS);
    let mut said = BTreeSet::new();
    let mut rows: Vec<[RichText; 5]> = rows.into_iter().map(|row| row.cells(&mut said)).collect();
    if n_more != 0 {
        let place = RichText::new("See ").code("spec.toml").plain(", the spec of the run.");
        let n_more = format!("{} more", grouped(n_more)).into();
        rows.push([n_more, "".into(), "".into(), place, "".into()]);
    }
    let heads = ["parameter", "value", "default", "meaning", "source"].map(TableHead::text);
    let n_columns = heads.len() - usize::from(rows.iter().all(|row| row[4].is_empty()));
    (!rows.is_empty()).then(|| FindingTable {
        caption: "The parameters that differ from their defaults or have none.".into(),
        columns: heads.into_iter().take(n_columns).collect(),
        rows: rows.into_iter().map(|row| row.into_iter().take(n_columns).collect()).collect(),
    })
}

/// A row before it is known which words the rows above it have.
struct ParamRow<'a> {
    change: &'a ParamChange<'a>,
    /// The keys and indices from the root.
    path: Vec<String>,
    value: RichText,
}

/// Adds the rows of a change at `path`.
fn add_rows<'a>(change: &'a ParamChange<'a>, path: &mut Vec<String>, rows: &mut Vec<ParamRow<'a>>) {
    let row = |path: &[String], value| ParamRow { change, path: path.to_vec(), value };
    if change.entries.is_empty() {
        return rows.push(row(path, value_cell(change)));
    }
    if change.is_switched_on() {
        rows.push(row(path, "set".into()));
    }
    let n_before = rows.len();
    add_entries(change, path, rows);
    let Some(list) = change.value.as_array() else { return };
    if rows.len() <= n_before + MAX_LIST_ROWS {
        return;
    }
    rows.truncate(n_before);
    if MAX_LIST_ROWS < list.len() {
        return rows.push(row(path, list_cell(change, list)));
    }
    for (idx, entry) in &change.entries {
        path.push(idx.clone());
        rows.push(ParamRow { change: entry, path: path.clone(), value: value_cell(entry) });
        path.pop();
    }
}

/// Adds the rows of the entries of a table or a list.
fn add_entries<'a>(
    change: &'a ParamChange<'a>,
    path: &mut Vec<String>,
    rows: &mut Vec<ParamRow<'a>>,
) {
    for (key, entry) in &change.entries {
        path.push(key.clone());
        add_rows(entry, path, rows);
        path.pop();
    }
}

impl ParamRow<'_> {
    /// Returns the cells. `said` has the words of the rows above, which are not repeated for the
    /// same parameter of another entry of a list.
    fn cells(self, said: &mut BTreeSet<String>) -> [RichText; 5] {
        let keys: Vec<&str> = self.path.iter().map(String::as_str).collect();
        let parameter: Vec<&str> =
            keys.iter().copied().filter(|key| key.parse::<usize>().is_err()).collect();
        let parameter = parameter.join(".");
        let mut is_new = |words: &str| said.insert(format!("{parameter}: {words}"));
        let default = match self.change.default {
            None => "-".into(),
            Some(Json::Null) => "not set".into(),
            Some(default) => shortened(&toml_value(&narrowed(default)), default),
        };
        let descriptions = self.change.descriptions().filter(|words| is_new(words));
        let meaning: Vec<String> = descriptions.map(first_sentence).collect();
        let source = self.change.node.text("x-source").filter(|source| is_new(source));
        [
            RichText::default().code(keys.join(".")),
            self.value,
            default,
            with_code(&meaning.join(" ")),
            with_code(source.unwrap_or_default()),
        ]
    }
}

/// Returns a value as a cell.
fn value_cell(change: &ParamChange<'_>) -> RichText {
    match change.value {
        Json::Object(table) if change.entries.is_empty() && mention(table).is_none() => {
            "the defaults".into()
        }
        value => shortened(&written(change), value),
    }
}

/// Returns a long list as a cell: the names of its entries if they have some.
fn list_cell(change: &ParamChange<'_>, list: &[Json]) -> RichText {
    let names: Option<Vec<&str>> = list.iter().map(|entry| entry.get("name")?.as_str()).collect();
    let text = names.map_or_else(|| written(change), |names| names.join(", "));
    RichText::default().code(beginning(&text)).soft(length(change.value))
}

/// Returns a value as a person would write it in TOML, without the parameters that have their
/// defaults.
fn written(change: &ParamChange<'_>) -> String {
    let entries = change.entries.iter();
    match change.value {
        Json::Object(table) => match mention(table) {
            Some(files) => toml_value(&files),
            None if change.entries.is_empty() => "{}".to_owned(),
            None => {
                let entries =
                    entries.map(|(key, it)| format!("{} = {}", toml_key(key), written(it)));
                format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
            }
        },
        Json::Array(_) if !change.entries.is_empty() => {
            format!("[{}]", entries.map(|(_, it)| written(it)).collect::<Vec<_>>().join(", "))
        }
        value => toml_value(value),
    }
}

/// Returns the text of a value as a cell: the beginning of a long text, and how long `value` is.
fn shortened(text: &str, value: &Json) -> RichText {
    let shown = RichText::default().code(beginning(text));
    if text.chars().count() <= MAX_VALUE_CHARS { shown } else { shown.soft(length(value)) }
}

/// Returns the beginning of a text, on one line.
fn beginning(text: &str) -> String {
    let mut chars = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut shown: String = chars.by_ref().take(MAX_VALUE_CHARS).collect();
    shown.extend(chars.next().map(|_| '\u{2026}'));
    shown
}

/// Returns the length of a list or a text, in words.
fn length(value: &Json) -> String {
    match value {
        Json::Array(list) => format!(" ({} entries)", grouped(list.len())),
        Json::String(text) => format!(" ({} characters)", grouped(text.chars().count())),
        _ => String::new(),
    }
}

/// Returns the first sentence of a description, on one line.
fn first_sentence(description: &str) -> String {
    let line = description.split_whitespace().collect::<Vec<_>>().join(" ");
    let begins = |rest: &str| rest.starts_with(|c: char| c.is_uppercase() || c == '`');
    let end = line.match_indices(". ").map(|(at, _)| at + 1).find(|end| begins(&line[end + 1..]));
    end.map_or_else(|| line.clone(), |end| line[..end].to_owned())
}

/// Returns a text whose words between backticks are code.
fn with_code(text: &str) -> RichText {
    text.split('`').enumerate().fold(RichText::default(), |text, (idx, part)| match idx % 2 {
        0 => text.plain(part),
        _ => text.code(part),
    })
}
