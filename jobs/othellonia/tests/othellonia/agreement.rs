//! The rules against their second implementation, in random games with random decks.

use std::collections::BTreeMap;

use hatchery_othellonia::rules::{
    Action, Cell, EffectKind, EffectTarget, EndCause, Game, GameEvent, GameOutcome, GameState,
    Player, PlayerState, RunningEffect, legal_cells, outflanked_lines,
};

use crate::naive::{NaiveCell, NaiveFired, NaiveGame, NaiveRunning, Place, all_places};
use crate::random_decks::{RandomMatch, game_rng, random_action, stream};

/// The games with uniformly random actions.
const N_RANDOM: u64 = 10_000;

/// The number of games where one player leaves the enemy as few cells as it can: random games
/// hardly ever end by one color or without moves.
const N_STIFLED: u64 = 2_000;

/// What runs: kind, magnitude, target, the ends of turns until it is over.
type RunningFact = (EffectKind, u64, EffectTarget, u8);

/// All facts of a state, in a form that both implementations can be brought to.
#[derive(Debug, PartialEq)]
struct StateFacts {
    players: [PlayerFacts; 2],
    /// By cell: owner, index of the piece, what runs of its skill and of its combo skill.
    cells: Vec<Option<CellFact>>,
    player: usize,
    placements: u32,
    outcome: Option<(Option<usize>, EndCause)>,
}

type CellFact = (usize, Option<usize>, [Option<RunningFact>; 2]);

#[derive(Debug, PartialEq)]
struct PlayerFacts {
    /// HP, highest HP, HP at the start of the turn.
    hp: [u64; 3],
    turn: u32,
    order: Vec<usize>,
    drawn: usize,
    hand: [Option<usize>; 4],
    states: Vec<RunningFact>,
}

/// The legal actions, and whether the turn before was a pass: known when a turn has begun.
type TurnFacts = (Vec<(Place, usize)>, bool);

fn engine_running(it: &RunningEffect) -> RunningFact {
    (it.kind, u64::from(it.magnitude), it.target, it.turns)
}

fn naive_running(game: &NaiveGame<'_>, holder: usize, it: &NaiveRunning) -> RunningFact {
    (it.kind, it.magnitude, it.target, game.ends_left(it, holder))
}

fn place_of(cell: Cell) -> Place {
    (usize::from(cell.column()), usize::from(cell.row()))
}

fn cell_of((column, row): Place) -> Cell {
    let [column, row] = [column, row].map(|it| u8::try_from(it).expect("below 6"));
    Cell::at(column, row).expect("both are below 6")
}

fn engine_player(player: &PlayerState) -> PlayerFacts {
    PlayerFacts {
        hp: [player.hp, player.highest_hp, player.latched_hp].map(u64::from),
        turn: u32::from(player.turn),
        order: player.order.map(usize::from).to_vec(),
        drawn: usize::from(player.drawn),
        hand: player.hand.map(|piece| piece.map(usize::from)),
        states: player.states.iter().map(engine_running).collect(),
    }
}

fn naive_player(game: &NaiveGame<'_>, index: usize) -> PlayerFacts {
    let player = &game.players[index];
    PlayerFacts {
        hp: [player.hp, player.highest, player.latched],
        turn: player.turn,
        order: player.order.clone(),
        drawn: player.drawn,
        hand: player.hand,
        states: player.states.iter().map(|it| naive_running(game, index, it)).collect(),
    }
}

fn engine_facts(state: &GameState) -> StateFacts {
    let cell_fact = |place: Place| {
        let cell = cell_of(place);
        let at = state.at(cell);
        let runs = at.running.map(|it| it.as_ref().map(engine_running));
        let owner = state.owner(cell);
        let is_running = runs.iter().any(Option::is_some);
        for player in Player::ALL {
            let in_set = state.player(player).running.contains(cell);
            assert_eq!(
                in_set,
                is_running && owner == Some(player),
                "the set of {player} at {cell}"
            );
        }
        assert!(owner.is_some() || at.piece.is_none(), "a piece of nobody on {cell}");
        owner.map(|owner| (owner.index(), at.piece.map(usize::from), runs))
    };
    StateFacts {
        players: state.players.each_ref().map(engine_player),
        cells: all_places().map(cell_fact).collect(),
        player: state.to_move.index(),
        placements: u32::from(state.placements),
        outcome: state
            .outcome
            .map(|GameOutcome { winner, cause }| (winner.map(Player::index), cause)),
    }
}

fn naive_facts(game: &NaiveGame<'_>) -> StateFacts {
    let cell_fact = |(column, row): Place| match game.board[row][column] {
        NaiveCell::Empty => None,
        NaiveCell::Plain { owner } => Some((owner, None, [None; 2])),
        NaiveCell::Standing { owner, index, runs } => {
            let running = |it| naive_running(game, owner, &it);
            Some((owner, Some(index), runs.map(|it| it.map(running))))
        }
    };
    StateFacts {
        players: [0, 1].map(|index| naive_player(game, index)),
        cells: all_places().map(cell_fact).collect(),
        player: game.player,
        placements: game.placements,
        outcome: game.outcome,
    }
}

fn engine_turn(game: &Game<'_>) -> TurnFacts {
    let actions: Vec<_> =
        game.actions().map(|action| (place_of(action.cell), usize::from(action.slot))).collect();
    let mut legal: Vec<_> = actions.iter().map(|(place, _)| *place).collect();
    legal.dedup();
    assert!(legal.into_iter().map(cell_of).eq(game.state().legal.iter()), "legal cells");
    (actions, game.state().has_passed)
}

/// An effect that fired: where, whether it is of the combo skill, its kind, its magnitude.
type FiredFact = (Place, bool, EffectKind, u64);

fn naive_fired(fired: &[NaiveFired]) -> Vec<FiredFact> {
    fired.iter().map(|it| (it.place, it.is_combo, it.effect.kind, it.magnitude)).collect()
}

fn engine_fired(events: &[GameEvent]) -> Vec<FiredFact> {
    let fired = |event: &GameEvent| match *event {
        GameEvent::Fired { source, kind, magnitude, .. } => {
            Some((place_of(source.cell), source.is_combo, kind, u64::from(magnitude)))
        }
        _ => None,
    };
    events.iter().filter_map(fired).collect()
}

/// What the games of the test came to.
#[derive(Debug, Default)]
struct Coverage {
    /// How often each kind, condition, scaling and target was that of an effect that fired.
    fired: BTreeMap<String, u32>,
    /// Games by the cause of their end.
    ends: BTreeMap<&'static str, u32>,
    draws: u32,
    passes: u32,
    /// The most states that a player had.
    states: usize,
}

impl Coverage {
    fn add(&mut self, naive: &NaiveGame<'_>, events: &[GameEvent]) {
        for NaiveFired { effect, .. } in &naive.fired {
            // Of a condition with numbers, such as `FlipsAtLeast(2)`, the name counts.
            let condition = format!("{:?}", effect.condition);
            let condition = condition.split('(').next().unwrap_or_default();
            let target = format!("target {:?}", effect.target);
            let scaling = format!("scaling {:?}", effect.scaling);
            for name in [effect.kind.name(), condition, &target, &scaling] {
                *self.fired.entry(name.to_owned()).or_default() += 1;
            }
        }
        for event in events {
            match event {
                GameEvent::Passed { .. } => self.passes += 1,
                GameEvent::Ended { outcome } => {
                    *self.ends.entry(outcome.cause.name()).or_default() += 1;
                    self.draws += u32::from(outcome.winner.is_none());
                }
                _ => {}
            }
        }
        let n_states = naive.players.each_ref().map(|player| player.states.len());
        self.states = n_states.into_iter().fold(self.states, usize::max);
    }

    fn check(&self) {
        let Self { fired, ends, draws, passes, states } = self;
        let kinds = EffectKind::ALL.iter().all(|kind| fired.contains_key(kind.name()));
        // 24 kinds, 11 conditions, 4 targets and 5 scalings.
        assert!(kinds && fired.len() == 44, "{} of 44 fired", fired.len());
        let rare: Vec<_> = fired.iter().filter(|(_, n)| **n < 200).collect();
        assert!(rare.is_empty(), "{rare:?} fired hardly ever");
        for cause in EndCause::ALL {
            let n_ends = ends.get(cause.name()).copied().unwrap_or(0);
            assert!(50 < n_ends, "{n_ends} games ended by {}", cause.name());
        }
        assert!(50 < *draws && 500 < *passes && *states == 8);
    }
}

/// Returns the action that leaves the enemy the fewest cells.
fn stifling_action(game: &Game<'_>) -> Option<Action> {
    let state = game.state();
    let (own, enemy) =
        (state.player(state.to_move).cells, state.player(state.to_move.enemy()).cells);
    let cells_left = |action: &Action| {
        let flipped = outflanked_lines(action.cell, own, enemy).flipped;
        let own = own.or(flipped).or(action.cell.set());
        legal_cells(enemy.without(flipped), own).len()
    };
    game.actions().min_by_key(cells_left)
}

/// Plays a game by both, and compares both at the end of a turn and at the start of the next turn.
fn check(number: u64, random: &RandomMatch, coverage: &mut Coverage) {
    let mut rng = game_rng(&stream("agreement actions"), number);
    let decks = random.build();
    let mut game = Game::start([&decks[0], &decks[1]], random.start);
    let naive_decks = random.decks.each_ref();
    let (seed, first) = (random.start.seed, random.start.first.index());
    let mut naive = NaiveGame::start(&random.definitions, naive_decks, seed, first);
    let mut played = Vec::new();
    loop {
        let context = format!("game {number} after {played:?}");
        assert_eq!(engine_facts(game.state()), naive_facts(&naive), "{context}");
        assert_eq!(engine_turn(&game).0, naive.actions(), "{context}");
        if game.outcome().is_none() {
            assert_eq!(engine_turn(&game).1, naive.turn_before_was_pass, "{context}");
        }
        let is_stifled = N_RANDOM <= number && game.state().to_move == random.start.first;
        let action = match is_stifled {
            true => stifling_action(&game),
            false => random_action(&mut rng, &game),
        };
        let Some(action) = action else { break };
        played.push(action);
        let context = format!("game {number} after {played:?}");
        let preview = game.preview(action, &mut ()).expect("a legal action");
        naive.place(place_of(action.cell), usize::from(action.slot));
        assert_eq!(engine_facts(preview.state()), naive_facts(&naive), "{context}");
        let mut events = Vec::new();
        game.play(action, &mut events).expect("a legal action");
        assert_eq!(engine_fired(&events), naive_fired(&naive.fired), "{context}");
        naive.next_turn();
        coverage.add(&naive, &events);
    }
    assert!(game.outcome().is_some(), "game {number} has no outcome");
}

#[test]
fn rules_agree_with_their_second_implementation() {
    let matches = stream("agreement decks");
    let mut coverage = Coverage::default();
    for number in 0..N_RANDOM + N_STIFLED {
        check(number, &RandomMatch::draw(&mut game_rng(&matches, number)), &mut coverage);
    }
    println!("{coverage:?}");
    coverage.check();
}
