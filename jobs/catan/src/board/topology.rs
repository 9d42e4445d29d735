//! Tables of the board, computed by the compiler.
//!
//! The key of a node is the sum of the coordinates of the three hexes around it, the key of an edge
//! the sum of the keys of its ends. Keys move with the board (its rotations and reflections are
//! linear), and their order is that of nodes and edges from top to bottom and from west to east.

use super::axial::{Axial, Direction};
use super::places::{Edge, Hex, Node, PortPlace};
use super::sets::{EdgeSet, NodeSet};

pub(super) static TOPOLOGY: Topology = build();

/// The port places: the sea hex and the direction of its land hex (rulebook, frame of the base
/// game).
pub(super) const PORTS: [(Axial, Direction); PortPlace::COUNT] = [
    (Axial::new(0, -3), Direction::SouthEast),
    (Axial::new(2, -3), Direction::SouthWest),
    (Axial::new(3, -2), Direction::SouthWest),
    (Axial::new(3, 0), Direction::West),
    (Axial::new(1, 2), Direction::NorthWest),
    (Axial::new(-1, 3), Direction::NorthWest),
    (Axial::new(-3, 3), Direction::NorthEast),
    (Axial::new(-3, 1), Direction::East),
    (Axial::new(-2, -1), Direction::East),
];

/// Hexes within this many steps of the middle are land.
const RADIUS: i8 = 2;

pub(super) struct Topology {
    pub(super) hexes: SortedKeys<{ Hex::COUNT }>,
    pub(super) nodes: SortedKeys<{ Node::COUNT }>,
    pub(super) edges: SortedKeys<{ Edge::COUNT }>,
    pub(super) hex_nodes: [[Node; 6]; Hex::COUNT],
    pub(super) hex_node_sets: [NodeSet; Hex::COUNT],
    pub(super) hex_edges: [[Edge; 6]; Hex::COUNT],
    pub(super) hex_hexes: [ArrayVec<Hex, 6>; Hex::COUNT],
    pub(super) node_hexes: [ArrayVec<Hex, 3>; Node::COUNT],
    pub(super) node_nodes: [ArrayVec<Node, 3>; Node::COUNT],
    pub(super) node_near: [NodeSet; Node::COUNT],
    pub(super) node_edges: [ArrayVec<Edge, 3>; Node::COUNT],
    pub(super) node_edge_sets: [EdgeSet; Node::COUNT],
    pub(super) node_ports: [Option<PortPlace>; Node::COUNT],
    pub(super) edge_nodes: [[Node; 2]; Edge::COUNT],
    pub(super) port_hexes: [Hex; PortPlace::COUNT],
    pub(super) port_edges: [Edge; PortPlace::COUNT],
}

const fn build() -> Topology {
    let (hexes, nodes, edges) = number();
    let mut board = Topology {
        hexes,
        nodes,
        edges,
        hex_nodes: [[Node::of(0); 6]; Hex::COUNT],
        hex_node_sets: [NodeSet::EMPTY; Hex::COUNT],
        hex_edges: [[Edge::of(0); 6]; Hex::COUNT],
        hex_hexes: [ArrayVec::new(Hex::of(0)); Hex::COUNT],
        node_hexes: [ArrayVec::new(Hex::of(0)); Node::COUNT],
        node_nodes: [ArrayVec::new(Node::of(0)); Node::COUNT],
        node_near: [NodeSet::EMPTY; Node::COUNT],
        node_edges: [ArrayVec::new(Edge::of(0)); Node::COUNT],
        node_edge_sets: [EdgeSet::EMPTY; Node::COUNT],
        node_ports: [None; Node::COUNT],
        edge_nodes: [[Node::of(0); 2]; Edge::COUNT],
        port_hexes: [Hex::of(0); PortPlace::COUNT],
        port_edges: [Edge::of(0); PortPlace::COUNT],
    };
    join_hexes(&mut board);
    join_edges(&mut board);
    join_ports(&mut board);
    board
}

/// Finds and numbers all places.
const fn number()
-> (SortedKeys<{ Hex::COUNT }>, SortedKeys<{ Node::COUNT }>, SortedKeys<{ Edge::COUNT }>) {
    let (mut hexes, mut nodes, mut edges) =
        (SortedKeys::new(), SortedKeys::new(), SortedKeys::new());
    let mut r = -RADIUS;
    while r <= RADIUS {
        let mut q = -RADIUS;
        while q <= RADIUS {
            let hex = Axial::new(q, r);
            q += 1;
            if hex.distance(Axial::new(0, 0)) > RADIUS.unsigned_abs() {
                continue;
            }
            hexes.insert(hex);
            let mut side = 0;
            while side < 6 {
                nodes.insert(corner(hex, side));
                edges.insert(side_key(hex, side));
                side += 1;
            }
        }
        r += 1;
    }
    assert!(hexes.len == Hex::COUNT && nodes.len == Node::COUNT && edges.len == Edge::COUNT);
    (hexes, nodes, edges)
}

const fn join_hexes(board: &mut Topology) {
    let mut index = 0;
    while index < Hex::COUNT {
        let hex = board.hexes.list[index];
        let mut side = 0;
        while side < 6 {
            let node = board.nodes.find(corner(hex, side));
            let edge = board.edges.find(side_key(hex, side));
            board.hex_nodes[index][side] = Node::of(node);
            board.hex_node_sets[index] = board.hex_node_sets[index].with(Node::of(node));
            board.hex_edges[index][side] = Edge::of(edge);
            board.node_hexes[node].push(Hex::of(index));
            // Side `i` lies between corners `i` and `i + 1`.
            let next = board.nodes.find(corner(hex, (side + 1) % 6));
            let (low, high) = if node < next { (node, next) } else { (next, node) };
            board.edge_nodes[edge] = [Node::of(low), Node::of(high)];
            if let Some(other) = Hex::new(board.hexes.find(hex.step(Direction::ALL[side]))) {
                board.hex_hexes[index].push(other);
            }
            side += 1;
        }
        index += 1;
    }
}

const fn join_edges(board: &mut Topology) {
    let mut index = 0;
    while index < Edge::COUNT {
        let [low, high] = board.edge_nodes[index];
        let (edge, mut turn) = (Edge::of(index), 0);
        while turn < 2 {
            let (here, there) = if turn == 0 { (low, high) } else { (high, low) };
            let i = here.index();
            board.node_nodes[i].push(there);
            board.node_near[i] = board.node_near[i].with(here).with(there);
            board.node_edges[i].push(edge);
            board.node_edge_sets[i] = board.node_edge_sets[i].with(edge);
            turn += 1;
        }
        index += 1;
    }
}

const fn join_ports(board: &mut Topology) {
    let mut index = 0;
    while index < PortPlace::COUNT {
        let (sea, direction) = PORTS[index];
        let edge = board.edges.find(side_key(sea, direction as usize));
        let [low, high] = board.edge_nodes[edge];
        board.port_hexes[index] = Hex::of(board.hexes.find(sea.step(direction)));
        board.port_edges[index] = Edge::of(edge);
        board.node_ports[low.index()] = Some(PortPlace::of(index));
        board.node_ports[high.index()] = Some(PortPlace::of(index));
        index += 1;
    }
}

/// Returns the key of a corner, clockwise from the north. The corner is between two neighboring
/// directions.
const fn corner(hex: Axial, index: usize) -> Axial {
    let before = Direction::ALL[(index + 5) % 6].vector();
    let after = Direction::ALL[index].vector();
    hex.times(3).plus(before).plus(after)
}

/// Returns the key of the side in direction number `index`.
const fn side_key(hex: Axial, index: usize) -> Axial {
    corner(hex, index).plus(corner(hex, (index + 1) % 6))
}

pub(super) const fn spiral() -> [Hex; Hex::COUNT] {
    let mut order = [Hex::of(0); Hex::COUNT];
    let (mut radius, mut next) = (RADIUS, 0);
    while radius > 0 {
        let mut at = Axial::new(radius, 0);
        // From the east corner, the first of six straight runs goes north-west. Each run turns
        // counter-clockwise.
        let mut run = 0;
        while run < 6 {
            let direction = Direction::ALL[(5 + 6 - run) % 6];
            let mut step = 0;
            while step < radius {
                order[next] = Hex::of(TOPOLOGY.hexes.find(at));
                next += 1;
                at = at.step(direction);
                step += 1;
            }
            run += 1;
        }
        radius -= 1;
    }
    order[next] = Hex::of(TOPOLOGY.hexes.find(Axial::new(0, 0)));
    order
}

/// Distinct keys in order; the position in the list is the number of the place.
pub(super) struct SortedKeys<const N: usize> {
    pub(super) list: [Axial; N],
    len: usize,
}

impl<const N: usize> SortedKeys<N> {
    const fn new() -> Self {
        Self { list: [Axial::new(0, 0); N], len: 0 }
    }

    const fn insert(&mut self, key: Axial) {
        if self.find(key) < N {
            return;
        }
        let mut place = self.len;
        while place > 0 && key.is_before(self.list[place - 1]) {
            self.list[place] = self.list[place - 1];
            place -= 1;
        }
        self.list[place] = key;
        self.len += 1;
    }

    /// Returns the number of `key`, or `usize::MAX` if it is missing.
    pub(super) const fn find(&self, key: Axial) -> usize {
        let mut place = 0;
        while place < self.len {
            if self.list[place].equals(key) {
                return place;
            }
            place += 1;
        }
        usize::MAX
    }
}

/// A list of at most `N` items.
#[derive(Clone, Copy)]
pub(super) struct ArrayVec<T, const N: usize> {
    items: [T; N],
    len: usize,
}

impl<T: Copy, const N: usize> ArrayVec<T, N> {
    const fn new(filler: T) -> Self {
        Self { items: [filler; N], len: 0 }
    }

    const fn push(&mut self, item: T) {
        self.items[self.len] = item;
        self.len += 1;
    }

    pub(super) fn as_slice(&self) -> &[T] {
        &self.items[..self.len]
    }
}
