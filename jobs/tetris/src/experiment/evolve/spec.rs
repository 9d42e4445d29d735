//! What a person writes for `tetris-evolve`.

use hatchery_core::Refusal;
use hatchery_evolve::Config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::experiment::params::GameParams;
use crate::players::network_len;
use crate::wire::Game;

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
    /// Hidden neurons of the networks.
    #[schemars(range(min = 1, max = 64), extend("x-source" = "Miyazaki & Arakawa, §3.1: 5"))]
    pub hidden: u32,
    /// How generations are bred.
    #[serde(default)]
    pub ga: Config,
    /// What fitness is: the mean score of some games.
    pub fitness: Fitness,
    /// How the best of all replicates is chosen and judged.
    pub judge: Judge,
}

/// What fitness is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fitness {
    /// Games of each individual in each generation.
    #[schemars(range(min = 1, max = 1_000_000), extend("x-source" = "Miyazaki & Arakawa, §2.1: 100"))]
    pub games: u32,
    /// The game: in the paper S and Z come three times as often as other pieces.
    pub game: GameParams,
}

/// How the best of all replicates is chosen and judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Judge {
    /// Games of the best individual of each replicate, to choose one; not played if there is only
    /// one replicate.
    #[schemars(range(min = 1, max = 1_000_000), extend("x-source" = "Miyazaki & Arakawa, §3.1: 100"))]
    pub choose_games: u32,
    /// Fresh games of the chosen one: as many of this game and of the game of the fitness.
    #[schemars(range(min = 1, max = 100_000_000), extend("x-source" = "Miyazaki & Arakawa, §3.1: 1,000"))]
    pub confirm_games: u32,
    /// The game: the normal one in the paper.
    pub game: GameParams,
}

impl Spec {
    /// Checks what no single parameter can show.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        self.check_size()?;
        self.ga.check(self.population, self.genome_len()).map_err(|refusal| {
            let Refusal { key, value, expected } = refusal;
            Refusal { key: format!("ga.{key}"), value, expected }
        })?;
        self.fitness.game.game("fitness.game")?;
        self.judge.game.game("judge.game")?;
        Ok(())
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

    /// The game of the fitness and that of the judge.
    pub(super) fn games(&self) -> (Game, Game) {
        let game = |params: &GameParams| params.game("").expect("begin has checked the spec");
        (game(&self.fitness.game), game(&self.judge.game))
    }

    pub(super) fn n_hidden(&self) -> usize {
        self.hidden as usize
    }

    /// The number of genes: the weights of a network.
    pub(super) fn genome_len(&self) -> usize {
        network_len(self.n_hidden())
    }
}
