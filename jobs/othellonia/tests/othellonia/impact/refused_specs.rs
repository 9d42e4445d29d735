//! Bad specs are refused with a message that names the place, the value and the right values.

use hatchery_core::spec::SpecDocument;
use hatchery_core::{RunSeed, erased};
use hatchery_othellonia::OthelloniaImpact;
use hatchery_othellonia::generate::shipped_decks;

use crate::impact::runs::{agent, plain_pieces, shipped_spec, spec_with_tuning, spec_with_vector};

/// Checks that a spec with `new` in place of `old` is refused with this message.
#[track_caller]
fn check(spec: &str, old: &str, new: &str, expected: &str) {
    assert!(spec.contains(old), "{spec}");
    let text = spec.replacen(old, new, 1);
    let document = SpecDocument::parse("test", text.as_bytes()).unwrap();
    let seed = RunSeed::new("refused specs", 1).generation(0);
    let (_, part, _) = agent(60);
    let message = match erased::<OthelloniaImpact>().configure(&document) {
        Ok(experiment) => experiment.begin(&seed, &[part]).expect_err(expected).to_string(),
        Err(error) => error.message,
    };
    assert_eq!(message, expected);
}

fn spec() -> String {
    let new = "{ name = 'new', attribute = 'dragon', cost = 10, hp = 900, attack = 900 }";
    shipped_spec(4, new)
}

fn learning_spec() -> String {
    spec_with_vector(&agent(60).1)
}

#[test]
fn pieces_that_give_way_are_checked() {
    let [old, ..] = plain_pieces();
    let replaces = format!("replaces = {old}");
    let leader = shipped_decks()[0].leader;
    let check = |new: &str, expected: &str| check(&spec(), &replaces, new, expected);
    check(
        &format!("replaces = {leader}"),
        &format!("hosts.0.replaces is {leader}, but must be another piece: this one is the leader"),
    );
    let numbers = shipped_decks()[0].pieces.iter().map(u32::to_string).collect::<Vec<_>>();
    let numbers = numbers.join(", ");
    for other in [924, 7777] {
        let expected = format!("must be a piece of the deck burst: {numbers}");
        let expected = format!("hosts.0.replaces is {other}, but {expected}");
        check(&format!("replaces = {other}"), &expected);
    }
    check(
        "replaces = 'similar'",
        "hosts.0.replaces is \"similar\", but must be the number of the piece that leaves the \
         deck: only a run with `vector` can compare pieces",
    );
}

#[test]
fn costs_are_checked() {
    let [old, ..] = plain_pieces();
    let deck = &shipped_decks()[0];
    let cost: u32 = deck
        .pieces
        .iter()
        .map(|&piece| crate::impact::runs::PIECES[usize::try_from(piece).unwrap()].cost)
        .sum();
    check(
        &spec(),
        "cost = 10",
        "cost = 1000",
        &format!(
            "hosts.0.replaces is {old}, but must be a piece for which the new one can take its \
             place: the pieces cost {} together, but at most 200 are allowed",
            cost + 990
        ),
    );
}

#[test]
fn new_pieces_are_checked() {
    check(&spec(), "pairs", "piece = 925\npairs", "piece is 925, but must be from 0 to 924");
    let first = shipped_decks()[0].pieces[0];
    check(
        &spec(),
        "pairs",
        &format!("piece = {first}\npairs"),
        &format!(
            "hosts.0.deck is burst, but must be a deck without the new piece, which is piece \
             {first}"
        ),
    );
}

#[test]
fn hosts_and_fields_are_checked_at_their_keys() {
    check(
        &spec(),
        "name = 'tricky'",
        "name = 'burst'",
        "hosts.1.deck.name is \"burst\", but must be another name: hosts.0 has this one",
    );
    let field = "field = [{ kind = 'shipped', name = 'a b', archetype = 'burst' }]\npairs";
    check(
        &spec(),
        "pairs",
        field,
        "field.0.name is \"a b\", but must be 1 to 32 letters, digits, `-`, `_` and `.`",
    );
}

#[test]
fn vectors_are_checked() {
    let network = learning_spec();
    let start = network.find("{ kind = 'network'").unwrap();
    let end = start + network[start..].find(" }\n").unwrap() + 2;
    check(
        &network,
        &network[start..end],
        "{ kind = 'rule' }",
        "vector is a group, but must be left out: a rule-based agent needs no vectors",
    );
    check(
        &network,
        "files = 2\npairs = 2",
        "files = 1000\npairs = 101",
        "vector.pairs is 101, but must be less, or other factors: 101 pairs x 2 games x 1000 files \
         of records = 202000 games, and at most 200000 are allowed",
    );
    check(
        &network,
        "cost = 10",
        "cost = 1000",
        "hosts.0.replaces is \"similar\", but must be a deck with a piece of the new one's cost, \
         or of a lower cost that `cost_cap` allows",
    );
}

#[test]
fn tuning_is_checked() {
    let rule = spec();
    check(
        &rule,
        "[[params.hosts]]",
        "tune = { periods = 1, pairs = 1 }\n[[params.hosts]]",
        "tune is a group, but must be left out: a rule-based agent does not learn",
    );
    let tuned = spec_with_tuning(&agent(60).1);
    check(
        &tuned,
        "pairs = 3\nsteps_per_pair = 2",
        "pairs = 101\nsteps_per_pair = 10_000",
        "tune.pairs is 101, but must be less, or other factors: 101 pairs x 10000 steps for each = \
         1010000 steps of a period, and at most 1000000 are allowed",
    );
    check(
        &tuned,
        "batch = 4",
        "batch = 8, capacity = 4",
        "tune.learn.capacity is 4, but must be at least `batch`",
    );
}
