//! The spec of `birds-adapt`.

use hatchery_core::InvalidValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::adaptation::AdaptationSettings;
use crate::evolution::EvolutionSettings;
use crate::evolution::fitness::{FitnessSettings, PigTerm};
use crate::params::player_param::PlayerParam;
use crate::players::PlayerSkill;
use crate::studies::stored_results::MAX_PLAYOUTS;
use crate::trial::setup::StudyRules;
use crate::world::PhysicsSettings;

/// The spec of `birds-adapt`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdaptSpec {
    /// The subjects: groups of simulated players of equal skill, the least skilled first.
    #[schemars(
        length(min = 1, max = 20),
        extend("x-source" = "Kaidan et al., §5.2: 18 people; their skills are ours")
    )]
    pub subjects: Vec<SubjectGroupParam>,
    /// The number of times that each subject does all of the study, as another person of equal
    /// skill would.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "Kaidan et al., §5.2"))]
    pub replicates: u32,
    /// The rounds of each subject with each alpha.
    #[serde(default = "rounds")]
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "Kaidan et al., §5.2"))]
    pub rounds: u32,
    /// The levels of each condition that each subject plays at the end.
    #[serde(default = "levels")]
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "Kaidan et al., §5.2"))]
    pub levels: u32,
    /// The ideal number of blocks of conventional levels.
    #[serde(default)]
    #[schemars(extend("x-source" = "ours: the paper does not say"))]
    pub conventional_blocks: ConventionalBlocks,
    /// The ideal number of pigs of the levels of which `pigs.svg` counts the pigs.
    #[serde(default = "shown_pigs")]
    #[schemars(range(min = 0.0, max = 100.0), extend("x-source" = "Kaidan et al., Fig. 4"))]
    pub shown_pigs: f64,
    /// The adaptation to the player.
    #[serde(default)]
    pub adaptation: AdaptationSettings,
    /// The fitness of levels. The term of pigs is `proposed` for adapted levels and `conventional`
    /// for the others, whatever it is here.
    #[serde(default)]
    pub fitness: FitnessSettings,
    /// The genetic algorithm.
    #[serde(default)]
    pub evolution: EvolutionSettings,
    /// The laws of worlds.
    #[serde(default)]
    pub physics: PhysicsSettings,
}

/// Subjects of equal skill.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubjectGroupParam {
    /// The skill of the subjects.
    pub player: PlayerParam,
    /// The number of subjects.
    #[schemars(range(min = 1, max = 1000))]
    pub count: u32,
}

/// The ideal number of blocks of conventional levels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a number, or \"mean-of-subject\"")]
pub enum ConventionalBlocks {
    /// A rule.
    Rule(ConventionalRule),
    /// This number.
    Fixed(#[schemars(range(min = 0.0, max = 500.0))] f64),
}

/// A rule for the ideal number of blocks of conventional levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConventionalRule {
    /// The mean of those of the subject's adapted levels, so that the conditions differ in the term
    /// of pigs only.
    MeanOfSubject,
}

impl Default for ConventionalBlocks {
    fn default() -> Self {
        Self::Rule(ConventionalRule::MeanOfSubject)
    }
}

const fn one() -> u32 {
    1
}

const fn rounds() -> u32 {
    10
}

const fn levels() -> u32 {
    5
}

const fn shown_pigs() -> f64 {
    3.36
}

impl AdaptSpec {
    /// Returns the rules that all trials share.
    pub(super) fn rules(&self) -> StudyRules {
        let fitness = FitnessSettings { pig_term: PigTerm::Proposed, ..self.fitness };
        let (physics, evolution) = (self.physics.clone(), self.evolution.clone());
        StudyRules { physics, evolution, fitness }
    }

    /// Returns the number of subjects, replicates included.
    pub(super) fn n_subjects(&self) -> usize {
        let once: u32 = self.subjects.iter().map(|group| group.count).sum();
        once as usize * self.replicates as usize
    }

    /// Returns the number of the group of a subject: subjects are numbered replicate by replicate,
    /// and group by group within one.
    pub(super) fn group_of(&self, subject: usize) -> usize {
        let once: usize = self.subjects.iter().map(|group| group.count as usize).sum();
        let mut number = subject % once.max(1);
        for (place, group) in self.subjects.iter().enumerate() {
            match number.checked_sub(group.count as usize) {
                Some(rest) => number = rest,
                None => return place,
            }
        }
        0
    }

    /// Returns the skill of a subject.
    pub(super) fn skill_of(&self, subject: usize) -> PlayerSkill {
        self.subjects[self.group_of(subject)].player.skill()
    }

    /// Returns the number of trials of a round, and of the end.
    pub(super) fn n_trials(&self) -> [u64; 2] {
        let (subjects, alphas) = (self.n_subjects() as u64, self.adaptation.alphas.len() as u64);
        let levels = u64::from(self.levels);
        [subjects * alphas, (subjects * (alphas + 1) + 2) * levels]
    }

    /// Checks that the parameters fit together.
    pub(super) fn check(&self) -> Result<(), InvalidValue> {
        let rules = self.rules();
        rules.check()?;
        self.adaptation.check(&self.fitness).map_err(|error| error.under("adaptation"))?;
        let players = self.subjects.iter().enumerate();
        let players = players.map(|(idx, it)| (format!("subjects.{idx}.player"), &it.player));
        let n_birds = self.evolution.stacks.birds.into();
        PlayerParam::check_all(players, &rules, n_birds)?;
        let alphas = &self.adaptation.alphas;
        for (number, alpha) in alphas.iter().enumerate() {
            if alphas[..number].iter().any(|other| other.total_cmp(alpha).is_eq()) {
                let key = format!("adaptation.alphas.{number}");
                return Err(InvalidValue::new(key, alpha, "unlike those before"));
            }
        }
        let shown = self.adaptation.counts(self.shown_pigs);
        self.fitness
            .check(shown)
            .map_err(|error| InvalidValue { key: "shown_pigs".to_owned(), ..error })?;
        if let ConventionalBlocks::Fixed(blocks) = self.conventional_blocks {
            self.fitness.check_blocks("conventional_blocks", blocks)?;
        }
        let [of_round, of_end] = self.n_trials();
        let n = of_round.saturating_mul(self.rounds.into()).saturating_add(of_end);
        if MAX_PLAYOUTS < n {
            let expected = format!(
                "less, or less of the others: {n} play-outs of all subjects, replicates, alphas, \
                 rounds and levels, and at most {MAX_PLAYOUTS} are allowed"
            );
            return Err(InvalidValue::new("replicates", &self.replicates, expected));
        }
        Ok(())
    }
}

/// A condition: adaptation with an alpha, or the conventional fitness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LevelCondition {
    /// Adapted with the alpha of this number in the spec.
    Adapted(usize),
    /// The conventional fitness.
    Conventional,
}

impl LevelCondition {
    /// Returns all conditions of a study with this many alphas: the conventional one is the last.
    pub(super) fn all(n_alphas: usize) -> Vec<Self> {
        (0..n_alphas).map(Self::Adapted).chain([Self::Conventional]).collect()
    }

    /// Returns the name in tables and measures: `alpha-0.25`, or `conventional`.
    pub(super) fn name(self, alphas: &[f64]) -> String {
        match self {
            Self::Adapted(alpha) => match alphas.get(alpha) {
                Some(alpha) => format!("alpha-{alpha}"),
                None => format!("alpha-number-{alpha}"),
            },
            Self::Conventional => "conventional".to_owned(),
        }
    }

    /// Returns the name in sentences: `alpha 0.25`, or `conventional`.
    pub(super) fn words(self, alphas: &[f64]) -> String {
        self.name(alphas).replacen('-', " ", 1)
    }
}
