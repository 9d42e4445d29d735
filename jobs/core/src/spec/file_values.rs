//! Values of parameters in TOML and JSON files.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use toml_edit::Item;

use super::check::{FaultFinder, faults};
use super::locate::{EntryPart, check_depth, follow, span};
use super::print::toml_value;
use super::scan::scan;
use super::schema::{SchemaNode, schema_of};
use super::spec_file::{FileFault, SpecFile};
use super::value::TextValue;

impl SpecFile {
    /// Reads values of the parameter `key`, a list: the file is TOML or JSON, and holds one value,
    /// a list of values, a table with `key`, or a spec with this parameter.
    ///
    /// # Errors
    /// If the file is neither TOML nor JSON, or if the schema or the type refuses a value.
    pub fn values<T>(&self, key: &str) -> Result<Vec<T>, FileFault>
    where
        T: DeserializeOwned + JsonSchema + 'static,
    {
        if self.text.trim().is_empty() {
            return Err(FileFault::whole("is empty"));
        }
        let tree = ValueTree::parse(&self.text, self.name.ends_with(".json"))?;
        let (holder, path) = tree.holder(key);
        if !holder.is_array() && !holder.is_array_of_tables() {
            return Ok(vec![tree.read(holder, &path)?]);
        }
        let elements = (0..).map_while(|idx: usize| Some((idx, holder.get(idx)?)));
        let read = |(idx, element): (usize, &Item)| {
            tree.read(element, &[&path[..], &[idx.to_string()]].concat())
        };
        elements.map(read).collect()
    }
}

/// A TOML or JSON text as a tree.
struct ValueTree<'a> {
    text: &'a str,
    root: Item,
    /// True if the tree has the places of its values in the text.
    has_places: bool,
}

impl<'a> ValueTree<'a> {
    /// Parses a text; if `is_json`, the text must be JSON.
    fn parse(text: &'a str, is_json: bool) -> Result<Self, FileFault> {
        let line = |start: usize| 1 + text[..start.min(text.len())].matches('\n').count();
        let begun = text.trim_start();
        let may_be_json = is_json || begun.starts_with(['{', '[']);
        let json = may_be_json.then(|| serde_json::from_str(begun));
        let (root, has_places) = match json {
            Some(Ok(json)) => {
                let toml = toml_value(&json);
                scan(&toml).map_err(|(_, message)| FileFault::whole(message))?;
                let value: Result<toml_edit::Value, _> = toml.parse();
                let value = value.map_err(|error| FileFault::whole(error.message()))?;
                (Item::Value(value), false)
            }
            // A list may also be the header of a table of TOML.
            Some(Err(error)) if is_json || begun.starts_with('{') => {
                let n_before = line(text.len() - begun.len()) - 1;
                return Err(FileFault::at(n_before + error.line(), format!("no JSON: {error}")));
            }
            _ => {
                scan(text).map_err(|(place, message)| FileFault::at(line(place.start), message))?;
                let tree = toml_edit::Document::parse(text).map_err(|error| FileFault {
                    line: error.span().map(|place| line(place.start)),
                    message: format!("neither JSON nor TOML: {}", error.message()),
                })?;
                (tree.as_item().clone(), true)
            }
        };
        check_depth(&root).map_err(FileFault::whole)?;
        Ok(Self { text, root, has_places })
    }

    /// Returns the value of the parameter `key`, or otherwise the whole tree, and the path to it.
    fn holder(&self, key: &str) -> (&Item, Vec<String>) {
        let paths = [&["params", key][..], &[key]];
        let mut paths = paths.iter().map(|path| path.iter().map(|&it| it.to_owned()).collect());
        let found = paths.find_map(|path: Vec<_>| Some((follow(&self.root, &path)?, path)));
        found.unwrap_or((&self.root, Vec::new()))
    }

    /// Reads `item`, which is at `path`.
    fn read<T>(&self, item: &Item, path: &[String]) -> Result<T, FileFault>
    where
        T: DeserializeOwned + JsonSchema + 'static,
    {
        let keys: Vec<&str> = path.iter().map(String::as_str).collect();
        let faults = faults(&SchemaNode::root(schema_of::<T>()), item, &keys);
        let refused = match TextValue::from(item).read() {
            Ok(value) if faults.iter().all(|fault| fault.by == FaultFinder::Type) => {
                return Ok(value);
            }
            Ok(_) => None,
            Err(error) => Some(error),
        };
        let by_schema = faults.iter().find(|fault| fault.by == FaultFinder::Schema);
        match (by_schema.or_else(|| faults.first()), refused) {
            (None, Some(error)) => {
                let below = error.path().map(str::to_owned);
                let path: Vec<_> = path.iter().cloned().chain(below).collect();
                let message = format!("{}: {}", path.join("."), error.message());
                Err(FileFault { line: self.line_of(&path), message })
            }
            (fault, _) => {
                let (path, message) = fault.map(|it| (&it.path[..], it.message.clone())).unzip();
                let line = self.line_of(path.unwrap_or_default());
                Err(FileFault { line, message: message.unwrap_or_default() })
            }
        }
    }

    /// Returns the line of the value at `path`, from 1.
    fn line_of(&self, path: &[String]) -> Option<usize> {
        let place = self.has_places.then(|| span(&self.root, path, EntryPart::Value));
        place.flatten().map(|place| 1 + self.text[..place.start].matches('\n').count())
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Deck {
        name: String,
        #[schemars(range(max = 9))]
        leader: u32,
    }

    fn read(text: &str) -> Result<Vec<(String, u32)>, String> {
        let file = SpecFile { name: "decks".to_owned(), text: text.to_owned() };
        let decks = file.values::<Deck>("decks").map_err(|fault| fault.to_string())?;
        Ok(decks.into_iter().map(|deck| (deck.name, deck.leader)).collect())
    }

    #[test]
    fn values_are_found_in_every_form() {
        let one = vec![("a".to_owned(), 3)];
        for text in [
            "name = \"a\"\nleader = 3\n",
            "decks = [{ name = \"a\", leader = 3 }]",
            "[[decks]]\nname = \"a\"\nleader = 3\n",
            "experiment = \"x\"\n[params]\nmore = 1\n[[params.decks]]\nname = \"a\"\nleader = 3\n",
            "{\"name\": \"a\", \"leader\": 3}",
            "[{\"name\": \"a\", \"leader\": 3}]",
            "\n{\"decks\": [{\"name\": \"a\", \"leader\": 3}]}",
        ] {
            assert_eq!(read(text).unwrap(), one, "{text}");
        }
        assert_eq!(read("[]").unwrap(), []);
    }

    #[test]
    fn faults_have_their_line() {
        for (text, expected) in [
            (
                "name = \"a\"\nleader = 10\n",
                "line 2: leader is 10, but must be an integer from 0 to 9",
            ),
            (
                "# decks\n[[decks]]\nname = \"a\"\nleader = 1\n[[decks]]\nnaem = \"b\"\n",
                "line 6: there is no decks.1.naem; did you mean name? known are name, leader",
            ),
            ("name = \n", "line 1: neither JSON nor TOML: "),
            ("{\n\"name\": }", "line 2: no JSON: expected value at line 2 column 9"),
            ("{\"name\": 3, \"leader\": 3}", "name is 3, but must be a string"),
            ("name = \"a\"\n", "leader is missing; it must be an integer from 0 to 9"),
        ] {
            let refused = read(text).unwrap_err();
            assert!(refused.starts_with(expected), "{refused}");
        }
        let deep = format!("decks = {}", "[".repeat(1000));
        assert!(read(&deep).unwrap_err().contains("nested more than 64"));
    }
}
