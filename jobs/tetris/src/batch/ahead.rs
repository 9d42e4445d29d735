//! Pseudo-two-level search for a group of games: the boards that their placements lead to fill the
//! lanes.

use super::group::{Group, Values, Waiting};
use super::judge::Judge;
use super::ranking::Value;
use super::vectors::{N_BOARDS, Rows};
use crate::features::Afterstates;
use crate::players::{Evaluate, Lookahead, Prospect};
use crate::rules::{Board, Placement};

/// A board that a placement leads to.
struct Candidate<S> {
    /// The game's place in the group.
    game: usize,
    placement: Placement,
    board: Board,
    prospect: Prospect<S>,
}

impl<R: Rows, const FAST: bool> Group<R, FAST> {
    /// Appends to `moves` where `judge`, looking ahead, puts the piece in each game.
    #[inline(always)]
    pub(super) fn look_ahead<J: Judge>(
        &mut self,
        judge: &J,
        lookahead: &Lookahead,
        waiting: Waiting<'_, '_>,
        values: &mut Values<R, J::Value>,
        moves: &mut Vec<Placement>,
    ) {
        let Waiting { piece, seats, group } = waiting;
        let overflow = self.rules().overflow;
        let scalar = judge.scalar();
        let mut candidates: Vec<Candidate<_>> =
            Vec::with_capacity(group.len() * self.n_placements(piece));
        for (game, &seat) in group.iter().enumerate() {
            let board = &seats[seat].episode.board;
            let afterstates = Afterstates::new(board, overflow, scalar.wells());
            afterstates.each::<true>(piece, |placement, features| {
                let mut after = *board;
                after.land(piece, placement, overflow);
                let prospect = lookahead.begin::<J::Scalar>(scalar.value(features));
                candidates.push(Candidate { game, placement, board: after, prospect });
            });
        }
        for chunk in candidates.chunks_mut(N_BOARDS) {
            for (lane, candidate) in chunk.iter().enumerate() {
                self.seat(lane, &candidate.board);
            }
            self.prepare();
            for (next, weight) in lookahead.pieces() {
                self.find_best(judge, next, chunk.len(), values);
                for (candidate, &value) in chunk.iter_mut().zip(&values.best.values) {
                    if J::Value::WORST < value {
                        judge.add(&mut candidate.prospect.sum, weight, value);
                    } else {
                        candidate.prospect.deadly += weight;
                    }
                }
            }
        }
        // If all placements end the game, the first is played.
        let first = moves.len();
        moves.resize(first + group.len(), Placement { orientation: 0, column: 0 });
        let mut best: Vec<Option<&Prospect<_>>> = vec![None; group.len()];
        for Candidate { game, placement, prospect, .. } in &candidates {
            if best[*game].is_none_or(|best| prospect.is_better_than(best)) {
                (best[*game], moves[first + game]) = (Some(prospect), *placement);
            }
        }
    }
}
