//! The parameters of `tetris-compare`.

use hatchery_core::InvalidValue;
use hatchery_evolve::{
    CmaConfig, CrossEntropyConfig, GeneticConfig, OptimizerConfig, OptimizerKind, TrialAllocation,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::features::WellRule;
use crate::params::game_params::{self, GameParams};
use crate::studies::genotype::{
    ControllerKind, Genotype, MAX_GENES, MAX_SCORES, SCORES, TrialSettings,
};

/// The parameters of `tetris-compare`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompareSpec {
    /// Pieces that each repetition of a search can spend. The pieces of its points are not counted.
    #[schemars(range(min = 1, max = 1_000_000_000_000_u64))]
    pub pieces: u64,
    /// The largest number of generations of each repetition: a curve ends early if they take fewer
    /// pieces than the repetition can spend.
    #[schemars(range(min = 1, max = 100_000))]
    pub generations: u32,
    /// Repetitions of each search: 6 or more, for an interval.
    #[schemars(range(min = 6, max = 100))]
    pub replicates: u32,
    /// Points of each learning curve: the last is at all pieces, and each is at 1.41 times as many
    /// as the one before.
    #[schemars(range(min = 1, max = 60))]
    pub points: u32,
    /// Fresh games of each point.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub point_games: u32,
    /// The kind of controller that is evolved.
    #[serde(default)]
    #[schemars(extend("x-source" = "Miyazaki & Arakawa, §2.1: network"))]
    pub controller: ControllerKind,
    /// Hidden neurons of the networks.
    #[schemars(range(min = 1, max = 64), extend("x-source" = "Miyazaki & Arakawa, §3.1: 5"))]
    #[serde(default = "hidden")]
    pub hidden: u32,
    /// The rule that decides which cells under a well cell count as well cells for linear
    /// controllers; a network uses `cumulative`.
    #[serde(default)]
    #[schemars(extend("x-source" = "MDPTetris, features 6 and -6"))]
    pub wells: WellRule,
    /// The game whose mean score is maximized and shown.
    pub game: GameParams,
    /// The searches.
    #[schemars(length(min = 1, max = 20))]
    pub searches: Vec<SearchParams>,
}

/// One of the searches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchParams {
    /// A name for the measures and the legend.
    pub name: String,
    /// The optimizer that makes the next generation.
    #[serde(default)]
    #[schemars(extend("x-source" = "Miyazaki & Arakawa, §2.1: genetic"))]
    pub optimizer: OptimizerKind,
    /// Individuals of a generation.
    #[schemars(range(min = 2, max = 10_000), extend("x-source" = "Miyazaki & Arakawa, §3.1: 100"))]
    pub population: u32,
    /// Games of each individual in each generation; with an allocation, in its first stage.
    #[schemars(
        range(min = 1, max = 1_000_000),
        extend("x-source" = "Miyazaki & Arakawa, §2.1: 100")
    )]
    pub games: u32,
    /// More games for the individuals that may be the best; without it, all play the same number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocation: Option<TrialAllocation>,
    /// The genetic algorithm.
    #[serde(default)]
    pub ga: GeneticConfig,
    /// CMA-ES.
    #[serde(default)]
    pub cma: CmaConfig,
    /// The cross-entropy method.
    #[serde(default)]
    pub cross_entropy: CrossEntropyConfig,
}

/// A spec whose parameters fit together.
#[derive(Debug)]
pub struct CheckedCompare {
    pub(super) spec: CompareSpec,
    /// The settings for every trial.
    pub(super) trial: TrialSettings,
}

fn hidden() -> u32 {
    5
}

impl CompareSpec {
    /// Checks the relations between parameters.
    pub(super) fn checked(self) -> Result<CheckedCompare, InvalidValue> {
        let trial =
            TrialSettings { game: self.game.game("game")?, lookahead: None, splitting: None };
        let mut most = MAX_GENES / (u64::from(self.replicates) * self.genotype().n_genes() as u64);
        for (idx, search) in self.searches.iter().enumerate() {
            let key = |key: &str| format!("searches.{idx}.{key}");
            game_params::check_name(key("name"), &search.name)?;
            if self.searches[..idx].iter().any(|other| other.name == search.name) {
                let expected = "unlike the other searches' names";
                return Err(InvalidValue::new(key("name"), &search.name, expected));
            }
            let Some(left) = most.checked_sub(search.population.into()) else {
                let expected = format!(
                    "at most {most}: replicates x all populations x genes may be at most \
                     {MAX_GENES}"
                );
                return Err(InvalidValue::new(key("population"), &search.population, expected));
            };
            most = left;
            let factors = [
                (u64::from(search.games), "games"),
                (u64::from(search.population), "individuals"),
                (u64::from(self.replicates), "replicates"),
            ];
            InvalidValue::check_product(&key("games"), &factors, SCORES, MAX_SCORES)?;
            let at = |error: InvalidValue| InvalidValue { key: key(&error.key), ..error };
            search
                .optimizer_config()
                .check(search.population, self.genotype().n_genes())
                .map_err(at)?;
            if let Some(allocation) = &search.allocation {
                let at = |error: InvalidValue| InvalidValue {
                    key: key(&format!("allocation.{}", error.key)),
                    ..error
                };
                allocation.check().map_err(at)?;
            }
        }
        Ok(CheckedCompare { spec: self, trial })
    }

    /// Returns the most trials of a generation: all individuals and all points play.
    pub(super) fn most_trials(&self) -> u64 {
        let of_search = |search: &SearchParams| {
            let later = search.allocation.iter().flat_map(|allocation| &allocation.later_stages);
            let most_games = later.map(|stage| stage.trials).fold(search.games, u32::max);
            let points = u64::from(self.points) * u64::from(self.point_games);
            u64::from(search.population) * u64::from(most_games) + points
        };
        u64::from(self.replicates) * self.searches.iter().map(of_search).sum::<u64>()
    }

    /// Iterates over the repetitions, search by search, with the repetition's number.
    pub(super) fn repetitions(&self) -> impl Iterator<Item = (&SearchParams, u32)> {
        let replicates = self.replicates;
        self.searches.iter().flat_map(move |it| (0..replicates).map(move |n| (it, n)))
    }

    /// Returns the construction of controllers from genes.
    pub(super) fn genotype(&self) -> Genotype {
        let Self { controller, hidden, wells, .. } = *self;
        Genotype { controller, hidden, wells }
    }

    /// Returns the number of pieces that a search may have spent at a point of its curve,
    /// ascending.
    pub(super) fn budget(&self, point: u32) -> u64 {
        let halves = f64::from(self.points.saturating_sub(1).saturating_sub(point)) / 2.0;
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "pieces are far below 2^53, and 0 or more"
        )]
        let budget = (self.pieces as f64 * libm::exp2(-halves)) as u64;
        budget
    }
}

impl SearchParams {
    /// Returns the optimizer with its parameters.
    pub(super) fn optimizer_config(&self) -> OptimizerConfig<'_> {
        let Self { optimizer, ga, cma, cross_entropy, .. } = self;
        OptimizerConfig { optimizer: *optimizer, genetic: ga, cma, cross_entropy }
    }

    /// Returns the number of stages of a generation.
    pub(super) fn n_stages(&self) -> u32 {
        let n_later = self.allocation.as_ref().map_or(0, |it| it.later_stages.len());
        1 + u32::try_from(n_later).expect("at most ten")
    }
}
