//! Specs whose parameters do not fit together are refused with a message that names the place, the
//! value and the right values; `parameters.rs` has the parameters by themselves.

use hatchery_core::spec::SpecDocument;
use hatchery_core::{GenerationSeed, RunSeed, erased};
use hatchery_othello::OthelloMatch;

use super::records::DRAWN_GAME;

const AGENTS: &str = "agents = [{ name = 'd3', kind = 'mcts', depth = 3 }, \
                      { name = 'd6', kind = 'mcts', depth = 6 }]";
const REST: &str = "search = { playouts = 40 }\npairs = 4";

fn seed() -> GenerationSeed {
    RunSeed::new("othello-match", 1).generation(0)
}

fn document(params: &str) -> SpecDocument {
    let text = format!("experiment = 'othello-match'\nseed = 1\n[params]\n{params}\n");
    SpecDocument::parse("test", text.as_bytes()).expect("it is TOML")
}

/// Returns the message that refuses a spec with these parameters; `None` if nothing refuses it.
fn refusal(params: &str) -> Option<String> {
    match erased::<OthelloMatch>().configure(&document(params)) {
        Ok(experiment) => experiment.begin(&seed(), &[]).err().map(|error| error.to_string()),
        Err(error) => Some(error.message),
    }
}

#[track_caller]
fn check(params: &str, expected: &str) {
    assert_eq!(refusal(params).as_deref(), Some(expected), "{params}");
}

/// Checks the message of a spec with a third agent.
#[track_caller]
fn check_agent(agent: &str, expected: &str) {
    let agents = AGENTS.strip_suffix(']').expect("it is a list");
    check(&format!("{agents}, {{ {agent} }}]\n{REST}"), expected);
}

#[test]
fn good_specs_are_accepted() {
    assert_eq!(refusal(&format!("{AGENTS}\n{REST}")), None);
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    check_agent(
        "name = 'a', kind = 'softmax', agent = 'd3', rule = { z = 2.5 }",
        "agents.2.rule.z is 2.5, but must be from `lowest_z`, -2, to `highest_z`, 2",
    );
    check_agent(
        "name = 'a', kind = 'softmax', agent = 'd3', rule = { lowest_z = 3 }",
        "agents.2.rule.lowest_z is 3, but must be at most `highest_z`, 2",
    );
    check_agent(
        "name = 'a', kind = 'mcts', depth = 60, search = { playouts = 100, reading = \
         'growing-budget' }",
        "agents.2.depth is 60, but must be one whose budget is at most 1000000 playouts: with \
         `growing-budget`, it has 1377725",
    );
}

/// Twenty agents of a million playouts each look at every move.
#[test]
fn trials_that_take_an_hour_are_refused() {
    let agent = |depth| format!("{{ name = 'd{depth}', kind = 'mcts', depth = {depth} }}");
    let agents: Vec<String> = (1..=20).map(agent).collect();
    let names: Vec<String> = (1..=20).map(|depth| format!("'d{depth}'")).collect();
    check(
        &format!(
            "agents = [{{ name = 'a', kind = 'adjusting', choices = [{}] }}, {}]\npairs = 1\n\
             pairing = 'first'\nsearch = {{ playouts = 1_000_000 }}",
            names.join(", "),
            agents.join(", ")
        ),
        "agents.0 is \"a\", but must be less, or other factors: a trial has 2 games x 30 moves x \
         22000000 playouts of a move, its reply and the judge = 1320000000, and at most 1000000000 \
         are allowed",
    );
}

#[test]
fn names_are_plain_and_different() {
    check_agent(
        "name = 'd3', kind = 'random'",
        "agents.2.name is \"d3\", but must be another name: agents.0 has this one",
    );
    check_agent(
        "name = 'a b', kind = 'random'",
        "agents.2.name is \"a b\", but must be 1 to 32 letters, digits, `-`, `_` and `.`",
    );
}

#[test]
fn agents_refer_to_agents_that_search() {
    let known = "but must be the name of an agent of kind `mcts`; there are \"d3\", \"d6\"";
    // An adjusting agent among the choices of an adjusting agent: itself.
    check_agent(
        "name = 'a', kind = 'adjusting', choices = ['d3', 'a']",
        &format!("agents.2.choices.1 is \"a\", which is of another kind, {known}"),
    );
    check_agent(
        "name = 'a', kind = 'adjusting', choices = ['d3', 'd7']",
        &format!("agents.2.choices.1 is \"d7\", {known}"),
    );
    for kind in ["dynamic", "softmax", "fixed", "solver"] {
        check_agent(
            &format!("name = 'a', kind = '{kind}', agent = 'd7'"),
            &format!("agents.2.agent is \"d7\", {known}"),
        );
    }
    for kind in ["adjusting", "random-agent"] {
        check_agent(
            &format!("name = 'a', kind = '{kind}', choices = ['d6', 'd3', 'd6']"),
            "agents.2.choices is agents of depths [3, 6, 6], but must be agents of different \
             depths in ascending order",
        );
    }
    check(
        &format!(
            "agents = [{{ name = 'a', kind = 'random' }}, \
             {{ name = 'b', kind = 'fixed', agent = 'c' }}]\n{REST}"
        ),
        "agents.1.agent is \"c\", but must be the name of an agent of kind `mcts`; there are none",
    );
}

#[test]
fn sequential_tests_that_cannot_be_are_refused() {
    let check = |method: &str, expected: &str| {
        let method = format!("method = {{ kind = 'sprt', {method} }}");
        check(&format!("{AGENTS}\n{REST}\n{method}"), &format!("method.{expected}"));
    };
    check("elo0 = 10, elo1 = 10, most_pairs = 9", "elo1 is 10, but must be above `elo0`, 10");
    check("elo0 = 10, elo1 = -5, most_pairs = 9", "elo1 is -5, but must be above `elo0`, 10");
    check(
        "elo1 = 201, most_pairs = 9",
        "elo1 is 201, but must be from -200 to 200 in this `model`",
    );
    check(
        "elo0 = -300, elo1 = 10, most_pairs = 9",
        "elo0 is -300, but must be from -200 to 200 in this `model`",
    );
    check(
        "elo1 = 10, alpha = 0.5, beta = 0.5, most_pairs = 9",
        "beta is 0.5, but must be below 1 minus `alpha`, 0.5",
    );
    let looks = "but must be from `pairs`, 4, to 10000 times as many";
    check("elo1 = 10, most_pairs = 3", &format!("most_pairs is 3, {looks}"));
    check("elo1 = 10, most_pairs = 40_001", &format!("most_pairs is 40001, {looks}"));
}

#[test]
fn openings_that_are_none_are_refused() {
    let check = |openings: &str, expected: &str| {
        let openings = format!("openings = {{ {openings} }}");
        check(&format!("{AGENTS}\n{REST}\n{openings}"), &format!("openings.{expected}"));
    };
    let games = |game: &str, expected: &str| {
        let expected = format!("games.1 is \"{game}\", but must be {expected}");
        check(&format!("kind = 'games', games = ['f5', '{game}']"), &expected);
    };
    let legal = "a transcript of legal moves:";
    games("f5f5", &format!("{legal} ply 2: illegal move: f5 is occupied; white can play f4 d6 f6"));
    games(
        "f5d",
        &format!("{legal} byte 2: `d` is half a move; each move has a letter and a digit"),
    );
    games(
        "f5i6",
        &format!("{legal} ply 2, byte 2: not a move: `i6` is no square; squares are a1 to h8"),
    );
    check(
        &format!("kind = 'games', games = ['{DRAWN_GAME}']"),
        &format!(
            "games.0 is \"{}\"..., but must be a beginning of a game that goes on",
            &DRAWN_GAME[..66]
        ),
    );
    games(
        "(;GM[Othello];)",
        "a transcript such as `f5d6c3`: a letter and a digit for each move, and not a game in GGF, \
         which `kind = \"archive\"` reads",
    );
    let positions = |position: &str, expected: &str| {
        let expected = format!("positions.0 is \"{position}\", but must be {expected}");
        check(&format!("kind = 'positions', positions = ['{position}']"), &expected);
    };
    let cells = "-".repeat(64);
    positions(&format!("{} X", &cells[1..]), "a position: 63 cells; a board has 64");
    check(
        &format!("kind = 'positions', positions = ['{cells} X;d3:+2']"),
        &format!(
            "positions.0 is \"{cells} X\"..., but must be 64 cells of `X`, `O` and `-`, a space, \
             and `X` or `O`, the player to move: line 1: ply 1: illegal move: d3 comes after the \
             end of the game: neither player has a move"
        ),
    );
    positions(&format!("ä{} X", &cells[2..]), "a position: 63 cells; a board has 64");
    positions(&cells, "a position: the player to move is ``; it is `X` or `O`");
    positions(&format!("{cells} X"), "a beginning of a game that goes on");
    check(
        "kind = 'random', min_plies = 7, max_plies = 6",
        "max_plies is 6, but must be from `min_plies`, 7, to 8",
    );
}

#[test]
fn unknown_keys_are_refused() {
    check(
        &format!("{AGENTS}\n{REST}\nmethod = {{ kind = 'sprt', elo1 = 9, looks = 3 }}"),
        "there is no method.looks; known are kind, elo0, elo1, model, alpha, beta, most_pairs",
    );
    check(
        &format!("{AGENTS}\n{REST}\nopening = {{ kind = 'start' }}"),
        "there is no opening; did you mean openings? known are agents, search, pairing, openings, \
         pairs, method, kept, error_rate",
    );
    check_agent(
        "name = 'a', kind = 'random', depth = 3",
        "there is no agents.2.depth; known are kind, name",
    );
}
