//! Trade among players. In the case `D001`, engines were found to differ (Catanatron, pull request
//! 387).

use super::TestGame;
use crate::resource::ResourceCards;
use crate::rules::action::{Action, ChanceOutcome};
use crate::rules::offer::{OfferAnswer, Trade, TradeOffer};
use crate::rules::seat::Seat::{self, First, Fourth, Second, Third};
use crate::rules::seat::SeatSet;
use crate::rules::state::GamePhase;

const BRICK: ResourceCards = ResourceCards([1, 0, 0, 0, 0]);
const ORE: ResourceCards = ResourceCards([0, 1, 0, 0, 0]);
const SHEEP: ResourceCards = ResourceCards([0, 0, 1, 0, 0]);

fn offer(give: ResourceCards, take: ResourceCards) -> TradeOffer {
    let to = First.others().into_iter().fold(SeatSet::NONE, SeatSet::with);
    TradeOffer { trade: Trade { give, take }, to }
}

/// The first seat has a brick, the others have an ore and a sheep each.
fn market() -> TestGame {
    let mut game = TestGame::new();
    game.hand(First, BRICK.0);
    for seat in First.others() {
        game.hand(seat, [0, 1, 1, 0, 0]);
    }
    game
}

#[test]
fn d001_the_proposer_is_never_asked() {
    let mut game = market();
    game.act(Action::Offer(offer(BRICK, ORE)));
    for seat in [Second, Third, Fourth] {
        assert_eq!((game.state.phase(), game.state.actor()), (GamePhase::Answer, seat));
        game.act(Action::Decline);
    }
    assert_eq!((game.state.phase(), game.state.actor()), (GamePhase::Main, First));
    assert_eq!(game.state.offered(), None);
}

#[test]
fn a_seat_without_a_player_gets_no_offer() {
    let mut game = market();
    game.state.variant.n_players = 3;
    let refused = game.try_act(Action::Offer(offer(BRICK, ORE)), ChanceOutcome::Certain);
    assert!(refused.is_err());
    let to = SeatSet::NONE.with(Second).with(Third);
    game.act(Action::Offer(TradeOffer { to, ..offer(BRICK, ORE) }));
    game.act(Action::Decline);
    assert_eq!(game.state.actor(), Third);
    game.act(Action::Decline);
    assert_eq!((game.state.phase(), game.state.actor()), (GamePhase::Main, First));
}

#[test]
fn all_answer_before_the_proposer_chooses() {
    let mut game = market();
    game.act(Action::Offer(offer(BRICK, ORE)));
    game.act(Action::Accept);
    game.act(Action::Decline);
    game.act(Action::Accept);
    assert_eq!((game.state.phase(), game.state.actor()), (GamePhase::Choose, First));
    let legal: Vec<Action> = game.state.legal_actions().iter().collect();
    assert_eq!(legal, [Action::Withdraw, Action::TradeWith(Second), Action::TradeWith(Fourth)]);
    game.act(Action::TradeWith(Fourth));
    assert_eq!(game.state.hand(First), ORE);
    assert_eq!(game.state.hand(Second), ORE.plus(SHEEP));
    assert_eq!(game.state.hand(Fourth), BRICK.plus(SHEEP));
    assert_eq!(game.state.phase(), GamePhase::Main);
    assert_eq!(game.state.answer(Second), OfferAnswer::NotAsked);
}

#[test]
fn who_lacks_the_cards_cannot_accept() {
    let mut game = market();
    game.act(Action::Offer(offer(BRICK, ORE.plus(ORE))));
    assert!(!game.state.allows(Action::Accept));
    assert!(game.state.allows(Action::Decline));
}

#[test]
fn only_those_asked_answer() {
    let mut game = market();
    let to = SeatSet::NONE.with(Third);
    game.act(Action::Offer(TradeOffer { to, ..offer(BRICK, ORE) }));
    assert_eq!(game.state.actor(), Third);
    game.act(Action::Accept);
    assert!(!game.state.allows(Action::TradeWith(Second)));
    game.act(Action::Withdraw);
    assert_eq!(game.state.hand(First), BRICK);
}

#[test]
fn counter_offers_are_terms_of_the_one_who_answers() {
    let mut game = market();
    game.act(Action::Offer(offer(BRICK, ORE)));
    let terms = Trade { give: SHEEP, take: BRICK };
    game.act(Action::Counter(terms));
    // This one asks for more than the proposer has.
    game.act(Action::Counter(Trade { give: SHEEP, take: BRICK.plus(BRICK) }));
    game.act(Action::Decline);
    assert_eq!(game.state.terms_with(Second), Some(terms.reversed()));
    assert_eq!(game.state.terms_with(Third), None);
    game.act(Action::TradeWith(Second));
    assert_eq!(game.state.hand(First), SHEEP);
    assert_eq!(game.state.hand(Second), ORE.plus(BRICK));
}

#[test]
fn counter_offers_obey_the_rules_of_offers() {
    let mut game = market();
    game.act(Action::Offer(offer(BRICK, ORE)));
    let refused = [
        Trade { give: ORE, take: BRICK },
        Trade { give: ORE, take: ORE },
        Trade { give: ORE, take: ResourceCards::NONE },
        Trade { give: ORE.plus(ORE), take: BRICK },
    ];
    for terms in refused {
        assert!(!game.state.allows(Action::Counter(terms)), "{terms:?}");
    }
    assert!(game.state.allows(Action::Counter(Trade { give: ORE.plus(SHEEP), take: BRICK })));
}

#[test]
fn what_may_not_be_offered() {
    let game = market();
    assert!(game.state.may_offer(offer(BRICK, ORE)));
    assert!(!game.state.may_offer(offer(BRICK, ResourceCards::NONE)), "a gift");
    assert!(!game.state.may_offer(offer(ResourceCards::NONE, ORE)), "begging");
    assert!(!game.state.may_offer(offer(BRICK, BRICK.plus(ORE))), "the same on both sides");
    assert!(!game.state.may_offer(offer(ORE, BRICK)), "not in hand");
    let to_himself = TradeOffer { to: SeatSet::NONE.with(First), ..offer(BRICK, ORE) };
    assert!(!game.state.may_offer(to_himself));
    let to_nobody = TradeOffer { to: SeatSet::NONE, ..offer(BRICK, ORE) };
    assert!(!game.state.may_offer(to_nobody));
}

#[test]
fn no_trade_before_the_roll() {
    let mut game = TestGame::before_roll();
    game.hand(First, [4, 0, 0, 0, 0]);
    assert!(!game.state.may_offer(offer(BRICK, ORE)));
    assert!(
        !game.state.legal_actions().iter().any(|action| matches!(action, Action::Maritime { .. }))
    );
}

#[test]
fn offers_of_a_turn_are_counted() {
    let mut game = market();
    for _ in 0..crate::rules::OFFERS_PER_TURN {
        game.act(Action::Offer(offer(BRICK, ORE)));
        for _ in 0..3 {
            game.act(Action::Decline);
        }
    }
    let action = Action::Offer(offer(BRICK, ORE));
    assert!(game.try_act(action, ChanceOutcome::Certain).is_err());
    for _ in Seat::ALL {
        game.end_turn_and_roll(3);
    }
    assert!(game.state.allows(action));
}
