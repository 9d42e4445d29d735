//! Trade with other players.

use std::cmp::Reverse;

use crate::resource::{Resource, ResourceCards};
use crate::rules::{Action, Seat, SeatSet, Trade, TradeOffer};

use super::estimate::Economy;
use super::memory::Memory;
use super::side::Side;
use super::survey::Survey;
use super::view::View;

/// How a planner trades.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manners {
    /// Players who could have won after fewer throws get no trade.
    pub(super) wary_below: u16,
}

impl Manners {
    /// Whether a player so near to victory gets no trade.
    fn shuns(self, view: View<'_>, survey: &mut Survey, seat: Seat) -> bool {
        survey.throws_to_win(view, seat) < self.wary_below
    }

    /// The offer of one or two cards for one that brings the plan forward most and that at least one
    /// other is expected to accept. It goes to all who have the card, are not too near to victory,
    /// and have not refused such an offer in this turn. Ties go to fewer cards given, then to the
    /// rarer resource asked and the more frequent given.
    pub(super) fn offer(
        self,
        view: View<'_>,
        survey: &mut Survey,
        me: &Side,
        memory: &Memory,
    ) -> Option<TradeOffer> {
        if me.spare().is_empty() || me.is_ready() || self.shuns(view, survey, me.seat) {
            return None;
        }
        let partners = me.seat.others().map(|seat| {
            let is_partner = !self.shuns(view, survey, seat);
            if is_partner { Side::modelled(view, survey, seat) } else { None }
        });
        let by_income = by_income(&me.economy);
        let mut best: Option<((u16, u8), TradeOffer)> = None;
        for take in by_income {
            let sells =
                |side: &Side| side.hand.count(take) != 0 && !memory.refused(side.seat, take);
            let sellers = partners.map(|side| side.filter(sells));
            for give in gifts(&by_income, me.spare()).filter(|give| give.count(take) == 0) {
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

    /// The answer to the offer on the table.
    pub(super) fn answer(self, view: View<'_>, survey: &mut Survey, me: &Side) -> Action {
        let sender = view.state.current_seat();
        let Some(offered) = view.state.offered() else { return Action::Decline };
        if self.shuns(view, survey, sender) {
            return Action::Decline;
        }
        let Some(them) = Side::modelled(view, survey, sender) else { return Action::Decline };
        if me.races(&them) {
            return Action::Decline;
        }
        if me.gains(offered.reversed()) {
            return Action::Accept;
        }
        counter(view, me, &them, offered).map_or(Action::Decline, Action::Counter)
    }
}

/// Whether one of the sellers is expected to accept.
fn is_likely(trade: Trade, me: &Side, sellers: &[Option<Side>; 3]) -> bool {
    sellers.iter().flatten().any(|side| side.gains(trade.reversed()) && !side.races(me))
}

/// Other terms, one card for one: for something that the sender gives, something that this side can
/// spare and that he is expected to want. Of these the one that brings the plan forward most; ties
/// go to the rarer resource taken and the more frequent given.
fn counter(view: View<'_>, me: &Side, them: &Side, offered: Trade) -> Option<Trade> {
    let by_income = by_income(&me.economy);
    let mut best: Option<(u16, Trade)> = None;
    for take in by_income.into_iter().filter(|&resource| offered.give.count(resource) != 0) {
        for give in by_income.into_iter().rev() {
            let terms =
                Trade { give: ResourceCards::of(give, 1), take: ResourceCards::of(take, 1) };
            let is_good =
                view.state.may_counter(terms) && me.gains(terms) && them.gains(terms.reversed());
            let throws = me.throws_after(terms);
            if is_good && best.is_none_or(|(lowest, _)| throws < lowest) {
                best = Some((throws, terms));
            }
        }
    }
    best.map(|(_, terms)| terms)
}

/// The partner whose terms bring the plan forward most, if any do; ties go to the one farthest from
/// victory, then to the one whose turn comes next.
pub(super) fn choose(view: View<'_>, survey: &mut Survey, me: &Side) -> Action {
    let mut worth = |seat: Seat| {
        let terms = view.state.terms_with(seat)?;
        let throws = Reverse(survey.throws_to_win(view, seat));
        me.beats_bank(terms).then_some(((me.throws_after(terms), terms.give.total(), throws), seat))
    };
    let partner = me.seat.others().into_iter().filter_map(&mut worth).min_by_key(|(key, _)| *key);
    partner.map_or(Action::Withdraw, |(_, seat)| Action::TradeWith(seat))
}

/// The resources, that of the smallest income first.
fn by_income(economy: &Economy) -> [Resource; Resource::COUNT] {
    let mut all = Resource::ALL;
    all.sort_by_key(|&resource| economy.income(resource));
    all
}

/// One or two of the spare cards, single cards first, those of the largest income first.
fn gifts(
    by_income: &[Resource; Resource::COUNT],
    spare: ResourceCards,
) -> impl Iterator<Item = ResourceCards> {
    let ones = by_income.map(|resource| ResourceCards::of(resource, 1));
    let single = ones.into_iter().rev();
    let pairs =
        (0..ones.len()).rev().flat_map(move |i| (0..=i).rev().map(move |j| ones[i].plus(ones[j])));
    single.chain(pairs).filter(move |cards| spare.covers(*cards))
}
