//! `catan-design`: finds balanced maps by learning from games.

mod breeding;
mod certification;
mod entrants;
mod history;
mod labels;
mod map_learner;
mod plan;
mod report;
mod spec;
mod state;

use hatchery_core::{
    Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue, Measure, Plan,
    Preset, RunHistory, Step, SubjectTrial, WorkPhase, presets,
};

use self::certification::{Finalist, FinalistStatus};
use self::entrants::Entrant;
use self::history::{DesignCandidate, DesignHistory, MapOrigin, SimulatedMap};
use self::plan::{plan_of, plan_of_entrants, plan_of_finalists};
use self::spec::CertifyLooks;
use self::state::DesignPhase;
use crate::map::Map;
use crate::params::maps;
use crate::trial::results::{GameResults, GameTally};
use crate::trial::simulation::CatanGames;

pub use spec::{
    BasisParams, CertifyParams, CheckedDesign, ClusterMapsParam, ClusteredParam, DesignSpec,
    FeatureParams, FeatureSetParam, LabelParams, LabelledMapsParam, LearningParams, PickParams,
    PriorParams, RoundAgentsParam, RoundParams, ScalingParam, StartParams,
};
pub use state::DesignState;

/// The procedure of Hwang & Kaneko, §3.1: maps are simulated and labelled by how evenly seats win,
/// a classifier learns from them and from random maps, the random maps that it rates best and worst
/// are simulated next, and so on. A generation simulates one batch of maps.
///
/// After the last step, balanced maps can be certified, which the paper does not do: the
/// classifier's best candidates compete, and the remaining ones are confirmed by fresh games.
#[derive(Debug)]
pub struct CatanDesign;

impl Experiment for CatanDesign {
    const NAME: &'static str = "catan-design";
    const VERSION: u32 = 6;
    const SUMMARY: &'static str =
        "finds balanced Catan maps by PNU learning from simulated games (Hwang & Kaneko)";
    const PRESETS: &'static [Preset] = presets![
        "design-":
        "quick", "paper", "better", "panel", "panel-again", "panel-quick", "for-all",
        "for-all-again", "smoke",
    ];

    type Simulation = CatanGames;
    type Spec = DesignSpec;
    type Checked = CheckedDesign;
    type State = DesignState;

    fn check(spec: DesignSpec) -> Result<CheckedDesign, InvalidValue> {
        spec.checked()
    }

    fn generations(CheckedDesign { spec, looks }: &CheckedDesign) -> u32 {
        let n_rounds = spec.certify.as_ref().map_or(0, |certify| certify.rounds.len());
        let n_looks = looks.as_ref().map_or(0, |looks| looks.single.looks().len());
        1 + spec.steps + u32::try_from(n_rounds + n_looks).unwrap_or(u32::MAX)
    }

    fn phases(checked: &CheckedDesign) -> Vec<WorkPhase> {
        checked.phases()
    }

    fn begin(
        CheckedDesign { spec, .. }: &CheckedDesign,
        seed: &GenerationSeed,
        _: &mut InitialParts,
    ) -> Result<DesignState, InvalidValue> {
        let maps = maps::read_maps(&spec.start.maps, &spec.start.random, seed);
        let maps = maps.map_err(|error| error.under("start"))?;
        let start = |named: maps::NamedMap| DesignCandidate {
            map: named.map,
            origin: MapOrigin::Start(named.name),
        };
        let phase = DesignPhase::Simulating(maps.into_iter().map(start).collect());
        Ok(DesignState { phase, history: DesignHistory::default() })
    }

    fn plan(checked: &CheckedDesign, state: &DesignState) -> Plan<CatanGames> {
        let spec = &checked.spec;
        match &state.phase {
            DesignPhase::Simulating(candidates) => {
                plan_of(spec, candidates.iter().map(|candidate| candidate.map), spec.games)
            }
            DesignPhase::Competing { entrants, round } => {
                let games = certify(spec).rounds[*round as usize].games;
                plan_of_entrants(spec, entrants, games)
            }
            DesignPhase::Confirming { finalists, look } => {
                let games = certify_looks(checked).games_at(*look);
                plan_of_finalists(spec, finalists, games, |status| status == FinalistStatus::Open)
            }
            // A run that is continued after its end repeats its last batch.
            DesignPhase::Done { .. } => {
                let batch = state.history.batches.last();
                let maps = batch.into_iter().flat_map(|batch| &batch.maps);
                plan_of(spec, maps.map(|simulated| simulated.map), spec.games)
            }
        }
    }

    fn fold(
        checked: &CheckedDesign,
        DesignState { phase, mut history }: DesignState,
        tallies: &[GameTally],
        seed: &GenerationSeed,
    ) -> Step<DesignState> {
        let spec = &checked.spec;
        let tallies: Vec<GameResults> = tallies.iter().map(|tally| tally.results).collect();
        let phase = match phase {
            DesignPhase::Simulating(candidates) => {
                let maps = candidates.into_iter().zip(tallies);
                let maps = maps.map(|(DesignCandidate { map, origin }, results)| SimulatedMap {
                    map,
                    origin,
                    results,
                });
                history.add(spec, maps.collect(), seed);
                next(spec, &mut history, seed)
            }
            DesignPhase::Competing { mut entrants, round } => {
                for (entrant, tally) in entrants.iter_mut().zip(&tallies) {
                    entrant.results.absorb(tally);
                }
                // Those have games of the agent that played the steps, and not of a panel.
                if round == 0 && spec.round_agents() == [spec.agent] {
                    // Starting maps may be of another policy than the maps sought.
                    let is_fitting = |it: &&SimulatedMap| spec.policy.allows(&it.map);
                    let fitting = history.maps().filter(is_fitting);
                    entrants.extend(fitting.cloned());
                }
                compete(spec, &history, entrants, round + 1, seed)
            }
            DesignPhase::Confirming { mut finalists, look } => {
                let still_open =
                    finalists.iter_mut().filter(|finalist| finalist.status == FinalistStatus::Open);
                for (finalist, tally) in still_open.zip(&tallies) {
                    finalist.fresh.absorb(tally);
                }
                confirm(checked, finalists, look)
            }
            done @ DesignPhase::Done { .. } => done,
        };
        let is_done = matches!(phase, DesignPhase::Done { .. });
        let state = DesignState { phase, history };
        if is_done { Step::Done(state) } else { Step::Continue(state) }
    }

    /// Returns a game on the best map: a certified one, or else the one with the smallest spread.
    fn best_trial(
        checked: &CheckedDesign,
        latest: &DesignState,
        begun: &DesignState,
    ) -> Option<SubjectTrial> {
        let (DesignPhase::Confirming { finalists, .. } | DesignPhase::Done { finalists }) =
            &latest.phase
        else {
            return game_on(checked, begun, best_simulated(&latest.history)?);
        };
        let n_agents = checked.spec.certified_agents().len();
        let certified = certification::certified(finalists, n_agents).next();
        let best = certified.unwrap_or(finalists).first().map(|finalist| finalist.map);
        game_on(checked, begun, best.or_else(|| best_simulated(&latest.history))?)
    }

    fn measures(checked: &CheckedDesign, state: &DesignState) -> Vec<Measure> {
        report::measures(checked, state)
    }

    fn exhibits(checked: &CheckedDesign, state: &DesignState) -> Vec<Exhibit> {
        report::exhibits(checked, state)
    }

    fn findings(
        checked: &CheckedDesign,
        state: &DesignState,
        history: &RunHistory<'_>,
    ) -> Option<Findings> {
        Some(report::findings(checked, state, history.seed))
    }
}

/// Returns the simulated map with the smallest spread; none before the first batch.
fn best_simulated(history: &DesignHistory) -> Option<Map> {
    let maps = history.maps().cloned().map(Entrant::from);
    Some(entrants::ranked(maps.collect()).first()?.map)
}

/// Returns the first game on a map in the generation that starts from `begun`.
fn game_on(checked: &CheckedDesign, begun: &DesignState, map: Map) -> Option<SubjectTrial> {
    let series = CatanDesign::plan(checked, begun).series;
    SubjectTrial::first_of(series.iter().position(|one| one.subject.map == map)?)
}

/// Returns the phase that follows a batch.
fn next(spec: &DesignSpec, history: &mut DesignHistory, seed: &GenerationSeed) -> DesignPhase {
    if history.batches.len() <= spec.steps as usize {
        return DesignPhase::Simulating(history.pick(spec, seed));
    }
    match &spec.certify {
        None => DesignPhase::Done { finalists: Vec::new() },
        Some(certify) => {
            let n = certify.rounds[0].maps;
            let n_agents = spec.round_agents().len();
            let entrant = |DesignCandidate { map, origin }| Entrant::new(map, origin, n_agents);
            let entering = history.enter(spec, (n, certify.candidates), seed);
            let entrants = Entrant::into_list(entering.into_iter().map(entrant).collect());
            DesignPhase::Competing { entrants, round: 0 }
        }
    }
}

/// Selects the maps for round number `round`, or for confirmation after the last round.
fn compete(
    spec: &DesignSpec,
    history: &DesignHistory,
    list: Vec<SimulatedMap>,
    round: u32,
    seed: &GenerationSeed,
) -> DesignPhase {
    let certify = certify(spec);
    let ranked = entrants::ranked(Entrant::from_list(list, spec.round_agents().len()));
    match certify.rounds.get(round as usize) {
        Some(next) => {
            let best = entrants::best_of(ranked, next.maps, next.relatives);
            let entrants = breeding::with_children(best, next, spec.policy, seed);
            DesignPhase::Competing { entrants: Entrant::into_list(entrants), round }
        }
        None => {
            let given = if certify.confirm_given { history.given(spec) } else { Vec::new() };
            let is_new = |one: &Entrant| given.iter().all(|other| other.map != one.map);
            let new = ranked.into_iter().filter(is_new).collect();
            let best = entrants::best_of(new, certify.finalists, Some(1));
            let given = given.iter().cloned().map(Entrant::from);
            let confirmed = given.chain(best).collect();
            let finalists = certification::finalists(confirmed, certify.n_agents());
            DesignPhase::Confirming { finalists, look: 0 }
        }
    }
}

/// Looks at the finalists, and decides whether any finalist plays on.
fn confirm(checked: &CheckedDesign, mut finalists: Vec<Finalist>, look: u32) -> DesignPhase {
    let (certify, look_schedule) = (certify(&checked.spec), &certify_looks(checked).single);
    let number = look as usize;
    certification::judge(look_schedule, certify.futility, &mut finalists, number);
    let n_certified = certification::certified(&finalists, certify.n_agents()).count();
    let enough = certify.wanted as usize <= n_certified;
    let is_open = |finalist: &Finalist| finalist.status == FinalistStatus::Open;
    if enough || look_schedule.is_last(number) || !finalists.iter().any(is_open) {
        DesignPhase::Done { finalists }
    } else {
        DesignPhase::Confirming { finalists, look: look + 1 }
    }
}

/// The reason why a run has parameters and looks of a certification.
const COMPETES: &str = "only what is to be certified competes";

fn certify(spec: &DesignSpec) -> &CertifyParams {
    spec.certify.as_ref().expect(COMPETES)
}

fn certify_looks(checked: &CheckedDesign) -> &CertifyLooks {
    checked.looks.as_ref().expect(COMPETES)
}
