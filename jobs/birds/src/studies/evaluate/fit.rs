//! Decides whether levels fit players: a level fits if as many play-outs clear it as its designer
//! wants.

use hatchery_core::IntervalEstimate;
use hatchery_stats::further_samples;

/// The shares of play-outs that should clear a level, by default.
pub(super) const DEFAULT_TARGET: [f64; 2] = [0.3, 0.8];

/// The fit of a level to a player, as the interval of the clear rate shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LevelFit {
    /// The whole interval of the clear rate is within the target.
    Fits,
    /// The whole interval is below the target.
    TooHard,
    /// The whole interval is above the target.
    TooEasy,
    /// The interval reaches over an end of the target.
    Undecided,
}

impl LevelFit {
    /// All fits, in the order of texts.
    pub(super) const ALL: [Self; 4] = [Self::Fits, Self::TooHard, Self::TooEasy, Self::Undecided];

    /// Compares a clear rate with the target.
    pub(super) fn of(rate: &IntervalEstimate, [least, most]: [f64; 2]) -> Self {
        if rate.high < least {
            Self::TooHard
        } else if most < rate.low {
            Self::TooEasy
        } else if least <= rate.low && rate.high <= most {
            Self::Fits
        } else {
            Self::Undecided
        }
    }

    /// Returns the words.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::TooHard => "too hard",
            Self::TooEasy => "too easy",
            Self::Undecided => "undecided",
        }
    }
}

/// Returns the further play-outs after which the interval of a clear rate would lie on one side of
/// both ends of the target, if the rate stays as it is; `None` if no number is worth playing.
pub(super) fn further_plays(rate: &IntervalEstimate, target: [f64; 2]) -> Option<u64> {
    let further = target.map(|end| further_samples(rate, end));
    let [of_least, of_most] = further;
    Some(of_least?.max(of_most?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(mean: f64, low: f64, high: f64) -> IntervalEstimate {
        IntervalEstimate { mean, low, high, n: 50, confidence: 0.95 }
    }

    #[test]
    fn a_level_fits_only_if_its_whole_interval_does() {
        let fit = |low, high| LevelFit::of(&rate(f64::midpoint(low, high), low, high), [0.3, 0.8]);
        assert_eq!(fit(0.3, 0.8), LevelFit::Fits);
        assert_eq!(fit(0.1, 0.29), LevelFit::TooHard);
        assert_eq!(fit(0.81, 1.0), LevelFit::TooEasy);
        for (low, high) in [(0.2, 0.4), (0.7, 0.9), (0.1, 0.9), (0.2, 0.3)] {
            assert_eq!(fit(low, high), LevelFit::Undecided, "{low} to {high}");
        }
    }

    /// Half the reach takes four times as many play-outs, and a probability of 80 % twice as many
    /// again.
    #[test]
    fn undecided_levels_need_more_plays() {
        assert_eq!(further_plays(&rate(0.4, 0.2, 0.6), [0.3, 0.8]), Some(359));
        assert_eq!(further_plays(&rate(0.5, 0.4, 0.6), [0.3, 0.8]), Some(0));
        assert_eq!(further_plays(&rate(0.3, 0.2, 0.4), [0.3, 0.8]), None);
    }
}
