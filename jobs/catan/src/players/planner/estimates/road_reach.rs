//! The reach of a player's roads.

use crate::board::{Edge, EdgeSet, Node, NodeSet};
use crate::rules::{LONGEST_ROAD_MINIMUM, Seat};

use super::view::PlayerView;

/// The most roads to a settlement that are considered.
pub(crate) const MAX_ROADS: usize = 3;

/// The most roads to the longest road that are considered.
const MAX_EXTENSION: u8 = 5;

/// The nodes that a player can reach from its roads and buildings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoadReach {
    /// Nodes by the number of roads missing to them.
    levels: [NodeSet; MAX_ROADS + 1],
    /// Nodes where a settlement may stand.
    open: NodeSet,
    /// Edges without a road.
    free: EdgeSet,
    /// Nodes where opponents block the way.
    blocked: NodeSet,
}

impl RoadReach {
    pub(crate) fn of(view: PlayerView<'_>, seat: Seat) -> Self {
        let blocked = view.opponent_buildings(seat);
        let free =
            Seat::ALL.iter().fold(EdgeSet::ALL, |free, &other| free.minus(view.state.roads(other)));
        let touched = view.state.roads(seat).flat_map(Edge::nodes).collect::<NodeSet>();
        let mut levels = [NodeSet::EMPTY; MAX_ROADS + 1];
        levels[0] = touched.union(view.buildings(seat));
        let mut seen = levels[0];
        for level in 1..levels.len() {
            for node in levels[level - 1].minus(blocked) {
                for edge in free.and(node.edge_set()) {
                    levels[level] = levels[level].with(edge.other_end(node));
                }
            }
            levels[level] = levels[level].minus(seen);
            seen = seen.union(levels[level]);
        }
        Self { levels, open: view.state.open_nodes(), free, blocked }
    }

    /// Returns the nodes for a settlement, by the number of roads missing to them.
    pub(crate) fn spots(&self) -> [NodeSet; MAX_ROADS + 1] {
        self.levels.map(|level| level.and(self.open))
    }

    /// Returns the first road of a shortest path to `node`, with ties to the lower number; none if
    /// no road is missing.
    pub(crate) fn first_road(&self, node: Node) -> Option<Edge> {
        let mut level = self.levels.iter().position(|level| level.contains(node))?;
        let mut at = node;
        loop {
            let before = self.levels.get(level.checked_sub(1)?)?.minus(self.blocked);
            let edges = self.free.and(at.edge_set());
            let edge = { edges }.find(|edge| before.contains(edge.other_end(at)))?;
            if level == 1 {
                return Some(edge);
            }
            at = edge.other_end(at);
            level -= 1;
        }
    }
}

/// The roads that would bring a player the longest road.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RoadExtension {
    /// The number of missing roads, 1 to 5.
    pub(crate) n_roads: u8,
    /// The first of the roads.
    pub(crate) first: Edge,
}

impl RoadExtension {
    /// Returns the shortest straight extension of a trail of `seat` that gains the longest road;
    /// none if the seat has it or if it is out of reach. Joining two trails is not considered.
    pub(crate) fn of(view: PlayerView<'_>, seat: Seat) -> Option<Self> {
        let state = view.state;
        if state.longest_road() == Some(seat) {
            return None;
        }
        let rival = seat.others().map(|other| state.road_length(other)).into_iter().max()?;
        let needed = LONGEST_ROAD_MINIMUM.max(rival + 1);
        let limit = MAX_EXTENSION.min(state.roads_left(seat));
        if limit < needed.saturating_sub(state.road_length(seat)) {
            return None;
        }
        let blocked = view.opponent_buildings(seat);
        let roads = state.roads(seat);
        let free =
            Seat::ALL.iter().fold(EdgeSet::ALL, |free, &other| free.minus(state.roads(other)));
        let ends: NodeSet = roads.flat_map(Edge::nodes).collect();
        let mut best: Option<Self> = None;
        for node in ends.minus(blocked) {
            let length = longest_from(node, roads, blocked);
            let n_roads = needed.saturating_sub(length).max(1);
            let bound = best.map_or(limit + 1, |best| best.n_roads);
            if n_roads < bound {
                let first = { free.and(node.edge_set()) }.find(|&edge| {
                    can_extend(edge, edge.other_end(node), n_roads - 1, free, blocked)
                });
                best = first.map(|first| Self { n_roads, first }).or(best);
            }
        }
        best
    }
}

/// Returns the number of edges in the longest trail from `node`.
fn longest_from(node: Node, roads: EdgeSet, blocked: NodeSet) -> u8 {
    let onward = |edge: Edge| {
        let end = edge.other_end(node);
        if blocked.contains(end) { 1 } else { 1 + longest_from(end, roads.without(edge), blocked) }
    };
    roads.and(node.edge_set()).map(onward).max().unwrap_or(0)
}

/// Returns true if `n` more free edges can follow `edge`, which ends in `node`.
fn can_extend(edge: Edge, node: Node, n: u8, free: EdgeSet, blocked: NodeSet) -> bool {
    if n == 0 {
        return true;
    }
    let free = free.without(edge);
    !blocked.contains(node) && { free.and(node.edge_set()) }
        .any(|next| can_extend(next, next.other_end(node), n - 1, free, blocked))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Map;
    use crate::board::Hex;
    use crate::rules::{GameState, Island};

    const ME: Seat = Seat::First;

    struct Board {
        island: Island,
        state: GameState,
    }

    impl Board {
        fn new() -> Self {
            let island = Island::new(Map::RULEBOOK);
            let state = GameState::new(&island);
            Self { island, state }
        }

        fn view(&self) -> PlayerView<'_> {
            PlayerView::of_all_hands(&self.island, &self.state, ME)
        }

        fn settle(&mut self, seat: Seat, node: Node) {
            self.state.place_settlement(&self.island, seat, node);
        }

        /// Places `n` roads around the middle hex, from its corner `from` on.
        fn roads(&mut self, seat: Seat, from: usize, n: usize) {
            for i in from..from + n {
                let edge = Edge::between(corner(i), corner(i + 1)).unwrap();
                self.state.place_road(seat, edge);
            }
        }
    }

    /// Returns a corner of the middle hex, clockwise from the north.
    fn corner(index: usize) -> Node {
        Hex::ALL[9].nodes()[index % 6]
    }

    #[test]
    fn spots_lie_two_roads_from_a_lone_settlement() {
        let mut board = Board::new();
        board.settle(ME, corner(0));
        let reach = RoadReach::of(board.view(), ME);
        // Three neighbors, each with two more. Of the twelve ways on from there, three pairs meet.
        assert_eq!(reach.spots().map(NodeSet::len), [0, 0, 6, 9]);
        let road = reach.first_road(corner(2)).unwrap();
        assert_eq!(Some(road), Edge::between(corner(0), corner(1)));
        assert_eq!(reach.first_road(corner(0)), None);
    }

    #[test]
    fn opponents_bar_the_way() {
        let mut board = Board::new();
        board.settle(ME, corner(0));
        board.settle(Seat::Second, corner(2));
        let levels = RoadReach::of(board.view(), ME).levels;
        assert!(levels[2].contains(corner(2)));
        // Beyond the opponent, corner 3 is not three roads away, only around the other side.
        assert!(levels[3].contains(corner(3)));
        board.state.place_road(Seat::Third, Edge::between(corner(4), corner(3)).unwrap());
        assert!(!RoadReach::of(board.view(), ME).levels[3].contains(corner(3)));
    }

    #[test]
    fn extension_counts_from_the_end_of_the_trail() {
        let mut board = Board::new();
        board.settle(ME, corner(0));
        assert_eq!(RoadExtension::of(board.view(), ME), None);
        board.roads(ME, 0, 3);
        let n_roads =
            |board: &Board| RoadExtension::of(board.view(), ME).map(|found| found.n_roads);
        // Three of five roads.
        assert_eq!(n_roads(&board), Some(2));
        board.roads(Seat::Second, 4, 1);
        assert_eq!(n_roads(&board), Some(2));
        // The holder of the longest road needs no more roads.
        board.roads(ME, 3, 1);
        let first = RoadExtension::of(board.view(), ME).unwrap().first;
        board.state.place_road(ME, first);
        assert_eq!(board.state.longest_road(), Some(ME));
        assert_eq!(n_roads(&board), None);
    }
}
