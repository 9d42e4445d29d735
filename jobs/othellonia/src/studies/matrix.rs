//! `othellonia-matrix`: decks against decks, and what makes them win.

mod charts;
mod cost_line;
mod equilibrium;
mod measures;
mod pieces;
mod power;
mod report;
mod spec;
mod state;
mod table;

use hatchery_core::{
    CostTrend, Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue,
    Measure, NamedInput, Part, Plan, Preset, RunHistory, Step, SubjectTrial, WorkPhase, presets,
};
use hatchery_stats::strongest_pairing;

use crate::params::agent_param::check_weights;
use crate::params::deck_param::deck_table;
use crate::trial::results::TrialResults;
use crate::trial::series::match_series;
use crate::trial::simulation::OthelloniaGames;

pub use spec::{CheckedMatrix, MatrixSpec, MirrorMatches};
pub use state::{MatchupState, MatrixState};

/// Decks x decks: pairs of games with the same shuffles. In a pair, each deck places first once.
///
/// A generation is one look at each match-up that is not settled.
#[derive(Debug)]
pub struct OthelloniaMatrix;

impl Experiment for OthelloniaMatrix {
    const NAME: &'static str = "othellonia-matrix";
    const VERSION: u32 = 2;
    const SUMMARY: &'static str = "measures which deck of a card game beats which, and why";
    const PRESETS: &'static [Preset] = presets!["matrix-": "quick", "standard", "pieces", "smoke"];

    type Simulation = OthelloniaGames;
    type Spec = MatrixSpec;
    type Checked = CheckedMatrix;
    type State = MatrixState;

    fn check(spec: MatrixSpec) -> Result<CheckedMatrix, InvalidValue> {
        spec.check()
    }

    fn generations(checked: &CheckedMatrix) -> u32 {
        checked.spec.looks
    }

    fn phases(checked: &CheckedMatrix) -> Vec<WorkPhase> {
        let trials = |n: usize| n as u64 * u64::from(checked.spec.pairs);
        let all = trials(checked.matchups.len());
        // Decks against themselves are played once.
        let again = trials(checked.matchups.iter().filter(|[a, b]| a != b).count());
        let first = WorkPhase::new(1, all..=all, CostTrend::Steady);
        let later = WorkPhase::new(checked.spec.looks - 1, 0..=again, CostTrend::Unknown);
        vec![first, later]
    }

    fn inputs(checked: &CheckedMatrix) -> Vec<NamedInput> {
        checked.spec.agent.input("agent").into_iter().collect()
    }

    fn check_input(
        checked: &CheckedMatrix,
        input: &NamedInput,
        bytes: &[u8],
    ) -> Result<(), InvalidValue> {
        check_weights(input, bytes, &deck_table(&checked.decks))
    }

    fn begin(
        checked: &CheckedMatrix,
        _seed: &GenerationSeed,
        parts: &mut InitialParts,
    ) -> Result<MatrixState, InvalidValue> {
        let weights = checked.agent.input().map(|input| parts.input(input));
        Ok(MatrixState::new(checked.matchups.len(), weights.into_iter().collect()))
    }

    fn parts(state: &MatrixState) -> Vec<Part> {
        state.weights.clone()
    }

    fn plan(checked: &CheckedMatrix, state: &MatrixState) -> Plan<OthelloniaGames> {
        let agent = checked.agent.of_match(&state.weights);
        let agents = [agent.clone(), agent];
        let series = state
            .open(checked)
            .map(|at| match_series(checked.matchups[at], agents.clone(), checked.spec.pairs));
        let shared = deck_table(&checked.decks);
        // Each match-up has shuffles of its own, so that results of different ones are independent.
        Plan { shared, series: series.collect(), draws: Draws::PerSubject }
    }

    fn fold(
        checked: &CheckedMatrix,
        mut state: MatrixState,
        tallies: &[TrialResults],
        _seed: &GenerationSeed,
    ) -> Step<MatrixState> {
        state.add(checked, tallies);
        let has_ended = state.open(checked).next().is_none();
        if has_ended { Step::Done(state) } else { Step::Continue(state) }
    }

    /// Returns the games of the two strongest decks.
    fn best_trial(
        checked: &CheckedMatrix,
        latest: &MatrixState,
        begun: &MatrixState,
    ) -> Option<SubjectTrial> {
        let counts = latest.matchups.iter().map(|matchup| matchup.counts);
        let matchups: Vec<_> = checked.matchups.iter().copied().zip(counts).collect();
        let best = strongest_pairing(checked.decks.len(), &matchups)?;
        SubjectTrial::first_of(begun.open(checked).position(|at| at == best)?)
    }

    fn measures(checked: &CheckedMatrix, state: &MatrixState) -> Vec<Measure> {
        measures::measures(checked, state)
    }

    fn exhibits(checked: &CheckedMatrix, state: &MatrixState) -> Vec<Exhibit> {
        report::exhibits(checked, state)
    }

    fn findings(
        checked: &CheckedMatrix,
        state: &MatrixState,
        history: &RunHistory<'_>,
    ) -> Option<Findings> {
        Some(report::findings(checked, state, history))
    }
}
