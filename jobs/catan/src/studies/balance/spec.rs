//! The spec of `catan-balance`.

use hatchery_core::spec::FileList;
use hatchery_core::{CostTrend, GenerationSeed, InvalidValue, WorkPhase};
use hatchery_stats::halving_rounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::params::maps::{self, MapParam, NamedMap, RandomMaps};
use crate::params::method::{LookSchedule, MethodParam};
use crate::players::AgentPool;
use crate::rules::{FEWEST_POINTS, MOST_POINTS, RobberRule};

/// The most trials that a run keeps. A state holds every kept trial, in at most three bytes per
/// trial.
const MAX_KEPT_TRIALS: u64 = 1_000_000;

/// The spec of `catan-balance`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BalanceSpec {
    /// Maps: `"rulebook"`, `"tournament"`, the line of a map, JSON of a map file or of Catanatron,
    /// the header of a catanlog file, or `{ name = "mine", map = "..." }` with one of these.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub maps: FileList<MapParam>,
    /// Maps drawn from the run's seed.
    #[serde(default)]
    #[schemars(length(max = 4), extend("x-source" = "Hwang & Kaneko: 29 random maps"))]
    pub random: Vec<RandomMaps>,
    /// The agents and the order of their seats.
    #[schemars(extend("x-source" = "Hwang & Kaneko: JSettlers"))]
    pub pool: AgentPool,
    /// Games of each map; with a method that has several looks, games until the first look.
    #[serde(default = "games")]
    #[schemars(range(min = 1, max = 100_000_000), extend("x-source" = "Hwang & Kaneko: 2,000"))]
    pub games: u32,
    /// Turns of all players after which a game is stopped undecided.
    #[serde(default = "turn_cap")]
    #[schemars(range(min = 1, max = 10_000), extend("x-source" = "ours"))]
    pub turn_cap: u16,
    /// The points that win a game. Default: 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = FEWEST_POINTS, max = MOST_POINTS))]
    pub points_to_win: Option<u8>,
    /// The robber: `usual`, or `friendly`, which spares players with two points. Without it, usual.
    #[serde(default, skip_serializing_if = "RobberRule::is_usual")]
    pub robber: RobberRule,
    /// The method that says when a map is judged.
    #[serde(default)]
    pub method: MethodParam,
    /// The largest standard deviation of the true win rates of a fair map, in percentage points.
    #[serde(default = "margin")]
    #[schemars(
        range(min = 0.001, max = 40),
        extend("x-source" = "Hwang & Kaneko: 0.5 and 1.0 are the bounds of their counts")
    )]
    pub margin: f64,
    /// The largest probability of calling a map fair that is not, or unfair that is not.
    #[serde(default = "error_rate")]
    #[schemars(range(min = 1e-6, max = 0.5))]
    pub error_rate: f64,
    /// Screening: the maps are candidates, and only the most even ones are judged, by fresh games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halving: Option<HalvingParams>,
    /// Keeps the winner and the length of each game, as the table `trials` with a row for each. A
    /// run with it has at most 1,000,000 games. Without it, false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_trials: bool,
}

/// Screening of candidates by sequential halving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HalvingParams {
    /// Games of all rounds together, if rounds went on until one candidate is left.
    #[schemars(range(min = 1, max = 1_000_000_000_000_u64))]
    pub budget: u64,
    /// After each round, the most even of every `one_of` candidates stay.
    #[serde(default = "one_of")]
    #[schemars(range(min = 2, max = 1000))]
    pub one_of: u32,
    /// The number of candidates that are kept and judged.
    #[serde(default = "keep")]
    #[schemars(range(min = 1, max = 1000))]
    pub keep: u32,
}

fn games() -> u32 {
    2_000
}

fn turn_cap() -> u16 {
    2_000
}

fn margin() -> f64 {
    1.0
}

fn error_rate() -> f64 {
    0.05
}

fn one_of() -> u32 {
    4
}

fn keep() -> u32 {
    1
}

/// The parameters of `catan-balance`, checked, with the looks and rounds that follow from them.
#[derive(Debug)]
pub struct CheckedBalance {
    pub(super) spec: BalanceSpec,
    /// The looks at which maps are judged, with their decision rule.
    pub(super) look_schedule: LookSchedule,
    /// The rounds of screening, which follow sequential halving until `keep` maps are left. There
    /// are no rounds without screening.
    pub(super) rounds: Vec<ScreeningRound>,
}

/// A round of screening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScreeningRound {
    /// The number of new games that each candidate plays.
    pub(super) games: u32,
    /// The number of candidates that stay.
    pub(super) stay: usize,
}

impl BalanceSpec {
    /// Checks that the parameters fit together.
    pub(super) fn checked(self) -> Result<CheckedBalance, InvalidValue> {
        let Self { method, games, margin, error_rate, .. } = self;
        let n_seats = self.pool.agents.len();
        let look_schedule = method.look_schedule(n_seats, games, margin, error_rate)?;
        let checked = CheckedBalance { rounds: self.rounds()?, look_schedule, spec: self };
        checked.check_kept_trials()?;
        Ok(checked)
    }

    /// Reads or draws the maps, in their order.
    pub(super) fn named_maps(&self, seed: &GenerationSeed) -> Result<Vec<NamedMap>, InvalidValue> {
        maps::read_maps(&self.maps, &self.random, seed)
    }

    /// Returns the number of maps.
    fn n_maps(&self) -> u32 {
        let drawn: u32 = self.random.iter().map(|random| random.count).sum();
        u32::try_from(self.maps.len()).unwrap_or(u32::MAX).saturating_add(drawn)
    }

    /// Returns the rounds of screening.
    fn rounds(&self) -> Result<Vec<ScreeningRound>, InvalidValue> {
        let Some(HalvingParams { budget, one_of, keep }) = self.halving else {
            return Ok(Vec::new());
        };
        let n_maps = self.n_maps();
        if n_maps <= keep {
            let expected = format!("below the number of maps, {n_maps}");
            return Err(InvalidValue::new("halving.keep", &keep, expected));
        }
        let refused = |expected: String| InvalidValue::new("halving.budget", &budget, expected);
        let all = halving_rounds(n_maps, one_of, budget)
            .map_err(|error| refused(format!("enough for every map in every round: {error}")))?;
        let cut = all.iter().take_while(|round| keep < round.candidates);
        let round = |round: &hatchery_stats::halving::HalvingRound| {
            let games = u32::try_from(round.trials_each).ok();
            let games = games.filter(|&games| games <= 100_000_000).ok_or_else(|| {
                refused("so small that a round has at most 100,000,000 games of a map".to_owned())
            })?;
            let stay = round.candidates.div_ceil(one_of).max(keep) as usize;
            Ok(ScreeningRound { games, stay })
        };
        cut.map(round).collect()
    }
}

impl CheckedBalance {
    /// Returns the phases of a run: each round of screening, then each look.
    pub(super) fn phases(&self) -> Vec<WorkPhase> {
        let mut n_maps = u64::from(self.spec.n_maps());
        let mut phases = Vec::new();
        for round in &self.rounds {
            let n_trials = n_maps * u64::from(round.games);
            // Games of the same agents take about as long on any map.
            let cost = CostTrend::Steady;
            phases.push(WorkPhase::new(1, n_trials..=n_trials, cost));
            n_maps = round.stay as u64;
        }
        phases.extend(self.look_schedule.phases(n_maps..=n_maps));
        phases
    }

    /// Checks that a run that keeps its trials has at most [`MAX_KEPT_TRIALS`] trials, whatever the
    /// verdicts.
    fn check_kept_trials(&self) -> Result<(), InvalidValue> {
        if !self.spec.keep_trials {
            return Ok(());
        }
        let phases = self.phases();
        let n_trials = phases.iter().map(|phase| *phase.n_trials.end()).sum::<u64>();
        if n_trials <= MAX_KEPT_TRIALS {
            return Ok(());
        }
        let expected = format!(
            "false, or fewer games or maps: the run has up to {n_trials} games, and at most \
             {MAX_KEPT_TRIALS} are kept"
        );
        Err(InvalidValue::new("keep_trials", &true, expected))
    }
}
