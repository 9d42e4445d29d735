//! The parameters of `tetris-evolve`.

use std::ops::RangeInclusive;

use hatchery_core::{CostTrend, InvalidValue, WorkPhase};
use hatchery_evolve::{
    CmaConfig, CrossEntropyConfig, GeneticConfig, OptimizerConfig, OptimizerKind, TrialAllocation,
};
use hatchery_stats::MIN_REPLICATES;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::features::WellRule;
use crate::params::controller_params::LookaheadParams;
use crate::params::estimator_param::EstimatorParam;
use crate::params::game_params::GameParams;
use crate::splitting::SplittingConfig;
use crate::studies::genotype::{
    ControllerKind, Genotype, MAX_GENES, MAX_SCORES, SCORES, TrialSettings,
};
use crate::trial::setup::{GameSettings, TetrisPlayer};

/// The parameters of `tetris-evolve`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvolveSpec {
    /// The number of independent replicates of the optimizer that evolve side by side.
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "Miyazaki & Arakawa, §3.1: 15"))]
    pub replicates: u32,
    /// Generations of each replicate.
    #[schemars(range(min = 1, max = 100_000), extend("x-source" = "Miyazaki & Arakawa, §3.1: 500"))]
    pub generations: u32,
    /// Individuals of each replicate.
    #[schemars(range(min = 2, max = 10_000), extend("x-source" = "Miyazaki & Arakawa, §3.1: 100"))]
    pub population: u32,
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
    /// Pseudo-two-level search in all games; without it, controllers play with one level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lookahead: Option<LookaheadParams>,
    /// The optimizer that makes the next generation.
    #[serde(default)]
    #[schemars(extend("x-source" = "Miyazaki & Arakawa, §2.1: genetic"))]
    pub optimizer: OptimizerKind,
    /// The genetic algorithm.
    #[serde(default)]
    pub ga: GeneticConfig,
    /// CMA-ES.
    #[serde(default)]
    pub cma: CmaConfig,
    /// The cross-entropy method.
    #[serde(default)]
    pub cross_entropy: CrossEntropyConfig,
    /// The fitness: the mean score of some games.
    pub fitness: FitnessParams,
    /// The choice and the final evaluation of the best of all replicates.
    pub judge: JudgeParams,
}

fn hidden() -> u32 {
    5
}

/// The fitness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FitnessParams {
    /// Games of each individual in each generation; with an allocation, in its first stage; with
    /// splitting, replicates of the estimate.
    #[schemars(
        range(min = 1, max = 1_000_000),
        extend("x-source" = "Miyazaki & Arakawa, §2.1: 100")
    )]
    pub games: u32,
    /// More games for the individuals that may be the best; without it, all play the same number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocation: Option<TrialAllocation>,
    /// The game: in the paper, S and Z come three times as often as other pieces.
    pub game: GameParams,
    /// The way scores are measured.
    #[serde(default)]
    pub estimator: EstimatorParam,
    /// The parameters of splitting.
    #[serde(default)]
    pub splitting: SplittingConfig,
}

/// The choice and the final evaluation of the best of all replicates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgeParams {
    /// Games of the best individual of each replicate, to choose one; not played if there is only
    /// one replicate. With splitting, replicates of the estimate, as below.
    #[schemars(
        range(min = 1, max = 1_000_000),
        extend("x-source" = "Miyazaki & Arakawa, §3.1: 100")
    )]
    pub choose_games: u32,
    /// Fresh games of the chosen individual: this many of this game and this many of the game of
    /// the fitness. With splitting 6 or more.
    #[schemars(
        range(min = 1, max = 100_000_000),
        extend("x-source" = "Miyazaki & Arakawa, §3.1: 1,000")
    )]
    pub confirm_games: u32,
    /// The game: in the paper, with equal frequencies of pieces.
    pub game: GameParams,
    /// The way scores are measured.
    #[serde(default)]
    pub estimator: EstimatorParam,
    /// The parameters of splitting.
    #[serde(default)]
    pub splitting: SplittingConfig,
}

impl FitnessParams {
    /// Returns the fewest and the most trials of a stage, of `n_replicates` populations.
    fn trials_of_stages(&self, population: u32, n_replicates: u32) -> RangeInclusive<u64> {
        let later = self.allocation.iter().flat_map(|allocation| {
            let stages = allocation.later_stages.iter();
            stages.map(|stage| u64::from(stage.trials) * stage.n_reaching(population as usize))
        });
        let first = u64::from(self.games) * u64::from(population);
        let (fewest, most) = later.fold((first, first), |(fewest, most), n_trials| {
            (fewest.min(n_trials), most.max(n_trials))
        });
        fewest * u64::from(n_replicates)..=most * u64::from(n_replicates)
    }
}

/// A spec whose parameters fit together.
#[derive(Debug)]
pub struct CheckedEvolve {
    pub(super) spec: EvolveSpec,
    /// The settings of the trials of the fitness.
    pub(super) fitness: TrialSettings,
    /// The settings of the trials of the judge.
    pub(super) judge: TrialSettings,
}

impl CheckedEvolve {
    /// Returns the phases of a run: evolving, choosing and confirming.
    pub(super) fn phases(&self) -> Vec<WorkPhase> {
        let EvolveSpec { replicates, population, fitness, judge, .. } = &self.spec;
        let n_generations = self.spec.generations * self.spec.n_stages();
        let n_trials = fitness.trials_of_stages(*population, *replicates);
        let evolving = WorkPhase::new(n_generations, n_trials, self.cost_trend());
        // Only the best play, maybe on another board.
        let judging = |n_generations, n_trials| {
            WorkPhase::new(n_generations, n_trials..=n_trials, CostTrend::Unknown)
        };
        let choosing = u64::from(*replicates) * u64::from(judge.choose_games);
        let confirming = 2 * u64::from(judge.confirm_games);
        vec![evolving, judging(u32::from(1 < *replicates), choosing), judging(1, confirming)]
    }

    /// Returns how the cost of a trial changes while controllers evolve: their games get longer, up
    /// to the piece limit that stops a game.
    fn cost_trend(&self) -> CostTrend {
        let TrialSettings { game, splitting, .. } = &self.fitness;
        if splitting.is_some() {
            return CostTrend::Unknown;
        }
        let exposure_cap = self.spec.fitness.allocation.as_ref().map(|it| it.exposure_cap);
        let cap = exposure_cap.map_or(game.cap, |exposure_cap| game.cap.min(exposure_cap));
        // A piece is at most four rows high, so that no game ends before the pieces that fill the
        // height of the board.
        let shortest = game.rules.size.height().div_ceil(4);
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let longest = cap as f64;
        CostTrend::Rising { at_most: longest / f64::from(shortest) }
    }
}

impl EvolveSpec {
    /// Checks the relations between parameters.
    pub(super) fn checked(self) -> Result<CheckedEvolve, InvalidValue> {
        self.check_size()?;
        self.check_scores()?;
        self.optimizer_config().check(self.population, self.genome_len())?;
        let (fitness, judge) = (self.fitness_trial()?, self.judge_trial()?);
        self.check_allocation()?;
        if let Some(lookahead) = self.lookahead {
            let queues = [self.fitness.game.queue, self.judge.game.queue];
            lookahead.check_used("lookahead", queues.into_iter())?;
        }
        let few = (self.judge.confirm_games as usize) < MIN_REPLICATES;
        let estimators = [self.fitness.estimator, self.judge.estimator];
        if few && estimators.contains(&EstimatorParam::Splitting) {
            let expected = format!("at least {MIN_REPLICATES} replicates, for an interval");
            return Err(InvalidValue::new(
                "judge.confirm_games",
                &self.judge.confirm_games,
                expected,
            ));
        }
        Ok(CheckedEvolve { spec: self, fitness, judge })
    }

    fn check_allocation(&self) -> Result<(), InvalidValue> {
        let Some(allocation) = &self.fitness.allocation else { return Ok(()) };
        if self.fitness.estimator == EstimatorParam::Splitting {
            let expected = "games with an allocation: replicates of splitting have no ends";
            return Err(InvalidValue::new("fitness.estimator", "splitting", expected));
        }
        allocation.check().map_err(|error| error.under("fitness.allocation"))
    }

    /// Returns the number of stages of a generation.
    pub(super) fn n_stages(&self) -> u32 {
        let n_later = self.fitness.allocation.as_ref().map_or(0, |it| it.later_stages.len());
        1 + u32::try_from(n_later).expect("at most ten")
    }

    /// Returns the number of the farm's generations: a stage each, then choosing between replicates
    /// if there are several, then confirming.
    pub(super) fn n_generations(&self) -> u32 {
        let choosing = u32::from(1 < self.replicates);
        self.generations * self.n_stages() + choosing + 1
    }

    fn fitness_trial(&self) -> Result<TrialSettings, InvalidValue> {
        let FitnessParams { game, estimator, splitting, games: _, allocation: _ } = &self.fitness;
        let game = game.game("fitness.game")?;
        let splitting = estimator.splitting(splitting, game.rules.size, "fitness.splitting")?;
        Ok(self.settings(game, splitting))
    }

    fn judge_trial(&self) -> Result<TrialSettings, InvalidValue> {
        let JudgeParams { game, estimator, splitting, .. } = &self.judge;
        let game = game.game("judge.game")?;
        let splitting = estimator.splitting(splitting, game.rules.size, "judge.splitting")?;
        Ok(self.settings(game, splitting))
    }

    fn settings(&self, game: GameSettings, splitting: Option<SplittingConfig>) -> TrialSettings {
        let lookahead = self.lookahead.map(|params| params.lookahead(game.pieces));
        TrialSettings { game, lookahead, splitting }
    }

    /// Rejects more individuals than fit, before the first individual is created.
    fn check_size(&self) -> Result<(), InvalidValue> {
        // Five of the largest fit a thousand times, so some population is always valid.
        let per_individual = u64::from(self.replicates) * self.genome_len() as u64;
        let most = MAX_GENES / per_individual;
        if u64::from(self.population) <= most {
            return Ok(());
        }
        let Self { replicates, hidden, .. } = self;
        let expected = format!(
            "at most {most} with replicates = {replicates} and hidden = {hidden}: replicates x \
             population x {} genes may be at most {MAX_GENES}",
            self.genome_len()
        );
        Err(InvalidValue::new("population", &self.population, expected))
    }

    /// Rejects more scores than fit, which tallies keep.
    fn check_scores(&self) -> Result<(), InvalidValue> {
        let replicates = (u64::from(self.replicates), "replicates");
        let population = (u64::from(self.population), "individuals");
        let fitness = [(u64::from(self.fitness.games), "games"), population, replicates];
        InvalidValue::check_product("fitness.games", &fitness, SCORES, MAX_SCORES)?;
        let chosen = [(u64::from(self.judge.choose_games), "games"), replicates];
        InvalidValue::check_product("judge.choose_games", &chosen, SCORES, MAX_SCORES)
    }

    /// Returns the optimizer with its parameters.
    pub(super) fn optimizer_config(&self) -> OptimizerConfig<'_> {
        let Self { optimizer, ga, cma, cross_entropy, .. } = self;
        OptimizerConfig { optimizer: *optimizer, genetic: ga, cma, cross_entropy }
    }

    /// Returns the construction of controllers from genes.
    pub(super) fn genotype(&self) -> Genotype {
        let Self { controller, hidden, wells, .. } = *self;
        Genotype { controller, hidden, wells }
    }

    /// Returns the number of genes.
    pub(super) fn genome_len(&self) -> usize {
        self.genotype().n_genes()
    }

    /// Returns the player of `genome`.
    pub(super) fn player(&self, genome: &[f32], trial: &TrialSettings) -> TetrisPlayer {
        self.genotype().player(genome, trial)
    }
}
