//! Saved games that were changed: each error names the field or the ply, what was found and what
//! would be right.

use hatchery_core::error_chain;
use hatchery_othello::person_game::PersonGame;
use hatchery_othello::players::{
    AdjustingAgent, AgentChoices, DepthReading, DynamicSettings, MatchingRules, OthelloAgent,
    SoftmaxSettings,
};
use hatchery_othello::record::transcript;
use hatchery_othello::rules::{BoardBackend, DiscColor};
use proptest::prelude::{any, prop};
use proptest::{prop_assert_eq, proptest};

use super::agents::{choices, mcts};
use super::person_games::{adjusting, played};

/// Returns the message that refuses a saved game.
fn refusal(json: &str) -> String {
    match PersonGame::from_json(json.as_bytes(), BoardBackend::fastest()) {
        Ok(_) => panic!("accepted: {json}"),
        Err(error) => error_chain(&error),
    }
}

/// Checks the message for a saved game after replacing `from` by `to`.
#[track_caller]
fn check(json: &str, from: &str, to: &str, expected: &str) {
    assert_eq!(json.matches(from).count(), 1, "{from} in {json}");
    assert_eq!(refusal(&json.replace(from, to)), expected);
}

#[test]
fn moves_that_the_agent_would_not_make_are_refused() {
    let game = played(4, adjusting(), DiscColor::Black, 4);
    let (json, moves) = (game.to_json(), transcript::write(game.record()));
    let replies = &game.turns()[1].position;
    let right = game.record().moves()[1];
    let other = replies.legal_moves().iter().find(|square| *square != right).unwrap();
    let message =
        format!("ply 2: {other} is not a move of this game, in which the agent plays {right}");
    check(&json, &moves, &format!("{}{other}", &moves[..2]), &message);
    // With another seed or another agent, some reply is another one.
    let found = (0..20).filter(|seed| *seed != 4).map(|seed| {
        let changed = json.replace("\"seed\":4", &format!("\"seed\":{seed}"));
        PersonGame::from_json(changed.as_bytes(), BoardBackend::fastest())
    });
    assert!(10 < found.filter(Result::is_err).count());
    // The person's own moves may be any legal ones; the replies to them are others.
    let first = format!("\"moves\":\"{}", &moves[..2]);
    let second = if &moves[..2] == "d3" { "c4" } else { "d3" };
    let changed = json.replace(&first, &format!("\"moves\":\"{second}"));
    assert!(
        refusal(&changed).starts_with("ply 2: ") || refusal(&changed).starts_with("field moves")
    );
}

#[test]
fn wrong_fields_are_refused() {
    let json = played(4, adjusting(), DiscColor::Black, 4).to_json();
    check(&json, "\"format\":1", "\"format\":2", "field format: `2`; it is 1");
    check(
        &json,
        "\"person\":\"black\"",
        "\"person\":\"red\"",
        "not a saved game: unknown variant `red`, expected `black` or `white` at line 1 column 35",
    );
    check(
        &json,
        "\"seed\":4",
        "\"seed\":-4",
        "not a saved game: invalid value: integer `-4`, expected u64 at line 1 column 21",
    );
    check(
        &json,
        "\"seed\":4,",
        "",
        &format!("not a saved game: missing field `seed` at line 1 column {}", json.len() - 9),
    );
    check(
        &json,
        "\"seed\":4",
        "\"sed\":4",
        "not a saved game: unknown field `sed`, expected one of `format`, `seed`, `person`, \
         `agent`, `moves` at line 1 column 17",
    );
    assert!(refusal("").starts_with("not a saved game: EOF while parsing"));
    assert!(refusal(&json[..json.len() - 1]).starts_with("not a saved game: EOF while parsing"));
    let long = format!("{json}{}", " ".repeat(1 << 16));
    let expected = format!("{} bytes; a saved game has at most 65536", long.len());
    assert_eq!(refusal(&long), expected);
}

#[test]
fn wrong_moves_are_refused() {
    let json = PersonGame::new(1, OthelloAgent::Random, DiscColor::Black).unwrap().to_json();
    let check = |moves: &str, expected: &str| {
        check(&json, "\"moves\":\"\"", &format!("\"moves\":\"{moves}\""), expected);
    };
    check("f5d", "field moves: byte 2: `d` is half a move; each move has a letter and a digit");
    check("i5", "field moves: ply 1, byte 0: not a move: `i5` is no square; squares are a1 to h8");
    check("a1", "field moves: ply 1: illegal move: a1 flips no disc; black can play d3 c4 f5 e6");
    check("f5f5", "field moves: ply 2: illegal move: f5 is occupied; white can play f4 d6 f6");
    check("f5pa", "field moves: ply 2: illegal move: white cannot pass; it can play f4 d6 f6");
}

#[test]
fn wrong_agents_are_refused() {
    let new = |agent| PersonGame::new(1, agent, DiscColor::White);
    let json = |agent| new(agent).unwrap().to_json();
    let agent = "field agent: the agent cannot play: ";
    let check = |json: &str, from: &str, to: &str, expected: &str| {
        check(json, from, to, &format!("{agent}{expected}"));
    };
    let search = mcts(6, 50, DepthReading::Horizon);
    let fixed = json(OthelloAgent::Mcts(search));
    check(&fixed, "\"depth\":6", "\"depth\":0", "depth is 0, but must be from 1 to 60");
    check(&fixed, "\"depth\":6", "\"depth\":61", "depth is 61, but must be from 1 to 60");
    let playouts = |n: u32| {
        check(
            &fixed,
            "\"playouts\":50",
            &format!("\"playouts\":{n}"),
            &format!("search.playouts is {n}, but must be from 1 to 1000000"),
        );
    };
    playouts(0);
    playouts(1_000_001);
    check(
        &fixed,
        "\"plies_per_doubling\":4.0",
        "\"plies_per_doubling\":0",
        "search.plies_per_doubling is 0, but must be from 0.001 to 1000",
    );
    let seven = json(adjusting());
    check(
        &seven,
        "\"depth\":9",
        "\"depth\":5",
        "choices is agents of depths [2, 5, 5], but must be agents of different depths in \
         ascending order",
    );
    check(
        &seven,
        "\"choices\":3",
        "\"choices\":61",
        "adjusting.choices is 61, but must be from 1 to 60",
    );
    let any = json(OthelloAgent::RandomAgent(choices(&[3])));
    let start = any.find('[').unwrap();
    let one = &any[start..=any.find(']').unwrap()];
    check(&any, one, "[]", "choices is 0 agents, but must be 1 to 60");
    let dynamic = json(OthelloAgent::Dynamic { search, settings: DynamicSettings::default() });
    check(
        &dynamic,
        "\"target\":0.5",
        "\"target\":1.5",
        "dynamic.target is 1.5, but must be from 0 to 1",
    );
    let softmax = json(OthelloAgent::Softmax { search, settings: SoftmaxSettings::default() });
    let bounds = "softmax.z is -2.5, but must be from `lowest_z`, -2, to `highest_z`, 2";
    check(&softmax, "\"z\":0.0", "\"z\":-2.5", bounds);
    let solver = json(OthelloAgent::Solver { search, empties: 8 });
    check(
        &solver,
        "\"empties\":8",
        "\"empties\":17",
        "solver.empties is 17, but must be at most 16",
    );
    assert!(refusal(&solver.replace("solver", "perfect")).starts_with(
        "not a saved game: unknown variant `perfect`, expected one of `random`, `mcts`"
    ));
}

/// A saved game must not take hours to check.
#[test]
fn agents_that_search_for_too_long_are_refused() {
    let agents = |n: u32, playouts| {
        let agents = (1..=n).map(|depth| mcts(depth, playouts, DepthReading::TreeCap));
        let choices = AgentChoices::new(agents.collect()).unwrap();
        OthelloAgent::Adjusting(AdjustingAgent { choices, rules: MatchingRules::default() })
    };
    let new = |agent| PersonGame::new(1, agent, DiscColor::White);
    // All observe, and one replies.
    assert!(new(agents(9, 100_000)).is_ok());
    let error = new(agents(10, 100_000)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the agent searches with up to 1100000 playouts before a reply, at most 1000000 are allowed"
    );
    assert!(new(OthelloAgent::Mcts(mcts(5, 1_000_000, DepthReading::TreeCap))).is_ok());
}

proptest! {
    #[test]
    fn changed_bytes_are_refused_or_a_game(place in any::<usize>(), byte in any::<u8>()) {
        let mut json = played(4, OthelloAgent::Random, DiscColor::Black, 30).to_json().into_bytes();
        let place = place % json.len();
        json[place] = byte;
        if let Ok(game) = PersonGame::from_json(&json, BoardBackend::fastest()) {
            let again = PersonGame::from_json(game.to_json().as_bytes(), BoardBackend::fastest());
            prop_assert_eq!(again.ok(), Some(game));
        }
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert_eq!(PersonGame::from_json(&bytes, BoardBackend::fastest()).ok(), None);
    }
}
