//! Checks the board against counts and places from the rulebook.

use hatchery_catan::board::{Axial, SPIRAL, SYMMETRIES};
use hatchery_catan::{Edge, Hex, Node, PortPlace};

fn hex(q: i8, r: i8) -> Hex {
    Hex::at(Axial::new(q, r)).expect("a hex on land")
}

#[test]
fn rows_go_from_north_west_to_south_east() {
    let rows: Vec<Axial> = Hex::ALL.map(Hex::axial).to_vec();
    let first: Vec<(i8, i8)> =
        [0, 3, 7, 12, 16].map(|index: usize| rows[index]).map(|at| (at.q, at.r)).to_vec();
    assert_eq!(first, [(0, -2), (-1, -1), (-2, 0), (-2, 1), (-2, 2)]);
    assert_eq!(Hex::at(Axial::new(0, -3)), None);
    assert_eq!(Hex::at(Axial::new(2, 1)), None);
}

#[test]
fn counts_are_those_of_the_frame() {
    let hexes_at_edge =
        |edge: &Edge| Hex::ALL.into_iter().filter(|hex| hex.edges().contains(edge)).count();
    assert_eq!(Edge::ALL.iter().filter(|edge| hexes_at_edge(edge) == 1).count(), 30);
    let corners = |n: usize| Node::ALL.iter().filter(|node| node.hexes().len() == n).count();
    assert_eq!([1, 2, 3].map(corners), [18, 12, 24]);
    let degrees = |n: usize| Node::ALL.iter().filter(|node| node.neighbors().len() == n).count();
    assert_eq!([1, 2, 3].map(degrees), [0, 18, 36]);
}

#[test]
fn what_touches_is_mutual() {
    for node in Node::ALL {
        assert!(node.hexes().iter().all(|hex| hex.nodes().contains(&node)));
        assert_eq!(node.near().len() as usize, 1 + node.neighbors().len());
        for (&edge, &other) in node.edges().iter().zip(node.neighbors()) {
            assert_eq!(edge.other_end(node), other);
            assert_eq!(Edge::between(other, node), Some(edge));
            assert!(node.edge_set().contains(edge) && node.near().contains(other));
            assert!(other.neighbors().contains(&node));
        }
        assert_eq!(Edge::between(node, node), None);
    }
    for hex in Hex::ALL {
        assert_eq!(hex.node_set(), hex.nodes().iter().copied().collect());
        for (i, &edge) in hex.edges().iter().enumerate() {
            assert_eq!(Edge::between(hex.nodes()[i], hex.nodes()[(i + 1) % 6]), Some(edge));
        }
        assert!(hex.neighbors().iter().all(|other| other.axial().distance(hex.axial()) == 1));
    }
    assert_eq!(Hex::ALL.iter().map(|hex| hex.neighbors().len()).sum::<usize>(), 2 * (72 - 30));
}

#[test]
fn spiral_is_that_of_the_almanac() {
    let order = [
        (2, 0),
        (2, -1),
        (2, -2),
        (1, -2),
        (0, -2),
        (-1, -1),
        (-2, 0),
        (-2, 1),
        (-2, 2),
        (-1, 2),
        (0, 2),
        (1, 1),
        (1, 0),
        (1, -1),
        (0, -1),
        (-1, 0),
        (-1, 1),
        (0, 1),
        (0, 0),
    ];
    assert_eq!(SPIRAL, order.map(|(q, r)| hex(q, r)));
}

#[test]
fn nodes_lie_between_three_hexes() {
    let at = |hexes: [(i8, i8); 3]| Node::between(hexes.map(|(q, r)| Axial::new(q, r)));
    let node = at([(0, -2), (1, -2), (0, -1)]).unwrap();
    assert_eq!(node.hexes(), [hex(0, -2), hex(1, -2), hex(0, -1)]);
    let coast = at([(-2, 2), (-3, 3), (-2, 3)]).unwrap();
    assert_eq!(coast.hexes(), [hex(-2, 2)]);
    assert_eq!(coast.port_place(), PortPlace::new(6));
    assert_eq!(at([(0, -2), (1, -2), (0, 0)]), None);
    assert_eq!(at([(0, -3), (1, -3), (1, -4)]), None);
}

#[test]
fn ports_have_two_nodes_of_their_own() {
    let mut nodes: Vec<Node> = PortPlace::ALL.iter().flat_map(|port| port.nodes()).collect();
    nodes.sort();
    nodes.dedup();
    assert_eq!(nodes.len(), 18);
    for port in PortPlace::ALL {
        assert_eq!(port.sea().distance(port.hex().axial()), 1);
        assert_eq!(port.sea().distance(Axial::new(0, 0)), 3);
        for node in port.nodes() {
            assert_eq!(node.port_place(), Some(port));
            assert!(port.hex().nodes().contains(&node));
        }
    }
}

#[test]
fn symmetries_are_a_group_that_keeps_what_touches() {
    assert_eq!(SYMMETRIES[0].nodes, Node::ALL);
    for one in &SYMMETRIES {
        for node in Node::ALL {
            let image = one.nodes[node.index()];
            for hex in node.hexes() {
                assert!(image.hexes().contains(&one.hexes[hex.index()]));
            }
            for edge in node.edges() {
                assert!(image.edges().contains(&one.edges[edge.index()]));
            }
            let port = node.port_place().map(|port| one.port_places[port.index()]);
            assert_eq!(image.port_place(), port);
        }
        for other in &SYMMETRIES {
            let both = one.hexes.map(|hex| other.hexes[hex.index()]);
            assert!(SYMMETRIES.iter().any(|symmetry| symmetry.hexes == both));
        }
    }
}
