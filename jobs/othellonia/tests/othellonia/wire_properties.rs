//! Encodings of values as properties: every value comes back, and bytes from other machines are
//! refused or are the one encoding of a value.

use std::fmt::Debug;

use hatchery_core::{LargeValue, Part, Simulation, StreamRng, TrialContext, WireValue};
use hatchery_othellonia::OthelloniaGames;
use hatchery_othellonia::players::{GameAgent, RuleAgent};
use hatchery_othellonia::record::{GameFile, GameRecord, GameSeries};
use hatchery_othellonia::rules::GameDeck;
use hatchery_othellonia::trial::results::{DeckMatchResults, TrialResults};
use hatchery_othellonia::trial::setup::{
    DeckTable, KeptRecords, MatchAgent, MatchSetup, TrialSetup,
};
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop};
use proptest::test_runner::TestCaseError;
use proptest::{prop_assert_eq, prop_oneof, proptest};

use super::random_decks::{RandomMatch, game_rng, stream};

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

/// What is done to a byte of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mutation {
    Set(u8),
    Insert(u8),
    Remove,
    Truncate,
}

pub(crate) fn mutation() -> impl Strategy<Value = (usize, Mutation)> {
    let kind = prop_oneof![
        3 => any::<u8>().prop_map(Mutation::Set),
        1 => any::<u8>().prop_map(Mutation::Insert),
        1 => Just(Mutation::Remove),
        1 => Just(Mutation::Truncate),
    ];
    (any::<usize>(), kind)
}

/// Returns a message after mutations at these places.
pub(crate) fn damaged(mut message: Vec<u8>, mutations: Vec<(usize, Mutation)>) -> Vec<u8> {
    for (place, mutation) in mutations {
        let place = place % message.len().max(1);
        match mutation {
            _ if message.is_empty() => {}
            Mutation::Set(byte) => message[place] = byte,
            Mutation::Insert(byte) => message.insert(place, byte),
            Mutation::Remove => drop(message.remove(place)),
            Mutation::Truncate => message.truncate(place),
        }
    }
    message
}

pub(crate) fn any_agent() -> impl Strategy<Value = GameAgent> {
    let temperature = (0..=RuleAgent::MAX_TEMPERATURE)
        .prop_map(|temperature| GameAgent::Rule(RuleAgent { temperature }));
    prop_oneof![
        Just(GameAgent::Random),
        Just(GameAgent::Lookahead),
        Just(GameAgent::Rule(RuleAgent::NOVICE)),
        Just(GameAgent::Rule(RuleAgent::HARD)),
        temperature,
    ]
}

fn any_rule() -> impl Strategy<Value = MatchAgent> {
    any_agent().prop_map(MatchAgent::from)
}

fn any_match_agent() -> impl Strategy<Value = MatchAgent> {
    let part = any::<[u8; 4]>().prop_map(|bytes| Part::of(&bytes));
    let parts = prop::collection::vec(part, 1..=MatchAgent::MAX_PARTS);
    prop_oneof![any_rule(), parts.prop_map(|parts| MatchAgent::Network(LargeValue::new(parts))),]
}

/// Draws setups of decks with numbers below `n_decks`, and of such agents.
fn any_setup_of(
    n_decks: u16,
    agents: impl Strategy<Value = [MatchAgent; 2]>,
) -> impl Strategy<Value = MatchSetup> {
    let numbers = [0..n_decks, 0..n_decks];
    (numbers, agents, any::<bool>()).prop_map(|(decks, agents, keeps)| {
        let kept = if keeps { KeptRecords::All } else { KeptRecords::None };
        MatchSetup { decks, agents, kept }
    })
}

/// Draws setups of decks with numbers below `n_decks`.
pub(crate) fn any_setup(n_decks: u16) -> impl Strategy<Value = MatchSetup> {
    any_setup_of(n_decks, [any_match_agent(), any_match_agent()])
}

/// Draws two decks of a random pool: every kind of effect, and chains of echoes.
fn any_decks() -> impl Strategy<Value = [GameDeck; 2]> {
    let build = |pool| RandomMatch::draw(&mut game_rng(&stream("setups"), pool)).build();
    any::<u64>().prop_map(build)
}

/// Draws tables of decks.
pub(crate) fn any_table() -> impl Strategy<Value = DeckTable> {
    let decks = prop::collection::vec(any_decks(), 1..3);
    decks.prop_map(|decks| DeckTable::new(decks.concat()).expect("a few decks"))
}

fn trial(decks: &[GameDeck; 2], setup: &MatchSetup, rng: StreamRng) -> DeckMatchResults {
    let decks = DeckTable::new(decks.to_vec()).expect("two decks");
    let setup = TrialSetup::Games(setup.clone());
    OthelloniaGames::trial(&decks, &setup, rng, &TrialContext::ALONE).games
}

/// Returns results of `n_trials` trials between random decks, with or without records.
pub(crate) fn some_results(pool: u64, n_trials: u64, kept: KeptRecords) -> DeckMatchResults {
    let decks = RandomMatch::draw(&mut game_rng(&stream("results"), pool)).build();
    let agents = [GameAgent::Random; 2].map(MatchAgent::from);
    let setup = MatchSetup { decks: [0, 1], agents, kept };
    let mut results = trial(&decks, &setup, stream("trials").part(0));
    for number in 1..n_trials {
        results.absorb(trial(&decks, &setup, stream("trials").part(number)));
    }
    results
}

pub(crate) fn any_results() -> impl Strategy<Value = DeckMatchResults> {
    (any::<u64>(), 1..5_u64, any::<bool>()).prop_map(|(pool, n_trials, keeps)| {
        some_results(pool, n_trials, if keeps { KeptRecords::All } else { KeptRecords::None })
    })
}

fn any_file() -> impl Strategy<Value = GameFile> {
    let names = prop::collection::vec("[a-z0-9|, ä]{0,12}", 2);
    (any::<u64>(), names, any::<[String; 2]>(), 0..3_u64).prop_map(|(pool, names, agents, n)| {
        let decks = RandomMatch::draw(&mut game_rng(&stream("files"), pool)).build();
        let agent = [GameAgent::Random; 2].map(MatchAgent::from);
        let setup = MatchSetup { decks: [1, 0], agents: agent, kept: KeptRecords::All };
        let records = (0..n).flat_map(|at| trial(&decks, &setup, stream("files").part(at)).records);
        let series = GameSeries { agents, records: records.collect() };
        let empty = GameSeries { records: Vec::new(), ..series.clone() };
        let decks = names.into_iter().zip(decks).collect();
        GameFile { decks, series: vec![series, empty] }
    })
}

/// Checks that bytes are refused, or a file that comes back and whose records never panic.
fn refused_or_file(bytes: &[u8]) -> Result<(), TestCaseError> {
    let Ok(file) = GameFile::decode_message(bytes) else { return Ok(()) };
    let again = GameFile::decode_message(&file.encode_message()).expect("it was encoded");
    prop_assert_eq!(&again, &file);
    for record in file.series.iter().flat_map(|series| &series.records) {
        if let Ok(game) = record.replay(file.decks_of(record), &mut ()) {
            prop_assert_eq!(usize::from(game.state().placements), record.actions.len());
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn setups_come_back(setup in any_setup(1_024)) {
        let setup = TrialSetup::Games(setup);
        let bytes = setup.encode();
        let again = TrialSetup::decode(&bytes).unwrap();
        prop_assert_eq!(again.encode(), bytes);
        prop_assert_eq!(again, setup);
    }

    #[test]
    fn tables_come_back(table in any_table()) {
        let bytes = table.encode();
        let again = DeckTable::decode(&bytes).unwrap();
        prop_assert_eq!(again.encode(), bytes);
        prop_assert_eq!(again, table);
    }

    #[test]
    fn results_come_back(results in any_results()) {
        let results = TrialResults::of_games(results);
        let bytes = results.encode();
        let again = TrialResults::decode(&bytes).unwrap();
        prop_assert_eq!(again.encode(), bytes);
        prop_assert_eq!(again, results);
    }

    #[test]
    fn any_bytes_are_nothing_or_canonical(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        refused_or_canonical::<DeckTable>(&bytes)?;
        refused_or_canonical::<TrialSetup>(&bytes)?;
        refused_or_canonical::<TrialResults>(&bytes)?;
    }

    #[test]
    fn changed_setups_are_refused_or_canonical(
        setup in any_setup(1_024),
        mutations in prop::collection::vec(mutation(), 1..4),
    ) {
        let bytes = TrialSetup::Games(setup).encode();
        refused_or_canonical::<TrialSetup>(&damaged(bytes, mutations))?;
    }

    #[test]
    fn changed_tables_are_refused_or_canonical(
        table in any_table(),
        mutations in prop::collection::vec(mutation(), 1..4),
    ) {
        refused_or_canonical::<DeckTable>(&damaged(table.encode(), mutations))?;
    }

    #[test]
    fn changed_results_are_refused_or_canonical(
        results in any_results(),
        mutations in prop::collection::vec(mutation(), 1..4),
    ) {
        let bytes = TrialResults::of_games(results).encode();
        refused_or_canonical::<TrialResults>(&damaged(bytes, mutations))?;
    }

    #[test]
    fn any_bytes_are_no_record_or_canonical(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Ok(record) = GameRecord::decode(&bytes) {
            prop_assert_eq!(record.encode(), bytes);
        }
    }

    /// Bytes that begin as a record does, and random actions, which are hardly ever legal.
    #[test]
    fn any_records_replay_or_are_refused(
        pool in any::<u64>(),
        head in prop::collection::vec(any::<u8>(), 12),
        first in 0..2_u8,
        actions in prop::collection::vec(0..144_u8, 0..=32),
    ) {
        let record = GameRecord::decode(&[&[1, first], &head[..], &actions[..]].concat()).unwrap();
        let decks = RandomMatch::draw(&mut game_rng(&stream("records"), pool)).build();
        if let Ok(game) = record.replay(decks.each_ref(), &mut ()) {
            prop_assert_eq!(usize::from(game.state().placements), actions.len());
        }
    }

    #[test]
    fn any_bytes_are_no_file_or_one_that_comes_back(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        refused_or_file(&bytes)?;
    }

    #[test]
    fn files_come_back(file in any_file()) {
        prop_assert_eq!(GameFile::decode_message(&file.encode_message()).unwrap(), file);
    }

    #[test]
    fn changed_files_are_refused_or_come_back(
        file in any_file(),
        mutations in prop::collection::vec(mutation(), 1..4),
    ) {
        refused_or_file(&damaged(file.encode_message(), mutations))?;
    }
}

proptest! {
    // Look-ahead takes a millisecond or two a game.
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The records of a trial are its two games: with the same seed, A first and then B.
    #[test]
    fn records_of_trials_replay_to_their_results(
        decks in any_decks(),
        setup in any_setup_of(2, [any_rule(), any_rule()]),
        number in any::<u64>(),
    ) {
        let stream = stream("replays").part(number);
        let kept = MatchSetup { kept: KeptRecords::All, ..setup.clone() };
        let results = trial(&decks, &kept, stream.clone());
        let (pairs, records) = (results.pairs.as_slice(), results.records.as_slice());
        prop_assert_eq!((pairs.len(), records.len(), results.sums.games), (1, 2, 2));
        prop_assert_eq!(records[0].start.seed, records[1].start.seed);
        let mut expected = replayed::Sums::default();
        for ((record, first), points) in
            records.iter().zip(replayed::FIRST).zip(pairs[0].half_points())
        {
            prop_assert_eq!((record.start.first, record.decks), (first, setup.decks));
            let mut events = Vec::new();
            let decks = setup.decks.map(|deck| &decks[usize::from(deck)]);
            let game = record.replay(decks, &mut events).unwrap();
            let outcome = game.outcome().unwrap();
            prop_assert_eq!(points, replayed::half_points(outcome));
            expected.add(record, outcome, &events);
            let again = GameRecord::decode(&record.encode()).unwrap();
            prop_assert_eq!(&again, record);
        }
        prop_assert_eq!(&results.sums, &expected.0);
        let without = trial(&decks, &MatchSetup { kept: KeptRecords::None, ..setup }, stream);
        prop_assert_eq!(without, DeckMatchResults { records: Vec::new(), ..results });
    }
}

/// Recomputes the sums over replayed games by other means than trials do.
mod replayed {
    use hatchery_othellonia::record::GameRecord;
    use hatchery_othellonia::rules::{EffectKind, EndCause, GameEvent, GameOutcome, Player};
    use hatchery_othellonia::trial::results::GameSums;

    /// The player who places first in each game of a pair.
    pub(super) const FIRST: [Player; 2] = [Player::A, Player::B];

    pub(super) fn half_points(outcome: GameOutcome) -> u8 {
        match outcome.winner {
            Some(Player::A) => 2,
            None => 1,
            Some(Player::B) => 0,
        }
    }

    #[derive(Default)]
    pub(super) struct Sums(pub(super) GameSums);

    impl Sums {
        pub(super) fn add(
            &mut self,
            record: &GameRecord,
            outcome: GameOutcome,
            events: &[GameEvent],
        ) {
            self.0.games += 1;
            self.0.placements += record.actions.len() as u64;
            let cause = EndCause::ALL.iter().position(|cause| *cause == outcome.cause);
            self.0.causes[cause.expect("it is one of all")] += 1;
            for (sum, kind) in self.0.fired.iter_mut().zip(EffectKind::ALL) {
                *sum += u64::from(events.iter().any(|event| is_fired(event, kind)));
            }
        }
    }

    fn is_fired(event: &GameEvent, kind: EffectKind) -> bool {
        matches!(event, GameEvent::Fired { kind: fired, .. } if *fired == kind)
    }
}
