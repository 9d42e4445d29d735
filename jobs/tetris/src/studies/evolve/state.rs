//! The state of a run of `tetris-evolve`.

use hatchery_evolve::{MeanScore, Optimizer, ScoringRound};
use serde::{Deserialize, Serialize};

use super::spec::EvolveSpec;
use crate::studies::player_results::PlayerResults;

/// The state of a run.
#[derive(Debug, Serialize, Deserialize)]
pub struct EvolveState {
    pub(super) phase: EvolvePhase,
    /// The score over all individuals in the first generation.
    pub(super) first: MeanScore,
    /// The score over all individuals in the evolution's last folded generation, and the best score
    /// among these individuals.
    pub(super) latest: MeanScore,
    pub(super) best: MeanScore,
}

/// The phase of a run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum EvolvePhase {
    /// The replicates evolve.
    Evolving { generation: u32, replicates: Vec<Optimizer> },
    /// Every replicate's best genome plays the judge's game.
    Choosing { genomes: Vec<Vec<f32>> },
    /// The chosen genome plays the judge's game and the game of the fitness.
    Confirming { genome: Vec<f32> },
    /// The chosen genome has played.
    Done { genome: Vec<f32>, judged: PlayerResults, fit: PlayerResults },
    /// The replicates evolve, and their individuals are scored stage by stage.
    Racing { generation: u32, replicates: Vec<Optimizer>, rounds: Vec<ScoringRound> },
}

impl EvolvePhase {
    /// Creates the phase of a generation of evolution before it is scored.
    pub(super) fn begin(spec: &EvolveSpec, generation: u32, replicates: Vec<Optimizer>) -> Self {
        if spec.fitness.allocation.is_none() {
            return Self::Evolving { generation, replicates };
        }
        let rounds = replicates
            .iter()
            .map(|search| ScoringRound::begin(search.before(spec.optimizer_config())));
        let rounds = rounds.collect();
        Self::Racing { generation, replicates, rounds }
    }
}
