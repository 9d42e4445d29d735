//! `catan-balance`: how evenly the seats of maps win, with verdicts.

mod histogram;
mod measures;
mod report;
mod spec;
mod state;
mod summary;
mod table;

use hatchery_core::{
    Draws, Exhibit, Experiment, GenerationSeed, InvalidParam, Measure, Plan, Preset, Series, Step,
};

use super::method::Course;
use super::simulation::CatanGames;
use crate::results::Results;
use crate::wire::Table;
use spec::Round;
use state::Sitting;

pub use spec::{Halving, Spec};
pub use state::{Candidate, State};

/// Maps x agents: how much each seat wins, and whether that is even.
///
/// ```text
/// maps -screening rounds, if asked for-> the most even ones -looks-> fair, unfair or undecided
/// ```
///
/// A generation is a round of screening or a look: decisions see exactly the games until then.
#[derive(Debug)]
pub struct CatanBalance;

const CHECKED: &str = "begin has checked the spec";

impl Spec {
    fn checked(&self) -> (Course, Vec<Round>) {
        (self.course().expect(CHECKED), self.rounds().expect(CHECKED))
    }

    fn sittings(&self, state: &State) -> Vec<Sitting> {
        let (course, rounds) = self.checked();
        state.sittings(self, &course, &rounds)
    }
}

impl Experiment for CatanBalance {
    const NAME: &'static str = "catan-balance";
    const VERSION: u32 = 2;
    const SUMMARY: &'static str = "how evenly the four seats of Catan maps win, with verdicts";
    const PRESETS: &'static [Preset] = &[
        Preset { name: "quick", text: include_str!("../../specs/balance-quick.toml") },
        Preset { name: "paper", text: include_str!("../../specs/balance-paper.toml") },
        Preset { name: "certify", text: include_str!("../../specs/balance-certify.toml") },
        Preset { name: "smoke", text: include_str!("../../specs/balance-smoke.toml") },
    ];

    type Simulation = CatanGames;
    type Spec = Spec;
    type State = State;

    fn generations(spec: &Spec) -> u32 {
        let looks = spec.course().map_or(1, |course| course.looks().len());
        let rounds = spec.rounds().map_or(0, |rounds| rounds.len());
        u32::try_from(looks + rounds).unwrap_or(u32::MAX)
    }

    fn begin(spec: &Spec, seed: &GenerationSeed) -> Result<State, InvalidParam> {
        spec.course()?;
        spec.rounds()?;
        let maps = spec.named_maps(seed)?;
        let candidates = maps.into_iter().map(Candidate::new).collect();
        Ok(State { candidates, rounds: 0, wins_of_agents: [0; 4] })
    }

    fn plan(spec: &Spec, state: &State) -> Plan<CatanGames> {
        let series = spec.sittings(state).into_iter().map(|sitting| {
            let Sitting { candidate, seating, games } = sitting;
            let seats = seating.map(|agent| spec.pool.agents[agent]);
            let map = state.candidates[candidate].map;
            let subject = Table { map, seats, turn_cap: spec.turn_cap };
            Series { subject, n_trials: games }
        });
        // Common random numbers gain nothing here: the first different decision sets the same dice
        // on different boards.
        Plan { shared: (), series: series.collect(), draws: Draws::PerSubject }
    }

    fn fold(spec: &Spec, state: State, tallies: Vec<Results>, _: &GenerationSeed) -> Step<State> {
        let (course, rounds) = spec.checked();
        let sittings = state.sittings(spec, &course, &rounds);
        let next = state.after(&sittings, &tallies, &rounds);
        match next.sittings(spec, &course, &rounds).is_empty() {
            true => Step::Done(next),
            false => Step::Continue(next),
        }
    }

    fn measures(spec: &Spec, state: &State) -> Vec<Measure> {
        measures::measures(&summary::Summary::new(spec, state))
    }

    fn exhibits(spec: &Spec, state: &State) -> Vec<Exhibit> {
        report::exhibits(&summary::Summary::new(spec, state))
    }
}
