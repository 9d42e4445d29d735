//! Training by imitation.

use hatchery_core::error_chain;
use hatchery_core::part::Part;
use hatchery_nets::{AdamState, Network, NetworkShape, TensorFile};

use super::run::{NEW_LEARNER, TrainingError, TrainingRun};
use crate::features::PieceVectors;
use crate::learning::imitation::{self, N_OUTPUTS};
use crate::learning::vector_file::decode_vectors;
use crate::learning::{LearnError, Learner, StoredLearner};
use crate::model::{AgentModel, ModelEncoding};
use crate::results::TrainingResult;
use crate::rules::GameDeck;
use crate::setup::{ImitationTask, TrainingEncoding};

/// Takes the steps of training; `None` if the pulse breaks.
pub(super) fn learn(
    run: &TrainingRun<'_>,
    task: &ImitationTask,
) -> Result<Option<TrainingResult>, TrainingError> {
    let ImitationTask { encoding: _, information, settings } = task;
    let (encoding, mut network, mut optimizer) = learner(run, task)?;
    let layout = encoding.layout().map_err(LearnError::from)?;
    let steps = run.take_steps(settings.stretch, |steps, stream, pulse| {
        let mut learner = Learner {
            layout,
            information: *information,
            network: &mut network,
            optimizer: &mut optimizer,
        };
        imitation::learn(&mut learner, run.games, settings, steps, stream, pulse)
    });
    let Some(steps) = steps else { return Ok(None) };
    let mut memory = TensorFile::default();
    optimizer.to_tensors("", &mut memory);
    let model = AgentModel::new(*information, encoding, network)?;
    let stored = StoredLearner {
        model: run.context.write(model.encode()),
        memory: run.context.write_large(memory.encode()),
    };
    Ok(Some(run.result(stored, steps, Vec::new())))
}

/// Returns the encoding, the network and the memory of its optimizer at the beginning of training.
fn learner(
    run: &TrainingRun<'_>,
    task: &ImitationTask,
) -> Result<(ModelEncoding, Network, AdamState), TrainingError> {
    let TrainingRun { setup, stream, context, .. } = run;
    if let Some(before) = &setup.before {
        let model = AgentModel::decode(&context.read(&before.model))?;
        let memory = TensorFile::decode(&context.read_large(&before.memory))?;
        let (_, encoding, network) = model.into_parts();
        let optimizer = AdamState::from_tensors("", &memory, &network)?;
        return Ok((encoding, network, optimizer));
    }
    let encoding = match task.encoding {
        TrainingEncoding::Vectors(file) => ModelEncoding::Vectors(vectors(run, &file)),
        TrainingEncoding::PoolOneHot { kinds } => {
            ModelEncoding::PoolOneHot { kinds: kinds as usize }
        }
        TrainingEncoding::DeckOneHot => ModelEncoding::DeckOneHot,
    };
    let layout = encoding.layout().map_err(LearnError::from)?;
    let shape = NetworkShape {
        state_len: layout.state_len(),
        action_len: layout.action_len(),
        hidden: setup.hidden.iter().map(|&units| units as usize).collect(),
        n_outputs: N_OUTPUTS,
    };
    let network = Network::random(&shape, &mut stream.part(NEW_LEARNER));
    let optimizer = AdamState::new(&network);
    Ok((encoding, network, optimizer))
}

/// Returns the vectors of a file, which may be an input that nobody could check: it is refused if
/// it does not fit.
fn vectors(run: &TrainingRun<'_>, file: &Part) -> PieceVectors {
    let reason = match decode_vectors(&run.context.read(file)) {
        Ok(vectors) => {
            let decks = run.games.decks().iter();
            let mut pieces = decks.flat_map(|deck| GameDeck::pieces(deck)).map(|piece| piece.id.0);
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
