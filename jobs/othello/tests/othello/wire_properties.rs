//! Encodings of values as properties: every value comes back, and bytes from other machines are
//! refused or are the one encoding of a value.

use std::fmt::Debug;

use hatchery_core::{Tally, WireValue};
use hatchery_othello::players::{
    AdjustingAgent, AgentChoices, DepthReading, DynamicSettings, FirstReply, MatchingRules,
    MctsAgent, NearestTie, OthelloAgent, SearchSettings, SeveralMatch, SoftmaxSettings,
    StrengthControl, Unmatched,
};
use hatchery_othello::record::{RecordedGame, transcript};
use hatchery_othello::rules::Position;
use hatchery_othello::trial::opening::OpeningRule;
use hatchery_othello::trial::results::MatchResults;
use hatchery_othello::trial::setup::{JudgeSettings, KeptGames, MatchSetup, OpponentChange};
use proptest::prelude::{Just, Strategy, any, prop};
use proptest::test_runner::TestCaseError;
use proptest::{prop_assert_eq, prop_oneof, proptest};

use super::agents::{all_kinds, trial};
use super::records::DRAWN_GAME;
use super::refused::{damaged, mutation};

/// Checks that bytes are refused, or are the one encoding of a value.
fn refused_or_canonical<T>(bytes: &[u8]) -> Result<(), TestCaseError>
where
    T: WireValue + Debug + PartialEq,
{
    if let Ok(value) = T::decode(bytes) {
        prop_assert_eq!(&value.encode(), bytes);
        prop_assert_eq!(T::decode(&value.encode()).ok(), Some(value));
    }
    Ok(())
}

fn unit() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(-0.0), Just(1.0), 0.0..=1.0_f64]
}

fn any_search() -> impl Strategy<Value = MctsAgent> {
    let readings = prop::sample::select(vec![
        DepthReading::TreeCap,
        DepthReading::DepthReached,
        DepthReading::Horizon,
        DepthReading::GrowingBudget,
    ]);
    (1..=60_u32, 1..=1_000_000_u32, readings, 0.001..=1_000.0_f64, 0.0..=1_000.0_f64)
        .prop_filter_map(
            "a growing budget may be too large",
            |(depth, playouts, reading, plies_per_doubling, exploration)| {
                let settings =
                    SearchSettings { playouts, reading, plies_per_doubling, exploration };
                MctsAgent::new(depth, settings).ok()
            },
        )
}

fn any_choices() -> impl Strategy<Value = AgentChoices> {
    prop::collection::vec(any_search(), 1..9).prop_map(|mut agents| {
        agents.sort_by_key(MctsAgent::depth);
        agents.dedup_by_key(|agent| agent.depth());
        AgentChoices::new(agents).expect("depths ascend")
    })
}

fn any_rules() -> impl Strategy<Value = MatchingRules> {
    let several = prop::sample::select(vec![
        SeveralMatch::Lowest,
        SeveralMatch::Highest,
        SeveralMatch::Mean,
        SeveralMatch::Nearest,
    ]);
    let unmatched = prop::sample::select(vec![Unmatched::Skip, Unmatched::Lowest]);
    let first =
        prop::sample::select(vec![FirstReply::Lowest, FirstReply::Middle, FirstReply::Highest]);
    let tie = prop::sample::select(vec![NearestTie::Lower, NearestTie::Higher]);
    (1..=60_u32, several, unmatched, first, tie, any::<bool>(), any::<bool>()).prop_map(
        |(choices, several, unmatched, first, tie, forced, carry)| MatchingRules {
            choices,
            several,
            unmatched,
            first,
            tie,
            forced,
            carry,
        },
    )
}

fn any_agent() -> impl Strategy<Value = OthelloAgent> {
    let dynamic =
        (any_search(), unit(), unit(), unit()).prop_map(|(search, target, band, min_visits)| {
            OthelloAgent::Dynamic { search, settings: DynamicSettings { target, band, min_visits } }
        });
    let controls = prop::sample::select(vec![
        StrengthControl::None,
        StrengthControl::WithinGame,
        StrengthControl::BetweenGames,
    ]);
    let softmax =
        (any_search(), -20.0..=20.0_f64, unit(), controls, 0.0..=20.0_f64, unit(), 0.0..=20.0_f64)
            .prop_map(|(search, z, min_visits, control, step, discount, min_step)| {
                // Bounds on both sides of z, of different distances.
                let (lowest_z, highest_z) = ((z - 1.0).max(-20.0), (z + 2.0).min(20.0));
                let settings = SoftmaxSettings {
                    z,
                    lowest_z,
                    highest_z,
                    min_visits,
                    control,
                    step,
                    discount,
                    min_step,
                };
                OthelloAgent::Softmax { search, settings }
            });
    prop_oneof![
        Just(OthelloAgent::Random),
        any_search().prop_map(OthelloAgent::Mcts),
        (any_choices(), any_rules()).prop_map(|(choices, rules)| OthelloAgent::Adjusting(
            AdjustingAgent { choices, rules }
        )),
        dynamic,
        softmax,
        any_choices().prop_map(OthelloAgent::RandomAgent),
        (any_search(), 0..=16_u32)
            .prop_map(|(search, empties)| OthelloAgent::Solver { search, empties }),
    ]
}

fn any_opening() -> impl Strategy<Value = OpeningRule> {
    let game = transcript::read(DRAWN_GAME.as_bytes(), Position::START).expect("it is a game");
    let beginning = (0..60_usize)
        .prop_map(move |n| RecordedGame::new(Position::START, &game.moves()[..n]).expect("legal"));
    prop_oneof![
        (0..=8_u32, 0..=8_u32)
            .prop_map(|(a, b)| OpeningRule::random(a.min(b), a.max(b)).expect("a range")),
        prop::collection::vec(beginning, 1..5)
            .prop_map(|games| OpeningRule::listed(games).expect("none is over")),
    ]
}

fn any_setup() -> impl Strategy<Value = MatchSetup> {
    let judge = prop::option::of((100..=1_000_000_u32, 0..=16_u32)).prop_map(|judge| {
        judge.map(|(playouts, empties)| {
            let settings = SearchSettings {
                playouts,
                reading: DepthReading::TreeCap,
                plies_per_doubling: 4.0,
                exploration: 1.0,
            };
            let agent = MctsAgent::new(60, settings).expect("in range");
            JudgeSettings { agent, empties }
        })
    });
    let change = prop::option::of((any_search(), 2..=100_u32));
    ([any_agent(), any_agent()], any_opening(), 1..=1_000_u32, judge, change).prop_map(
        |(agents, opening, pairs, judge, change)| {
            let change = change.map(|(agent, after)| OpponentChange { after, agent });
            let change = change.filter(|it| it.after + OpponentChange::MIN_AFTER <= pairs);
            let kept = if pairs % 2 == 0 { KeptGames::First } else { KeptGames::All };
            MatchSetup { agents, opening, pairs, judge, change, kept }
        },
    )
}

proptest! {
    #[test]
    fn setups_come_back(setup in any_setup()) {
        let bytes = setup.encode();
        let again = MatchSetup::decode(&bytes).unwrap();
        prop_assert_eq!(again.encode(), bytes);
        prop_assert_eq!(again, setup);
    }

    #[test]
    fn any_bytes_are_no_setup_or_canonical(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        refused_or_canonical::<MatchSetup>(&bytes)?;
    }

    #[test]
    fn changed_setups_are_refused_or_canonical(
        kinds in prop::sample::subsequence(all_kinds(), 2),
        opening in any_opening(),
        mutations in prop::collection::vec(mutation(), 1..4),
    ) {
        let agents = [kinds[0].clone(), kinds[1].clone()];
        let bytes = MatchSetup::new(agents, opening, 3).encode();
        refused_or_canonical::<MatchSetup>(&damaged(bytes, mutations))?;
    }

    #[test]
    fn any_bytes_are_no_results_or_canonical(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        refused_or_canonical::<MatchResults>(&bytes)?;
    }

    #[test]
    fn changed_results_are_refused_or_canonical(
        results in prop::sample::select(some_results()),
        mutations in prop::collection::vec(mutation(), 1..4),
    ) {
        refused_or_canonical::<MatchResults>(&damaged(results.encode(), mutations))?;
    }
}

/// Returns results from all kinds of agents, for one trial and for several trials.
fn some_results() -> Vec<MatchResults> {
    let kinds = all_kinds();
    let of = |(number, first): (usize, &OthelloAgent)| {
        let second = kinds[(number + 3) % kinds.len()].clone();
        let trial = |pairs, n| trial([first.clone(), second.clone()], pairs, &format!("wire {n}"));
        let mut several = trial(2, 0);
        (1..6).for_each(|n| several.absorb(trial(2, n)));
        [trial(1, 6), several]
    };
    kinds.iter().enumerate().flat_map(of).collect()
}

#[test]
fn results_come_back() {
    for results in some_results() {
        let bytes = results.encode();
        let again = MatchResults::decode(&bytes).unwrap();
        assert_eq!((again.encode(), again.n_trials()), (bytes, results.n_trials()));
        assert_eq!(again, results);
    }
}
