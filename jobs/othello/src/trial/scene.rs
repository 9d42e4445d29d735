//! Games as scenes: the board, the last move, and what the agents thought.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use hatchery_core::scene::{
    SceneColor, SceneLabel, ScenePlace, SceneSpace, SceneSymbol, SceneThings, SceneTile, SymbolId,
    SymbolShape, ThingId, ThingPose,
};
use hatchery_core::text::joined;
use hatchery_core::{SceneBase, SceneWriter, StreamRng};

use super::play::GameWatcher;
use super::setup::MatchSetup;
use crate::players::{
    AgentMove, FIRST_CHOICES, LEVEL_STEPS, MoveRanking, ObservedMove, OthelloAgent,
};
use crate::record::RecordedGame;
use crate::rules::{DiscColor, Position, ScoreRule, Square, SquareSet};

/// The number of squares in a row.
const WIDTH: u16 = 8;

/// The symbol of an empty square.
const SQUARE: SymbolId = SymbolId(4);

/// Returns the empty board.
pub(crate) fn base() -> SceneBase {
    let disk = SymbolShape::Disk { radius: 420 };
    let symbols = vec![
        SceneSymbol::new("black disc", "X", SceneColor::Black, disk.clone()),
        SceneSymbol::new("white disc", "O", SceneColor::White, disk.clone()),
        SceneSymbol::new("black disc just placed", ">X", SceneColor::Black, disk.clone())
            .inscribed("•"),
        SceneSymbol::new("white disc just placed", ">O", SceneColor::White, disk).inscribed("•"),
        SceneSymbol::new("square", "·", SceneColor::Green, SymbolShape::Cell),
    ];
    let mut base =
        SceneBase::new(SceneSpace::Grid { columns: WIDTH, rows: WIDTH, margin: 1 }, symbols);
    let squares = (0..i32::from(WIDTH)).flat_map(|y| (0..i32::from(WIDTH)).map(move |x| (x, y)));
    base.tiles
        .extend(squares.map(|(x, y)| SceneTile { symbol: SQUARE, place: ScenePlace::new(x, y) }));
    for (name, at) in ('a'..='h').zip(0..) {
        base.labels.push(SceneLabel { text: name.to_string(), place: ScenePlace::new(at, -1) });
    }
    for row in 0..i32::from(WIDTH) {
        let text = (row + 1).to_string();
        base.labels.push(SceneLabel { text, place: ScenePlace::new(-1, row) });
    }
    base
}

/// Returns the discs of a position.
pub(crate) fn things(position: &Position, last: Option<Square>) -> SceneThings {
    let mut things = SceneThings::new();
    let all = SquareSet::from_bits(u64::MAX);
    for (number, square) in (0..).zip(all) {
        let is_black = position.discs(DiscColor::Black).contains(square);
        let is_white = position.discs(DiscColor::White).contains(square);
        if !is_black && !is_white {
            continue;
        }
        let just_placed = if last == Some(square) { 2 } else { 0 };
        let symbol = SymbolId(u16::from(is_white) + just_placed);
        let place = ScenePlace::new(square.column().into(), square.row().into());
        things.insert(ThingId(number), ThingPose::at(symbol, place));
    }
    things
}

/// Shows the games of a trial: a frame for each opening and each move. What agents say about a move
/// is kept until the game is over, when all moves are known.
pub(crate) struct SceneWatcher<'a> {
    scene: SceneWriter<'a>,
    flow: ControlFlow<()>,
    setup: &'a MatchSetup,
    names: [String; 2],
    n_games: u32,
    /// The color of the first agent in the current game.
    color: DiscColor,
    opening: usize,
    /// The thoughts about the moves of the current game, by the number of discs before each.
    notes: BTreeMap<u32, Vec<MoveNote>>,
}

/// A thought of an agent about a move.
enum MoveNote {
    /// Agent number `agent` observed it.
    Observed { agent: usize, observed: ObservedMove },
    /// The agent to move chose it.
    Chosen(AgentMove),
}

impl<'a> SceneWatcher<'a> {
    pub(crate) fn new(scene: SceneWriter<'a>, setup: &'a MatchSetup) -> Self {
        Self {
            scene,
            flow: ControlFlow::Continue(()),
            setup,
            names: names_in(setup, 0),
            n_games: 0,
            color: DiscColor::Black,
            opening: 0,
            notes: BTreeMap::new(),
        }
    }

    /// Returns whether more frames are wanted.
    pub(crate) fn flow(&self) -> ControlFlow<()> {
        self.flow
    }

    fn note(&mut self, position: &Position, note: MoveNote) {
        let count = position.count();
        self.notes.entry(count.black + count.white).or_default().push(note);
    }

    fn show(&mut self, caption: String, things: SceneThings) {
        if self.flow.is_continue() {
            self.flow = self.scene.show(caption, things);
        }
    }

    fn say(&mut self, caption: String) {
        if self.flow.is_continue() {
            self.flow = self.scene.say(caption);
        }
    }

    fn text(&self, note: &MoveNote, square: Square) -> Option<String> {
        match note {
            MoveNote::Observed { agent, observed } => {
                Some(observed_text(&self.setup.agents[*agent], observed, square))
            }
            MoveNote::Chosen(chosen) => chosen_text(chosen),
        }
    }

    fn name(&self, color: DiscColor) -> &str {
        &self.names[usize::from(color != self.color)]
    }
}

impl GameWatcher for SceneWatcher<'_> {
    fn begins(&mut self, opening: &RecordedGame, colors: [DiscColor; 2]) {
        self.names = names_in(self.setup, self.n_games);
        self.n_games += 1;
        self.color = colors[0];
        self.opening = opening.moves().len();
        self.notes.clear();
        let caption = format!(
            "game {}: black is {}, white is {}",
            self.n_games,
            self.name(DiscColor::Black),
            self.name(DiscColor::White)
        );
        self.show(caption, things(opening.start(), None));
    }

    fn observed(&mut self, agent: usize, position: &Position, observed: &ObservedMove) {
        self.note(position, MoveNote::Observed { agent, observed: observed.clone() });
    }

    fn chose(
        &mut self,
        _agent: usize,
        position: &Position,
        chosen: &AgentMove,
        _stream: &StreamRng,
    ) {
        self.note(position, MoveNote::Chosen(chosen.clone()));
    }

    fn wants_more(&self) -> bool {
        self.flow.is_continue()
    }

    fn ended(&mut self, game: &RecordedGame) {
        let turns: Vec<_> = game.turns().collect();
        let after = turns.iter().skip(1).map(|turn| turn.position).chain([*game.last_position()]);
        for ((turn, after), ply) in turns.iter().zip(after).zip(1..) {
            let color = turn.position.turn();
            let count = turn.position.count();
            let notes = self.notes.remove(&(count.black + count.white)).unwrap_or_default();
            let who = if ply <= self.opening { "opening" } else { self.name(color) };
            let mut caption = format!("move {ply}: {color} {} ({who})", turn.square);
            for note in notes.iter().filter_map(|note| self.text(note, turn.square)) {
                caption.push_str("\n  ");
                caption.push_str(&note);
            }
            self.show(caption, things(&after, Some(turn.square)));
            let next = turns.get(ply).map(|next| next.position.turn());
            if next == Some(color) {
                let passed = color.opponent();
                self.say(format!("{passed} passes: no legal move ({})", self.name(passed)));
            }
        }
        let count = game.last_position().count();
        let (black, white) = (count.black, count.white);
        let result = match count.black_score(ScoreRule::DiscDifference) {
            1.. => "black wins",
            0 => "a draw",
            _ => "white wins",
        };
        self.say(format!("{result}, {black} to {white} discs"));
    }
}

/// Describes what the adjusting agent `agent` observed about a move on `square`: the choices that
/// it compared, by its agents' depths, the choices that matched, T and T_s.
pub(crate) fn observed_text(
    agent: &OthelloAgent,
    observed: &ObservedMove,
    square: Square,
) -> String {
    let (depths, n_choices) = match agent {
        OthelloAgent::Adjusting(agent) => (agent.choices.depths(), agent.rules.choices as usize),
        _ => (&[][..], 0),
    };
    let agents = || depths.iter().zip(&observed.rankings);
    let choices =
        agents().map(|(depth, ranking)| format!("{depth}: {}", first_choices(ranking, n_choices)));
    let choices: Vec<String> = choices.collect();
    let matched = match observed.matched {
        Some(found) if found.choice == 0 => format!("no match, T {}", plies(found.depth)),
        Some(found) => {
            let matches = |ranking: &MoveRanking| ranking.rank(square) == Some(found.choice);
            let matching = agents().filter(|(_, ranking)| matches(ranking));
            let matching: Vec<String> = matching.map(|(depth, _)| depth.to_string()).collect();
            let depths = if matching.len() == 1 { "depth" } else { "depths" };
            format!(
                "{square} is choice {} of {depths} {}, T {}",
                found.choice,
                joined(&matching),
                plies(found.depth)
            )
        }
        None => "no match".to_owned(),
    };
    let estimate = observed.estimate.mean();
    let estimate = estimate.map_or_else(|| "unknown".to_owned(), |mean| format!("{mean:.2}"));
    format!("agents would play {}: {matched}, T_s {estimate}", choices.join(" | "))
}

/// Describes a choice: the depth, the place of the move among all choices, the first ones, and the
/// strength index of a softmax agent; `None` of an agent that does not rank moves.
pub(crate) fn chosen_text(chosen: &AgentMove) -> Option<String> {
    let ranking = chosen.ranking.as_ref()?;
    let depth = chosen.depth.map_or(String::new(), |depth| format!("depth {depth}: "));
    let rank = chosen.rank().map_or_else(|| "?".to_owned(), |rank| rank.to_string());
    let choices = first_choices(ranking, FIRST_CHOICES);
    let (n, mean) = (ranking.moves().len(), ranking.mean());
    let z = chosen.z.map_or_else(String::new, |z| format!(", z {z:.2}"));
    Some(format!("{depth}choice {rank} of {n} (the first are {choices}), score {mean:.2}{z}"))
}

fn first_choices(ranking: &MoveRanking, n: usize) -> String {
    let choices = ranking.moves().iter().take(n);
    choices.map(|ranked| ranked.mv.to_string()).collect::<Vec<_>>().join(" ")
}

fn plies(depth: u32) -> String {
    format!("{:.2}", f64::from(depth) / f64::from(LEVEL_STEPS))
}

/// Describes the agents that play game number `game` of a trial, counted from 0.
pub(super) fn names_in(setup: &MatchSetup, game: u32) -> [String; 2] {
    let [first, second] = setup.agents.each_ref().map(agent_text);
    match setup.change.filter(|change| 2 * change.after <= game) {
        Some(change) => [first, agent_text(&OthelloAgent::Mcts(change.agent))],
        None => [first, second],
    }
}

/// Describes an agent in a few words.
pub(crate) fn agent_text(agent: &OthelloAgent) -> String {
    match agent {
        OthelloAgent::Random => "random".to_owned(),
        OthelloAgent::Mcts(search) => format!("mcts of depth {}", search.depth()),
        OthelloAgent::Adjusting(agent) => {
            format!("adjusting among depths {:?}", agent.choices.depths())
        }
        OthelloAgent::Dynamic { search, .. } => format!("dynamic of depth {}", search.depth()),
        OthelloAgent::Softmax { search, .. } => format!("softmax of depth {}", search.depth()),
        OthelloAgent::RandomAgent(choices) => format!("any agent of depths {:?}", choices.depths()),
        OthelloAgent::Solver { empties, .. } => format!("solver within {empties} empty squares"),
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;
    use crate::players::{
        AdjustingAgent, AgentChoices, AgentPlayer, DepthReading, MatchingRules, MctsAgent,
        SearchSettings,
    };
    use crate::record::transcript;
    use crate::rules::BoardBackend;

    #[test]
    fn as_many_choices_are_listed_as_are_compared() {
        let search = SearchSettings {
            playouts: 20,
            reading: DepthReading::TreeCap,
            plies_per_doubling: 4.0,
            exploration: 0.7,
        };
        let agents = [2, 6].map(|depth| MctsAgent::new(depth, search).unwrap());
        let position = *transcript::read(b"f5", Position::START).unwrap().last_position();
        let check = |choices: u32, expected: usize| {
            let rules = MatchingRules { choices, ..MatchingRules::default() };
            let choices = AgentChoices::new(agents.to_vec()).unwrap();
            let agent = OthelloAgent::Adjusting(AdjustingAgent { choices, rules });
            let mut player = AgentPlayer::new(agent.clone(), BoardBackend::Plain);
            let stream = RunSeed::new("scene", 1).generation(0).stream("observed");
            let square = position.legal_moves().into_iter().next().unwrap();
            let observed = player.observe(&position, square, &stream).unwrap();
            let text = observed_text(&agent, &observed, square);
            let listed = text.strip_prefix("agents would play 2: ").unwrap();
            let listed = listed.split(" | ").next().unwrap();
            assert_eq!(listed.split(' ').count(), expected, "{text}");
        };
        check(1, 1);
        check(2, 2);
        // A position with three moves.
        check(60, 3);
    }
}
