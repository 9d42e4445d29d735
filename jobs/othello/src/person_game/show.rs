//! Games as scenes: a frame for the start and for each turn.

use std::ops::ControlFlow;

use hatchery_core::{SceneSink, SceneWriter};

use super::game::{AgentThought, PersonGame, PersonGameTurn, PersonResult};
use crate::players::BoardTurn;
use crate::trial::scene::{agent_text, base, chosen_text, observed_text, things};

/// The amount of detail in a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameView {
    /// For the person: the moves, but neither the kind of agent nor its thoughts.
    Person,
    /// For the operator of a study: also the agent, its choices, and the estimate of the person.
    Operator,
}

impl PersonGame {
    /// Shows the game so far, until `sink` wants no more.
    pub fn show(&self, view: GameView, sink: &mut dyn SceneSink) -> ControlFlow<()> {
        let mut scene = SceneWriter::begin(sink, &base())?;
        let agent = self.person().opponent();
        let mut caption = format!("{} is the person, {agent} is the agent", self.person());
        if view == GameView::Operator {
            caption = format!("{caption}: {}", agent_text(self.agent()));
        }
        scene.show(caption, things(self.record().start(), None))?;
        let after = self.turns().iter().skip(1).map(|turn| &turn.position);
        for (turn, after) in self.turns().iter().zip(after.chain([self.position()])) {
            let mut caption = self.turn_text(turn);
            if view == GameView::Operator
                && let Some(thought) = self.thought_text(turn)
            {
                caption = format!("{caption}\n  {thought}");
            }
            match turn.turn {
                BoardTurn::Play(square) => scene.show(caption, things(after, Some(square)))?,
                BoardTurn::Pass => scene.say(caption)?,
            }
        }
        let Some(result) = self.result() else { return ControlFlow::Continue(()) };
        let result = match result {
            PersonResult::Won => "the person wins",
            PersonResult::Drawn => "a draw",
            PersonResult::Lost => "the agent wins",
        };
        let count = self.position().count();
        scene.say(format!("{result}: {} black discs, {} white", count.black, count.white))
    }

    fn turn_text(&self, turn: &PersonGameTurn) -> String {
        let color = turn.color();
        let who = if color == self.person() { "the person" } else { "the agent" };
        match turn.turn {
            BoardTurn::Play(square) => format!("{who}, {color}, plays {square}"),
            BoardTurn::Pass => format!("{who}, {color}, has no move and passes"),
        }
    }

    fn thought_text(&self, turn: &PersonGameTurn) -> Option<String> {
        match (&turn.thought, turn.turn) {
            (AgentThought::Observed(observed), BoardTurn::Play(square)) => {
                Some(observed_text(self.agent(), observed, square))
            }
            (AgentThought::Chose(chosen), _) => chosen_text(chosen),
            (AgentThought::None | AgentThought::Observed(_), _) => None,
        }
    }
}
