//! Metrics of many games, with intervals.

use hatchery_core::{IntervalEstimate, StreamRng};
use hatchery_figures::Quantity;
use hatchery_stats::{ErrorRate, bootstrap_strata, wilson_interval};

use super::game::GameNaturalness;
use super::metric::{NaturalnessMetric, ratio};

/// The number of samples of a bootstrap: the ends of the 95 % interval are its 25th lowest and
/// highest values.
const RESAMPLES: u32 = 999;

/// The number of samples for error rates below [`RARE`]: enough for those from
/// [`MIN_ERROR_RATE`](NaturalnessSummary::MIN_ERROR_RATE) on.
const RARE_RESAMPLES: u32 = 9_999;
const RARE: f64 = 0.01;

/// The naturalness of a player over many games.
#[derive(Clone, Debug, PartialEq)]
pub struct NaturalnessSummary {
    /// The sums over all games.
    pub total: GameNaturalness,
    /// A row for each metric, in the order of [`NaturalnessMetric::ALL`].
    pub rows: Vec<NaturalnessRow>,
}

/// A metric with its value and interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NaturalnessRow {
    /// The metric.
    pub metric: NaturalnessMetric,
    /// The value over all games; `None` if they have no move that the metric is about.
    pub value: Option<f64>,
    /// The lower and upper end of an interval; `None` without a value, for a single record of any
    /// group, where too many of the samples have no value, and below
    /// [`MIN_ERROR_RATE`](NaturalnessSummary::MIN_ERROR_RATE).
    pub interval: Option<[f64; 2]>,
    /// The number of moves that the metric is about.
    pub n_moves: u64,
    /// The number of games with such moves.
    pub n_games: u64,
}

impl NaturalnessSummary {
    /// The lowest error rate that has intervals.
    pub const MIN_ERROR_RATE: f64 = 0.000_2;

    /// Sums up `records`, which must be independent: either each game has its own record, or, for a
    /// player that learns from game to game, each sequence of games has its own record.
    ///
    /// Intervals at `error_rate` come from [`bootstrap_totals`](hatchery_stats::bootstrap_totals)
    /// with 999 samples of whole records, or 9,999 below an error rate of 0.01. A rate without a
    /// single event would get the interval from 0 to 0. Its upper end is instead the upper end for
    /// the share of records with an event by [`wilson_interval`], at one event in each such record.
    /// A rate at which every move is an event has the mirror image.
    ///
    /// The same `records` and `rng` give the same summary.
    #[must_use]
    pub fn new(records: &[GameNaturalness], error_rate: ErrorRate, rng: &mut StreamRng) -> Self {
        Self::of_groups(&[records], error_rate, rng)
    }

    /// Sums up the records from several groups, such as opponents, as [`new`](Self::new) sums up
    /// the records from a single group. Samples draw from each group as many records as it has: how
    /// groups differ does not widen intervals.
    #[must_use]
    pub fn of_groups(
        groups: &[&[GameNaturalness]],
        error_rate: ErrorRate,
        rng: &mut StreamRng,
    ) -> Self {
        let counts = |records: &&[GameNaturalness]| -> Vec<_> {
            records.iter().map(GameNaturalness::counts).collect()
        };
        let strata: Vec<Vec<_>> = groups.iter().map(counts).collect();
        let strata: Vec<&[_]> = strata.iter().map(Vec::as_slice).collect();
        let all = strata.iter().copied().flatten();
        let sums = all.fold([0_u64; GameNaturalness::N_COUNTS], |mut sums, group| {
            sums.iter_mut().zip(group).for_each(|(sum, it)| *sum = sum.saturating_add(*it));
            sums
        });
        let total = GameNaturalness::of_sums(&sums);
        let statistics = |sums: &[u64; GameNaturalness::N_COUNTS]| {
            let sample = GameNaturalness::of_sums(sums);
            NaturalnessMetric::ALL.map(|metric| metric.value(&sample))
        };
        let resamples = if error_rate.get() < RARE { RARE_RESAMPLES } else { RESAMPLES };
        let intervals = bootstrap_strata(&strata, statistics, resamples, error_rate, rng);
        let mut intervals = intervals.into_iter().flatten();
        let rows = NaturalnessMetric::ALL.map(|metric| {
            let interval = intervals.next().and_then(Result::ok);
            row(metric, groups, &total, (interval, error_rate))
        });
        Self { total, rows: rows.into() }
    }
}

fn row(
    metric: NaturalnessMetric,
    groups: &[&[GameNaturalness]],
    total: &GameNaturalness,
    (interval, error_rate): (Option<IntervalEstimate>, ErrorRate),
) -> NaturalnessRow {
    let found = metric.of(total);
    let records = || groups.iter().copied().flatten();
    let behind = || records().filter(|record| metric.of(record).n_moves != 0);
    let n_games = behind().map(GameNaturalness::games).sum();
    let interval = interval.map(|IntervalEstimate { low, high, .. }| {
        let n_records = behind().count() as u64;
        unvaried(metric.rate(total), n_records, error_rate).unwrap_or([low, high])
    });
    NaturalnessRow { metric, value: found.value, interval, n_moves: found.n_moves, n_games }
}

/// Returns the interval of a rate per 100 moves at which no move is an event, or every one is.
fn unvaried(rate: Option<(u64, u64)>, n_records: u64, error_rate: ErrorRate) -> Option<[f64; 2]> {
    let (events, moves) = rate.filter(|&(events, moves)| events == 0 || events == moves)?;
    let share = wilson_interval(0, n_records, error_rate).ok()?.high;
    let width = 100.0 * share * ratio(n_records, moves)?;
    Some(if events == 0 { [0.0, width] } else { [100.0 - width, 100.0] })
}

impl NaturalnessRow {
    /// Returns the value with its interval.
    #[must_use]
    pub fn quantity(&self) -> Option<Quantity> {
        let value = self.value?;
        Some(match self.interval {
            Some(interval) => Quantity::Estimate { value, interval },
            None => Quantity::Exact(value),
        })
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;
    use hatchery_core::text::rounded;

    use super::*;
    use crate::naturalness::{LossZone, MoveEvent, MoveJudgement};

    const RATE: ErrorRate = ErrorRate::FIVE_PERCENT;

    /// No success in 20 trials has the interval up to 1.96^2 / (20 + 1.96^2) = 0.16113.
    #[test]
    fn rates_without_events_have_an_upper_end() {
        let check = |rate, expected: Option<[&str; 2]>| {
            let found = unvaried(rate, 20, RATE).map(|ends| ends.map(|end| rounded(end, 4)));
            assert_eq!(found, expected.map(|ends| ends.map(str::to_owned)), "{rate:?}");
        };
        check(Some((0, 500)), Some(["0.0000", "0.6445"]));
        check(Some((500, 500)), Some(["99.3555", "100.0000"]));
        check(Some((1, 500)), None);
        check(Some((0, 0)), None);
        check(None, None);
    }

    fn stream(label: &str) -> StreamRng {
        RunSeed::new("naturalness", 18).generation(0).stream(label)
    }

    /// Returns moves of a game as advantage and loss in points, and whether each is on an X-square.
    /// The true slope is 1/5, the mean loss 0.2, and the share of X-squares 20 %. Moves within one
    /// game are alike: a shift applies to all its losses, and its rate of X-squares is either 10 or
    /// 30 %.
    fn synthetic_moves(rng: &mut StreamRng) -> Vec<(u64, u64, bool)> {
        let n_moves = 20 + rng.below(11);
        let (shift, rate) = (u64::from(rng.below(401)), 1 + 2 * rng.below(2));
        let mut one = || {
            let advantage = 2_000 + u64::from(rng.below(6_001));
            let noise = u64::from(rng.below(1_001));
            (advantage, 300 + advantage / 5 + shift + noise, rng.below(10) < rate)
        };
        (0..n_moves).map(|_| one()).collect()
    }

    fn record(moves: &[(u64, u64, bool)]) -> GameNaturalness {
        let mut game = GameNaturalness::begin();
        for &(advantage, loss, on_x_square) in moves {
            let events = on_x_square.then_some(MoveEvent::XSquare).into_iter().collect();
            let zone = LossZone::Estimated;
            game.add(&MoveJudgement { zone, advantage, loss, surprise: 0, events });
        }
        game
    }

    fn row_of(summary: &NaturalnessSummary, metric: NaturalnessMetric) -> NaturalnessRow {
        *summary.rows.iter().find(|row| row.metric == metric).expect("each metric has a row")
    }

    const SLOPE: NaturalnessMetric = NaturalnessMetric::FlowSlope(LossZone::Estimated);
    const MEAN: NaturalnessMetric = NaturalnessMetric::LossMean(LossZone::Estimated);

    #[test]
    fn slopes_are_those_of_the_closed_form() {
        let mut rng = stream("slope");
        let games: Vec<_> = (0..30).map(|_| synthetic_moves(&mut rng)).collect();
        let points: Vec<(f64, f64)> = games
            .iter()
            .flatten()
            .map(|&(advantage, loss, _)| (advantage as f64 / 1e4, loss as f64 / 1e4))
            .collect();
        let n = points.len() as f64;
        let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / n;
        let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / n;
        let covariance: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
        let variance: f64 = points.iter().map(|(x, _)| (x - mean_x) * (x - mean_x)).sum();
        let records: Vec<_> = games.iter().map(|game| record(game)).collect();
        let summary = NaturalnessSummary::new(&records, RATE, &mut stream("bootstrap"));
        let slope = row_of(&summary, SLOPE);
        let near = |value: Option<f64>, expected: f64| (value.unwrap() - expected).abs() < 1e-9;
        assert!(near(slope.value, covariance / variance), "{slope:?}");
        assert!(near(row_of(&summary, MEAN).value, mean_y));
        assert_eq!((slope.n_moves, slope.n_games), (points.len() as u64, 30));
        assert_eq!(summary, NaturalnessSummary::new(&records, RATE, &mut stream("bootstrap")));
    }

    /// The share of 200 samples of 60 games is between 0.896 and 1 but for once in 2,000 cases (3.5
    /// standard errors); 60 groups cost a point.
    #[test]
    fn intervals_cover_the_truth() {
        let mut rng = stream("coverage");
        let truths = [(SLOPE, 0.2), (MEAN, 0.2), (NaturalnessMetric::XSquare, 20.0)];
        let mut covered = [0; 3];
        for _ in 0..200 {
            let records: Vec<_> = (0..60).map(|_| record(&synthetic_moves(&mut rng))).collect();
            let summary = NaturalnessSummary::new(&records, RATE, &mut rng);
            for (covered, (metric, truth)) in covered.iter_mut().zip(truths) {
                let [low, high] = row_of(&summary, metric).interval.expect("60 games vary");
                *covered += u32::from(low <= truth && truth <= high);
            }
        }
        println!("{covered:?} of 200");
        assert!(covered.iter().all(|it| (178..=199).contains(it)), "{covered:?}");
    }

    /// There are two opponents, and against one opponent every move is on an X-square. The rate for
    /// both opponents together does not vary, and neither does the rate for a single opponent.
    #[test]
    fn opponents_are_not_resampled_together() {
        let all_moves = |on_x_square| vec![record(&[(5_000, 500, on_x_square); 20]); 10];
        let (never, always) = (all_moves(false), all_moves(true));
        let interval = |groups: &[&[GameNaturalness]]| {
            let summary = NaturalnessSummary::of_groups(groups, RATE, &mut stream("groups"));
            row_of(&summary, NaturalnessMetric::XSquare).interval
        };
        assert_eq!(interval(&[&never, &always]), Some([50.0, 50.0]));
        let [low, high] = interval(&[&[never.clone(), always].concat()]).unwrap();
        assert!(low < 35.0 && 65.0 < high, "{low} to {high}");
        assert_eq!(interval(&[&never, &never[..1]]), None);
    }

    #[test]
    fn error_rates_have_a_limit() {
        let game = record(&synthetic_moves(&mut stream("limit")));
        let interval = |error_rate| {
            let rate = ErrorRate::new(error_rate).unwrap();
            let records = [game.clone(), game.clone()];
            let summary = NaturalnessSummary::new(&records, rate, &mut stream("limit"));
            row_of(&summary, MEAN).interval
        };
        let least = NaturalnessSummary::MIN_ERROR_RATE;
        assert!(interval(least).is_some() && interval(0.99 * least).is_none());
    }

    #[test]
    fn few_or_empty_games_have_no_intervals() {
        let mut rng = stream("few");
        let game = record(&synthetic_moves(&mut rng));
        let mut check = |records: &[GameNaturalness], value, interval| {
            let summary = NaturalnessSummary::new(records, RATE, &mut rng);
            let row = row_of(&summary, MEAN);
            assert_eq!((row.value.is_some(), row.interval.is_some()), (value, interval));
            assert_eq!(summary.rows.len(), NaturalnessMetric::ALL.len());
        };
        check(&[], false, false);
        check(std::slice::from_ref(&game), true, false);
        check(&[game.clone(), game.clone()], true, true);
        check(&[GameNaturalness::begin(), GameNaturalness::begin()], false, false);
        let summary = NaturalnessSummary::new(&[game.clone(), game], RATE, &mut stream("csv"));
        let row = row_of(&summary, NaturalnessMetric::TooAdvanced);
        assert_eq!((row.quantity(), row.n_moves, row.n_games), (None, 0, 0));
    }
}
