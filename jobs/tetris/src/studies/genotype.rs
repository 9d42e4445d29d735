//! Controllers that can be evolved, and their construction from genes.

use hatchery_evolve::MeanScore;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dealing::PieceSequence;
use crate::features::{N_FEATURES, WellRule};
use crate::players::{
    Controller, LinearController, Lookahead, NetworkShape, NeuralNetwork, PlacementPolicy,
};
use crate::splitting::SplittingConfig;
use crate::trial::results::GameTally;
use crate::trial::setup::{GameSettings, TetrisPlayer};

/// The largest number of genes in a generation. All individuals in all searches count, because they
/// are in memory together and make up the state. With the other parts of a genome, the genes take
/// at most 24 MB, well below the 64 MiB that a store accepts; the paper has 15 x 100 x 51 genes.
pub(super) const MAX_GENES: u64 = 4_000_000;

/// The largest number of scores of a generation: tallies keep each game's score, and are in memory
/// together.
pub(super) const MAX_SCORES: u64 = 100_000_000;
pub(super) const SCORES: &str = "scores in a generation";

/// The kind of controller that is evolved: its genes are its weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ControllerKind {
    /// A neural network of the first eight features.
    #[default]
    Network,
    /// A neural network of all nine features, pattern diversity included.
    NetworkWithDiversity,
    /// A weighted sum of the first eight features, those of BCTS.
    Linear,
    /// A weighted sum of all nine features, pattern diversity included: those of DT-20.
    LinearWithDiversity,
}

/// The construction of a controller from genes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Genotype {
    pub(super) controller: ControllerKind,
    /// Hidden neurons of a network.
    pub(super) hidden: u32,
    /// The rule for wells of linear controllers.
    pub(super) wells: WellRule,
}

/// The settings of an individual's trials.
#[derive(Clone, Debug)]
pub(super) struct TrialSettings {
    pub(super) game: GameSettings,
    pub(super) lookahead: Option<Lookahead>,
    pub(super) splitting: Option<SplittingConfig>,
}

impl Genotype {
    /// Returns the size of a network.
    fn network(self, diversity: bool) -> NetworkShape {
        NetworkShape { n_hidden: self.hidden as usize, diversity }
    }

    /// Returns the number of genes: the weights of a controller.
    pub(super) fn n_genes(self) -> usize {
        match self.controller {
            ControllerKind::Network => self.network(false).n_weights(),
            ControllerKind::NetworkWithDiversity => self.network(true).n_weights(),
            ControllerKind::Linear => N_FEATURES - 1,
            ControllerKind::LinearWithDiversity => N_FEATURES,
        }
    }

    /// Returns the player of `genome`.
    pub(super) fn player(
        self,
        genome: &[f32],
        TrialSettings { game, lookahead, splitting }: &TrialSettings,
    ) -> TetrisPlayer {
        // A gene is at most 1,000, and BLX-alpha leads at most 100 times as far.
        const FITS: &str = "genes are within the range of weights";
        let controller = match self.controller {
            ControllerKind::Network | ControllerKind::NetworkWithDiversity => {
                let diversity = self.controller == ControllerKind::NetworkWithDiversity;
                let network = NeuralNetwork::new(self.network(diversity), genome.to_vec());
                Controller::Network(network.expect(FITS))
            }
            ControllerKind::Linear | ControllerKind::LinearWithDiversity => {
                let mut weights = [0.0; N_FEATURES];
                for (weight, &gene) in weights.iter_mut().zip(genome) {
                    *weight = f64::from(gene);
                }
                Controller::Linear(LinearController::new(weights, self.wells).expect(FITS))
            }
        };
        let policy = PlacementPolicy { controller, lookahead: *lookahead };
        let (dealing, splitting) = (PieceSequence::Drawn, splitting.clone());
        TetrisPlayer { policy, game: *game, dealing, splitting }
    }
}

impl TrialSettings {
    /// Limits games to `exposure_cap` pieces, if that is less than their own cap.
    pub(super) fn with_exposure_cap(&self, exposure_cap: Option<u64>) -> Self {
        let cap =
            exposure_cap.map_or(self.game.cap, |exposure_cap| self.game.cap.min(exposure_cap));
        Self { game: GameSettings { cap, ..self.game }, ..self.clone() }
    }
}

/// Returns the score for games that may include stopped games: all lines divided by the number of
/// finished games.
pub(super) fn score_by_finished_games(games: &GameTally) -> MeanScore {
    let n = (games.lines.len() as u64).saturating_sub(games.capped);
    MeanScore { total: games.lines.iter().sum(), n }
}
