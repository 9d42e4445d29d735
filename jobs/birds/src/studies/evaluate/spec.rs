//! The spec of `birds-evaluate`.

use hatchery_core::InvalidValue;
use hatchery_core::spec::FileList;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fit::DEFAULT_TARGET;
use crate::evolution::EvolutionSettings;
use crate::evolution::fitness::FitnessSettings;
use crate::params::level_param::{LevelParam, NamedLevel, read_levels};
use crate::params::player_param::PlayerParam;
use crate::players::PlayerClass;
use crate::studies::stored_results::MAX_PLAYOUTS;
use crate::trial::setup::StudyRules;
use crate::world::PhysicsSettings;

/// The spec of `birds-evaluate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LevelEvaluationSpec {
    /// The levels.
    #[schemars(length(min = 1, max = 1000))]
    pub levels: FileList<LevelParam>,
    /// The players.
    #[serde(default = "classes")]
    #[schemars(length(min = 1, max = 20))]
    pub players: Vec<PlayerParam>,
    /// Play-outs of each level by each player.
    #[serde(default = "trials")]
    #[schemars(range(min = 1, max = 100_000))]
    pub trials: u32,
    /// The least and the largest share of play-outs that should clear a level: with these, it fits
    /// a player. By default 0.3 and 0.8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 0, max = 1)))]
    pub target: Option<[f64; 2]>,
    /// The laws of worlds.
    #[serde(default)]
    pub physics: PhysicsSettings,
}

fn classes() -> Vec<PlayerParam> {
    PlayerClass::ALL.map(PlayerParam::Class).to_vec()
}

const fn trials() -> u32 {
    50
}

/// The parameters of `birds-evaluate`, checked, and the levels that are read from their texts.
#[derive(Debug)]
pub struct LevelEvaluation {
    pub(super) spec: LevelEvaluationSpec,
    pub(super) levels: Vec<NamedLevel>,
}

impl LevelEvaluation {
    /// Returns what is skipped in the files of levels.
    pub(super) fn warnings(&self) -> Vec<String> {
        let of_level = |NamedLevel { name, warnings, .. }: &NamedLevel| {
            warnings.iter().map(|warning| format!("{name}: {warning}")).collect::<Vec<_>>()
        };
        self.levels.iter().flat_map(of_level).collect()
    }
}

impl LevelEvaluationSpec {
    /// Returns the number of play-outs.
    pub(super) fn n_trials(&self) -> u64 {
        self.levels.len() as u64 * self.players.len() as u64 * u64::from(self.trials)
    }

    /// Returns the rules that all trials share. No level is evolved.
    pub(super) fn rules(&self) -> StudyRules {
        StudyRules {
            physics: self.physics.clone(),
            evolution: EvolutionSettings::default(),
            fitness: FitnessSettings::default(),
        }
    }

    /// Returns the shares of play-outs that should clear a level.
    pub(super) fn target(&self) -> [f64; 2] {
        self.target.unwrap_or(DEFAULT_TARGET)
    }

    /// Checks that the parameters fit together, and reads the levels.
    pub(super) fn checked(self) -> Result<LevelEvaluation, InvalidValue> {
        let rules = self.rules();
        rules.check()?;
        let [low, high] = self.target();
        if high <= low {
            let found = format!("[{low}, {high}]");
            return Err(InvalidValue::new("target", &found, "two shares, the smaller first"));
        }
        let levels = read_levels(&self.levels)?;
        let n_birds = levels.iter().map(|named| named.level.surroundings().birds.len() as u64);
        let n_birds = n_birds.max().unwrap_or_default();
        let players = self.players.iter().enumerate();
        let players = players.map(|(idx, player)| (format!("players.{idx}"), player));
        PlayerParam::check_all(players, &rules, n_birds)?;
        let factors = [
            (self.trials.into(), "trials"),
            (self.levels.len() as u64, "levels"),
            (self.players.len() as u64, "players"),
        ];
        InvalidValue::check_product("trials", &factors, "play-outs", MAX_PLAYOUTS)?;
        Ok(LevelEvaluation { spec: self, levels })
    }
}
