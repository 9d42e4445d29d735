//! The game: its turns, and whose turn is next.

use hatchery_core::{RunSeed, StreamRng};
use hatchery_search::choice_stream;

use super::error::PersonGameError;
use crate::players::{
    AgentMemory, AgentMove, AgentPlayer, BoardTurn, ObservedMove, OthelloAgent, StrengthEstimate,
    StrengthIndex, choices,
};
use crate::record::RecordedGame;
use crate::rules::{BoardBackend, DiscColor, Position, Square, TurnState};

/// The largest number of playouts between a person's move and the reply: about a second. It also
/// bounds the time that a saved game takes to be checked.
const MAX_PLAYOUTS: u64 = 1_000_000;

/// The name of the seed's tree. With another one, saved games would be other games.
const SEED_NAME: &str = "othello-person-game";

/// A game of an agent against a person.
///
/// Two games are equal if their seeds, agents, colors and moves are. At each ply, the agent draws
/// its numbers from a separate stream for this ply, as in a match. Instructions have no influence.
#[derive(Clone, Debug, PartialEq)]
pub struct PersonGame {
    seed: u64,
    agent: OthelloAgent,
    person: DiscColor,
    record: RecordedGame,
    turns: Vec<PersonGameTurn>,
    memory: AgentMemory,
}

/// A move or a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct PersonGameTurn {
    /// The position before; the player to move in it is the one that makes the turn.
    pub position: Position,
    /// The move or the pass.
    pub turn: BoardTurn,
    /// The agent's thought about the move.
    pub thought: AgentThought,
    /// The agent's knowledge before the turn.
    memory: AgentMemory,
}

/// An agent's thought about a move.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentThought {
    /// None: a pass, the agent's only legal move, or a move of the person that the agent does not
    /// observe.
    None,
    /// An adjusting agent observed the person's move.
    Observed(ObservedMove),
    /// The agent chose the move.
    Chose(AgentMove),
}

/// The player whose turn is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextTurn {
    /// The person.
    Person,
    /// The agent.
    Agent,
    /// Neither: the game is over.
    Over,
}

/// The result of a game, as the person sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PersonResult {
    /// The person has more discs.
    Won,
    /// Both have as many.
    Drawn,
    /// The agent has more discs.
    Lost,
}

impl PersonGameTurn {
    /// Returns the player that made the turn.
    #[must_use]
    pub const fn color(&self) -> DiscColor {
        self.position.turn()
    }
}

impl PersonGame {
    /// Returns a game without moves from the start; the person plays `person`.
    ///
    /// # Errors
    /// If a setting of the agent is out of range, or it searches for too long.
    pub fn new(seed: u64, agent: OthelloAgent, person: DiscColor) -> Result<Self, PersonGameError> {
        agent.check()?;
        let found = agent.playouts_per_reply();
        if MAX_PLAYOUTS < found {
            return Err(PersonGameError::TooManyPlayouts { found, max: MAX_PLAYOUTS });
        }
        let memory = AgentMemory::new(&agent);
        let record = RecordedGame::begin(Position::START);
        Ok(Self { seed, agent, person, record, turns: Vec::new(), memory })
    }

    /// Returns the seed.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the agent.
    #[must_use]
    pub const fn agent(&self) -> &OthelloAgent {
        &self.agent
    }

    /// Returns the person's color.
    #[must_use]
    pub const fn person(&self) -> DiscColor {
        self.person
    }

    /// Returns the game as a record: the moves without passes, and the last position.
    #[must_use]
    pub const fn record(&self) -> &RecordedGame {
        &self.record
    }

    /// Returns the position. The player to move in it has a move, or the game is over.
    #[must_use]
    pub fn position(&self) -> &Position {
        self.record.last_position()
    }

    /// Returns all turns, passes among them.
    #[must_use]
    pub fn turns(&self) -> &[PersonGameTurn] {
        &self.turns
    }

    /// Returns the agent's estimate of the person's strength, T_s of the paper. Agents that do not
    /// adjust never observe a move.
    #[must_use]
    pub const fn estimate(&self) -> &StrengthEstimate {
        &self.memory.estimate
    }

    /// Returns the strength index of a softmax agent.
    #[must_use]
    pub const fn index(&self) -> Option<&StrengthIndex> {
        self.memory.index.as_ref()
    }

    /// Returns the player whose turn is next.
    #[must_use]
    pub fn next_turn(&self) -> NextTurn {
        match self.record.state() {
            TurnState::Over => NextTurn::Over,
            _ if self.position().turn() == self.person => NextTurn::Person,
            _ => NextTurn::Agent,
        }
    }

    /// Returns the result, or `None` while the game is not over.
    #[must_use]
    pub fn result(&self) -> Option<PersonResult> {
        if self.next_turn() != NextTurn::Over {
            return None;
        }
        Some(match self.record.half_points(self.person) {
            0 => PersonResult::Lost,
            1 => PersonResult::Drawn,
            _ => PersonResult::Won,
        })
    }

    /// Makes the person's move `square`, which the agent observes. Returns the turns made: the
    /// move, and the agent's pass if it must pass.
    ///
    /// # Errors
    /// If it is not the person's turn or the move is illegal. The game is then as before.
    pub fn play(
        &mut self,
        square: Square,
        backend: BoardBackend,
    ) -> Result<&[PersonGameTurn], PersonGameError> {
        if self.next_turn() == NextTurn::Agent {
            let color = self.person.opponent();
            return Err(PersonGameError::AgentsTurn { square, color });
        }
        // After the end, the record refuses the move.
        let (position, stream) = (*self.position(), self.stream());
        self.record.push(square)?;
        let mut player = self.player(backend);
        let observed = player.observe(&position, square, &stream);
        let thought = observed.map_or(AgentThought::None, AgentThought::Observed);
        Ok(self.add(position, square, thought, player.memory()))
    }

    /// Makes the agent's move. Returns the turns made: the move, and the person's pass if the
    /// person must pass.
    ///
    /// # Errors
    /// If it is not the agent's turn.
    pub fn reply(&mut self, backend: BoardBackend) -> Result<&[PersonGameTurn], PersonGameError> {
        let position = *self.position();
        let legal = position.legal_moves();
        let Some(first) = legal.iter().next() else { return Err(PersonGameError::Over) };
        if self.next_turn() == NextTurn::Person {
            return Err(PersonGameError::PersonsTurn { color: self.person, legal });
        }
        let mut player = self.player(backend);
        // As in a match, an agent is not asked for its only move.
        let chosen = choices(&position).map(|_| player.choose(&position, &self.stream()));
        let square = chosen.as_ref().map_or(first, |chosen| chosen.square);
        self.record.push(square)?;
        let thought = chosen.map_or(AgentThought::None, AgentThought::Chose);
        Ok(self.add(position, square, thought, player.memory()))
    }

    /// Takes back the person's last move and all turns since. Returns them in the order in which
    /// they had been made. The game is then as it was before the move, and so will be the replies.
    ///
    /// # Errors
    /// If the person has not moved yet.
    pub fn undo(&mut self) -> Result<Vec<PersonGameTurn>, PersonGameError> {
        let is_move =
            |turn: &PersonGameTurn| turn.color() == self.person && turn.turn != BoardTurn::Pass;
        let last = self.turns.iter().rposition(is_move).ok_or(PersonGameError::NothingToUndo)?;
        let kept = self.turns[..last].iter().filter(|turn| turn.turn != BoardTurn::Pass).count();
        self.record = RecordedGame::new(*self.record.start(), &self.record.moves()[..kept])?;
        self.memory = self.turns[last].memory;
        Ok(self.turns.split_off(last))
    }

    /// Returns the agent at play, with what it has learned by now.
    fn player(&self, backend: BoardBackend) -> AgentPlayer {
        let mut player = AgentPlayer::new(self.agent.clone(), backend);
        player.restore(self.memory);
        player
    }

    /// Returns the agent's stream of the next ply, passes counted: that of its side, as in a match.
    fn stream(&self) -> StreamRng {
        let game = RunSeed::new(SEED_NAME, self.seed).generation(0).stream("game");
        let ply = u32::try_from(self.turns.len()).unwrap_or(u32::MAX);
        let side = u32::from(self.person == DiscColor::Black);
        choice_stream(&game, ply, side)
    }

    /// Adds the move `square`, which the record has, and the pass that follows if one does. Returns
    /// these turns.
    fn add(
        &mut self,
        position: Position,
        square: Square,
        thought: AgentThought,
        memory: AgentMemory,
    ) -> &[PersonGameTurn] {
        let first = self.turns.len();
        let before = std::mem::replace(&mut self.memory, memory);
        let turn = BoardTurn::Play(square);
        self.turns.push(PersonGameTurn { position, turn, thought, memory: before });
        let next = self.record.last_position();
        // The record has the position after the pass.
        if next.turn() == position.turn() && self.record.state() != TurnState::Over {
            let (other, passing) = (next.turn(), next.turn().opponent());
            let before = Position::of_mover(next.discs(passing), next.discs(other), passing);
            self.turns.push(PersonGameTurn {
                position: before,
                turn: BoardTurn::Pass,
                thought: AgentThought::None,
                memory,
            });
        }
        &self.turns[first..]
    }
}
