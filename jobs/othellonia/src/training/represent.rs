//! Training of representations.

use std::collections::BTreeSet;

use super::run::{NEW_LEARNER, TrainingError, TrainingRun};
use crate::features::PieceVectors;
use crate::learning::StoredLearner;
use crate::learning::representation::{Representation, neighbors};
use crate::learning::vector_file::encode_vectors;
use crate::results::{PieceNeighbors, TrainingResult};
use crate::rules::{GameDeck, PieceId};
use crate::setup::RepresentationTask;

/// Takes the steps of training; `None` if the pulse breaks.
pub(super) fn learn(
    run: &TrainingRun<'_>,
    task: &RepresentationTask,
) -> Result<Option<TrainingResult>, TrainingError> {
    let RepresentationTask { kinds, settings, neighbors: n_neighbors } = task;
    let TrainingRun { setup, games, stream, context } = run;
    let mut representation = match &setup.before {
        Some(before) => Representation::decode(&context.read_large(&before.memory))?,
        None => {
            let hidden: Vec<_> = setup.hidden.iter().map(|&units| units as usize).collect();
            Representation::new(*kinds as usize, &hidden, games, &mut stream.part(NEW_LEARNER))?
        }
    };
    let steps = run.take_steps(settings.stretch, |steps, stream, pulse| {
        representation.learn(games, settings, steps, stream, pulse)
    });
    let Some(steps) = steps else { return Ok(None) };
    let vectors = representation.vectors();
    let listed = match n_neighbors {
        0 => Vec::new(),
        n => match piece_neighbors(run, &vectors, *n as usize) {
            Some(listed) => listed,
            None => return Ok(None),
        },
    };
    let stored = StoredLearner {
        model: context.write(encode_vectors(&vectors)),
        memory: context.write_large(representation.encode()),
    };
    Ok(Some(run.result(stored, steps, listed)))
}

/// Returns the neighbors of each piece of the decks among all of them; `None` if the pulse breaks.
fn piece_neighbors(
    run: &TrainingRun<'_>,
    vectors: &PieceVectors,
    n: usize,
) -> Option<Vec<PieceNeighbors>> {
    let pieces = run.games.decks().iter().flat_map(|deck| GameDeck::pieces(deck));
    let pieces: BTreeSet<PieceId> = pieces.map(|piece| piece.id).collect();
    let all = u64::from(run.setup.steps);
    if run.context.beat(all, all).is_break() {
        return None;
    }
    let kinds = pieces.last().map_or(0, |last| usize::from(last.0) + 1);
    let placements = run.games.placements(kinds);
    let mut listed = Vec::new();
    for &piece in &pieces {
        if run.context.beat(all, all).is_break() {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "for display")]
        let nearest = neighbors(vectors, piece, pieces.iter().copied(), n)
            .into_iter()
            .map(|it| (it.piece.0, it.cosine as f32))
            .collect();
        let placed = placements[usize::from(piece.0)];
        let placed = u32::try_from(placed).expect("games have at most 2^30 placements");
        listed.push(PieceNeighbors { piece: piece.0, placed, nearest });
    }
    Some(listed)
}
