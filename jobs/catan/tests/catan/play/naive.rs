//! Checks legal actions against the rules in their plainest form.

use std::collections::BTreeSet;

use hatchery_catan::map::Port;
use hatchery_catan::players::Player;
use hatchery_catan::rules::{
    Action, CARD_COST, CITY_COST, ChanceOutcome, DevelopmentCard, DevelopmentCards, GamePhase,
    GameState, Island, OfferAnswer, ROAD_COST, SETTLEMENT_COST, Seat,
};
use hatchery_catan::{Edge, Hex, Node, Resource, ResourceCards};
use proptest::prelude::{ProptestConfig, any, proptest};

use super::{TURN_CAP, deal, log, owner};
use crate::haggler::Haggler;

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(40)
    })]

    #[test]
    fn options_are_those_of_the_plain_rules(game in any::<u32>()) {
        check(Haggler, game);
    }
}

fn check<P: Player + Copy>(player: P, game: u32) {
    let (island, streams) = deal("naive", u64::from(game));
    let (_, log) = log(player, &island, streams, TURN_CAP);
    let universe = universe();
    let (mut bought, mut has_played) = (DevelopmentCards::NONE, false);
    for (state, step) in log {
        let rules = PlainRules { island: &island, state, bought, has_played };
        let expected: BTreeSet<Action> =
            universe.iter().copied().filter(|action| rules.allows(*action)).collect();
        let legal = state.legal_actions();
        assert_eq!(legal.iter().collect::<BTreeSet<_>>(), expected, "{:?}", state.phase());
        assert_eq!(legal.len() as usize, expected.len(), "each action once");
        for (index, action) in (0..).zip(legal.iter()) {
            assert_eq!(legal.get(index), Some(action));
            assert!(legal.contains(action));
        }
        assert_eq!(legal.get(legal.len()), None);
        match (step.action, step.outcome) {
            (Action::EndTurn, _) => (bought, has_played) = (DevelopmentCards::NONE, false),
            (Action::BuyCard, ChanceOutcome::Card(card)) => bought.0[card.index()] += 1,
            (
                Action::Knight
                | Action::RoadBuilding
                | Action::YearOfPlenty(..)
                | Action::Monopoly(_),
                _,
            ) => has_played = true,
            _ => {}
        }
    }
}

/// Returns all actions except offers and counter-offers.
fn universe() -> Vec<Action> {
    use Action::{Accept, BuyCard, Decline, EndTurn, Knight, RoadBuilding, Roll, Withdraw};
    let mut all = vec![Roll, EndTurn, BuyCard, Knight, RoadBuilding, Accept, Decline, Withdraw];
    all.extend(Node::ALL.map(Action::Settlement));
    all.extend(Node::ALL.map(Action::City));
    all.extend(Edge::ALL.map(Action::Road));
    all.extend(Seat::ALL.map(Action::TradeWith));
    for hex in Hex::ALL {
        all.push(Action::Robber(hex, None));
        all.extend(Seat::ALL.map(|seat| Action::Robber(hex, Some(seat))));
    }
    for one in Resource::ALL {
        all.push(Action::Discard(one));
        all.push(Action::Monopoly(one));
        all.extend(Resource::ALL.map(|other| Action::YearOfPlenty(one, other)));
        all.extend(Resource::ALL.map(|other| Action::Maritime { give: one, take: other }));
    }
    all
}

/// The plain rules at a state, with facts about the turn from its log.
struct PlainRules<'a> {
    island: &'a Island,
    state: GameState,
    bought: DevelopmentCards,
    has_played: bool,
}

impl PlainRules<'_> {
    fn allows(&self, action: Action) -> bool {
        let state = &self.state;
        let (me, phase) = (state.actor(), state.phase());
        let hand = state.hand(me);
        let is_main = phase == GamePhase::Main;
        let is_turn = is_main || phase == GamePhase::Start;
        match action {
            Action::Roll => phase == GamePhase::Start,
            Action::EndTurn => is_main,
            Action::Settlement(node) => match phase {
                GamePhase::SetupSettlement => self.keeps_distance(node),
                GamePhase::Main => {
                    hand.covers(SETTLEMENT_COST)
                        && state.settlements(me).count() < 5
                        && self.keeps_distance(node)
                        && node.edges().iter().any(|edge| state.roads(me).contains(*edge))
                }
                _ => false,
            },
            Action::City(node) => {
                is_main
                    && hand.covers(CITY_COST)
                    && state.cities(me).count() < 4
                    && state.settlements(me).contains(node)
            }
            Action::Road(edge) => match phase {
                GamePhase::SetupRoad(node) => node.edges().contains(&edge),
                GamePhase::FreeRoads(_) => self.reaches(edge),
                GamePhase::Main => hand.covers(ROAD_COST) && self.has_road() && self.reaches(edge),
                _ => false,
            },
            Action::BuyCard => is_main && hand.covers(CARD_COST) && state.deck().total() != 0,
            Action::Knight => is_turn && self.plays(DevelopmentCard::Knight),
            Action::RoadBuilding => {
                let has_place = Edge::ALL.into_iter().any(|edge| self.reaches(edge));
                is_turn && self.plays(DevelopmentCard::RoadBuilding) && self.has_road() && has_place
            }
            Action::YearOfPlenty(one, other) => {
                let wanted = ResourceCards::of(one, 1).plus(ResourceCards::of(other, 1));
                let is_stocked = state.bank().covers(wanted);
                is_turn && one <= other && is_stocked && self.plays(DevelopmentCard::YearOfPlenty)
            }
            Action::Monopoly(_) => is_turn && self.plays(DevelopmentCard::Monopoly),
            Action::Discard(resource) => phase == GamePhase::Discard && hand.count(resource) != 0,
            Action::Robber(hex, victim) => phase == GamePhase::Robber && self.may_rob(hex, victim),
            Action::Maritime { give, take } => {
                let is_affordable = self.rate(give) <= hand.count(give);
                is_main && give != take && is_affordable && state.bank().count(take) != 0
            }
            Action::Accept => {
                let asked = state.offered().map(|trade| trade.take);
                phase == GamePhase::Answer && asked.is_some_and(|cards| hand.covers(cards))
            }
            Action::Decline => phase == GamePhase::Answer,
            Action::Withdraw => phase == GamePhase::Choose,
            Action::TradeWith(seat) => phase == GamePhase::Choose && self.would_trade(seat),
            Action::Offer(_) | Action::Counter(_) => false,
        }
    }

    fn keeps_distance(&self, node: Node) -> bool {
        let is_free = |node: &Node| owner(&self.state, *node).is_none();
        is_free(&node) && node.neighbors().iter().all(is_free)
    }

    fn has_road(&self) -> bool {
        self.state.roads(self.state.actor()).count() < 15
    }

    /// Returns true if the edge is free and continues from a building or road, but not through an
    /// opponent's building.
    fn reaches(&self, edge: Edge) -> bool {
        let me = self.state.actor();
        let is_free = Seat::ALL.iter().all(|seat| !self.state.roads(*seat).contains(edge));
        let goes_on = |node: Node| match owner(&self.state, node) {
            Some(owner) => owner == me,
            None => node.edges().iter().any(|other| self.state.roads(me).contains(*other)),
        };
        is_free && edge.nodes().into_iter().any(goes_on)
    }

    fn plays(&self, card: DevelopmentCard) -> bool {
        let old = self.state.cards(self.state.actor()).count(card) - self.bought.count(card);
        !self.has_played && old != 0
    }

    fn may_rob(&self, hex: Hex, victim: Option<Seat>) -> bool {
        let me = self.state.actor();
        let owners: Vec<Seat> =
            hex.nodes().iter().filter_map(|node| owner(&self.state, *node)).collect();
        let fits = match victim {
            Some(seat) => seat != me && owners.contains(&seat),
            None => owners.iter().all(|owner| *owner == me),
        };
        hex != self.state.robber() && fits
    }

    fn rate(&self, give: Resource) -> u8 {
        let me = self.state.actor();
        let own = Node::ALL.into_iter().filter(|node| owner(&self.state, *node) == Some(me));
        let ports: Vec<Port> = own.filter_map(|node| self.island.port(node)).collect();
        if ports.contains(&Port::Special(give)) {
            2
        } else if ports.contains(&Port::Generic) {
            3
        } else {
            4
        }
    }

    fn would_trade(&self, seat: Seat) -> bool {
        let mine = self.state.hand(self.state.current_seat());
        match self.state.answer(seat) {
            OfferAnswer::Accepted => true,
            OfferAnswer::Countered(terms) => mine.covers(terms.take),
            OfferAnswer::NotAsked | OfferAnswer::Asked | OfferAnswer::Declined => false,
        }
    }
}
