//! Parameters whose values are in the spec or in files.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{DeserializeSeed, Error as _, IntoDeserializer, MapAccess, Visitor};
use serde::ser::SerializeSeq as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::file_reference::{FileReference, LoadedFiles};
use super::spec_file::{FileFault, RawFile, SpecFile};

/// The keys of a reference to files.
const REFERENCE_KEYS: [&str; 3] = ["file", "files", "blake3"];

/// Values that can be read from a file.
pub trait FromFile: Sized {
    /// Returns the values in `file`, in their order.
    ///
    /// # Errors
    /// If the file does not hold such values. Only this function can tell the wrong file and line,
    /// so it makes every possible check.
    fn from_file(file: &SpecFile) -> Result<Vec<Self>, FileFault>;

    /// Returns the values in the files of one reference, in the order of the files' names. By
    /// default each file is text, with values of its own. Files that belong together, or that are
    /// no text, need an override.
    ///
    /// # Errors
    /// As for [`from_file`](Self::from_file); the error names the file.
    fn from_files(files: &[RawFile]) -> Result<Vec<Self>, FileFault> {
        let mut values = Vec::new();
        for file in files {
            let read = file.text().and_then(|text| Self::from_file(&text));
            values.extend(read.map_err(|fault| fault.in_file(&file.name))?);
        }
        Ok(values)
    }

    /// Returns the only value in `file`.
    ///
    /// # Errors
    /// As for [`from_file`](Self::from_file), and if the file has no value or several values.
    fn only(file: &SpecFile) -> Result<Self, FileFault> {
        <[Self; 1]>::try_from(Self::from_file(file)?).map(|[value]| value).map_err(|values| {
            FileFault::whole(format!("holds {} values, but one is needed", values.len()))
        })
    }
}

/// A list takes the lines of a file, and a single text takes the whole file.
impl FromFile for String {
    fn from_file(file: &SpecFile) -> Result<Vec<Self>, FileFault> {
        Ok(file.lines().map(|(_, line)| line.to_owned()).collect())
    }

    fn only(file: &SpecFile) -> Result<Self, FileFault> {
        Ok(file.text.clone())
    }
}

/// A list of values from the spec and from files:
/// `levels = [{ file = "levels/*.xml" }, { name = "mine", xml = "..." }]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileList<T> {
    /// The values, including the values from files.
    values: Vec<T>,
    /// The entries of the list as written.
    written: Vec<WrittenEntry>,
}

/// A value from the spec or from a file: `map = { file = "island.json" }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileValue<T> {
    value: T,
    file: Option<FileReference>,
}

/// An entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
enum WrittenEntry {
    Value,
    Files { reference: FileReference, n_values: usize },
}

impl<T> Default for FileList<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T> From<Vec<T>> for FileList<T> {
    fn from(values: Vec<T>) -> Self {
        let written = values.iter().map(|_| WrittenEntry::Value).collect();
        Self { values, written }
    }
}

impl<T> FromIterator<T> for FileList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        values.into_iter().collect::<Vec<_>>().into()
    }
}

impl<T> FileList<T> {
    /// Returns true if there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl<T> From<T> for FileValue<T> {
    fn from(value: T) -> Self {
        Self { value, file: None }
    }
}

impl<T> Deref for FileList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values
    }
}

impl<T> Deref for FileValue<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<'a, T> IntoIterator for &'a FileList<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.values.iter()
    }
}

impl<T: Serialize> Serialize for FileList<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.written.len()))?;
        let mut values = &self.values[..];
        for entry in &self.written {
            let n_values = match entry {
                WrittenEntry::Value => {
                    list.serialize_element(&values[0])?;
                    1
                }
                WrittenEntry::Files { reference, n_values } => {
                    list.serialize_element(&reference.written())?;
                    *n_values
                }
            };
            values = &values[n_values..];
        }
        list.end()
    }
}

impl<T: Serialize> Serialize for FileValue<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.file {
            None => self.value.serialize(serializer),
            Some(reference) => reference.written().serialize(serializer),
        }
    }
}

impl<'de, T: FromFile + Deserialize<'de>> Deserialize<'de> for FileList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut list = Self { values: Vec::new(), written: Vec::new() };
        for ListEntry { written, values } in Vec::deserialize(deserializer)? {
            list.written.push(written);
            list.values.extend(values);
        }
        Ok(list)
    }
}

/// An entry of a list with the values that it contributes.
struct ListEntry<T> {
    written: WrittenEntry,
    values: Vec<T>,
}

impl<'de, T: FromFile + Deserialize<'de>> Deserialize<'de> for ListEntry<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match ValueOrFiles::deserialize(deserializer)? {
            ValueOrFiles::Value(value) => {
                Ok(Self { written: WrittenEntry::Value, values: vec![value] })
            }
            ValueOrFiles::Files(LoadedFiles { reference, files }) => {
                let values = T::from_files(&files).map_err(D::Error::custom)?;
                let n_values = values.len();
                Ok(Self { written: WrittenEntry::Files { reference, n_values }, values })
            }
        }
    }
}

impl<'de, T: FromFile + Deserialize<'de>> Deserialize<'de> for FileValue<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match ValueOrFiles::deserialize(deserializer)? {
            ValueOrFiles::Value(value) => Ok(Self { value, file: None }),
            ValueOrFiles::Files(LoadedFiles { reference, files }) => {
                let [file] = &files[..] else {
                    let message = format!("{} files, but one is needed", files.len());
                    return Err(D::Error::custom(message));
                };
                let value = file.text().and_then(|text| T::only(&text));
                let value = value.map_err(|fault| D::Error::custom(fault.in_file(&file.name)))?;
                Ok(Self { value, file: Some(reference) })
            }
        }
    }
}

impl<T: JsonSchema> JsonSchema for FileList<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("FileList_of_{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": FileValue::<T>::json_schema(generator) })
    }
}

impl<T: JsonSchema> JsonSchema for FileValue<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("FileValue_of_{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (value, files) =
            (generator.subschema_for::<T>(), generator.subschema_for::<FilesSchema>());
        json_schema!({ "anyOf": [value, files] })
    }
}

/// The schema of a reference to files, and of the mention of files before they are read.
struct FilesSchema;

impl JsonSchema for FilesSchema {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Files".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "description": "Values in files.",
            "properties": {
                "file": {
                    "type": "string",
                    "description": "A file, a folder, or a pattern such as `levels/*.xml`: \
                                    relative to the spec file. Beside `blake3`, the file's name."
                },
                "files": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": "The names of the files that were found."
                },
                "blake3": {
                    "type": "string",
                    "minLength": 64,
                    "maxLength": 64,
                    "pattern": "^[0-9A-Fa-f]{64}$",
                    "description": "BLAKE3 hash of the files."
                }
            },
            "additionalProperties": false
        })
    }
}

/// An entry as it is read: a value, or the files that hold values.
enum ValueOrFiles<T> {
    Value(T),
    Files(LoadedFiles),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ValueOrFiles<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EntryVisitor(PhantomData))
    }
}

struct EntryVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for EntryVisitor<T> {
    type Value = ValueOrFiles<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or `{ file = ... }`")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        let text: StrDeserializer<'_, E> = text.into_deserializer();
        T::deserialize(text).map(ValueOrFiles::Value)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let first = entries.next_key::<String>()?;
        let is_reference = first.as_deref().is_some_and(|key| REFERENCE_KEYS.contains(&key));
        let whole = MapAccessDeserializer::new(WholeTable { first, rest: entries });
        match is_reference {
            true => LoadedFiles::deserialize(whole).map(ValueOrFiles::Files),
            false => T::deserialize(whole).map(ValueOrFiles::Value),
        }
    }
}

/// A table whose first key was read already.
struct WholeTable<A> {
    first: Option<String>,
    rest: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for WholeTable<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        match self.first.take() {
            Some(key) => seed.deserialize(key.into_deserializer()).map(Some),
            None => self.rest.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.rest.next_value_seed(seed)
    }
}
