//! The file of a representation that is being learned: safetensors.
//!
//! | metadata | value |
//! |---|---|
//! | `game` | `othellonia` |
//! | `feature_version`, `rules_version` | the versions in the build that wrote the file |
//! | `outcome_version` | the version of the list of predicted numbers |
//! | `fixed_kinds` | the first kinds whose vectors are fixed, unless there are none |
//!
//! Tensors are `vectors` (a row of 30 numbers for each kind), `vectors.means` and `vectors.squares`
//! (Adam's), `outcome.means` and `outcome.spreads`. The tensors of the
//! [network](Network::to_tensors) have the prefix `network.`; the tensors of its
//! [optimizer](AdamState::to_tensors) have the prefix `adam.`.

use hatchery_nets::tensors::{TensorError, TensorFile};
use hatchery_nets::{AdamState, Network};

use super::batch::row_lens;
use super::learner::Representation;
use super::loss::N_OUTPUTS;
use super::outcome::{OUTCOME_VERSION, REGRESSED};
use super::scales::OutcomeScales;
use super::table::VectorTable;
use crate::features::{FEATURE_VERSION, FeatureError, PieceVectors, VECTOR_LEN};
use crate::learning::step::are_small;
use crate::record::RULES_VERSION;

/// Bytes that are no representation of this build.
#[derive(Debug, thiserror::Error)]
pub enum RepresentationFileError {
    /// The bytes are no file of tensors, or one is missing or does not fit to the others.
    #[error("a representation that is no network in a file of safetensors")]
    File(#[from] TensorError),
    /// The file is one of another game, or of another version of what is learned.
    #[error("a representation with `{key}` = `{found}`, but this build needs `{expected}`")]
    Version {
        /// The entry of the metadata.
        key: &'static str,
        /// Its value; empty if there is none.
        found: String,
        /// The value of this build.
        expected: String,
    },
    /// A tensor has another length than it must have.
    #[error("a representation with {found} {what}, but it must have {expected}")]
    Size {
        /// The things that are counted.
        what: &'static str,
        /// Their number.
        found: usize,
        /// The number that is right.
        expected: usize,
    },
    /// A tensor has numbers beyond the range that learning can reach.
    #[error("the tensor `{name}` of a representation has numbers that are {wrong}")]
    Range {
        /// The name of the tensor.
        name: &'static str,
        /// The fault.
        wrong: &'static str,
    },
    /// The table of vectors has no kinds, too many, or not 30 numbers for each.
    #[error("the vectors of a representation are invalid")]
    Vectors(#[from] FeatureError),
}

/// The prefixes of the names of the tensors of the network and of its optimizer.
const NETWORK: &str = "network.";
const ADAM: &str = "adam.";

/// The names of the other tensors.
const VECTORS: &str = "vectors";
const VECTOR_MEANS: &str = "vectors.means";
const VECTOR_SQUARES: &str = "vectors.squares";
const OUTCOME_MEANS: &str = "outcome.means";
const OUTCOME_SPREADS: &str = "outcome.spreads";

/// The key of the number of kinds whose vectors are fixed.
const FIXED_KINDS: &str = "fixed_kinds";

impl Representation {
    /// Returns the bytes of the file. A learner that reads the file learns as if it had not been
    /// interrupted.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let Self { network, optimizer, table, scales } = self;
        let mut file = TensorFile::default();
        network.to_tensors(NETWORK, &mut file);
        optimizer.to_tensors(ADAM, &mut file);
        let of_table = [
            (VECTORS, &table.values),
            (VECTOR_MEANS, &table.means),
            (VECTOR_SQUARES, &table.squares),
        ];
        for (name, values) in of_table {
            file.insert(name, &[values.len() / VECTOR_LEN, VECTOR_LEN], values);
        }
        file.insert(OUTCOME_MEANS, &[REGRESSED.len()], &scales.means);
        file.insert(OUTCOME_SPREADS, &[REGRESSED.len()], &scales.spreads);
        file.metadata.extend(versions().map(|(key, value)| (key.to_owned(), value)));
        if table.n_fixed != 0 {
            file.metadata.insert(FIXED_KINDS.to_owned(), table.n_fixed.to_string());
        }
        file.encode()
    }

    /// Returns the representation whose file these bytes are.
    ///
    /// # Errors
    /// If the bytes are no file of tensors, or no representation of this build.
    ///
    /// # Panics
    /// Never: the lengths are checked.
    pub fn decode(bytes: &[u8]) -> Result<Self, RepresentationFileError> {
        let file = TensorFile::decode(bytes)?;
        for (key, expected) in versions() {
            let found: String =
                file.metadata.get(key).map(|it| it.chars().take(40).collect()).unwrap_or_default();
            if found != expected {
                return Err(RepresentationFileError::Version { key, found, expected });
            }
        }
        let network = decoded_network(&file)?;
        let optimizer = AdamState::from_tensors(ADAM, &file, &network)?;
        let values = &file.tensor(VECTORS)?.values;
        PieceVectors::new(values)?;
        let row = |name: &'static str, len| {
            let found = &file.tensor(name)?.values;
            check_size(name, found.len(), len)?;
            match are_small(found) {
                true => Ok(found.clone()),
                false => Err(RepresentationFileError::Range { name, wrong: "above 1e18" }),
            }
        };
        let table = VectorTable {
            n_fixed: decoded_n_fixed(&file, values.len() / VECTOR_LEN)?,
            values: row(VECTORS, values.len())?,
            means: row(VECTOR_MEANS, values.len())?,
            squares: not_negative(VECTOR_SQUARES, &file, values.len())?,
        };
        let numbers = |name| {
            let values = row(name, REGRESSED.len())?;
            Ok::<_, RepresentationFileError>(values.try_into().expect("the length was checked"))
        };
        let scales =
            OutcomeScales { means: numbers(OUTCOME_MEANS)?, spreads: numbers(OUTCOME_SPREADS)? };
        if !scales.spreads.iter().all(|spread| 1e-9 <= *spread) {
            let (name, wrong) = (OUTCOME_SPREADS, "below 1e-9");
            return Err(RepresentationFileError::Range { name, wrong });
        }
        Ok(Self { network, optimizer, table, scales })
    }
}

/// Returns the entries of the metadata that a file of this build has.
fn versions() -> [(&'static str, String); 4] {
    [
        ("game", "othellonia".to_owned()),
        ("feature_version", FEATURE_VERSION.to_string()),
        ("rules_version", RULES_VERSION.to_string()),
        ("outcome_version", OUTCOME_VERSION.to_string()),
    ]
}

/// Returns the number of kinds whose vectors are fixed: of `kinds` or fewer.
fn decoded_n_fixed(file: &TensorFile, kinds: usize) -> Result<usize, RepresentationFileError> {
    let Some(found) = file.metadata.get(FIXED_KINDS) else { return Ok(0) };
    let n_fixed = found.parse().ok().filter(|n_fixed| (1..=kinds).contains(n_fixed));
    n_fixed.ok_or_else(|| RepresentationFileError::Version {
        key: FIXED_KINDS,
        found: found.chars().take(40).collect(),
        expected: format!("a number from 1 to {kinds}"),
    })
}

fn decoded_network(file: &TensorFile) -> Result<Network, RepresentationFileError> {
    let [state_len, action_len] = row_lens();
    let network = Network::from_tensors(NETWORK, file, state_len)?;
    let shape = network.shape();
    check_size("columns of an action", shape.action_len, action_len)?;
    check_size("outputs", shape.n_outputs, N_OUTPUTS)?;
    Ok(network)
}

fn not_negative(
    name: &'static str,
    file: &TensorFile,
    len: usize,
) -> Result<Vec<f32>, RepresentationFileError> {
    let found = &file.tensor(name)?.values;
    check_size(name, found.len(), len)?;
    match found.iter().all(|value| 0.0 <= *value) {
        true => Ok(found.clone()),
        false => Err(RepresentationFileError::Range { name, wrong: "below 0" }),
    }
}

const fn check_size(
    what: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), RepresentationFileError> {
    if found == expected {
        Ok(())
    } else {
        Err(RepresentationFileError::Size { what, found, expected })
    }
}
