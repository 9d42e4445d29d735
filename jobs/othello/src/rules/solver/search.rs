//! Alpha-beta search to the end of the game.
//!
//! Values are "fail-soft": above alpha and below beta they are exact, otherwise bounds. All values
//! are from the view of the player to move.

use super::ordering::{self, OrderedMoves};
use super::table::{TableEntry, TranspositionTable};
use crate::rules::disc_board::DiscBoard;
use crate::rules::ops::plain::PlainOps;
use crate::rules::ops::{BoardJob, BoardOps};
use crate::rules::score::{MAX_SCORE, ScoreRule};
use crate::rules::square::{Square, SquareSet};

/// Positions with at least as many empty squares are looked up in the table, and their moves are
/// ordered by mobility; below, that costs more than it saves.
const MIN_ORDERED_EMPTIES: u32 = 7;

/// The error of a search that has no nodes left.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutOfNodes;

/// A search below one position.
pub(super) struct EndgameSearch<'t> {
    table: &'t mut TranspositionTable,
    rule: ScoreRule,
    nodes: u64,
    max_nodes: u64,
}

/// The interval of values that matter: a value at or below `alpha`, or at or above `beta`, may be a
/// bound.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
}

impl Window {
    /// The same window for the opponent, above `best`.
    #[inline(always)]
    fn reply(self, best: i32) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha.max(best) }
    }
}

impl<'t> EndgameSearch<'t> {
    pub(super) fn new(table: &'t mut TranspositionTable, rule: ScoreRule, max_nodes: u64) -> Self {
        Self { table, rule, nodes: 0, max_nodes }
    }

    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns the exact value of `board`.
    #[inline(always)]
    pub(super) fn value<B: BoardOps>(&mut self, board: DiscBoard<B>) -> Result<i32, OutOfNodes> {
        self.enter(board, Window { alpha: -MAX_SCORE, beta: MAX_SCORE })
    }

    /// Searches in a function of its own.
    #[inline(always)]
    fn enter<B: BoardOps>(
        &mut self,
        board: DiscBoard<B>,
        window: Window,
    ) -> Result<i32, OutOfNodes> {
        B::enter(SearchNode { search: self, board: board.with_backend(), window })
    }

    /// Searches the replies to a move: `board` is that after it.
    #[inline(always)]
    fn child<B: BoardOps>(
        &mut self,
        board: DiscBoard<B>,
        window: Window,
    ) -> Result<i32, OutOfNodes> {
        let empties = board.empties();
        if empties.len() == 2 {
            return Ok(-self.last_two(board, empties, window));
        }
        Ok(-self.enter(board, window)?)
    }

    #[inline(always)]
    fn node<B: BoardOps>(
        &mut self,
        board: DiscBoard<B>,
        window: Window,
    ) -> Result<i32, OutOfNodes> {
        if self.nodes == self.max_nodes {
            return Err(OutOfNodes);
        }
        self.nodes += 1;
        let empties = board.empties();
        match empties.len() {
            0 => return Ok(board.score(self.rule)),
            1 => return Ok(self.last_one(board, Square::lowest(empties.bits()))),
            2 => return Ok(self.last_two(board, empties, window)),
            _ => {}
        }
        let legal = board.legal_moves();
        if legal.is_empty() {
            let passed = board.passed();
            if passed.legal_moves().is_empty() {
                return Ok(board.score(self.rule));
            }
            let window = window.reply(-MAX_SCORE);
            return Ok(-self.enter(passed, window)?);
        }
        if empties.len() < MIN_ORDERED_EMPTIES {
            self.by_parity(board, legal, window)
        } else {
            self.by_mobility(board, legal, window)
        }
    }

    /// Tries the moves in quarters with an odd number of empty squares first.
    #[inline(always)]
    fn by_parity<B: BoardOps>(
        &mut self,
        board: DiscBoard<B>,
        legal: SquareSet,
        window: Window,
    ) -> Result<i32, OutOfNodes> {
        let odd = ordering::odd_quarters(board.empties().bits());
        let mut best = -MAX_SCORE - 1;
        for part in [legal.bits() & odd, legal.bits() & !odd] {
            for square in SquareSet::from_bits(part) {
                best = best.max(self.child(board.play(square), window.reply(best))?);
                if window.beta <= best {
                    return Ok(best);
                }
            }
        }
        Ok(best)
    }

    /// Principal variation search with the table: the first move gets the whole window, others must
    /// first show that they are better.
    #[inline(always)]
    fn by_mobility<B: BoardOps>(
        &mut self,
        board: DiscBoard<B>,
        legal: SquareSet,
        window: Window,
    ) -> Result<i32, OutOfNodes> {
        let mut entry = self.table.find(board.mover().bits(), board.opponent().bits());
        let (lower, upper) = (i32::from(entry.lower), i32::from(entry.upper));
        if window.beta <= lower || lower == upper {
            return Ok(lower);
        }
        if upper <= window.alpha {
            return Ok(upper);
        }
        let window = Window { alpha: window.alpha.max(lower), beta: window.beta.min(upper) };
        let mut best = -MAX_SCORE - 1;
        for square in OrderedMoves::new(board, legal, entry.best) {
            let next = board.play(square);
            let whole = window.reply(best);
            let mut value = if best < -MAX_SCORE || whole.beta - whole.alpha == 1 {
                self.child(next, whole)?
            } else {
                self.child(next, Window { alpha: whole.beta - 1, beta: whole.beta })?
            };
            if window.alpha.max(best) < value && value < window.beta && best >= -MAX_SCORE {
                value = self.child(next, window.reply(value))?;
            }
            if best < value {
                best = value;
                entry.best = square.index();
                if window.beta <= best {
                    break;
                }
            }
        }
        self.remember(entry, best, window);
        Ok(best)
    }

    #[inline(always)]
    fn remember(&mut self, mut entry: TableEntry, best: i32, window: Window) {
        let value = i8::try_from(best).expect("scores are within 64");
        if window.alpha < best {
            entry.lower = value;
        }
        if best < window.beta {
            entry.upper = value;
        }
        self.table.store(entry);
    }

    /// Returns the value of a board with two empty squares.
    #[inline(always)]
    fn last_two<B: BoardOps>(
        &self,
        board: DiscBoard<B>,
        empties: SquareSet,
        window: Window,
    ) -> i32 {
        let first = Square::lowest(empties.bits());
        let second = Square::lowest(empties.bits() & !first.bit());
        if let Some(value) = self.best_of_two(board, first, second, window) {
            return value;
        }
        let window = window.reply(-MAX_SCORE);
        match self.best_of_two(board.passed(), first, second, window) {
            Some(value) => -value,
            None => board.score(self.rule),
        }
    }

    #[inline(always)]
    fn best_of_two<B: BoardOps>(
        &self,
        board: DiscBoard<B>,
        first: Square,
        second: Square,
        window: Window,
    ) -> Option<i32> {
        let value = board.apply(first).map(|next| -self.last_one(next, second));
        if value.is_some_and(|value| window.beta <= value) {
            return value;
        }
        let other = board.apply(second).map(|next| -self.last_one(next, first));
        value.max(other)
    }

    /// Returns the value of a board whose only empty square is `square`.
    #[inline(always)]
    fn last_one<B: BoardOps>(&self, board: DiscBoard<B>, square: Square) -> i32 {
        let flips = board.flips(square);
        if !flips.is_empty() {
            let own = board.mover().len() + flips.len() + 1;
            return self.rule.score(own, 64 - own);
        }
        let flips = board.passed().flips(square);
        if !flips.is_empty() {
            let other = board.opponent().len() + flips.len() + 1;
            return self.rule.score(64 - other, other);
        }
        board.score(self.rule)
    }
}

struct SearchNode<'s, 't> {
    search: &'s mut EndgameSearch<'t>,
    board: DiscBoard<PlainOps>,
    window: Window,
}

impl BoardJob for SearchNode<'_, '_> {
    type Output = Result<i32, OutOfNodes>;

    #[inline(always)]
    fn run<B: BoardOps>(self) -> Self::Output {
        self.search.node(self.board.with_backend::<B>(), self.window)
    }
}
