//! Rows tell what the player sees, and nothing else.

use std::array;

use hatchery_core::StreamRng;
use hatchery_othellonia::features::{FeatureLayout, Information, PieceEncoding};
use hatchery_othellonia::rules::{
    Game, GameDeck, GamePiece, GameStart, GameState, PieceId, Player, deck_order,
};
use proptest::prelude::*;

use crate::features::positions::{
    KINDS, action_row, decks, encodings, play, pool, rng, start, state_row, vectors, with_position,
};

/// Puts the values in another order.
fn shuffle<T: Copy>(values: &mut [T], rng: &mut StreamRng) {
    let old = values.to_vec();
    for (value, from) in values.iter_mut().zip(rng.permutation(old.len())) {
        *value = old[from];
    }
}

/// Shuffles the order of draws: of what was drawn, and of what was not.
fn shuffle_draws(state: &mut GameState, rng: &mut StreamRng) {
    for player in &mut state.players {
        let (drawn, rest) = player.order.split_at_mut(player.drawn.into());
        shuffle(drawn, rng);
        shuffle(rest, rng);
    }
}

/// Exchanges the pieces in the enemy's hand with those in its deck, but keeps the leader in the
/// hand, and shuffles the slots of the hand.
fn shuffle_hidden(state: &mut GameState, leader: u8, rng: &mut StreamRng) {
    let enemy = &mut state.players[state.to_move.enemy().index()];
    let in_hand = |piece: u8| enemy.hand.contains(&Some(piece)) && piece != leader;
    let drawn = usize::from(enemy.drawn);
    let hidden = |at: &usize| drawn <= *at || in_hand(enemy.order[*at]);
    let places: Vec<_> = (0..16).filter(hidden).collect();
    let old: Vec<_> = places.iter().map(|&at| enemy.order[at]).collect();
    let mut new = old.clone();
    shuffle(&mut new, rng);
    for (&at, &piece) in places.iter().zip(&new) {
        enemy.order[at] = piece;
    }
    for slot in enemy.hand.iter_mut().flatten() {
        if let Some(at) = old.iter().position(|piece| piece == slot) {
            *slot = new[at];
        }
    }
    shuffle(&mut enemy.hand, rng);
}

/// Replaces the enemy's pieces that the player to move does not know.
fn replace_hidden(deck: &GameDeck, state: &GameState) -> GameDeck {
    let others = pool(2 * KINDS);
    let enemy = &state.players[state.to_move.enemy().index()];
    let is_hidden = |index: u8| {
        let was_drawn = enemy.order[..usize::from(enemy.drawn)].contains(&index);
        let was_placed = was_drawn && !enemy.hand.contains(&Some(index));
        !was_placed && usize::from(index) != deck.leader()
    };
    let piece = |index: usize| -> GamePiece {
        if !is_hidden(u8::try_from(index).unwrap()) {
            return deck.pieces()[index].clone();
        }
        let last = PieceId(u16::try_from(others.len() - 1 - index).unwrap());
        others.piece(last).unwrap().clone()
    };
    GameDeck::new(array::from_fn(piece), deck.leader()).unwrap()
}

/// The same position, with the players' names exchanged.
fn exchange(state: &GameState) -> GameState {
    let [a, b] = state.players;
    GameState {
        players: [b, a],
        to_move: state.to_move.enemy(),
        first: state.first.enemy(),
        ..*state
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn perfect_information_has_no_order_of_draws(seed in any::<u64>(), plies in 0_usize..32) {
        let vectors = vectors(KINDS);
        with_position(seed, plies, |game, rng| {
            let mut other = *game.state();
            shuffle_draws(&mut other, rng);
            for encoding in encodings(&vectors) {
                let layout = FeatureLayout::new(encoding).unwrap();
                for information in [Information::Perfect, Information::Own] {
                    let rows = [game.state(), &other]
                        .map(|state| state_row(layout, game.decks(), state, information));
                    assert_eq!(rows[0], rows[1]);
                }
            }
        });
    }

    #[test]
    fn own_information_hides_the_enemys_pieces(seed in any::<u64>(), plies in 0_usize..32) {
        let vectors = vectors(2 * KINDS);
        with_position(seed, plies, |game, rng| {
            let mut other = *game.state();
            let enemy = other.to_move.enemy().index();
            let leader = u8::try_from(game.decks()[enemy].leader()).unwrap();
            shuffle_draws(&mut other, rng);
            shuffle_hidden(&mut other, leader, rng);
            let replaced = replace_hidden(game.decks()[enemy], game.state());
            let mut decks = game.decks();
            decks[enemy] = &replaced;
            for encoding in encodings(&vectors) {
                let layout = FeatureLayout::new(encoding).unwrap();
                let row = |decks, state, information| state_row(layout, decks, state, information);
                let expected = row(game.decks(), game.state(), Information::Own);
                assert_eq!(row(game.decks(), &other, Information::Own), expected);
                assert_eq!(row(decks, &other, Information::Own), expected);
                // What is hidden from one is open to the other.
                let open = row(game.decks(), game.state(), Information::Perfect);
                assert_ne!(open, expected);
            }
        });
    }

    #[test]
    fn players_are_own_and_enemy(seed in any::<u64>(), plies in 0_usize..32) {
        let vectors = vectors(KINDS);
        with_position(seed, plies, |game, _| {
            let [a, b] = game.decks();
            for encoding in encodings(&vectors) {
                let layout = FeatureLayout::new(encoding).unwrap();
                for information in [Information::Perfect, Information::Own] {
                    let row = state_row(layout, [a, b], game.state(), information);
                    let other = exchange(game.state());
                    assert_eq!(row, state_row(layout, [b, a], &other, information));
                }
            }
        });
    }

    /// The same game with the players' names exchanged: each deck is listed so that the other
    /// player's shuffle draws it in the same order.
    #[test]
    fn actions_are_seen_by_their_player(seed in any::<u64>(), plies in 0_usize..32) {
        let mut rng = rng(seed);
        let decks = decks(&pool(KINDS), &mut rng);
        let orders = deck_order(seed, [&decks[0], &decks[1]]);
        let listed = |player: Player| {
            let (from, to) = (orders[player.index()], orders[player.enemy().index()]);
            let mut pieces = decks[player.index()].pieces().clone();
            for (from, to) in from.into_iter().zip(to) {
                pieces[usize::from(to)] = decks[player.index()].pieces()[usize::from(from)].clone();
            }
            GameDeck::new(pieces, 0).unwrap()
        };
        let others = [listed(Player::B), listed(Player::A)];
        let mut game = Game::start([&decks[0], &decks[1]], start(seed));
        let other_start = GameStart { seed, first: start(seed).first.enemy() };
        let mut other = Game::start([&others[0], &others[1]], other_start);
        for action in play(&mut game, plies, &mut rng) {
            other.play(action, &mut ()).unwrap();
        }
        let vectors = vectors(KINDS);
        let layout = FeatureLayout::new(PieceEncoding::Vectors(&vectors)).unwrap();
        for action in game.actions() {
            prop_assert_eq!(action_row(layout, &game, action), action_row(layout, &other, action));
        }
    }
}
