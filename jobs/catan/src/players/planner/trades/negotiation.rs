//! Trade with other players.

use std::cmp::Reverse;

use crate::players::planner::estimates::building_speed::Economy;
use crate::players::planner::estimates::view::PlayerView;
use crate::players::planner::params::PlannerVariant;
use crate::players::planner::plans::board_cache::BoardCache;
use crate::resource::{Resource, ResourceCards};
use crate::rules::{Action, Seat, SeatSet, Trade, TradeOffer};

use super::trade_side::TradeSide;
use super::turn_memory::TurnMemory;

/// A player with at least this many more points than another gets no trade from it (our own).
const LEAD_WITHOUT_TRADE: u8 = 2;

/// The conditions on which a planner trades.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NegotiationPolicy {
    /// Players that could win in fewer throws get no trade.
    pub(crate) wary_below: u16,
    /// The variant as which other players are modelled: the own one.
    pub(crate) variant: PlannerVariant,
}

impl NegotiationPolicy {
    /// Returns true if `seat` gets no trade from `me`: it is too far ahead, or near to victory.
    fn refuses(self, view: PlayerView<'_>, cache: &mut BoardCache, me: Seat, seat: Seat) -> bool {
        view.points(me) + LEAD_WITHOUT_TRADE <= view.points(seat)
            || cache.throws_to_win(view, seat) < self.wary_below
    }

    /// Returns the offer that advances the plan most, among offers that give one or two cards for
    /// one and that at least one other player is expected to accept. The offer goes to all players
    /// that have the card, are not refused, and have not refused such an offer in this turn. Ties
    /// go to fewer cards given, then to the rarer resource requested and the more frequent resource
    /// given.
    pub(crate) fn propose(
        self,
        view: PlayerView<'_>,
        cache: &mut BoardCache,
        me: &TradeSide,
        memory: &TurnMemory,
    ) -> Option<TradeOffer> {
        if me.spare().is_empty() || me.is_ready() || self.refuses(view, cache, me.seat, me.seat) {
            return None;
        }
        let partners = me.seat.others().map(|seat| {
            let is_partner = !self.refuses(view, cache, me.seat, seat);
            if is_partner { TradeSide::model_of(view, cache, seat, self.variant) } else { None }
        });
        let by_income = by_income(&me.economy);
        let mut best: Option<((u16, u8), TradeOffer)> = None;
        for take in by_income {
            let sells =
                |side: &TradeSide| side.hand.count(take) != 0 && !memory.refused(side.seat, take);
            let sellers = partners.map(|side| side.filter(sells));
            for give in possible_gifts(&by_income, me.spare()).filter(|give| give.count(take) == 0)
            {
                let trade = Trade { give, take: ResourceCards::of(take, 1) };
                let key = (me.throws_after(trade), give.total());
                let is_better = best.is_none_or(|(lowest, _)| key < lowest);
                if is_better
                    && !memory.would_undo(trade)
                    && me.beats_bank(trade)
                    && is_likely(trade, me, &sellers)
                {
                    let to = sellers.iter().flatten().map(|side| side.seat);
                    let to = to.fold(SeatSet::NONE, SeatSet::with);
                    best = Some((key, TradeOffer { trade, to }));
                }
            }
        }
        best.map(|(_, offer)| offer)
    }

    /// Returns the answer to the open offer.
    pub(crate) fn answer(
        self,
        view: PlayerView<'_>,
        cache: &mut BoardCache,
        me: &TradeSide,
    ) -> Action {
        let sender = view.state.current_seat();
        let Some(offered) = view.state.offered() else { return Action::Decline };
        if self.refuses(view, cache, me.seat, sender) {
            return Action::Decline;
        }
        let Some(them) = TradeSide::model_of(view, cache, sender, self.variant) else {
            return Action::Decline;
        };
        if me.competes_with(&them) {
            return Action::Decline;
        }
        if me.advances_plan(offered.reversed()) {
            return Action::Accept;
        }
        counter(view, me, &them, offered).map_or(Action::Decline, Action::Counter)
    }
}

/// Returns true if one of the sellers is expected to accept.
fn is_likely(trade: Trade, me: &TradeSide, sellers: &[Option<TradeSide>; 3]) -> bool {
    sellers
        .iter()
        .flatten()
        .any(|side| side.advances_plan(trade.reversed()) && !side.competes_with(me))
}

/// Returns other terms, one card for one: a card that the sender gives, for a card that this side
/// can spare and that the sender is expected to want. Among these it picks the terms that advance
/// the plan most; ties go to the rarer resource taken and the more frequent one given.
fn counter(
    view: PlayerView<'_>,
    me: &TradeSide,
    them: &TradeSide,
    offered: Trade,
) -> Option<Trade> {
    let by_income = by_income(&me.economy);
    let mut best: Option<(u16, Trade)> = None;
    for take in by_income.into_iter().filter(|&resource| offered.give.count(resource) != 0) {
        for give in by_income.into_iter().rev() {
            let terms =
                Trade { give: ResourceCards::of(give, 1), take: ResourceCards::of(take, 1) };
            let is_good = view.state.may_counter(terms)
                && me.advances_plan(terms)
                && them.advances_plan(terms.reversed());
            let throws = me.throws_after(terms);
            if is_good && best.is_none_or(|(lowest, _)| throws < lowest) {
                best = Some((throws, terms));
            }
        }
    }
    best.map(|(_, terms)| terms)
}

/// Returns the trade with the partner whose terms advance the plan most, or a withdrawal if no
/// terms do. Ties go to the partner farthest from victory, then to the one whose turn comes next.
pub(crate) fn choose(view: PlayerView<'_>, cache: &mut BoardCache, me: &TradeSide) -> Action {
    let mut value = |seat: Seat| {
        let terms = view.state.terms_with(seat)?;
        let throws = Reverse(cache.throws_to_win(view, seat));
        me.beats_bank(terms).then_some(((me.throws_after(terms), terms.give.total(), throws), seat))
    };
    let partner = me.seat.others().into_iter().filter_map(&mut value).min_by_key(|(key, _)| *key);
    partner.map_or(Action::Withdraw, |(_, seat)| Action::TradeWith(seat))
}

/// Returns the resources in the order of income, smallest first.
fn by_income(economy: &Economy) -> [Resource; Resource::COUNT] {
    let mut all = Resource::ALL;
    all.sort_by_key(|&resource| economy.income(resource));
    all
}

/// Returns the possible gifts, which are one or two spare cards. Single cards come before pairs,
/// and cards with a larger income come first.
fn possible_gifts(
    by_income: &[Resource; Resource::COUNT],
    spare: ResourceCards,
) -> impl Iterator<Item = ResourceCards> {
    let ones = by_income.map(|resource| ResourceCards::of(resource, 1));
    let single = ones.into_iter().rev();
    let pairs =
        (0..ones.len()).rev().flat_map(move |i| (0..=i).rev().map(move |j| ones[i].plus(ones[j])));
    single.chain(pairs).filter(move |cards| spare.covers(*cards))
}
