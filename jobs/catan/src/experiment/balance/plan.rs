//! The games of the next generation.

use hatchery_core::{Draws, Plan, Series};

use super::spec::CheckedBalance;
use super::state::{BalanceState, SeatedSeries};
use crate::experiment::simulation::CatanGames;
use crate::results::TallyDetail;
use crate::setup::GameSetup;

impl CheckedBalance {
    /// Returns the plan of the generation that starts from `state`.
    pub(super) fn plan(&self, state: &BalanceState) -> Plan<CatanGames> {
        let series = state.seated_series(self).into_iter().map(|sitting| {
            let SeatedSeries { candidate, seating, games } = sitting;
            let seats = seating.map(|agent| self.spec.pool.agents[agent]);
            let map = state.candidates[candidate].map;
            let subject = GameSetup { map, seats, turn_cap: self.spec.turn_cap };
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
