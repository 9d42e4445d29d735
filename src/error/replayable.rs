//! The trials of a run that can be replayed.

use std::fmt;

use hatchery_core::text::counted;

/// The trials that can be replayed, for an error that asks for such a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReplayableTrials {
    /// The generations that have begun and whose state is kept, in their order.
    pub(crate) generations: Vec<u32>,
    /// The number of subjects of the last generation.
    pub(crate) n_subjects: usize,
    /// The number of trials of its first subject.
    pub(crate) n_trials: u32,
}

impl fmt::Display for ReplayableTrials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(last) = self.generations.last() else {
            return f.write_str("no state of the run is kept, so no trial can be named");
        };
        let generations: Vec<_> = self.generations.iter().map(u32::to_string).collect();
        let subjects = counted(self.n_subjects, "subject");
        let trials = counted(self.n_trials, "trial");
        write!(
            f,
            "name a trial as GENERATION/SUBJECT/TRIAL, each counted from 0; kept are generations \
             {}, and generation {last} has {subjects}, the first with {trials}",
            generations.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_are_named_by_what_is_kept() {
        let check = |generations: &[u32], expected: &str| {
            let generations = generations.to_vec();
            let trials = ReplayableTrials { generations, n_subjects: 2, n_trials: 1 };
            assert_eq!(trials.to_string(), expected);
        };
        check(&[], "no state of the run is kept, so no trial can be named");
        check(
            &[0, 4],
            "name a trial as GENERATION/SUBJECT/TRIAL, each counted from 0; kept are generations \
             0, 4, and generation 4 has 2 subjects, the first with 1 trial",
        );
    }
}
