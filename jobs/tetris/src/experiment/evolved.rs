//! What is evolved, and how its genes make a controller.

use hatchery_evolve::MeanScore;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::params::WellsParam;
use crate::players::{Controller, Linear, N_FEATURES, Network, network_len};
use crate::splitting::Splitting;
use crate::wire::{Game, Games, Player};

/// The most genes of a generation: of all individuals of all searches, which are in memory together
/// and make up the state. With what goes with a genome they take at most 24 MB, well below the
/// 64 MiB that a store takes; the paper has 15 x 100 x 51.
pub(super) const MAX_GENES: u64 = 4_000_000;

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

/// How genes make a controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Genotype {
    pub(super) controller: Evolved,
    /// Hidden neurons of a network.
    pub(super) hidden: u32,
    /// The wells of linear controllers.
    pub(super) wells: WellsParam,
}

/// What an individual's trials are.
#[derive(Clone, Copy)]
pub(super) struct Trial {
    pub(super) game: Game,
    pub(super) splitting: Option<Splitting>,
}

impl Genotype {
    /// The number of genes: the weights of a controller.
    pub(super) fn n_genes(self) -> usize {
        match self.controller {
            Evolved::Network => network_len(self.hidden as usize),
            Evolved::Linear => N_FEATURES - 1,
            Evolved::LinearWithDiversity => N_FEATURES,
        }
    }

    /// The player of `genome`.
    pub(super) fn player(self, genome: &[f32], Trial { game, splitting }: Trial) -> Player {
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

impl Trial {
    /// Trials of which games are stopped after `exposure_cap` pieces, if that is less than their cap.
    pub(super) fn with_exposure_cap(mut self, exposure_cap: Option<u64>) -> Self {
        self.game.cap =
            exposure_cap.map_or(self.game.cap, |exposure_cap| self.game.cap.min(exposure_cap));
        self
    }
}

/// The score of games of which some were stopped: all lines by the games that ended.
pub(super) fn score_by_ends(games: &Games) -> MeanScore {
    let n = (games.lines.len() as u64).saturating_sub(games.capped);
    MeanScore { total: games.lines.iter().sum(), n }
}
