//! Setups of reinforcement learning and of its games on the wire.

use hatchery_core::part::{LargeValue, Part};
use hatchery_core::{DecodeError, PartMessage};

use super::agent::MatchAgentMessage;
use super::fields::{part, within};
use super::training_encoding::TrainingEncodingMessage;
use crate::features::Information;
use crate::learning::reinforcement::{
    LearnedMoves, NextActions, PriorityLoss, ReinforcementSettings, Returns,
};
use crate::setup::{
    DeckTable, MatchAgent, ReinforcementTask, SelfPlayOpponents, SelfPlayRounds, TrainingSetup,
};

/// A [`ReinforcementTask`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ReinforcementTaskMessage {
    #[prost(oneof = "TrainingEncodingMessage", tags = "1, 2, 3")]
    encoding: Option<TrainingEncodingMessage>,
    /// True if only the player's own pieces are seen.
    #[prost(bool, tag = "4")]
    is_own: bool,
    #[prost(message, optional, tag = "5")]
    settings: Option<ReinforcementSettingsMessage>,
    #[prost(message, optional, tag = "6")]
    initial: Option<PartMessage>,
    #[prost(uint64, tag = "7")]
    first_item: u64,
    #[prost(message, optional, tag = "8")]
    rounds: Option<SelfPlayRoundsMessage>,
}

/// A [`ReinforcementSettings`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct ReinforcementSettingsMessage {
    #[prost(uint32, tag = "1")]
    batch: u32,
    #[prost(float, tag = "2")]
    rate: f32,
    #[prost(uint32, tag = "3")]
    bins: u32,
    #[prost(double, tag = "4")]
    discount: f64,
    /// The decisions to the one whose value is learned; 0 for the result of the game.
    #[prost(uint32, tag = "5")]
    return_steps: u32,
    /// True if the decisions of both players are learned from.
    #[prost(bool, tag = "6")]
    has_both_moves: bool,
    #[prost(uint32, tag = "7")]
    target_steps: u32,
    #[prost(uint32, tag = "8")]
    capacity: u32,
    #[prost(double, tag = "9")]
    alpha: f64,
    #[prost(double, tag = "10")]
    beta: f64,
    /// True for the divergence, false for the cross entropy.
    #[prost(bool, tag = "11")]
    is_divergence: bool,
    #[prost(double, tag = "12")]
    priority_floor: f64,
    #[prost(float, tag = "13")]
    noise: f32,
    /// True if the actions that follow are evaluated decision by decision.
    #[prost(bool, tag = "14")]
    is_one_by_one: bool,
    #[prost(uint64, tag = "15")]
    stretch: u64,
}

/// A [`SelfPlayRounds`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct SelfPlayRoundsMessage {
    #[prost(uint32, tag = "1")]
    n_decks: u32,
    #[prost(message, optional, tag = "2")]
    opponents: Option<SelfPlayOpponentsMessage>,
    #[prost(uint32, tag = "3")]
    steps: u32,
}

/// A [`SelfPlayOpponents`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct SelfPlayOpponentsMessage {
    #[prost(message, repeated, tag = "1")]
    agents: Vec<MatchAgentMessage>,
    #[prost(uint32, tag = "2")]
    epsilon: u32,
}

/// The players of [`RecordPlayers::SelfPlay`](crate::setup::RecordPlayers::SelfPlay) on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct SelfPlayersMessage {
    /// The parts of the learner's model.
    #[prost(message, repeated, tag = "1")]
    learner: Vec<PartMessage>,
    #[prost(message, optional, tag = "2")]
    opponents: Option<SelfPlayOpponentsMessage>,
}

impl From<&ReinforcementTask> for ReinforcementTaskMessage {
    fn from(task: &ReinforcementTask) -> Self {
        let ReinforcementTask { encoding, information, settings, initial, first_item, rounds } =
            task;
        Self {
            encoding: Some(encoding.into()),
            is_own: *information == Information::Own,
            settings: Some(settings.into()),
            initial: initial.as_ref().map(Part::to_message),
            first_item: *first_item,
            rounds: rounds.as_ref().map(SelfPlayRoundsMessage::from),
        }
    }
}

impl ReinforcementTaskMessage {
    pub(super) fn checked(self) -> Result<ReinforcementTask, DecodeError> {
        let Self { encoding, is_own, settings, initial, first_item, rounds } = self;
        let missing = || DecodeError::field("settings", &"missing", "settings of a learner");
        within("first_item", first_item, 0, TrainingSetup::MAX_ITEMS)?;
        Ok(ReinforcementTask {
            encoding: TrainingEncodingMessage::checked(encoding)?,
            information: if is_own { Information::Own } else { Information::Perfect },
            settings: settings.ok_or_else(missing)?.checked()?,
            initial: initial.map(|initial| part("initial", Some(initial))).transpose()?,
            first_item,
            rounds: rounds.map(SelfPlayRoundsMessage::checked).transpose()?,
        })
    }
}

impl From<&ReinforcementSettings> for ReinforcementSettingsMessage {
    fn from(settings: &ReinforcementSettings) -> Self {
        let ReinforcementSettings { batch, rate, bins, discount, returns, moves, .. } = *settings;
        let ReinforcementSettings { target_steps, capacity, alpha, beta, .. } = *settings;
        let ReinforcementSettings { priority_loss, priority_floor, noise, .. } = *settings;
        let ReinforcementSettings { next_actions, stretch, .. } = *settings;
        Self {
            batch,
            rate,
            bins: bins.into(),
            discount,
            return_steps: match returns {
                Returns::Steps(steps) => steps.into(),
                Returns::End => 0,
            },
            has_both_moves: moves == LearnedMoves::Both,
            target_steps,
            capacity,
            alpha,
            beta,
            is_divergence: priority_loss == PriorityLoss::Divergence,
            priority_floor,
            noise,
            is_one_by_one: next_actions == NextActions::OneByOne,
            stretch,
        }
    }
}

impl ReinforcementSettingsMessage {
    /// Returns the settings, whose ranges are checked with the rest of the setup.
    fn checked(self) -> Result<ReinforcementSettings, DecodeError> {
        let Self { batch, rate, bins, discount, return_steps, target_steps, capacity, .. } = self;
        let Self { alpha, beta, priority_floor, noise, stretch, .. } = self;
        let small = |field, value: u32, expected: &str| {
            u16::try_from(value).map_err(|_| DecodeError::field(field, &value, expected))
        };
        let returns = match u8::try_from(return_steps) {
            Ok(0) => Returns::End,
            Ok(steps) => Returns::Steps(steps),
            Err(_) => return Err(DecodeError::field("returns", &return_steps, "at most 32 steps")),
        };
        Ok(ReinforcementSettings {
            batch,
            rate,
            bins: small("bins", bins, "from 2 to 255")?,
            discount,
            returns,
            moves: if self.has_both_moves { LearnedMoves::Both } else { LearnedMoves::Own },
            target_steps,
            capacity,
            alpha,
            beta,
            priority_loss: match self.is_divergence {
                true => PriorityLoss::Divergence,
                false => PriorityLoss::CrossEntropy,
            },
            priority_floor,
            noise,
            next_actions: match self.is_one_by_one {
                true => NextActions::OneByOne,
                false => NextActions::LongBatch,
            },
            stretch,
        })
    }
}

impl From<&SelfPlayRounds> for SelfPlayRoundsMessage {
    fn from(SelfPlayRounds { n_decks, opponents, steps }: &SelfPlayRounds) -> Self {
        let opponents = Some(opponents.into());
        Self { n_decks: u32::from(*n_decks), opponents, steps: *steps }
    }
}

impl SelfPlayRoundsMessage {
    fn checked(self) -> Result<SelfPlayRounds, DecodeError> {
        let Self { n_decks, opponents, steps } = self;
        within("steps", steps.into(), 1, TrainingSetup::MAX_STEPS.into())?;
        let n_decks = checked_n_decks(n_decks)?;
        Ok(SelfPlayRounds { n_decks, opponents: checked_opponents(opponents)?, steps })
    }
}

impl From<&SelfPlayOpponents> for SelfPlayOpponentsMessage {
    fn from(SelfPlayOpponents { agents, epsilon }: &SelfPlayOpponents) -> Self {
        let agents = agents.iter().map(MatchAgentMessage::from).collect();
        Self { agents, epsilon: *epsilon }
    }
}

impl SelfPlayersMessage {
    pub(super) fn new(learner: &LargeValue, opponents: &SelfPlayOpponents) -> Self {
        let learner = learner.parts().iter().map(Part::to_message).collect();
        Self { learner, opponents: Some(opponents.into()) }
    }

    pub(super) fn checked(self) -> Result<(LargeValue, SelfPlayOpponents), DecodeError> {
        let Self { learner, opponents } = self;
        within("learner", learner.len() as u64, 1, MatchAgent::MAX_PARTS as u64)?;
        let learner = learner.into_iter().map(Part::from_message).collect::<Result<_, _>>()?;
        Ok((LargeValue::new(learner), checked_opponents(opponents)?))
    }
}

fn checked_opponents(
    message: Option<SelfPlayOpponentsMessage>,
) -> Result<SelfPlayOpponents, DecodeError> {
    let missing = || DecodeError::field("opponents", &"missing", "opponents of a learner");
    let SelfPlayOpponentsMessage { agents, epsilon } = message.ok_or_else(missing)?;
    within("opponents", agents.len() as u64, 1, SelfPlayOpponents::MAX_OPPONENTS as u64)?;
    within("epsilon", epsilon.into(), 0, SelfPlayOpponents::MAX_EPSILON.into())?;
    let agents = agents.into_iter().map(MatchAgentMessage::checked).collect::<Result<_, _>>()?;
    Ok(SelfPlayOpponents { agents, epsilon })
}

/// Returns the number of decks that are drawn from.
pub(super) fn checked_n_decks(n_decks: u32) -> Result<u16, DecodeError> {
    within("n_decks", n_decks.into(), 1, DeckTable::MAX_DECKS as u64)?;
    Ok(u16::try_from(n_decks).expect("the number was checked"))
}
