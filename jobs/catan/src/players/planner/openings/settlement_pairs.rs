//! Ranking of single settlements and of pairs of settlements, by how fast their owner builds.

use std::cell::RefCell;
use std::rc::Rc;

use crate::board::{Node, NodeSet};
use crate::map::Map;
use crate::players::planner::estimates::building_speed::Economy;
use crate::rules::Island;

/// The longest time to one piece that is counted, in throws: a pair of nodes counts at most 160.
pub(crate) const MOST_THROWS: u16 = 40;

/// The rank of a settlement or of a pair of settlements; less is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SettlementRank {
    /// The throws until a piece can be built, summed over the kinds of pieces.
    pub(crate) time: u16,
    /// The more pips, the smaller.
    few_pips: u8,
}

/// Returns the rank of `nodes` for a player that already has `economy`.
pub(crate) fn rank<const N: usize>(
    island: &Island,
    economy: &Economy,
    nodes: [Node; N],
) -> SettlementRank {
    let settled =
        nodes.iter().fold(*economy, |economy, &node| economy.with_settlement(island, node));
    let pips: u8 = nodes.iter().map(|&node| island.pips(node)).sum();
    SettlementRank { time: settled.building_time(MOST_THROWS), few_pips: u8::MAX - pips }
}

/// All pairs of nodes of a map that are far enough apart, best first.
pub(crate) struct SettlementPairs(Vec<(SettlementRank, [Node; 2])>);

thread_local! {
    /// The pairs of the map of the last game. They are a function of the map, which many games
    /// share.
    static LAST: RefCell<Option<(Map, Rc<SettlementPairs>)>> = const { RefCell::new(None) };
}

impl SettlementPairs {
    pub(crate) fn of(island: &Island) -> Rc<Self> {
        LAST.with_borrow_mut(|last| match last {
            Some((map, pairs)) if map == island.map() => Rc::clone(pairs),
            _ => Rc::clone(&last.insert((*island.map(), Rc::new(Self::ranked(island)))).1),
        })
    }

    fn ranked(island: &Island) -> Self {
        let mut pairs = Vec::new();
        for (idx, &one) in Node::ALL.iter().enumerate() {
            let far = |other: &&Node| !one.near().contains(**other);
            for &other in Node::ALL[idx + 1..].iter().filter(far) {
                pairs.push((rank(island, &Economy::NONE, [one, other]), [one, other]));
            }
        }
        pairs.sort_unstable();
        Self(pairs)
    }

    /// Returns the pairs whose nodes are both open, best first, as far as they take at most `slack`
    /// throws more than the best.
    pub(crate) fn open(
        &self,
        open: NodeSet,
        slack: u16,
    ) -> impl Iterator<Item = [Node; 2]> + Clone + '_ {
        let is_open = move |(_, nodes): &&(SettlementRank, [Node; 2])| {
            nodes.iter().all(|&n| open.contains(n))
        };
        let pairs = self.0.iter().filter(is_open);
        let most = pairs.clone().next().map_or(0, |(best, _)| best.time.saturating_add(slack));
        pairs.take_while(move |(rank, _)| rank.time <= most).map(|(_, nodes)| *nodes)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn time(island: &Island, nodes: [Node; 2]) -> u16 {
        rank(island, &Economy::NONE, nodes).time
    }

    proptest! {
        /// On any board, the pairs are exactly the pairs that are open, far enough apart and fast
        /// enough.
        #[test]
        fn open_pairs_are_those_of_a_search(
            closed in prop::collection::vec(0..Node::COUNT, 0..40),
            slack in 0_u16..30,
        ) {
            let island = Island::new(Map::RULEBOOK);
            let is_open = |node: &&Node| !closed.contains(&node.index());
            let nodes: Vec<Node> = Node::ALL.iter().filter(is_open).copied().collect();
            let open: NodeSet = nodes.iter().copied().collect();
            let pairs = nodes.iter().flat_map(|&one| nodes.iter().map(move |&other| [one, other]));
            let far = |pair: &[Node; 2]| pair[0] < pair[1] && !pair[0].near().contains(pair[1]);
            let pairs: Vec<_> = pairs.filter(far).collect();
            let best = pairs.iter().map(|&pair| time(&island, pair)).min();
            let fits = |pair: &[Node; 2]| {
                best.is_some_and(|best| time(&island, *pair) <= best + slack)
            };
            let expected: BTreeSet<_> = pairs.into_iter().filter(fits).collect();

            let found: Vec<_> = SettlementPairs::of(&island).open(open, slack).collect();
            prop_assert_eq!(found.first().map(|&pair| time(&island, pair)), best);
            prop_assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
        }
    }
}
