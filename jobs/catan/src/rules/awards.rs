//! Longest road, largest army, and the end of the game.

use crate::board::{Node, NodeSet};

use super::seat::Seat;
use super::state::{GamePhase, GameState};
use super::{LARGEST_ARMY_MINIMUM, LONGEST_ROAD_MINIMUM, road};

impl GameState {
    /// Measures again the opponents' roads that meet at `node`, where `builder` has built.
    pub(super) fn remeasure_roads_at(&mut self, builder: Seat, node: Node) {
        for seat in builder.others() {
            // A single road ends there anyway.
            if 2 <= self.player(seat).roads.and(node.edge_set()).len() {
                let length = road::longest(self.player(seat).roads, self.opponent_buildings(seat));
                self.player_mut(seat).road_length = length;
                self.award_longest_road();
            }
        }
    }

    /// Awards the longest road: its holder keeps it in a tie, and nobody gets it if others tie.
    pub(super) fn award_longest_road(&mut self) {
        let longest = self.players.iter().map(|player| player.road_length).max().unwrap_or(0);
        if longest < LONGEST_ROAD_MINIMUM {
            self.longest_road = None;
            return;
        }
        let leads = |seat: Seat| self.player(seat).road_length == longest;
        if self.longest_road.is_some_and(leads) {
            return;
        }
        let mut leaders = Seat::ALL.into_iter().filter(|seat| leads(*seat));
        let first = leaders.next();
        self.longest_road = if leaders.next().is_none() { first } else { None };
    }

    /// Awards the largest army to `seat` if its army has become the largest.
    pub(super) fn award_largest_army(&mut self, seat: Seat) {
        let to_beat = match self.largest_army {
            Some(holder) => self.player(holder).knights + 1,
            None => LARGEST_ARMY_MINIMUM,
        };
        if to_beat <= self.player(seat).knights {
            self.largest_army = Some(seat);
        }
    }

    /// Ends the game if the current player has enough points.
    pub(super) fn check_victory(&mut self) {
        if self.variant.points_to_win <= self.points(self.current_seat) {
            self.phase = GamePhase::Won(self.current_seat);
            self.actor = self.current_seat;
        }
    }

    /// Returns the nodes with buildings of the opponents of `seat`.
    pub(super) fn opponent_buildings(&self, seat: Seat) -> NodeSet {
        let [a, b, c] = seat.others().map(|other| self.player(other).buildings());
        a.union(b).union(c)
    }
}
