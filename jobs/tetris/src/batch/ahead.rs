//! Pseudo-two-level search for a group of games: the boards that their placements lead to fill the
//! lanes.

use super::episode::Seat;
use super::group::Group;
use super::judge::Judge;
use super::lanes::Lanes;
use crate::features::Afterstates;
use crate::players::{Evaluate, Lookahead, Prospect};
use crate::rules::{Board, Piece, Placement};

/// A board that a placement leads to.
struct Candidate<S> {
    /// The game's place in the group.
    game: usize,
    placement: Placement,
    board: Board,
    prospect: Prospect<S>,
}

impl<L: Lanes, const FAST: bool, const DIVERSITY: bool> Group<L, FAST, DIVERSITY> {
    /// Appends to `moves` where `judge`, looking ahead, puts `piece` in each game of `group`.
    #[inline(always)]
    pub(super) fn look_ahead<J: Judge>(
        &mut self,
        judge: &J,
        lookahead: &Lookahead,
        piece: Piece,
        seats: &[Seat<'_>],
        group: &[usize],
        moves: &mut Vec<Placement>,
    ) {
        let overflow = self.rules().overflow;
        let scalar = judge.scalar();
        let mut candidates: Vec<Candidate<_>> = Vec::with_capacity(group.len() * 34);
        for (game, &seat) in group.iter().enumerate() {
            let board = &seats[seat].episode.board;
            let afterstates = Afterstates::new(board, overflow, scalar.wells());
            afterstates.each::<DIVERSITY>(piece, |placement, features| {
                let mut after = *board;
                after.land(piece, placement, overflow);
                let prospect = lookahead.begin::<J::Scalar>(scalar.value(features));
                candidates.push(Candidate { game, placement, board: after, prospect });
            });
        }
        for chunk in candidates.chunks_mut(L::N) {
            self.set(chunk.iter().map(|candidate| &candidate.board));
            for (next, weight) in lookahead.pieces() {
                let (values, _) = self.best(judge, next, chunk.len());
                for (candidate, &value) in chunk.iter_mut().zip(values.as_ref()) {
                    if J::WORST < value {
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
