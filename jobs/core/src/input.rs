//! Inputs: parts that a run takes in, and that its spec names by their hash.
//!
//! ```toml
//! [params]
//! weights = { blake3 = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262" }
//! ```
//!
//! The parameters hold a [`PartInput`], and the experiment lists it under its key
//! ([`Experiment::inputs`](crate::Experiment::inputs)). The program that starts the run finds the
//! bytes. When the run begins, [`InitialParts`] turns the hash into a [`Part`] for the state to
//! name. Only trials read the bytes.

use std::fmt;

use prost::bytes::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::digest::Digest;
use crate::part::{LargeValue, Part, PartSet};

/// The most inputs of a run: a search for them stays short.
pub const MAX_INPUTS: usize = 64;

/// An input in a spec: `{ blake3 = "..." }`. It is one part, so it has at most
/// [`MAX_PART_BYTES`](crate::part::MAX_PART_BYTES).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartInput {
    /// BLAKE3 hash of the bytes, as `b3sum` prints it: 64 hexadecimal digits.
    #[serde(serialize_with = "to_hex", deserialize_with = "from_hex")]
    #[schemars(with = "String", length(min = 64, max = 64), regex(pattern = "^[0-9A-Fa-f]{64}$"))]
    pub blake3: Digest,
}

impl PartInput {
    /// Returns the input together with the parameter that holds it, such as `players.0.weights`.
    pub fn named(&self, key: impl Into<String>) -> NamedInput {
        NamedInput { key: key.into(), hash: self.blake3 }
    }
}

impl fmt::Display for PartInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{ blake3 = \"{}\" }}", self.blake3)
    }
}

/// An input and the parameter that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedInput {
    /// The parameter's path below `params`, such as `weights` or `players.0.weights`.
    pub key: String,
    /// The hash of the bytes.
    pub hash: Digest,
}

impl NamedInput {
    /// Returns the input as the spec has it.
    #[must_use]
    pub fn value(&self) -> PartInput {
        PartInput { blake3: self.hash }
    }
}

impl fmt::Display for NamedInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.key, self.value())
    }
}

/// The parts that a run begins with: its inputs, whose bytes are elsewhere, and small parts that
/// the parameters make.
#[derive(Clone, Debug, Default)]
pub struct InitialParts {
    inputs: Vec<Part>,
    made: PartSet,
}

impl InitialParts {
    /// Creates the parts of a run with these inputs.
    #[must_use]
    pub fn new(inputs: Vec<Part>) -> Self {
        Self { inputs, made: PartSet::default() }
    }

    /// Returns the part for `input`. The state must [name](crate::Experiment::parts) the part for
    /// as long as a generation may need it: a part that no state names is removed.
    ///
    /// # Panics
    /// If the experiment does not [list](crate::Experiment::inputs) the input.
    #[must_use]
    pub fn input(&self, input: &PartInput) -> Part {
        let found = self.inputs.iter().find(|part| part.hash() == input.blake3);
        *found.unwrap_or_else(|| panic!("the experiment does not list the input {input}"))
    }

    /// Adds `bytes` and returns their name: see [`PartSet::add`].
    ///
    /// # Panics
    /// If `bytes` has more than [`MAX_PART_BYTES`](crate::part::MAX_PART_BYTES).
    pub fn add(&mut self, bytes: impl Into<Bytes>) -> Part {
        self.made.add(bytes)
    }

    /// Adds any number of bytes, cut into parts.
    pub fn add_large(&mut self, bytes: impl Into<Bytes>) -> LargeValue {
        self.made.add_large(bytes)
    }

    /// Returns the added parts.
    #[must_use]
    pub fn into_made(self) -> PartSet {
        self.made
    }
}

fn to_hex<S: Serializer>(hash: &Digest, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(hash)
}

fn from_hex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
    let text = String::deserialize(deserializer)?;
    Digest::from_hex(&text).ok_or_else(|| {
        serde::de::Error::custom("a BLAKE3 hash must be 64 hexadecimal digits, as b3sum prints it")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";

    #[test]
    fn an_input_is_a_hash_in_lower_case() {
        let read =
            |hash: &str| serde_json::from_str::<PartInput>(&format!(r#"{{"blake3":"{hash}"}}"#));
        let input = read(&HASH.to_uppercase()).unwrap();
        assert_eq!(input.blake3, Digest::of(b""));
        assert_eq!(serde_json::to_string(&input).unwrap(), format!(r#"{{"blake3":"{HASH}"}}"#));
        let expected = format!("players.0 = {{ blake3 = \"{HASH}\" }}");
        assert_eq!(input.named("players.0").to_string(), expected);
        for wrong in ["", &HASH[1..], &format!("{HASH}0"), &HASH.replace('a', "g"), "ä"] {
            let error = read(wrong).unwrap_err().to_string();
            assert!(error.contains("64 hexadecimal digits"), "{error}");
        }
        assert!(
            serde_json::from_str::<PartInput>(&format!(r#"{{"blake3":"{HASH}","n":1}}"#)).is_err()
        );
    }

    #[test]
    fn an_input_becomes_a_part_and_is_not_made_again() {
        let part = Part::of(b"weights");
        let mut parts = InitialParts::new(vec![part]);
        assert_eq!(parts.input(&PartInput { blake3: part.hash() }), part);
        let made = parts.add(vec![1]);
        let made_parts = parts.into_made();
        assert_eq!((made_parts.n_parts(), made_parts.get(&made)), (1, Some(vec![1].into())));
    }

    #[test]
    #[should_panic(expected = "the experiment does not list the input { blake3 = \"af1349")]
    fn an_input_that_is_not_listed_is_a_bug() {
        let none = InitialParts::default().input(&PartInput { blake3: Digest::of(b"") });
        assert_eq!(none, Part::of(b""));
    }
}
