//! Training by imitation.

use hatchery_nets::{AdamState, Network, NetworkShape, TensorFile};

use super::encoding::model_encoding;
use super::run::{NEW_LEARNER, TrainingError, TrainingRun};
use crate::learning::imitation::{self, N_OUTPUTS};
use crate::learning::samples::TrainingGames;
use crate::learning::{LearnError, Learner, StoredLearner};
use crate::players::model::{AgentModel, ModelEncoding};
use crate::trial::results::TrainingResult;
use crate::trial::setup::ImitationTask;

/// Takes the steps of training; `None` if the pulse breaks.
pub(super) fn learn(
    run: &TrainingRun<'_>,
    games: &TrainingGames<'_>,
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
        imitation::learn(&mut learner, games, settings, steps, stream, pulse)
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
    let encoding = model_encoding(run, &task.encoding);
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
