//! The inputs of networks in specs: the encodings of pieces, their vectors, and what networks know
//! of the game.

use hatchery_core::{
    GenerationSeed, InitialParts, InvalidValue, NamedInput, Part, PartInput, error_chain,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent_param::check_weights;
use super::deck_param::{NamedDeck, deck_table};
use crate::features::PieceVectors;
use crate::learning::vector_file::{decode_vectors, encode_vectors};
use crate::pool::PiecePool;
use crate::trial::setup::TrainingEncoding;

/// An encoding of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EncodingParam {
    /// A vector for each kind: 5,649 columns.
    Vectors,
    /// A column for each kind of the pool: 74,564 for 925 kinds.
    OneHot,
    /// A column for each of the 16 pieces of a deck: 4,725.
    DeckOneHot,
}

impl EncodingParam {
    /// Returns the name in measures.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vectors => "vectors",
            Self::OneHot => "one_hot",
            Self::DeckOneHot => "deck_one_hot",
        }
    }

    /// Returns the name in sentences.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Vectors => "vectors",
            Self::OneHot => "one-hot",
            Self::DeckOneHot => "deck one-hot",
        }
    }

    /// Returns the encoding of a pool of so many kinds, if it needs no file.
    pub(crate) const fn of_pool(self, kinds: u32) -> Option<TrainingEncoding> {
        match self {
            Self::Vectors => None,
            Self::OneHot => Some(TrainingEncoding::PoolOneHot { kinds }),
            Self::DeckOneHot => Some(TrainingEncoding::DeckOneHot),
        }
    }

    /// Returns the encoding of a setup before its file of vectors is known: the encoding has an
    /// empty file instead.
    pub(crate) fn of_setup(self, kinds: u32) -> TrainingEncoding {
        self.of_pool(kinds).unwrap_or_else(|| TrainingEncoding::Vectors(Part::of(&[])))
    }
}

/// Random vectors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomVectorsParam {}

/// Vectors of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VectorFileParam {
    /// The file `vectors.safetensors` of a run.
    pub file: PartInput,
}

/// A network: its arm and its number in the arm.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArmSeed {
    pub(crate) arm: EncodingParam,
    pub(crate) seed: u32,
}

impl ArmSeed {
    /// Returns the name: that of the arm, and from the second seed on its number.
    pub(crate) fn name(self) -> String {
        match self.seed {
            0 => self.arm.name().to_owned(),
            seed => format!("{}_{}", self.arm.name(), seed + 1),
        }
    }

    /// Returns the name in sentences, such as `one-hot 2`; the first network of several is 1.
    pub(crate) fn words(self, n_seeds: u32) -> String {
        match n_seeds {
            1 => self.arm.words().to_owned(),
            _ => format!("{} {}", self.arm.words(), self.seed + 1),
        }
    }
}

/// Returns the name of the file of a network's agent.
pub(crate) fn agent_file(network: ArmSeed) -> String {
    format!("agent-{}.safetensors", network.name().replace('_', "-"))
}

/// The key of the file of vectors.
pub(crate) const VECTORS_FILE: &str = "vectors.file";

/// Returns the networks of a spec: first all seeds of the first arm, then all seeds of the next
/// arm.
///
/// # Errors
/// If an arm is there twice.
pub(crate) fn arm_seeds(arms: &[EncodingParam], seeds: u32) -> Result<Vec<ArmSeed>, InvalidValue> {
    for (at, arm) in arms.iter().enumerate() {
        if arms[..at].contains(arm) {
            let expected = "another arm: this one is there before";
            let found = format!("\"{}\"", arm.name());
            return Err(InvalidValue::new(format!("arms.{at}"), &found, expected));
        }
    }
    let networks = arms.iter().flat_map(|&arm| (0..seeds).map(move |seed| ArmSeed { arm, seed }));
    Ok(networks.collect())
}

/// Checks that the bytes of an input are vectors for a pool of so many kinds.
///
/// # Errors
/// If they are not: an error for the parameter that names the input.
fn check_vectors(input: &NamedInput, bytes: &[u8], kinds: u32) -> Result<(), InvalidValue> {
    let refused = |found: String| {
        let expected = format!("vectors of {kinds} kinds or more; the file has {found}");
        InvalidValue::new(&input.key, &input.value(), expected)
    };
    let vectors = decode_vectors(bytes).map_err(|error| refused(error_chain(&error)))?;
    match vectors.kinds() {
        found if found < kinds as usize => Err(refused(format!("{found}"))),
        _ => Ok(()),
    }
}

/// Checks that the bytes of an input of networks that learn are vectors for a pool of so many
/// kinds, or a learned agent that can play all decks.
///
/// # Errors
/// If they are not: an error for the parameter that names the input.
pub(crate) fn check_learned(
    input: &NamedInput,
    bytes: &[u8],
    (kinds, decks): (u32, &[NamedDeck]),
) -> Result<(), InvalidValue> {
    match input.key.as_str() {
        VECTORS_FILE => check_vectors(input, bytes, kinds),
        _ => check_weights(input, bytes, &deck_table(decks)),
    }
}

/// Adds random vectors for a pool to the parts of a run.
pub(crate) fn random_vectors(
    pool: &PiecePool,
    seed: &GenerationSeed,
    parts: &mut InitialParts,
) -> Part {
    let vectors = PieceVectors::random(pool.len(), &mut seed.stream("vectors"));
    parts.add(encode_vectors(&vectors.expect("a pool has kinds")))
}
