//! Moves and flips against the plain rules, on all instruction sets, and under symmetries.

use hatchery_core::StreamRng;
use hatchery_othello::rules::{
    BoardBackend, BoardJob, BoardOps, DiscBoard, DiscColor, MoveError, Position, Square, SquareSet,
    dispatch,
};

use super::naive;

/// The discs of the player to move and of its opponent.
type Discs = (u64, u64);

/// Returns positions of random games, and as many with random discs.
fn positions(n: usize) -> Vec<Discs> {
    let mut rng = naive::stream("positions");
    let mut positions = Vec::new();
    while positions.len() < n / 2 {
        let (moves, _) = naive::random_game(&mut rng);
        let mut position = Position::START;
        for square in moves {
            let board = position.board::<hatchery_othello::rules::PlainOps>();
            positions.push((board.mover().bits(), board.opponent().bits()));
            position = position.apply(square).expect("it is legal").settled();
        }
    }
    while positions.len() < n {
        positions.push(random_discs(&mut rng));
    }
    positions
}

fn random_discs(rng: &mut StreamRng) -> Discs {
    // From nearly empty to nearly full.
    let mut filled = rng.next_u64();
    for _ in 0..rng.below(3) {
        filled = if rng.below(2) == 0 { filled & rng.next_u64() } else { filled | rng.next_u64() };
    }
    let colors = rng.next_u64();
    (filled & colors, filled & !colors)
}

/// The legal moves, and what a move on each square flips.
type Generated = (u64, Vec<u64>);

struct Generate<'a>(&'a [Discs]);

impl BoardJob for Generate<'_> {
    type Output = Vec<Generated>;

    #[inline(always)]
    fn run<B: BoardOps>(self) -> Vec<Generated> {
        let generate = |&(mover, opponent): &Discs| {
            let [mover, opponent] = [mover, opponent].map(SquareSet::from_bits);
            let board = DiscBoard::<B>::new(mover, opponent).expect("no square has both");
            let flips = |square| board.flips(square).bits();
            (board.legal_moves().bits(), squares().map(flips).collect())
        };
        self.0.iter().map(generate).collect()
    }
}

fn squares() -> impl Iterator<Item = Square> {
    SquareSet::from_bits(u64::MAX).iter()
}

#[test]
fn moves_and_flips_are_those_of_the_plain_rules() {
    let positions = positions(100_000);
    assert!(100_000 <= positions.len());
    for backend in BoardBackend::available() {
        let generated = dispatch(backend, Generate(&positions));
        for (&(mover, opponent), (legal, flips)) in positions.iter().zip(generated) {
            let place = || format!("{backend:?}, {mover:#x} against {opponent:#x}");
            assert_eq!(legal, naive::legal_moves(mover, opponent), "{}", place());
            for (square, flipped) in squares().zip(flips) {
                let is_empty = (mover | opponent) & square.bit() == 0;
                let expected = if is_empty { naive::flips(mover, opponent, square) } else { 0 };
                assert_eq!(flipped, expected, "{square}, {}", place());
            }
        }
    }
}

/// Returns square `square` under symmetry `number` of the eight of a board.
pub(crate) fn image(number: u8, square: Square) -> Square {
    let (mut column, mut row) = (square.column(), square.row());
    if number & 1 != 0 {
        column = 7 - column;
    }
    if number & 2 != 0 {
        row = 7 - row;
    }
    if number & 4 != 0 {
        (column, row) = (row, column);
    }
    Square::at(column, row).expect("below 8")
}

/// Returns a set of squares under symmetry `number`, as bits.
pub(crate) fn image_of(number: u8, bits: u64) -> u64 {
    SquareSet::from_bits(bits).iter().map(|square| image(number, square).bit()).sum()
}

#[test]
fn symmetries_carry_moves_and_flips_along() {
    let positions = positions(1_000);
    for backend in BoardBackend::available() {
        let originals = dispatch(backend, Generate(&positions));
        for number in 0..8 {
            let images: Vec<_> = positions
                .iter()
                .map(|&(mover, opponent)| (image_of(number, mover), image_of(number, opponent)))
                .collect();
            let generated = dispatch(backend, Generate(&images));
            for ((legal, flips), (legal_image, flips_image)) in originals.iter().zip(generated) {
                assert_eq!(image_of(number, *legal), legal_image);
                for (square, flipped) in squares().zip(flips) {
                    let place = usize::from(image(number, square).index());
                    assert_eq!(image_of(number, *flipped), flips_image[place]);
                }
            }
        }
    }
}

#[test]
fn the_start_has_four_moves() {
    let start = Position::START;
    assert_eq!(start.turn(), DiscColor::Black);
    assert_eq!(start.legal_moves().to_string(), "d3 c4 f5 e6");
    let text = "---------------------------OX------XO--------------------------- X";
    assert_eq!(start.to_string(), text);
    assert_eq!(text.parse(), Ok(start));
}

#[test]
fn illegal_moves_name_the_square() {
    let check = |position: Position, square: &str, expected: &str| {
        let error = position.apply(square.parse().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    };
    check(Position::START, "d4", "d4 is occupied; black can play d3 c4 f5 e6");
    check(Position::START, "a1", "a1 flips no disc; black can play d3 c4 f5 e6");
    let position =
        |discs: &str, turn: &str| -> Position { format!("{discs:-<64} {turn}").parse().unwrap() };
    check(
        position("XXXX", "O"),
        "e1",
        "e1 comes after the end of the game: neither player has a move",
    );
    check(position("XO", "O"), "c1", "white cannot play c1: it has no move and must pass");
    assert_eq!(position("XO", "O").pass(), Ok(position("XO", "X")));
    assert_eq!(position("XO", "O").settled(), position("XO", "X"));
    assert_eq!(position("XX", "O").pass(), Err(MoveError::PassAfterEnd));
    let error = Position::START.pass().unwrap_err();
    assert_eq!(error.to_string(), "black cannot pass; it can play d3 c4 f5 e6");
}

#[test]
fn other_texts_are_no_positions() {
    let cells = "-".repeat(64);
    let check = |text: String, expected: &str| {
        let error = text.parse::<Position>().unwrap_err();
        assert_eq!(error.to_string(), expected);
    };
    check(format!("{} X", &cells[1..]), "63 cells; a board has 64");
    check(format!("{cells}- X"), "65 cells; a board has 64");
    check(format!("{}? X", &cells[1..]), "cell 63 is `?`; cells are `X`, `O` and `-`");
    check(cells.clone(), "the player to move is ``; it is `X` or `O`");
    check(format!("{cells} Z"), "the player to move is `Z`; it is `X` or `O`");
    let both = Position::new(SquareSet::from_bits(3), SquareSet::from_bits(2), DiscColor::White);
    assert_eq!(both.unwrap_err().to_string(), "squares with discs of both colors: b1");
}
