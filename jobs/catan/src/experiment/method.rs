//! How many games decide: a number fixed beforehand, or looks on the way.

use hatchery_core::InvalidParam;
use hatchery_stats::error::ErrorRate;
use hatchery_stats::sequential::anytime_sigma_interval;
use hatchery_stats::spread::sigma_interval;
use hatchery_stats::{
    AlphaSpending, EquivalenceTest, FairnessVerdict, GroupSequential, OutcomeCounts,
    anytime_verdict,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When a map is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum MethodParam {
    /// Once, after a number of games fixed beforehand: `games`.
    #[default]
    Fixed,
    /// After `games`, twice as many, and so on: each look has a share of the error rate. A map that
    /// is judged is not played on.
    GroupSequential {
        /// The last look.
        #[schemars(range(min = 1, max = 100_000_000))]
        most_games: u32,
        /// How the error rate is shared among looks.
        #[serde(default)]
        spending: SpendingParam,
    },
    /// After every `games` games, by evidence that may be looked at whenever one likes. A map that
    /// is judged is not played on.
    Anytime {
        /// The last look.
        #[schemars(range(min = 1, max = 100_000_000))]
        most_games: u32,
    },
}

/// How the error rate is shared among looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpendingParam {
    /// Early looks have little: only the clearest maps are judged early.
    ObrienFleming,
    /// Early looks have much.
    Pocock,
    /// In proportion to games.
    #[default]
    Proportional,
}

/// More looks are refused: each is a generation.
const MOST_LOOKS: u32 = 1_000;

/// The looks of a run and what is decided at them.
#[derive(Clone, Debug)]
pub(super) struct Course {
    /// Games of a map until each look.
    looks: Vec<u64>,
    rule: Rule,
    margin: f64,
    error_rate: ErrorRate,
}

#[derive(Clone, Debug)]
enum Rule {
    Fixed(EquivalenceTest),
    GroupSequential(GroupSequential),
    Anytime,
}

impl MethodParam {
    /// The course of `games` games until the first look, with a margin in percent points.
    pub(super) fn course(
        self,
        games: u32,
        margin_points: f64,
        error_rate: f64,
    ) -> Result<Course, InvalidParam> {
        let error_rate = ErrorRate::new(error_rate)
            .map_err(|_| InvalidParam::new("error_rate", &error_rate, "above 0 and at most 0.5"))?;
        let margin = margin_points / 100.0;
        let bad_margin = |_| InvalidParam::new("margin", &margin_points, "above 0 and below 50");
        let certification = EquivalenceTest::new(margin, error_rate).map_err(bad_margin)?;
        let looks = self.looks(games)?;
        let rule = match self {
            Self::Fixed => Rule::Fixed(certification),
            Self::GroupSequential { spending, .. } => Rule::GroupSequential(
                GroupSequential::new(margin, error_rate, &looks, spending.into())
                    .map_err(bad_margin)?,
            ),
            Self::Anytime { .. } => Rule::Anytime,
        };
        Ok(Course { looks, rule, margin, error_rate })
    }

    fn looks(self, games: u32) -> Result<Vec<u64>, InvalidParam> {
        let (Self::GroupSequential { most_games, .. } | Self::Anytime { most_games }) = self else {
            return Ok(vec![u64::from(games)]);
        };
        if most_games < games {
            let expected = format!("at least `games`, {games}");
            return Err(InvalidParam::new("method.most_games", &most_games, expected));
        }
        let (first, last) = (u64::from(games), u64::from(most_games));
        if matches!(self, Self::Anytime { .. }) {
            if MOST_LOOKS < most_games.div_ceil(games) {
                let expected = format!("at most {MOST_LOOKS} times `games`, {games}");
                return Err(InvalidParam::new("method.most_games", &most_games, expected));
            }
            let looks = (1..).map(|look| look * first).take_while(|&look| look < last);
            return Ok(looks.chain([last]).collect());
        }
        let looks = std::iter::successors(Some(first), |look| Some(2 * look));
        Ok(looks.take_while(|&look| look < last).chain([last]).collect())
    }
}

impl From<SpendingParam> for AlphaSpending {
    fn from(param: SpendingParam) -> Self {
        match param {
            SpendingParam::ObrienFleming => Self::OBrienFleming,
            SpendingParam::Pocock => Self::Pocock,
            SpendingParam::Proportional => Self::Power(1.0),
        }
    }
}

impl Course {
    /// Games of a map until each look.
    pub(super) fn looks(&self) -> &[u64] {
        &self.looks
    }

    /// Whether nothing is played after `look`, counted from 0.
    pub(super) fn is_last(&self, look: usize) -> bool {
        self.looks.len() <= look + 1
    }

    /// The margin of sigma, as a share.
    pub(super) fn margin(&self) -> f64 {
        self.margin
    }

    /// The error rate of each verdict.
    pub(super) fn error_rate(&self) -> ErrorRate {
        self.error_rate
    }

    /// What `wins` of each seat say at `look`, counted from 0; undecided if there are none.
    pub(super) fn verdict(&self, look: usize, wins: &[u64]) -> FairnessVerdict {
        let Ok(counts) = OutcomeCounts::new(wins) else {
            return FairnessVerdict::Undecided;
        };
        match &self.rule {
            Rule::Fixed(certification) => certification.verdict(counts),
            Rule::GroupSequential(looks) => {
                let verdict = looks.verdict(look, counts);
                verdict.expect("a look is asked about once its games are played")
            }
            Rule::Anytime => anytime_verdict(counts, self.margin, self.error_rate),
        }
    }

    /// With what probability the last look says fair by what `wins` until `look` tell; 1 where it is
    /// not known.
    pub(super) fn prospect(&self, look: usize, wins: &[u64]) -> f64 {
        match (&self.rule, OutcomeCounts::new(wins)) {
            (Rule::GroupSequential(looks), Ok(counts)) => {
                let prospect = looks.predictive_power(look, counts);
                prospect.expect("a look is asked about once its games are played")
            }
            _ => 1.0,
        }
    }

    /// Bounds of sigma: where looks go on, those that hold at all of them if there are such.
    pub(super) fn sigma_interval(&self, counts: OutcomeCounts<'_>) -> (f64, f64) {
        match self.rule {
            Rule::Anytime => anytime_sigma_interval(counts, self.error_rate),
            Rule::Fixed(_) | Rule::GroupSequential(_) => sigma_interval(counts, self.error_rate),
        }
    }
}
