//! The first settlements and roads.

use crate::board::{Edge, Node, NodeSet};
use crate::map::Port;
use crate::players::planner::estimates::building_speed::Economy;
use crate::players::planner::estimates::view::PlayerView;
use crate::rules::Seat;
use crate::streams::FastRng;

use super::settlement_pairs::{SettlementPairs, SettlementRank, rank};

/// Returns the node for a settlement of the setup. For the first settlement, this takes the free
/// pair of nodes that builds fastest, and returns the node of the pair that builds faster alone.
/// For the second settlement, it returns the free node that builds fastest. Ties go to more pips,
/// then to lower numbers. With `slack`, the choice is drawn at random among the choices that take
/// at most that many throws more.
pub(crate) fn settlement(
    view: PlayerView<'_>,
    seat: Seat,
    slack: u16,
    stream: &mut FastRng,
) -> Option<Node> {
    let open = view.state.open_nodes();
    let economy = view.economy(seat);
    let alone = |node: Node| (rank(view.island, &economy, [node]), node);
    if view.state.settlements(seat).is_empty() {
        let pairs = SettlementPairs::of(view.island);
        let pair = choice(pairs.open(open, slack), slack, stream)?;
        return pair.into_iter().min_by_key(|&node| alone(node));
    }
    let mut nodes: Vec<(SettlementRank, Node)> = open.map(alone).collect();
    nodes.sort_unstable();
    let most = nodes.first()?.0.time.saturating_add(slack);
    let nodes = nodes.iter().take_while(|(rank, _)| rank.time <= most).map(|(_, node)| *node);
    choice(nodes, slack, stream)
}

/// Returns the first choice without slack, and otherwise a random one, each with equal probability.
fn choice<T>(
    mut choices: impl Iterator<Item = T> + Clone,
    slack: u16,
    stream: &mut FastRng,
) -> Option<T> {
    if slack == 0 {
        return choices.next();
    }
    let count = u32::try_from(choices.clone().count()).expect("54 nodes have 1,431 pairs");
    if count == 0 { None } else { choices.nth(stream.below(count) as usize) }
}

/// Returns the road toward the best node two steps away that others will probably not take first.
/// Ties go to the lower number.
pub(crate) fn road(view: PlayerView<'_>, seat: Seat, from: Node) -> Option<Edge> {
    let taken = soon_taken(view, seat);
    let economy = view.economy(seat);
    let mut best = None;
    for &edge in from.edges() {
        let middle = edge.other_end(from);
        let spots = middle.neighbors().iter().filter(|&&spot| spot != from);
        let open = view.state.open_nodes().minus(taken);
        let value =
            spots.map(|&spot| if open.contains(spot) { value(view, &economy, spot) } else { 0 });
        let value = value.max().unwrap_or(0);
        if best.is_none_or(|(highest, _)| highest < value) {
            best = Some((value, edge));
        }
    }
    best.map(|(_, edge)| edge)
}

/// Returns the nodes that opponents will have made unusable by the end of the setup if each takes
/// the node with the most pips.
fn soon_taken(view: PlayerView<'_>, seat: Seat) -> NodeSet {
    let settled = |seat: Seat| view.state.settlements(seat).len() as usize;
    let seats = view.state.seats();
    let placed: usize = seats.iter().map(|&seat| settled(seat)).sum();
    let own = 2 - settled(seat);
    let n_picks = (2 * seats.len() - placed).saturating_sub(own);
    let (mut open, mut taken) = (view.state.open_nodes(), NodeSet::EMPTY);
    for _ in 0..n_picks {
        let fewest_left = |node: &Node| (u8::MAX - view.island.pips(*node), *node);
        let Some(pick) = open.min_by_key(fewest_left) else { break };
        taken = taken.union(pick.near());
        open = open.minus(pick.near());
    }
    taken
}

/// Returns the value of a node as the target of a road: pips, with a bonus for missing resources,
/// and ports.
fn value(view: PlayerView<'_>, economy: &Economy, node: Node) -> u32 {
    const PER_PIP: u32 = 3;
    const PER_NEW_PIP: u32 = 1;
    const GENERIC_PORT: u32 = 5;
    const SPECIAL_PORT: u32 = 10;
    /// The income of a resource, in cards per 36 throws, at which its port has its full value.
    const FULL_INCOME: u32 = 10;
    let pips = view.island.pips_by_resource(node);
    let mut value = 0;
    for resource in crate::Resource::ALL {
        let each = if economy.income(resource) == 0 { PER_PIP + PER_NEW_PIP } else { PER_PIP };
        value += each * u32::from(pips[resource.index()]);
    }
    let port = match view.island.port(node) {
        Some(Port::Generic) => GENERIC_PORT,
        Some(Port::Special(resource)) => {
            SPECIAL_PORT * u32::from(economy.income(resource)).min(FULL_INCOME) / FULL_INCOME
        }
        None => 0,
    };
    value + port
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;
    use crate::Map;
    use crate::rules::{GameState, Island};

    #[test]
    fn the_first_node_is_of_the_pair_that_builds_fastest() {
        let island = Island::new(Map::RULEBOOK);
        let mut state = GameState::new(&island);
        let view = PlayerView::of_all_hands(&island, &state, Seat::First);
        let mut stream =
            FastRng::seeded_by(&mut RunSeed::new("opening", 1).generation(0).stream("a"));
        let first = settlement(view, Seat::First, 0, &mut stream).unwrap();
        let time = |pair: [Node; 2]| rank(&island, &Economy::NONE, pair).time;
        let best = |a: Node| {
            Node::ALL.iter().filter(|b| !a.near().contains(**b)).map(|&b| time([a, b])).min()
        };
        assert_eq!(best(first), Node::ALL.into_iter().filter_map(best).min());

        // If nobody settles in between, the other node of the pair comes second.
        state.place_settlement(&island, Seat::First, first);
        let view = PlayerView::of_all_hands(&island, &state, Seat::First);
        let second = settlement(view, Seat::First, 0, &mut stream).unwrap();
        assert_eq!(Some(time([first, second])), best(first));
        let edge = road(view, Seat::First, first).unwrap();
        assert!(first.edges().contains(&edge));
    }
}
