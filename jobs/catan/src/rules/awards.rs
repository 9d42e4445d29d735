//! Longest road, largest army, and the end of the game.

use crate::board::{Node, NodeSet};

use super::seat::Seat;
use super::state::{Phase, State};
use super::{LARGEST_ARMY_MINIMUM, LONGEST_ROAD_MINIMUM, POINTS_TO_WIN, road};

impl State {
    /// Measures anew the roads of others that meet at `node`, where `builder` has built.
    pub(super) fn cut_roads(&mut self, builder: Seat, node: Node) {
        for seat in builder.others() {
            // One road alone ends there already.
            if 2 <= self.player(seat).roads.and(node.edge_set()).len() {
                let length = road::longest(self.player(seat).roads, self.buildings_against(seat));
                self.player_mut(seat).road_length = length;
                self.award_longest_road();
            }
        }
    }

    /// Gives the longest road to whom it belongs: its holder in a tie, nobody when others tie.
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

    /// Gives the largest army to `seat` if its army has become the largest.
    pub(super) fn award_largest_army(&mut self, seat: Seat) {
        let to_beat = match self.largest_army {
            Some(holder) => self.player(holder).knights + 1,
            None => LARGEST_ARMY_MINIMUM,
        };
        if to_beat <= self.player(seat).knights {
            self.largest_army = Some(seat);
        }
    }

    /// Ends the game if the player on turn has enough points.
    pub(super) fn check_victory(&mut self) {
        if POINTS_TO_WIN <= self.points(self.on_turn) {
            self.phase = Phase::Won(self.on_turn);
            self.actor = self.on_turn;
        }
    }

    /// Nodes with buildings of the opponents of `seat`.
    pub(super) fn buildings_against(&self, seat: Seat) -> NodeSet {
        let [a, b, c] = seat.others().map(|other| self.player(other).buildings());
        a.union(b).union(c)
    }
}
