//! The contract of games: the good ones keep it, and each breach is found.

use std::sync::atomic::{AtomicU8, Ordering};

use hatchery_core::FastRng;
use hatchery_search::conformance::{ContractBreach, check_game};
use hatchery_search::{Margin, Side, TurnGame};

use crate::games::{Nim, TakeAway, TicTacToe, TwoCards, stream};

#[test]
fn games_of_the_tests_keep_the_contract() {
    let stream = stream("contract");
    check_game(&TicTacToe::after(&[]), &stream, 300).unwrap();
    check_game(&Nim { heaps: [5, 6, 7], mover: Side::First }, &stream, 300).unwrap();
    check_game(&TakeAway::new(200), &stream, 100).unwrap();
    check_game(&TwoCards::dealt(4), &stream, 100).unwrap();
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Unordered,
    Fickle,
    MoveAfterEnd,
    NoMove,
    Hidden,
    Playout,
    Horizon,
    Endless,
}

/// Both sides count to ten, with a fault.
#[derive(Clone, Copy)]
struct Faulty {
    count: u8,
    fault: Fault,
}

static CALLS: AtomicU8 = AtomicU8::new(0);

impl TurnGame for Faulty {
    type Move = u8;
    type Chance = u8;
    const MAX_MOVES: u32 = 10;

    fn mover(&self) -> Side {
        Side::BOTH[usize::from(self.count % 2)]
    }

    fn margin(&self) -> Option<Margin> {
        (self.count == 10 && self.fault != Fault::Endless).then_some(Margin(1))
    }

    fn legal_moves(&self, moves: &mut Vec<u8>) {
        match self.fault {
            Fault::Unordered => moves.extend([1, 1]),
            Fault::Fickle => moves.push(CALLS.fetch_add(1, Ordering::Relaxed)),
            Fault::NoMove if self.count == 5 => {}
            Fault::MoveAfterEnd => moves.push(7),
            _ if self.margin().is_some() => {}
            _ => moves.extend([0, 1]),
        }
    }

    fn apply(&mut self, _: u8, _: &mut FastRng) -> u8 {
        self.count = (self.count + 1).min(10);
        match self.fault {
            Fault::Hidden => CALLS.fetch_add(1, Ordering::Relaxed),
            _ => 0,
        }
    }

    fn playout(self, horizon: Option<u32>, _: &mut FastRng, _: &mut Vec<u8>) -> Margin {
        match (self.fault, horizon) {
            (Fault::Playout, None) => Margin(-1),
            (Fault::Horizon, Some(_)) => Margin(9),
            (_, Some(_)) => self.estimate(),
            _ => Margin(1),
        }
    }
}

#[test]
fn every_breach_is_found() {
    let find = |fault| check_game(&Faulty { count: 0, fault }, &stream("breach"), 1).unwrap_err();
    let (game, ply) = (0, 0);
    assert_eq!(find(Fault::Unordered), ContractBreach::UnorderedMoves { game, ply, found: 1 });
    assert!(matches!(find(Fault::Fickle), ContractBreach::UnorderedMoves { .. }));
    assert_eq!(find(Fault::MoveAfterEnd), ContractBreach::MoveAfterEnd { game, ply: 10, found: 7 });
    assert_eq!(find(Fault::NoMove), ContractBreach::NoMove { game, ply: 5 });
    assert!(matches!(find(Fault::Hidden), ContractBreach::UnrepeatableMove { ply: 0, .. }));
    let (expected, found) = (Margin(1), Margin(-1));
    assert_eq!(find(Fault::Playout), ContractBreach::WrongPlayout { game, expected, found });
    let (expected, found) = (Margin::DRAW, Margin(9));
    assert_eq!(find(Fault::Horizon), ContractBreach::WrongHorizon { game, ply, expected, found });
    assert_eq!(find(Fault::Endless), ContractBreach::TooLong { game, limit: 10 });
}
