//! `tetris-evolve`: controllers evolved, in the paper networks by a genetic algorithm.

mod report;
mod spec;

use std::ops::ControlFlow;

use hatchery_core::{
    Draws, Exhibit, Experiment, Frames, GenerationSeed, Measure, Plan, Preset, Refusal, Series,
    Step, StreamRng, Work,
};
use hatchery_evolve::{Score, Search};
use serde::{Deserialize, Serialize};

use super::estimator::{Played, score};
use super::trial;
use crate::wire::{Games, Player};

use spec::Trial;
pub use spec::{Evolved, Fitness, Judge, Spec};

/// The procedure of Miyazaki & Arakawa, §2.1 and §3.1.
///
/// Independent replicates of an optimizer, in the paper a genetic algorithm, evolve side by side,
/// generation by generation. What each has come to then plays other games, to choose one, and that
/// one plays again: fresh games, so that luck in being chosen does not count.
#[derive(Debug)]
pub struct TetrisEvolve;

/// Where a run stands.
#[derive(Debug, Serialize, Deserialize)]
pub struct State {
    phase: Phase,
    /// The score of all individuals of the first generation.
    first: Score,
    /// The score of all individuals of the last folded generation of evolution, and the best of
    /// them.
    latest: Score,
    best: Score,
}

#[derive(Debug, Serialize, Deserialize)]
enum Phase {
    /// The replicates evolve.
    Evolving { generation: u32, replicates: Vec<Search> },
    /// The best genome of each replicate plays the judge's game.
    Choosing { genomes: Vec<Vec<f32>> },
    /// The chosen genome plays the judge's game and the game of the fitness.
    Confirming { genome: Vec<f32> },
    /// The chosen genome has played.
    Done { genome: Vec<f32>, judged: Played, fit: Played },
}

impl Experiment for TetrisEvolve {
    const NAME: &'static str = "tetris-evolve";
    const VERSION: u32 = 3;
    const SUMMARY: &'static str =
        "evolves neural-network Tetris controllers by a genetic algorithm (Miyazaki & Arakawa)";
    const PRESETS: &'static [Preset] = &[
        Preset { name: "quick", text: include_str!("../../specs/evolve-quick.toml") },
        Preset { name: "standard", text: include_str!("../../specs/evolve-standard.toml") },
        Preset { name: "paper", text: include_str!("../../specs/evolve-paper.toml") },
        Preset { name: "champion", text: include_str!("../../specs/evolve-champion.toml") },
        Preset { name: "linear", text: include_str!("../../specs/evolve-linear.toml") },
        Preset { name: "smoke", text: include_str!("../../specs/evolve-smoke.toml") },
    ];

    const TOGETHER: u32 = trial::TOGETHER;

    type Spec = Spec;
    type State = State;
    type Shared = ();
    type Subject = Player;
    type Tally = Games;

    fn generations(spec: &Spec) -> u32 {
        let choosing = u32::from(1 < spec.replicates);
        spec.generations + choosing + 1
    }

    fn begin(spec: &Spec, seed: &GenerationSeed) -> Result<State, Refusal> {
        spec.check()?;
        let replicate = |replicate| {
            let mut rng = seed.stream(&format!("population/{replicate}"));
            Search::begin(spec.population, spec.genome_len(), spec.method(), &mut rng)
        };
        let replicates = (0..spec.replicates).map(replicate).collect();
        let none = Score::default();
        let phase = Phase::Evolving { generation: 0, replicates };
        Ok(State { phase, first: none, latest: none, best: none })
    }

    fn plan(spec: &Spec, state: &State) -> Plan<Self> {
        let (fitness, judge) = spec.trials();
        let series = |genome: &[f32], trial: Trial, n_trials: u32| Series {
            subject: spec.player(genome, trial),
            n_trials,
        };
        let series = match &state.phase {
            Phase::Evolving { replicates, .. } => replicates
                .iter()
                .flat_map(Search::individuals)
                .map(|one| series(&one.genome, fitness, spec.fitness.games))
                .collect(),
            Phase::Choosing { genomes } => genomes
                .iter()
                .map(|genome| series(genome, judge, spec.judge.choose_games))
                .collect(),
            Phase::Confirming { genome } | Phase::Done { genome, .. } => {
                [judge, fitness].map(|trial| series(genome, trial, spec.judge.confirm_games)).into()
            }
        };
        Plan { shared: (), series, draws: Draws::PerSubject }
    }

    fn trial((): &(), player: &Player, rng: StreamRng) -> Games {
        trial::play(player, rng)
    }

    fn trials((): &(), player: &Player, streams: impl Iterator<Item = StreamRng>) -> Games {
        trial::play_all(player, streams)
    }

    fn fold(
        spec: &Spec,
        mut state: State,
        tallies: Vec<Games>,
        seed: &GenerationSeed,
    ) -> Step<State> {
        let (fitness, judge) = spec.trials();
        let size = match &state.phase {
            Phase::Evolving { .. } => fitness.game.rules.size,
            Phase::Choosing { .. } | Phase::Confirming { .. } | Phase::Done { .. } => {
                judge.game.rules.size
            }
        };
        let scores: Vec<_> = tallies.iter().map(|games| score(games, size)).collect();
        state.phase = match state.phase {
            Phase::Evolving { generation, mut replicates } => {
                for (search, scores) in
                    replicates.iter_mut().zip(scores.chunks(spec.population as usize))
                {
                    search.record(scores.iter().copied(), spec.method());
                }
                state.latest = scores.iter().copied().fold(Score::default(), Score::pooled);
                if generation == 0 {
                    state.first = state.latest;
                }
                let bests = replicates.iter().map(|search| search.best(spec.method()));
                let bests: Vec<_> = bests.collect();
                let best = bests.iter().map(|best| best.score).max_by(|a, b| a.compare(*b));
                state.best = best.unwrap_or_default();
                let mut genomes: Vec<_> = bests.into_iter().map(|best| best.genome).collect();
                if generation + 1 < spec.generations {
                    let next = replicates.iter().zip(0..).map(|(search, replicate)| {
                        let mut rng = seed.stream(&format!("breed/{replicate}"));
                        search.next(spec.method(), &mut rng)
                    });
                    Phase::Evolving { generation: generation + 1, replicates: next.collect() }
                } else if 1 < genomes.len() {
                    Phase::Choosing { genomes }
                } else {
                    Phase::Confirming { genome: genomes.swap_remove(0) }
                }
            }
            Phase::Choosing { mut genomes } => {
                Phase::Confirming { genome: genomes.swap_remove(first_best(&scores)) }
            }
            Phase::Confirming { genome } | Phase::Done { genome, .. } => {
                let [judged, fit] = [0, 1].map(|idx: usize| Played::from(tallies[idx].clone()));
                state.phase = Phase::Done { genome, judged, fit };
                return Step::Done(state);
            }
        };
        Step::Continue(state)
    }

    fn work(games: &Games) -> Vec<Work> {
        trial::work(games)
    }

    fn measures(spec: &Spec, state: &State) -> Vec<Measure> {
        report::measures(spec, state)
    }

    fn exhibits(spec: &Spec, state: &State) -> Vec<Exhibit> {
        report::exhibits(spec, state)
    }

    fn narrate(
        (): &(),
        player: &Player,
        rng: StreamRng,
        frames: &mut Frames<'_>,
    ) -> ControlFlow<()> {
        trial::narrate(player, rng, frames)
    }
}

/// The index of the first of the best scores.
fn first_best(scores: &[Score]) -> usize {
    let mut best = 0;
    for (idx, score) in scores.iter().enumerate() {
        if scores[best].compare(*score).is_lt() {
            best = idx;
        }
    }
    best
}
