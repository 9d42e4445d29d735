//! The longest trail through roads, which uses no edge twice but may repeat nodes.

use crate::board::{Edge, EdgeSet, Node, NodeSet};

/// Returns the number of edges in the longest trail through `roads`. A trail may end at a blocked
/// node but not pass through it.
pub(super) fn longest(roads: EdgeSet, blocked: NodeSet) -> u8 {
    let starts: NodeSet = roads.flat_map(Edge::nodes).collect();
    starts.map(|node| RoadTrails::from(node, roads, blocked).longest).max().unwrap_or(0)
}

/// Returns the number of edges in the longest trail through `roads` and `edge` that uses `edge`.
pub(super) fn longest_through(edge: Edge, roads: EdgeSet, blocked: NodeSet) -> u8 {
    let [a, b] = edge.nodes();
    let roads = roads.without(edge);
    let beyond = |node, roads| {
        if blocked.contains(node) {
            RoadTrails::NONE
        } else {
            RoadTrails::from(node, roads, blocked)
        }
    };
    let (from_a, from_b) = (beyond(a, roads), beyond(b, roads));
    if from_a.reached.and(from_b.reached).is_empty() {
        return from_a.longest + 1 + from_b.longest;
    }
    // The two sides meet, so each choice on one side takes edges from the other.
    1 + longest_pair(a, b, roads, blocked)
}

/// Returns the number of edges in the longest two trails from `a` and from `b` that share no edge.
fn longest_pair(a: Node, b: Node, roads: EdgeSet, blocked: NodeSet) -> u8 {
    let mut longest = 0;
    if !blocked.contains(b) {
        longest = RoadTrails::from(b, roads, blocked).longest;
    }
    if blocked.contains(a) {
        return longest;
    }
    for edge in roads.and(a.edge_set()) {
        let pair = longest_pair(edge.other_end(a), b, roads.without(edge), blocked);
        longest = longest.max(1 + pair);
    }
    longest
}

/// The trails from a node: the length of the longest trail, and the edges that any trail reaches.
#[derive(Clone, Copy)]
struct RoadTrails {
    longest: u8,
    reached: EdgeSet,
}

impl RoadTrails {
    const NONE: Self = Self { longest: 0, reached: EdgeSet::EMPTY };

    fn from(start: Node, roads: EdgeSet, blocked: NodeSet) -> Self {
        let mut all = Self::NONE;
        for edge in roads.and(start.edge_set()) {
            let end = edge.other_end(start);
            let mut length = 1;
            all.reached = all.reached.with(edge);
            if !blocked.contains(end) {
                let onward = Self::from(end, roads.without(edge), blocked);
                length += onward.longest;
                all.reached = all.reached.union(onward.reached);
            }
            all.longest = all.longest.max(length);
        }
        all
    }
}
