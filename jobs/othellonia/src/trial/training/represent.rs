//! Training of representations.

use std::collections::BTreeSet;

use hatchery_core::error_chain;
use hatchery_core::part::Part;

use super::run::{NEW_LEARNER, TrainingError, TrainingRun};
use crate::features::PieceVectors;
use crate::learning::StoredLearner;
use crate::learning::representation::{Representation, neighbors};
use crate::learning::samples::TrainingGames;
use crate::learning::vector_file::encode_vectors;
use crate::players::model::{AgentModel, ModelEncoding};
use crate::rules::{GameDeck, PieceId};
use crate::trial::results::{PieceNeighbors, TrainingResult};
use crate::trial::setup::RepresentationTask;

/// Takes the steps of training; `None` if the pulse breaks.
pub(super) fn learn(
    run: &TrainingRun<'_>,
    games: &TrainingGames<'_>,
    task: &RepresentationTask,
) -> Result<Option<TrainingResult>, TrainingError> {
    let RepresentationTask { settings, neighbors: n_neighbors, fixed, .. } = task;
    let TrainingRun { setup, context, .. } = run;
    let agent = fixed.map(|file| FixedAgent::read(run, &file, task.kinds as usize));
    let mut representation = match &setup.before {
        Some(before) => Representation::decode(&context.read_large(&before.memory))?,
        None => new_representation(run, games, task, agent.as_ref())?,
    };
    let steps = run.take_steps(settings.stretch, |steps, stream, pulse| {
        representation.learn(games, settings, steps, stream, pulse)
    });
    let Some(steps) = steps else { return Ok(None) };
    let vectors = representation.vectors();
    let listed = match n_neighbors {
        0 => Vec::new(),
        n => match piece_neighbors(run, games, (&vectors, representation.n_fixed()), *n as usize) {
            Some(listed) => listed,
            None => return Ok(None),
        },
    };
    let stored = StoredLearner {
        model: context.write(match agent {
            Some(agent) => agent.extended(vectors)?.encode(),
            None => encode_vectors(&vectors),
        }),
        memory: context.write_large(representation.encode()),
    };
    Ok(Some(run.result(stored, steps, listed)))
}

/// Returns the representation before its first step.
fn new_representation(
    run: &TrainingRun<'_>,
    games: &TrainingGames<'_>,
    task: &RepresentationTask,
    agent: Option<&FixedAgent>,
) -> Result<Representation, TrainingError> {
    let hidden: Vec<_> = run.setup.hidden.iter().map(|&units| units as usize).collect();
    let mut rng = run.stream.part(NEW_LEARNER);
    let new = Representation::new(task.kinds as usize, &hidden, games, &mut rng)?;
    Ok(match agent {
        Some(agent) => new.with_fixed(&agent.vectors)?,
        None => new,
    })
}

/// A learned agent whose vectors are fixed.
struct FixedAgent {
    model: AgentModel,
    vectors: PieceVectors,
}

impl FixedAgent {
    /// Reads the agent in a file. The file may be an input that nobody could check: it is refused
    /// if it has no vectors, or if it has vectors for all `kinds` already.
    fn read(run: &TrainingRun<'_>, file: &Part, kinds: usize) -> Self {
        let reason = match AgentModel::decode(&run.context.read(file)) {
            Ok(model) => match model.encoding().clone() {
                ModelEncoding::Vectors(vectors) if vectors.kinds() < kinds => {
                    return Self { model, vectors };
                }
                ModelEncoding::Vectors(vectors) => {
                    format!("it has vectors of {} kinds, and the pool {kinds}", vectors.kinds())
                }
                ModelEncoding::PoolOneHot { .. } | ModelEncoding::DeckOneHot => {
                    "it has no vectors".to_owned()
                }
            },
            Err(error) => error_chain(&error),
        };
        let hash = file.hash();
        run.context.refuse_input(format!("the agent {hash} cannot get new vectors: {reason}"))
    }

    /// Returns the agent with these vectors in place of its own.
    fn extended(self, vectors: PieceVectors) -> Result<AgentModel, TrainingError> {
        let (information, _, network) = self.model.into_parts();
        Ok(AgentModel::new(information, ModelEncoding::Vectors(vectors), network)?)
    }
}

/// Returns the neighbors of every piece in the decks, or `None` if the pulse breaks. A piece whose
/// vector is fixed is compared with the learned pieces, any other piece with all.
fn piece_neighbors(
    run: &TrainingRun<'_>,
    games: &TrainingGames<'_>,
    (vectors, n_fixed): (&PieceVectors, usize),
    n: usize,
) -> Option<Vec<PieceNeighbors>> {
    let pieces = games.decks().iter().flat_map(|deck| GameDeck::pieces(deck));
    let pieces: BTreeSet<PieceId> = pieces.map(|piece| piece.id).collect();
    let all = u64::from(run.setup.steps);
    if run.context.beat(all, all).is_break() {
        return None;
    }
    let kinds = pieces.last().map_or(0, |last| usize::from(last.0) + 1);
    let placements = games.placements(kinds);
    let mut listed = Vec::new();
    for &piece in &pieces {
        if run.context.beat(all, all).is_break() {
            return None;
        }
        let is_fixed = |piece: PieceId| usize::from(piece.0) < n_fixed;
        let others = pieces.iter().copied().filter(|&other| !(is_fixed(piece) && is_fixed(other)));
        #[expect(clippy::cast_possible_truncation, reason = "for display")]
        let nearest = neighbors(vectors, piece, others, n)
            .into_iter()
            .map(|it| (it.piece.0, it.cosine as f32))
            .collect();
        let placed = placements[usize::from(piece.0)];
        let placed = u32::try_from(placed).expect("games have at most 2^30 placements");
        listed.push(PieceNeighbors { piece: piece.0, placed, nearest });
    }
    Some(listed)
}
