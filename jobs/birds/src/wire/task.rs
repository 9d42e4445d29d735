//! The input of trials on the wire.

use hatchery_core::{DecodeError, MessageValue};

use super::level::LevelMessage;
use super::within;
use crate::fitness::{IdealCounts, PigTerm};
use crate::level::Level;
use crate::players::{PlayerSkill, TargetPolicy};
use crate::setup::{EvolutionGoal, LevelSource, LevelTask};

/// A [`LevelTask`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct LevelTaskMessage {
    #[prost(oneof = "LevelSourceMessage", tags = "1, 2")]
    source: Option<LevelSourceMessage>,
    #[prost(message, optional, tag = "3")]
    player: Option<PlayerSkillMessage>,
    #[prost(bool, tag = "4")]
    keeps_level: bool,
}

/// A [`LevelSource`] on the wire.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum LevelSourceMessage {
    /// [`LevelSource::Given`].
    #[prost(message, tag = "1")]
    Given(LevelMessage),
    /// [`LevelSource::Evolved`].
    #[prost(message, tag = "2")]
    Evolved(EvolutionGoalMessage),
}

/// An [`EvolutionGoal`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct EvolutionGoalMessage {
    #[prost(double, tag = "1")]
    pigs: f64,
    #[prost(double, tag = "2")]
    blocks: f64,
    #[prost(bool, tag = "3")]
    is_conventional: bool,
}

/// A [`PlayerSkill`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct PlayerSkillMessage {
    #[prost(double, tag = "1")]
    aim_sigma: f64,
    #[prost(double, tag = "2")]
    power_sigma: f64,
    #[prost(double, tag = "3")]
    high_arc_probability: f64,
    /// The index of the policy in [`TargetPolicy::ALL`].
    #[prost(uint32, tag = "4")]
    target: u32,
    #[prost(uint32, tag = "5")]
    candidates: u32,
}

impl MessageValue for LevelTask {
    type Message = LevelTaskMessage;

    fn to_message(&self) -> LevelTaskMessage {
        let source = match &self.source {
            LevelSource::Given(level) => LevelSourceMessage::Given(level.to_message()),
            LevelSource::Evolved(goal) => LevelSourceMessage::Evolved((*goal).into()),
        };
        LevelTaskMessage {
            source: Some(source),
            player: self.player.as_ref().map(PlayerSkillMessage::from),
            keeps_level: self.keeps_level,
        }
    }

    fn from_message(message: LevelTaskMessage) -> Result<Self, DecodeError> {
        let LevelTaskMessage { source, player, keeps_level } = message;
        let source = match source {
            Some(LevelSourceMessage::Given(level)) => {
                LevelSource::Given(Level::from_message(level)?)
            }
            Some(LevelSourceMessage::Evolved(goal)) => LevelSource::Evolved(goal.checked()?),
            None => return Err(DecodeError::field("source", &"missing", "a level or a goal")),
        };
        let player = player.map(PlayerSkillMessage::checked).transpose()?;
        Ok(Self { source, player, keeps_level })
    }
}

hatchery_core::message_value!(LevelTask);

impl From<EvolutionGoal> for EvolutionGoalMessage {
    fn from(EvolutionGoal { ideal, pig_term }: EvolutionGoal) -> Self {
        let IdealCounts { pigs, blocks } = ideal;
        Self { pigs, blocks, is_conventional: pig_term == PigTerm::Conventional }
    }
}

impl EvolutionGoalMessage {
    /// The most ideal pigs and blocks: far more than any level has.
    const MOST: f64 = 1e9;

    fn checked(self) -> Result<EvolutionGoal, DecodeError> {
        let range = 0.0..=Self::MOST;
        let ideal = IdealCounts {
            pigs: within("pigs", self.pigs, &range)?,
            blocks: within("blocks", self.blocks, &range)?,
        };
        let pig_term = if self.is_conventional { PigTerm::Conventional } else { PigTerm::Proposed };
        Ok(EvolutionGoal { ideal, pig_term })
    }
}

impl From<&PlayerSkill> for PlayerSkillMessage {
    fn from(skill: &PlayerSkill) -> Self {
        let PlayerSkill { aim_sigma, power_sigma, high_arc_probability, target, candidates } =
            *skill;
        let target = (0..).zip(TargetPolicy::ALL).find(|(_, policy)| *policy == target);
        let target = target.map_or(u32::MAX, |(number, _)| number);
        Self { aim_sigma, power_sigma, high_arc_probability, target, candidates }
    }
}

impl PlayerSkillMessage {
    fn checked(self) -> Result<PlayerSkill, DecodeError> {
        let Self { aim_sigma, power_sigma, high_arc_probability, target, candidates } = self;
        let target = *TargetPolicy::ALL.get(target as usize).ok_or_else(|| {
            let expected = format!("below {}", TargetPolicy::ALL.len());
            DecodeError::field("target", &target, expected)
        })?;
        let skill =
            PlayerSkill { aim_sigma, power_sigma, high_arc_probability, target, candidates };
        skill.check().map_err(|error| {
            DecodeError::field(
                "player",
                &format!("{} = {}", error.key, error.value),
                error.expected,
            )
        })?;
        Ok(skill)
    }
}
