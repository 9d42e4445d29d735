//! Invariants that hold in every state.

use hatchery_catan::board::EdgeSet;
use hatchery_catan::players::{PlannerParams, Player, RandomPlayer};
use hatchery_catan::rules::{
    CITIES, DevelopmentCard, DevelopmentCards, GameState, GameVariant, LONGEST_ROAD_MINIMUM,
    OfferAnswer, RESOURCE_SUPPLY, ROADS, RobberRule, SETTLEMENTS, Seat,
};
use hatchery_catan::trial::game::GameRecord;
use hatchery_catan::{Node, Resource, ResourceCards};
use proptest::prelude::{ProptestConfig, Strategy, any, proptest};
use proptest::sample::select;

use super::{TURN_CAP, deal_variant, log, owner};
use crate::haggler::Haggler;

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(200)
    })]

    #[test]
    fn hold_in_random_games(game in any::<u32>(), variant in variants()) {
        check(RandomPlayer, game, variant);
    }

    #[test]
    fn hold_in_games_with_trade(game in any::<u32>(), variant in variants()) {
        check(Haggler, game, variant);
    }

    #[test]
    fn hold_in_games_of_planners(game in any::<u32>(), variant in variants()) {
        check(PlannerParams::VALUE.player(), game, variant);
    }
}

/// Returns any number of players, and points that random players reach before long.
fn variants() -> impl Strategy<Value = GameVariant> {
    let robbers = select(vec![RobberRule::Usual, RobberRule::Friendly]);
    let variants = (2..=4_u8, 3..=11_u8, robbers);
    variants.prop_map(|(n_players, points_to_win, robber)| GameVariant {
        n_players,
        points_to_win,
        robber,
    })
}

#[test]
fn a_state_is_small() {
    assert!(size_of::<GameState>() <= 384, "{}", size_of::<GameState>());
}

/// Plays a game, checks all its states, and replays its log.
fn check<P: Player + Copy>(player: P, game: u32, variant: GameVariant) {
    let (island, streams) = deal_variant("invariants", u64::from(game), variant);
    let (record, log) = log(player, &island, streams, TURN_CAP);
    let mut replayed = GameState::new(&island);
    // The development cards that were played, from the log.
    let mut played = DevelopmentCards::NONE;
    for (state, step) in &log {
        assert_eq!(replayed, *state);
        check_cards(state, played);
        check_pieces(state);
        check_awards(state);
        assert!(state.points(state.current_seat()) < variant.points_to_win, "the game goes on");
        check_empty_seats(state);
        assert!(!state.legal_actions().is_empty());
        if let Some(card) = card_of(step.action) {
            played.0[card.index()] += 1;
        }
        replayed.try_apply(&island, *step).expect("a move of a log is legal");
    }
    check_cards(&replayed, played);
    check_record(&record, &replayed, log.len());
}

fn check_record(record: &GameRecord, last: &GameState, n_moves: usize) {
    assert_eq!(record.winner, last.winner());
    assert_eq!(record.actions as usize, n_moves);
    assert_eq!(record.points, Seat::ALL.map(|seat| last.points(seat)));
    if let Some(winner) = record.winner {
        assert_eq!(winner, last.current_seat());
        assert!(last.variant().points_to_win <= last.points(winner));
        assert!(last.legal_actions().is_empty());
    } else {
        assert_eq!(record.turns, TURN_CAP);
    }
}

fn check_empty_seats(state: &GameState) {
    assert!(state.seats().contains(&state.actor()));
    for &seat in &Seat::ALL[state.seats().len()..] {
        assert!(state.hand(seat).is_empty() && state.cards(seat).is_empty());
        assert!(state.roads(seat).is_empty() && state.settlements(seat).is_empty());
        assert_eq!(state.answer(seat), OfferAnswer::NotAsked);
    }
}

fn check_cards(state: &GameState, played: DevelopmentCards) {
    let hands = Seat::ALL.map(|seat| state.hand(seat));
    let all = hands.into_iter().fold(state.bank(), ResourceCards::plus);
    assert_eq!(all, ResourceCards([RESOURCE_SUPPLY; Resource::COUNT]));
    for card in DevelopmentCard::ALL {
        let held: u8 = Seat::ALL.iter().map(|seat| state.cards(*seat).count(card)).sum();
        let n_played = played.count(card);
        assert_eq!(
            held + state.deck().count(card) + n_played,
            DevelopmentCards::FULL.count(card),
            "{card:?}"
        );
    }
    let knights: u8 = Seat::ALL.iter().map(|seat| state.knights(*seat)).sum();
    assert_eq!(knights, played.count(DevelopmentCard::Knight));
}

fn check_pieces(state: &GameState) {
    let mut taken = EdgeSet::EMPTY;
    for seat in Seat::ALL {
        let (roads, settlements, cities) =
            (state.roads(seat), state.settlements(seat), state.cities(seat));
        assert_eq!(roads.len(), u32::from(ROADS - state.roads_left(seat)));
        assert_eq!(settlements.len(), u32::from(SETTLEMENTS - state.settlements_left(seat)));
        assert_eq!(cities.len(), u32::from(CITIES - state.cities_left(seat)));
        assert!(roads.and(taken).is_empty() && settlements.and(cities).is_empty());
        taken = taken.union(roads);
        for node in settlements.union(cities) {
            assert_eq!(owner(state, node), Some(seat));
            assert!(node.neighbors().iter().all(|near| owner(state, *near).is_none()));
            let is_new = state.turn() == 0 && state.actor() == seat;
            assert!(is_new || !node.edge_set().and(roads).is_empty(), "no road at {node:?}");
        }
    }
    for node in Node::ALL {
        let is_open = owner(state, node).is_none()
            && node.neighbors().iter().all(|near| owner(state, *near).is_none());
        assert_eq!(state.open_nodes().contains(node), is_open);
    }
}

fn check_awards(state: &GameState) {
    if let Some(holder) = state.longest_road() {
        assert!(LONGEST_ROAD_MINIMUM <= state.road_length(holder));
        let longest = Seat::ALL.map(|seat| state.road_length(seat)).into_iter().max();
        assert_eq!(Some(state.road_length(holder)), longest);
    }
    let largest = Seat::ALL.map(|seat| state.knights(seat)).into_iter().max();
    match state.largest_army() {
        Some(holder) => assert_eq!(Some(state.knights(holder)), largest),
        None => assert!(largest < Some(3)),
    }
    for seat in Seat::ALL {
        let awards = [state.longest_road(), state.largest_army()];
        let awarded = awards.iter().filter(|holder| **holder == Some(seat)).count() * 2;
        let built = state.settlements(seat).count() + 2 * state.cities(seat).count();
        let hidden = state.cards(seat).count(DevelopmentCard::VictoryPoint);
        assert_eq!(usize::from(state.points(seat)), built + awarded + usize::from(hidden));
    }
}

/// Returns the card that an action plays.
fn card_of(action: hatchery_catan::rules::Action) -> Option<DevelopmentCard> {
    use hatchery_catan::rules::Action;
    match action {
        Action::Knight => Some(DevelopmentCard::Knight),
        Action::RoadBuilding => Some(DevelopmentCard::RoadBuilding),
        Action::YearOfPlenty(..) => Some(DevelopmentCard::YearOfPlenty),
        Action::Monopoly(_) => Some(DevelopmentCard::Monopoly),
        _ => None,
    }
}
