//! `catan-balance`: measures how evenly the seats of maps win, with verdicts.

mod exhibits;
mod findings;
mod histogram;
mod maps_csv;
mod measures;
mod spec;
mod state;
mod summary;
mod variation;

use hatchery_core::{
    Draws, Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue, Measure,
    Plan, Preset, RunHistory, Series, Step, SubjectTrial, WorkPhase, presets,
};

use crate::trial::results::{GameTally, TallyDetail};
use crate::trial::setup::GameSetup;
use crate::trial::simulation::CatanGames;
use state::SeatedSeries;

pub use spec::{BalanceSpec, CheckedBalance, HalvingParams};
pub use state::{BalanceCandidate, BalanceState, KeptSeries};

/// Maps x agents: each seat's win rate, and a verdict on whether the seats win equally often.
///
/// ```text
/// maps -screening rounds, if asked for-> the most even ones -looks-> fair, unfair or undecided
/// ```
///
/// A generation is a round of screening or a look: decisions depend exactly on the games until
/// then.
#[derive(Debug)]
pub struct CatanBalance;

impl Experiment for CatanBalance {
    const NAME: &'static str = "catan-balance";
    const VERSION: u32 = 4;
    const SUMMARY: &'static str = "how evenly the seats of Catan maps win, with verdicts";
    const PRESETS: &'static [Preset] = presets![
        "balance-":
        "quick", "paper", "slack", "slack-strength", "certify", "smoke",
    ];

    type Simulation = CatanGames;
    type Spec = BalanceSpec;
    type Checked = CheckedBalance;
    type State = BalanceState;

    fn check(spec: BalanceSpec) -> Result<CheckedBalance, InvalidValue> {
        spec.checked()
    }

    fn generations(checked: &CheckedBalance) -> u32 {
        let n = checked.look_schedule.looks().len() + checked.rounds.len();
        u32::try_from(n).unwrap_or(u32::MAX)
    }

    fn phases(checked: &CheckedBalance) -> Vec<WorkPhase> {
        checked.phases()
    }

    fn begin(
        checked: &CheckedBalance,
        seed: &GenerationSeed,
        _: &mut InitialParts,
    ) -> Result<BalanceState, InvalidValue> {
        let maps = checked.spec.named_maps(seed)?;
        let candidates = maps.into_iter().map(BalanceCandidate::new).collect();
        let trials = checked.spec.keep_trials.then(Vec::new);
        Ok(BalanceState { candidates, rounds: 0, wins_of_agents: [0; 4], trials })
    }

    fn plan(checked: &CheckedBalance, state: &BalanceState) -> Plan<CatanGames> {
        checked.plan(state)
    }

    fn fold(
        checked: &CheckedBalance,
        state: BalanceState,
        tallies: &[GameTally],
        _: &GenerationSeed,
    ) -> Step<BalanceState> {
        let seated_series = state.seated_series(checked);
        let next = state.after(&seated_series, tallies, checked);
        match next.seated_series(checked).is_empty() {
            true => Step::Done(next),
            false => Step::Continue(next),
        }
    }

    /// Returns a game on the best map: one that is fair, and the most even of those.
    fn best_trial(
        checked: &CheckedBalance,
        latest: &BalanceState,
        begun: &BalanceState,
    ) -> Option<SubjectTrial> {
        let summary = summary::BalanceSummary::new(checked, latest);
        let best = &summary.maps.first()?.candidate.name;
        let seated_series = begun.seated_series(checked);
        let is_on_best = |series: &SeatedSeries| begun.candidates[series.candidate].name == *best;
        SubjectTrial::first_of(seated_series.iter().position(is_on_best)?)
    }

    fn measures(checked: &CheckedBalance, state: &BalanceState) -> Vec<Measure> {
        measures::measures(&summary::BalanceSummary::new(checked, state))
    }

    fn exhibits(checked: &CheckedBalance, state: &BalanceState) -> Vec<Exhibit> {
        exhibits::exhibits(&summary::BalanceSummary::new(checked, state))
    }

    fn findings(
        checked: &CheckedBalance,
        state: &BalanceState,
        history: &RunHistory<'_>,
    ) -> Option<Findings> {
        let summary = summary::BalanceSummary::new(checked, state);
        Some(findings::findings(&summary, Some(history.seed)))
    }
}

impl CheckedBalance {
    /// Returns the plan of the generation that starts from `state`.
    fn plan(&self, state: &BalanceState) -> Plan<CatanGames> {
        let series = state.seated_series(self).into_iter().map(|sitting| {
            let SeatedSeries { candidate, seating, games } = sitting;
            let BalanceSpec { pool, turn_cap, points_to_win, robber, .. } = &self.spec;
            let seats = seating.iter().map(|&agent| pool.agents[agent]).collect();
            let map = state.candidates[candidate].map;
            let (turn_cap, points_to_win, robber) = (*turn_cap, *points_to_win, *robber);
            let subject = GameSetup { map, seats, turn_cap, points_to_win, robber };
            Series::new(subject, games)
        });
        // Common random numbers gain nothing here: after the first different decision, the same
        // dice fall on different boards.
        let shared = match self.spec.keep_trials {
            true => TallyDetail::Outcomes,
            false => TallyDetail::Sums,
        };
        Plan { shared, series: series.collect(), draws: Draws::PerSubject }
    }
}
