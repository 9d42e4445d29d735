//! The motions of the board that keep the ring of ports.

use super::axial::Axial;
use super::places::{Edge, Hex, Node, PortPlace};
use super::topology::{Keys, TOPOLOGY};

/// A turn or mirror that moves every port place to a port place, as permutations: entry `i` is
/// where place `i` goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetry {
    /// Where each hex goes.
    pub hexes: [Hex; Hex::COUNT],
    /// Where each node goes.
    pub nodes: [Node; Node::COUNT],
    /// Where each edge goes.
    pub edges: [Edge; Edge::COUNT],
    /// Where each port place goes.
    pub port_places: [PortPlace; PortPlace::COUNT],
}

/// The six such motions, a group: the identity first, the other turns by 120°, three mirrors. The
/// hexes alone have twelve.
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

/// One of the twelve motions of the hexagon: turns by 60°, from 6 on after a mirror.
const fn moved(point: Axial, motion: usize) -> Axial {
    let mut at = if motion < 6 { point } else { Axial::new(point.r, point.q) };
    let mut turn = 0;
    while turn < motion % 6 {
        at = Axial::new(-at.r, at.q + at.r);
        turn += 1;
    }
    at
}

const fn image<const N: usize>(keys: &Keys<N>, index: usize, motion: usize) -> usize {
    keys.find(moved(keys.list[index], motion))
}

/// The number of the port place where port place `index` goes; [`PortPlace::COUNT`] if to none.
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

/// The permutations of a motion that keeps the ports; of another one the port places are wrong.
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
