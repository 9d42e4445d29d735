//! `catan-design`: balanced maps found by learning from games which maps are balanced.

mod breeding;
mod certification;
mod history;
mod labels;
mod lesson;
mod report;
mod spec;

use hatchery_core::{
    Draws, Exhibit, Experiment, GenerationSeed, InvalidParam, Measure, Plan, Preset, Series, Step,
};
use serde::{Deserialize, Serialize};

use self::certification::{Finalist, Standing};
use self::history::{Candidate, History, Origin, Simulated};
use super::maps;
use super::simulation::CatanGames;
use crate::map::Policy;
use crate::results::Results;

pub use spec::{
    AboutParam, BasisParams, CertifyParams, ClusteredParam, FeatureParams, LabelParams,
    LabelledParam, LearningParams, MadeParam, NodePipsParam, PairsParam, PickParams,
    PortDistanceParam, PriorParams, RoundParams, ScalingParam, SetParam, Spec, StartParams,
    SwapParam, TwoEqualParam,
};

/// The procedure of Hwang & Kaneko, §3.1: maps are simulated and labelled by how evenly seats win,
/// a classifier learns from them and from random maps, the random maps that it calls best and worst
/// are simulated next, and so on. A generation simulates one batch of maps.
///
/// After the last step, balanced maps can be certified, which the paper does not: the classifier's
/// best candidates compete, and those that are left are confirmed by fresh games.
#[derive(Debug)]
pub struct CatanDesign;

/// Where a run stands.
#[derive(Debug, Serialize, Deserialize)]
pub struct State {
    phase: Phase,
    history: History,
}

#[derive(Debug, Serialize, Deserialize)]
enum Phase {
    /// The next batch is simulated.
    Simulating(Vec<Candidate>),
    /// Candidates compete: what they have played so far, and the number of the round.
    Competing { entrants: Vec<Simulated>, round: u32 },
    /// Those that are left play fresh games until the next look.
    Confirming { finalists: Vec<Finalist>, look: u32 },
    /// All is simulated.
    Done { finalists: Vec<Finalist> },
}

impl Experiment for CatanDesign {
    const NAME: &'static str = "catan-design";
    const VERSION: u32 = 4;
    const SUMMARY: &'static str =
        "finds balanced Catan maps by PNU learning from simulated games (Hwang & Kaneko)";
    const PRESETS: &'static [Preset] = &[
        Preset { name: "quick", text: include_str!("../../specs/design-quick.toml") },
        Preset { name: "paper", text: include_str!("../../specs/design-paper.toml") },
        Preset { name: "better", text: include_str!("../../specs/design-better.toml") },
        Preset { name: "smoke", text: include_str!("../../specs/design-smoke.toml") },
    ];

    type Simulation = CatanGames;
    type Spec = Spec;
    type State = State;

    fn generations(spec: &Spec) -> u32 {
        let certification =
            |certify: &CertifyParams| certify.rounds.len() + certify.course().looks().len();
        let certification = spec.certify.as_ref().map_or(0, certification);
        1 + spec.steps + u32::try_from(certification).unwrap_or(u32::MAX)
    }

    fn begin(spec: &Spec, seed: &GenerationSeed) -> Result<State, InvalidParam> {
        spec.check()?;
        let maps = maps::read_all(&spec.start.maps, &spec.start.random, seed);
        let maps = maps
            .map_err(|refusal| InvalidParam { key: format!("start.{}", refusal.key), ..refusal })?;
        let start =
            |named: maps::NamedMap| Candidate { map: named.map, origin: Origin::Start(named.name) };
        let phase = Phase::Simulating(maps.into_iter().map(start).collect());
        Ok(State { phase, history: History::default() })
    }

    fn plan(spec: &Spec, state: &State) -> Plan<CatanGames> {
        let series = |map, n_trials| Series { subject: spec.table(map), n_trials };
        let series = match &state.phase {
            Phase::Simulating(candidates) => {
                candidates.iter().map(|candidate| series(candidate.map, spec.games)).collect()
            }
            Phase::Competing { entrants, round } => {
                let games = certify(spec).rounds[*round as usize].games;
                entrants.iter().map(|entrant| series(entrant.map, games)).collect()
            }
            Phase::Confirming { finalists, look } => {
                let games = certify(spec).games_at(*look);
                open(finalists).map(|finalist| series(finalist.map, games)).collect()
            }
            // What the run ended with, once more.
            Phase::Done { .. } => {
                let batch = state.history.batches.last();
                let maps = batch.into_iter().flat_map(|batch| &batch.maps);
                maps.map(|simulated| series(simulated.map, spec.games)).collect()
            }
        };
        Plan { shared: (), series, draws: Draws::PerSubject }
    }

    fn fold(
        spec: &Spec,
        State { phase, mut history }: State,
        tallies: Vec<Results>,
        seed: &GenerationSeed,
    ) -> Step<State> {
        let phase = match phase {
            Phase::Simulating(candidates) => {
                let maps = candidates.into_iter().zip(tallies);
                let maps = maps.map(|(Candidate { map, origin }, results)| Simulated {
                    map,
                    origin,
                    results,
                });
                history.add(spec, maps.collect(), seed);
                next(spec, &mut history, seed)
            }
            Phase::Competing { mut entrants, round } => {
                for (entrant, tally) in entrants.iter_mut().zip(&tallies) {
                    entrant.results.absorb(tally);
                }
                if round == 0 {
                    // Starting maps may be of another policy than what is looked for.
                    let policy = Policy::from(spec.policy);
                    let fitting = history.maps().filter(|simulated| policy.allows(&simulated.map));
                    entrants.extend(fitting.cloned());
                }
                compete(spec, entrants, round + 1, seed)
            }
            Phase::Confirming { mut finalists, look } => {
                let still_open =
                    finalists.iter_mut().filter(|finalist| finalist.standing == Standing::Open);
                for (finalist, tally) in still_open.zip(&tallies) {
                    finalist.fresh.absorb(tally);
                }
                confirm(certify(spec), finalists, look)
            }
            done @ Phase::Done { .. } => done,
        };
        let is_done = matches!(phase, Phase::Done { .. });
        let state = State { phase, history };
        if is_done { Step::Done(state) } else { Step::Continue(state) }
    }

    fn measures(spec: &Spec, state: &State) -> Vec<Measure> {
        report::measures(spec, state)
    }

    fn exhibits(spec: &Spec, state: &State) -> Vec<Exhibit> {
        report::exhibits(spec, state)
    }
}

/// What follows a batch.
fn next(spec: &Spec, history: &mut History, seed: &GenerationSeed) -> Phase {
    if history.batches.len() <= spec.steps as usize {
        return Phase::Simulating(history.pick(spec, seed));
    }
    match &spec.certify {
        None => Phase::Done { finalists: Vec::new() },
        Some(certify) => {
            let n = certify.rounds[0].maps;
            let entrants = history.enter(spec, (n, certify.candidates), seed);
            Phase::Competing { entrants, round: 0 }
        }
    }
}

/// The maps that go on to round number `round`, or on to confirmation after the last.
fn compete(spec: &Spec, entrants: Vec<Simulated>, round: u32, seed: &GenerationSeed) -> Phase {
    let certify = certify(spec);
    let ranked = certification::ranked(entrants);
    match certify.rounds.get(round as usize) {
        Some(next) => {
            let best = certification::best_of(ranked, next.maps, next.relatives);
            let entrants = breeding::with_children(best, next, spec.policy.into(), seed);
            Phase::Competing { entrants, round }
        }
        None => {
            let best = certification::best_of(ranked, certify.finalists, Some(1));
            let finalists = best.into_iter().map(Finalist::from).collect();
            Phase::Confirming { finalists, look: 0 }
        }
    }
}

/// Looks at the finalists, and at whether any go on playing.
fn confirm(certify: &CertifyParams, mut finalists: Vec<Finalist>, look: u32) -> Phase {
    let course = certify.course();
    let number = look as usize;
    certification::judge(&course, certify.futility, &mut finalists, number);
    let enough = certify.wanted <= certification::certified(&finalists);
    if enough || course.is_last(number) || open(&finalists).next().is_none() {
        Phase::Done { finalists }
    } else {
        Phase::Confirming { finalists, look: look + 1 }
    }
}

/// Those that nothing was said of yet.
fn open(finalists: &[Finalist]) -> impl Iterator<Item = &Finalist> {
    finalists.iter().filter(|finalist| finalist.standing == Standing::Open)
}

fn certify(spec: &Spec) -> &CertifyParams {
    spec.certify.as_ref().expect("only what is to be certified competes")
}
