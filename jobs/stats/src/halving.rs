//! Sequential halving: dividing trials among candidates to find the best one.
//!
//! The rounds are fixed by a budget before the first trial. `hatchery_evolve::allocation` narrows a
//! population too, but by shares and numbers of trials that a spec gives, and pools scores over
//! stages.

use crate::error::StatsError;

/// A round of sequential halving: every candidate left gets `trials_each` new trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalvingRound {
    /// The number of candidates left.
    pub candidates: u32,
    /// The number of new trials for each candidate.
    pub trials_each: u64,
}

/// Returns the rounds of *sequential halving* (Karnin, Koren & Somekh, "Almost optimal exploration
/// in multi-armed bandits", ICML 2013, algorithm 1): each round gets the same share of `budget`
/// trials, and after each the best of every `one_of` candidates stay, until one is left.
///
/// The estimate that selected the last candidate is biased upward: measure the candidate again with
/// new trials.
///
/// # Errors
/// If there are no candidates, `one_of` is below 2, or the budget does not give every candidate a
/// trial in every round.
pub fn halving_rounds(
    candidates: u32,
    one_of: u32,
    budget: u64,
) -> Result<Vec<HalvingRound>, StatsError> {
    for (name, value, least, range) in
        [("candidates", candidates, 1, "at least 1"), ("one_of", one_of, 2, "at least 2")]
    {
        if value < least {
            return Err(StatsError::OutOfRange { name, value: f64::from(value), range });
        }
    }
    let mut left = vec![candidates];
    let mut last = candidates.div_ceil(one_of);
    while 1 < last {
        left.push(last);
        last = last.div_ceil(one_of);
    }
    let n = left.len() as u64;
    let least = n * u64::from(candidates);
    if budget < least {
        return Err(StatsError::BudgetTooSmall { budget, least });
    }
    let round =
        |candidates| HalvingRound { candidates, trials_each: budget / n / u64::from(candidates) };
    Ok(left.into_iter().map(round).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_share_the_budget() {
        let got = halving_rounds(64, 4, 192_000).unwrap();
        let expected = [(64, 1000), (16, 4000), (4, 16_000)];
        let expected =
            expected.map(|(candidates, trials_each)| HalvingRound { candidates, trials_each });
        assert_eq!(got, expected);
        let all = |candidates| -> u64 {
            let rounds = halving_rounds(candidates, 2, 10_000).unwrap();
            rounds.iter().map(|round| u64::from(round.candidates) * round.trials_each).sum()
        };
        assert_eq!(all(1), 10_000);
        assert!((1..200).all(|candidates| (9_000..=10_000).contains(&all(candidates))));
    }

    #[test]
    fn invalid_plans_are_refused() {
        assert!(halving_rounds(0, 2, 100).is_err() && halving_rounds(4, 1, 100).is_err());
        let error = halving_rounds(64, 2, 383).unwrap_err();
        assert_eq!(error, StatsError::BudgetTooSmall { budget: 383, least: 384 });
    }
}
