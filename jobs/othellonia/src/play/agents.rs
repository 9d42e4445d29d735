//! Agents that are ready to play: the models of learned ones are decoded.

use std::rc::Rc;

use hatchery_core::{FastRng, TrialContext, error_chain};

use crate::agents::GameAgent;
use crate::model::{AgentModel, ModelBuffers, ModelError, ModelValue};
use crate::rules::{Action, Game, GameDeck};
use crate::setup::{DeckTable, MatchAgent, MatchSetup};

/// The agents of A and B.
#[derive(Debug)]
pub(crate) struct ReadyAgents([ReadyAgent; 2]);

/// An agent.
#[derive(Debug)]
enum ReadyAgent {
    Rule(GameAgent),
    Network { model: Rc<AgentModel>, buffers: Box<ModelBuffers> },
}

/// The legal actions with the values that a learned agent gives them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValuedActions<'a> {
    /// The meaning of the values.
    pub(crate) kind: ModelValue,
    /// The actions, in order.
    pub(crate) actions: &'a [(Action, f32)],
}

impl ReadyAgents {
    /// Returns the agents of `setup`. A model that does not fit ends the trial: its bytes are those
    /// of an input, which may not have been checked before the run.
    pub(crate) fn prepare(
        table: &DeckTable,
        setup: &MatchSetup,
        context: &TrialContext<'_>,
    ) -> Self {
        let decks = table.pair(setup.decks);
        let [first, second] = &setup.agents;
        let a = ReadyAgent::prepare(first, decks, context);
        let b = match (&a, first == second) {
            (ReadyAgent::Network { model, .. }, true) => ReadyAgent::network(Rc::clone(model)),
            _ => ReadyAgent::prepare(second, decks, context),
        };
        Self([a, b])
    }

    /// Chooses an action of a game that is not over.
    pub(crate) fn choose(&mut self, game: &Game<'_>, rng: &mut FastRng) -> Action {
        match &mut self.0[game.state().to_move.index()] {
            ReadyAgent::Rule(agent) => agent.choose(game, rng),
            ReadyAgent::Network { model, buffers } => {
                model.choose(game, buffers).expect("a game that is not over has a legal action")
            }
        }
    }

    /// Returns the values by which the player whose turn it is [chose](Self::choose); `None` if it
    /// is no learned agent.
    pub(crate) fn valued(&self, game: &Game<'_>) -> Option<ValuedActions<'_>> {
        match &self.0[game.state().to_move.index()] {
            ReadyAgent::Rule(_) => None,
            ReadyAgent::Network { model, buffers } => {
                Some(ValuedActions { kind: model.value_kind(), actions: buffers.values() })
            }
        }
    }
}

impl ReadyAgent {
    fn prepare(agent: &MatchAgent, decks: [&GameDeck; 2], context: &TrialContext<'_>) -> Self {
        let weights = match agent {
            MatchAgent::Rule(agent) => return Self::Rule(*agent),
            MatchAgent::Network(weights) => weights,
        };
        let model = AgentModel::decode(&context.read_large(weights));
        match model.and_then(|model| fitting(model, decks)) {
            Ok(model) => Self::network(Rc::new(model)),
            Err(error) => {
                let names = weights.parts().iter().map(|part| part.hash().to_string());
                let names = names.collect::<Vec<_>>().join(" ");
                context.refuse_input(format!(
                    "a learned agent cannot play: the file {names} has {}",
                    error_chain(&error)
                ))
            }
        }
    }

    fn network(model: Rc<AgentModel>) -> Self {
        let buffers = Box::new(model.buffers());
        Self::Network { model, buffers }
    }
}

/// Returns the model if it can play these decks.
fn fitting(model: AgentModel, decks: [&GameDeck; 2]) -> Result<AgentModel, ModelError> {
    model.check_decks(decks)?;
    Ok(model)
}
