//! The encoding of pieces of a new network.

use hatchery_core::error_chain;
use hatchery_core::part::Part;

use super::run::TrainingRun;
use crate::features::PieceVectors;
use crate::learning::vector_file::decode_vectors;
use crate::players::model::ModelEncoding;
use crate::rules::GameDeck;
use crate::trial::setup::TrainingEncoding;

/// Returns the encoding, with its vectors if it has some.
pub(super) fn model_encoding(run: &TrainingRun<'_>, encoding: &TrainingEncoding) -> ModelEncoding {
    match encoding {
        TrainingEncoding::Vectors(file) => ModelEncoding::Vectors(vectors(run, file)),
        TrainingEncoding::PoolOneHot { kinds } => {
            ModelEncoding::PoolOneHot { kinds: *kinds as usize }
        }
        TrainingEncoding::DeckOneHot => ModelEncoding::DeckOneHot,
    }
}

/// Returns the vectors of a file, which may be an input that nobody could check: it is refused if
/// it does not fit.
fn vectors(run: &TrainingRun<'_>, file: &Part) -> PieceVectors {
    let reason = match decode_vectors(&run.context.read(file)) {
        Ok(vectors) => {
            let decks = run.table.decks().iter();
            let mut pieces = decks.flat_map(GameDeck::pieces).map(|piece| piece.id.0);
            let kinds = vectors.kinds();
            match pieces.find(|&piece| kinds <= usize::from(piece)) {
                Some(piece) => {
                    format!("it is for {kinds} kinds of pieces, but a deck has piece {piece}")
                }
                None => return vectors,
            }
        }
        Err(error) => error_chain(&error),
    };
    let hash = file.hash();
    run.context.refuse_input(format!("the file {hash} cannot be used as vectors: {reason}"))
}
