//! Evaluation of a group of games that wait for the same piece: the best placement in each game.

mod clear;
mod rank;

use clear::{ClearRows, ClearedBoards, RankCleared};
pub(super) use rank::PlacementValues;
use rank::RankPlacements;

use super::episode::{ActiveEpisode, ChosenMove, EpisodeIdx};
use super::evaluator::{BatchEvaluator, TieBreaker};
use super::kernel::{FeatureTotals, LandedPlacement, N_FEATURES, PreparedBoards, origins};
use super::ranking::BatchValue;
use super::vectors::{BoardRows, ByteVector, N_BOARDS, RowBits, RowSets, VectorTask, WordVector};
use crate::features::BoardFeatures;
use crate::players::BoardEvaluator;
use crate::rules::{Board, GameRules, MAX_WIDTH, Piece, Placement, placements};

/// Evaluates groups of up to [`N_BOARDS`] games; its memory is reused for each group.
pub(super) struct GroupEvaluator<R: RowSets, const FAST: bool> {
    rules: GameRules,
    /// Every piece's placements. If values tie, the first placement in this order wins.
    placements: [Vec<Placement>; Piece::ALL.len()],
    /// The boards in the lanes.
    rows: BoardRows<R>,
    boards: PreparedBoards<R, FAST>,
    /// The base values to which changes of features are added.
    origins: FeatureTotals<<R::Bytes as ByteVector>::Words>,
    /// The placements of the piece that was evaluated last come first.
    landed: Vec<LandedPlacement<R>>,
}

/// Games that wait for the same piece.
#[derive(Clone, Copy)]
pub(super) struct WaitingGames<'a, 'd> {
    pub(super) piece: Piece,
    pub(super) episodes: &'a [ActiveEpisode<'d>],
    /// The indices of the games in `episodes`.
    pub(super) group: &'a [EpisodeIdx],
}

impl<R: RowSets, const FAST: bool> GroupEvaluator<R, FAST> {
    #[inline(always)]
    pub(super) fn new(rules: GameRules, diversity: bool) -> Self {
        let boards = PreparedBoards::none(rules.size, rules.overflow, diversity);
        let placements = Piece::ALL.map(|piece| placements(piece, rules.size).collect::<Vec<_>>());
        let most = placements.iter().map(Vec::len).max().unwrap_or(0);
        Self {
            rules,
            placements,
            rows: [[R::Lane::default(); MAX_WIDTH]; N_BOARDS],
            origins: *boards.totals(),
            boards,
            landed: vec![LandedPlacement::empty(); most],
        }
    }

    /// Returns the number of placements of `piece`.
    pub(super) fn n_placements(&self, piece: Piece) -> usize {
        self.placements[piece as usize].len()
    }

    pub(super) fn rules(&self) -> GameRules {
        self.rules
    }

    /// Appends to `moves` the placement that `evaluator` chooses in each game.
    #[inline(always)]
    pub(super) fn choose<E: BatchEvaluator>(
        &mut self,
        evaluator: &mut E,
        waiting: WaitingGames<'_, '_>,
        values: &mut PlacementValues<R, E::Value>,
        moves: &mut Vec<ChosenMove>,
    ) {
        let WaitingGames { piece, episodes, group } = waiting;
        if let Some(seated) = evaluator.seated() {
            seated.seat::<R::Bytes>(
                group.iter().map(|&idx| episodes[usize::from(idx)].episode.player),
            );
        }
        for (lane, &idx) in group.iter().enumerate() {
            self.set_lane(lane, &episodes[usize::from(idx)].episode.board);
        }
        self.prepare();
        self.find_best(evaluator, piece, group.len(), values);
        let placements = &self.placements[piece as usize];
        for lane in 0..group.len() {
            // If all placements end the game, the first is played.
            let mut index = values.best.indices[lane] as usize;
            if let Some(tie_breaker) = evaluator.tie_breaker(lane)
                && values.best.is_contested(lane, tie_breaker.margin)
            {
                index = self.break_tie(evaluator, tie_breaker, piece, lane, values);
            }
            let landed = &self.landed[index];
            let row = landed.row.at(lane);
            let full_rows = u64::from(landed.removed.at(lane)) << row;
            let placement = placements[index];
            moves.push(ChosenMove { placement, row: row.into(), full_rows });
        }
    }

    /// Returns the best placement on the board in `lane` among those whose values are close.
    #[inline(always)]
    fn break_tie<E: BatchEvaluator>(
        &self,
        evaluator: &E,
        tie_breaker: &TieBreaker,
        piece: Piece,
        lane: usize,
        values: &PlacementValues<R, E::Value>,
    ) -> usize {
        let margin = tie_breaker.margin;
        let mut origins = [0; N_FEATURES];
        for (origin, words) in origins.iter_mut().zip(&self.origins) {
            *origin = words.store()[lane];
        }
        let mut best: Option<(i64, usize)> = None;
        let n_placements = self.n_placements(piece);
        for (index, landed) in self.landed[..n_placements].iter().enumerate() {
            let value = E::Value::at::<R::Bytes>(&values.all[index], lane);
            if values.best.is_close(lane, value, margin) && landed.playable.at(lane) != 0 {
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
        for clearing in &values.clearing {
            if clearing.lane == lane && values.best.is_close(lane, clearing.value, margin) {
                let index = usize::from(clearing.index);
                let value = tie_breaker.value(&self.features_after(evaluator, piece, lane, index));
                if best.is_none_or(|(most, at)| most < value || (most == value && index < at)) {
                    best = Some((value, index));
                }
            }
        }
        best.map_or(0, |(_, index)| index)
    }

    /// Returns the features of the board in `lane` after a placement, which must not end the game.
    #[inline(never)]
    fn features_after<E: BatchEvaluator>(
        &self,
        evaluator: &E,
        piece: Piece,
        lane: usize,
        index: usize,
    ) -> [i64; N_FEATURES] {
        let mut columns = [0; MAX_WIDTH];
        for (column, rows) in columns.iter_mut().zip(&self.rows[lane]) {
            *column = rows.column();
        }
        let size = self.rules.size;
        let board = Board::from_columns(size, &columns[..size.width() as usize]);
        let placement = self.placements[piece as usize][index];
        let outcome = board.drop(piece, placement, self.rules.overflow);
        BoardFeatures::of(&outcome, evaluator.scalar().wells()).in_order().map(i64::from)
    }

    /// Puts a board into a lane.
    #[inline(always)]
    pub(super) fn set_lane(&mut self, lane: usize, board: &Board) {
        // On copies of the widest boards, so that the loop becomes vector instructions.
        let (columns, mut lane_columns) =
            (*board.padded_columns(), [R::Lane::default(); MAX_WIDTH]);
        for (rows, column) in lane_columns.iter_mut().zip(columns) {
            *rows = R::Lane::from_column(column);
        }
        self.rows[lane] = lane_columns;
    }

    /// Prepares the boards in the lanes.
    #[inline(always)]
    pub(super) fn prepare(&mut self) {
        R::run(PrepareBoards { rows: &self.rows, boards: &mut self.boards });
        self.origins = origins(self.boards.totals());
    }

    /// Finds the best placement of `piece` on each of the first `n` boards.
    #[inline(always)]
    pub(super) fn find_best<E: BatchEvaluator>(
        &mut self,
        evaluator: &mut E,
        piece: Piece,
        n: usize,
        values: &mut PlacementValues<R, E::Value>,
    ) {
        let n_placements = self.n_placements(piece);
        let landed = &mut self.landed[..n_placements];
        self.boards.land(piece, landed);
        R::run(RankPlacements {
            evaluator: &*evaluator,
            n,
            landed,
            origins: &self.origins,
            values,
        });
        for clearing in values.clearing.chunks_mut(N_BOARDS) {
            let placements = &self.placements[piece as usize];
            let size = self.rules.size;
            let mut cleared = ClearedBoards::<R>::new(piece, placements, &self.rows, clearing);
            let mut totals = self.origins;
            let diversity = evaluator.needs_diversity();
            let after = ClearRows::<_, FAST> {
                cleared: &mut cleared,
                size,
                diversity,
                totals: &mut totals,
            };
            R::run(after);
            if let Some(seated) = evaluator.seated() {
                seated.seat_cleared::<R::Bytes>(clearing.iter().map(|it| it.lane));
            }
            R::run(RankCleared {
                evaluator: &*evaluator,
                size,
                origins: &self.origins,
                clearing,
                cleared: &cleared,
                totals: &totals,
                best: &mut values.best,
            });
        }
    }
}

/// Prepares the boards of a group.
pub(super) struct PrepareBoards<'a, R: RowSets, const FAST: bool> {
    pub(super) rows: &'a BoardRows<R>,
    pub(super) boards: &'a mut PreparedBoards<R, FAST>,
}

impl<R: RowSets, const FAST: bool> VectorTask for PrepareBoards<'_, R, FAST> {
    #[inline(always)]
    fn run(self) {
        self.boards.set(&R::load_columns(self.rows));
    }
}
