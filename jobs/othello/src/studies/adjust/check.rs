//! The checks of a spec of `othello-adjust`.

use hatchery_core::InvalidValue;

use super::arms::{AdjustArm, ArmKind, Opponent};
use super::spec::{AdjustSpec, ArmParam, BotParam, ChangingBotParam, JudgeParam};
use crate::params::match_param;
use crate::players::{
    AdjustingAgent, AgentChoices, DepthReading, MctsAgent, OthelloAgent, SearchSettings,
};
use crate::trial::opening::OpeningRule;
use crate::trial::setup::{JudgeSettings, MatchSetup, OpponentChange};

/// The most games of a run: results are some bytes for each.
const MAX_GAMES: u64 = 10_000_000;

/// The most judged games of a run: records have some hundred bytes for each.
const MAX_JUDGED_GAMES: u64 = 200_000;

/// Depths as lists have them.
const DEPTHS: &str = "different depths in ascending order";

/// A spec whose parameters fit together.
#[derive(Debug)]
pub struct CheckedAdjust {
    pub(super) spec: AdjustSpec,
    /// The arms, the controls last.
    pub(super) arms: Vec<AdjustArm>,
    /// The opponents: the BOTs, then the people.
    pub(super) opponents: Vec<Opponent>,
    pub(super) openings: OpeningRule,
    pub(super) judge: JudgeSettings,
}

impl AdjustSpec {
    /// Checks that the parameters fit together.
    pub(super) fn checked(self) -> Result<CheckedAdjust, InvalidValue> {
        even("games", self.games)?;
        even("people.games", self.people.games)?;
        if !self.sequence.is_multiple_of(4) {
            let expected = format!("a multiple of 4, at most {}", 2 * MatchSetup::MAX_PAIRS);
            return Err(InvalidValue::new("sequence", &self.sequence, expected));
        }
        self.softmax.check().map_err(|invalid| invalid.under("softmax"))?;
        let (arms, opponents) = (self.arms()?, self.opponents()?);
        let n_cells = arms.len() * opponents.len();
        for (key, n, what, most) in [
            ("games", self.games.max(self.people.games), "games", MAX_GAMES),
            ("judge.games", self.judge.games.min(self.games), "judged games", MAX_JUDGED_GAMES),
        ] {
            let factors = [(n.into(), what), (n_cells as u64, "arms against opponents")];
            InvalidValue::check_product(key, &factors, what, most)?;
        }
        let judge = self.judge()?;
        self.check_judge()?;
        for (arm, opponent) in arms.iter().flat_map(|arm| opponents.iter().map(move |it| (arm, it)))
        {
            let sequence = self.sequence.to_string();
            let playouts = self.search.playouts.to_string();
            let (key, found, games) = match arm.agent.carries() || opponent.change.is_some() {
                true => ("sequence", &sequence, self.sequence),
                false => ("search.playouts", &playouts, 2),
            };
            let changed = opponent.change.map(|change| change.agent);
            for other in [opponent.agent].into_iter().chain(changed) {
                let agents = [&arm.agent, &OthelloAgent::Mcts(other)];
                match_param::check_work((key, found), games, agents, self.judge.playouts)?;
            }
        }
        let openings = self.openings.rule(2 * n_cells)?;
        Ok(CheckedAdjust { arms, opponents, openings, judge, spec: self })
    }

    /// Checks that no agent is stronger than the judge of its moves.
    fn check_judge(&self) -> Result<(), InvalidValue> {
        let others = [&self.choices, &self.people.depths].into_iter().flatten();
        let depths = others.chain([&self.fixed]).copied();
        let depths = self.bots.iter().flat_map(|bot| bot.depths()).chain(depths);
        let agents = depths.map(|depth| self.agent("search", depth));
        let agents: Vec<MctsAgent> = agents.collect::<Result<_, _>>()?;
        let strongest = agents.iter().max_by_key(|agent| (agent.playouts(), agent.depth()));
        let strongest = strongest.filter(|agent| self.judge.playouts < agent.playouts());
        let Some(agent) = strongest.filter(|_| self.judge.games != 0) else { return Ok(()) };
        let expected = format!(
            "at least {}, the playouts of the agent of depth {}: a judge must not be weaker than \
             the players; `judge.games` of 0 leaves it out",
            agent.playouts(),
            agent.depth()
        );
        Err(InvalidValue::new("judge.playouts", &self.judge.playouts, expected))
    }

    fn arms(&self) -> Result<Vec<AdjustArm>, InvalidValue> {
        let agents = self.choices.iter().map(|&depth| self.agent("choices", depth));
        let agents: Vec<MctsAgent> = agents.collect::<Result<_, _>>()?;
        let choices = AgentChoices::new(agents).map_err(|_| {
            let found = format!("{:?}", self.choices);
            InvalidValue::new("choices", &found, DEPTHS)
        })?;
        let strongest = choices.agents()[choices.agents().len() - 1];
        let mut arms = Vec::new();
        for (number, param) in self.arms.iter().enumerate() {
            if self.arms[..number].contains(param) {
                let key = format!("arms.{number}");
                let expected = "an arm that is not listed yet: each at most once";
                let found = format!("{:?}", param.kind().name());
                return Err(InvalidValue::new(key, &found, expected));
            }
            let (kind, agent) = match param {
                ArmParam::Adjusting => {
                    let agent = AdjustingAgent { choices: choices.clone(), rules: self.rules };
                    (ArmKind::Adjusting, OthelloAgent::Adjusting(agent))
                }
                ArmParam::Dynamic => {
                    let agent = OthelloAgent::Dynamic { search: strongest, settings: self.dynamic };
                    (ArmKind::Dynamic, agent)
                }
                ArmParam::Softmax => {
                    let agent = OthelloAgent::Softmax { search: strongest, settings: self.softmax };
                    (ArmKind::Softmax, agent)
                }
            };
            arms.push(AdjustArm { kind, agent });
        }
        let fixed = self.agent("fixed", self.fixed)?;
        arms.push(AdjustArm { kind: ArmKind::Fixed, agent: OthelloAgent::Mcts(fixed) });
        arms.push(AdjustArm {
            kind: ArmKind::RandomAgent,
            agent: OthelloAgent::RandomAgent(choices),
        });
        Ok(arms)
    }

    fn opponents(&self) -> Result<Vec<Opponent>, InvalidValue> {
        let steady: Vec<u32> = self.bots.iter().filter_map(|bot| bot.depth()).collect();
        for (key, depths) in [("bots", &steady), ("people.depths", &self.people.depths)] {
            if !depths.is_sorted_by(|a, b| a < b) {
                let found = format!("{depths:?}");
                return Err(InvalidValue::new(key, &found, DEPTHS));
            }
        }
        let bots = self.bots.iter().enumerate().map(|(number, bot)| {
            let (depth, change) = match bot {
                BotParam::Depth(depth) => (*depth, None),
                BotParam::Changing(it) => (it.from, Some(self.change(number, it)?)),
            };
            let agent = self.agent("bots", depth)?;
            Ok(Opponent { person: None, agent, change, games: self.games })
        });
        let people = self.people.depths.iter().zip(1..).map(|(&depth, number)| {
            let agent = self.agent("people.depths", depth)?;
            let (person, games) = (Some(number), self.people.games);
            Ok(Opponent { person, agent, change: None, games })
        });
        bots.chain(people).collect()
    }

    /// Returns the change of BOT number `number`.
    fn change(
        &self,
        number: usize,
        changing: &ChangingBotParam,
    ) -> Result<OpponentChange, InvalidValue> {
        let ChangingBotParam { from, to, at } = *changing;
        let is_same = |other: &BotParam| match other {
            BotParam::Depth(_) => false,
            BotParam::Changing(other) => (other.from, other.to) == (from, to),
        };
        let key = |field: &str| format!("bots.{number}.{field}");
        if from == to || self.bots[..number].iter().any(is_same) {
            let expected = "another depth than `from`, and than that of an earlier BOT from there";
            return Err(InvalidValue::new(key("to"), &to, expected));
        }
        let least = 2 * OpponentChange::MIN_BEFORE;
        let after = 2 * OpponentChange::MIN_AFTER;
        let most = self.sequence.saturating_sub(after);
        if !at.is_multiple_of(2) || !(least..=most).contains(&at) {
            let expected = format!(
                "an even number from {least} to {most}: `sequence` is {}, and {after} games \
                 or more follow the change",
                self.sequence
            );
            return Err(InvalidValue::new(key("at"), &at, expected));
        }
        let sequences = self.games.div_ceil(self.sequence - at);
        let n_arms = self.arms.len() as u64 + 2;
        let factors = [(sequences.into(), "sequences"), (self.sequence.into(), "games of each")];
        let factors = [factors[0], factors[1], (n_arms, "arms")];
        InvalidValue::check_product("games", &factors, "games", MAX_GAMES)?;
        Ok(OpponentChange { after: at / 2, agent: self.agent(&key("to"), to)? })
    }

    fn judge(&self) -> Result<JudgeSettings, InvalidValue> {
        let JudgeParam { playouts, empties, games: _ } = self.judge;
        let settings = SearchSettings { playouts, reading: DepthReading::TreeCap, ..self.search };
        let agent = MctsAgent::new(60, settings)
            .map_err(|error| InvalidValue::new("judge.playouts", &playouts, error.to_string()))?;
        Ok(JudgeSettings { agent, empties })
    }

    fn agent(&self, key: &str, depth: u32) -> Result<MctsAgent, InvalidValue> {
        MctsAgent::new(depth, self.search).map_err(|error| {
            let expected = format!("possible with `search`: {error}");
            InvalidValue::new(key, &depth, expected)
        })
    }
}

fn even(key: &str, games: u32) -> Result<(), InvalidValue> {
    if games.is_multiple_of(2) {
        return Ok(());
    }
    Err(InvalidValue::new(key, &games, "an even number: each opening is played with both colors"))
}
