//! Pseudo-two-level search for a group of games: the boards after each placement fill the lanes.

use super::evaluator::BatchEvaluator;
use super::group::{GroupEvaluator, PlacementValues, WaitingGames};
use super::ranking::BatchValue;
use super::vectors::{N_BOARDS, RowSets};
use crate::features::Afterstates;
use crate::players::{BoardEvaluator, Lookahead, LookaheadValue};
use crate::rules::{Board, Placement};

/// The board after a placement.
struct LookaheadCandidate<S> {
    /// The index of the game in the group.
    game: usize,
    placement: Placement,
    board: Board,
    lookahead_value: LookaheadValue<S>,
}

impl<R: RowSets, const FAST: bool> GroupEvaluator<R, FAST> {
    /// Appends to `moves` the placement that `evaluator` with look-ahead chooses in each game.
    #[inline(always)]
    pub(super) fn look_ahead<E: BatchEvaluator>(
        &mut self,
        evaluator: &mut E,
        lookahead: &Lookahead,
        waiting: WaitingGames<'_, '_>,
        values: &mut PlacementValues<R, E::Value>,
        moves: &mut Vec<Placement>,
    ) {
        let WaitingGames { piece, episodes, group } = waiting;
        let overflow = self.rules().overflow;
        let scalar = evaluator.scalar();
        let mut candidates: Vec<LookaheadCandidate<_>> =
            Vec::with_capacity(group.len() * self.n_placements(piece));
        for (game, &idx) in group.iter().enumerate() {
            let board = &episodes[usize::from(idx)].episode.board;
            let afterstates = Afterstates::new(board, overflow, scalar.wells());
            afterstates.each::<true>(piece, |placement, features| {
                let mut after = *board;
                after.land(piece, placement, overflow);
                let value = scalar.value(features, || after);
                let lookahead_value = lookahead.begin::<E::Scalar>(value);
                candidates.push(LookaheadCandidate {
                    game,
                    placement,
                    board: after,
                    lookahead_value,
                });
            });
        }
        for chunk in candidates.chunks_mut(N_BOARDS) {
            for (lane, candidate) in chunk.iter().enumerate() {
                self.set_lane(lane, &candidate.board);
            }
            self.prepare();
            for (next, weight) in lookahead.pieces() {
                self.find_best(evaluator, next, chunk.len(), values);
                for (candidate, &value) in chunk.iter_mut().zip(&values.best.values) {
                    if E::Value::WORST < value {
                        evaluator.add(&mut candidate.lookahead_value.sum, weight, value);
                    } else {
                        candidate.lookahead_value.deadly += weight;
                    }
                }
            }
        }
        // If all placements end the game, the first is played.
        let first = moves.len();
        moves.resize(first + group.len(), Placement { orientation: 0, column: 0 });
        let mut best: Vec<Option<&LookaheadValue<_>>> = vec![None; group.len()];
        for LookaheadCandidate { game, placement, lookahead_value, .. } in &candidates {
            if best[*game].is_none_or(|best| lookahead_value.is_better_than(best)) {
                (best[*game], moves[first + game]) = (Some(lookahead_value), *placement);
            }
        }
    }
}
