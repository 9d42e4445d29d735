//! Checks lengths of roads against a search through all sets of edges.

use hatchery_catan::rules::{GameState, Seat};
use hatchery_catan::{Edge, Node};

use super::{TURN_CAP, deal, log, owner};
use crate::haggler::Haggler;

#[test]
fn road_lengths_are_those_of_the_largest_trail() {
    let mut n_checked = 0;
    for game in 0..60 {
        let (island, streams) = deal("trails", game);
        let (_, log) = log(Haggler, &island, streams, TURN_CAP);
        let mut seen = Vec::new();
        for (state, _) in log {
            for seat in Seat::ALL {
                let position = (seat, state.roads(seat), enemies(&state, seat));
                if !seen.contains(&position) {
                    assert_eq!(state.road_length(seat), largest_trail(&state, seat));
                    seen.push(position);
                    n_checked += 1;
                }
            }
        }
    }
    assert!(5_000 < n_checked, "{n_checked}");
}

fn enemies(state: &GameState, seat: Seat) -> Vec<Node> {
    let is_enemy = |node: &Node| owner(state, *node).is_some_and(|owner| owner != seat);
    Node::ALL.into_iter().filter(is_enemy).collect()
}

/// Returns the most edges that can be walked in one go, each once (Euler): they are connected, and
/// at most two of their ends are odd. At an opponent's building, every edge has an end of its own.
fn largest_trail(state: &GameState, seat: Seat) -> u8 {
    let enemies = enemies(state, seat);
    let mut names: Vec<(Node, Option<Edge>)> = Vec::new();
    let mut edges: Vec<[usize; 2]> = Vec::new();
    for edge in state.roads(seat) {
        edges.push(edge.nodes().map(|node| {
            let name = (node, enemies.contains(&node).then_some(edge));
            let known = names.iter().position(|other| *other == name);
            known.unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            })
        }));
    }
    let is_trail = |set: u32| {
        let (mut odd, mut joined, mut rest) = (0_u32, 0_u32, set);
        for (index, [a, b]) in edges.iter().enumerate() {
            if set >> index & 1 == 1 {
                odd ^= 1 << a ^ 1 << b;
                if joined == 0 {
                    joined = 1 << a | 1 << b;
                    rest &= !(1 << index);
                }
            }
        }
        while odd.count_ones() <= 2 && rest != 0 {
            let touches = |index: &usize| {
                let [a, b] = edges[*index];
                rest >> index & 1 == 1 && joined & (1 << a | 1 << b) != 0
            };
            let Some(next) = (0..edges.len()).find(touches) else { return false };
            let [a, b] = edges[next];
            joined |= 1 << a | 1 << b;
            rest &= !(1 << next);
        }
        odd.count_ones() <= 2
    };
    let mut longest = 0;
    for set in 0..1_u32 << edges.len() {
        if longest < set.count_ones() && is_trail(set) {
            longest = set.count_ones();
        }
    }
    u8::try_from(longest).expect("at most 15 roads")
}
