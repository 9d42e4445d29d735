//! Adjacency: what touches what.

use super::axial::{Axial, Direction};
use super::places::{Edge, Hex, Node, PortPlace};
use super::sets::{EdgeSet, NodeSet};
use super::topology::{PORTS, TOPOLOGY};

impl Hex {
    /// Returns the land hex at these coordinates; none at sea.
    #[must_use]
    pub const fn at(axial: Axial) -> Option<Self> {
        Self::new(TOPOLOGY.hexes.find(axial))
    }

    /// Returns the coordinates of the hex.
    #[must_use]
    pub const fn axial(self) -> Axial {
        TOPOLOGY.hexes.list[self.index()]
    }

    /// Returns the corners of the hex, clockwise from the north.
    #[must_use]
    pub fn nodes(self) -> &'static [Node; 6] {
        &TOPOLOGY.hex_nodes[self.index()]
    }

    /// Returns the corners of the hex as a set.
    #[must_use]
    pub fn node_set(self) -> NodeSet {
        TOPOLOGY.hex_node_sets[self.index()]
    }

    /// Returns the sides of the hex, in the order of [`Direction::ALL`].
    #[must_use]
    pub fn edges(self) -> &'static [Edge; 6] {
        &TOPOLOGY.hex_edges[self.index()]
    }

    /// Returns the three to six neighboring land hexes.
    #[must_use]
    pub fn neighbors(self) -> &'static [Self] {
        TOPOLOGY.hex_hexes[self.index()].as_slice()
    }
}

impl Node {
    /// Returns the node that these three hexes share, on land or at sea; none if they share no node
    /// that touches land.
    #[must_use]
    pub const fn between(hexes: [Axial; 3]) -> Option<Self> {
        let [a, b, c] = hexes;
        if a.distance(b) != 1 || b.distance(c) != 1 || c.distance(a) != 1 {
            return None;
        }
        Self::new(TOPOLOGY.nodes.find(a.plus(b).plus(c)))
    }

    /// Returns the one to three land hexes around the node.
    #[must_use]
    pub fn hexes(self) -> &'static [Hex] {
        TOPOLOGY.node_hexes[self.index()].as_slice()
    }

    /// Returns the two or three nodes one edge away.
    #[must_use]
    pub fn neighbors(self) -> &'static [Self] {
        TOPOLOGY.node_nodes[self.index()].as_slice()
    }

    /// Returns the node and those one edge away, where the distance rule forbids settlements once
    /// the node is taken.
    #[must_use]
    pub fn near(self) -> NodeSet {
        TOPOLOGY.node_near[self.index()]
    }

    /// Returns the two or three edges that end at the node, in the order of [`Node::neighbors`].
    #[must_use]
    pub fn edges(self) -> &'static [Edge] {
        TOPOLOGY.node_edges[self.index()].as_slice()
    }

    /// Returns the edges that end at the node as a set.
    #[must_use]
    pub fn edge_set(self) -> EdgeSet {
        TOPOLOGY.node_edge_sets[self.index()]
    }

    /// Returns the port place that is usable from the node.
    #[must_use]
    pub fn port_place(self) -> Option<PortPlace> {
        TOPOLOGY.node_ports[self.index()]
    }
}

impl Edge {
    /// Returns the edge between two nodes; none if they are not neighbors.
    #[must_use]
    pub fn between(a: Node, b: Node) -> Option<Self> {
        a.edges().iter().copied().find(|edge| a != b && edge.nodes().contains(&b))
    }

    /// Returns the two ends of the edge, the lower number first.
    #[must_use]
    pub fn nodes(self) -> [Node; 2] {
        TOPOLOGY.edge_nodes[self.index()]
    }

    /// Returns the end that is not `node`.
    #[must_use]
    pub fn other_end(self, node: Node) -> Node {
        let [a, b] = self.nodes();
        if a == node { b } else { a }
    }
}

impl PortPlace {
    /// Returns the sea hex that holds the port.
    #[must_use]
    pub const fn sea(self) -> Axial {
        PORTS[self.index()].0
    }

    /// Returns the direction of the land hex from the sea hex.
    #[must_use]
    pub const fn land_direction(self) -> Direction {
        PORTS[self.index()].1
    }

    /// Returns the land hex that the port faces.
    #[must_use]
    pub fn hex(self) -> Hex {
        TOPOLOGY.port_hexes[self.index()]
    }

    /// Returns the edge between the sea hex and the land hex.
    #[must_use]
    pub fn edge(self) -> Edge {
        TOPOLOGY.port_edges[self.index()]
    }

    /// Returns the nodes from which the port is usable.
    #[must_use]
    pub fn nodes(self) -> [Node; 2] {
        self.edge().nodes()
    }
}
