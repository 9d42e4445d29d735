//! The friendly robber (Traders & Barbarians).

use super::{TestGame, ring, spoke};
use crate::board::{Hex, Node, NodeSet};
use crate::rules::RobberRule;
use crate::rules::action::{Action, ChanceOutcome};
use crate::rules::seat::Seat::{self, First, Fourth, Second, Third};

/// A game before the roll of a 7, with a friendly robber.
fn friendly() -> TestGame {
    let mut game = TestGame::before_roll();
    game.state.variant.robber = RobberRule::Friendly;
    game
}

/// Rolls a 7, and returns the moves of the robber.
fn moves_after_seven(game: &mut TestGame) -> Vec<(Hex, Option<Seat>)> {
    game.chance(Action::Roll, ChanceOutcome::Dice(7));
    let hex = |action| match action {
        Action::Robber(hex, victim) => (hex, victim),
        other => panic!("{other:?}"),
    };
    game.state.legal_actions().iter().map(hex).collect()
}

#[test]
fn players_with_two_points_are_spared() {
    for (is_city, expected) in [(false, None), (true, Some(Second))] {
        let mut game = friendly();
        // The middle hex of the rulebook's map is the desert.
        let (at_desert, away) = (ring(0), spoke(3));
        game.settlement(Second, at_desert);
        game.settlement(Second, away);
        if is_city {
            game.state.upgrade_to_city(Second, away);
        }
        let moves = moves_after_seven(&mut game);
        for hex in Hex::ALL.into_iter().filter(|hex| *hex != game.state.robber()) {
            let buildings = game.state.settlements(Second).union(game.state.cities(Second));
            let is_touched = !buildings.and(hex.node_set()).is_empty();
            assert_eq!(moves.contains(&(hex, None)), !is_touched, "{hex:?}");
            assert_eq!(moves.contains(&(hex, Some(Second))), is_touched && is_city, "{hex:?}");
        }
        // Back in the desert, it does no harm.
        game.act(Action::Robber(moves[0].0, moves[0].1));
        game.end_turn_and_roll(2);
        game.act(Action::EndTurn);
        let moves = moves_after_seven(&mut game);
        assert!(moves.contains(&(game.island.desert(), expected)), "{moves:?}");
    }
}

/// Points on hidden cards do not count.
#[test]
fn hidden_points_are_hidden_from_the_robber() {
    let mut game = friendly();
    game.settlement(Second, ring(0));
    game.settlement(Second, ring(2));
    game.state.draw(Second, crate::rules::DevelopmentCard::VictoryPoint);
    assert_eq!(game.state.points(Second), 3);
    assert!(moves_after_seven(&mut game).iter().all(|(_, victim)| victim.is_none()));
}

#[test]
fn a_robber_with_no_hex_left_stays() {
    let mut game = friendly();
    let mut left = NodeSet::ALL;
    let uncovered = |game: &TestGame, node: Node| {
        let is_free = |hex: &&Hex| {
            let buildings = Seat::ALL.map(|seat| game.state.settlements(seat));
            buildings.into_iter().all(|nodes| nodes.and(hex.node_set()).is_empty())
        };
        node.hexes().iter().filter(is_free).count()
    };
    for seat in [First, Second, Third, Fourth, First, Second, Third, Fourth] {
        let best = left.max_by_key(|node| uncovered(&game, *node)).unwrap();
        game.settlement(seat, best);
        left = left.minus(NodeSet::of(best));
    }
    let stay = (game.state.robber(), None);
    assert_eq!(moves_after_seven(&mut game), [stay]);
    game.act(Action::Robber(stay.0, None));
    assert_eq!(game.state.robber(), game.island.desert());
}
