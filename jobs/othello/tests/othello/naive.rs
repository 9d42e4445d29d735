//! The rules written down once more, square by square and direction by direction, and random games
//! by them.

use hatchery_core::{RunSeed, StreamRng};
use hatchery_othello::rules::{Position, Square, SquareSet, TurnState};

pub(crate) fn stream(label: &str) -> StreamRng {
    RunSeed::new("othello tests", 18).generation(0).stream(label)
}

/// Returns the discs that a move on an empty square flips.
pub(crate) fn flips(mover: u64, opponent: u64, square: Square) -> u64 {
    let has = |discs: u64, column: i32, row: i32| discs >> (8 * row + column) & 1 == 1;
    let mut flips = 0;
    for (right, up) in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)] {
        let (mut column, mut row) = (i32::from(square.column()), i32::from(square.row()));
        let mut run = 0_u64;
        loop {
            (column, row) = (column + right, row + up);
            if !(0..8).contains(&column) || !(0..8).contains(&row) {
                break;
            }
            if has(mover, column, row) {
                flips |= run;
                break;
            }
            if !has(opponent, column, row) {
                break;
            }
            run |= 1 << (8 * row + column);
        }
    }
    flips
}

pub(crate) fn legal_moves(mover: u64, opponent: u64) -> u64 {
    let empties = SquareSet::from_bits(!(mover | opponent));
    empties.iter().filter(|square| flips(mover, opponent, *square) != 0).map(Square::bit).sum()
}

/// Returns the moves of a random game, and whether a player passed.
pub(crate) fn random_game(rng: &mut StreamRng) -> (Vec<Square>, bool) {
    let (mut position, mut moves, mut passes) = (Position::START, Vec::new(), false);
    while position.state() != TurnState::Over {
        if position.state() == TurnState::MustPass {
            passes = true;
            position = position.settled();
        }
        let legal: Vec<_> = position.legal_moves().iter().collect();
        let n_legal = u32::try_from(legal.len()).expect("below 64");
        let square = legal[rng.below(n_legal) as usize];
        moves.push(square);
        position = position.apply(square).expect("it is legal");
    }
    (moves, passes)
}
