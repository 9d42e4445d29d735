//! The games of the next generation.

use hatchery_core::{Draws, Plan, Series};

use super::spec::{BalanceSpec, CHECKED, ScreeningRound};
use super::state::{BalanceState, SeatedSeries};
use crate::experiment::method::LookSchedule;
use crate::experiment::simulation::CatanGames;
use crate::results::TallyDetail;
use crate::setup::GameSetup;

impl BalanceSpec {
    /// Returns the looks and the rounds of screening of a spec that was checked.
    pub(super) fn checked(&self) -> (LookSchedule, Vec<ScreeningRound>) {
        (self.look_schedule().expect(CHECKED), self.rounds().expect(CHECKED))
    }

    /// Returns the series of the generation that starts from `state`.
    pub(super) fn seated_series(&self, state: &BalanceState) -> Vec<SeatedSeries> {
        let (look_schedule, rounds) = self.checked();
        state.seated_series(self, &look_schedule, &rounds)
    }

    /// Returns the plan of the generation that starts from `state`.
    pub(super) fn plan(&self, state: &BalanceState) -> Plan<CatanGames> {
        let series = self.seated_series(state).into_iter().map(|sitting| {
            let SeatedSeries { candidate, seating, games } = sitting;
            let seats = seating.map(|agent| self.pool.agents[agent]);
            let map = state.candidates[candidate].map;
            let subject = GameSetup { map, seats, turn_cap: self.turn_cap };
            Series::new(subject, games)
        });
        // Common random numbers gain nothing here: after the first different decision, the same
        // dice fall on different boards.
        let shared = match self.keep_trials {
            true => TallyDetail::Outcomes,
            false => TallyDetail::Sums,
        };
        Plan { shared, series: series.collect(), draws: Draws::PerSubject }
    }
}
