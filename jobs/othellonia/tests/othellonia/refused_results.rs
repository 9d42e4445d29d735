//! Checks messages, records and files from other machines. Results that no games can have are
//! refused with a message that names the field, the value and the values allowed.

use std::fmt::Debug;

use hatchery_core::{WireValue, error_chain};
use hatchery_othellonia::players::GameAgent;
use hatchery_othellonia::record::{GameFile, GameRecord, GameSeries, RecordError};
use hatchery_othellonia::rules::{Action, Cell, GameDeck};
use hatchery_othellonia::trial::results::{DeckMatchResults, TrialResults};
use hatchery_othellonia::trial::setup::{
    DeckTable, KeptRecords, MatchAgent, MatchSetup, TrialSetup,
};
use hatchery_stats::PairResult;

use self::message::{agent, deck, effect, message, network, number, packed, piece, plain, varint};
use super::random_decks::{RandomMatch, game_rng, stream};
use super::wire_properties::some_results;

/// Returns the results of three trials with their six records.
fn good() -> DeckMatchResults {
    some_results(5, 3, KeptRecords::All)
}

/// Checks the message of results with a change.
#[track_caller]
fn check(change: impl FnOnce(&mut DeckMatchResults), expected: &str) {
    let mut bad = good();
    change(&mut bad);
    let error = DeckMatchResults::decode(&bad.encode()).expect_err(expected);
    assert_eq!(error.to_string(), expected);
    let all = TrialResults::of_games(bad).encode();
    let error = TrialResults::decode(&all).expect_err(expected);
    // Without pairs there are no results of games.
    let missing = "trials is 0, but must be at least 1";
    let expected = format!("games.{expected}");
    assert!([&expected, missing].contains(&error.to_string().as_str()), "{error}");
}

#[test]
fn counts_of_results_fit_each_other() {
    assert_eq!(DeckMatchResults::decode(&good().encode()).unwrap(), good());
    let placements = good().sums.placements;
    let records_have = format!("but must be {placements}, as many as the records have");
    check(|bad| bad.pairs.clear(), "pairs is 0 long, but must be from 1 to 4294967295 long");
    check(
        |bad| bad.sums.placements += 1,
        &format!("placements is {}, {records_have}", placements + 1),
    );
    check(|bad| bad.sums.placements = 5, "placements is 5, but must be from 6 to 192");
    check(|bad| bad.sums.placements = 193, "placements is 193, but must be from 6 to 192");
    let cause = good().sums.causes.iter().position(|n| *n != 0).unwrap();
    check(|bad| bad.sums.causes[cause] += 1, "causes is 7, but must be 6 together");
    check(|bad| bad.sums.causes[cause] -= 1, "causes is 5, but must be 6 together");
    check(
        |bad| bad.sums.causes = [u64::MAX; 4],
        &format!("causes is {}, but must be 6 together", u64::MAX),
    );
    check(|bad| bad.sums.causes = [2; 4], "causes is 8, but must be 6 together");
    check(|bad| bad.sums.fired[3] = 7, "fired is 7, but must be from 0 to 6");
    let first = good().first_pairs.causes[cause].map_or(0, |pair| pair + 1);
    check(
        |bad| bad.first_pairs.causes[cause] = None,
        "first_pairs is 0, but must be from 1 to 3, as some are counted",
    );
    check(
        |bad| bad.first_pairs.causes[cause] = Some(3),
        "first_pairs is 4, but must be from 1 to 3, as some are counted",
    );
    check(
        |bad| bad.sums.fired[0] = u64::from(bad.sums.fired[0] == 0),
        &match good().sums.fired[0] {
            0 => "first_pairs is 0, but must be from 1 to 3, as some are counted".to_owned(),
            _ => {
                let first = good().first_pairs.fired[0].map_or(0, |pair| pair + 1);
                format!("first_pairs is {first}, but must be 0, as nothing of the kind is counted")
            }
        },
    );
    assert!((1..=3).contains(&first));
    let records = "but must be none, or 6, one for each game";
    check(|bad| bad.records.truncate(5), &format!("records is 5, {records}"));
    check(|bad| bad.records.push(bad.records[0].clone()), &format!("records is 7, {records}"));
    // Fewer pairs than the counts are of, and more.
    let fewer = |bad: &mut DeckMatchResults| {
        bad.pairs.truncate(2);
        (bad.sums.placements, bad.sums.causes) = (50, [2, 2, 1, 1]);
    };
    check(fewer, "causes is 6, but must be 4 together");
    let pair = PairResult::new(1, 1).unwrap();
    check(|bad| bad.pairs.push(pair), "causes is 6, but must be 8 together");
}

#[test]
fn records_of_results_are_those_of_games() {
    let bytes = good().encode();
    let record = good().records[2].encode();
    let place = bytes.windows(record.len()).position(|window| window == record).unwrap();
    let check = |at: usize, byte: u8, expected: &str| {
        let mut bad = bytes.clone();
        bad[place + at] = byte;
        let error = DeckMatchResults::decode(&bad).expect_err(expected).to_string();
        let malformed = "records.2 is malformed, but must be the record of a game:";
        assert_eq!(error, format!("{malformed} {expected}"));
    };
    check(0, 2, "a record of version 2 of the rules, but this build has 1");
    check(1, 2, "the first player is 2, but must be 0 or 1");
    check(16, 144, "the action of ply 3 is 144, but must be below 144");
}

/// Returns two decks, and the record of a game between them.
fn game() -> ([GameDeck; 2], GameRecord) {
    let decks = RandomMatch::draw(&mut game_rng(&stream("results"), 5)).build();
    let record = good().records.swap_remove(0);
    (decks, record)
}

/// Checks the messages of a record that does not replay.
#[track_caller]
fn check_replay(change: impl FnOnce(&mut GameRecord), expected: &str) {
    let (decks, mut record) = game();
    change(&mut record);
    let error = record.replay(decks.each_ref(), &mut ()).expect_err(expected);
    assert_eq!(error_chain(&error), expected);
}

#[test]
fn records_are_whole_games_of_legal_actions() {
    let (decks, record) = game();
    let plies = record.actions.len();
    assert!(record.replay(decks.each_ref(), &mut ()).is_ok());
    for plies in 0..plies {
        check_replay(
            |bad| bad.actions.truncate(plies),
            &format!("the game is not over after its {plies} plies"),
        );
    }
    let action = |text: &str, slot: u8| Action { cell: text.parse::<Cell>().unwrap(), slot };
    let player = record.start.first;
    check_replay(
        |bad| bad.actions[0] = action("a1", 0),
        &format!("the action of ply 1 is illegal: {player} cannot place a piece on a1"),
    );
    check_replay(
        |bad| bad.actions[0] = action("c3", 0),
        &format!("the action of ply 1 is illegal: {player} cannot place a piece on c3"),
    );
    let cell = record.actions[0].cell;
    check_replay(
        |bad| bad.actions[1].cell = cell,
        &format!(
            "the action of ply 2 is illegal: {} cannot place a piece on {cell}",
            player.enemy()
        ),
    );
    check_replay(
        |bad| bad.actions.push(action("a1", 1)),
        &format!("the action of ply {} is illegal: a12 after the end of the game", plies + 1),
    );
}

/// A cut in the bytes is a shorter record, which does not replay, or none.
#[test]
fn cut_records_are_refused() {
    let (decks, record) = game();
    let bytes = record.encode();
    for n_bytes in 0..bytes.len() {
        let cut = GameRecord::decode(&bytes[..n_bytes]);
        let cut = cut.and_then(|cut| cut.replay(decks.each_ref(), &mut ()).map(drop));
        let expected = match n_bytes.checked_sub(14) {
            None => RecordError::Length { n_bytes },
            Some(plies) => RecordError::Unfinished { plies },
        };
        assert_eq!(cut, Err(expected));
    }
}

/// Returns a file of two series with one record each.
fn file() -> GameFile {
    let (decks, record) = game();
    let names = ["a", "b"].map(str::to_owned);
    let agents = ["random"; 2].map(str::to_owned);
    let record = GameRecord { decks: [0, 1], ..record };
    let series = GameSeries { agents, records: vec![record] };
    GameFile { decks: names.into_iter().zip(decks).collect(), series: vec![series.clone(), series] }
}

/// Checks the message of a file with a change.
#[track_caller]
fn check_file(change: impl FnOnce(&mut GameFile), expected: &str) {
    let mut bad = file();
    change(&mut bad);
    let error = GameFile::decode_message(&bad.encode_message()).expect_err(expected);
    assert_eq!(error.to_string(), expected);
}

#[test]
fn files_are_whole() {
    let bytes = file().encode_message();
    assert_eq!(GameFile::decode_message(&bytes).unwrap(), file());
    check_file(
        |bad| bad.series[0].records[0].decks[0] = 2,
        "series is a list with deck 2, but must be of 2 decks",
    );
    check_file(|bad| bad.decks.truncate(1), "series is a list with deck 1, but must be of 1 decks");
    let check = |bytes: &[u8], expected: &str| {
        let error = GameFile::decode_message(bytes).expect_err(expected);
        assert_eq!(error.to_string(), expected);
    };
    // The version of the rules, and the name of the first deck, are the first fields.
    check(&[&[8, 9], &bytes[2..]].concat(), "rules is 9, but must be from 1 to 1");
    check(
        &[&bytes[..2], &bytes[5..]].concat(),
        "deck_names is 1, but must be 2, one for each deck",
    );
    check(&bytes[..bytes.len() - 1], "malformed GameFile");
    check(&[255; 9], "malformed GameFile");
}

/// Fields of messages are private: setups are written by hand, after the encoding guide of
/// protobuf.
mod message {
    /// A key and its value.
    pub(super) type Field = Vec<u8>;

    /// Encodes a number.
    pub(super) fn varint(mut value: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        loop {
            let low = u8::try_from(value & 127).expect("seven bits");
            value >>= 7;
            if value == 0 {
                bytes.push(low);
                return bytes;
            }
            bytes.push(low | 128);
        }
    }

    pub(super) fn number(tag: u8, value: usize) -> Field {
        [vec![tag << 3], varint(value)].concat()
    }

    pub(super) fn packed(tag: u8, values: &[usize]) -> Field {
        let values: Vec<_> = values.iter().flat_map(|value| varint(*value)).collect();
        [vec![tag << 3 | 2], varint(values.len()), values].concat()
    }

    pub(super) fn message(tag: u8, fields: &[Field]) -> Field {
        let fields = fields.concat();
        [vec![tag << 3 | 2], varint(fields.len()), fields].concat()
    }

    pub(super) fn piece(id: usize, hp: usize, attack: usize, skill: &[Field]) -> Field {
        let mut fields = vec![number(1, id), number(3, hp), number(4, attack)];
        fields.extend(skill.iter().map(|effect| message(5, std::slice::from_ref(effect))));
        message(1, &fields)
    }

    /// Encodes pieces with these numbers.
    pub(super) fn plain(numbers: std::ops::Range<usize>) -> Vec<Field> {
        numbers.map(|id| piece(id, 1, 0, &[])).collect()
    }

    pub(super) fn deck(pieces: &[Field], leader: usize) -> Field {
        message(1, &[pieces.concat(), number(2, leader)])
    }

    pub(super) fn agent(kind: usize, temperature: usize) -> Field {
        message(2, &[message(1, &[number(1, kind), number(2, temperature)])])
    }

    pub(super) fn network(n_parts: usize, hash_bytes: usize) -> Field {
        let part = message(2, &[message(1, &[vec![9; hash_bytes]])]);
        message(2, &vec![part; n_parts])
    }

    pub(super) fn effect(kind: usize, magnitude: usize, condition: &[Field]) -> Field {
        [number(1, kind), number(2, magnitude), message(5, condition)].concat()
    }
}

/// Checks the message with these fields.
#[track_caller]
fn check_fields<T: WireValue + Debug>(fields: &[Vec<u8>], expected: &str) {
    let fields = fields.concat();
    let bytes = [varint(fields.len()), fields].concat();
    let error = T::decode(&bytes).expect_err(expected);
    assert_eq!(error.to_string(), expected);
}

/// Checks the message of a table of these decks.
#[track_caller]
fn check_decks(fields: &[Vec<u8>], expected: &str) {
    check_fields::<DeckTable>(fields, expected);
}

/// Checks the message of a setup of games with these decks and agents.
#[track_caller]
fn check_setup(fields: &[Vec<u8>], expected: &str) {
    check_fields::<TrialSetup>(&[message(1, fields)], &format!("games.{expected}"));
}

/// Checks the message about a table with a deck that ends with this piece.
#[track_caller]
fn check_piece(last: Vec<u8>, expected: &str) {
    let mut pieces = plain(1..16);
    pieces.push(last);
    let decks = [deck(&pieces, 3), deck(&plain(1..17), 3)];
    check_decks(&decks, &format!("decks.0.pieces{expected}"));
}

#[test]
fn setups_come_back() {
    let agents = [GameAgent::Random; 2].map(MatchAgent::from);
    let setup = MatchSetup { decks: [0, 1_023], agents, kept: KeptRecords::None };
    let setup = TrialSetup::Games(setup);
    assert_eq!(TrialSetup::decode(&setup.encode()).unwrap(), setup);
}

#[test]
fn setups_have_two_decks_and_two_agents() {
    let decks = packed(1, &[0, 1_023]);
    let check = |agents: &[Vec<u8>], expected: &str| {
        check_setup(&[decks.clone(), agents.concat()], expected);
    };
    check_fields::<TrialSetup>(&[], "kind is missing, but must be one of Games, Record, Train");
    check_setup(&[], "decks is a list of 0, but must be a list of 2");
    for (number, expected) in [
        (1_024, "decks.1 is 1024, but must be at most 1023"),
        (70_000, "decks is 70000, but must be at most 65535"),
    ] {
        check_setup(&[packed(1, &[0, number]), agent(2, 0), agent(2, 0)], expected);
    }
    check(&[agent(1, 9)], "agents is a list of 1, but must be a list of 2");
    let check = |first: Vec<u8>, expected: &str| {
        check(&[first, agent(2, 0)], &format!("agents.0.{expected}"));
    };
    check(agent(3, 0), "rule.kind is 3, but must be at most 2");
    check(agent(1, 100_001), "rule.temperature is 100001, but must be at most 100000");
    check(network(0, 32), "weights is 0, but must be 1 or more");
    check(network(9, 32), "weights is 9 long, but must be at most 8 long");
    check(network(1, 31), "weights.0.hash is 31 bytes long, but must be 32");
    let both = message(2, &[message(1, &[]), message(2, &[message(1, &[vec![9; 32]])])]);
    check(both, "weights is 1, but must be 0 for a rule-based agent");
    // A temperature of an agent that has none.
    let fields = [message(1, &[decks, agent(2, 7), agent(2, 0)])];
    check_fields::<TrialSetup>(&fields, "TrialSetup is not canonically encoded");
}

#[test]
fn decks_of_tables_have_pieces_of_the_rules() {
    let other = deck(&plain(1..17), 3);
    let check_deck = |bad, expected| check_decks(&[other.clone(), bad], expected);
    check_decks(&[], "decks is 0 long, but must be from 1 to 1024 long");
    let many = vec![other.clone(); 1_025];
    check_decks(&many, "decks is 1025 long, but must be from 1 to 1024 long");
    check_deck(deck(&plain(1..16), 3), "decks.1.pieces is a list of 15, but must be a list of 16");
    check_deck(deck(&plain(1..17), 16), "decks.1.leader is 16, but must be at most 15");
    check_piece(piece(4, 1, 0, &[]), " is a list with one piece twice, but must be different");
    check_piece(piece(65_536, 1, 0, &[]), ".15.id is 65536, but must be at most 65535");
    check_piece(piece(99, 0, 0, &[]), ".15.hp is 0, but must be from 1 to 9999");
    check_piece(piece(99, 1, 10_000, &[]), ".15.attack is 10000, but must be at most 9999");
}

#[test]
fn skills_of_decks_are_those_of_the_rules() {
    let check = |effects: &[Vec<u8>], expected: &str| {
        check_piece(piece(99, 1, 1, effects), &format!(".15.skill{expected}"));
    };
    let check_one = |effect: Vec<u8>, expected: &str| check(&[effect], &format!(".0.{expected}"));
    check_one(effect(24, 1, &[]), "kind is 24, but must be below 24");
    check_one(effect(4, 0, &[]), "magnitude is 0, but must be from 1 to 9999");
    let missing = "condition is missing, but must be there";
    check_one([number(1, 4), number(2, 600)].concat(), missing);
    let of = |condition: &[Vec<u8>]| effect(4, 600, condition);
    check_one(of(&[number(1, 11)]), "condition.name is 11, but must be at most 10");
    check_one(
        of(&[number(1, 1), number(2, 256)]),
        "condition.number is 256, but must be at most 255",
    );
    let (bolt, echo) = (effect(4, 600, &[]), effect(2, 5, &[]));
    let chain = "but must be at most 4 effects: echoes, and another one at the end";
    let check = |effects: &[&Vec<u8>]| {
        let effects: Vec<_> = effects.iter().map(|&effect| effect.clone()).collect();
        check(&effects, &format!(" is a chain of {}, {chain}", effects.len()));
    };
    check(&[&echo]);
    check(&[&bolt, &bolt]);
    check(&[&bolt, &echo]);
    check(&[&echo, &echo, &echo, &echo, &bolt]);
}
