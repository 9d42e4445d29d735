//! Distances of tiles from each other and from the port of their resource.

use super::nodes::tiles;
use super::readings::PortDistance;
use crate::board::{Hex, Node, NodeSet, PortPlace};
use crate::map::{Map, Port};
use crate::resource::Resource;

/// Returns the distances between the tiles of `resource`, 1 to 4, ascending.
pub(super) fn between(map: &Map, resource: Resource) -> Vec<u8> {
    let tiles: Vec<Hex> = tiles(map, resource).collect();
    let mut found = Vec::new();
    for (i, a) in tiles.iter().enumerate() {
        found.extend(tiles[..i].iter().map(|b| a.axial().distance(b.axial())));
    }
    found.sort_unstable();
    found
}

/// Returns the distances from the tiles of `resource` to its special port, ascending.
pub(super) fn to_port(map: &Map, resource: Resource, how: PortDistance) -> Vec<u8> {
    let special = |place: &PortPlace| map.port(*place) == Port::Special(resource);
    let Some(port) = PortPlace::ALL.into_iter().find(special) else {
        return Vec::new();
    };
    let distance = |hex: Hex| match how {
        PortDistance::Hexes => hex.axial().distance(port.sea()),
        PortDistance::Edges => edges_between(hex, port),
    };
    let mut found: Vec<u8> = tiles(map, resource).map(distance).collect();
    found.sort_unstable();
    found
}

fn edges_between(hex: Hex, port: PortPlace) -> u8 {
    let mut reached: NodeSet = port.nodes().into_iter().collect();
    let mut n_edges = 0;
    while reached.and(hex.node_set()).is_empty() {
        reached = reached.flat_map(Node::near).collect();
        n_edges += 1;
    }
    n_edges
}
