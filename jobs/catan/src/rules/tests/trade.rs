//! Trade among players. `D001` is a case in which engines were found to differ (Catanatron, pull
//! request 387).

use super::Table;
use crate::resource::Cards;
use crate::rules::action::{Action, Outcome};
use crate::rules::seat::Seat::{self, First, Fourth, Second, Third};
use crate::rules::seat::Seats;
use crate::rules::state::Phase;
use crate::rules::trade::{Answer, Offer, Trade};

const BRICK: Cards = Cards([1, 0, 0, 0, 0]);
const ORE: Cards = Cards([0, 1, 0, 0, 0]);
const SHEEP: Cards = Cards([0, 0, 1, 0, 0]);

fn offer(give: Cards, take: Cards) -> Offer {
    Offer { trade: Trade { give, take }, to: Seats::all_but(First) }
}

/// The first seat has a brick, the others have an ore and a sheep each.
fn market() -> Table {
    let mut table = Table::new();
    table.hand(First, BRICK.0);
    for seat in First.others() {
        table.hand(seat, [0, 1, 1, 0, 0]);
    }
    table
}

#[test]
fn d001_the_proposer_is_never_asked() {
    let mut table = market();
    table.act(Action::Offer(offer(BRICK, ORE)));
    for seat in [Second, Third, Fourth] {
        assert_eq!((table.state.phase(), table.state.actor()), (Phase::Answer, seat));
        table.act(Action::Decline);
    }
    assert_eq!((table.state.phase(), table.state.actor()), (Phase::Main, First));
    assert_eq!(table.state.offered(), None);
}

#[test]
fn all_answer_before_the_proposer_chooses() {
    let mut table = market();
    table.act(Action::Offer(offer(BRICK, ORE)));
    table.act(Action::Accept);
    table.act(Action::Decline);
    table.act(Action::Accept);
    assert_eq!((table.state.phase(), table.state.actor()), (Phase::Choose, First));
    let options: Vec<Action> = table.state.options().iter().collect();
    assert_eq!(options, [Action::Withdraw, Action::TradeWith(Second), Action::TradeWith(Fourth)]);
    table.act(Action::TradeWith(Fourth));
    assert_eq!(table.state.hand(First), ORE);
    assert_eq!(table.state.hand(Second), ORE.plus(SHEEP));
    assert_eq!(table.state.hand(Fourth), BRICK.plus(SHEEP));
    assert_eq!(table.state.phase(), Phase::Main);
    assert_eq!(table.state.answer(Second), Answer::NotAsked);
}

#[test]
fn who_lacks_the_cards_cannot_accept() {
    let mut table = market();
    table.act(Action::Offer(offer(BRICK, ORE.plus(ORE))));
    assert!(!table.state.allows(Action::Accept));
    assert!(table.state.allows(Action::Decline));
}

#[test]
fn only_those_asked_answer() {
    let mut table = market();
    let to = Seats::NONE.with(Third);
    table.act(Action::Offer(Offer { to, ..offer(BRICK, ORE) }));
    assert_eq!(table.state.actor(), Third);
    table.act(Action::Accept);
    assert!(!table.state.allows(Action::TradeWith(Second)));
    table.act(Action::Withdraw);
    assert_eq!(table.state.hand(First), BRICK);
}

#[test]
fn counter_offers_are_terms_of_the_one_who_answers() {
    let mut table = market();
    table.act(Action::Offer(offer(BRICK, ORE)));
    let terms = Trade { give: SHEEP, take: BRICK };
    table.act(Action::Counter(terms));
    // This one asks for more than the proposer has.
    table.act(Action::Counter(Trade { give: SHEEP, take: BRICK.plus(BRICK) }));
    table.act(Action::Decline);
    assert_eq!(table.state.terms_with(Second), Some(terms.reversed()));
    assert_eq!(table.state.terms_with(Third), None);
    table.act(Action::TradeWith(Second));
    assert_eq!(table.state.hand(First), SHEEP);
    assert_eq!(table.state.hand(Second), ORE.plus(BRICK));
}

#[test]
fn counter_offers_obey_the_rules_of_offers() {
    let mut table = market();
    table.act(Action::Offer(offer(BRICK, ORE)));
    let refused = [
        Trade { give: ORE, take: BRICK },
        Trade { give: ORE, take: ORE },
        Trade { give: ORE, take: Cards::NONE },
        Trade { give: ORE.plus(ORE), take: BRICK },
    ];
    for terms in refused {
        assert!(!table.state.allows(Action::Counter(terms)), "{terms:?}");
    }
    assert!(table.state.allows(Action::Counter(Trade { give: ORE.plus(SHEEP), take: BRICK })));
}

#[test]
fn what_may_not_be_offered() {
    let table = market();
    assert!(table.state.may_offer(offer(BRICK, ORE)));
    assert!(!table.state.may_offer(offer(BRICK, Cards::NONE)), "a gift");
    assert!(!table.state.may_offer(offer(Cards::NONE, ORE)), "begging");
    assert!(!table.state.may_offer(offer(BRICK, BRICK.plus(ORE))), "the same on both sides");
    assert!(!table.state.may_offer(offer(ORE, BRICK)), "not in hand");
    let to_himself = Offer { to: Seats::NONE.with(First), ..offer(BRICK, ORE) };
    assert!(!table.state.may_offer(to_himself));
    let to_nobody = Offer { to: Seats::NONE, ..offer(BRICK, ORE) };
    assert!(!table.state.may_offer(to_nobody));
}

#[test]
fn no_trade_before_the_roll() {
    let mut table = Table::before_roll();
    table.hand(First, [4, 0, 0, 0, 0]);
    assert!(!table.state.may_offer(offer(BRICK, ORE)));
    assert!(!table.state.options().iter().any(|action| matches!(action, Action::Maritime { .. })));
}

#[test]
fn offers_of_a_turn_are_counted() {
    let mut table = market();
    for _ in 0..crate::rules::OFFERS_PER_TURN {
        table.act(Action::Offer(offer(BRICK, ORE)));
        for _ in 0..3 {
            table.act(Action::Decline);
        }
    }
    let action = Action::Offer(offer(BRICK, ORE));
    assert!(table.try_act(action, Outcome::Certain).is_err());
    for _ in Seat::ALL {
        table.end_turn_and_roll(3);
    }
    assert!(table.state.allows(action));
}
