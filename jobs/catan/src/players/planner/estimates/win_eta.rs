//! Win game estimates: the number of throws of the dice until a player could have won.

use crate::board::NodeSet;
use crate::resource::ResourceCards;
use crate::rules::{
    CARD_COST, CITY_COST, Island, LARGEST_ARMY_MINIMUM, ROAD_COST, SETTLEMENT_COST, Seat,
};

use super::building_speed::{Economy, LIMIT};
use super::road_reach::{MAX_ROADS, RoadExtension, RoadReach};
use super::view::PlayerView;

/// Throws that are added when nothing can gain more points.
const NEVER: u16 = 500;

/// The inputs of a player's estimated time to victory. Hands are not among them: everything is paid
/// from income.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WinEta {
    pub(crate) economy: Economy,
    pub(crate) points: u8,
    points_to_win: u8,
    settlements_left: u8,
    cities_left: u8,
    /// Settlements that may become cities.
    settlements: NodeSet,
    /// Nodes for settlements, by the number of roads missing to them.
    spots: [NodeSet; MAX_ROADS + 1],
    /// Roads missing to the longest road; none if it is out of reach, or if the player has it.
    roads_to_longest: Option<u8>,
    /// Knights missing to the largest army; none if the player has it.
    knights_to_army: Option<u8>,
}

/// One thing to build, and the estimate after it.
#[derive(Clone, Copy)]
struct BuildStep {
    throws: u16,
    after: WinEta,
}

impl WinEta {
    pub(crate) fn of(view: PlayerView<'_>, seat: Seat) -> Self {
        Self {
            economy: view.economy(seat),
            points: view.points(seat),
            points_to_win: view.points_to_win(),
            settlements_left: view.state.settlements_left(seat),
            cities_left: view.state.cities_left(seat),
            settlements: view.state.settlements(seat),
            spots: RoadReach::of(view, seat).spots(),
            roads_to_longest: RoadExtension::of(view, seat).map(|extension| extension.n_roads),
            knights_to_army: knights_to_army(view, seat),
        }
    }

    /// Returns the number of throws until the player could have won if nobody hindered it. The
    /// player repeatedly takes the fastest step: two settlements, two cities, a settlement and a
    /// city in either order, the longest road, or the largest army. Each step is paid from an empty
    /// hand. The last point comes from whatever is fastest.
    pub(crate) fn throws_to_win(mut self, island: &Island) -> u16 {
        let mut total: u16 = 0;
        while self.points < self.points_to_win {
            let Some(step) = self.fastest(island) else {
                return total.saturating_add(NEVER);
            };
            total = total.saturating_add(step.throws);
            self = step.after;
        }
        total
    }

    fn fastest(&self, island: &Island) -> Option<BuildStep> {
        let settlement = self.settlement(island);
        let city = self.city(island);
        let awards = [self.longest_road(), self.largest_army()];
        let is_last = self.points_to_win <= self.points + 1;
        let buildings = if is_last {
            [settlement, city, None, None]
        } else {
            let then = |first: Option<BuildStep>, next: fn(&Self, &Island) -> Option<BuildStep>| {
                let first = first?;
                let second = next(&first.after, island)?;
                Some(BuildStep { throws: first.throws + second.throws, after: second.after })
            };
            [
                then(settlement, Self::settlement),
                then(settlement, Self::city),
                then(city, Self::settlement),
                then(city, Self::city),
            ]
        };
        let fastest = buildings.into_iter().chain(awards).flatten().min_by_key(|step| step.throws);
        // A single building if no second can follow.
        fastest.or(settlement).or(city)
    }

    fn settlement(&self, island: &Island) -> Option<BuildStep> {
        if self.settlements_left == 0 {
            return None;
        }
        let n_roads = self.spots.iter().position(|spots| !spots.is_empty())?;
        let node = self.spots[n_roads].max_by_key(|node| island.pips(*node))?;
        let cost = with_roads(SETTLEMENT_COST, n_roads);
        let mut after = *self;
        after.points += 1;
        after.settlements_left -= 1;
        after.settlements = after.settlements.with(node);
        after.spots = after.spots.map(|spots| spots.minus(node.near()));
        after.economy = after.economy.with_settlement(island, node);
        Some(BuildStep { throws: self.economy.throws(ResourceCards::NONE, cost, LIMIT), after })
    }

    fn city(&self, island: &Island) -> Option<BuildStep> {
        if self.cities_left == 0 {
            return None;
        }
        let node = self.settlements.max_by_key(|node| island.pips(*node))?;
        let mut after = *self;
        after.points += 1;
        after.cities_left -= 1;
        after.settlements_left += 1;
        after.settlements = after.settlements.without(node);
        after.economy = after.economy.with_city(island, node);
        Some(BuildStep {
            throws: self.economy.throws(ResourceCards::NONE, CITY_COST, LIMIT),
            after,
        })
    }

    fn longest_road(&self) -> Option<BuildStep> {
        let mut after = *self;
        let n_roads = after.roads_to_longest.take()?;
        after.points += 2;
        let cost = with_roads(ResourceCards::NONE, usize::from(n_roads));
        Some(BuildStep { throws: self.economy.throws(ResourceCards::NONE, cost, LIMIT), after })
    }

    fn largest_army(&self) -> Option<BuildStep> {
        let mut after = *self;
        let n_knights = after.knights_to_army.take()?;
        after.points += 2;
        Some(BuildStep { throws: army_throws(&self.economy, n_knights), after })
    }
}

/// Returns the number of throws until this many knights are bought and played.
pub(crate) fn army_throws(economy: &Economy, n_knights: u8) -> u16 {
    (economy.throws(ResourceCards::NONE, CARD_COST, LIMIT) + 1) * u16::from(n_knights)
}

/// Returns `cost` plus the cost of `n_roads` roads.
pub(crate) fn with_roads(cost: ResourceCards, n_roads: usize) -> ResourceCards {
    (0..n_roads).fold(cost, |cost, _| cost.plus(ROAD_COST))
}

/// Returns the number of knights that `seat` still needs for the largest army; none if it has the
/// largest army or if the deck is too small.
pub(crate) fn knights_to_army(view: PlayerView<'_>, seat: Seat) -> Option<u8> {
    let needed = match view.state.largest_army() {
        Some(holder) if holder == seat => return None,
        Some(holder) => view.state.knights(holder) + 1,
        None => LARGEST_ARMY_MINIMUM,
    };
    let missing = needed.saturating_sub(view.knights(seat));
    (missing <= view.state.deck().total()).then_some(missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Map;
    use crate::board::Node;

    /// A road, a settlement and a card every 9 throws, a city every 18.
    const ECONOMY: Economy = Economy::new([4, 6, 4, 6, 4], [4; 5]);

    /// Two nodes at the tips of the island, each at one hex: sheep on 11 and wood on 9. Neither
    /// makes what is built here any faster.
    fn tips(island: &Island) -> [Node; 2] {
        let tip = |pips: [u8; 5]| {
            let is_tip = |node: &Node| {
                node.hexes().len() == 1
                    && node.port_place().is_none()
                    && island.pips_by_resource(*node) == pips
            };
            Node::ALL.into_iter().find(is_tip).unwrap()
        };
        [tip([0, 0, 2, 0, 0]), tip([0, 0, 0, 0, 4])]
    }

    fn win_eta(points: u8) -> WinEta {
        WinEta {
            economy: ECONOMY,
            points,
            points_to_win: 10,
            settlements_left: 5,
            cities_left: 4,
            settlements: NodeSet::EMPTY,
            spots: [NodeSet::EMPTY; MAX_ROADS + 1],
            roads_to_longest: None,
            knights_to_army: None,
        }
    }

    #[track_caller]
    fn check(win_eta: WinEta, expected: u16) {
        assert_eq!(win_eta.throws_to_win(&Island::new(Map::RULEBOOK)), expected);
    }

    #[test]
    fn the_last_point_comes_from_what_is_fastest() {
        let island = Island::new(Map::RULEBOOK);
        let spot = NodeSet::of(tips(&island)[0]);
        check(win_eta(10), 0);
        // Nothing at all.
        check(win_eta(9), 500);
        // A city: 3 ore at 6 of 36.
        check(WinEta { settlements: spot, ..win_eta(9) }, 18);
        // A settlement at once, or with a road: 2 brick at 4 of 36.
        let mut near = win_eta(9);
        near.spots[0] = spot;
        check(near, 9);
        let mut far = win_eta(9);
        far.spots[1] = spot;
        check(far, 18);
        // A knight: a card after 9 throws, played in the next turn.
        check(WinEta { knights_to_army: Some(1), ..far }, 10);
        // Three roads: after 24 throws 2 brick and 2 wood, and 4 ore and 4 wheat for the bank.
        check(WinEta { roads_to_longest: Some(3), ..win_eta(9) }, 24);
    }

    #[test]
    fn two_points_are_made_of_two_buildings_or_an_award() {
        let island = Island::new(Map::RULEBOOK);
        let mut start = win_eta(8);
        start.spots[0] = NodeSet::of(tips(&island)[0]);
        // A settlement, then a city in its place.
        check(start, 9 + 18);
        // Two settlements.
        let mut two = start;
        two.spots[0] = two.spots[0].with(tips(&island)[1]);
        check(two, 9 + 9);
        // No pieces for settlements: one city alone, then nothing.
        check(WinEta { settlements_left: 0, ..start }, 500);
        // Two knights: 2 · (9 + 1). Knights that are there already cost nothing.
        check(WinEta { knights_to_army: Some(2), ..start }, 20);
        check(WinEta { knights_to_army: Some(1), ..start }, 10);
        check(WinEta { knights_to_army: Some(0), ..start }, 0);
    }
}
