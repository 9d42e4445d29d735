//! The learner: a network that plays, and all that it needs to learn on.

use hatchery_core::StreamRng;
use hatchery_nets::{
    AdamState, Network, NetworkShape, PrioritizedReplay, PrioritySettings, ValueBins,
};

use super::items::{Item, items_of};
use super::settings::ReinforcementSettings;
use crate::features::Information;
use crate::learning::samples::TrainingGames;
use crate::learning::step::LearnError;
use crate::players::model::{AgentModel, ModelEncoding};

/// A network that learns which actions win, with its target, optimizer and replay memory.
///
/// A learner belongs to one list of games, which may grow: [`absorb`](Self::absorb) takes the
/// decisions of new games into the replay memory.
#[derive(Clone, Debug)]
pub struct ReinforcementLearner {
    pub(super) settings: ReinforcementSettings,
    pub(super) model: AgentModel,
    /// The earlier copy of the network, which values next actions.
    pub(super) target: Network,
    pub(super) optimizer: AdamState,
    pub(super) replay: PrioritizedReplay<Item>,
    /// The number of games whose items were pushed, from the first one on.
    pub(super) n_games: usize,
    pub(super) drawn: u64,
    pub(super) age_sum: u64,
}

impl ReinforcementLearner {
    /// Returns a learner with random weights and these hidden layers, and nothing in its memory.
    ///
    /// # Errors
    /// If the encoding has no kinds or too many.
    ///
    /// # Panics
    /// If a model cannot have these hidden layers.
    pub fn new(
        encoding: ModelEncoding,
        information: Information,
        hidden: &[usize],
        settings: &ReinforcementSettings,
        rng: &mut StreamRng,
    ) -> Result<Self, LearnError> {
        let layout = encoding.layout()?;
        let shape = NetworkShape {
            state_len: layout.state_len(),
            action_len: layout.action_len(),
            hidden: hidden.to_vec(),
            n_outputs: settings.bins.into(),
        };
        let network = Network::random(&shape, rng);
        let model = AgentModel::new(information, encoding, network)
            .expect("sizes of layers that a model can have");
        Self::from_model(model, settings)
    }

    /// Returns a learner that begins with this model, and nothing in its memory. Its network gets
    /// noise or loses it as the settings say; noise that it has is kept where they ask for some.
    ///
    /// # Errors
    /// If the network has not an output for each bin.
    ///
    /// # Panics
    /// Never: noise leaves a model as valid as it was.
    pub fn from_model(
        model: AgentModel,
        settings: &ReinforcementSettings,
    ) -> Result<Self, LearnError> {
        check_outputs(&model, settings)?;
        let (information, encoding, network) = model.into_parts();
        let network = match (network.deviation(), settings.noise) {
            (_, 0.0) => network.without_noise(),
            (None, noise) => network.with_noise(noise),
            (Some(_), _) => network,
        };
        let model = AgentModel::new(information, encoding, network).expect("it was valid before");
        let target = model.network().clone();
        let optimizer = AdamState::new(&target);
        let replay = PrioritizedReplay::new(priorities(settings));
        let settings = settings.clone();
        Ok(Self { settings, model, target, optimizer, replay, n_games: 0, drawn: 0, age_sum: 0 })
    }

    /// Returns the model as it is now.
    #[must_use]
    pub const fn model(&self) -> &AgentModel {
        &self.model
    }

    /// Returns the settings.
    #[must_use]
    pub const fn settings(&self) -> &ReinforcementSettings {
        &self.settings
    }

    /// Returns the number of steps so far.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.optimizer.steps()
    }

    /// Returns the number of items that came into the memory over its life.
    #[must_use]
    pub const fn n_items(&self) -> u64 {
        self.replay.n_pushed()
    }

    /// Returns the number of items that were drawn since this value was created or decoded.
    #[must_use]
    pub const fn drawn(&self) -> u64 {
        self.drawn
    }

    /// Returns the sum of the drawn items' ages. An item's age is the number of items that had come
    /// after it.
    #[must_use]
    pub const fn age_sum(&self) -> u64 {
        self.age_sum
    }

    /// Takes the items of the games that it has not met yet into the replay memory.
    pub fn absorb(&mut self, games: &TrainingGames<'_>) {
        for game in games.games().iter().skip(self.n_games) {
            for item in items_of(game, self.settings.moves) {
                self.replay.push(item);
            }
        }
        self.n_games = self.n_games.max(games.n_games());
    }

    /// Returns the number of files, from the first on, that the memory holds no item of any more,
    /// and the number of the first item after them. `games_of_files` are the numbers of games in
    /// the files that `games` consist of.
    #[must_use]
    pub fn dropped(&self, games: &TrainingGames<'_>, games_of_files: &[usize]) -> (u32, u64) {
        let n_met = games.games().iter().take(self.n_games);
        let n_items: Vec<_> =
            n_met.map(|game| items_of(game, self.settings.moves).count() as u64).collect();
        let oldest = self.n_items() - self.replay.len() as u64;
        let mut first_item = self.n_items() - n_items.iter().sum::<u64>();
        let (mut n_files, mut n_games) = (0, 0);
        for &of_file in games_of_files {
            let Some(of_file) = n_items.get(n_games..n_games + of_file) else { break };
            let end = first_item + of_file.iter().sum::<u64>();
            if oldest < end || self.replay.is_empty() {
                break;
            }
            (n_files, n_games, first_item) = (n_files + 1, n_games + of_file.len(), end);
        }
        (n_files, first_item)
    }

    /// Returns the bins of the network's outputs.
    pub(super) fn bins(&self) -> ValueBins {
        ValueBins::new(self.settings.bins).expect("the settings were checked")
    }
}

/// Returns the settings of the replay memory.
pub(super) fn priorities(settings: &ReinforcementSettings) -> PrioritySettings {
    let &ReinforcementSettings { capacity, alpha, beta, priority_floor, .. } = settings;
    PrioritySettings { capacity: capacity as usize, alpha, beta, epsilon: priority_floor }
}

/// Checks that a model has an output for each bin.
pub(super) fn check_outputs(
    model: &AgentModel,
    settings: &ReinforcementSettings,
) -> Result<(), LearnError> {
    let (found, expected) = (model.network().shape().n_outputs, usize::from(settings.bins));
    match found == expected {
        true => Ok(()),
        false => Err(LearnError::Shape { side: "outputs", found, expected }),
    }
}
