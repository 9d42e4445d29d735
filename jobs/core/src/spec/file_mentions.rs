//! Files that a spec mentions, before and after they are read.
//!
//! ```text
//! { file = "levels/*.xml" } -read-> { files = ["a.xml", "b.xml"], blake3 = "..." }
//! weights = { file = "agent.safetensors" } -read-> weights = { blake3 = "..." }
//! ```

use toml_edit::{Array, InlineTable, Item, Value};

use super::check::shown_path;
use super::file_reference::FileReference;
use super::locate::{child, follow_mut};
use super::schema::{SchemaNode, TableOutline};
use super::{SpecDocument, SpecError};
use crate::digest::Digest;

/// A mention of files that are not read yet: `{ file = "levels/*.xml" }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMention {
    /// The path of the mention from the root: keys, and indices in lists.
    pub(super) path: Vec<String>,
    /// A file, a folder or a pattern.
    pub pattern: String,
    /// True if an assignment mentions the files, and not the spec file.
    pub is_assigned: bool,
}

/// How a parameter uses files.
enum FileUse {
    /// Texts that the experiment reads; a list of texts if `in_list`.
    Texts { in_list: bool },
    /// An input that only trials read: one file, which the parameter names by its hash alone.
    Input,
    /// As `Input`, where the parameter itself has the key `file`.
    InputBelow,
}

impl SpecDocument {
    /// Returns all mentions of files that are not read yet, in the order of the text.
    #[must_use]
    pub fn mentions(&self) -> Vec<FileMention> {
        let mut found = Vec::new();
        if let Some(params) = self.tree.get("params") {
            self.find_mentions(params, &mut vec!["params".to_owned()], &mut found);
        }
        found
    }

    fn find_mentions(&self, item: &Item, path: &mut Vec<String>, found: &mut Vec<FileMention>) {
        if let Some(pattern) = item.as_table_like().and_then(|table| table.get("file")?.as_str()) {
            path.push("file".to_owned());
            let (is_assigned, is_new) = self.is_assigned(path);
            path.pop();
            if is_new || child(item, "blake3").is_none() {
                let (path, pattern) = (path.clone(), pattern.to_owned());
                found.push(FileMention { path, pattern, is_assigned });
            }
            return;
        }
        let keys: Vec<String> = match item.as_table_like() {
            Some(table) => table.iter().map(|(key, _)| key.to_owned()).collect(),
            None => (0..).map_while(|idx: usize| item.get(idx).map(|_| idx.to_string())).collect(),
        };
        for key in keys {
            let Some(below) = child(item, &key) else { continue };
            path.push(key);
            self.find_mentions(below, path, found);
            path.pop();
        }
    }

    /// Returns whether an assignment made the value at `path`, and whether it made only this value.
    fn is_assigned(&self, path: &[String]) -> (bool, bool) {
        let mut made = self.assignments.iter().map(|assignment| assignment.path());
        let is_assigned = made.clone().any(|assigned| path.starts_with(assigned));
        (is_assigned, made.any(|assigned| assigned == path))
    }

    /// Replaces each mention of files by a reference to the files, in the form that the parameters'
    /// `schema` wants. `read` returns the names of the files, and the files as one input.
    ///
    /// # Errors
    /// If files cannot be read, or a parameter takes no files: an error at the mention.
    pub fn with_files(
        mut self,
        schema: &serde_json::Value,
        mut read: impl FnMut(&FileMention) -> Result<FileReference, String>,
    ) -> Result<Self, SpecError> {
        let mentions = self.mentions();
        if mentions.is_empty() {
            return Ok(self);
        }
        let mut edited = (*self.tree).clone().into_mut();
        for mention in &mentions {
            let wrong = |message: &str| {
                let path: Vec<_> = mention.path.iter().map(String::as_str).collect();
                self.wrong(&path, &format!("{}: {message}", shown_path(&mention.path)))
            };
            let root = SchemaNode::root(schema);
            let Some(used) = file_use(&root, self.tree.as_item(), &mention.path) else {
                let below = keys_with_files(&root, self.tree.as_item(), &mention.path);
                let hint = match below.is_empty() {
                    true => String::new(),
                    false => format!(", but one of these in it does: {}", below.join(", ")),
                };
                return Err(wrong(&format!("takes no file{hint}")));
            };
            let reference = read(mention).map_err(|message| wrong(&message))?;
            if let Some(item) = follow_mut(edited.as_item_mut(), &mention.path) {
                replace(item, &used, &reference).map_err(|message| wrong(&message))?;
            }
        }
        let text = edited.to_string();
        let whole = |message: String| SpecError::whole(&self.source, message);
        super::scan::scan(&text).map_err(|(_, message)| whole(message))?;
        let tree =
            super::SpecTree::parse(text).map_err(|error| whole(error.message().to_owned()))?;
        self.tree = tree.into();
        Ok(self)
    }
}

/// Returns the schema of the parameter at `path`.
fn node_at<'a>(root: &SchemaNode<'a>, tree: &Item, path: &[String]) -> Option<SchemaNode<'a>> {
    let (mut node, mut item) = (root.clone(), tree.get("params")?);
    for part in path.iter().skip(1) {
        node = match item.as_table_like() {
            Some(table) => {
                let outline: TableOutline<'_> =
                    table.iter().map(|(key, item)| (key, item.as_str())).collect();
                node.of_table(&outline)?.property(part)?
            }
            None => node.items()?,
        };
        item = child(item, part)?;
    }
    Some(node)
}

/// Returns whether a parameter takes the values of files.
fn takes_files(node: &SchemaNode<'_>) -> bool {
    takes(node, "files").is_some_and(|files| files.has_type("array"))
}

/// Returns the keys below the parameter at `path` that take files.
fn keys_with_files(root: &SchemaNode<'_>, tree: &Item, path: &[String]) -> Vec<String> {
    let Some(node) = node_at(root, tree, path) else { return Vec::new() };
    let mut keys = Vec::new();
    for branch in node.branches() {
        let takes = |key: &&str| {
            let below = branch.property(key);
            let items = || below.as_ref().and_then(SchemaNode::items);
            below.as_ref().is_some_and(takes_files) || items().is_some_and(|it| takes_files(&it))
        };
        keys.extend(branch.keys().into_iter().filter(takes).map(str::to_owned));
    }
    keys
}

/// Returns how the parameter at `path` uses files; `None` if it takes no files.
fn file_use(root: &SchemaNode<'_>, tree: &Item, path: &[String]) -> Option<FileUse> {
    let node = node_at(root, tree, path)?;
    if takes_files(&node) {
        return Some(FileUse::Texts { in_list: false });
    }
    if takes(&node, "blake3").is_some() {
        return Some(FileUse::Input);
    }
    if let Some(below) = takes(&node, "file") {
        return takes(&below, "blake3").map(|_| FileUse::InputBelow);
    }
    takes_files(&node.items()?).then_some(FileUse::Texts { in_list: true })
}

/// Returns the schema of the entry `key` of a table.
fn takes<'a>(node: &SchemaNode<'a>, key: &str) -> Option<SchemaNode<'a>> {
    node.branches().iter().find_map(|branch| branch.property(key))
}

/// Replaces the mention `item` by `reference`.
fn replace(item: &mut Item, used: &FileUse, reference: &FileReference) -> Result<(), String> {
    let hash = |hash: Digest| Value::from(hash.to_string());
    let table = item.as_table_like_mut().expect("a mention is a table");
    match used {
        FileUse::Texts { in_list } => {
            table.remove("file");
            match reference.names() {
                [name] => table.insert("file", name.as_str().into()),
                names => table.insert("files", Item::Value(Value::Array(Array::from_iter(names)))),
            };
            table.insert("blake3", hash(reference.hash()).into());
            if *in_list {
                let table = std::mem::take(item).into_value();
                let mut table = table.map_err(|_| "a table cannot stand in a list")?;
                table.decor_mut().clear();
                *item = Item::Value(Value::Array(Array::from_iter([table])));
            }
        }
        FileUse::Input | FileUse::InputBelow => {
            if reference.names().len() != 1 {
                return Err(format!("{} files, but one is needed", reference.names().len()));
            }
            table.remove("file");
            let hash = hash(reference.hash());
            match used {
                FileUse::InputBelow => {
                    let input = InlineTable::from_iter([("blake3", hash)]);
                    table.insert("file", Item::Value(Value::InlineTable(input)))
                }
                _ => table.insert("blake3", hash.into()),
            };
        }
    }
    Ok(())
}
