//! Rotations and reflections of the board that keep the ring of ports.

use super::axial::Axial;
use super::places::{Edge, Hex, Node, PortPlace};
use super::topology::{SortedKeys, TOPOLOGY};

/// A rotation or reflection that maps every port place to a port place, as permutations: entry `i`
/// is the image of place `i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetry {
    /// Maps each hex to its image.
    pub hexes: [Hex; Hex::COUNT],
    /// Maps each node to its image.
    pub nodes: [Node; Node::COUNT],
    /// Maps each edge to its image.
    pub edges: [Edge; Edge::COUNT],
    /// Maps each port place to its image.
    pub port_places: [PortPlace; PortPlace::COUNT],
}

/// The six symmetries, which form a group: the identity, the other rotations by 120°, and three
/// reflections. The hexes alone have twelve.
pub static SYMMETRIES: [Symmetry; 6] = {
    let mut found = [symmetry(0); 6];
    let (mut motion, mut len) = (0, 0);
    while motion < 12 {
        if keeps_ports(motion) {
            found[len] = symmetry(motion);
            len += 1;
        }
        motion += 1;
    }
    assert!(len == 6);
    found
};

/// Applies one of the twelve motions of the hexagon: rotations by 60°, preceded by a reflection
/// from 6 on.
const fn moved(point: Axial, motion: usize) -> Axial {
    let mut at = if motion < 6 { point } else { Axial::new(point.r, point.q) };
    let mut turn = 0;
    while turn < motion % 6 {
        at = Axial::new(-at.r, at.q + at.r);
        turn += 1;
    }
    at
}

const fn image<const N: usize>(keys: &SortedKeys<N>, index: usize, motion: usize) -> usize {
    keys.find(moved(keys.list[index], motion))
}

/// Returns the number of the port place to which port place `index` moves; [`PortPlace::COUNT`] if
/// there is none.
const fn port_image(index: usize, motion: usize) -> usize {
    let edge = image(&TOPOLOGY.edges, TOPOLOGY.port_edges[index].index(), motion);
    let mut port = 0;
    while port < PortPlace::COUNT && TOPOLOGY.port_edges[port].index() != edge {
        port += 1;
    }
    port
}

const fn keeps_ports(motion: usize) -> bool {
    let mut port = 0;
    while port < PortPlace::COUNT {
        if port_image(port, motion) == PortPlace::COUNT {
            return false;
        }
        port += 1;
    }
    true
}

/// Returns the permutations of a motion that keeps the ports; of any other motion, the port places
/// are wrong.
const fn symmetry(motion: usize) -> Symmetry {
    let mut found = Symmetry {
        hexes: Hex::ALL,
        nodes: Node::ALL,
        edges: Edge::ALL,
        port_places: PortPlace::ALL,
    };
    let mut index = 0;
    while index < Edge::COUNT {
        found.edges[index] = Edge::of(image(&TOPOLOGY.edges, index, motion));
        if index < Node::COUNT {
            found.nodes[index] = Node::of(image(&TOPOLOGY.nodes, index, motion));
        }
        if index < Hex::COUNT {
            found.hexes[index] = Hex::of(image(&TOPOLOGY.hexes, index, motion));
        }
        if index < PortPlace::COUNT {
            found.port_places[index] = PortPlace::of(port_image(index, motion));
        }
        index += 1;
    }
    found
}
