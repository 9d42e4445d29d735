//! `catan-balance`: measures how evenly the seats of maps win, with verdicts.

mod exhibits;
mod findings;
mod histogram;
mod maps_csv;
mod measures;
mod plan;
mod spec;
mod state;
mod summary;
mod trials_csv;
mod variation;

use hatchery_core::{
    Exhibit, Experiment, Findings, GenerationSeed, InitialParts, InvalidValue, Measure, Plan,
    Preset, RunHistory, Step, SubjectTrial, WorkPhase,
};

use super::simulation::CatanGames;
use crate::results::GameTally;
use state::SeatedSeries;

pub use spec::{BalanceSpec, HalvingParams};
pub use state::{BalanceCandidate, BalanceState, KeptSeries};

/// Maps x agents: the win rate of each seat, and a verdict on whether the seats win equally often.
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
    const SUMMARY: &'static str = "how evenly the four seats of Catan maps win, with verdicts";
    const PRESETS: &'static [Preset] = &[
        Preset { name: "quick", text: include_str!("../../specs/balance-quick.toml") },
        Preset { name: "paper", text: include_str!("../../specs/balance-paper.toml") },
        Preset { name: "slack", text: include_str!("../../specs/balance-slack.toml") },
        Preset {
            name: "slack-strength",
            text: include_str!("../../specs/balance-slack-strength.toml"),
        },
        Preset { name: "certify", text: include_str!("../../specs/balance-certify.toml") },
        Preset { name: "smoke", text: include_str!("../../specs/balance-smoke.toml") },
    ];

    type Simulation = CatanGames;
    type Spec = BalanceSpec;
    type Checked = BalanceSpec;
    type State = BalanceState;

    fn check(spec: BalanceSpec) -> Result<BalanceSpec, InvalidValue> {
        spec.look_schedule()?;
        spec.rounds()?;
        spec.check_kept_trials()?;
        Ok(spec)
    }

    fn generations(spec: &BalanceSpec) -> u32 {
        let looks = spec.look_schedule().map_or(1, |look_schedule| look_schedule.looks().len());
        let rounds = spec.rounds().map_or(0, |rounds| rounds.len());
        u32::try_from(looks + rounds).unwrap_or(u32::MAX)
    }

    fn phases(spec: &BalanceSpec) -> Vec<WorkPhase> {
        spec.phases()
    }

    fn begin(
        spec: &BalanceSpec,
        seed: &GenerationSeed,
        _: &mut InitialParts,
    ) -> Result<BalanceState, InvalidValue> {
        let maps = spec.named_maps(seed)?;
        let candidates = maps.into_iter().map(BalanceCandidate::new).collect();
        let trials = spec.keep_trials.then(Vec::new);
        Ok(BalanceState { candidates, rounds: 0, wins_of_agents: [0; 4], trials })
    }

    fn plan(spec: &BalanceSpec, state: &BalanceState) -> Plan<CatanGames> {
        spec.plan(state)
    }

    fn fold(
        spec: &BalanceSpec,
        state: BalanceState,
        tallies: &[GameTally],
        _: &GenerationSeed,
    ) -> Step<BalanceState> {
        let (look_schedule, rounds) = spec.checked();
        let seated_series = state.seated_series(spec, &look_schedule, &rounds);
        let next = state.after(&seated_series, tallies.to_vec(), &rounds);
        match next.seated_series(spec, &look_schedule, &rounds).is_empty() {
            true => Step::Done(next),
            false => Step::Continue(next),
        }
    }

    /// Returns a game on the best map: one that is fair, and the most even of those.
    fn best_trial(
        spec: &BalanceSpec,
        latest: &BalanceState,
        begun: &BalanceState,
    ) -> Option<SubjectTrial> {
        let summary = summary::BalanceSummary::new(spec, latest);
        let best = &summary.maps.first()?.candidate.name;
        let seated_series = spec.seated_series(begun);
        let is_on_best = |series: &SeatedSeries| begun.candidates[series.candidate].name == *best;
        SubjectTrial::first_of(seated_series.iter().position(is_on_best)?)
    }

    fn measures(spec: &BalanceSpec, state: &BalanceState) -> Vec<Measure> {
        measures::measures(&summary::BalanceSummary::new(spec, state))
    }

    fn exhibits(spec: &BalanceSpec, state: &BalanceState) -> Vec<Exhibit> {
        exhibits::exhibits(&summary::BalanceSummary::new(spec, state))
    }

    fn findings(
        spec: &BalanceSpec,
        state: &BalanceState,
        history: &RunHistory<'_>,
    ) -> Option<Findings> {
        let summary = summary::BalanceSummary::new(spec, state);
        Some(findings::findings(&summary, Some(history.seed)))
    }
}
