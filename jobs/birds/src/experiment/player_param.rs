//! The players in a spec.

use std::collections::BTreeSet;

use hatchery_core::InvalidParam;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plain_name::{self, MAX_NAME};
use crate::players::{PlayerClass, PlayerSkill};

/// A player by its class, or in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PlayerParam {
    /// The name of a class.
    Class(PlayerClass),
    /// A player of any skill, with a name for reports.
    Own(OwnPlayerParam),
}

/// A player of any skill.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnPlayerParam {
    /// The name: 1 to 80 letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// The skill.
    pub skill: PlayerSkill,
}

impl PlayerParam {
    /// Returns the name.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Class(class) => class.name(),
            Self::Own(own) => &own.name,
        }
    }

    /// Returns the skill.
    pub(super) fn skill(&self) -> PlayerSkill {
        match self {
            Self::Class(class) => class.skill(),
            Self::Own(own) => own.skill.clone(),
        }
    }

    /// Checks the players of the parameter `key`: plain names, none twice, and skills in range.
    pub(super) fn check_all<'a>(
        key: &str,
        players: impl Iterator<Item = &'a Self>,
    ) -> Result<(), InvalidParam> {
        let mut names = BTreeSet::new();
        for (number, player) in players.enumerate() {
            let name = player.name();
            let key = |field: &str| format!("{key}.{number}.{field}");
            plain_name::take(&mut names, key("name"), name, MAX_NAME, "players")?;
            player.skill().check().map_err(|error| {
                let key = key(&format!("skill.{}", error.key));
                InvalidParam { key, ..error }
            })?;
        }
        if names.is_empty() {
            return Err(InvalidParam::new(key, "none", "one player or more"));
        }
        Ok(())
    }
}
