//! The places of the board: a number each, and what touches what.

use super::axial::Axial;
use super::sets::{EdgeSet, NodeSet};
use super::topology::{PORTS, TOPOLOGY, narrow};

macro_rules! place {
    ($name:ident, $count:literal, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u8);

        impl $name {
            /// How many there are.
            pub const COUNT: usize = $count;

            /// All of them, in order.
            pub const ALL: [Self; $count] = {
                let mut all = [Self(0); $count];
                let mut index = 0;
                while index < $count {
                    all[index] = Self::of(index);
                    index += 1;
                }
                all
            };

            /// The one with this number; none from [`Self::COUNT`] on.
            #[must_use]
            pub const fn new(index: usize) -> Option<Self> {
                if index < $count { Some(Self::of(index)) } else { None }
            }

            /// Its number, below [`Self::COUNT`].
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            pub(super) const fn of(index: usize) -> Self {
                assert!(index < $count);
                Self(narrow(index))
            }
        }
    };
}

place!(Hex, 19, "A land hex.");
place!(Node, 54, "A node: a corner of one to three land hexes, where a settlement or city stands.");
place!(Edge, 72, "An edge: a side of one or two land hexes, between two nodes, where a road lies.");
place!(PortPlace, 9, "A place on the coast for a port, usable from its two nodes.");

impl Hex {
    /// The land hex at these coordinates; none at sea.
    #[must_use]
    pub const fn at(axial: Axial) -> Option<Self> {
        Self::new(TOPOLOGY.hexes.find(axial))
    }

    /// Its coordinates.
    #[must_use]
    pub const fn axial(self) -> Axial {
        TOPOLOGY.hexes.list[self.index()]
    }

    /// Its corners, clockwise from the north.
    #[must_use]
    pub fn nodes(self) -> &'static [Node; 6] {
        &TOPOLOGY.hex_nodes[self.index()]
    }

    /// Its corners as a set.
    #[must_use]
    pub fn node_set(self) -> NodeSet {
        TOPOLOGY.hex_node_sets[self.index()]
    }

    /// Its sides, in the order of [`Direction::ALL`](super::Direction::ALL).
    #[must_use]
    pub fn edges(self) -> &'static [Edge; 6] {
        &TOPOLOGY.hex_edges[self.index()]
    }

    /// The three to six land hexes beside it.
    #[must_use]
    pub fn neighbors(self) -> &'static [Self] {
        TOPOLOGY.hex_hexes[self.index()].as_slice()
    }
}

impl Node {
    /// The node that these three hexes share, on land or at sea; none if they share none that
    /// touches land.
    #[must_use]
    pub const fn between(hexes: [Axial; 3]) -> Option<Self> {
        let [a, b, c] = hexes;
        if a.distance(b) != 1 || b.distance(c) != 1 || c.distance(a) != 1 {
            return None;
        }
        Self::new(TOPOLOGY.nodes.find(a.plus(b).plus(c)))
    }

    /// The one to three land hexes around it.
    #[must_use]
    pub fn hexes(self) -> &'static [Hex] {
        TOPOLOGY.node_hexes[self.index()].as_slice()
    }

    /// The two or three nodes one edge away.
    #[must_use]
    pub fn neighbors(self) -> &'static [Self] {
        TOPOLOGY.node_nodes[self.index()].as_slice()
    }

    /// The node and those one edge away: where the distance rule forbids to build once the node is
    /// taken.
    #[must_use]
    pub fn near(self) -> NodeSet {
        TOPOLOGY.node_near[self.index()]
    }

    /// The two or three edges that end here, in the order of [`Node::neighbors`].
    #[must_use]
    pub fn edges(self) -> &'static [Edge] {
        TOPOLOGY.node_edges[self.index()].as_slice()
    }

    /// The edges that end here as a set.
    #[must_use]
    pub fn edge_set(self) -> EdgeSet {
        TOPOLOGY.node_edge_sets[self.index()]
    }

    /// The port place that is usable from here.
    #[must_use]
    pub fn port_place(self) -> Option<PortPlace> {
        TOPOLOGY.node_ports[self.index()]
    }
}

impl Edge {
    /// The edge between two nodes; none if they are not neighbors.
    #[must_use]
    pub fn between(a: Node, b: Node) -> Option<Self> {
        a.edges().iter().copied().find(|edge| a != b && edge.nodes().contains(&b))
    }

    /// Its two ends, the lower number first.
    #[must_use]
    pub fn nodes(self) -> [Node; 2] {
        TOPOLOGY.edge_nodes[self.index()]
    }

    /// The end that is not `node`.
    #[must_use]
    pub fn other_end(self, node: Node) -> Node {
        let [a, b] = self.nodes();
        if a == node { b } else { a }
    }
}

impl PortPlace {
    /// The sea hex in which it lies.
    #[must_use]
    pub const fn sea(self) -> Axial {
        PORTS[self.index()].0
    }

    /// The land hex that it faces.
    #[must_use]
    pub fn hex(self) -> Hex {
        TOPOLOGY.port_hexes[self.index()]
    }

    /// The edge that the sea hex shares with the land hex.
    #[must_use]
    pub fn edge(self) -> Edge {
        TOPOLOGY.port_edges[self.index()]
    }

    /// The nodes from which it is usable.
    #[must_use]
    pub fn nodes(self) -> [Node; 2] {
        self.edge().nodes()
    }
}
