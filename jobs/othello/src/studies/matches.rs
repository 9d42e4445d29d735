//! `othello-match`: any agents against any, with ratings, or with a sequential test.

mod charts;
mod findings;
mod games;
mod measures;
mod spec;
mod state;
mod summary;

use hatchery_core::{
    Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue, Measure,
    Plan, Preset, RunHistory, Series, Step, SubjectTrial, WorkPhase, presets,
};
use hatchery_stats::strongest_pairing;

use self::summary::MatchSummary;
use crate::trial::results::MatchResults;
use crate::trial::setup::MatchSetup;
use crate::trial::simulation::OthelloGames;

pub use spec::{CheckedMatch, EloModelParam, MatchMethod, MatchPairing, MatchSpec};
pub use state::{MatchState, PairingState, StoredPair};

/// Agents x agents: pairs of games on one opening with the colors swapped.
///
/// A generation is one look: it plays a fixed number of pairs in every match that is still
/// undecided. Decisions depend exactly on the pairs until then.
#[derive(Debug)]
pub struct OthelloMatch;

impl Experiment for OthelloMatch {
    const NAME: &'static str = "othello-match";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "rates Othello agents by their games against each other";
    const PRESETS: &'static [Preset] = presets!["match-": "quick", "sprt", "smoke"];

    type Simulation = OthelloGames;
    type Spec = MatchSpec;
    type Checked = CheckedMatch;
    type State = MatchState;

    fn check(spec: MatchSpec) -> Result<CheckedMatch, InvalidValue> {
        spec.checked()
    }

    fn warnings(checked: &CheckedMatch) -> Vec<String> {
        checked.spec.openings.warnings()
    }

    fn generations(checked: &CheckedMatch) -> u32 {
        u32::try_from(checked.looks.len()).unwrap_or(u32::MAX)
    }

    fn phases(checked: &CheckedMatch) -> Vec<WorkPhase> {
        checked.phases()
    }

    fn begin(
        checked: &CheckedMatch,
        _seed: &GenerationSeed,
        _: &mut InitialParts,
    ) -> Result<MatchState, InvalidValue> {
        Ok(MatchState::new(checked.pairings.len()))
    }

    fn plan(checked: &CheckedMatch, state: &MatchState) -> Plan<OthelloGames> {
        let series = state.next_looks(checked).into_iter().map(|(at, n_trials)| {
            let agents = checked.pairings[at].map(|agent| checked.agents[agent].clone());
            let opening = checked.openings.clone();
            let kept = checked.spec.kept;
            let subject = MatchSetup { kept, ..MatchSetup::new(agents, opening, 1) };
            Series::new(subject, n_trials)
        });
        // Each match has openings of its own, so that results of different matches are independent.
        Plan { shared: (), series: series.collect(), draws: Draws::PerSubject }
    }

    fn fold(
        checked: &CheckedMatch,
        mut state: MatchState,
        tallies: &[MatchResults],
        _seed: &GenerationSeed,
    ) -> Step<MatchState> {
        state.add(checked, tallies);
        match state.next_looks(checked).is_empty() {
            true => Step::Done(state),
            false => Step::Continue(state),
        }
    }

    /// Returns the games of the two strongest agents.
    fn best_trial(
        checked: &CheckedMatch,
        latest: &MatchState,
        begun: &MatchState,
    ) -> Option<SubjectTrial> {
        let counts = latest.pairings.iter().map(|pairing| pairing.counts);
        let pairings: Vec<_> = checked.pairings.iter().copied().zip(counts).collect();
        let best = strongest_pairing(checked.agents.len(), &pairings)?;
        let looks = begun.next_looks(checked);
        SubjectTrial::first_of(looks.iter().position(|&(at, _)| at == best)?)
    }

    fn measures(checked: &CheckedMatch, state: &MatchState) -> Vec<Measure> {
        measures::measures(checked, state)
    }

    fn exhibits(checked: &CheckedMatch, state: &MatchState) -> Vec<Exhibit> {
        let summary = MatchSummary::new(checked, state);
        let mut exhibits = findings::findings(&summary, &[]).exhibits();
        exhibits.extend([
            summary::crosstable(&summary, &summary::match_rows(&summary)).csv("crosstable.csv"),
            Exhibit::new("games.ggf", "text/plain", games::games(checked, state)),
        ]);
        exhibits
    }

    fn findings(
        checked: &CheckedMatch,
        state: &MatchState,
        history: &RunHistory<'_>,
    ) -> Option<Findings> {
        Some(findings::findings(&MatchSummary::new(checked, state), history.generations))
    }
}
