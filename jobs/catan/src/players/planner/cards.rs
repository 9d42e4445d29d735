//! Development cards, discards, and trade with the bank.

use std::cmp::Reverse;

use crate::board::Edge;
use crate::resource::{Resource, ResourceCards};
use crate::rules::{Action, DevelopmentCard, HAND_LIMIT, LegalActions, ROAD_COST, Seat};

use super::estimates::building_speed::Economy;
use super::estimates::view::PlayerView;
use super::estimates::win_eta::knights_to_army;
use super::plans::build_goal::BuildPlan;
use super::robber::touches;

/// A monopoly must bring more cards than this. Cards to be exchanged at the bank count as the cards
/// that they are exchanged for.
const MONOPOLY_MINIMUM: u8 = 2;

/// Returns true if a knight should be played before the roll: the robber is on one of the player's
/// hexes.
pub(super) fn plays_knight_early(view: PlayerView<'_>, me: Seat) -> bool {
    view.state.is_playable(DevelopmentCard::Knight) && touches(view, me, view.state.robber())
}

/// Returns the development card to play after the roll:
///
/// - a knight if those in hand are enough for the largest army
/// - road building for a plan with two roads, or with one that cannot be paid
/// - year of plenty if the plan lacks at least two cards
/// - monopoly of the resource that brings most, if that is more than two cards
pub(super) fn development(
    view: PlayerView<'_>,
    me: Seat,
    plan: &BuildPlan,
    legal: &LegalActions,
) -> Option<Action> {
    let hand = view.state.hand(me);
    let economy = view.economy(me);
    let missing = plan.goal.cost().minus(hand);
    if legal.contains(Action::Knight) && knights_to_army(view, me) == Some(0) {
        return Some(Action::Knight);
    }
    let n_roads = plan.goal.n_roads();
    let builds_roads = 2 <= n_roads || (n_roads == 1 && !hand.covers(ROAD_COST));
    if builds_roads && legal.contains(Action::RoadBuilding) {
        return Some(Action::RoadBuilding);
    }
    if view.state.is_playable(DevelopmentCard::YearOfPlenty) && 2 <= missing.total() {
        let rarest = |cards: ResourceCards| {
            let lacking =
                Resource::ALL.into_iter().filter(move |&resource| cards.count(resource) != 0);
            lacking.min_by_key(|&resource| economy.income(resource))
        };
        if let Some(one) = rarest(missing)
            && let Some(two) = rarest(missing.minus(ResourceCards::of(one, 1)))
        {
            let action = Action::YearOfPlenty(one.min(two), one.max(two));
            if legal.contains(action) {
                return Some(action);
            }
        }
    }
    let gain = |resource: Resource| {
        // Nothing hidden: the sum follows from the bank.
        let theirs: u8 =
            me.others().iter().map(|&seat| view.state.hand(seat).count(resource)).sum();
        let needed = theirs.min(missing.count(resource));
        needed + (theirs - needed) / economy.rate(resource)
    };
    let best =
        Resource::ALL.into_iter().max_by_key(|&resource| (gain(resource), Reverse(resource)))?;
    let action = Action::Monopoly(best);
    (MONOPOLY_MINIMUM < gain(best) && legal.contains(action)).then_some(action)
}

/// Returns the card to discard after a 7: among the cards that the plan does not need, or else
/// among all, one of the resource with the largest income. Ties go to the resource with the most
/// cards, then to the earlier one.
pub(super) fn discard(view: PlayerView<'_>, me: Seat, plan: Option<&BuildPlan>) -> Option<Action> {
    let hand = view.state.hand(me);
    let economy = view.economy(me);
    let spare = plan.map_or(hand, |plan| hand.minus(plan.goal.cost()));
    let from = if spare.is_empty() { hand } else { spare };
    let held = Resource::ALL.into_iter().filter(|&resource| from.count(resource) != 0);
    let key =
        |&resource: &Resource| (economy.income(resource), from.count(resource), Reverse(resource));
    held.max_by_key(key).map(Action::Discard)
}

/// Returns the next trade with the bank, of cards that the plan does not need. The player trades if
/// such trades pay for the plan's first piece now, or if the hand is so large that a 7 would cost
/// half the hand.
pub(super) fn maritime(
    view: PlayerView<'_>,
    me: Seat,
    plan: &BuildPlan,
    legal: &LegalActions,
) -> Option<Action> {
    let hand = view.state.hand(me);
    let economy = view.economy(me);
    let (piece, whole) = (plan.goal.first_piece_cost(), plan.goal.cost());
    let lacking = if hand.covers(piece) { whole } else { piece };
    if lacking == whole && hand.covers(whole) {
        return None;
    }
    let is_enough = swaps(&economy, hand.minus(whole)) >= lacking.minus(hand).total();
    if !is_enough && hand.total() <= HAND_LIMIT {
        return None;
    }
    bank_swap(&economy, hand, whole, lacking)
        .map(|(give, take)| Action::Maritime { give, take })
        .filter(|action| legal.contains(*action))
}

/// Returns the next exchange with the bank, as resources given and taken: spare cards at the best
/// rate, then of the largest income, for the missing resource with the smallest income.
fn bank_swap(
    economy: &Economy,
    hand: ResourceCards,
    keep: ResourceCards,
    lacking: ResourceCards,
) -> Option<(Resource, Resource)> {
    let spare = hand.minus(keep);
    let missing = lacking.minus(hand);
    let pays = |resource: &Resource| economy.rate(*resource) <= spare.count(*resource);
    let key = |resource: &Resource| (economy.rate(*resource), Reverse(economy.income(*resource)));
    let give = Resource::ALL.into_iter().filter(pays).min_by_key(key)?;
    let lacks = |resource: &Resource| missing.count(*resource) != 0;
    let take = Resource::ALL.into_iter().filter(lacks).min_by_key(|&r| economy.income(r))?;
    Some((give, take))
}

/// Returns the number of cards that the bank gives for `spare`.
pub(super) fn swaps(economy: &Economy, spare: ResourceCards) -> u8 {
    Resource::ALL.iter().map(|&resource| spare.count(resource) / economy.rate(resource)).sum()
}

/// Returns the number of cards that the bank keeps when it fills the gaps between `hand` and
/// `cost`, at best.
pub(super) fn bank_loss(economy: &Economy, mut hand: ResourceCards, cost: ResourceCards) -> u8 {
    let before = hand.total();
    while let Some((give, take)) = bank_swap(economy, hand, cost, cost) {
        hand = hand
            .minus(ResourceCards::of(give, economy.rate(give)))
            .plus(ResourceCards::of(take, 1));
    }
    before - hand.total()
}

/// Returns the free road: the plan's, or else `fallback`, or else the first that the rules allow.
pub(super) fn free_road(
    plan: Option<&BuildPlan>,
    fallback: Option<Edge>,
    legal: &LegalActions,
) -> Option<Edge> {
    let planned = plan.and_then(|plan| match plan.goal.first_piece() {
        Action::Road(edge) => Some(edge),
        _ => None,
    });
    let roads = legal.roads();
    planned.or(fallback).filter(|edge| roads.contains(*edge)).or_else(|| roads.first())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::CITY_COST;

    /// Ore is the most frequent, brick and wood have 2:1 and 3:1.
    const ECONOMY: Economy = Economy::new([2, 9, 4, 6, 0], [2, 4, 4, 4, 3]);

    #[test]
    fn the_bank_fills_gaps_at_the_best_rate() {
        let swap = |hand| bank_swap(&ECONOMY, ResourceCards(hand), CITY_COST, CITY_COST);
        // Brick at 2:1 before wood at 3:1, and wheat, which comes less often than ore.
        assert_eq!(swap([2, 2, 0, 1, 3]), Some((Resource::Brick, Resource::Wheat)));
        assert_eq!(swap([1, 2, 0, 2, 3]), Some((Resource::Wood, Resource::Ore)));
        // Cards that the city needs stay: two wheat of five are needed, three are not enough for
        // 4:1.
        assert_eq!(swap([1, 2, 0, 5, 2]), None);
        assert_eq!(swap([2, 3, 0, 2, 3]), None);
    }

    #[test]
    fn the_loss_is_what_the_bank_keeps() {
        let loss = |hand| bank_loss(&ECONOMY, ResourceCards(hand), CITY_COST);
        assert_eq!(loss([0, 3, 0, 2, 9]), 0);
        assert_eq!(loss([2, 2, 0, 1, 3]), 1 + 2);
        assert_eq!(swaps(&ECONOMY, ResourceCards([5, 4, 3, 8, 3])), 2 + 1 + 2 + 1);
    }
}
