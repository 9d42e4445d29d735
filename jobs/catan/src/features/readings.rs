//! The ways in which the features of Table 2 can be read.

/// The readings of Table 2 where it can be read in several ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeatureReadings {
    /// Group 2: the distance of a tile from a port.
    pub port_distance: PortDistance,
    /// Group 3: the statistics of the pips around nodes.
    pub node_pips: NodePips,
    /// Group 4: the nodes that can have two equal tiles.
    pub two_equal: TwoEqual,
}

/// A measure of the distance of a tile from a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PortDistance {
    /// Steps from hex to hex to the sea hex of the port, 1 to 5.
    #[default]
    Hexes,
    /// Edges from the nearest node of the tile to the nearer node of the port, from 0.
    Edges,
}

/// Statistics of the pips around nodes: the sum over a node's tiles, 0 to 15.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodePips {
    /// The numbers of the 54 nodes with 0-2, 3-4, 5-6, 7-8, 9-10, 11-12, 13-15.
    #[default]
    Histogram,
    /// The numbers of nodes with exactly 9, 10, 11, 12, 13, 14, 15.
    From9To15,
    /// The numbers of nodes with exactly 7, 8, 9, 10, 11, 12, 13; 13 is the most if reds are apart.
    From7To13,
    /// The seven largest sums, descending.
    Largest,
}

/// The nodes that can have two equal tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TwoEqual {
    /// All nodes, including those on the coast with only two tiles.
    #[default]
    AllNodes,
    /// Nodes with three tiles.
    Inland,
}
