//! The plan of the smart variant: each piece is judged by what it does to everybody's way to
//! victory.

use crate::rules::{GameState, Seat};

use super::eta::Outlook;
use super::plan::{Goal, Plan, Prospects, card, planned};
use super::reach::{Extension, Reach};
use super::view::View;

/// Bonus of a piece that wins: 100 over the number of players.
const WIN: f64 = 25.0;

/// Chance that a card of the full deck is a knight, rounded.
const P_KNIGHT: f64 = 0.58;
/// Chance that it is a point, rounded.
const P_POINT: f64 = 0.21;

/// How a smart planner weighs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    pub(super) eta_bonus_factor: f64,
    pub(super) adversarial: f64,
    pub(super) leader_adversarial: f64,
    pub(super) card_bonus: f64,
}

/// The goal with the highest score: a settlement, a road or a city that could stand now, the best
/// settlement at each distance with the roads to it, the roads to the longest road, a card. Ties go
/// to the goal named first, then to the lower number; none if nothing is possible.
pub(super) fn smart(view: View<'_>, seat: Seat, weights: &Weights) -> Option<Plan> {
    let judge = Judge::new(view, seat, weights);
    let prospects = Prospects::of(view, seat);
    let economy = &prospects.economy;
    let mut best: Option<(f64, Plan)> = None;
    let mut consider = |plan: Plan| {
        let score = judge.bonus(plan.goal) / power(1.0 + weights.eta_bonus_factor, plan.throws);
        if best.is_none_or(|(highest, _)| highest < score) {
            best = Some((score, plan));
        }
    };
    let with_roads = prospects.settlements.into_iter().skip(1).flatten();
    let goals = pieces(view.state, seat).chain(with_roads).chain(prospects.longest_road);
    goals.map(|goal| planned(view, seat, economy, goal)).for_each(&mut consider);
    card(view, seat, economy).into_iter().for_each(&mut consider);
    best.map(|(_, plan)| plan)
}

/// The pieces that could stand now, their cost aside.
fn pieces(state: &GameState, seat: Seat) -> impl Iterator<Item = Goal> {
    let left = [state.settlements_left(seat), state.roads_left(seat), state.cities_left(seat)];
    let has = |left: u8| left != 0;
    let settlements = state.settlement_places(seat).filter(move |_| has(left[0]));
    let roads = state.road_places(seat).filter(move |_| has(left[1]));
    let cities = state.settlements(seat).filter(move |_| has(left[2]));
    settlements
        .map(|node| Goal::Settlement { node, n_roads: 0, first: None })
        .chain(roads.map(|first| Goal::Roads { n_roads: 1, first }))
        .chain(cities.map(Goal::City))
}

/// Puts all pieces of a goal on the board.
fn place(view: View<'_>, seat: Seat, goal: Goal, after: &mut GameState) {
    match goal {
        Goal::Settlement { node, .. } => {
            while let Some(road) = Reach::of(view.of(after), seat).first_road(node) {
                after.place_road(seat, road);
            }
            after.place_settlement(view.island, seat, node);
        }
        Goal::Roads { n_roads, first } => {
            after.place_road(seat, first);
            for _ in 1..n_roads {
                let Some(extension) = Extension::of(view.of(after), seat) else { break };
                after.place_road(seat, extension.first);
            }
        }
        Goal::City(node) => after.upgrade_to_city(seat, node),
        Goal::Card => {}
    }
}

/// The position before the piece.
struct Judge<'a> {
    view: View<'a>,
    seat: Seat,
    weights: &'a Weights,
    before: [u16; Seat::COUNT],
}

impl<'a> Judge<'a> {
    fn new(view: View<'a>, seat: Seat, weights: &'a Weights) -> Self {
        Self { view, seat, weights, before: throws_to_win(view) }
    }

    fn bonus(&self, goal: Goal) -> f64 {
        if goal == Goal::Card {
            return self.card_bonus();
        }
        let mut after = *self.view.state;
        place(self.view, self.seat, goal, &mut after);
        self.total(throws_to_win(self.view.of(&after)))
    }

    fn card_bonus(&self) -> f64 {
        let outlook = Outlook::of(self.view, self.seat);
        let gain = |outlook: Outlook| {
            let mut after = self.before;
            after[self.seat.index()] = outlook.throws_to_win(self.view.island);
            self.own_bonus(after)
        };
        P_KNIGHT * gain(outlook.with_knight())
            + P_POINT * gain(outlook.with_point())
            + self.weights.card_bonus
    }

    fn own_bonus(&self, after: [u16; Seat::COUNT]) -> f64 {
        let i = self.seat.index();
        if after[i] == 0 { WIN } else { WIN * self.drop(i, after) }
    }

    fn total(&self, after: [u16; Seat::COUNT]) -> f64 {
        let best = self.before.into_iter().min().unwrap_or(0);
        let takedown = |other: Seat| {
            let i = other.index();
            let drop = self.drop(i, after);
            if self.before[i] == best {
                -WIN * self.weights.leader_adversarial * drop
            } else {
                let nearness = f64::from(best) / f64::from(self.before[i]);
                -WIN * self.weights.adversarial * drop * nearness
            }
        };
        self.own_bonus(after) + self.seat.others().map(takedown).iter().sum::<f64>()
    }

    /// By what share the time of a player to his victory shrinks.
    fn drop(&self, i: usize, after: [u16; Seat::COUNT]) -> f64 {
        (f64::from(self.before[i]) - f64::from(after[i])) / f64::from(self.before[i].max(1))
    }
}

fn throws_to_win(view: View<'_>) -> [u16; Seat::COUNT] {
    Seat::ALL.map(|seat| Outlook::of(view, seat).throws_to_win(view.island))
}

/// `base` to an integer power, by multiplication alone.
fn power(base: f64, exponent: u16) -> f64 {
    let (mut result, mut square, mut left) = (1.0, base, exponent);
    while left != 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
}
