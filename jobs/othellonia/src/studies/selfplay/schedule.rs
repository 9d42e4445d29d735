//! The schedule of a run: what its generations do.

/// The schedule of the games and steps per network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Schedule {
    /// Each generation is a period of learning, whose trial plays its games.
    Paper {
        /// The periods.
        n_periods: u32,
        /// The steps of a period.
        steps: u32,
        /// The steps after each pair of games.
        steps_per_pair: u32,
    },
    /// Generation 0 makes new networks, the next one only plays, the later ones play and learn from
    /// the games of the one before, and a last one only learns.
    Wide {
        /// The trials of the generations that play, from generation 1 on.
        trials: Vec<u32>,
        /// The pairs of games of a trial.
        pairs: u32,
        /// The steps for each pair of games.
        steps_per_pair: u32,
    },
}

impl Schedule {
    /// Returns the number of periods of learning.
    pub(super) fn n_periods(&self) -> u32 {
        match self {
            Self::Paper { n_periods, .. } => *n_periods,
            Self::Wide { trials, .. } => u32::try_from(trials.len()).unwrap_or(u32::MAX),
        }
    }

    /// Returns the number of generations before the first period of learning.
    pub(super) const fn n_before(&self) -> u32 {
        match self {
            Self::Paper { .. } => 0,
            Self::Wide { .. } => 2,
        }
    }

    /// Returns the number of generations that make, play or learn: all but that of the last look.
    pub(super) fn n_generations(&self) -> u32 {
        self.n_before() + self.n_periods()
    }

    /// Returns true if a generation makes the networks, and does nothing else.
    pub(super) const fn makes(&self, generation: u32) -> bool {
        matches!(self, Self::Wide { .. }) && generation == 0
    }

    /// Returns the number of trials of a generation that record games of a network; 0 for none.
    pub(super) fn record_trials(&self, generation: u32) -> u32 {
        let Self::Wide { trials, .. } = self else { return 0 };
        let at = generation.checked_sub(1).map(|at| at as usize);
        at.and_then(|at| trials.get(at)).copied().unwrap_or(0)
    }

    /// Returns the period of learning, from 0 on, of a generation.
    pub(super) fn period(&self, generation: u32) -> Option<u32> {
        let period = generation.checked_sub(self.n_before());
        period.filter(|&period| period < self.n_periods())
    }

    /// Returns the steps of a period.
    ///
    /// # Panics
    /// If there is no such period, or it has more steps than a trial may have: the spec is checked.
    pub(super) fn steps(&self, period: u32) -> u32 {
        match self {
            Self::Paper { steps, .. } => *steps,
            Self::Wide { trials, pairs, steps_per_pair } => {
                let steps = u64::from(trials[period as usize])
                    * u64::from(*pairs)
                    * u64::from(*steps_per_pair);
                u32::try_from(steps).expect("a trial has at most a million steps")
            }
        }
    }

    /// Returns true if there is a look at a network after so many periods.
    pub(super) fn looks_after(&self, n_periods: u32, every: u32) -> bool {
        n_periods != 0 && (n_periods.is_multiple_of(every) || n_periods == self.n_periods())
    }

    /// Returns true if a generation has a look at networks that have learned in all periods before.
    pub(super) fn has_look(&self, generation: u32, every: u32) -> bool {
        let n_periods = generation.saturating_sub(self.n_before()).min(self.n_periods());
        generation <= self.n_generations() && self.looks_after(n_periods, every)
    }

    /// Returns the games of a file.
    pub(super) fn file_games(&self) -> u64 {
        match self {
            Self::Paper { steps, steps_per_pair, .. } => 2 * u64::from(steps / steps_per_pair),
            Self::Wide { pairs, .. } => 2 * u64::from(*pairs),
        }
    }

    /// Returns the most files of games that a generation adds.
    pub(super) fn most_files(&self) -> u64 {
        match self {
            Self::Paper { .. } => 1,
            Self::Wide { trials, .. } => trials.iter().copied().max().unwrap_or(0).into(),
        }
    }
}
