//! A trial: the games of two agents.

use std::cell::RefCell;
use std::ops::Range;

use hatchery_core::{StreamRng, TrialContext, TrialPulse};
use hatchery_search::{MatchRecord, TurnPlayer, play_match};
use hatchery_stats::PairResult;

use super::results::{LevelSums, MatchResults, PairGames};
use super::setup::MatchSetup;
use crate::players::{
    AgentMove, AgentPlayer, BoardTurn, LEVEL_STEPS, ObservedMove, OthelloAgent, OthelloGame,
    SearchEffort,
};
use crate::record::RecordedGame;
use crate::rules::{BoardBackend, DiscColor, PlainOps, Position};

/// The game as the two players of a match see it. Their searches choose instructions themselves.
type PlainOthelloGame = OthelloGame<PlainOps>;

/// A viewer of the games of a trial. By default it looks away.
pub(crate) trait GameWatcher {
    /// A game begins: `colors` are the two agents' colors.
    fn begins(&mut self, _opening: &RecordedGame, _colors: [DiscColor; 2]) {}

    /// Agent number `agent` observed the move that the opponent makes in `position`.
    fn observed(&mut self, _agent: usize, _position: &Position, _observed: &ObservedMove) {}

    /// Agent number `agent` chose a move in `position`. No choice draws from the parts of `stream`
    /// from [`WATCHER_PART`] on.
    fn chose(
        &mut self,
        _agent: usize,
        _position: &Position,
        _chosen: &AgentMove,
        _stream: &StreamRng,
    ) {
    }

    /// The game is over.
    fn ended(&mut self, _game: &RecordedGame) {}

    /// Returns false if the trial may stop because nobody wants to see the rest of the trial, or
    /// its results.
    fn wants_more(&self) -> bool {
        true
    }
}

/// The first part of a choice's stream that watchers draw from.
pub(crate) const WATCHER_PART: u64 = 1 << 40;

/// A watcher that sees nothing.
pub(crate) struct NoWatcher;

impl GameWatcher for NoWatcher {}

/// The most moves of a game.
const MAX_MOVES: u64 = 60;

/// What players at the board share: the viewer of their games, and the pulse of the trial.
struct TrialTable<'a> {
    watcher: &'a mut dyn GameWatcher,
    pulse: TrialPulse<'a>,
}

impl TrialTable<'_> {
    /// Returns false if the trial may stop.
    fn wants_more(&self) -> bool {
        self.pulse.flow().is_continue() && self.watcher.wants_more()
    }
}

/// Plays a trial, and beats with each move. The results cover the games until the watcher wants no
/// more, or until `context` breaks the trial off.
pub(crate) fn play_trial(
    setup: &MatchSetup,
    backend: BoardBackend,
    stream: &StreamRng,
    watcher: &mut dyn GameWatcher,
    context: &TrialContext<'_>,
) -> MatchResults {
    let pulse = context.pulse(2 * MAX_MOVES * u64::from(setup.pairs));
    let table = RefCell::new(TrialTable { watcher, pulse });
    let mut players = setup.agents.clone().map(|agent| AgentPlayer::new(agent, backend));
    let mut results = MatchResults {
        pairs_per_trial: setup.pairs,
        pairs: Vec::new(),
        records: Vec::new(),
        efforts: Default::default(),
        levels: Vec::new(),
        naturalness: Vec::new(),
        around_change: Vec::new(),
        kept: setup.kept,
    };
    let mut opponents_effort = SearchEffort::default();
    for pair in 0..setup.pairs {
        if let Some(change) = setup.change.filter(|change| change.after == pair) {
            let next = AgentPlayer::new(OthelloAgent::Mcts(change.agent), backend);
            opponents_effort.absorb(&std::mem::replace(&mut players[1], next).take_effort());
        }
        let stream = stream.part(pair.into());
        let opening = setup.opening.draw(&mut stream.part(OPENING_PART));
        let colors = [DiscColor::Black, DiscColor::White];
        let games = colors.map(|color| {
            let stream = stream.part(OPENING_PART + 1 + u64::from(color == DiscColor::White));
            if !table.borrow().wants_more() {
                return opening.clone();
            }
            let game = play_game(&mut players, color, &opening, &stream, &table);
            results.levels.extend(level(&players[0]));
            game
        });
        if !table.borrow().wants_more() {
            break;
        }
        let points = |at: usize| games[at].half_points(colors[at]);
        results.pairs.extend(PairResult::new(points(0), points(1)));
        if results.records.len() < results.most_records() {
            results.records.push(PairGames { opening: opening.moves().len(), games });
        }
    }
    results.efforts = players.each_mut().map(AgentPlayer::take_effort);
    results.efforts[1].absorb(&opponents_effort);
    if let Some(change) = setup.change.filter(|_| !results.levels.is_empty()) {
        let windows = change.windows(setup.pairs);
        results.around_change = windows.map(|pairs| levels_of(&results.levels, pairs)).to_vec();
    }
    results
}

/// Returns the sums over the levels at the end of every game in these pairs.
fn levels_of(levels: &[LevelSums], pairs: Range<u32>) -> LevelSums {
    let mut sums = LevelSums::default();
    let games = levels.iter().skip(2 * pairs.start as usize).take(2 * pairs.len());
    games.for_each(|level| sums.absorb(level));
    sums
}

/// The part of a pair's stream from which its opening is drawn; its games have those after it.
const OPENING_PART: u64 = 0;

/// Plays a game with the first agent as `color`. If the trial is to end, the rest of the game is
/// any legal moves, and nobody sees it.
fn play_game(
    players: &mut [AgentPlayer; 2],
    color: DiscColor,
    opening: &RecordedGame,
    stream: &StreamRng,
    table: &RefCell<TrialTable<'_>>,
) -> RecordedGame {
    table.borrow_mut().watcher.begins(opening, [color, color.opponent()]);
    players.iter_mut().for_each(AgentPlayer::begin_game);
    let [first, second] = players.each_mut();
    let mut seats = [
        WatchedPlayer { agent: 0, player: first, table },
        WatchedPlayer { agent: 1, player: second, table },
    ];
    if color == DiscColor::White {
        seats.reverse();
    }
    let [black, white] = &mut seats;
    let start = PlainOthelloGame::new(opening.last_position());
    let record = play_match(start, black, white, stream).expect("agents choose legal moves");
    let game = continued(opening, &record);
    let mut table = table.borrow_mut();
    if table.pulse.flow().is_break() {
        return game;
    }
    for (player, color) in players.iter_mut().zip([color, color.opponent()]) {
        player.end_game(game.half_points(color).into());
    }
    table.watcher.ended(&game);
    game
}

/// Returns the opening with the moves of a match.
fn continued(opening: &RecordedGame, record: &MatchRecord<BoardTurn>) -> RecordedGame {
    let mut game = opening.clone();
    for turn in &record.moves {
        if let BoardTurn::Play(square) = turn {
            game.push(*square).expect("a match has legal moves");
        }
    }
    game
}

/// Returns what an agent that learns has learned by now.
fn level(player: &AgentPlayer) -> Option<LevelSums> {
    let (level, observed) = if let Some(index) = player.index() {
        (Some(to_thousandths(index.z())), 0)
    } else {
        let OthelloAgent::Adjusting(_) = player.agent() else { return None };
        let estimate = player.estimate();
        (estimate.mean().map(to_thousandths), u64::from(estimate.n()))
    };
    let Some(level) = level else { return Some(LevelSums::default()) };
    Some(LevelSums { n: 1, sum: level, squares: (level * level).unsigned_abs(), observed })
}

#[expect(clippy::cast_possible_truncation, reason = "levels are depths, up to 60, and indices")]
fn to_thousandths(level: f64) -> i64 {
    libm::round(level * f64::from(LEVEL_STEPS)) as i64
}

/// An agent at the board.
struct WatchedPlayer<'a, 't> {
    agent: usize,
    player: &'a mut AgentPlayer,
    table: &'a RefCell<TrialTable<'t>>,
}

impl TurnPlayer<PlainOthelloGame> for WatchedPlayer<'_, '_> {
    fn choose(
        &mut self,
        game: &PlainOthelloGame,
        moves: &[BoardTurn],
        stream: &StreamRng,
    ) -> BoardTurn {
        if self.table.borrow_mut().pulse.step().is_break() {
            return moves[0];
        }
        let position = game.position();
        let chosen = self.player.choose(&position, stream);
        self.table.borrow_mut().watcher.chose(self.agent, &position, &chosen, stream);
        BoardTurn::Play(chosen.square)
    }

    fn observe(&mut self, game: &PlainOthelloGame, turn: BoardTurn, stream: &StreamRng) {
        let BoardTurn::Play(square) = turn else { return };
        if self.table.borrow().pulse.flow().is_break() {
            return;
        }
        let position = game.position();
        if let Some(observed) = self.player.observe(&position, square, stream) {
            self.table.borrow_mut().watcher.observed(self.agent, &position, &observed);
        }
    }
}
