//! The first settlements and roads.

use std::cmp::Reverse;

use crate::board::{Edge, Node, NodeSet};
use crate::map::Port;
use crate::rules::{Island, Seat};

use super::estimate::Economy;
use super::view::View;

/// The longest time to one piece that is counted, in throws: a pair of nodes counts 160 at most.
const LIMIT: u16 = 40;

/// Of all free pairs of nodes, or with the first settlement already on the board of all free nodes,
/// the one that builds fastest; of the pair the node that builds faster alone. Ties go to more
/// pips, then to lower numbers.
pub(super) fn settlement(view: View<'_>, seat: Seat) -> Option<Node> {
    let open = view.state.open_nodes();
    let economy = view.economy(seat);
    if !view.state.settlements(seat).is_empty() {
        return open.min_by_key(|&node| rank(view.island, &economy, [node]));
    }
    // Nodes with many pips first: what they set, most others cannot reach.
    let mut nodes = Node::ALL;
    nodes.sort_unstable_by_key(|&node| (Reverse(view.island.pips(node)), node));
    let mut best: Option<((u16, u8), [Node; 2])> = None;
    for (idx, &one) in nodes.iter().enumerate().filter(|(_, one)| open.contains(**one)) {
        let free = open.minus(one.near());
        for &other in nodes[..idx].iter().filter(|other| free.contains(**other)) {
            let pair = [one.min(other), one.max(other)];
            let most = best.map_or(u16::MAX, |((lowest, _), _)| lowest);
            let found = rank_within(view.island, &economy, pair, most).map(|rank| (rank, pair));
            best = found.into_iter().chain(best).min();
        }
    }
    let pair = best.map(|(_, pair)| pair)?;
    pair.into_iter().min_by_key(|&node| rank(view.island, &economy, [node]))
}

/// Toward the best node two steps away that others will probably not take first. Ties go to the
/// lower number.
pub(super) fn road(view: View<'_>, seat: Seat, from: Node) -> Option<Edge> {
    let taken = soon_taken(view, seat);
    let economy = view.economy(seat);
    let mut best = None;
    for &edge in from.edges() {
        let middle = edge.other_end(from);
        let spots = middle.neighbors().iter().filter(|&&spot| spot != from);
        let open = view.state.open_nodes().minus(taken);
        let value =
            spots.map(|&spot| if open.contains(spot) { worth(view, &economy, spot) } else { 0 });
        let value = value.max().unwrap_or(0);
        if best.is_none_or(|(highest, _)| highest < value) {
            best = Some((value, edge));
        }
    }
    best.map(|(_, edge)| edge)
}

fn rank<const N: usize>(island: &Island, economy: &Economy, nodes: [Node; N]) -> (u16, u8) {
    rank_within(island, economy, nodes, u16::MAX).unwrap_or((u16::MAX, 0))
}

/// The rank of nodes; none if building takes more than `most`.
fn rank_within<const N: usize>(
    island: &Island,
    economy: &Economy,
    nodes: [Node; N],
    most: u16,
) -> Option<(u16, u8)> {
    let settled = nodes.iter().fold(*economy, |economy, &node| economy.settled(island, node));
    let time = settled.building_time_within(LIMIT, most)?;
    let pips: u8 = nodes.iter().map(|&node| island.pips(node)).sum();
    Some((time, u8::MAX - pips))
}

/// Nodes that opponents will have made unusable by the end of the setup if each takes the node with
/// the most pips.
fn soon_taken(view: View<'_>, seat: Seat) -> NodeSet {
    let settled = |seat: Seat| view.state.settlements(seat).len() as usize;
    let placed: usize = Seat::ALL.into_iter().map(settled).sum();
    let own = 2 - settled(seat);
    let n_picks = (2 * Seat::COUNT - placed).saturating_sub(own);
    let (mut open, mut taken) = (view.state.open_nodes(), NodeSet::EMPTY);
    for _ in 0..n_picks {
        let fewest_left = |node: &Node| (u8::MAX - view.island.pips(*node), *node);
        let Some(pick) = open.min_by_key(fewest_left) else { break };
        taken = taken.union(pick.near());
        open = open.minus(pick.near());
    }
    taken
}

/// What a node is worth to a road: pips, with a bonus for resources that lack, and ports.
fn worth(view: View<'_>, economy: &Economy, node: Node) -> u32 {
    const PER_PIP: u32 = 3;
    const PER_NEW_PIP: u32 = 1;
    const GENERIC_PORT: u32 = 5;
    const SPECIAL_PORT: u32 = 10;
    /// The income of a resource, of 36 throws, at which its port has its full worth.
    const FULL_INCOME: u32 = 10;
    let pips = view.island.pips_by_resource(node);
    let mut worth = 0;
    for resource in crate::Resource::ALL {
        let each = if economy.income(resource) == 0 { PER_PIP + PER_NEW_PIP } else { PER_PIP };
        worth += each * u32::from(pips[resource.index()]);
    }
    let port = match view.island.port(node) {
        Some(Port::Generic) => GENERIC_PORT,
        Some(Port::Special(resource)) => {
            SPECIAL_PORT * u32::from(economy.income(resource)).min(FULL_INCOME) / FULL_INCOME
        }
        None => 0,
    };
    worth + port
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Map;
    use crate::rules::State;

    #[test]
    fn the_first_node_is_of_the_pair_that_builds_fastest() {
        let island = Island::new(Map::RULEBOOK);
        let mut state = State::new(&island);
        let view = View { island: &island, state: &state, viewer: Some(Seat::First) };
        let first = settlement(view, Seat::First).unwrap();
        let time = |pair: [Node; 2]| {
            pair.iter()
                .fold(Economy::NONE, |economy, &node| economy.settled(&island, node))
                .building_time(LIMIT)
        };
        let best = |a: Node| {
            Node::ALL.iter().filter(|b| !a.near().contains(**b)).map(|&b| time([a, b])).min()
        };
        assert_eq!(best(first), Node::ALL.into_iter().filter_map(best).min());

        // With nobody between, the other of the pair comes second.
        state.found(&island, Seat::First, first);
        let view = View { island: &island, state: &state, viewer: Some(Seat::First) };
        let second = settlement(view, Seat::First).unwrap();
        assert_eq!(Some(time([first, second])), best(first));
        let edge = road(view, Seat::First, first).unwrap();
        assert!(first.edges().contains(&edge));
    }
}
