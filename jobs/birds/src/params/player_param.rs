//! The players in a spec.

use std::collections::BTreeSet;

use hatchery_core::InvalidValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plain_name::{self, MAX_NAME};
use crate::players::{PlayerClass, PlayerSkill};
use crate::trial::setup::StudyRules;

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
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Class(class) => class.name(),
            Self::Own(own) => &own.name,
        }
    }

    /// Returns the skill.
    pub(crate) fn skill(&self) -> PlayerSkill {
        match self {
            Self::Class(class) => class.skill(),
            Self::Own(own) => own.skill.clone(),
        }
    }

    /// Checks players, each with its key: plain names, none twice, and plays with `n_birds` by
    /// these rules that end in time.
    pub(crate) fn check_all<'a>(
        players: impl Iterator<Item = (String, &'a Self)>,
        rules: &StudyRules,
        n_birds: u64,
    ) -> Result<(), InvalidValue> {
        let mut names = BTreeSet::new();
        for (key, player) in players {
            let (name, skill) = (player.name(), player.skill());
            plain_name::take(&mut names, format!("{key}.name"), name, MAX_NAME, "players")?;
            rules.check_play(&key, &skill, n_birds)?;
        }
        Ok(())
    }
}
