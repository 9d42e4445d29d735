//! The planner, which works toward the next piece that it wants, and trades for it.
//!
//! Its ideas come from the JSettlers robots (R. Thomas, "Real-time decision making for adversarial
//! environments using a plan-based heuristic", PhD thesis, Northwestern 2003; numbers as in
//! JSettlers2 2.7.00). This project implements the ideas anew from the description of the robots.
//! The thesis calls the estimates building speed estimate (BSE), estimated time to build (ETB) and
//! win game estimated time of arrival (WGETA).
//!
//! - `estimates`: `building_speed` has the throws of the dice until a hand and an income pay for a
//!   piece, and `building_speed::lookup` has the same by table; `win_eta` has the throws until a
//!   player could have won
//! - `plans`: `build_plan` has the piece that is worth most, by its gain and the time until it is
//!   ready (value, with `goal_value`), or the piece that is ready first (fast)
//! - `openings`: `value_opening` has the nodes and roads with the best score; `fastest_opening` and
//!   `settlement_pairs` have the pair of nodes that builds fastest, and roads to the next good node
//! - `trades`: `trade_side` and `negotiation` have the value of a trade, offers, answers, other
//!   terms, and the choice among partners once all have answered
//! - `cards`, `robber`: development cards, discards, the bank, the robber
//!
//! The implementation departs from the description in these points:
//!
//! - Income is counted in 36ths, not by rounded waiting times, and the bank is asked last.
//! - First settlements are chosen by the score of the value player
//!   ([`ValuePlayer`](super::ValuePlayer)), corrected for ore, wheat and building times.
//! - Plans are chosen by their worth in points. The robots have a "smart" variant for that, which
//!   judges each piece by every player's time to victory; here it was weaker.
//! - A card is bought whenever the plan cannot be built at once and is delayed by at most 10 throws
//!   ([`PlannerParams::card_delay`]), and before the turn ends if that raises the value player's
//!   score.
//! - When nothing serves the plan, the planner does whatever raises the value player's score: it
//!   builds, plays a card or trades with the bank, and only then ends its turn. An action that wins
//!   at once comes before all others; two free roads that win together need not be found.
//! - A trade that a planner offers or accepts takes no card that its plan needs, and no offer
//!   undoes a trade of the same turn. A player that is two points ahead gets no trade.
//!
//! All choices are functions of the position and of the events of the turn, except openings that
//! are random or have slack, and the robber where it can hurt nobody. Ties are broken as each
//! function says.
//!
//! Shares of games won on free random maps, one against three, par 25 %, with 95 % intervals
//! (Wilson; `examples/ladder`, seed 2):
//!
//! | one | three | wins % | interval | games |
//! |---|---|---|---|---|
//! | planner | weighted players | 100.0 | 99.6 to 100 | 1,000 |
//! | planner | value players | 35.0 | 34.1 to 35.8 | 12,000 |
//! | planner | value players, seed 11 | 35.0 | 34.2 to 35.9 | 12,000 |
//! | planner | value players, seed 12 | 34.6 | 33.7 to 35.4 | 12,000 |
//! | value player | planners | 12.3 | 11.5 to 13.2 | 6,000 |
//! | planner | fast planners, seed 11 | 30.2 | 29.4 to 31.0 | 12,000 |
//! | fast planner | value players | 30.4 | 29.0 to 31.9 | 4,000 |
//! | value player | fast planners | 15.5 | 14.4 to 16.7 | 4,000 |
//! | planner without trade | planners | 18.5 | 17.5 to 19.5 | 6,000 |
//! | planner that sees only public cards, seed 11 | planners | 24.7 | 24.0 to 25.5 | 12,000 |
//! | planner with a random opening | planners | 2.7 | 2.3 to 3.3 | 4,000 |
//! | planner with the opening of building times | planners | 18.5 | 17.4 to 19.8 | 4,000 |
//!
//! The weights were chosen by games with seeds 2 and 3 among others; games with seeds 11 and 12 had
//! no part in the choice. Value players trade with nobody: among three value players, a planner has
//! no partner.
//!
//! Four planners take 71.4 turns (12,000 games, seed 3) and trade 10.4 times; the winner has the
//! longest road in 62 % and the largest army in 42 % of games. Four fast planners take 66.8 turns;
//! the shares are 58 % and 36 %.

mod params;

mod estimates;
mod plans;

mod cards;
mod openings;
mod robber;
mod trades;

use super::value::ActionEvaluator;
use super::{CardCounter, Player, RandomPlayer};
use crate::resource::ResourceCards;
use crate::rules::{Action, CARD_COST, GamePhase, GameState, Island, LegalActions, Seat};
use crate::streams::FastRng;

use estimates::building_speed;
use estimates::view::PlayerView;
use openings::{fastest_opening, value_opening};
use plans::board_cache::BoardCache;
use plans::build_goal::BuildPlan;
use plans::build_plan;
use trades::negotiation::{self, NegotiationPolicy};
use trades::trade_side::TradeSide;
use trades::turn_memory::TurnMemory;

pub use params::{HandVisibility, PlannerOpening, PlannerParams, PlannerVariant};

/// The most points that one action can gain: a settlement that cuts the longest road of another
/// player, so that it passes to the builder.
const MOST_POINTS_AT_ONCE: u8 = 3;

/// A planner in a game, with its memory of the turn and a cache of what it computed about the
/// board.
#[derive(Clone, Copy, Debug)]
pub struct PlannerPlayer {
    params: PlannerParams,
    memory: TurnMemory,
    cache: BoardCache,
    /// None if the planner sees all hands.
    counter: Option<CardCounter>,
}

impl Player for PlannerPlayer {
    fn act(
        &mut self,
        island: &Island,
        state: &GameState,
        legal: &LegalActions,
        stream: &mut FastRng,
    ) -> Action {
        let me = state.actor();
        // A copy: the view is at hand while the memory and the cache change.
        let counter = self.counter;
        let view = PlayerView { island, state, viewer: Some(me), counter: counter.as_ref() };
        self.memory.update(state, me);
        if matches!(state.phase(), GamePhase::SetupSettlement) {
            // A game begins: the cache of another game is of no use.
            self.cache = BoardCache::NONE;
        }
        if let Some(action) = winning_action(view, me, legal) {
            return action;
        }
        let decision = match state.phase() {
            GamePhase::SetupSettlement | GamePhase::SetupRoad(_) => self.setup(view, me, stream),
            GamePhase::Start if cards::plays_knight_early(view, me) => Some(Action::Knight),
            GamePhase::Start => Some(Action::Roll),
            GamePhase::Discard => cards::discard(view, me, self.plan(view, me).as_ref()),
            GamePhase::Robber => robber::robber(view, me, legal, stream),
            GamePhase::FreeRoads(_) => {
                let fallback = build_plan::fallback_road(view, me);
                cards::free_road(self.plan(view, me).as_ref(), fallback, legal).map(Action::Road)
            }
            GamePhase::Main => Some(self.main_phase(view, me, legal)),
            GamePhase::Answer => Some(self.answer(view, me)),
            GamePhase::Choose => self
                .trade_side(view, me)
                .map(|side| negotiation::choose(view, &mut self.cache, &side)),
            GamePhase::Won(_) => None,
        };
        decision.unwrap_or_else(|| RandomPlayer.act(island, state, legal, stream))
    }

    fn card_counter(&mut self) -> Option<&mut CardCounter> {
        self.counter.as_mut()
    }
}

impl PlannerParams {
    /// Creates a player with these parameters, for one game.
    #[must_use]
    pub const fn player(self) -> PlannerPlayer {
        PlannerPlayer {
            params: self,
            memory: TurnMemory::NONE,
            cache: BoardCache::NONE,
            counter: match self.sees {
                HandVisibility::All => None,
                HandVisibility::Public => Some(CardCounter::NEW),
            },
        }
    }

    const fn negotiation_policy(&self) -> NegotiationPolicy {
        NegotiationPolicy { wary_below: self.wary_below, variant: self.variant }
    }
}

impl PlannerPlayer {
    /// Decides in the setup; none if the decision is random.
    fn setup(&self, view: PlayerView<'_>, me: Seat, stream: &mut FastRng) -> Option<Action> {
        let slack = self.params.opening_slack;
        match (self.params.opening, view.state.phase()) {
            (PlannerOpening::Value, GamePhase::SetupSettlement) => {
                value_opening::settlement(view, slack, stream).map(Action::Settlement)
            }
            (PlannerOpening::Value, GamePhase::SetupRoad(node)) => {
                value_opening::road(view, node).map(Action::Road)
            }
            (PlannerOpening::BuildingTimes, GamePhase::SetupSettlement) => {
                fastest_opening::settlement(view, me, slack, stream).map(Action::Settlement)
            }
            (PlannerOpening::BuildingTimes, GamePhase::SetupRoad(node)) => {
                fastest_opening::road(view, me, node).map(Action::Road)
            }
            _ => None,
        }
    }

    fn plan(&mut self, view: PlayerView<'_>, me: Seat) -> Option<BuildPlan> {
        let Self { params, memory, cache, .. } = self;
        memory.plan_or_make(view.state, me, || {
            cache.best_goals(view, me, params.variant).plan(view, me)
        })
    }

    fn trade_side(&mut self, view: PlayerView<'_>, me: Seat) -> Option<TradeSide> {
        self.plan(view, me).map(|plan| TradeSide::new(view, me, plan))
    }

    /// Decides after the roll: what serves the plan, and then what helps besides.
    fn main_phase(&mut self, view: PlayerView<'_>, me: Seat, legal: &LegalActions) -> Action {
        let planned = self.plan(view, me).and_then(|plan| self.advance(view, me, plan, legal));
        planned.unwrap_or_else(|| useful_action(view, legal))
    }

    /// Returns the next action for the plan, if there is one: cards, the planned piece, offers, the
    /// bank, and last a card from what is left.
    fn advance(
        &mut self,
        view: PlayerView<'_>,
        me: Seat,
        plan: BuildPlan,
        legal: &LegalActions,
    ) -> Option<Action> {
        if let Some(card) = cards::development(view, me, &plan, legal) {
            return Some(card);
        }
        if legal.contains(plan.goal.first_piece()) {
            return Some(plan.goal.first_piece());
        }
        if let Some(offer) = self.offer(view, me, plan) {
            return Some(offer);
        }
        if let Some(trade) = cards::maritime(view, me, &plan, legal) {
            return Some(trade);
        }
        if legal.contains(Action::BuyCard) {
            let rest: ResourceCards = view.state.hand(me).minus(CARD_COST);
            let delayed = view.economy(me).throws(rest, plan.goal.cost(), building_speed::LIMIT);
            if delayed <= plan.throws.saturating_add(self.params.card_delay) {
                return Some(Action::BuyCard);
            }
        }
        None
    }

    fn offer(&mut self, view: PlayerView<'_>, me: Seat, plan: BuildPlan) -> Option<Action> {
        if !self.params.trade || self.params.offers_per_turn <= self.memory.n_offers {
            return None;
        }
        let side = TradeSide::new(view, me, plan);
        let offer =
            self.params.negotiation_policy().propose(view, &mut self.cache, &side, &self.memory)?;
        if !view.state.may_offer(offer) {
            return None;
        }
        self.memory.note_offer(offer, view.state.hand(me));
        Some(Action::Offer(offer))
    }

    fn answer(&mut self, view: PlayerView<'_>, me: Seat) -> Action {
        if !self.params.trade {
            return Action::Decline;
        }
        let Some(side) = self.trade_side(view, me) else { return Action::Decline };
        self.params.negotiation_policy().answer(view, &mut self.cache, &side)
    }
}

/// Returns an action that wins the game for `me` at once, if there is such an action.
fn winning_action(view: PlayerView<'_>, me: Seat, legal: &LegalActions) -> Option<Action> {
    let is_far = view.points(me) + MOST_POINTS_AT_ONCE < view.points_to_win();
    if is_far || view.state.current_seat() != me {
        return None;
    }
    let evaluator = ActionEvaluator::of(view.island, view.state);
    // Road building wins by one of the roads that follow, if at all.
    let mut at_once = legal.iter().filter(|&action| action != Action::RoadBuilding);
    at_once.find(|&action| f64::INFINITY <= evaluator.value_after(action))
}

/// Returns the action after which the value player's score of the position is highest: the end of
/// the turn unless another action is better. Ties go to the action that is listed first.
fn useful_action(view: PlayerView<'_>, legal: &LegalActions) -> Action {
    let evaluator = ActionEvaluator::of(view.island, view.state);
    let mut best = (evaluator.value_after(Action::EndTurn), Action::EndTurn);
    for action in legal.iter() {
        let value = evaluator.value_after(action);
        if best.0 < value {
            best = (value, action);
        }
    }
    best.1
}
