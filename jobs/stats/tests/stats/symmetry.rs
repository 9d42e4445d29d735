//! Symmetry, order and finiteness of statements about the strength of players.

use hatchery_core::IntervalEstimate;
use hatchery_stats::{
    EloModel, EloSprt, ErrorRate, MatchCounts, PairRecord, PlayerRating, RatingFit, RatingPrior,
    ResultTable, StatsError, elo_of_score, match_elo, score_of_elo,
};
use proptest::prelude::*;

const RATE: ErrorRate = ErrorRate::FIVE_PERCENT;

const PLAYERS: usize = 6;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * (1.0 + a.abs() + b.abs())
}

fn is_sound(interval: IntervalEstimate) -> bool {
    let IntervalEstimate { mean, low, high, .. } = interval;
    low.is_finite() && high.is_finite() && low <= mean && mean <= high
}

/// Generates counts of any size; many counts are 0.
fn count() -> impl Strategy<Value = u64> {
    prop_oneof![3 => Just(0), 3 => 0_u64..4, 2 => 0_u64..500, 1 => 0_u64..1 << 40]
}

fn pairs() -> impl Strategy<Value = [u64; 5]> {
    prop::array::uniform5(count()).prop_filter("a pair", |bins| bins.iter().any(|&n| 0 < n))
}

fn games() -> impl Strategy<Value = [u64; 3]> {
    prop::array::uniform3(count()).prop_filter("a game", |bins| bins.iter().any(|&n| 0 < n))
}

fn match_counts() -> impl Strategy<Value = MatchCounts> {
    prop_oneof![
        games().prop_map(|bins| MatchCounts::of_games(bins).expect("there is a game")),
        pairs().prop_map(|bins| MatchCounts::of_pairs(bins).expect("there is a pair")),
    ]
}

/// Records of a few pairs of players, of fewer than `most` wins, draws and losses each.
fn records(most: u64) -> impl Strategy<Value = Vec<PairRecord>> {
    let count = || count().prop_map(move |count| count % most);
    let record = (0..PLAYERS, 1..PLAYERS, count(), count(), count()).prop_map(
        |(first, distance, wins, draws, losses)| PairRecord {
            first,
            second: (first + distance) % PLAYERS,
            wins,
            draws,
            losses,
        },
    );
    prop::collection::vec(record, 0..20)
}

/// Games between each player and the next, so that the table is connected.
fn chain() -> impl Iterator<Item = PairRecord> {
    let next = |first| PairRecord { first, second: first + 1, wins: 1, draws: 1, losses: 0 };
    (0..PLAYERS - 1).map(next)
}

fn fit(records: &[PairRecord], prior: RatingPrior) -> Result<RatingFit, StatsError> {
    RatingFit::new(&ResultTable::new(PLAYERS, records).expect("the records are valid"), prior)
}

/// Returns the rating and the standard error of a player.
fn elo(fit: &RatingFit, player: usize) -> (f64, f64) {
    match fit.rating(player) {
        Ok(PlayerRating::Rated { elo, standard_error }) => (elo, standard_error),
        other => panic!("player {player} is {other:?}"),
    }
}

/// Ratings that hardly any game ties to the others are found to a small part of their error.
fn alike(a: (f64, f64), b: (f64, f64)) -> bool {
    (a.0 - b.0).abs() <= 1e-6 * (1.0 + a.0.abs() + a.1) && (a.1 / b.1 - 1.0).abs() < 1e-3
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn matches_are_finite_and_symmetric(counts in match_counts()) {
        let (ours, theirs) = (match_elo(&counts, RATE), match_elo(&counts.reversed(), RATE));
        prop_assert!(is_sound(ours.score) && is_sound(ours.elo), "{ours:?}");
        prop_assert!((0.0..=1.0).contains(&ours.superiority), "{ours:?}");
        prop_assert!(close(ours.elo.mean, -theirs.elo.mean), "{ours:?} and {theirs:?}");
        prop_assert!(close(ours.elo.low, -theirs.elo.high), "{ours:?} and {theirs:?}");
        prop_assert!(close(ours.superiority, 1.0 - theirs.superiority), "{ours:?} and {theirs:?}");
        match (ours.normalized, theirs.normalized) {
            (Some(ours), Some(theirs)) => {
                prop_assert!(is_sound(ours) && close(ours.mean, -theirs.mean), "{ours:?}");
            }
            (ours, theirs) => prop_assert_eq!(ours, theirs),
        }
    }

    #[test]
    fn better_results_have_higher_elo(bins in pairs(), bin in 0_usize..4) {
        let (mut worse, mut better) = (bins, bins);
        worse[bin] += 1;
        better[bin + 1] += 1;
        let elo = |bins| match_elo(&MatchCounts::of_pairs(bins).unwrap(), RATE).elo.mean;
        // One pair of 2^40 is lost in rounding.
        prop_assert!(elo(worse) <= elo(better) + 1e-9);
        if bins.iter().sum::<u64>() < 100_000 && elo(worse).abs() < 1190.0 {
            prop_assert!(elo(worse) < elo(better));
        }
    }

    #[test]
    fn ratios_are_finite_and_symmetric(
        counts in match_counts(),
        [a, b] in prop::array::uniform2(-200.0..200.0_f64),
    ) {
        let (elo0, elo1) = (a.min(b), a.max(b));
        prop_assume!(elo0 < elo1);
        for model in [EloModel::Logistic, EloModel::Normalized] {
            let sprt = EloSprt::new(model, [elo0, elo1], RATE, RATE).unwrap();
            let mirrored = EloSprt::new(model, [-elo1, -elo0], RATE, RATE).unwrap();
            let ours = sprt.verdict(&counts).llr;
            let theirs = mirrored.verdict(&counts.reversed()).llr;
            prop_assert!(ours.is_finite() && close(ours, -theirs), "{ours} and {theirs}");
        }
    }

    #[test]
    fn scores_and_differences_are_inverse(score in 1e-9..1.0_f64) {
        let elo = elo_of_score(score).unwrap();
        prop_assert!((score_of_elo(elo).unwrap() / score - 1.0).abs() < 1e-9);
    }

    /// Any table has finite ratings, explicit answers, or an error.
    #[test]
    fn ratings_are_never_silent(records in records(1 << 40)) {
        let Ok(fit) = fit(&records, RatingPrior::None) else { return Ok(()) };
        for player in 0..PLAYERS {
            match fit.rating(player).unwrap() {
                PlayerRating::Rated { elo, standard_error } => {
                    prop_assert!(elo.is_finite() && standard_error.is_finite());
                    prop_assert!(is_sound(fit.interval(player, RATE).unwrap()));
                }
                _ => prop_assert!(fit.interval(player, RATE).is_err()),
            }
        }
    }

    #[test]
    fn swapped_results_negate_ratings(records in records(10_000)) {
        let records: Vec<PairRecord> = records.into_iter().chain(chain()).collect();
        let swap = |it: &PairRecord| PairRecord { wins: it.losses, losses: it.wins, ..*it };
        let swapped: Vec<PairRecord> = records.iter().map(swap).collect();
        let prior = RatingPrior::DrawsPerPairing(0.5);
        let [ours, theirs] = [records, swapped].map(|records| fit(&records, prior).unwrap());
        for player in 0..PLAYERS {
            let (ours, theirs) = (elo(&ours, player), elo(&theirs, player));
            prop_assert!(alike(ours, (-theirs.0, theirs.1)), "{ours:?} and {theirs:?}");
        }
    }

    #[test]
    fn names_do_not_matter(records in records(10_000), shift in 1..PLAYERS) {
        let renamed = |player: usize| (player * 5 + shift) % PLAYERS;
        // The other player's side, in the opposite order.
        let rename = |it: &PairRecord| PairRecord {
            first: renamed(it.second),
            second: renamed(it.first),
            wins: it.losses,
            draws: it.draws,
            losses: it.wins,
        };
        let other: Vec<PairRecord> = records.iter().rev().map(rename).collect();
        let (Ok(ours), Ok(theirs)) =
            (fit(&records, RatingPrior::None), fit(&other, RatingPrior::None)) else {
            return Ok(());
        };
        let rated = |&player: &usize| ours.interval(player, RATE).is_ok();
        // Of two groups of the same size, the one of the lowest player is rated.
        prop_assume!(PLAYERS < 2 * (0..PLAYERS).filter(rated).count());
        for player in 0..PLAYERS {
            if rated(&player) {
                let (ours, theirs) = (elo(&ours, player), elo(&theirs, renamed(player)));
                prop_assert!(alike(ours, theirs), "{ours:?} and {theirs:?}");
            } else {
                prop_assert_eq!(ours.rating(player), theirs.rating(renamed(player)));
            }
        }
    }

    #[test]
    fn a_win_more_raises_the_winner(records in records(10_000), first in 0..PLAYERS - 1) {
        let mut records: Vec<PairRecord> = records.into_iter().chain(chain()).collect();
        let prior = RatingPrior::DrawsPerPairing(0.5);
        let before = fit(&records, prior).unwrap();
        // The draw of the chain becomes a win.
        let idx = records.len() - (PLAYERS - 1) + first;
        records[idx] = PairRecord { wins: 2, draws: 0, ..records[idx] };
        let after = fit(&records, prior).unwrap();
        let games_of = |player| before.interval(player, RATE).unwrap().n;
        let games = games_of(first) + games_of(first + 1);
        for (player, direction) in [(first, 1.0), (first + 1, -1.0)] {
            let ((before, error), (after, _)) = (elo(&before, player), elo(&after, player));
            let rise = direction * (after - before);
            prop_assert!(-1e-6 * (1.0 + error) <= rise, "{before} to {after}");
            if error < 1000.0 && before.abs() < 1000.0 && games < 10_000 {
                prop_assert!(0.0 < rise, "{before} to {after}");
            }
        }
    }
}
