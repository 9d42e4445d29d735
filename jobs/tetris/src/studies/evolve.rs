//! `tetris-evolve`: evolution of controllers, in the paper of networks by a genetic algorithm.

mod findings;
mod population;
mod report;
mod spec;
mod state;

use hatchery_core::{
    Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue, Measure,
    Plan, Preset, RunHistory, Series, Step, SubjectTrial, WorkPhase, presets,
};
use hatchery_evolve::{MeanScore, Optimizer};

use super::genotype::TrialSettings;
use super::player_results::{PlayerResults, score};
use crate::trial::results::GameTally;
use crate::trial::simulation::TetrisGames;

use population::{RaceOutcome, race};
use state::EvolvePhase;

pub use super::genotype::ControllerKind;
pub use spec::{CheckedEvolve, EvolveSpec, FitnessParams, JudgeParams};
pub use state::EvolveState;

/// The procedure of Miyazaki & Arakawa, §2.1 and §3.1.
///
/// Independent replicates of an optimizer, in the paper a genetic algorithm, evolve side by side,
/// generation by generation. Each replicate's best genome then plays other games to choose a
/// champion. The champion plays again, in fresh games, so that luck in being chosen does not count.
#[derive(Debug)]
pub struct TetrisEvolve;

impl Experiment for TetrisEvolve {
    const NAME: &'static str = "tetris-evolve";
    const VERSION: u32 = 3;
    const SUMMARY: &'static str =
        "evolves Tetris controllers by a genetic algorithm (Miyazaki & Arakawa) or CMA-ES";
    const PRESETS: &'static [Preset] = presets![
        "evolve-":
        "quick", "standard", "paper", "paper-splitting", "preliminary", "champion",
        "champion-with-diversity", "linear", "linear-with-diversity", "smoke",
    ];

    type Simulation = TetrisGames;
    type Spec = EvolveSpec;
    type Checked = CheckedEvolve;
    type State = EvolveState;

    fn check(spec: EvolveSpec) -> Result<CheckedEvolve, InvalidValue> {
        spec.checked()
    }

    fn generations(checked: &CheckedEvolve) -> u32 {
        checked.spec.n_generations()
    }

    fn phases(checked: &CheckedEvolve) -> Vec<WorkPhase> {
        checked.phases()
    }

    fn begin(
        CheckedEvolve { spec, .. }: &CheckedEvolve,
        seed: &GenerationSeed,
        _: &mut InitialParts,
    ) -> Result<EvolveState, InvalidValue> {
        let replicate = |replicate| {
            let mut rng = seed.stream(&format!("population/{replicate}"));
            Optimizer::begin(spec.population, spec.genome_len(), spec.optimizer_config(), &mut rng)
        };
        let replicates = (0..spec.replicates).map(replicate).collect();
        let none = MeanScore::default();
        let phase = EvolvePhase::begin(spec, 0, replicates);
        Ok(EvolveState { phase, first: none, latest: none, best: none })
    }

    fn plan(checked: &CheckedEvolve, state: &EvolveState) -> Plan<TetrisGames> {
        let CheckedEvolve { spec, fitness, judge } = checked;
        let series = |genome: &[f32], trial: &TrialSettings, n_trials: u32| {
            Series::new(spec.player(genome, trial), n_trials)
        };
        let series = match &state.phase {
            EvolvePhase::Evolving { replicates, .. } => replicates
                .iter()
                .flat_map(Optimizer::individuals)
                .map(|one| series(&one.genome, fitness, spec.fitness.games))
                .collect(),
            EvolvePhase::Racing { replicates, rounds, .. } => {
                let allocation = spec.fitness.allocation.as_ref();
                let trial = fitness.with_exposure_cap(allocation.map(|it| it.exposure_cap));
                let active = replicates.iter().zip(rounds).flat_map(|(search, round)| {
                    let n_trials = round.n_trials(spec.fitness.games, allocation);
                    round.active().map(move |idx| (&search.individuals()[idx].genome, n_trials))
                });
                active.map(|(genome, n_trials)| series(genome, &trial, n_trials)).collect()
            }
            EvolvePhase::Choosing { genomes } => genomes
                .iter()
                .map(|genome| series(genome, judge, spec.judge.choose_games))
                .collect(),
            EvolvePhase::Confirming { genome } | EvolvePhase::Done { genome, .. } => {
                [judge, fitness].map(|trial| series(genome, trial, spec.judge.confirm_games)).into()
            }
        };
        Plan { shared: (), series, draws: Draws::PerSubject }
    }

    fn fold(
        CheckedEvolve { spec, fitness, judge }: &CheckedEvolve,
        state: EvolveState,
        tallies: &[GameTally],
        seed: &GenerationSeed,
    ) -> Step<EvolveState> {
        let EvolveState { phase, first, .. } = state;
        let phase = match phase {
            EvolvePhase::Evolving { generation, replicates } => {
                let scores = tallies.iter().map(|games| score(games, fitness.game.rules.size));
                let scores: Vec<_> = scores.collect();
                let scores = scores.chunks(spec.population as usize).map(<[_]>::to_vec).collect();
                let evolving = ScoredGeneration { generation, replicates, first };
                return Step::Continue(evolving.next_state(spec, scores, seed));
            }
            EvolvePhase::Racing { generation, replicates, rounds } => {
                match race(spec, rounds, tallies) {
                    RaceOutcome::Next(rounds) => {
                        EvolvePhase::Racing { generation, replicates, rounds }
                    }
                    RaceOutcome::Scored(scores) => {
                        let evolving = ScoredGeneration { generation, replicates, first };
                        return Step::Continue(evolving.next_state(spec, scores, seed));
                    }
                }
            }
            EvolvePhase::Choosing { mut genomes } => {
                let scores = tallies.iter().map(|games| score(games, judge.game.rules.size));
                let scores: Vec<_> = scores.collect();
                EvolvePhase::Confirming { genome: genomes.swap_remove(first_best(&scores)) }
            }
            EvolvePhase::Confirming { genome } | EvolvePhase::Done { genome, .. } => {
                let [judged, fit] = [0, 1].map(|idx: usize| PlayerResults::from(&tallies[idx]));
                let phase = EvolvePhase::Done { genome, judged, fit };
                return Step::Done(EvolveState { phase, ..state });
            }
        };
        Step::Continue(EvolveState { phase, ..state })
    }

    /// Returns the champion's game with the most lines among the games that confirm the champion.
    /// Before the confirming games are played, returns a game that the best genome so far played.
    /// Elitism puts this genome first.
    fn best_trial(
        checked: &CheckedEvolve,
        latest: &EvolveState,
        begun: &EvolveState,
    ) -> Option<SubjectTrial> {
        if let (EvolvePhase::Done { judged, .. }, EvolvePhase::Confirming { .. }) =
            (&latest.phase, &begun.phase)
        {
            let lines = [judged.lines.iter().copied()];
            return SubjectTrial::with_largest(lines).or_else(|| SubjectTrial::first_of(0));
        }
        let genomes: Vec<&[f32]> = match &latest.phase {
            EvolvePhase::Evolving { replicates, .. } | EvolvePhase::Racing { replicates, .. } => {
                let first = replicates.iter().filter_map(|search| search.individuals().first());
                first.map(|one| &one.genome[..]).collect()
            }
            EvolvePhase::Choosing { genomes } => genomes.iter().map(|one| &one[..]).collect(),
            EvolvePhase::Confirming { genome } | EvolvePhase::Done { genome, .. } => {
                vec![genome.as_slice()]
            }
        };
        let player = |genome: &&[f32]| checked.spec.player(genome, &checked.judge);
        let policies: Vec<_> = genomes.iter().map(|genome| player(genome).policy).collect();
        let series = Self::plan(checked, begun).series;
        let best = series.iter().position(|one| policies.contains(&one.subject.policy));
        SubjectTrial::first_of(best?)
    }

    fn measures(checked: &CheckedEvolve, state: &EvolveState) -> Vec<Measure> {
        report::measures(checked, state)
    }

    /// Adds the distribution of fitness in a population that has been scored, and intervals.
    fn generation_measures(
        checked: &CheckedEvolve,
        begun: &EvolveState,
        tallies: &[GameTally],
        next: &EvolveState,
    ) -> Vec<Measure> {
        population::generation_measures(checked, begun, tallies, next)
    }

    fn findings(
        checked: &CheckedEvolve,
        state: &EvolveState,
        history: &RunHistory<'_>,
    ) -> Option<Findings> {
        Some(findings::findings(checked, state, history.generations))
    }

    fn exhibits(checked: &CheckedEvolve, state: &EvolveState) -> Vec<Exhibit> {
        report::exhibits(checked, state)
    }
}

/// A generation of evolution that has been scored.
struct ScoredGeneration {
    generation: u32,
    replicates: Vec<Optimizer>,
    /// The score over all individuals in the first generation.
    first: MeanScore,
}

impl ScoredGeneration {
    /// Returns the state after every replicate's individuals have scored `scores`.
    fn next_state(
        self,
        spec: &EvolveSpec,
        scores: Vec<Vec<MeanScore>>,
        seed: &GenerationSeed,
    ) -> EvolveState {
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
            EvolvePhase::begin(spec, generation + 1, next.collect())
        } else if 1 < genomes.len() {
            EvolvePhase::Choosing { genomes }
        } else {
            EvolvePhase::Confirming { genome: genomes.swap_remove(0) }
        };
        let first = if generation == 0 { latest } else { first };
        EvolveState { phase, first, latest, best: best.unwrap_or_default() }
    }
}

/// Returns the index of the best score, the first of equal ones.
fn first_best(scores: &[MeanScore]) -> usize {
    let mut best = 0;
    for (idx, score) in scores.iter().enumerate() {
        if scores[best].compare(*score).is_lt() {
            best = idx;
        }
    }
    best
}
