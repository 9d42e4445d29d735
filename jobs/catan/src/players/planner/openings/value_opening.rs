//! The first settlements and roads, by the value player's score.
//!
//! A planner corrects the score of a settlement for what a planner needs more than a value player
//! does: ore and wheat, and a balance among the resources.

use crate::Resource;
use crate::board::{Edge, Node};
use crate::players::planner::estimates::view::PlayerView;
use crate::players::value::ActionEvaluator;
use crate::rules::Action;
use crate::streams::FastRng;

use super::settlement_pairs::MOST_THROWS;

/// Hundredths of a point per point.
const HUNDREDTHS: f64 = 100.0;

/// The points that a planner adds to the value player's score of a place for each pip of these
/// resources (our own): ore and wheat make cities and cards; brick and wood can be traded for.
const ORE_OR_WHEAT_PIP: f64 = 0.025;
const BRICK_OR_WOOD_PIP: f64 = -0.01;

/// The points that a planner adds for each throw until every kind of piece is paid for (our own).
const POINTS_PER_THROW: f64 = -0.005;

/// Returns the open node with the highest score; ties go to the lower number. With `slack`, any
/// node whose score is at most that many hundredths of a point lower is drawn at random.
pub(crate) fn settlement(view: PlayerView<'_>, slack: u16, stream: &mut FastRng) -> Option<Node> {
    let evaluator = ActionEvaluator::of(view.island, view.state);
    let economy = view.economy(view.state.actor());
    let score = |node: Node| {
        let settled = economy.with_settlement(view.island, node);
        evaluator.value_after(Action::Settlement(node))
            + resource_correction(view, node)
            + POINTS_PER_THROW * f64::from(settled.building_time(MOST_THROWS))
    };
    let scores: Vec<(f64, Node)> =
        view.state.open_nodes().map(|node| (score(node), node)).collect();
    let highest = scores.iter().map(|(score, _)| *score).fold(f64::NEG_INFINITY, f64::max);
    let least = highest - f64::from(slack) / HUNDREDTHS;
    let mut nodes = scores.iter().filter(|(score, _)| least <= *score).map(|(_, node)| *node);
    if slack == 0 {
        return nodes.next();
    }
    let count = u32::try_from(nodes.clone().count()).expect("54 nodes");
    if count == 0 { None } else { nodes.nth(stream.below(count) as usize) }
}

/// Returns the road from `node` with the highest score; ties go to the lower number.
pub(crate) fn road(view: PlayerView<'_>, node: Node) -> Option<Edge> {
    let evaluator = ActionEvaluator::of(view.island, view.state);
    let mut best: Option<(f64, Edge)> = None;
    for edge in node.edge_set() {
        let score = evaluator.value_after(Action::Road(edge));
        if best.is_none_or(|(highest, _)| highest < score) {
            best = Some((score, edge));
        }
    }
    best.map(|(_, edge)| edge)
}

/// Returns what the resources of a place add to its score.
fn resource_correction(view: PlayerView<'_>, node: Node) -> f64 {
    let pips = view.island.pips_by_resource(node);
    let weight = |resource: Resource| match resource {
        Resource::Ore | Resource::Wheat => ORE_OR_WHEAT_PIP,
        Resource::Brick | Resource::Wood => BRICK_OR_WOOD_PIP,
        Resource::Sheep => 0.0,
    };
    Resource::ALL.iter().map(|&resource| weight(resource) * f64::from(pips[resource.index()])).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hatchery_core::RunSeed;

    use super::*;
    use crate::Map;
    use crate::rules::{GameState, Island, Seat};

    fn first_nodes(slack: u16) -> BTreeSet<Node> {
        let island = Island::new(Map::RULEBOOK);
        let state = GameState::new(&island);
        let view = PlayerView::of_all_hands(&island, &state, Seat::First);
        let mut seed = RunSeed::new("value opening", 1).generation(0).stream("a");
        let mut stream = FastRng::seeded_by(&mut seed);
        (0..1_000).filter_map(|_| settlement(view, slack, &mut stream)).collect()
    }

    #[test]
    fn slack_adds_nodes_that_are_nearly_as_good() {
        let choices = [0, 16, 64, 1_000].map(first_nodes);
        assert_eq!(choices[0].len(), 1);
        assert!(choices.windows(2).all(|pair| pair[0].is_subset(&pair[1])));
        // Ten points are more than any place is worth.
        assert_eq!(choices[3].len(), Node::COUNT);
        assert!(choices[1].len() < choices[2].len());
    }

    #[test]
    fn roads_begin_at_the_settlement() {
        let island = Island::new(Map::RULEBOOK);
        let mut state = GameState::new(&island);
        let node = *first_nodes(0).first().unwrap();
        let outcome = crate::rules::ChanceOutcome::Certain;
        state.apply(&island, crate::rules::GameMove { action: Action::Settlement(node), outcome });
        let view = PlayerView::of_all_hands(&island, &state, Seat::First);
        assert!(node.edges().contains(&road(view, node).unwrap()));
    }
}
