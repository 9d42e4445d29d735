//! A preview is what happens.

use hatchery_othellonia::rules::{Game, GameEvent, GameState, Player};

use crate::random_decks::{RandomMatch, game_rng, random_action, stream};

/// Returns the HP of both players after `events`.
fn hp_after(state: &GameState, events: &[GameEvent]) -> [u32; 2] {
    let mut hp = state.players.each_ref().map(|player| player.hp);
    for event in events {
        match *event {
            GameEvent::Lost { player, amount, .. } => {
                hp[player.index()] = hp[player.index()].saturating_sub(amount);
            }
            GameEvent::Healed { player, amount, .. } => hp[player.index()] += amount,
            _ => {}
        }
    }
    hp
}

#[test]
fn previews_are_what_happens_until_the_next_turn() {
    let (matches, actions) = (stream("preview decks"), stream("preview actions"));
    for number in 0..2_000 {
        let random = RandomMatch::draw(&mut game_rng(&matches, number));
        let mut rng = game_rng(&actions, number);
        let decks = random.build();
        let mut game = Game::start([&decks[0], &decks[1]], random.start);
        while let Some(action) = random_action(&mut rng, &game) {
            let before = *game.state();
            let mut seen = Vec::new();
            let preview = game.preview(action, &mut seen).unwrap();
            assert_eq!(*game.state(), before, "a preview changes nothing");
            let mut happened = Vec::new();
            game.play(action, &mut happened).unwrap();

            let (prefix, rest) = happened.split_at(seen.len());
            assert_eq!(prefix, seen, "game {number}");
            let after = preview.state();
            assert_eq!(hp_after(&before, &seen), after.players.each_ref().map(|it| it.hp));
            assert_eq!(
                hp_after(&before, &happened),
                game.state().players.each_ref().map(|it| it.hp)
            );
            let cells = |state: &GameState| Player::ALL.map(|it| state.player(it).cells);
            assert_eq!(cells(after), cells(game.state()), "game {number}");
            if let Some(GameEvent::TurnBegan { player }) = rest.first() {
                assert_eq!(*player, before.to_move.enemy());
                assert_eq!((after.to_move, after.outcome), (before.to_move, None));
            } else {
                assert!(rest.is_empty(), "game {number}: {rest:?}");
                assert_eq!(after, game.state());
                assert!(game.outcome().is_some());
            }
            // What runs counts turns at passes.
            if !rest.iter().any(|event| matches!(event, GameEvent::Passed { .. })) {
                assert_eq!(after.board, game.state().board, "game {number}");
            }
        }
    }
}

#[test]
fn every_legal_action_can_be_previewed() {
    let matches = stream("preview decks");
    for number in 0..200 {
        let random = RandomMatch::draw(&mut game_rng(&matches, number));
        let mut rng = game_rng(&stream("all previews"), number);
        let decks = random.build();
        let mut game = Game::start([&decks[0], &decks[1]], random.start);
        while let Some(action) = random_action(&mut rng, &game) {
            for other in game.actions() {
                let mut seen = Vec::new();
                let preview = game.preview(other, &mut seen).unwrap();
                let mut copy = game.clone();
                let mut happened = Vec::new();
                copy.play(other, &mut happened).unwrap();
                assert!(happened.starts_with(&seen), "game {number}: {other}");
                assert_eq!(preview.state().placements, copy.state().placements);
            }
            game.play(action, &mut ()).unwrap();
        }
    }
}
