//! Checks of the table of trials: each address in it leads to a trial with that score.

use std::collections::BTreeSet;

use crate::experiment::{Experiment, TallyOf};
use crate::simulation::Simulation;
use crate::trial_context::{PartMemory, TrialContext};
use crate::trial_table::TRIAL_TABLE;
use crate::wire::WireValue;

use super::recording::{Generation, Recording};
use super::violation::Violation;

/// A row of the table; its names may be quoted.
struct ListedTrial<'a> {
    row: &'a str,
    address: [u32; 3],
    name: &'a str,
    /// The score and the length.
    numbers: &'a str,
}

/// Checks the table of trials in each state. Each row must name a trial of an earlier generation,
/// no trial may occur twice, and the rows of a subject must follow each other.
///
/// # Errors
/// [`Violation::Wrong`]
pub fn listed_trials_exist<E: Experiment>(recording: &Recording<E>) -> Result<(), Violation> {
    for (n_folded, (state, bytes)) in recording.states().enumerate() {
        let table = table(recording, bytes)?;
        let (mut trials, mut names) = (BTreeSet::new(), BTreeSet::new());
        let mut latest = None;
        for row in table.lines().skip(1) {
            let wrong = |expected: &str| {
                let what = format!("a row of {TRIAL_TABLE} of {state}");
                Violation::wrong(what, row.to_owned(), expected)
            };
            let listed = ListedTrial::read(row);
            let played = &recording.generations[..n_folded];
            let Some(listed) = listed.filter(|listed| listed.is_played(played)) else {
                return Err(wrong("of a trial in the plan of an earlier generation"));
            };
            if !trials.insert(listed.address) {
                return Err(wrong("of a trial that has no other row"));
            }
            if latest.replace(listed.name) != Some(listed.name) && !names.insert(listed.name) {
                return Err(wrong("next to those of the same subject"));
            }
        }
    }
    Ok(())
}

/// Plays each trial in the last state's table of trials again. Checks that the row has the score
/// and the length that `numbers` reads from the trial's tally. Returns the number of rows.
///
/// # Errors
/// [`Violation::Wrong`]
pub fn listed_trials_replay<E: Experiment>(
    recording: &Recording<E>,
    numbers: impl Fn(&TallyOf<E>) -> (Option<f64>, Option<u64>),
) -> Result<usize, Violation> {
    listed_trials_exist(recording)?;
    let table = table(recording, &recording.last)?;
    let mut n_rows = 0;
    for listed in table.lines().skip(1).filter_map(ListedTrial::read) {
        let (score, length) = numbers(&listed.play::<E>(&recording.generations)?);
        let score = score.map(|score| format!("{score:?}")).unwrap_or_default();
        let length = length.map(|length| length.to_string()).unwrap_or_default();
        if listed.numbers != format!("{score},{length}") {
            let expected = format!("with score and length {score},{length}, as replayed");
            let what = format!("a row of {TRIAL_TABLE}");
            return Err(Violation::wrong(what, listed.row.to_owned(), expected));
        }
        n_rows += 1;
    }
    Ok(n_rows)
}

/// Returns the table of the state `bytes`; an empty one if the state has none.
fn table<E: Experiment>(recording: &Recording<E>, bytes: &[u8]) -> Result<String, Violation> {
    let exhibits = recording.configured.exhibits(bytes)?;
    let table = exhibits.iter().find(|exhibit| exhibit.name == TRIAL_TABLE);
    let table = table.and_then(|table| table.content.bytes()).unwrap_or_default();
    Ok(String::from_utf8_lossy(table).into_owned())
}

impl<'a> ListedTrial<'a> {
    /// Returns the row, or `None` if it has other columns or no address.
    fn read(row: &'a str) -> Option<Self> {
        let (address, rest) = row.split_once(',')?;
        let address: Vec<u32> =
            address.split('/').map(str::parse).collect::<Result<_, _>>().ok()?;
        // Names may have commas, numbers have none.
        let (at, _) = rest.rmatch_indices(',').nth(1)?;
        let (name, numbers) = (&rest[..at], &rest[at + 1..]);
        Some(Self { row, address: address.try_into().ok()?, name, numbers })
    }

    fn is_played(&self, generations: &[Generation]) -> bool {
        let [generation, subject, trial] = self.address;
        let plan = generations.get(generation as usize).map(|generation| &generation.plan);
        let series = plan.and_then(|plan| plan.series.get(subject as usize));
        series.is_some_and(|series| trial < series.n_trials)
    }

    /// Returns the tally of the trial, which must belong to one of `generations`.
    fn play<E: Experiment>(&self, generations: &[Generation]) -> Result<TallyOf<E>, Violation> {
        let [generation, subject_idx, trial] = self.address;
        let generation = &generations[generation as usize];
        let series = &generation.plan.series[subject_idx as usize];
        let shared = generation.shared::<E::Simulation>()?;
        let subject = <E::Simulation as Simulation>::Subject::decode(&series.subject)?;
        let rng = generation.seed.trial(generation.plan.draws, subject_idx, trial);
        let host = PartMemory::new(generation.parts.select(&generation.plan.inputs(series)));
        Ok(E::Simulation::trial(&shared, &subject, rng, &TrialContext::new(&host)))
    }
}
