//! A group of games that wait for the same piece: the best placement of each.

mod rank;
mod settle;

use rank::Rank;
use settle::{Remove, Removed, Removing, Settle};

use super::episode::{Choice, Seat};
use super::judge::{Judge, TieBreaker};
use super::kernel::{Boards, Landed, Landings, N_FEATURES, Totals, origins};
use super::ranking::{Best, Value};
use super::vectors::{Bytes, Each, Lane, N_BOARDS, Rows, Task, Words};
use crate::features::Features;
use crate::players::Evaluate;
use crate::rules::{Board, MAX_WIDTH, Piece, Placement, Rules, placements};

/// What groups of up to [`N_BOARDS`] games are valued with; it is used again for each.
pub(super) struct Group<R: Rows, const FAST: bool> {
    rules: Rules,
    /// The placements of each piece, in the order in which ties are decided.
    placements: [Vec<Placement>; Piece::ALL.len()],
    columns: [Each<R::Lane>; MAX_WIDTH],
    boards: Boards<R, FAST>,
    /// What is added to changes of features.
    origins: Totals<<R::Bytes as Bytes>::Words>,
    /// The placements of the piece that was looked at last.
    landed: Vec<Landed<R>>,
}

/// Games that wait for the same piece.
#[derive(Clone, Copy)]
pub(super) struct Waiting<'a, 'd> {
    pub(super) piece: Piece,
    pub(super) seats: &'a [Seat<'d>],
    /// Their seats' indices.
    pub(super) group: &'a [usize],
}

/// The values of the placements of a piece.
pub(super) struct Values<R: Rows, V: Value> {
    /// Of each placement, where it is playable.
    all: Vec<V::Of<R::Bytes>>,
    removing: Vec<Removing<V>>,
    pub(super) best: Best<V>,
}

impl<R: Rows, V: Value> Values<R, V> {
    pub(super) fn new() -> Self {
        Self { all: Vec::new(), removing: Vec::new(), best: Best::none() }
    }
}

impl<R: Rows, const FAST: bool> Group<R, FAST> {
    #[inline(always)]
    pub(super) fn new(rules: Rules, diversity: bool) -> Self {
        let boards = Boards::none(rules.size, rules.overflow, diversity);
        Self {
            rules,
            placements: Piece::ALL.map(|piece| placements(piece, rules.size).collect()),
            columns: [[R::Lane::default(); N_BOARDS]; MAX_WIDTH],
            origins: *boards.totals(),
            boards,
            landed: Vec::new(),
        }
    }

    /// How many placements `piece` has.
    pub(super) fn n_placements(&self, piece: Piece) -> usize {
        self.placements[piece as usize].len()
    }

    pub(super) fn rules(&self) -> Rules {
        self.rules
    }

    /// Appends to `moves` where `judge` puts the piece in each game.
    #[inline(always)]
    pub(super) fn choose<J: Judge>(
        &mut self,
        judge: &J,
        waiting: Waiting<'_, '_>,
        values: &mut Values<R, J::Value>,
        moves: &mut Vec<Choice>,
    ) {
        let Waiting { piece, seats, group } = waiting;
        for (lane, &seat) in group.iter().enumerate() {
            self.seat(lane, &seats[seat].episode.board);
        }
        self.prepare();
        self.find_best(judge, piece, group.len(), values);
        let placements = &self.placements[piece as usize];
        for lane in 0..group.len() {
            // If all placements end the game, the first is played.
            let mut index = values.best.indices[lane] as usize;
            if let Some(tie_breaker) = judge.tie_breaker()
                && values.best.is_contested(lane, tie_breaker.margin)
            {
                index = self.exactly_best(judge, tie_breaker, piece, lane, values);
            }
            let landed = &self.landed[index];
            let row = landed.row.store()[lane];
            let full = landed.full.and(landed.removes).store()[lane];
            let (placement, full_rows) = (placements[index], u64::from(full) << row);
            moves.push(Choice { placement, row: row.into(), full_rows });
        }
    }

    /// The best placement on the board in `lane` among those whose values are close.
    #[inline(always)]
    fn exactly_best<J: Judge>(
        &self,
        judge: &J,
        tie_breaker: &TieBreaker,
        piece: Piece,
        lane: usize,
        values: &Values<R, J::Value>,
    ) -> usize {
        let margin = tie_breaker.margin;
        let mut origins = [0; N_FEATURES];
        for (origin, words) in origins.iter_mut().zip(&self.origins) {
            *origin = words.store()[lane];
        }
        let mut best: Option<(i64, usize)> = None;
        for (index, landed) in self.landed.iter().enumerate() {
            let value = J::Value::at::<R::Bytes>(&values.all[index], lane);
            if values.best.is_close(lane, value, margin) && landed.playable.store()[lane] != 0 {
                let mut features = landed.changes_of(lane);
                for (feature, origin) in features.iter_mut().zip(origins) {
                    *feature += i64::from(origin);
                }
                let value = tie_breaker.value(&features);
                if best.is_none_or(|(most, _)| most < value) {
                    best = Some((value, index));
                }
            }
        }
        for removing in &values.removing {
            if removing.lane == lane && values.best.is_close(lane, removing.value, margin) {
                let index = usize::from(removing.index);
                let value = tie_breaker.value(&self.features_after(judge, piece, lane, index));
                if best.is_none_or(|(most, at)| most < value || (most == value && index < at)) {
                    best = Some((value, index));
                }
            }
        }
        best.map_or(0, |(_, index)| index)
    }

    /// The features of the board in `lane` after a placement, which does not end the game.
    #[inline(never)]
    fn features_after<J: Judge>(
        &self,
        judge: &J,
        piece: Piece,
        lane: usize,
        index: usize,
    ) -> [i64; N_FEATURES] {
        let mut columns = [0; MAX_WIDTH];
        for (column, lanes) in columns.iter_mut().zip(&self.columns) {
            *column = lanes[lane].column();
        }
        let size = self.rules.size;
        let board = Board::of_columns(size, &columns[..size.width() as usize]);
        let placement = self.placements[piece as usize][index];
        let outcome = board.drop(piece, placement, self.rules.overflow);
        Features::of(&outcome, judge.scalar().wells()).in_order().map(i64::from)
    }

    /// Puts a board in a lane.
    #[inline(always)]
    pub(super) fn seat(&mut self, lane: usize, board: &Board) {
        // As many columns for every board: the loop is unrolled.
        for (lanes, &column) in self.columns.iter_mut().zip(board.padded_columns()) {
            lanes[lane] = R::Lane::of_column(column);
        }
    }

    /// Prepares the boards that are in lanes.
    #[inline(always)]
    pub(super) fn prepare(&mut self) {
        R::run(Prepare { columns: &self.columns, boards: &mut self.boards });
        self.origins = origins(self.boards.totals());
    }

    /// Finds the best placement of `piece` on each of the first `n` boards.
    #[inline(always)]
    pub(super) fn find_best<J: Judge>(
        &mut self,
        judge: &J,
        piece: Piece,
        n: usize,
        values: &mut Values<R, J::Value>,
    ) {
        self.landed.resize(self.placements[piece as usize].len(), Landed::nowhere());
        R::run(Landings { boards: &self.boards, piece, landed: &mut self.landed });
        R::run(Rank { judge, n, landed: &self.landed, origins: &self.origins, values });
        for removing in values.removing.chunks_mut(N_BOARDS) {
            let placements = &self.placements[piece as usize];
            let size = self.rules.size;
            let mut removed = Removed::<R>::new(size, piece, placements, &self.columns, removing);
            let mut totals = self.origins;
            let diversity = judge.needs_diversity();
            let after =
                Remove::<_, FAST> { removed: &mut removed, size, diversity, totals: &mut totals };
            R::run(after);
            R::run(Settle {
                judge,
                size,
                origins: &self.origins,
                removing,
                removed: &removed,
                totals: &totals,
                best: &mut values.best,
            });
        }
    }
}

/// Prepares boards.
pub(super) struct Prepare<'a, R: Rows, const FAST: bool> {
    pub(super) columns: &'a [Each<R::Lane>; MAX_WIDTH],
    pub(super) boards: &'a mut Boards<R, FAST>,
}

impl<R: Rows, const FAST: bool> Task for Prepare<'_, R, FAST> {
    #[inline(always)]
    fn run(self) {
        self.boards.set(&load(self.columns));
    }
}

#[inline(always)]
fn load<R: Rows>(lanes: &[Each<R::Lane>; MAX_WIDTH]) -> [R; MAX_WIDTH] {
    let mut columns = [R::splat(0); MAX_WIDTH];
    for (column, lanes) in columns.iter_mut().zip(lanes) {
        *column = R::load(lanes);
    }
    columns
}
