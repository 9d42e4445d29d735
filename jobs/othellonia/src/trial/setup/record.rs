//! The setup of a trial that records games.

use hatchery_core::{InvalidValue, LargeValue, WireValue};

use super::MatchAgent;
use crate::players::GameAgent;
use crate::record::MAX_RECORDS;

/// A trial of games to learn from: pairs of games between decks and agents that are drawn at
/// random.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
pub struct RecordSetup {
    /// The pairs of games.
    #[wire(tag = 1, range(min = 1, max = Self::MAX_PAIRS))]
    pub pairs: u32,
    /// The number of decks that are drawn from: the first ones of the run's table.
    #[wire(tag = 2, range(min = 1, max = 1_024))]
    pub n_decks: u16,
    /// The players.
    #[wire(flatten = 3)]
    pub players: RecordPlayers,
}

/// The players of games to learn from.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
#[wire(try_from = PlayersForm)]
pub enum RecordPlayers {
    /// Both players of a pair are drawn from the same agents.
    Drawn(Vec<WeightedAgent>),
    /// Player A is a learner, and player B is drawn from its opponents.
    SelfPlay(SelfPlayers),
}

/// The players of self-play.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
pub struct SelfPlayers {
    /// The model of the learner.
    #[wire(tag = 1, length(min = 1, max = MatchAgent::MAX_PARTS))]
    pub learner: LargeValue,
    /// The opponents.
    #[wire(tag = 2)]
    pub opponents: SelfPlayOpponents,
}

/// The opponents of a learner, each drawn with the same probability, and how networks explore.
/// Networks with noise play with noise, the learner and its opponents alike.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
pub struct SelfPlayOpponents {
    /// The agents.
    #[wire(tag = 1, length(min = 1, max = Self::MAX_OPPONENTS))]
    pub agents: Vec<MatchAgent>,
    /// The probability, in millionths, that a network plays any legal action instead.
    #[wire(tag = 2, range(max = Self::MAX_EPSILON))]
    pub epsilon: u32,
}

impl SelfPlayOpponents {
    /// The most agents: each is a model in memory.
    pub const MAX_OPPONENTS: usize = 32;
    /// The largest `epsilon`.
    pub const MAX_EPSILON: u32 = 1_000_000;
}

impl RecordSetup {
    /// The most pairs, 10,000: their records are some 80 bytes each.
    pub const MAX_PAIRS: u32 = MAX_RECORDS / 2;
    /// The most agents.
    pub const MAX_AGENTS: usize = 8;
}

/// An agent that is drawn with a probability in proportion to its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightedAgent {
    /// The agent.
    pub agent: GameAgent,
    /// The weight: from 1 to [`MAX_WEIGHT`](Self::MAX_WEIGHT).
    pub weight: u32,
}

impl WeightedAgent {
    /// The largest weight.
    pub const MAX_WEIGHT: u32 = 1_000;
}

/// [`RecordPlayers`] on the wire: agents with a weight each, or the players of self-play.
#[derive(WireValue)]
struct PlayersForm {
    #[wire(tag = 3, length(max = RecordSetup::MAX_AGENTS))]
    agents: Vec<GameAgent>,
    #[wire(tag = 4, inner(range(min = 1, max = WeightedAgent::MAX_WEIGHT)))]
    weights: Vec<u32>,
    #[wire(tag = 5)]
    self_play: Option<SelfPlayers>,
}

impl From<&RecordPlayers> for PlayersForm {
    fn from(players: &RecordPlayers) -> Self {
        let (drawn, self_play) = match players {
            RecordPlayers::Drawn(agents) => (agents.as_slice(), None),
            RecordPlayers::SelfPlay(players) => (&[][..], Some(players.clone())),
        };
        let (agents, weights) = drawn.iter().map(|it| (it.agent, it.weight)).unzip();
        Self { agents, weights, self_play }
    }
}

impl TryFrom<PlayersForm> for RecordPlayers {
    type Error = InvalidValue;

    fn try_from(form: PlayersForm) -> Result<Self, InvalidValue> {
        let PlayersForm { agents, weights, self_play } = form;
        if weights.len() != agents.len() {
            let expected = format!("{}, one for each agent", agents.len());
            return Err(InvalidValue::new("weights", &weights.len(), expected));
        }
        if agents.is_empty() == self_play.is_none() {
            let expected = "1 or more, or none with the players of self-play";
            return Err(InvalidValue::new("agents", &agents.len(), expected));
        }
        let agents = agents.into_iter().zip(weights);
        let agents = agents.map(|(agent, weight)| WeightedAgent { agent, weight });
        Ok(self_play.map_or_else(|| Self::Drawn(agents.collect()), Self::SelfPlay))
    }
}
