//! The decisions of records, and records that are none.

use hatchery_othellonia::learning::samples::{SampleError, TrainingGames};
use hatchery_othellonia::record::{GameRecord, RecordError};
use hatchery_othellonia::rules::{Action, ActionError, Game, GameStart, Player};
use proptest::prelude::{ProptestConfig, any, prop, proptest};

use crate::learning::games::{DECKS, records};

#[test]
fn decisions_are_those_of_the_records_in_their_order() {
    let records = records(5, "decisions");
    let games = TrainingGames::new(&*DECKS, records.clone()).unwrap();
    let mut number = 0;
    for record in &records {
        let decks = record.decks.map(|deck| &DECKS[usize::from(deck)]);
        let mut game = Game::start(decks, record.start);
        let outcome = record.replay(decks, &mut ()).unwrap().outcome();
        for &action in &record.actions {
            let decision = games.decision(number);
            assert_eq!(decision.game.state(), game.state(), "decision {number}");
            assert_eq!(decision.game.decks(), decks);
            assert_eq!((decision.chosen, Some(decision.outcome)), (action, outcome));
            game.play(action, &mut ()).unwrap();
            number += 1;
        }
    }
    assert_eq!((games.n_games(), games.n_decisions()), (5, number));
}

#[test]
fn the_placements_of_each_kind_are_counted() {
    let games = TrainingGames::new(&*DECKS, records(5, "decisions")).unwrap();
    let counts = games.placements(925);
    assert_eq!(counts.iter().sum::<u64>(), u64::from(games.n_decisions()));
    let of_decks = |kind: usize| {
        let mut pieces = DECKS.iter().flat_map(|deck| deck.pieces());
        pieces.any(|piece| usize::from(piece.id.0) == kind)
    };
    let placed = (0..925).filter(|&kind| counts[kind] != 0);
    assert!(placed.clone().all(of_decks) && 40 < placed.count());
}

/// Returns why the second of two records is refused, after `change`.
fn refused(change: impl FnOnce(&mut GameRecord)) -> SampleError {
    let mut records = records(2, "decisions");
    change(&mut records[1]);
    TrainingGames::new(&*DECKS, records).unwrap_err()
}

#[test]
fn records_that_are_no_games_are_refused() {
    let error = refused(|record| record.actions[4] = record.actions[3]);
    let SampleError::Record { record: 1, source: RecordError::Illegal { ply: 5, source } } = error
    else {
        panic!("{error:?}")
    };
    assert!(matches!(source, ActionError::IllegalCell { .. }));

    let error = refused(|record| record.actions.truncate(6));
    let source = RecordError::Unfinished { plies: 6 };
    assert_eq!(error, SampleError::Record { record: 1, source });

    let error = refused(|record| record.actions.push(record.actions[0]));
    let is_over = |source: &RecordError| {
        matches!(source, RecordError::Illegal { source: ActionError::GameOver { .. }, .. })
    };
    assert!(matches!(&error, SampleError::Record { record: 1, source } if is_over(source)));

    let error = refused(|record| record.decks[1] = 6);
    assert_eq!(error, SampleError::NoDeck { record: 1, deck: 6, decks: 6 });
    assert_eq!(error.to_string(), "record 1 has deck 6, but there are 6 decks");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Any record is refused, or each of its decisions is there.
    #[test]
    fn any_record_is_refused_or_replayed(
        decks in any::<[u16; 2]>(),
        seed in any::<u64>(),
        bytes in prop::collection::vec(0..144_u8, 0..32),
    ) {
        let actions: Vec<_> = bytes.into_iter().filter_map(Action::from_byte).collect();
        let start = GameStart { seed, first: Player::B };
        let record = GameRecord { decks: decks.map(|deck| deck % 8), start, actions };
        let n_actions = u32::try_from(record.actions.len()).unwrap();
        if let Ok(games) = TrainingGames::new(&*DECKS, [record]) {
            assert_eq!(games.n_decisions(), n_actions);
            (0..n_actions).for_each(|number| drop(games.decision(number)));
        }
    }
}
