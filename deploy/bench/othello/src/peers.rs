//! The boards of other crates, and what is played on them. Each is used by what its documentation
//! offers for engines.

use hatchery_core::StreamRng;
use magpie::othello::{Board as Magpie, Position as MagpieSquare, Stone};
use rust_reversi_core::board::{Board as Reversi, Turn};

/// A board of another crate at the start of a game or later. Squares are bits: a1 is the highest
/// one, h8 the lowest.
pub trait PeerBoard: Clone {
    /// Returns the start of a game.
    fn start() -> Self;

    /// Returns the squares where the player to move can play.
    fn legal_moves(&mut self) -> u64;

    /// Makes a legal move.
    fn play(&mut self, square: u64);

    /// Lets the other player move, also if the game is over.
    fn pass(&mut self);

    /// Returns the number of black discs less that of white ones.
    fn black_lead(&self) -> i64;
}

/// A board of magpie, which has no player to move.
#[derive(Clone)]
pub struct MagpieBoard {
    board: Magpie,
    mover: Stone,
}

impl PeerBoard for MagpieBoard {
    fn start() -> Self {
        Self { board: Magpie::standard(), mover: Stone::Black }
    }

    fn legal_moves(&mut self) -> u64 {
        self.board.moves_for(self.mover).raw()
    }

    fn play(&mut self, square: u64) {
        let square = MagpieSquare::try_from(square).expect("one bit is a square");
        self.board.play(self.mover, square);
        self.mover = self.mover.flip();
    }

    fn pass(&mut self) {
        self.mover = self.mover.flip();
    }

    fn black_lead(&self) -> i64 {
        let discs = |stone| i64::from(self.board.bits_for(stone).count_set());
        discs(Stone::Black) - discs(Stone::White)
    }
}

/// A board of `rust_reversi_core`.
#[derive(Clone)]
pub struct ReversiBoard(Reversi);

impl PeerBoard for ReversiBoard {
    fn start() -> Self {
        Self(Reversi::new())
    }

    fn legal_moves(&mut self) -> u64 {
        self.0.get_legal_moves()
    }

    fn play(&mut self, square: u64) {
        self.0.do_move(square.leading_zeros() as usize).expect("the move is legal");
    }

    fn pass(&mut self) {
        let (player, opponent, turn) = self.0.get_board();
        self.0.set_board(opponent, player, turn.opposite());
    }

    fn black_lead(&self) -> i64 {
        let lead = i64::from(self.0.diff_piece_num());
        if self.0.get_turn() == Turn::Black { lead } else { -lead }
    }
}

/// Plays a random game with the numbers that hatchery draws for it, so that it is the same game,
/// and returns black's lead.
pub fn random_game<B: PeerBoard>(rng: &mut StreamRng) -> i64 {
    let mut board = B::start();
    let mut draws = SharedDraws { rng, word: 0, n_left: 0 };
    loop {
        let mut legal = board.legal_moves();
        if legal == 0 {
            board.pass();
            legal = board.legal_moves();
            if legal == 0 {
                return board.black_lead();
            }
        }
        let n = draws.below(legal.count_ones());
        board.play(nth_square(legal, n));
    }
}

/// Plays a random game as the benchmark of `rust_reversi_core` does, and returns black's lead.
pub fn reversi_random_game() -> i64 {
    let mut board = Reversi::new();
    while !board.is_game_over() {
        if board.is_pass() {
            board.do_pass().expect("there is no move");
        } else {
            let square = board.get_random_move().expect("there is a move");
            board.do_move(square).expect("the move is legal");
        }
    }
    ReversiBoard(board).black_lead()
}

/// Returns the number of games of `depth` plies, which is at least 1. A pass is a ply, and a game
/// that has ended earlier counts.
pub fn perft<B: PeerBoard>(board: &mut B, depth: u32) -> u64 {
    let legal = board.legal_moves();
    if legal == 0 {
        board.pass();
        let is_over = depth == 1 || board.legal_moves() == 0;
        return if is_over { 1 } else { perft(board, depth - 1) };
    }
    if depth == 1 {
        return legal.count_ones().into();
    }
    let (mut rest, mut n_games) = (legal, 0);
    while rest != 0 {
        let mut next = board.clone();
        next.play(rest & rest.wrapping_neg());
        n_games += perft(&mut next, depth - 1);
        rest &= rest - 1;
    }
    n_games
}

/// The draws of hatchery's random games: four from each 64 bits.
struct SharedDraws<'a> {
    rng: &'a mut StreamRng,
    word: u64,
    n_left: u32,
}

impl SharedDraws<'_> {
    fn below(&mut self, n: u32) -> u32 {
        if self.n_left == 0 {
            (self.word, self.n_left) = (self.rng.next_u64(), 4);
        }
        self.n_left -= 1;
        let product = u128::from(self.word) * u128::from(n);
        self.word = product as u64;
        (product >> 64) as u32
    }
}

/// Returns square number `n` of `squares`, counted from 0 and from a1.
fn nth_square(squares: u64, n: u32) -> u64 {
    let mut rest = squares;
    for _ in n + 1..squares.count_ones() {
        rest &= rest - 1;
    }
    rest & rest.wrapping_neg()
}
