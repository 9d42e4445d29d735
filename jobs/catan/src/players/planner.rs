//! The planner, which works toward the next piece that it wants, and trades for it.
//!
//! Its ideas are those of the JSettlers robots (R. Thomas, "Real-time decision making for
//! adversarial environments using a plan-based heuristic", PhD thesis, Northwestern 2003; numbers
//! as in JSettlers2 2.7.00), implemented anew from their description. The thesis calls the
//! estimates building speed estimate (BSE), estimated time to build (ETB) and win game estimated
//! time of arrival (WGETA).
//!
//! - `building_speed`: throws of the dice until a hand and an income pay for a piece;
//!   `building_speed::lookup` has the same by table
//! - `win_eta`: throws until a player could have won
//! - `build_plan` (fast): the piece that is ready first. `goal_score` (smart): the piece that
//!   speeds up the own victory and slows down the others' most
//! - `opening`, `settlement_pairs`: the pair of nodes that builds fastest, and roads to the next
//!   good node
//! - `trade_side`, `negotiation`: the value of a trade, offers, answers, other terms, and the
//!   choice among partners once all have answered
//! - `cards`, `robber`: development cards, discards, the bank, the robber
//!
//! The implementation departs from the description in these points:
//!
//! - Income is counted in 36ths, not by rounded waiting times, and the bank is asked last.
//! - A card is bought whenever the plan cannot be built at once and is delayed by at most 10 throws
//!   ([`PlannerParams::card_delay`]).
//! - A smart planner also judges settlements and the longest road together with the roads to them.
//! - A trade that a planner offers or accepts takes no card that its plan needs, and no offer
//!   undoes a trade of the same turn.
//!
//! All choices are functions of the position and of the events of the turn, except openings that
//! are random or have slack, and the robber where it can hurt nobody. Ties are broken as each
//! function says.
//!
//! Shares of games won on free random maps, one against three, par 25 %, with 95 % intervals
//! (Wilson; `examples/ladder.rs`):
//!
//! | one | three | wins % | interval | games |
//! |---|---|---|---|---|
//! | fast | random players | 100.0 | 99.6 to 100 | 1,000 |
//! | fast | weighted players | 100.0 | 99.7 to 100 | 2,000 |
//! | fast | value players | 19.1 | 17.9 to 20.3 | 4,000 |
//! | value player | fast | 23.9 | 22.6 to 25.2 | 4,000 |
//! | smart | value players | 21.9 | 20.1 to 23.8 | 2,000 |
//! | smart | fast | 22.3 | 21.1 to 23.6 | 4,000 |
//! | fast without trade | fast | 19.0 | 17.8 to 20.2 | 4,000 |
//! | smart without trade | smart | 22.5 | 20.0 to 25.2 | 1,000 |
//! | fast with a random opening | fast | 4.1 | 3.5 to 4.7 | 4,000 |
//! | fast with an opening slack of 4 | fast | 24.5 | 23.5 to 25.7 | 6,000 |
//! | fast with an opening slack of 8 | fast | 23.3 | 22.3 to 24.4 | 6,000 |
//! | fast with an opening slack of 16 | fast | 20.1 | 19.1 to 21.1 | 6,000 |
//! | fast, cards only if they delay no plan | fast | 17.2 | 16.0 to 18.4 | 4,000 |
//!
//! So trade and the opening carry strength, and the smart variant is not the stronger one. Value
//! players trade with nobody: among three of them, a planner has no partner and loses slightly.
//!
//! Four fast planners take 65.5 turns (10,000 games, at most 142) and trade 11.3 times; the winner
//! has the longest road in 62 % and the largest army in 31 % of games. Four smart planners take 86
//! turns (300 games) and trade 8.6 times; the shares are 43 % and 52 %. Seats 1 to 4 of fast
//! planners win 26.5, 24.8, 25.6, 23.2 % (10,000 games): seat 4, which plays last, is worst off.

mod building_speed;
mod view;

mod road_reach;
mod win_eta;

mod board_cache;
mod build_plan;
mod goal_score;
mod turn_memory;

mod cards;
mod negotiation;
mod opening;
mod robber;
mod settlement_pairs;
mod trade_side;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Player, RandomPlayer};
use crate::resource::ResourceCards;
use crate::rules::{Action, CARD_COST, GamePhase, GameState, Island, LegalActions, Seat};
use crate::streams::FastRng;

use board_cache::BoardCache;
use build_plan::BuildPlan;
use goal_score::SmartWeights;
use negotiation::NegotiationPolicy;
use trade_side::TradeSide;
use turn_memory::TurnMemory;
use view::PlayerView;

/// The way a planner chooses what to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlannerVariant {
    /// By the time until it is ready.
    Fast,
    /// By its effect on every player's time to victory.
    Smart,
}

/// The way a planner places its first settlements and roads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlannerOpening {
    /// At the places that build fastest.
    Planned,
    /// At any place, with equal probability.
    Random,
}

/// The parameters of a planner.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PlannerParams {
    /// The way the planner chooses what to build.
    pub variant: PlannerVariant,
    /// True if the planner trades with other players.
    pub trade: bool,
    /// The way the planner places its first settlements and roads.
    pub opening: PlannerOpening,
    /// Planned: settlements are drawn at random among those with which one of each piece takes, in
    /// total, at most this many throws more than with the best. With 0, a map has a single opening.
    #[schemars(range(max = 1000))]
    pub opening_slack: u16,
    /// The most offers that the planner makes in a turn.
    #[schemars(range(max = 100))]
    pub offers_per_turn: u8,
    /// Players that could win in fewer throws than this get no trade.
    #[schemars(range(max = 1000))]
    pub wary_below: u16,
    /// Throws by which an additional development card may delay the plan.
    #[schemars(range(max = 1000))]
    pub card_delay: u16,
    /// Smart: the share by which the bonus of a piece shrinks with every throw that it takes.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub eta_bonus_factor: f64,
    /// Smart: weight of a piece's effect on opponents that do not lead.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub adversarial: f64,
    /// Smart: weight of a piece's effect on the leading opponents.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub leader_adversarial: f64,
    /// Smart: bonus of a development card besides knights and points.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub card_bonus: f64,
}

impl PlannerParams {
    /// The fast variant.
    pub const FAST: Self = Self {
        variant: PlannerVariant::Fast,
        trade: true,
        opening: PlannerOpening::Planned,
        opening_slack: 0,
        offers_per_turn: 9,
        wary_below: 25,
        card_delay: 10,
        eta_bonus_factor: 0.13,
        adversarial: 1.0,
        leader_adversarial: 1.0,
        card_bonus: 3.0,
    };

    /// The smart variant.
    pub const SMART: Self = Self { variant: PlannerVariant::Smart, ..Self::FAST };

    /// Creates a player with these parameters, for one game.
    #[must_use]
    pub const fn player(self) -> PlannerPlayer {
        PlannerPlayer { params: self, memory: TurnMemory::NONE, cache: BoardCache::NONE }
    }
}

impl Default for PlannerParams {
    /// Returns the fast variant.
    fn default() -> Self {
        Self::FAST
    }
}

/// A planner in a game, with its memory of the turn and a cache of what it computed about the
/// board.
#[derive(Clone, Copy, Debug)]
pub struct PlannerPlayer {
    params: PlannerParams,
    memory: TurnMemory,
    cache: BoardCache,
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
        let view = PlayerView { island, state, viewer: Some(me) };
        self.memory.update(state, me);
        if matches!(state.phase(), GamePhase::SetupSettlement) {
            // A game begins: the cache of another game is of no use.
            self.cache = BoardCache::NONE;
        }
        let decision = match state.phase() {
            GamePhase::SetupSettlement | GamePhase::SetupRoad(_)
                if self.params.opening == PlannerOpening::Random =>
            {
                None
            }
            GamePhase::SetupSettlement => {
                let slack = self.params.opening_slack;
                opening::settlement(view, me, slack, stream).map(Action::Settlement)
            }
            GamePhase::SetupRoad(node) => opening::road(view, me, node).map(Action::Road),
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
}

impl PlannerPlayer {
    fn plan(&mut self, view: PlayerView<'_>, me: Seat) -> Option<BuildPlan> {
        let Self { params, memory, cache } = self;
        memory.plan_or_make(view.state, me, || match params.variant {
            PlannerVariant::Fast => cache.best_goals(view, me).fastest_plan(view, me),
            PlannerVariant::Smart => {
                goal_score::best_scored_plan(view, me, &params.smart_weights())
            }
        })
    }

    fn trade_side(&mut self, view: PlayerView<'_>, me: Seat) -> Option<TradeSide> {
        self.plan(view, me).map(|plan| TradeSide::new(view, me, plan))
    }

    /// Decides after the roll: cards, the planned piece, offers, the bank, and last a card from
    /// what is left.
    fn main_phase(&mut self, view: PlayerView<'_>, me: Seat, legal: &LegalActions) -> Action {
        let Some(plan) = self.plan(view, me) else { return Action::EndTurn };
        if let Some(card) = cards::development(view, me, &plan, legal) {
            return card;
        }
        if legal.contains(plan.goal.first_piece()) {
            return plan.goal.first_piece();
        }
        if let Some(offer) = self.offer(view, me, plan) {
            return offer;
        }
        if let Some(trade) = cards::maritime(view, me, &plan, legal) {
            return trade;
        }
        if legal.contains(Action::BuyCard) {
            let rest: ResourceCards = view.state.hand(me).minus(CARD_COST);
            let delayed = view.economy(me).throws(rest, plan.goal.cost(), building_speed::LIMIT);
            if delayed <= plan.throws.saturating_add(self.params.card_delay) {
                return Action::BuyCard;
            }
        }
        Action::EndTurn
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

impl PlannerParams {
    const fn negotiation_policy(&self) -> NegotiationPolicy {
        NegotiationPolicy { wary_below: self.wary_below }
    }

    const fn smart_weights(&self) -> SmartWeights {
        SmartWeights {
            eta_bonus_factor: self.eta_bonus_factor,
            adversarial: self.adversarial,
            leader_adversarial: self.leader_adversarial,
            card_bonus: self.card_bonus,
        }
    }
}
