//! What is played: stretches of games, one after the other on each seat.

use std::ops::Range;

use super::dispatch::Dealer;
use crate::rules::{Board, Cap, Landing, Piece, Placement, Rules, Score};

/// A stretch of a game: it ends when the game is over, after so many pieces, or when the wall's
/// height leaves a range.
pub struct Episode<'d> {
    /// What the caller knows it by.
    pub tag: usize,
    /// The board, at first and then after each move.
    pub board: Board,
    /// What deals the pieces.
    pub dealer: Dealer<'d>,
    /// The number of pieces after which it ends, at least 1.
    pub cap: Cap,
    /// It goes on while the wall's height after a move is one of these.
    pub heights: Range<u32>,
}

impl std::fmt::Debug for Episode<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { tag, board, dealer: _, cap, heights } = self;
        f.debug_tuple("Episode").field(tag).field(board).field(cap).field(heights).finish()
    }
}

/// All heights: an episode with these is a game.
pub const ANY_HEIGHT: Range<u32> = 0..u32::MAX;

/// How an episode ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The game is over.
    Over,
    /// The wall is below its heights.
    Low,
    /// The wall is above its heights.
    High,
    /// It had its number of pieces.
    Capped,
}

/// Where episodes come from, and what becomes of them.
///
/// Episodes end in another order on each path: what comes next must depend on how the episodes of
/// its own tag ended and on nothing else.
pub trait Source<'d> {
    /// The next episode that does not follow another.
    fn next(&mut self) -> Option<Episode<'d>>;

    /// Takes in how an episode ended, with its rows and pieces; whether it was changed into another
    /// one to be played now.
    fn ended(&mut self, episode: &mut Episode<'d>, score: Score, end: End) -> bool;
}

/// An episode that is being played.
pub(super) struct Seat<'d> {
    pub(super) episode: Episode<'d>,
    /// The wall's.
    pub(super) height: u32,
    pub(super) piece: Piece,
    score: Score,
}

/// A move.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    pub(super) placement: Placement,
    /// The row of the piece's lowest cells.
    pub(super) row: u32,
    /// The rows that are removed.
    pub(super) full_rows: u64,
}

const NO_SCORE: Score = Score { lines: 0, pieces: 0, capped: false };

impl<'d> Seat<'d> {
    /// The next episode of `source`.
    pub(super) fn next(source: &mut dyn Source<'d>) -> Option<Self> {
        let mut episode = source.next()?;
        let (height, piece) = (episode.board.wall_height(), (episode.dealer)());
        Some(Self { episode, height, piece, score: NO_SCORE })
    }

    /// Makes a move and, at the end of the episode, goes on with what comes then; whether there is
    /// something.
    #[inline(always)]
    pub(super) fn advance(
        &mut self,
        placement: Placement,
        rules: Rules,
        source: &mut dyn Source<'d>,
    ) -> bool {
        let landing = self.episode.board.land(self.piece, placement, rules.overflow);
        self.go_on(&landing, source)
    }

    /// As [`advance`](Self::advance), with a move of which more is known.
    #[inline(always)]
    pub(super) fn advance_by(
        &mut self,
        choice: Choice,
        rules: Rules,
        source: &mut dyn Source<'d>,
    ) -> bool {
        let Choice { placement, row, full_rows } = choice;
        let board = &mut self.episode.board;
        let landing = board.land_at(self.piece, placement, row, full_rows, rules.overflow);
        self.go_on(&landing, source)
    }

    #[inline(always)]
    fn go_on(&mut self, landing: &Landing, source: &mut dyn Source<'d>) -> bool {
        match self.take_in(landing) {
            None => self.piece = (self.episode.dealer)(),
            Some(end) => return self.end(end, source),
        }
        true
    }

    #[inline(always)]
    fn take_in(&mut self, landing: &Landing) -> Option<End> {
        self.height = self.height.max(landing.landing_row + landing.piece_height);
        if landing.n_lines != 0 {
            self.height = self.episode.board.wall_height();
        }
        self.score.pieces += 1;
        self.score.lines += u64::from(landing.n_lines);
        if landing.game_over {
            Some(End::Over)
        } else if !self.episode.heights.contains(&self.height) {
            Some(if self.height < self.episode.heights.start { End::Low } else { End::High })
        } else if self.score.pieces == self.episode.cap {
            Some(End::Capped)
        } else {
            None
        }
    }

    fn end(&mut self, end: End, source: &mut dyn Source<'d>) -> bool {
        let score = Score { capped: end == End::Capped, ..self.score };
        if source.ended(&mut self.episode, score, end) {
            self.height = self.episode.board.wall_height();
            self.piece = (self.episode.dealer)();
            self.score = NO_SCORE;
            return true;
        }
        match Self::next(source) {
            Some(next) => {
                *self = next;
                true
            }
            None => false,
        }
    }
}

/// Whole games.
pub(super) struct WholeGames<'a, 'd> {
    pub(super) rules: Rules,
    pub(super) cap: Cap,
    pub(super) dealers: &'a mut dyn Iterator<Item = Dealer<'d>>,
    /// In the order of the dealers.
    pub(super) scores: Vec<Score>,
}

impl<'d> Source<'d> for WholeGames<'_, 'd> {
    fn next(&mut self) -> Option<Episode<'d>> {
        let dealer = self.dealers.next()?;
        let tag = self.scores.len();
        self.scores.push(NO_SCORE);
        let board = Board::new(self.rules.size);
        Some(Episode { tag, board, dealer, cap: self.cap, heights: ANY_HEIGHT })
    }

    fn ended(&mut self, episode: &mut Episode<'d>, score: Score, _: End) -> bool {
        self.scores[episode.tag] = score;
        false
    }
}
