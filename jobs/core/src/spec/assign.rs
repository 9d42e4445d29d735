//! Assignments from the command line: `--set key=value`.

use toml_edit::{InlineTable, Item, Key, TableLike, Value};

use super::check::shown_path;
use super::locate::{check_depth, child, follow_mut};

/// A value for a path, as a person wrote it.
#[derive(Clone, Debug)]
pub(super) struct ParamAssignment {
    path: Vec<String>,
    value: Value,
    written: String,
}

impl ParamAssignment {
    /// Parses `written`; the error describes the mistake.
    pub(super) fn parse(written: &str) -> Result<Self, String> {
        let Some((key, value)) = written.split_once('=') else {
            return Err("not of the form key=value".to_owned());
        };
        Ok(Self {
            path: parse_path(key.trim())?,
            value: parse_value(value.trim())?,
            written: written.to_owned(),
        })
    }

    /// Returns the path of the value.
    pub(super) fn path(&self) -> &[String] {
        &self.path
    }

    /// Returns the assignment as the person wrote it.
    pub(super) fn written(&self) -> &str {
        &self.written
    }

    /// Sets the value at the path from `root`, creating missing tables; the error names the
    /// obstacle.
    pub(super) fn make(&self, root: &mut Item) -> Result<(), String> {
        let mut value = self.value.clone();
        let mut item = root;
        for (depth, part) in self.path.iter().enumerate() {
            if let ([list, _entry], Some(table)) = (&self.path[depth..], item.as_table_like_mut()) {
                make_plain_list(table, list);
            }
            if child(item, part).is_none() {
                return insert(item, self.path.split_at(depth), value);
            }
            let part = std::slice::from_ref(part);
            item = follow_mut(item, part).expect("the child was just found");
        }
        // Text around the old value, such as a comment after it, stays.
        if let Some(old) = item.as_value() {
            *value.decor_mut() = old.decor().clone();
        }
        *item = Item::Value(value);
        Ok(())
    }
}

fn parse_path(key: &str) -> Result<Vec<String>, String> {
    let keys = Key::parse(key)
        .map_err(|_| format!("{key:?} is not a key such as seed or fitness.games"))?;
    let mut path: Vec<String> = keys.iter().map(|key| key.get().to_owned()).collect();
    if !matches!(path[0].as_str(), "experiment" | "seed" | "about" | "takes" | "params") {
        path.insert(0, "params".to_owned());
    }
    Ok(path)
}

fn parse_value(written: &str) -> Result<Value, String> {
    match written.parse().map(Item::Value) {
        Ok(item) => {
            check_depth(&item)?;
            Ok(item.into_value().expect("it was made of a value"))
        }
        Err(error) if written.starts_with(['"', '\'', '[', '{']) => {
            Err(format!("{written} is not a TOML value: {}", error.message()))
        }
        Err(_) => Ok(Value::from(written)),
    }
}

/// Makes the list at `key` a list in brackets if it is under `[[...]]` headers: such a list keeps
/// nothing but tables with headers of their own, and drops any other entry.
fn make_plain_list(table: &mut dyn TableLike, key: &str) {
    if table.get(key).is_some_and(Item::is_array_of_tables) {
        table.get_mut(key).into_iter().for_each(Item::make_value);
        table.key_mut(key).into_iter().for_each(|mut key| key.fmt());
    }
}

/// Adds the `missing` part of the path, ending in `value`, to `item`, which is at the `found` part.
fn insert(
    item: &mut Item,
    (found, missing): (&[String], &[String]),
    value: Value,
) -> Result<(), String> {
    let (first, below) = missing.split_first().expect("something is missing");
    let wrap = |inner, key: &String| Value::from(InlineTable::from_iter([(key.as_str(), inner)]));
    let value = below.iter().rev().fold(value, wrap);
    if let Some(table) = item.as_table_like_mut() {
        table.insert(first, Item::Value(value));
        return Ok(());
    }
    let found = shown_path(found);
    match item.is_array() || item.is_array_of_tables() {
        true => Err(format!("{found} has no entry {first}")),
        false => Err(format!("{found} is not a table, so it has no {first}")),
    }
}
