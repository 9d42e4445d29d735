//! Checks of the agent's file.

use hatchery_core::{InvalidValue, NamedInput, Part, error_chain};

use super::check::CheckedImpact;
use crate::features::Information;
use crate::params::agent_param::check_weights;
use crate::params::training_param::check_size;
use crate::players::model::{AgentModel, ModelEncoding};
use crate::trial::setup::{
    DeckTable, ReinforcementTask, TrainingEncoding, TrainingSetup, TrainingTask,
};

/// Checks that the bytes of an input are a learned agent with vectors that lacks the new piece.
pub(super) fn check_extensible(
    input: &NamedInput,
    bytes: &[u8],
    checked: &CheckedImpact,
) -> Result<(), InvalidValue> {
    let piece = checked.piece;
    let refused = |found: String| {
        let expected = format!(
            "a learned agent with the encoding `vectors` that does not know piece {piece}; the \
             file has {found}"
        );
        InvalidValue::new(&input.key, &input.value(), expected)
    };
    let model = AgentModel::decode(bytes).map_err(|error| refused(error_chain(&error)))?;
    let most = TrainingSetup::MAX_NEIGHBORS as usize;
    match model.encoding() {
        // Each known piece has a list of the unknown ones that are most like it.
        ModelEncoding::Vectors(vectors)
            if checked.replaced.contains(&None) && vectors.kinds() + most < checked.pool.len() =>
        {
            Err(InvalidValue::new(
                &input.key,
                &input.value(),
                format!(
                    "a learned agent that knows all pieces of the pool but {most}, or hosts whose \
                     `replaces` is a number: the file has vectors of {} of {} kinds",
                    vectors.kinds(),
                    checked.pool.len()
                ),
            ))
        }
        ModelEncoding::Vectors(vectors) if vectors.kinds() <= piece as usize => Ok(()),
        ModelEncoding::Vectors(vectors) => {
            Err(refused(format!("vectors of {} kinds: leave out `vector`", vectors.kinds())))
        }
        ModelEncoding::PoolOneHot { .. } => Err(refused("the encoding `one_hot`".to_owned())),
        ModelEncoding::DeckOneHot => Err(refused("the encoding `deck_one_hot`".to_owned())),
    }
}

/// Checks that the bytes of an input are a learned agent with vectors for the pieces in all
/// `decks`.
pub(super) fn check_known(
    input: &NamedInput,
    bytes: &[u8],
    checked: &CheckedImpact,
    decks: &DeckTable,
) -> Result<(), InvalidValue> {
    let kinds = match AgentModel::decode(bytes).as_ref().map(AgentModel::encoding) {
        Ok(ModelEncoding::Vectors(vectors)) => vectors.kinds(),
        _ => usize::MAX,
    };
    if (checked.piece as usize) < kinds {
        return check_weights(input, bytes, decks);
    }
    let expected = format!(
        "a learned agent that knows piece {}, or a table `vector`, with which it gets a vector for \
         it; the file has vectors of {kinds} kinds",
        checked.piece
    );
    Err(InvalidValue::new(&input.key, &input.value(), expected))
}

/// Checks that the bytes of an input are a learned agent that can be tuned as the spec says, if it
/// says so.
pub(super) fn check_tunable(
    input: &NamedInput,
    bytes: &[u8],
    checked: &CheckedImpact,
) -> Result<(), InvalidValue> {
    let Some(tune) = &checked.tune else { return Ok(()) };
    let refused = |expected: String| InvalidValue::new(&input.key, &input.value(), expected);
    let model = AgentModel::decode(bytes).map_err(|error| {
        refused(format!("a learned agent; the file has {}", error_chain(&error)))
    })?;
    let (shape, bins) = (model.network().shape(), usize::from(tune.settings.bins));
    if shape.n_outputs != bins {
        return Err(refused(format!(
            "a learned agent with {bins} outputs, as `tune.learn.bins` says; the file has {}",
            shape.n_outputs
        )));
    }
    let encoding = match model.encoding() {
        ModelEncoding::Vectors(_) => TrainingEncoding::Vectors(Part::of(&[])),
        ModelEncoding::PoolOneHot { kinds } => TrainingEncoding::PoolOneHot {
            kinds: u32::try_from(*kinds).expect("at most 20,000 kinds"),
        },
        ModelEncoding::DeckOneHot => TrainingEncoding::DeckOneHot,
    };
    let task = ReinforcementTask {
        encoding,
        information: Information::Perfect,
        settings: tune.settings.clone(),
        initial: None,
        first_item: 0,
        rounds: None,
    };
    let units = |&units: &usize| u32::try_from(units).expect("at most a thousand units");
    let setup = TrainingSetup {
        task: TrainingTask::Reinforcement(Box::new(task)),
        hidden: shape.hidden.iter().map(units).collect(),
        games: Vec::new(),
        before: None,
        steps: tune.steps,
    };
    let pairs = tune.steps / tune.steps_per_pair;
    let factors = [(pairs.into(), "pairs"), (tune.steps_per_pair.into(), "steps for each")];
    check_size(&setup, [&input.key, "tune.learn.batch"], ("tune.pairs", &factors))
}
