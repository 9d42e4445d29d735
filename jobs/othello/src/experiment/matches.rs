//! `othello-match`: any agents against any, with ratings, or with a sequential test.

mod charts;
mod findings;
mod games;
mod measures;
mod spec;
mod state;
mod summary;
mod tables;

use hatchery_core::{
    Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue, Measure,
    Plan, Preset, RunHistory, Series, Step, SubjectTrial, WorkPhase,
};
use hatchery_stats::strongest_pairing;

use self::summary::MatchSummary;
use super::simulation::OthelloGames;
use crate::results::MatchResults;
use crate::setup::MatchSetup;

pub use spec::{EloModelParam, MatchMethod, MatchPairing, MatchSpec};
pub use state::{MatchState, PairingState, StoredPair};

/// Agents x agents: pairs of games on one opening with the colors swapped.
///
/// A generation is one look at a fixed number of pairs of each match that goes on; decisions depend
/// exactly on the pairs until then.
#[derive(Debug)]
pub struct OthelloMatch;

impl Experiment for OthelloMatch {
    const NAME: &'static str = "othello-match";
    const VERSION: u32 = 1;
    const SUMMARY: &'static str = "rates Othello agents by their games against each other";
    const PRESETS: &'static [Preset] = &[
        Preset { name: "quick", text: include_str!("../../specs/match-quick.toml") },
        Preset { name: "sprt", text: include_str!("../../specs/match-sprt.toml") },
        Preset { name: "smoke", text: include_str!("../../specs/match-smoke.toml") },
    ];

    type Simulation = OthelloGames;
    type Spec = MatchSpec;
    type Checked = MatchSpec;
    type State = MatchState;

    fn check(spec: MatchSpec) -> Result<MatchSpec, InvalidValue> {
        spec.check()?;
        Ok(spec)
    }

    fn generations(spec: &MatchSpec) -> u32 {
        spec.check().map_or(1, |checked| u32::try_from(checked.looks.len()).unwrap_or(u32::MAX))
    }

    fn phases(spec: &MatchSpec) -> Vec<WorkPhase> {
        spec.phases()
    }

    fn begin(
        spec: &MatchSpec,
        _seed: &GenerationSeed,
        _: &mut InitialParts,
    ) -> Result<MatchState, InvalidValue> {
        Ok(MatchState::new(spec.check()?.pairings.len()))
    }

    fn plan(spec: &MatchSpec, state: &MatchState) -> Plan<OthelloGames> {
        let checked = spec.checked();
        let series = state.next_looks(&checked).into_iter().map(|(at, n_trials)| {
            let agents = checked.pairings[at].map(|agent| checked.agents[agent].clone());
            let opening = checked.openings.clone();
            let subject = MatchSetup { agents, opening, pairs: 1, judge: None, change: None };
            Series::new(subject, n_trials)
        });
        // Each match has openings of its own, so that results of different matches are independent.
        Plan { shared: (), series: series.collect(), draws: Draws::PerSubject }
    }

    fn fold(
        spec: &MatchSpec,
        mut state: MatchState,
        tallies: &[MatchResults],
        _seed: &GenerationSeed,
    ) -> Step<MatchState> {
        let checked = spec.checked();
        state.add(&checked, tallies);
        match state.next_looks(&checked).is_empty() {
            true => Step::Done(state),
            false => Step::Continue(state),
        }
    }

    /// Returns the games of the two strongest agents.
    fn best_trial(
        spec: &MatchSpec,
        latest: &MatchState,
        begun: &MatchState,
    ) -> Option<SubjectTrial> {
        let checked = spec.checked();
        let counts = latest.pairings.iter().map(|pairing| pairing.counts);
        let pairings: Vec<_> = checked.pairings.iter().copied().zip(counts).collect();
        let best = strongest_pairing(checked.agents.len(), &pairings)?;
        let looks = begun.next_looks(&checked);
        SubjectTrial::first_of(looks.iter().position(|&(at, _)| at == best)?)
    }

    fn measures(spec: &MatchSpec, state: &MatchState) -> Vec<Measure> {
        measures::measures(spec, state)
    }

    fn exhibits(spec: &MatchSpec, state: &MatchState) -> Vec<Exhibit> {
        let summary = MatchSummary::new(spec, state);
        let mut exhibits = findings::findings(&summary, &[]).exhibits();
        exhibits.extend([
            Exhibit::new("crosstable.csv", "text/csv", tables::crosstable(&summary)),
            Exhibit::new("games.ggf", "text/plain", games::games(spec, state)),
        ]);
        exhibits
    }

    fn findings(
        spec: &MatchSpec,
        state: &MatchState,
        history: &RunHistory<'_>,
    ) -> Option<Findings> {
        Some(findings::findings(&MatchSummary::new(spec, state), history.generations))
    }
}
