//! Agents that are ready to play: the models of learned ones are decoded.

use std::rc::Rc;

use hatchery_core::{FastRng, LargeValue, TrialContext, error_chain};

use crate::players::GameAgent;
use crate::players::model::{AgentModel, ModelBuffers, ModelValue};
use crate::rules::{Action, Game, GameDeck};
use crate::trial::setup::{DeckTable, MatchAgent, MatchSetup};

/// The agents of A and B.
#[derive(Debug)]
pub(crate) struct ReadyAgents([ReadyAgent; 2]);

/// An agent.
#[derive(Debug)]
pub(super) enum ReadyAgent {
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
    /// Returns the agents of `setup`. A model that does not fit ends the trial: its bytes come from
    /// an input, which may not have been checked before the run.
    pub(crate) fn prepare(
        table: &DeckTable,
        setup: &MatchSetup,
        context: &TrialContext<'_>,
    ) -> Self {
        let decks = table.pair(setup.decks);
        let mut models = ReadyModels::new(&decks, context);
        Self(setup.agents.each_ref().map(|agent| ReadyAgent::prepare(agent, &mut models)))
    }

    /// Chooses an action of a game that is not over.
    pub(crate) fn choose(&mut self, game: &Game<'_>, rng: &mut FastRng) -> Action {
        match &mut self.0[game.state().to_move.index()] {
            ReadyAgent::Rule(agent) => agent.choose(game, rng),
            ReadyAgent::Network { model, buffers } => {
                model.choose(game, buffers).expect(HAS_ACTION)
            }
        }
    }

    /// Returns the values that led to the [choice](Self::choose) of the player whose turn it is;
    /// `None` if it is no learned agent.
    pub(crate) fn valued(&self, game: &Game<'_>) -> Option<ValuedActions<'_>> {
        match &self.0[game.state().to_move.index()] {
            ReadyAgent::Rule(_) => None,
            ReadyAgent::Network { model, buffers } => {
                Some(ValuedActions { kind: model.value_kind(), actions: buffers.values() })
            }
        }
    }
}

/// Why an agent always finds an action.
pub(super) const HAS_ACTION: &str = "a game that is not over has a legal action";

impl ReadyAgent {
    /// Returns the agent, with the model that it needs.
    pub(super) fn prepare(agent: &MatchAgent, models: &mut ReadyModels<'_>) -> Self {
        match agent {
            MatchAgent::Rule(agent) => Self::Rule(*agent),
            MatchAgent::Network(weights) => {
                let model = models.model(weights);
                let buffers = Box::new(model.buffers());
                Self::Network { model, buffers }
            }
        }
    }

    /// Chooses an action of a game that is not over: a network [explores](AgentModel::explore).
    pub(super) fn explore(&mut self, game: &Game<'_>, rng: &mut FastRng, epsilon: u32) -> Action {
        match self {
            Self::Rule(agent) => agent.choose(game, rng),
            Self::Network { model, buffers } => {
                model.explore(game, buffers, rng, epsilon).expect(HAS_ACTION)
            }
        }
    }
}

/// The models of a trial, each decoded once.
pub(super) struct ReadyModels<'a> {
    decks: &'a [&'a GameDeck],
    context: &'a TrialContext<'a>,
    models: Vec<(LargeValue, Rc<AgentModel>)>,
}

impl<'a> ReadyModels<'a> {
    /// Returns no models, for games between these decks.
    pub(super) fn new(decks: &'a [&'a GameDeck], context: &'a TrialContext<'a>) -> Self {
        Self { decks, context, models: Vec::new() }
    }

    /// Returns the model with these weights.
    fn model(&mut self, weights: &LargeValue) -> Rc<AgentModel> {
        if let Some((_, model)) = self.models.iter().find(|(known, _)| known == weights) {
            return Rc::clone(model);
        }
        let model = Rc::new(ready_model(weights, self.decks.iter().copied(), self.context));
        self.models.push((weights.clone(), Rc::clone(&model)));
        model
    }
}

/// Returns the model of an agent that plays with these decks. A model that does not fit ends the
/// trial: its bytes come from an input, which may not have been checked before the run.
pub(crate) fn ready_model<'a>(
    weights: &LargeValue,
    decks: impl IntoIterator<Item = &'a GameDeck>,
    context: &TrialContext<'_>,
) -> AgentModel {
    let model = AgentModel::decode(&context.read_large(weights));
    match model.and_then(|model| model.check_decks(decks).map(|()| model)) {
        Ok(model) => model,
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
