//! The table of games, if a run keeps them.

use hatchery_core::{Exhibit, SubjectTrial, TrialRow};

use super::state::{BalanceState, KeptSeries};
use crate::results::GameOutcome;

/// Returns the table of games, map by map: the score is the seat that won, from 1 to 4 and empty if
/// none did, and the length is the number of turns. `None` if the run keeps sums only.
pub(super) fn table(state: &BalanceState) -> Option<Exhibit> {
    let mut all: Vec<&KeptSeries> = state.trials.as_ref()?.iter().collect();
    // The sort is stable: the series of a map stay in the order of their generations.
    all.sort_by_key(|series| series.candidate);
    let rows = all.into_iter().flat_map(|series| {
        let KeptSeries { generation, subject, candidate, outcomes } = series;
        let name = state.candidates.get(*candidate).map_or("", |candidate| &candidate.name);
        outcomes.iter().zip(0..).map(move |(GameOutcome { winner, turns }, trial)| TrialRow {
            generation: *generation,
            trial: SubjectTrial { subject: *subject, trial },
            subject: name,
            #[expect(clippy::cast_precision_loss, reason = "1 to 4")]
            score: winner.map(|seat| (seat.index() + 1) as f64),
            length: Some((*turns).into()),
        })
    });
    Some(Exhibit::trials(rows))
}
