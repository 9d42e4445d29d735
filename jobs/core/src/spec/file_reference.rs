//! References to files in parameters: the form of a spec after its files have been read.
//!
//! ```toml
//! levels = [{ files = ["a.xml", "b.xml"], blake3 = "..." }]
//! ```
//!
//! The files of a reference are one input of the run. For a single file, the input is the bytes of
//! the file. For several files, the input is a pack: a line of JSON with their names and lengths,
//! then their bytes. The hash is the hash of this input, so it does not depend on the folder of the
//! files.

use std::fmt;

use prost::bytes::Bytes;
use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value as Json, json};

use super::spec_file::RawFile;
use super::value::TextValue;
use crate::digest::Digest;
use crate::input::{NamedInput, PartInput};
use crate::part::{MAX_PART_BYTES, PartSet};

/// The most files of a parameter.
pub const MAX_FILES: usize = 10_000;

/// The longest name of a file, in bytes: the longest name that Linux allows.
const MAX_NAME_BYTES: usize = 255;

/// The key of the contents that are beside a reference while parameters are read.
const CONTENTS: &str = "contents";

/// A reference to files: their names without folders, and the hash of their input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReference {
    names: Vec<String>,
    input: PartInput,
}

/// A reference as a spec has it, and as a parameter reads it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenReference {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<String>>,
    blake3: String,
    /// The contents of the files: only [`TextValue::load`] puts them there.
    #[serde(skip_serializing)]
    contents: Option<Vec<FileContent>>,
}

/// The content of a file.
struct FileContent(Bytes);

impl<'de> Deserialize<'de> for FileContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(ContentVisitor)
    }
}

struct ContentVisitor;

impl Visitor<'_> for ContentVisitor {
    type Value = FileContent;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the content of a file")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<FileContent, E> {
        Ok(FileContent(Bytes::copy_from_slice(bytes)))
    }
}

impl WrittenReference {
    /// Returns the reference and the contents beside it.
    fn read(self) -> Result<(FileReference, Option<Vec<FileContent>>), String> {
        let names = match (self.file, self.files) {
            (Some(name), None) => vec![name],
            (None, Some(names)) => names,
            _ => return Err("either `file` or `files` must be given".to_owned()),
        };
        check_names(&names)?;
        let blake3 = Digest::from_hex(&self.blake3);
        let blake3 = blake3.ok_or("`blake3` must be 64 hexadecimal digits")?;
        Ok((FileReference { names, input: PartInput { blake3 } }, self.contents))
    }
}

impl FileReference {
    /// Packs `files`, with names without folders, into one input. Returns the reference to the
    /// files and the input.
    ///
    /// # Errors
    /// If there are no files or too many, if two files have the same name, if a file cannot have
    /// its name, or if the files have too many bytes. The error says what would be right.
    pub fn pack(files: &[(String, Bytes)]) -> Result<(Self, Bytes), String> {
        let names: Vec<_> = files.iter().map(|(name, _)| name.clone()).collect();
        check_names(&names)?;
        let bytes = match files {
            [(_, bytes)] => bytes.clone(),
            files => pack(files),
        };
        if MAX_PART_BYTES < bytes.len() {
            return Err(format!(
                "the files have {} bytes, but a parameter takes at most {MAX_PART_BYTES}",
                bytes.len()
            ));
        }
        let input = PartInput { blake3: Digest::of(&bytes) };
        Ok((Self { names, input }, bytes))
    }

    /// Returns the files of the reference, whose input is `bytes`.
    ///
    /// # Errors
    /// If the input is not a pack of files with these names.
    pub fn unpack(&self, bytes: &Bytes) -> Result<Vec<(String, Bytes)>, String> {
        match &self.names[..] {
            [name] => Ok(vec![(name.clone(), bytes.clone())]),
            names => unpack(names, bytes)
                .ok_or_else(|| format!("the input {} is no pack of these files", self.input)),
        }
    }

    /// Returns the hash of the input.
    #[must_use]
    pub fn hash(&self) -> Digest {
        self.input.blake3
    }

    /// Returns the names of the files.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the reference as a spec has it.
    pub(super) fn written(&self) -> impl Serialize + use<> {
        let (file, files) = match &self.names[..] {
            [name] => (Some(name.clone()), None),
            names => (None, Some(names.to_vec())),
        };
        WrittenReference { file, files, blake3: self.hash().to_string(), contents: None }
    }

    /// Returns the reference that the `entries` of a table form; `None` for any other table.
    fn of(entries: &[(String, TextValue)]) -> Option<Self> {
        // Most tables have none of these keys.
        if !entries.iter().any(|(key, _)| key == "blake3") {
            return None;
        }
        let written: WrittenReference = TextValue::Table(entries.to_vec()).read().ok()?;
        written.read().ok().map(|(reference, _)| reference)
    }
}

/// Returns the mention of files that a person wrote where `table` is a reference to the files:
/// their names without the hash. Returns `None` for any other table.
pub(super) fn mention(table: &Map<String, Json>) -> Option<Json> {
    let (key, names) =
        ["file", "files"].into_iter().find_map(|key| Some((key, table.get(key)?)))?;
    table.contains_key("blake3").then(|| json!({ (key): names }))
}

/// A reference, and its parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFiles {
    /// The parameter's path below `params`, such as `levels.0`.
    pub key: String,
    /// The reference.
    pub reference: FileReference,
}

impl NamedFiles {
    /// Returns the files as an input.
    #[must_use]
    pub fn input(&self) -> NamedInput {
        self.reference.input.named(&self.key)
    }
}

/// A reference and its files, as a parameter reads them.
#[derive(Clone, Debug)]
pub(super) struct LoadedFiles {
    pub(super) reference: FileReference,
    pub(super) files: Vec<RawFile>,
}

impl<'de> Deserialize<'de> for LoadedFiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = WrittenReference::deserialize(deserializer)?;
        let (reference, contents) = written.read().map_err(D::Error::custom)?;
        let Some(contents) = contents.filter(|it| it.len() == reference.names.len()) else {
            let message = format!("the files of the input {} are not here", reference.input);
            return Err(D::Error::custom(message));
        };
        let files = reference.names.iter().cloned().zip(contents);
        let files = files.map(|(name, FileContent(bytes))| RawFile { name, bytes }).collect();
        Ok(Self { reference, files })
    }
}

impl TextValue {
    /// Returns all references in the value, in the order of the text.
    pub(crate) fn references(&self) -> Vec<NamedFiles> {
        let mut found = Vec::new();
        self.find_references("", &mut found);
        found
    }

    fn find_references(&self, path: &str, found: &mut Vec<NamedFiles>) {
        let below = |key: &str| match path {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        };
        match self {
            Self::Table(entries) => match FileReference::of(entries) {
                Some(reference) => found.push(NamedFiles { key: path.to_owned(), reference }),
                None => entries.iter().for_each(|(key, value)| {
                    value.find_references(&below(key), found);
                }),
            },
            Self::List(values) => (0_usize..).zip(values).for_each(|(idx, value)| {
                value.find_references(&below(&idx.to_string()), found);
            }),
            _ => {}
        }
    }

    /// Puts the contents of files beside the references in the value, where `inputs` has the files.
    /// The error has the path of a reference whose files cannot be read.
    pub(crate) fn load(&mut self, inputs: &PartSet) -> Result<(), (Vec<String>, String)> {
        let below = |key: String| {
            move |(mut path, message): (Vec<String>, String)| {
                path.insert(0, key);
                (path, message)
            }
        };
        match self {
            Self::Table(entries) => match FileReference::of(entries) {
                Some(reference) => {
                    let Some(bytes) = inputs.find(reference.hash()) else { return Ok(()) };
                    let files = reference.unpack(&bytes).map_err(|fault| (Vec::new(), fault))?;
                    let contents = files.into_iter().map(|(_, bytes)| Self::Bytes(bytes));
                    entries.push((CONTENTS.to_owned(), Self::List(contents.collect())));
                    Ok(())
                }
                None => entries
                    .iter_mut()
                    .try_for_each(|(key, value)| value.load(inputs).map_err(below(key.clone()))),
            },
            Self::List(values) => (0_usize..)
                .zip(values)
                .try_for_each(|(idx, value)| value.load(inputs).map_err(below(idx.to_string()))),
            _ => Ok(()),
        }
    }
}

/// Checks that files can have these names, and that no name occurs twice.
fn check_names(names: &[String]) -> Result<(), String> {
    if !(1..=MAX_FILES).contains(&names.len()) {
        let n_files = names.len();
        return Err(format!("{n_files} files, but a parameter takes from 1 to {MAX_FILES}"));
    }
    for name in names {
        let is_name = !matches!(&**name, "" | "." | "..")
            && name.len() <= MAX_NAME_BYTES
            && !name.chars().any(|c| matches!(c, '/' | '\\') || c.is_control());
        if !is_name {
            return Err(format!(
                "{name:?} is no name of a file: it must have 1 to {MAX_NAME_BYTES} bytes, without \
                 folders and control characters"
            ));
        }
    }
    let mut sorted: Vec<_> = names.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("two files are called {}: give each a name of its own", pair[0])),
        None => Ok(()),
    }
}

/// Returns files as one input: a line of JSON with their names and lengths, then their bytes.
fn pack(files: &[(String, Bytes)]) -> Bytes {
    let index: Vec<_> = files.iter().map(|(name, bytes)| (name, bytes.len())).collect();
    let mut packed = serde_json::to_vec(&index).expect("names and numbers can be JSON");
    packed.push(b'\n');
    files.iter().for_each(|(_, bytes)| packed.extend_from_slice(bytes));
    packed.into()
}

/// Returns the files in a pack; `None` if it is not a pack of files with these names.
fn unpack(names: &[String], packed: &Bytes) -> Option<Vec<(String, Bytes)>> {
    let end = packed.iter().position(|byte| *byte == b'\n')?;
    let index: Vec<(String, usize)> = serde_json::from_slice(&packed[..end]).ok()?;
    if !index.iter().map(|(name, _)| name).eq(names) {
        return None;
    }
    let mut rest = packed.slice(end + 1..);
    let file = |(name, n_bytes)| (n_bytes <= rest.len()).then(|| (name, rest.split_to(n_bytes)));
    let files: Option<Vec<_>> = index.into_iter().map(file).collect();
    files.filter(|_| rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(files: &[(&str, &'static str)]) -> Vec<(String, Bytes)> {
        files.iter().map(|(name, text)| ((*name).to_owned(), (*text).into())).collect()
    }

    #[test]
    fn one_file_is_its_own_bytes_and_several_are_a_pack() {
        let one = files(&[("a.xml", "<Level/>")]);
        let (reference, bytes) = FileReference::pack(&one).unwrap();
        assert_eq!(bytes, "<Level/>");
        assert_eq!(reference.hash(), Digest::of(b"<Level/>"));
        assert_eq!(reference.unpack(&bytes).unwrap(), one);
        let two = files(&[("a.xml", "one\n"), ("ü \"b\".xml", "")]);
        let (reference, bytes) = FileReference::pack(&two).unwrap();
        assert_eq!(bytes, "[[\"a.xml\",4],[\"ü \\\"b\\\".xml\",0]]\none\n");
        assert_eq!(reference.unpack(&bytes).unwrap(), two);
        let written = serde_json::to_string(&reference.written()).unwrap();
        let expected =
            format!(r#"{{"files":["a.xml","ü \"b\".xml"],"blake3":"{}"}}"#, reference.hash());
        assert_eq!(written, expected);
    }

    #[test]
    fn a_damaged_pack_is_refused() {
        let (reference, bytes) =
            FileReference::pack(&files(&[("a", "one"), ("b", "two")])).unwrap();
        let text = str::from_utf8(&bytes).unwrap();
        for damaged in [
            "",
            "onetwo",
            &text[..text.len() - 1],
            &format!("{text}x"),
            &text.replace("\"b\"", "\"c\""),
            &text.replace("[\"a\",3]", "[\"a\",18446744073709551615]"),
            "[[\"a\",3]]\none",
        ] {
            let refused = reference.unpack(&damaged.to_owned().into()).unwrap_err();
            assert!(refused.contains("is no pack of these files"), "{damaged:?}: {refused}");
        }
    }

    #[test]
    fn names_of_files_lead_nowhere_else() {
        for (name, expected) in [
            ("../a", "is no name of a file"),
            ("a/b", "is no name of a file"),
            ("..", "is no name of a file"),
            ("a\nb", "is no name of a file"),
            ("", "is no name of a file"),
        ] {
            let refused = FileReference::pack(&files(&[(name, "")])).unwrap_err();
            assert!(refused.contains(expected), "{refused}");
        }
        let refused = FileReference::pack(&files(&[("a", ""), ("b", ""), ("a", "")])).unwrap_err();
        assert_eq!(refused, "two files are called a: give each a name of its own");
        let refused = FileReference::pack(&[]).unwrap_err();
        assert_eq!(refused, "0 files, but a parameter takes from 1 to 10000");
    }
}
