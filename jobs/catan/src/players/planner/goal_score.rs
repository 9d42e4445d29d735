//! The plan of the smart variant, which judges each piece by its effect on every player's time to
//! victory.

use crate::rules::{GameState, Seat};

use super::build_plan::{BestGoals, BuildGoal, BuildPlan, card, planned};
use super::road_reach::{RoadExtension, RoadReach};
use super::view::PlayerView;
use super::win_eta::WinEta;

/// Bonus of a piece that wins: 100 over the number of players.
const WIN: f64 = 25.0;

/// Probability that a card of the full deck is a knight, rounded.
const P_KNIGHT: f64 = 0.58;
/// Probability that it is a victory point, rounded.
const P_POINT: f64 = 0.21;

/// The weights of a smart planner.
#[derive(Clone, Copy, Debug)]
pub(super) struct SmartWeights {
    pub(super) eta_bonus_factor: f64,
    pub(super) adversarial: f64,
    pub(super) leader_adversarial: f64,
    pub(super) card_bonus: f64,
}

/// Returns the plan with the highest score among: a settlement, a road or a city that could stand
/// now, the best settlement at each distance with the roads to it, the roads to the longest road, a
/// card. Ties go to the goal named first, then to the lower number; none if nothing is possible.
pub(super) fn best_scored_plan(
    view: PlayerView<'_>,
    seat: Seat,
    weights: &SmartWeights,
) -> Option<BuildPlan> {
    let scorer = GoalScorer::new(view, seat, weights);
    let best_goals = BestGoals::of(view, seat);
    let economy = &best_goals.economy;
    let mut best: Option<(f64, BuildPlan)> = None;
    let mut consider = |plan: BuildPlan| {
        let score = scorer.bonus(plan.goal) / power(1.0 + weights.eta_bonus_factor, plan.throws);
        if best.is_none_or(|(highest, _)| highest < score) {
            best = Some((score, plan));
        }
    };
    let with_roads = best_goals.settlements.into_iter().skip(1).flatten();
    let goals = pieces(view.state, seat).chain(with_roads).chain(best_goals.longest_road);
    goals.map(|goal| planned(view, seat, economy, goal)).for_each(&mut consider);
    card(view, seat, economy).into_iter().for_each(&mut consider);
    best.map(|(_, plan)| plan)
}

/// Returns the pieces that could stand now, regardless of cost.
fn pieces(state: &GameState, seat: Seat) -> impl Iterator<Item = BuildGoal> {
    let left = [state.settlements_left(seat), state.roads_left(seat), state.cities_left(seat)];
    let has = |left: u8| left != 0;
    let settlements = state.settlement_places(seat).filter(move |_| has(left[0]));
    let roads = state.road_places(seat).filter(move |_| has(left[1]));
    let cities = state.settlements(seat).filter(move |_| has(left[2]));
    settlements
        .map(|node| BuildGoal::Settlement { node, n_roads: 0, first: None })
        .chain(roads.map(|first| BuildGoal::Roads { n_roads: 1, first }))
        .chain(cities.map(BuildGoal::City))
}

/// Places all pieces of a goal on the board.
fn place_goal(view: PlayerView<'_>, seat: Seat, goal: BuildGoal, after: &mut GameState) {
    match goal {
        BuildGoal::Settlement { node, .. } => {
            while let Some(road) = RoadReach::of(view.with_state(after), seat).first_road(node) {
                after.place_road(seat, road);
            }
            after.place_settlement(view.island, seat, node);
        }
        BuildGoal::Roads { n_roads, first } => {
            after.place_road(seat, first);
            for _ in 1..n_roads {
                let Some(extension) = RoadExtension::of(view.with_state(after), seat) else {
                    break;
                };
                after.place_road(seat, extension.first);
            }
        }
        BuildGoal::City(node) => after.upgrade_to_city(seat, node),
        BuildGoal::Card => {}
    }
}

/// Scores goals against the position before them.
struct GoalScorer<'a> {
    view: PlayerView<'a>,
    seat: Seat,
    weights: &'a SmartWeights,
    before: [u16; Seat::COUNT],
}

impl<'a> GoalScorer<'a> {
    fn new(view: PlayerView<'a>, seat: Seat, weights: &'a SmartWeights) -> Self {
        Self { view, seat, weights, before: throws_to_win(view) }
    }

    fn bonus(&self, goal: BuildGoal) -> f64 {
        if goal == BuildGoal::Card {
            return self.card_bonus();
        }
        let mut after = *self.view.state;
        place_goal(self.view, self.seat, goal, &mut after);
        self.total(throws_to_win(self.view.with_state(&after)))
    }

    fn card_bonus(&self) -> f64 {
        let win_eta = WinEta::of(self.view, self.seat);
        let gain = |win_eta: WinEta| {
            let mut after = self.before;
            after[self.seat.index()] = win_eta.throws_to_win(self.view.island);
            self.own_bonus(after)
        };
        P_KNIGHT * gain(win_eta.with_knight())
            + P_POINT * gain(win_eta.with_point())
            + self.weights.card_bonus
    }

    fn own_bonus(&self, after: [u16; Seat::COUNT]) -> f64 {
        let i = self.seat.index();
        if after[i] == 0 { WIN } else { WIN * self.speedup(i, after) }
    }

    fn total(&self, after: [u16; Seat::COUNT]) -> f64 {
        let best = self.before.into_iter().min().unwrap_or(0);
        let takedown = |other: Seat| {
            let i = other.index();
            let speedup = self.speedup(i, after);
            if self.before[i] == best {
                -WIN * self.weights.leader_adversarial * speedup
            } else {
                let nearness = f64::from(best) / f64::from(self.before[i]);
                -WIN * self.weights.adversarial * speedup * nearness
            }
        };
        self.own_bonus(after) + self.seat.others().map(takedown).iter().sum::<f64>()
    }

    /// Returns the share by which the time of player `i` to victory shrinks.
    fn speedup(&self, i: usize, after: [u16; Seat::COUNT]) -> f64 {
        (f64::from(self.before[i]) - f64::from(after[i])) / f64::from(self.before[i].max(1))
    }
}

fn throws_to_win(view: PlayerView<'_>) -> [u16; Seat::COUNT] {
    Seat::ALL.map(|seat| WinEta::of(view, seat).throws_to_win(view.island))
}

/// Returns `base` to an integer power, by multiplication alone.
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
