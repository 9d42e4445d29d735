//! `othellonia-impact`: what a new piece changes in decks that it enters.

mod agent;
mod change;
mod check;
mod replacement;
mod report;
mod spec;
mod state;
mod tasks;

use hatchery_core::{
    Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue, Measure,
    NamedInput, Part, Plan, Preset, RunHistory, Step, WorkPhase, presets,
};

use crate::params::deck_param::deck_table;
use crate::trial::results::TrialResults;
use crate::trial::series::{PAIR_BY_NETWORK, PAIR_BY_RULE, STEP, TrialCosts, phase};
use crate::trial::simulation::OthelloniaGames;

pub use change::ChangeCounts;
pub use check::CheckedImpact;
pub use spec::{HostParam, ImpactSpec, NewVectorParam, ReplacedPiece, ReplacementRule, TuneParam};
pub use state::{ImpactLook, ImpactState, TuningState};

/// The impact of a new piece: every host plays pairs of games against a field of decks, and plays
/// the same games with the new piece in the host, with common random numbers.
///
/// If the agent is a learned agent without a vector for the piece, generation 0 plays games between
/// rule-based agents with decks that hold the piece. The next generations learn the piece's vector
/// in the space of the agent's vectors (Kono et al., 8 and 10). Then the games that count follow.
/// If the spec says so, periods that tune the agent come next, and then the same games with the
/// tuned agent.
#[derive(Debug)]
pub struct OthelloniaImpact;

impl Experiment for OthelloniaImpact {
    const NAME: &'static str = "othellonia-impact";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "measures what a new piece of a card game changes in its decks";
    const PRESETS: &'static [Preset] = presets!["impact-": "quick", "smoke"];

    type Simulation = OthelloniaGames;
    type Spec = ImpactSpec;
    type Checked = CheckedImpact;
    type State = ImpactState;

    fn check(spec: ImpactSpec) -> Result<CheckedImpact, InvalidValue> {
        spec.check()
    }

    fn generations(checked: &CheckedImpact) -> u32 {
        let vector =
            checked.spec.vector.as_ref().map_or(0, |it| it.learn.periods.saturating_add(1));
        let tune = checked.spec.tune.as_ref().map_or(0, |it| it.periods);
        vector.saturating_add(tune).saturating_add(1)
    }

    fn phases(checked: &CheckedImpact) -> Vec<WorkPhase> {
        let matches = 2 * checked.hosts.len() as u64 * checked.field.len() as u64;
        let mut phases = Vec::new();
        if let (Some(param), Some(vector)) = (&checked.spec.vector, &checked.vector) {
            let games = f64::from(param.pairs) * PAIR_BY_RULE;
            phases.push(phase(1, &[TrialCosts::new(param.files, games)]));
            phases.push(phase(vector.periods, &[param.learn.trial_costs(1)]));
        }
        let look = || TrialCosts::new(matches * u64::from(checked.spec.pairs), PAIR_BY_NETWORK);
        if let Some(tune) = &checked.spec.tune {
            let pair = PAIR_BY_NETWORK + f64::from(tune.steps_per_pair) * STEP;
            let learning = || TrialCosts::new(1_u32, f64::from(tune.pairs) * pair);
            phases.push(phase(1, &[learning(), look()]));
            phases.push(phase(tune.periods - 1, &[learning()]));
        }
        phases.push(phase(1, &[look()]));
        phases.retain(|phase| phase.n_generations != 0);
        phases
    }

    fn inputs(checked: &CheckedImpact) -> Vec<NamedInput> {
        checked.spec.inputs()
    }

    fn check_input(
        checked: &CheckedImpact,
        input: &NamedInput,
        bytes: &[u8],
    ) -> Result<(), InvalidValue> {
        match checked.vector {
            Some(_) => agent::check_extensible(input, bytes, checked)?,
            None => {
                let state = ImpactState { replaced: known(checked), ..ImpactState::default() };
                let decks = deck_table(&tasks::decks(checked, &state));
                agent::check_known(input, bytes, checked, &decks)?;
            }
        }
        agent::check_tunable(input, bytes, checked)
    }

    fn begin(
        checked: &CheckedImpact,
        _seed: &GenerationSeed,
        parts: &mut InitialParts,
    ) -> Result<ImpactState, InvalidValue> {
        let weights = checked.agent.input().map(|input| parts.input(input));
        let replaced = if checked.vector.is_none() { known(checked) } else { Vec::new() };
        let weights = weights.into_iter().collect();
        Ok(ImpactState { weights, replaced, ..ImpactState::default() })
    }

    fn parts(state: &ImpactState) -> Vec<Part> {
        state.parts()
    }

    fn plan(checked: &CheckedImpact, state: &ImpactState) -> Plan<OthelloniaGames> {
        let tasks = tasks::tasks(checked, state);
        let series = tasks.into_iter().map(|task| tasks::series(checked, state, task));
        let shared = deck_table(&tasks::decks(checked, state));
        // Hosts with and without the piece meet the same shuffles, so that the change is seen.
        Plan { shared, series: series.collect(), draws: Draws::Common }
    }

    fn fold(
        checked: &CheckedImpact,
        mut state: ImpactState,
        tallies: &[TrialResults],
        _seed: &GenerationSeed,
    ) -> Step<ImpactState> {
        let tasks = tasks::tasks(checked, &state);
        tasks::add(checked, &mut state, &tasks, tallies);
        let has_ended = tasks::tasks(checked, &state).is_empty();
        if has_ended { Step::Done(state) } else { Step::Continue(state) }
    }

    fn measures(checked: &CheckedImpact, state: &ImpactState) -> Vec<Measure> {
        report::measures(checked, state)
    }

    fn exhibits(checked: &CheckedImpact, state: &ImpactState) -> Vec<Exhibit> {
        report::exhibits(checked, state)
    }

    fn findings(
        checked: &CheckedImpact,
        state: &ImpactState,
        _history: &RunHistory<'_>,
    ) -> Option<Findings> {
        Some(report::findings(checked, state))
    }
}

/// Returns the pieces that are replaced, as far as the spec says them: all, unless a vector is
/// learned.
fn known(checked: &CheckedImpact) -> Vec<u32> {
    checked.replaced.iter().copied().flatten().collect()
}
