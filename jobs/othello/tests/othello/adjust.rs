//! `othello-adjust`: what a run plays.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use hatchery_core::{Experiment, InitialParts, RunSeed};
use hatchery_othello::OthelloAdjust;
use hatchery_othello::players::OthelloAgent;
use hatchery_othello::studies::specs::AdjustSpec;
use hatchery_othello::trial::setup::MatchSetup;
use serde_json::{Value, json};

/// Returns the message that refuses a spec with these parameters.
fn refusal(mut params: Value) -> String {
    params["search"] = params.get("search").cloned().unwrap_or_else(|| json!({"playouts": 10}));
    let spec: AdjustSpec = serde_json::from_value(params).unwrap();
    OthelloAdjust::check(spec).expect_err("the spec is refused").to_string()
}

#[test]
fn specs_that_contradict_themselves_are_refused() {
    let check = |params: Value, expected: &str| assert_eq!(refusal(params), expected);
    check(
        json!({"games": 4, "search": {"playouts": 3000}}),
        "judge.playouts is 2000, but must be at least 3000, the playouts of the agent of depth 25: \
         a judge must not be weaker than the players; `judge.games` of 0 leaves it out",
    );
    check(
        json!({"games": 4, "bots": [45],
            "search": {"playouts": 50, "reading": "growing-budget", "plies_per_doubling": 2.0}}),
        "bots is 45, but must be possible with `search`: the budget at depth 45 is 52428800 \
         playouts, expected at most 1000000",
    );
    check(
        json!({"games": 4, "sequence": 2000, "arms": ["softmax"], "judge": {"playouts": 20000},
            "search": {"playouts": 10_000}}),
        "sequence is 2000, but must be less, or other factors: a trial has 2000 games x 30 moves x \
         40000 playouts of a move, its reply and the judge = 2400000000, and at most 1000000000 \
         are allowed",
    );
    check(
        json!({"games": 4, "arms": ["adjusting", "adjusting"]}),
        "arms.1 is \"adjusting\", but must be an arm that is not listed yet: each at most once",
    );
    check(
        json!({"games": 4, "bots": [5, 5]}),
        "bots is [5, 5], but must be different depths in ascending order",
    );
    check(
        json!({"games": 4, "choices": [9, 5]}),
        "choices is [9, 5], but must be different depths in ascending order",
    );
    check(
        json!({"games": 4, "search":
            {"playouts": 50, "reading": "growing-budget", "plies_per_doubling": 0.001}}),
        "choices is 9, but must be possible with `search`: the budget at depth 9 is more than 1e12 \
         playouts, expected at most 1000000",
    );
    check(
        json!({"games": 4, "softmax": {"lowest_z": 3.0}}),
        "softmax.lowest_z is 3, but must be at most `highest_z`, 2",
    );
}

/// A BOT that is a depth stays one in the canonical form, beside one that changes.
#[test]
fn bots_are_written_as_they_are_read() {
    let params = json!({"games": 4, "search": {"playouts": 10}, "sequence": 100,
        "bots": [5, {"from": 5, "to": 25, "at": 50}]});
    let spec: AdjustSpec = serde_json::from_value(params.clone()).unwrap();
    assert_eq!(serde_json::to_value(&spec).unwrap()["bots"], params["bots"]);
    let usual: AdjustSpec =
        serde_json::from_value(json!({"games": 4, "search": {"playouts": 10}})).unwrap();
    assert_eq!(serde_json::to_value(&usual).unwrap()["bots"], json!([5, 10, 15, 20, 25]));
}

#[test]
fn changes_that_no_sequence_has_are_refused() {
    let check = |sequence: u32, bots: Value, expected: &str| {
        let params = json!({"games": 4, "sequence": sequence, "bots": bots});
        assert_eq!(refusal(params), expected);
    };
    let change = |to: u32, at: u32| json!({"from": 5, "to": to, "at": at});
    check(
        40,
        json!([change(25, 50)]),
        "bots.0.at is 50, but must be an even number from 4 to 32: `sequence` is 40, and 8 games \
         or more follow the change",
    );
    check(
        100,
        json!([10, change(25, 51)]),
        "bots.1.at is 51, but must be an even number from 4 to 92: `sequence` is 100, and 8 games \
         or more follow the change",
    );
    let another = "but must be another depth than `from`, and than that of an earlier BOT from \
                   there";
    check(100, json!([change(5, 50)]), &format!("bots.0.to is 5, {another}"));
    let twice = json!([change(25, 50), change(25, 60)]);
    check(100, twice, &format!("bots.1.to is 25, {another}"));
    check(
        100,
        json!([change(61, 50)]),
        "bots.0.to is 61, but must be possible with `search`: the depth is 61, expected 1 to 60",
    );
}

/// All arms play sequences against a BOT that changes, even the arms that do not learn, and no arm
/// is judged. There is no judge to rate, as no BOT stays as it is.
#[test]
fn all_arms_play_sequences_against_a_bot_that_changes() {
    let found = series(json!({"games": 400, "sequence": 100, "judge": {"games": 20},
        "bots": [{"from": 5, "to": 25, "at": 50}], "people": {"depths": []}}));
    let rows: Vec<_> = found
        .iter()
        .map(|(setup, n_trials)| {
            let change = setup.change.expect("a change");
            assert_eq!((change.after, change.agent.depth(), setup.pairs), (25, 25, 50));
            (arm(setup), setup.judge.is_some(), *n_trials)
        })
        .collect();
    let arms = ["adjusting", "dynamic", "softmax", "fixed", "random-agent"];
    assert_eq!(rows, arms.map(|arm| (arm, false, 8)));
}

/// Returns the series of a spec with these parameters, as subjects and numbers of trials.
fn series(mut params: Value) -> Vec<(MatchSetup, u32)> {
    params["search"] = json!({"playouts": 10});
    let spec = OthelloAdjust::check(serde_json::from_value(params).unwrap()).unwrap();
    let seed = RunSeed::new(OthelloAdjust::NAME, 1).generation(0);
    let state = OthelloAdjust::begin(&spec, &seed, &mut InitialParts::default()).unwrap();
    let plan = OthelloAdjust::plan(&spec, &state);
    plan.series.into_iter().map(|series| (series.subject, series.n_trials)).collect()
}

fn arm(setup: &MatchSetup) -> &'static str {
    match setup.agents[0] {
        OthelloAgent::Adjusting(_) => "adjusting",
        OthelloAgent::Dynamic { .. } => "dynamic",
        OthelloAgent::Softmax { .. } => "softmax",
        OthelloAgent::RandomAgent(_) => "random-agent",
        OthelloAgent::Mcts(agent) if agent.depth() == 15 => "fixed",
        OthelloAgent::Mcts(_) => "judge",
        OthelloAgent::Random | OthelloAgent::Solver { .. } => "none of the arms",
    }
}

#[test]
fn a_spec_cannot_leave_the_controls_out() {
    let found = series(json!({"games": 50, "arms": [], "bots": [5, 25], "judge": {"games": 0}}));
    let arms: Vec<_> = found.iter().map(|(setup, n_trials)| (arm(setup), *n_trials)).collect();
    let control = |name| [(name, 25), (name, 25)];
    let expected = [control("fixed"), control("random-agent")].concat();
    assert_eq!(arms[..4], expected);
    assert_eq!(arms[4..], [("judge", 25)]);
}

#[test]
fn judged_games_are_series_of_their_own() {
    let found = series(json!({"games": 50, "arms": ["adjusting"], "bots": [5],
        "judge": {"games": 20}, "people": {"depths": [9], "games": 4}}));
    let rows: Vec<_> = found
        .iter()
        .map(|(setup, n_trials)| (arm(setup), setup.judge.is_some(), *n_trials))
        .collect();
    let expected = [
        ("adjusting", true, 10),
        ("adjusting", false, 15),
        // A person: four games, all judged.
        ("adjusting", true, 2),
        ("fixed", true, 10),
        ("fixed", false, 15),
        ("random-agent", true, 10),
        ("random-agent", false, 15),
        ("judge", false, 25),
    ];
    assert_eq!(rows, expected);
}

/// Of a sequence of 20 games the last 10 count: 70 games need 7 sequences, and 50 would need 5, but
/// six are the fewest; as many are judged.
#[test]
fn agents_that_learn_play_sequences() {
    let params = |games: u32, judged: u32| {
        json!({"games": games, "arms": ["softmax"], "bots": [5], "sequence": 20,
            "judge": {"games": judged}})
    };
    let first = |games, judged| {
        let (setup, n_trials) = series(params(games, judged)).remove(0);
        (arm(&setup), setup.judge.is_some(), setup.pairs, n_trials)
    };
    assert_eq!(first(70, 0), ("softmax", false, 10, 7));
    assert_eq!(first(50, 0), ("softmax", false, 10, 6));
    assert_eq!(first(200, 4), ("softmax", true, 10, 6));
    let found = series(params(50, 0));
    let (setup, n_trials) = &found[1];
    assert_eq!((arm(setup), setup.pairs, *n_trials), ("fixed", 1, 25));
}
