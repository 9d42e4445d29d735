//! The file of a model: safetensors.
//!
//! | metadata | value |
//! |---|---|
//! | `game` | `othellonia` |
//! | `feature_version`, `rules_version` | the versions in the build that trained the model |
//! | `information` | `perfect` or `own` |
//! | `encoding` | `vectors`, `pool` or `deck` |
//! | `kinds` | the number of kinds, for `pool` only |
//!
//! Tensors are `piece_vectors` (a row of 30 numbers for each kind, for `vectors` only), and the
//! tensors of the [network](Network::to_tensors), or the layers of a model of PyTorch
//! ([`TensorFile::with_own_layout`]).

use std::collections::BTreeMap;

use hatchery_core::text::excerpt;
use hatchery_nets::Network;
use hatchery_nets::tensors::{Tensor, TensorFile};

use super::{AgentModel, ModelEncoding, ModelError};
use crate::features::{FEATURE_VERSION, Information, PieceVectors, VECTOR_LEN};
use crate::pool::MAX_KINDS;
use crate::record::RULES_VERSION;
use crate::rules::PieceId;

/// The media type of files of safetensors.
pub(crate) const MEDIA_TYPE: &str = "application/vnd.safetensors";

/// Keys of the metadata.
pub(crate) const GAME: &str = "game";
pub(crate) const FEATURES: &str = "feature_version";
const RULES: &str = "rules_version";
const INFORMATION: &str = "information";
const ENCODING: &str = "encoding";
const KINDS: &str = "kinds";

/// The value of the key `game`.
pub(crate) const OTHELLONIA: &str = "othellonia";

/// The name of the tensor of vectors.
pub(crate) const VECTORS: &str = "piece_vectors";

/// The prefix of the names of the network's tensors.
const NETWORK: &str = "";

impl AgentModel {
    /// Returns the bytes of its file: equal agents have equal bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut file = TensorFile::default();
        self.network().to_tensors(NETWORK, &mut file);
        let encoding = match self.encoding() {
            ModelEncoding::Vectors(vectors) => {
                file.tensors.insert(VECTORS.to_owned(), vector_tensor(vectors));
                "vectors"
            }
            ModelEncoding::PoolOneHot { kinds } => {
                file.metadata.insert(KINDS.to_owned(), kinds.to_string());
                "pool"
            }
            ModelEncoding::DeckOneHot => "deck",
        };
        let information = match self.information() {
            Information::Perfect => "perfect",
            Information::Own => "own",
        };
        let entries = [
            (GAME, OTHELLONIA.to_owned()),
            (FEATURES, FEATURE_VERSION.to_string()),
            (RULES, RULES_VERSION.to_string()),
            (INFORMATION, information.to_owned()),
            (ENCODING, encoding.to_owned()),
        ];
        file.metadata.extend(entries.map(|(key, value)| (key.to_owned(), value)));
        file.encode()
    }

    /// Returns the agent whose file these bytes are. Metadata with other keys are passed over.
    ///
    /// # Errors
    /// If the bytes are no file of tensors, or no agent of this build.
    pub fn decode(bytes: &[u8]) -> Result<Self, ModelError> {
        let mut file = TensorFile::decode(bytes)?;
        check_versions(&file.metadata)?;
        let information =
            match entry(&file.metadata, INFORMATION, || "`perfect` or `own`".to_owned())? {
                "perfect" => Information::Perfect,
                "own" => Information::Own,
                found => return Err(wrong_entry(INFORMATION, found, "`perfect` or `own`")),
            };
        let encoding = decoded_encoding(&mut file)?;
        let layout = encoding.layout()?;
        let file = file.with_own_layout(layout.row_len())?;
        let network = Network::from_tensors(NETWORK, &file, layout.state_len())?;
        let model = Self::new(information, encoding, network)?;
        check_names(&model, &file)?;
        Ok(model)
    }
}

/// Checks that the weights are for this game, its rules and its features.
fn check_versions(metadata: &BTreeMap<String, String>) -> Result<(), ModelError> {
    match entry(metadata, GAME, || format!("`{OTHELLONIA}`"))? {
        OTHELLONIA => {}
        found => return Err(wrong_entry(GAME, found, &format!("`{OTHELLONIA}`"))),
    }
    let found = entry(metadata, FEATURES, || FEATURE_VERSION.to_string())?;
    if found != FEATURE_VERSION.to_string() {
        return Err(ModelError::Features { found: excerpt(found) });
    }
    let found = entry(metadata, RULES, || RULES_VERSION.to_string())?;
    if found != RULES_VERSION.to_string() {
        return Err(ModelError::Rules { found: excerpt(found) });
    }
    Ok(())
}

/// Returns the encoding that a file says, and takes the tensor of vectors out of the file.
fn decoded_encoding(file: &mut TensorFile) -> Result<ModelEncoding, ModelError> {
    const EXPECTED: &str = "`vectors`, `pool` or `deck`";
    match entry(&file.metadata, ENCODING, || EXPECTED.to_owned())? {
        "vectors" => {
            let expected = "a row of 30 numbers for each kind of piece";
            let tensor = file.tensors.remove(VECTORS);
            let Tensor { shape, values } =
                tensor.ok_or(ModelError::NoTensor { name: VECTORS, expected })?;
            match shape.as_slice() {
                [_, VECTOR_LEN] => Ok(ModelEncoding::Vectors(PieceVectors::new(&values)?)),
                _ => Err(ModelError::VectorShape { found: shape }),
            }
        }
        "pool" => {
            let expected = || format!("a number from 1 to {MAX_KINDS}");
            let found = entry(&file.metadata, KINDS, expected)?;
            let kinds = found.parse().ok().filter(|kinds| (1..=MAX_KINDS).contains(kinds));
            let kinds = kinds.ok_or_else(|| wrong_entry(KINDS, found, &expected()))?;
            Ok(ModelEncoding::PoolOneHot { kinds })
        }
        "deck" => Ok(ModelEncoding::DeckOneHot),
        found => Err(wrong_entry(ENCODING, found, EXPECTED)),
    }
}

/// Checks that every tensor in a file belongs to the model's network.
fn check_names(model: &AgentModel, file: &TensorFile) -> Result<(), ModelError> {
    let mut known = TensorFile::default();
    model.network().to_tensors(NETWORK, &mut known);
    match file.tensors.keys().find(|name| !known.tensors.contains_key(*name)) {
        Some(name) => Err(ModelError::OtherTensor { name: excerpt(name) }),
        None => Ok(()),
    }
}

/// Returns an entry of the metadata.
fn entry<'a>(
    metadata: &'a BTreeMap<String, String>,
    key: &'static str,
    expected: impl Fn() -> String,
) -> Result<&'a str, ModelError> {
    let missing = || ModelError::NoEntry { key, expected: expected() };
    metadata.get(key).map(String::as_str).ok_or_else(missing)
}

fn wrong_entry(key: &'static str, found: &str, expected: &str) -> ModelError {
    ModelError::Entry { key, found: excerpt(found), expected: expected.to_owned() }
}

/// Returns the tensor of vectors: a row of 30 numbers for each kind.
pub(crate) fn vector_tensor(vectors: &PieceVectors) -> Tensor {
    let kinds = vectors.kinds();
    let ids = (0..kinds).map(|kind| PieceId(u16::try_from(kind).expect("at most 20,000 kinds")));
    let values = ids.filter_map(|id| vectors.vector(id)).flatten().copied().collect();
    Tensor { shape: vec![kinds, VECTOR_LEN], values }
}
