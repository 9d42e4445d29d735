//! `othello-ladder`: how strong agents of different depths are, and how much they search.

mod charts;
mod effort_shape;
mod findings;
mod spec;
mod state;
mod summary;
mod tables;

use hatchery_core::{
    CostTrend, Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue,
    Measure, Plan, Preset, RunHistory, Series, Step, SubjectTrial, WorkPhase, presets,
};
use hatchery_stats::strongest_pairing;

use self::summary::LadderSummary;
use crate::players::OthelloAgent;
use crate::trial::results::MatchResults;
use crate::trial::setup::MatchSetup;
use crate::trial::simulation::OthelloGames;

pub use spec::{CheckedLadder, LadderSpec};
pub use state::LadderState;

/// Agents of several depths: each against each other one for ratings, and each against itself for
/// the effort of a move (Takagi et al., §4.1 and §4.2, Figs. 4 and 5).
///
/// All is done in one generation. Matches come first, one subject for each two depths and a trial
/// for each pair of games; then self-play, where each pair of games is a subject of its own, so
/// that its effort is known.
#[derive(Debug)]
pub struct OthelloLadder;

impl Experiment for OthelloLadder {
    const NAME: &'static str = "othello-ladder";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str =
        "measures how strength and effort of Othello agents grow with their depth";
    const PRESETS: &'static [Preset] = presets!["ladder-": "quick", "paper", "spread", "smoke"];

    type Simulation = OthelloGames;
    type Spec = LadderSpec;
    type Checked = CheckedLadder;
    type State = LadderState;

    fn check(spec: LadderSpec) -> Result<CheckedLadder, InvalidValue> {
        spec.checked()
    }

    fn warnings(checked: &CheckedLadder) -> Vec<String> {
        checked.spec.openings.warnings()
    }

    fn generations(_checked: &CheckedLadder) -> u32 {
        1
    }

    fn phases(checked: &CheckedLadder) -> Vec<WorkPhase> {
        let [pairs, own_pairs] = [checked.spec.pairs, checked.spec.self_play_pairs].map(u64::from);
        let n_trials =
            checked.matches.len() as u64 * pairs + checked.agents.len() as u64 * own_pairs;
        // Deep agents search more than shallow ones.
        vec![WorkPhase::new(1, n_trials..=n_trials, CostTrend::Unknown)]
    }

    fn begin(
        checked: &CheckedLadder,
        _seed: &GenerationSeed,
        _: &mut InitialParts,
    ) -> Result<LadderState, InvalidValue> {
        Ok(LadderState::new(checked))
    }

    fn plan(checked: &CheckedLadder, _state: &LadderState) -> Plan<OthelloGames> {
        let spec = &checked.spec;
        let series = |[first, second]: [usize; 2], n_trials| {
            let agents = [first, second].map(|at| OthelloAgent::Mcts(checked.agents[at]));
            let opening = checked.openings.clone();
            let subject = MatchSetup::new(agents, opening, 1);
            Series::new(subject, n_trials)
        };
        let matches = checked.matches.iter().map(|&depths| series(depths, spec.pairs));
        let self_play = (0..checked.agents.len())
            .flat_map(|at| (0..spec.self_play_pairs).map(move |_| [at, at]))
            .map(|depths| series(depths, 1));
        // Each match has openings of its own, so that results of different matches are independent.
        Plan { shared: (), series: matches.chain(self_play).collect(), draws: Draws::PerSubject }
    }

    fn fold(
        checked: &CheckedLadder,
        mut state: LadderState,
        tallies: &[MatchResults],
        _seed: &GenerationSeed,
    ) -> Step<LadderState> {
        state.add(checked, tallies);
        Step::Done(state)
    }

    /// Returns the games of the two strongest depths.
    fn best_trial(
        checked: &CheckedLadder,
        latest: &LadderState,
        _begun: &LadderState,
    ) -> Option<SubjectTrial> {
        let matches = checked.matches.iter().copied().zip(latest.matches.iter().copied());
        let matches: Vec<_> = matches.collect();
        SubjectTrial::first_of(strongest_pairing(checked.agents.len(), &matches)?)
    }

    fn measures(checked: &CheckedLadder, state: &LadderState) -> Vec<Measure> {
        summary::measures(&LadderSummary::new(checked, state))
    }

    fn exhibits(checked: &CheckedLadder, state: &LadderState) -> Vec<Exhibit> {
        let summary = LadderSummary::new(checked, state);
        let mut exhibits = findings::findings(&summary).exhibits();
        let played: Vec<_> = summary.depths.iter().filter(|one| one.effort.is_some()).collect();
        exhibits.extend([
            tables::ladder(&summary).csv("ladder.csv"),
            tables::effort(&played).csv("effort.csv"),
            tables::crosstable(&summary),
        ]);
        exhibits.extend(tables::trials(&summary));
        exhibits
    }

    fn findings(
        checked: &CheckedLadder,
        state: &LadderState,
        _history: &RunHistory<'_>,
    ) -> Option<Findings> {
        Some(findings::findings(&LadderSummary::new(checked, state)))
    }
}
