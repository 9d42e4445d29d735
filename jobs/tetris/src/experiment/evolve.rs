//! `tetris-evolve`: controllers evolved, in the paper networks by a genetic algorithm.

mod report;
mod spec;

use hatchery_core::{
    Draws, Exhibit, Experiment, GenerationSeed, InvalidParam, Measure, Plan, Preset, Series, Step,
};
use hatchery_evolve::{MeanScore, Optimizer, ScoringRound, StageOutcome};
use serde::{Deserialize, Serialize};

use super::estimator::{Played, score};
use super::evolved::{Trial, score_by_ends};
use super::simulation::TetrisGames;
use crate::wire::Games;

pub use super::evolved::Evolved;
pub use spec::{Fitness, Judge, Spec};

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
    first: MeanScore,
    /// The score of all individuals of the last folded generation of evolution, and the best of
    /// them.
    latest: MeanScore,
    best: MeanScore,
}

#[derive(Debug, Serialize, Deserialize)]
enum Phase {
    /// The replicates evolve.
    Evolving { generation: u32, replicates: Vec<Optimizer> },
    /// The best genome of each replicate plays the judge's game.
    Choosing { genomes: Vec<Vec<f32>> },
    /// The chosen genome plays the judge's game and the game of the fitness.
    Confirming { genome: Vec<f32> },
    /// The chosen genome has played.
    Done { genome: Vec<f32>, judged: Played, fit: Played },
    /// The replicates evolve, and their individuals are scored stage by stage.
    Racing { generation: u32, replicates: Vec<Optimizer>, rounds: Vec<ScoringRound> },
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

    type Simulation = TetrisGames;
    type Spec = Spec;
    type State = State;

    fn generations(spec: &Spec) -> u32 {
        let choosing = u32::from(1 < spec.replicates);
        spec.generations * spec.n_stages() + choosing + 1
    }

    fn begin(spec: &Spec, seed: &GenerationSeed) -> Result<State, InvalidParam> {
        spec.check()?;
        let replicate = |replicate| {
            let mut rng = seed.stream(&format!("population/{replicate}"));
            Optimizer::begin(spec.population, spec.genome_len(), spec.optimizer_config(), &mut rng)
        };
        let replicates = (0..spec.replicates).map(replicate).collect();
        let none = MeanScore::default();
        let phase = Phase::begin(spec, 0, replicates);
        Ok(State { phase, first: none, latest: none, best: none })
    }

    fn plan(spec: &Spec, state: &State) -> Plan<TetrisGames> {
        let (fitness, judge) = spec.trials();
        let series = |genome: &[f32], trial: Trial, n_trials: u32| Series {
            subject: spec.player(genome, trial),
            n_trials,
        };
        let series = match &state.phase {
            Phase::Evolving { replicates, .. } => replicates
                .iter()
                .flat_map(Optimizer::individuals)
                .map(|one| series(&one.genome, fitness, spec.fitness.games))
                .collect(),
            Phase::Racing { replicates, rounds, .. } => {
                let allocation = spec.fitness.allocation.as_ref();
                let trial = fitness.with_exposure_cap(allocation.map(|it| it.exposure_cap));
                let active = replicates.iter().zip(rounds).flat_map(|(search, round)| {
                    let n_trials = round.n_trials(spec.fitness.games, allocation);
                    round.active().map(move |idx| (&search.individuals()[idx].genome, n_trials))
                });
                active.map(|(genome, n_trials)| series(genome, trial, n_trials)).collect()
            }
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

    fn fold(spec: &Spec, state: State, tallies: Vec<Games>, seed: &GenerationSeed) -> Step<State> {
        let (fitness, judge) = spec.trials();
        let State { phase, first, .. } = state;
        let phase = match phase {
            Phase::Evolving { generation, replicates } => {
                let scores = tallies.iter().map(|games| score(games, fitness.game.rules.size));
                let scores: Vec<_> = scores.collect();
                let scores = scores.chunks(spec.population as usize).map(<[_]>::to_vec).collect();
                let evolving = Evolving { generation, replicates, first };
                return Step::Continue(evolving.evolved(spec, scores, seed));
            }
            Phase::Racing { generation, replicates, rounds } => {
                match race(spec, rounds, &tallies) {
                    Raced::Next(rounds) => Phase::Racing { generation, replicates, rounds },
                    Raced::Scored(scores) => {
                        let evolving = Evolving { generation, replicates, first };
                        return Step::Continue(evolving.evolved(spec, scores, seed));
                    }
                }
            }
            Phase::Choosing { mut genomes } => {
                let scores = tallies.iter().map(|games| score(games, judge.game.rules.size));
                let scores: Vec<_> = scores.collect();
                Phase::Confirming { genome: genomes.swap_remove(first_best(&scores)) }
            }
            Phase::Confirming { genome } | Phase::Done { genome, .. } => {
                let [judged, fit] = [0, 1].map(|idx: usize| Played::from(tallies[idx].clone()));
                let phase = Phase::Done { genome, judged, fit };
                return Step::Done(State { phase, ..state });
            }
        };
        Step::Continue(State { phase, ..state })
    }

    fn measures(spec: &Spec, state: &State) -> Vec<Measure> {
        report::measures(spec, state)
    }

    fn exhibits(spec: &Spec, state: &State) -> Vec<Exhibit> {
        report::exhibits(spec, state)
    }
}

impl Phase {
    /// A generation of evolution before it is scored.
    fn begin(spec: &Spec, generation: u32, replicates: Vec<Optimizer>) -> Self {
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

/// A generation of evolution that has been scored.
struct Evolving {
    generation: u32,
    replicates: Vec<Optimizer>,
    /// The score of all individuals of the first generation.
    first: MeanScore,
}

impl Evolving {
    /// The state after the individuals of each replicate have scored `scores`.
    fn evolved(self, spec: &Spec, scores: Vec<Vec<MeanScore>>, seed: &GenerationSeed) -> State {
        let Self { generation, mut replicates, first } = self;
        let latest = scores.iter().flatten().copied().fold(MeanScore::default(), MeanScore::pooled);
        for (search, scores) in replicates.iter_mut().zip(scores) {
            search.record(scores, spec.optimizer_config());
        }
        let bests = replicates.iter().map(|search| search.best(spec.optimizer_config()));
        let bests: Vec<_> = bests.collect();
        let best = bests.iter().map(|best| best.score).max_by(|a, b| a.compare(*b));
        let mut genomes: Vec<_> = bests.into_iter().map(|best| best.genome).collect();
        let phase = if generation + 1 < spec.generations {
            let next = replicates.iter().zip(0..).map(|(search, replicate)| {
                let mut rng = seed.stream(&format!("breed/{replicate}"));
                search.next(spec.optimizer_config(), &mut rng)
            });
            Phase::begin(spec, generation + 1, next.collect())
        } else if 1 < genomes.len() {
            Phase::Choosing { genomes }
        } else {
            Phase::Confirming { genome: genomes.swap_remove(0) }
        };
        let first = if generation == 0 { latest } else { first };
        State { phase, first, latest, best: best.unwrap_or_default() }
    }
}

/// What a stage leads to in all replicates: their stages are the same.
enum Raced {
    Next(Vec<ScoringRound>),
    Scored(Vec<Vec<MeanScore>>),
}

/// The rounds after a stage whose games are `tallies`.
fn race(spec: &Spec, rounds: Vec<ScoringRound>, tallies: &[Games]) -> Raced {
    let mut scores = tallies.iter().map(score_by_ends);
    let (mut next, mut scored) = (Vec::new(), Vec::new());
    for round in rounds {
        let n_active = round.active().count();
        let stage: Vec<_> = scores.by_ref().take(n_active).collect();
        match round.record(stage, spec.fitness.allocation.as_ref()) {
            StageOutcome::Next(round) => next.push(round),
            StageOutcome::Scored(scores) => scored.push(scores),
        }
    }
    if next.is_empty() { Raced::Scored(scored) } else { Raced::Next(next) }
}

/// The index of the first of the best scores.
fn first_best(scores: &[MeanScore]) -> usize {
    let mut best = 0;
    for (idx, score) in scores.iter().enumerate() {
        if scores[best].compare(*score).is_lt() {
            best = idx;
        }
    }
    best
}
