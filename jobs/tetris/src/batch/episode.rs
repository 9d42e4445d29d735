//! Episodes: the stretches of games that are played in batches.

use std::ops::{ControlFlow, Range};

use hatchery_core::TrialPulse;

use crate::rules::{
    Board, GameRules, GameScore, Piece, PieceCap, PieceLanding, PieceSupply, Placement, height,
    remove_rows,
};

/// A function that deals the pieces of a game.
pub type PieceDealer<'a> = Box<dyn FnMut() -> Piece + 'a>;

/// A stretch of a game: it ends when the game is over, after a number of pieces, or when the wall's
/// height leaves a range.
pub struct Episode<'d> {
    /// The caller's number for the episode.
    pub tag: usize,
    /// The index of the policy that plays it.
    pub player: usize,
    /// The board: at first the initial one, then the board after each move.
    pub board: Board,
    /// The pieces to come: at first those at the beginning, then those after each move.
    pub supply: PieceSupply,
    /// The dealer of the pieces.
    pub dealer: PieceDealer<'d>,
    /// The number of pieces after which the episode ends, at least 1.
    pub cap: PieceCap,
    /// The episode continues while the wall's height after a move is in this range.
    pub heights: Range<u32>,
}

impl std::fmt::Debug for Episode<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { tag, player, board, supply, dealer: _, cap, heights } = self;
        f.debug_tuple("Episode")
            .field(&(tag, player))
            .field(board)
            .field(supply)
            .field(cap)
            .field(heights)
            .finish()
    }
}

impl Episode<'_> {
    #[inline(always)]
    fn next_piece(&mut self) -> Piece {
        self.supply.take(&mut self.dealer)
    }
}

/// All heights: an episode with this range is a whole game.
pub const ANY_HEIGHT: Range<u32> = 0..u32::MAX;

/// The reason that an episode ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EpisodeEnd {
    /// The game is over.
    Over,
    /// The wall is below the episode's heights.
    Low,
    /// The wall is above the episode's heights.
    High,
    /// The episode has reached its number of pieces.
    Capped,
}

/// A source of episodes, which also receives their results.
///
/// Episodes end in a different order with each instruction set: the next episode must depend only
/// on how the episodes of its own tag ended.
pub trait EpisodeSource<'d> {
    /// Returns the next episode that does not follow another.
    fn next(&mut self) -> Option<Episode<'d>>;

    /// Records how an episode ended, with its rows and pieces. Returns true if `episode` was
    /// replaced by another one to be played now.
    fn ended(&mut self, episode: &mut Episode<'d>, score: GameScore, end: EpisodeEnd) -> bool;

    /// Is told now and then that the episodes get on; breaks if nobody wants them any more.
    fn beat(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Episodes of a trial, which beat with its pulse.
pub(crate) struct BeatingEpisodes<'a, 'd, 'c> {
    pub(crate) source: &'a mut dyn EpisodeSource<'d>,
    pub(crate) pulse: &'a mut TrialPulse<'c>,
}

impl<'d> EpisodeSource<'d> for BeatingEpisodes<'_, 'd, '_> {
    fn next(&mut self) -> Option<Episode<'d>> {
        self.source.next()
    }

    fn ended(&mut self, episode: &mut Episode<'d>, score: GameScore, end: EpisodeEnd) -> bool {
        self.source.ended(episode, score, end)
    }

    fn beat(&mut self) -> ControlFlow<()> {
        self.pulse.step()
    }
}

/// An episode in play.
pub(super) struct ActiveEpisode<'d> {
    pub(super) episode: Episode<'d>,
    /// The rows with any full cell.
    occupied: u64,
    pub(super) piece: Piece,
    score: GameScore,
}

/// The index of an episode in play.
pub(super) type EpisodeIdx = u8;

/// The state that decides an episode's group.
#[derive(Clone, Copy)]
pub(super) struct EpisodeState {
    /// The piece to be placed.
    pub(super) piece: Piece,
    /// The height of the wall.
    pub(super) height: u32,
}

/// A chosen move with its effects.
#[derive(Clone, Copy)]
pub(super) struct ChosenMove {
    pub(super) placement: Placement,
    /// The row of the piece's lowest cells.
    pub(super) row: u32,
    /// The rows that are removed.
    pub(super) full_rows: u64,
}

const NO_SCORE: GameScore = GameScore { lines: 0, pieces: 0, capped: false };

impl<'d> ActiveEpisode<'d> {
    /// Starts the next episode of `source`; `None` if there is none.
    pub(super) fn next(source: &mut dyn EpisodeSource<'d>) -> Option<Self> {
        let mut episode = source.next()?;
        let (occupied, piece) = (episode.board.occupied_rows(), episode.next_piece());
        Some(Self { episode, occupied, piece, score: NO_SCORE })
    }

    /// Holds the current piece; see [`PieceSupply::hold`].
    pub(super) fn hold(&mut self) {
        let Episode { supply, dealer, .. } = &mut self.episode;
        self.piece = supply.hold(self.piece, dealer);
    }

    #[inline(always)]
    pub(super) fn state(&self) -> EpisodeState {
        EpisodeState { piece: self.piece, height: height(self.occupied) }
    }

    /// Makes a move and, at the end of the episode, starts the next. Returns `None` if there is no
    /// next one.
    #[inline(always)]
    pub(super) fn advance(
        &mut self,
        placement: Placement,
        rules: GameRules,
        source: &mut dyn EpisodeSource<'d>,
    ) -> Option<EpisodeState> {
        let landing = self.episode.board.land(self.piece, placement, rules.overflow);
        self.finish_move(&landing, source)
    }

    /// Like [`advance`](Self::advance), for a move whose landing is already known.
    #[inline(always)]
    pub(super) fn advance_by(
        &mut self,
        choice: ChosenMove,
        rules: GameRules,
        source: &mut dyn EpisodeSource<'d>,
    ) -> Option<EpisodeState> {
        let ChosenMove { placement, row, full_rows } = choice;
        let board = &mut self.episode.board;
        let landing = board.land_at(self.piece, placement, row, full_rows, rules.overflow);
        self.finish_move(&landing, source)
    }

    #[inline(always)]
    fn finish_move(
        &mut self,
        landing: &PieceLanding,
        source: &mut dyn EpisodeSource<'d>,
    ) -> Option<EpisodeState> {
        match self.apply_landing(landing) {
            ControlFlow::Continue(height) => {
                let piece = self.episode.next_piece();
                self.piece = piece;
                Some(EpisodeState { piece, height })
            }
            ControlFlow::Break(end) => self.end(end, source).then(|| self.state()),
        }
    }

    /// Returns the height of the wall, or why the episode ended.
    #[inline(always)]
    fn apply_landing(&mut self, landing: &PieceLanding) -> ControlFlow<EpisodeEnd, u32> {
        // A piece has a cell in each of its rows.
        self.occupied |= ((1 << landing.piece_height) - 1) << landing.landing_row;
        remove_rows(std::slice::from_mut(&mut self.occupied), landing.full_rows);
        let height = height(self.occupied);
        self.score.pieces += 1;
        self.score.lines += u64::from(landing.n_lines);
        if landing.game_over {
            ControlFlow::Break(EpisodeEnd::Over)
        } else if height < self.episode.heights.start {
            ControlFlow::Break(EpisodeEnd::Low)
        } else if self.episode.heights.end <= height {
            ControlFlow::Break(EpisodeEnd::High)
        } else if self.score.pieces == self.episode.cap {
            ControlFlow::Break(EpisodeEnd::Capped)
        } else {
            ControlFlow::Continue(height)
        }
    }

    fn end(&mut self, end: EpisodeEnd, source: &mut dyn EpisodeSource<'d>) -> bool {
        let score = GameScore { capped: end == EpisodeEnd::Capped, ..self.score };
        if source.ended(&mut self.episode, score, end) {
            self.occupied = self.episode.board.occupied_rows();
            self.piece = self.episode.next_piece();
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

/// A game to be played.
pub(crate) struct NewGame<'d> {
    /// The index of the policy that plays it.
    pub(crate) player: usize,
    pub(crate) cap: PieceCap,
    pub(crate) dealer: PieceDealer<'d>,
}

/// A source of whole games.
pub(crate) struct WholeGames<'a, 'd> {
    rules: GameRules,
    games: &'a mut dyn Iterator<Item = NewGame<'d>>,
    /// The player and the score for every game, in the order of their beginnings.
    pub(crate) scores: Vec<(usize, GameScore)>,
}

impl<'a, 'd> WholeGames<'a, 'd> {
    pub(crate) fn new(rules: GameRules, games: &'a mut dyn Iterator<Item = NewGame<'d>>) -> Self {
        Self { rules, games, scores: Vec::new() }
    }
}

impl<'d> EpisodeSource<'d> for WholeGames<'_, 'd> {
    fn next(&mut self) -> Option<Episode<'d>> {
        let NewGame { player, cap, dealer } = self.games.next()?;
        let tag = self.scores.len();
        self.scores.push((player, NO_SCORE));
        let (board, supply) = (Board::new(self.rules.size), PieceSupply::new(self.rules.queue));
        Some(Episode { tag, player, board, supply, dealer, cap, heights: ANY_HEIGHT })
    }

    fn ended(&mut self, episode: &mut Episode<'d>, score: GameScore, _: EpisodeEnd) -> bool {
        self.scores[episode.tag].1 = score;
        false
    }
}
