//! Legal actions are played, all others are refused and change nothing.

use hatchery_othellonia::rules::{Action, ActionError, Cell, Game, Player};
use proptest::prelude::{Strategy, any, prop, proptest};
use proptest::{prop_assert, prop_assert_eq};

use crate::random_decks::{RandomMatch, game_rng, random_action, stream};

/// Returns the error that an action deserves, from the state alone.
fn expected_error(game: &Game<'_>, action: Action) -> Option<ActionError> {
    let (state, Action { cell, slot }) = (game.state(), action);
    let player = state.to_move;
    if state.outcome.is_some() {
        return Some(ActionError::GameOver { action });
    }
    if !state.legal.contains(cell) {
        return Some(ActionError::IllegalCell { cell, player });
    }
    let piece = state.player(player).hand.get(usize::from(slot)).copied().flatten();
    piece.is_none().then_some(ActionError::EmptySlot { slot, player })
}

/// Returns a byte, and whether the byte is the action itself or the number of a legal action.
fn step() -> impl Strategy<Value = (u8, bool)> {
    (any::<u8>(), any::<bool>())
}

#[test]
fn bytes_and_actions_are_one_to_one() {
    for byte in 0..=u8::MAX {
        match Action::from_byte(byte) {
            Some(action) => {
                assert!(byte < Action::COUNT && action.slot < 4);
                assert_eq!(action.to_byte(), byte);
                assert_eq!((action.cell.number(), action.slot), (byte / 4, byte % 4));
            }
            None => assert!(144 <= byte, "{byte}"),
        }
    }
    assert_eq!(Action::COUNT, 144);
}

proptest! {
    #[test]
    fn illegal_actions_change_nothing(
        number in 0_u64..1_000_000,
        steps in prop::collection::vec(step(), 0..120),
    ) {
        let random = RandomMatch::draw(&mut game_rng(&stream("actions"), number));
        let decks = random.build();
        let mut game = Game::start([&decks[0], &decks[1]], random.start);
        for (byte, is_number) in steps {
            let legal: Vec<_> = game.actions().collect();
            let action = match is_number && !legal.is_empty() {
                true => Some(legal[usize::from(byte) % legal.len()]),
                false => Action::from_byte(byte),
            };
            let Some(action) = action else {
                prop_assert!(Action::COUNT <= byte);
                continue;
            };
            let expected = expected_error(&game, action);
            prop_assert_eq!(expected.is_none(), legal.contains(&action));
            let before = *game.state();
            let mut events = Vec::new();
            let preview = game.preview(action, &mut events).err();
            prop_assert_eq!(preview, expected);
            prop_assert_eq!(events.is_empty(), expected.is_some());
            events.clear();
            prop_assert_eq!(game.play(action, &mut events).err(), expected);
            prop_assert_eq!(events.is_empty(), expected.is_some());
            prop_assert_eq!(*game.state() == before, expected.is_some());
        }
    }
}

#[test]
fn games_that_are_over_take_no_action() {
    for number in 0..200 {
        let mut rng = game_rng(&stream("over"), number);
        let random = RandomMatch::draw(&mut rng);
        let decks = random.build();
        let mut game = Game::start([&decks[0], &decks[1]], random.start);
        while let Some(action) = random_action(&mut rng, &game) {
            game.play(action, &mut ()).unwrap();
        }
        let end = *game.state();
        assert!(end.outcome.is_some() && end.legal.is_empty());
        for byte in 0..Action::COUNT {
            let action = Action::from_byte(byte).unwrap();
            let error = game.play(action, &mut ()).unwrap_err();
            assert_eq!(error, ActionError::GameOver { action });
        }
        assert_eq!(*game.state(), end);
    }
}

#[test]
fn errors_name_the_action() {
    let random = RandomMatch::draw(&mut game_rng(&stream("errors"), 0));
    let decks = random.build();
    let mut game = Game::start([&decks[0], &decks[1]], random.start);
    let player = game.state().to_move;
    let cell = |text: &str| text.parse::<Cell>().unwrap();
    let mut error = |cell, slot| game.play(Action { cell, slot }, &mut ()).unwrap_err();
    // Black has d3 and c4: c2, b3, e4 and d5 are legal.
    for taken_or_far in ["c3", "d3", "a1", "d2", "f6"] {
        let cell = cell(taken_or_far);
        assert_eq!(error(cell, 0), ActionError::IllegalCell { cell, player });
    }
    for slot in [4, 5, 200, u8::MAX] {
        assert_eq!(error(cell("c2"), slot), ActionError::EmptySlot { slot, player });
    }
    let text = |error: ActionError| error.to_string();
    let (c2, slot, player) = (cell("c2"), 2, Player::B);
    let over = ActionError::GameOver { action: Action { cell: c2, slot } };
    assert_eq!(text(over), "c23 after the end of the game");
    let illegal = ActionError::IllegalCell { cell: c2, player };
    assert_eq!(text(illegal), "B cannot place a piece on c2");
    let empty = ActionError::EmptySlot { slot, player };
    assert_eq!(text(empty), "slot 3 of B's hand is empty");
}
