//! The values of a text, from which types are read. TOML and JSON share one deserializer, so the
//! code that reads a type is generated once.

use std::fmt;

use prost::bytes::Bytes;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde_json::Value as Json;
use toml_edit::{Item, Value as Toml};

/// A value of a TOML or JSON text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TextValue {
    /// The `null` of JSON.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number that may be negative.
    Signed(i64),
    /// A whole number of JSON that is not negative.
    Unsigned(u64),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// A date or time of TOML, which is no value of any parameter.
    Date,
    /// A text.
    String(String),
    /// The content of a file.
    Bytes(Bytes),
    /// A list.
    List(Vec<Self>),
    /// A table, its entries in the order of the text.
    Table(Vec<(String, Self)>),
}

/// A value that a type refuses.
#[derive(Debug)]
pub(crate) struct ReadError {
    /// The way from the refused value up to the value that was read: keys, and indices in lists.
    upwards: Vec<String>,
    message: String,
}

impl From<&Item> for TextValue {
    fn from(item: &Item) -> Self {
        match item {
            Item::None => Self::Null,
            Item::Value(value) => Self::from(value),
            Item::Table(table) => Self::table(table.iter()),
            Item::ArrayOfTables(tables) => {
                Self::List(tables.iter().map(|table| Self::table(table.iter())).collect())
            }
        }
    }
}

impl From<&Toml> for TextValue {
    fn from(value: &Toml) -> Self {
        match value {
            Toml::String(text) => Self::String(text.value().clone()),
            Toml::Integer(number) => Self::Signed(*number.value()),
            Toml::Float(number) => Self::Float(*number.value()),
            Toml::Boolean(is_true) => Self::Bool(*is_true.value()),
            Toml::Datetime(_) => Self::Date,
            Toml::Array(values) => Self::List(values.iter().map(Self::from).collect()),
            Toml::InlineTable(table) => Self::table(table.iter()),
        }
    }
}

impl From<Json> for TextValue {
    fn from(json: Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(is_true) => Self::Bool(is_true),
            Json::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => Self::Unsigned(number),
                (None, Some(number)) => Self::Signed(number),
                (None, None) => Self::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Json::String(text) => Self::String(text),
            Json::Array(values) => Self::List(values.into_iter().map(Self::from).collect()),
            Json::Object(entries) => {
                let entry = |(key, value)| (key, Self::from(value));
                Self::Table(entries.into_iter().map(entry).collect())
            }
        }
    }
}

impl TextValue {
    fn table<'a, V: 'a>(entries: impl Iterator<Item = (&'a str, &'a V)>) -> Self
    where
        Self: From<&'a V>,
    {
        Self::Table(entries.map(|(key, value)| (key.to_owned(), Self::from(value))).collect())
    }

    /// Reads the value as a `T`.
    ///
    /// # Errors
    /// If the type refuses the value, or a value within it.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        T::deserialize(self)
    }

    /// Returns the error that this value is not as `expected`.
    fn refused(&self, expected: &dyn Expected) -> ReadError {
        ReadError::invalid_type(self.unexpected(), expected)
    }

    fn unexpected(&self) -> Unexpected<'_> {
        match self {
            Self::Null => Unexpected::Unit,
            Self::Bool(is_true) => Unexpected::Bool(*is_true),
            Self::Signed(number) => Unexpected::Signed(*number),
            Self::Unsigned(number) => Unexpected::Unsigned(*number),
            Self::Float(number) => Unexpected::Float(*number),
            Self::Date => Unexpected::Other("date"),
            Self::String(text) => Unexpected::Str(text),
            Self::Bytes(bytes) => Unexpected::Bytes(bytes),
            Self::List(_) => Unexpected::Seq,
            Self::Table(_) => Unexpected::Map,
        }
    }
}

impl<'de> Deserializer<'de> for &'de TextValue {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self {
            TextValue::Null => visitor.visit_unit(),
            TextValue::Bool(is_true) => visitor.visit_bool(*is_true),
            TextValue::Signed(number) => visitor.visit_i64(*number),
            TextValue::Unsigned(number) => visitor.visit_u64(*number),
            TextValue::Float(number) => visitor.visit_f64(*number),
            TextValue::Date => Err(self.refused(&visitor)),
            TextValue::String(text) => visitor.visit_borrowed_str(text),
            TextValue::Bytes(bytes) => visitor.visit_borrowed_bytes(bytes),
            TextValue::List(values) => {
                let mut list = ListEntries { n_read: 0, values };
                let read = visitor.visit_seq(&mut list)?;
                list.end()?;
                Ok(read)
            }
            TextValue::Table(entries) => visitor.visit_map(TableEntries { entries, value: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self {
            TextValue::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self {
            TextValue::String(name) => visitor.visit_enum(NamedVariant { name, value: None }),
            TextValue::Table(entries) => match &entries[..] {
                [(name, value)] => visitor.visit_enum(NamedVariant { name, value: Some(value) }),
                _ => Err(ReadError::invalid_length(entries.len(), &"a table with one key")),
            },
            _ => Err(self.refused(&visitor)),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier
    }
}

/// The entries of a list that are not read yet.
struct ListEntries<'de> {
    n_read: usize,
    values: &'de [TextValue],
}

impl ListEntries<'_> {
    /// Checks that all entries were read: a tuple stops when it is full.
    fn end(&self) -> Result<(), ReadError> {
        let Self { n_read, values } = self;
        match values.len() {
            0 => Ok(()),
            n => Err(ReadError::invalid_length(n_read + n, &format!("{n_read} entries").as_str())),
        }
    }
}

impl<'de> SeqAccess<'de> for &mut ListEntries<'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        let Some((value, rest)) = self.values.split_first() else { return Ok(None) };
        let idx = self.n_read;
        (self.n_read, self.values) = (idx + 1, rest);
        seed.deserialize(value).map(Some).map_err(|error| error.below(&idx.to_string()))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.values.len())
    }
}

/// The entries of a table that are not read yet.
struct TableEntries<'de> {
    entries: &'de [(String, TextValue)],
    /// The entry whose key was read last.
    value: Option<&'de (String, TextValue)>,
}

impl<'de> MapAccess<'de> for TableEntries<'de> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        let Some((entry, rest)) = self.entries.split_first() else { return Ok(None) };
        (self.entries, self.value) = (rest, Some(entry));
        let key = seed.deserialize(BorrowedStrDeserializer::new(&entry.0));
        key.map(Some).map_err(|error: ReadError| error.below(&entry.0))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let (key, value) = self
            .value
            .take()
            .ok_or_else(|| ReadError::custom("a value was read before its key"))?;
        seed.deserialize(value).map_err(|error| error.below(key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

/// A variant of an enum: its name alone, or a table with its name as the only key.
struct NamedVariant<'de> {
    name: &'de str,
    value: Option<&'de TextValue>,
}

impl NamedVariant<'_> {
    fn refused(&self, expected: &str) -> ReadError {
        match self.value {
            Some(value) => value.refused(&expected).below(self.name),
            None => ReadError::invalid_type(Unexpected::UnitVariant, &expected),
        }
    }
}

impl<'de> EnumAccess<'de> for NamedVariant<'de> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), ReadError> {
        let variant = seed.deserialize(BorrowedStrDeserializer::new(self.name));
        Ok((variant?, self))
    }
}

impl<'de> VariantAccess<'de> for NamedVariant<'de> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        match self.value {
            None | Some(TextValue::Null) => Ok(()),
            // As TOML would write a variant with fields.
            Some(TextValue::Table(entries)) if entries.is_empty() => Ok(()),
            Some(_) => Err(self.refused("a variant without fields")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ReadError> {
        let value = self.value.ok_or_else(|| self.refused("a variant with a value"))?;
        seed.deserialize(value).map_err(|error| error.below(self.name))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        _n_fields: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self.value {
            Some(value @ TextValue::List(_)) => {
                value.deserialize_any(visitor).map_err(|error| error.below(self.name))
            }
            _ => Err(self.refused("a variant with a list")),
        }
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self.value {
            Some(value @ TextValue::Table(_)) => {
                value.deserialize_any(visitor).map_err(|error| error.below(self.name))
            }
            _ => Err(self.refused("a variant with fields")),
        }
    }
}

impl ReadError {
    /// Returns the error as seen from the enclosing value, which has the refused value at `key`.
    #[cold]
    fn below(mut self, key: &str) -> Self {
        self.upwards.push(key.to_owned());
        self
    }

    /// Returns the path of the refused value, starting at the value that was read.
    pub(crate) fn path(&self) -> impl Iterator<Item = &str> {
        self.upwards.iter().rev().map(String::as_str)
    }

    /// Returns the description of the mistake.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

impl serde::de::Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { upwards: Vec::new(), message: message.to_string() }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.upwards[..] {
            [] => write!(f, "{}", self.message),
            _ => write!(f, "{}: {}", self.path().collect::<Vec<_>>().join("."), self.message),
        }
    }
}

impl std::error::Error for ReadError {}
