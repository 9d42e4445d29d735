//! What a person writes for `tetris-evolve`.

use hatchery_core::Refusal;
use hatchery_evolve::{CmaConfig, Config, CrossEntropyConfig, Method, Optimizer};
use hatchery_stats::MIN_REPLICATES;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::experiment::estimator::{EstimatorParam, SplittingParams};
use crate::experiment::params::{GameParams, WellsParam};
use crate::players::{Controller, Linear, N_FEATURES, Network, network_len};
use crate::splitting::Splitting;
use crate::wire::{Game, Player};

/// The most genes of a generation: of all individuals of all replicates, which are in memory
/// together and make up the state. With what goes with a genome they take at most 24 MB, well below
/// the 64 MiB that a store takes; the paper has 15 x 100 x 51.
const MAX_GENES: u64 = 4_000_000;

/// What a person writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// How many independent genetic algorithms evolve side by side.
    #[schemars(range(min = 1, max = 1000), extend("x-source" = "Miyazaki & Arakawa, §3.1: 15"))]
    pub replicates: u32,
    /// Generations of each.
    #[schemars(range(min = 1, max = 100_000), extend("x-source" = "Miyazaki & Arakawa, §3.1: 500"))]
    pub generations: u32,
    /// Individuals of each.
    #[schemars(range(min = 2, max = 10_000), extend("x-source" = "Miyazaki & Arakawa, §3.1: 100"))]
    pub population: u32,
    /// What is evolved.
    #[serde(default)]
    #[schemars(extend("x-source" = "Miyazaki & Arakawa, §2.1: network"))]
    pub controller: Evolved,
    /// Hidden neurons of the networks.
    #[schemars(range(min = 1, max = 64), extend("x-source" = "Miyazaki & Arakawa, §3.1: 5"))]
    #[serde(default = "hidden")]
    pub hidden: u32,
    /// Which cells under a well cell count as well cells for linear controllers; a network has the
    /// cumulative ones.
    #[serde(default)]
    #[schemars(extend("x-source" = "MDPTetris, features 6 and -6"))]
    pub wells: WellsParam,
    /// How a generation leads to the next.
    #[serde(default)]
    #[schemars(extend("x-source" = "Miyazaki & Arakawa, §2.1: genetic"))]
    pub optimizer: Optimizer,
    /// The genetic algorithm.
    #[serde(default)]
    pub ga: Config,
    /// CMA-ES.
    #[serde(default)]
    pub cma: CmaConfig,
    /// The cross-entropy method.
    #[serde(default)]
    pub cross_entropy: CrossEntropyConfig,
    /// What fitness is: the mean score of some games.
    pub fitness: Fitness,
    /// How the best of all replicates is chosen and judged.
    pub judge: Judge,
}

/// What is evolved: its genes are its weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Evolved {
    /// A neural network of the first eight features.
    #[default]
    Network,
    /// A weighted sum of the first eight features, those of BCTS.
    Linear,
    /// A weighted sum of all nine features, pattern diversity included: those of DT-20.
    LinearWithDiversity,
}

fn hidden() -> u32 {
    5
}

/// What fitness is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fitness {
    /// Games of each individual in each generation; with splitting, replicates of the estimate.
    #[schemars(range(min = 1, max = 1_000_000), extend("x-source" = "Miyazaki & Arakawa, §2.1: 100"))]
    pub games: u32,
    /// The game: in the paper S and Z come three times as often as other pieces.
    pub game: GameParams,
    /// How scores are measured.
    #[serde(default)]
    pub estimator: EstimatorParam,
    /// How splitting is done.
    #[serde(default)]
    pub splitting: SplittingParams,
}

/// How the best of all replicates is chosen and judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Judge {
    /// Games of the best individual of each replicate, to choose one; not played if there is only
    /// one replicate. With splitting, replicates of the estimate, as below.
    #[schemars(range(min = 1, max = 1_000_000), extend("x-source" = "Miyazaki & Arakawa, §3.1: 100"))]
    pub choose_games: u32,
    /// Fresh games of the chosen one: as many of this game and of the game of the fitness. With
    /// splitting 6 or more.
    #[schemars(range(min = 1, max = 100_000_000), extend("x-source" = "Miyazaki & Arakawa, §3.1: 1,000"))]
    pub confirm_games: u32,
    /// The game: the normal one in the paper.
    pub game: GameParams,
    /// How scores are measured.
    #[serde(default)]
    pub estimator: EstimatorParam,
    /// How splitting is done.
    #[serde(default)]
    pub splitting: SplittingParams,
}

/// What an individual's trials are.
#[derive(Clone, Copy)]
pub(super) struct Trial {
    pub(super) game: Game,
    pub(super) splitting: Option<Splitting>,
}

impl Spec {
    /// Checks what no single parameter can show.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        self.check_size()?;
        self.method().check(self.population, self.genome_len())?;
        self.fitness_trial()?;
        self.judge_trial()?;
        let few = (self.judge.confirm_games as usize) < MIN_REPLICATES;
        let estimators = [self.fitness.estimator, self.judge.estimator];
        if few && estimators.contains(&EstimatorParam::Splitting) {
            let expected = format!("at least {MIN_REPLICATES} replicates, for an interval");
            return Err(Refusal::new("judge.confirm_games", &self.judge.confirm_games, expected));
        }
        Ok(())
    }

    fn fitness_trial(&self) -> Result<Trial, Refusal> {
        let Fitness { game, estimator, splitting, games: _ } = &self.fitness;
        let game = game.game("fitness.game")?;
        let splitting = estimator.splitting(splitting, game.rules.size, "fitness.splitting")?;
        Ok(Trial { game, splitting })
    }

    fn judge_trial(&self) -> Result<Trial, Refusal> {
        let Judge { game, estimator, splitting, .. } = &self.judge;
        let game = game.game("judge.game")?;
        let splitting = estimator.splitting(splitting, game.rules.size, "judge.splitting")?;
        Ok(Trial { game, splitting })
    }

    /// Refuses more individuals than fit, before any of them is made.
    fn check_size(&self) -> Result<(), Refusal> {
        // Six of the largest fit a thousand times: there is always a population that is right.
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
        Err(Refusal::new("population", &self.population, expected))
    }

    /// The trials of the fitness and those of the judge.
    pub(super) fn trials(&self) -> (Trial, Trial) {
        let trials = [self.fitness_trial(), self.judge_trial()];
        let [fitness, judge] = trials.map(|trial| trial.expect("begin has checked the spec"));
        (fitness, judge)
    }

    /// How a generation leads to the next.
    pub(super) fn method(&self) -> Method<'_> {
        let Self { optimizer, ga, cma, cross_entropy, .. } = self;
        Method { optimizer: *optimizer, genetic: ga, cma, cross_entropy }
    }

    /// The number of genes: the weights of a controller.
    pub(super) fn genome_len(&self) -> usize {
        match self.controller {
            Evolved::Network => network_len(self.hidden as usize),
            Evolved::Linear => N_FEATURES - 1,
            Evolved::LinearWithDiversity => N_FEATURES,
        }
    }

    /// The player of `genome`.
    pub(super) fn player(&self, genome: &[f32], Trial { game, splitting }: Trial) -> Player {
        // A gene is at most 1,000, and BLX-alpha leads at most 100 times as far.
        const FITS: &str = "genes are within the range of weights";
        let controller = match self.controller {
            Evolved::Network => {
                let network = Network::new(self.hidden as usize, genome.to_vec());
                Controller::Network(network.expect(FITS))
            }
            Evolved::Linear | Evolved::LinearWithDiversity => {
                let mut weights = [0.0; N_FEATURES];
                for (weight, &gene) in weights.iter_mut().zip(genome) {
                    *weight = f64::from(gene);
                }
                Controller::Linear(Linear::new(weights, self.wells.into()).expect(FITS))
            }
        };
        Player { policy: controller.into(), game, splitting }
    }
}
