//! A planner: he works toward the next piece that he wants, and trades for it.
//!
//! His ideas are those of the JSettlers robots (R. Thomas, "Real-time decision making for
//! adversarial environments using a plan-based heuristic", PhD thesis, Northwestern 2003; numbers as
//! in JSettlers2 2.7.00), built anew from their description:
//!
//! - `estimate`: throws of the dice until a hand and an income pay for a piece; `waits`, the same by
//!   table
//! - `eta`: throws until a player could have won
//! - `plan` (fast): the piece that is ready first. `score` (smart): the piece that helps the own way
//!   to victory and hinders the others most
//! - `opening`: the pair of nodes that builds fastest, and roads to the next good node
//! - `side`, `negotiation`: what a trade is worth, offers, answers, other terms, the choice among
//!   partners once all have answered
//! - `cards`, `robber`: development cards, discards, the bank, the robber
//!
//! Where he departs from the description:
//!
//! - Income is counted by 36ths, not by rounded waiting times, and the bank is asked last.
//! - A card is bought whenever the plan cannot be built at once and is delayed by 10 throws at most
//!   ([`Planner::card_delay`]).
//! - A smart planner also judges settlements and the longest road together with the roads to them.
//! - A trade that a planner offers or accepts takes no card that his plan needs, and no offer undoes
//!   a trade of the same turn.
//!
//! All choices but those of openings that are random or have slack, and of the robber where he can
//! hurt nobody, are functions of the position and of what happened in the turn; ties go as each
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
//! players trade with nobody: among three of them a planner has no partner, and loses slightly.
//!
//! Four fast planners take 65.5 turns (10,000 games, at most 142) and trade 11.3 times; the winner
//! has the longest road in 62 % and the largest army in 31 % of games. Four smart planners take 86
//! turns (300 games) and trade 8.6 times; the shares are 43 % and 52 %. Seats 1 to 4 of fast
//! planners win 26.5, 24.8, 25.6, 23.2 % (10,000 games): seat 4, which plays last, is worst off.

mod cards;
mod estimate;
mod eta;
mod memory;
mod negotiation;
mod opening;
mod pairs;
mod plan;
mod reach;
mod robber;
mod score;
mod side;
mod survey;
mod view;
mod waits;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Player, Random};
use crate::resource::ResourceCards;
use crate::rules::{Action, CARD_COST, GameState, Island, LegalActions, Phase, Seat};
use crate::streams::Stream;

use memory::Memory;
use negotiation::Manners;
use plan::Plan;
use score::Weights;
use side::Side;
use survey::Survey;
use view::View;

/// How a planner chooses what to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// By what is ready first.
    Fast,
    /// By what it does to everybody's way to victory.
    Smart,
}

/// How a planner places the first settlements and roads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Opening {
    /// By what builds fastest.
    Planned,
    /// Any place, with equal probability.
    Random,
}

/// The settings of a planner.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Planner {
    /// How he chooses what to build.
    pub variant: Variant,
    /// Whether he trades with other players.
    pub trade: bool,
    /// How he places the first settlements and roads.
    pub opening: Opening,
    /// Planned: settlements are left to chance among those with which one of each piece takes at most
    /// so many throws more, in all, than with the best. At 0 a map has a single opening.
    #[schemars(range(max = 1000))]
    pub opening_slack: u16,
    /// Offers that he makes in a turn at most.
    #[schemars(range(max = 100))]
    pub offers_per_turn: u8,
    /// Who could have won after fewer throws than these gets no trade.
    #[schemars(range(max = 1000))]
    pub wary_below: u16,
    /// Throws by which a card that could be bought besides may delay the plan.
    #[schemars(range(max = 1000))]
    pub card_delay: u16,
    /// Smart: by what share the bonus of a piece shrinks with every throw that it takes.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub eta_bonus_factor: f64,
    /// Smart: weight of what a piece does to opponents who do not lead.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub adversarial: f64,
    /// Smart: weight of what a piece does to the leading opponents.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub leader_adversarial: f64,
    /// Smart: bonus of a development card beside knights and points.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub card_bonus: f64,
}

impl Planner {
    /// The fast variant.
    pub const FAST: Self = Self {
        variant: Variant::Fast,
        trade: true,
        opening: Opening::Planned,
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
    pub const SMART: Self = Self { variant: Variant::Smart, ..Self::FAST };

    /// A player with these settings, for one game.
    #[must_use]
    pub const fn seated(self) -> SeatedPlanner {
        SeatedPlanner { planner: self, memory: Memory::NONE, survey: Survey::NONE }
    }
}

impl Default for Planner {
    /// The fast variant.
    fn default() -> Self {
        Self::FAST
    }
}

/// A planner in a game, with what he remembers of the turn and has worked out of the board.
#[derive(Clone, Copy, Debug)]
pub struct SeatedPlanner {
    planner: Planner,
    memory: Memory,
    survey: Survey,
}

impl Player for SeatedPlanner {
    fn act(
        &mut self,
        island: &Island,
        state: &GameState,
        legal: &LegalActions,
        stream: &mut Stream,
    ) -> Action {
        let me = state.actor();
        let view = View { island, state, viewer: Some(me) };
        self.memory.update(state, me);
        if matches!(state.phase(), Phase::SetupSettlement) {
            // A game begins: what was worked out of another is of no use.
            self.survey = Survey::NONE;
        }
        let decision = match state.phase() {
            Phase::SetupSettlement | Phase::SetupRoad(_)
                if self.planner.opening == Opening::Random =>
            {
                None
            }
            Phase::SetupSettlement => {
                let slack = self.planner.opening_slack;
                opening::settlement(view, me, slack, stream).map(Action::Settlement)
            }
            Phase::SetupRoad(node) => opening::road(view, me, node).map(Action::Road),
            Phase::Start if cards::plays_knight_early(view, me) => Some(Action::Knight),
            Phase::Start => Some(Action::Roll),
            Phase::Discard => cards::discard(view, me, self.plan(view, me).as_ref()),
            Phase::Robber => robber::robber(view, me, legal, stream),
            Phase::FreeRoads(_) => {
                let wish = plan::any_road(view, me);
                cards::free_road(self.plan(view, me).as_ref(), wish, legal).map(Action::Road)
            }
            Phase::Main => Some(self.main(view, me, legal)),
            Phase::Answer => Some(self.answer(view, me)),
            Phase::Choose => {
                self.side(view, me).map(|side| negotiation::choose(view, &mut self.survey, &side))
            }
            Phase::Won(_) => None,
        };
        decision.unwrap_or_else(|| Random.act(island, state, legal, stream))
    }
}

impl SeatedPlanner {
    fn plan(&mut self, view: View<'_>, me: Seat) -> Option<Plan> {
        let Self { planner, memory, survey } = self;
        memory.plan(view.state, me, || match planner.variant {
            Variant::Fast => survey.prospects(view, me).fast(view, me),
            Variant::Smart => score::smart(view, me, &planner.weights()),
        })
    }

    fn side(&mut self, view: View<'_>, me: Seat) -> Option<Side> {
        self.plan(view, me).map(|plan| Side::new(view, me, plan))
    }

    /// After the roll: cards, the planned piece, offers, the bank, what is left for a card.
    fn main(&mut self, view: View<'_>, me: Seat, legal: &LegalActions) -> Action {
        let Some(plan) = self.plan(view, me) else { return Action::EndTurn };
        if let Some(card) = cards::development(view, me, &plan, legal) {
            return card;
        }
        if legal.contains(plan.goal.piece()) {
            return plan.goal.piece();
        }
        if let Some(offer) = self.offer(view, me, plan) {
            return offer;
        }
        if let Some(trade) = cards::maritime(view, me, &plan, legal) {
            return trade;
        }
        if legal.contains(Action::BuyCard) {
            let rest: ResourceCards = view.state.hand(me).minus(CARD_COST);
            let delayed = view.economy(me).throws(rest, plan.goal.cost(), estimate::LIMIT);
            if delayed <= plan.throws.saturating_add(self.planner.card_delay) {
                return Action::BuyCard;
            }
        }
        Action::EndTurn
    }

    fn offer(&mut self, view: View<'_>, me: Seat, plan: Plan) -> Option<Action> {
        if !self.planner.trade || self.planner.offers_per_turn <= self.memory.n_offers {
            return None;
        }
        let side = Side::new(view, me, plan);
        let offer = self.planner.manners().offer(view, &mut self.survey, &side, &self.memory)?;
        if !view.state.may_offer(offer) {
            return None;
        }
        self.memory.offered(offer, view.state.hand(me));
        Some(Action::Offer(offer))
    }

    fn answer(&mut self, view: View<'_>, me: Seat) -> Action {
        if !self.planner.trade {
            return Action::Decline;
        }
        let Some(side) = self.side(view, me) else { return Action::Decline };
        self.planner.manners().answer(view, &mut self.survey, &side)
    }
}

impl Planner {
    const fn manners(&self) -> Manners {
        Manners { wary_below: self.wary_below }
    }

    const fn weights(&self) -> Weights {
        Weights {
            eta_bonus_factor: self.eta_bonus_factor,
            adversarial: self.adversarial,
            leader_adversarial: self.leader_adversarial,
            card_bonus: self.card_bonus,
        }
    }
}
