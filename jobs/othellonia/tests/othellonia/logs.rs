//! Recorded games: the file decodes and replays, and the table of plies agrees with the replays.

use hatchery_core::{
    Experiment, InitialParts, RunSeed, Simulation, Step, Tally, TrialContext, WireValue,
};
use hatchery_othellonia::generate::PoolSettings;
use hatchery_othellonia::params::agent_param::{AgentParam, AgentPreset, RandomParam, RuleParam};
use hatchery_othellonia::params::deck_param::{DeckParam, ListedDeckParam};
use hatchery_othellonia::record::{GameFile, GameRecord};
use hatchery_othellonia::rules::{EffectKind, Game, GameDeck, GameEvent, GameOutcome, Player};
use hatchery_othellonia::studies::specs::{LogsSpec, LogsState};
use hatchery_othellonia::{OthelloniaGames, OthelloniaLogs};

use super::matrices::table;
use super::random_decks::{RandomMatch, game_rng, stream};
use crate::CheckedSpec as _;

/// The number of the first own piece.
const FIRST_PIECE: u32 = 1;

/// Returns a spec of two decks of a random pool and two agents: 12 series of 4 games.
fn spec(pool: u64) -> LogsSpec {
    let drawn = RandomMatch::draw(&mut game_rng(&stream("logs"), pool));
    let mut pieces = drawn.definitions;
    for piece in &mut pieces {
        for effect in [&mut piece.skill, &mut piece.combo].into_iter().flatten() {
            if effect.kind == EffectKind::Echo {
                effect.magnitude += FIRST_PIECE;
            }
        }
    }
    let decks = ["first", "second"].into_iter().zip(drawn.decks).map(|(name, deck)| {
        DeckParam::Listed(ListedDeckParam {
            name: name.to_owned(),
            pieces: deck.pieces.iter().map(|piece| piece + FIRST_PIECE).collect(),
            leader: deck.leader + FIRST_PIECE,
        })
    });
    let rule = RuleParam { preset: AgentPreset::Standard, temperature: Some(1.5) };
    LogsSpec {
        decks: decks.collect(),
        random_decks: None,
        generated_decks: None,
        pool: PoolSettings { kinds: FIRST_PIECE, ..PoolSettings::default() },
        pieces: pieces.into(),
        cost_cap: 16_000,
        agents: vec![AgentParam::Random(RandomParam {}), AgentParam::Rule(rule)],
        pairs: 2,
        table_games: 1_000,
    }
}

/// Runs a spec.
pub(super) fn run(spec: &LogsSpec) -> LogsState {
    let seed = RunSeed::new("logs tests", 1).generation(0);
    let begun = OthelloniaLogs::begin(&spec.checked(), &seed, &mut InitialParts::new(Vec::new()));
    let state = begun.expect("the spec is valid");
    let plan = OthelloniaLogs::plan(&spec.checked(), &state);
    let tallies = plan.series.iter().zip(0..).map(|(series, number)| {
        let trial = |trial| {
            let rng = seed.trial(plan.draws, number, trial);
            OthelloniaGames::trial(&plan.shared, &series.subject, rng, &TrialContext::ALONE)
        };
        (1..series.n_trials).fold(trial(0), |mut all, number| {
            Tally::absorb(&mut all, trial(number));
            all
        })
    });
    let Step::Done(state) =
        OthelloniaLogs::fold(&spec.checked(), state, &tallies.collect::<Vec<_>>(), &seed)
    else {
        panic!("games are recorded in one generation");
    };
    state
}

/// Returns the games and the table of a run.
fn exhibits(spec: &LogsSpec, state: &LogsState) -> (GameFile, String) {
    let exhibits = OthelloniaLogs::exhibits(&spec.checked(), state);
    let bytes = |name: &str| {
        let exhibit = exhibits.iter().find(|exhibit| exhibit.name == name).expect(name);
        exhibit.content.bytes().expect("it is no part").to_vec()
    };
    let file = GameFile::decode_message(&bytes("games.bin")).expect("it is a file of games");
    (file, String::from_utf8(bytes("plies.csv")).expect("it is a text"))
}

/// HP by the events of a game.
struct HpLedger([u32; 2]);

impl HpLedger {
    fn of(decks: [&GameDeck; 2]) -> Self {
        Self(decks.map(GameDeck::hp))
    }

    fn note(&mut self, events: &[GameEvent]) {
        for event in events {
            match *event {
                GameEvent::Lost { player, amount, .. } => {
                    self.0[player.index()] = self.0[player.index()].saturating_sub(amount);
                }
                GameEvent::Healed { player, amount, .. } => self.0[player.index()] += amount,
                _ => {}
            }
        }
    }
}

/// Sums what `of` takes from events.
fn sum(events: &[GameEvent], of: impl Fn(&GameEvent) -> Option<u32>) -> u32 {
    events.iter().filter_map(of).sum()
}

fn lost_by(who: Player) -> impl Fn(&GameEvent) -> Option<u32> {
    move |event| match *event {
        GameEvent::Lost { player, amount, .. } if player == who => Some(amount),
        _ => None,
    }
}

fn half_points(outcome: GameOutcome, player: Player) -> &'static str {
    match outcome.winner {
        Some(winner) if winner == player => "2",
        Some(_) => "0",
        None => "1",
    }
}

/// Returns the rows of a game by a replay.
fn replayed_rows(file: &GameFile, [series, game]: [usize; 2]) -> Vec<String> {
    let agents = &file.series[series].agents;
    let record = &file.series[series].records[game];
    let decks = file.decks_of(record);
    let names = record.decks.map(|deck| file.decks[usize::from(deck)].0.as_str());
    let end = record.replay(decks, &mut ()).expect("it is a game");
    let outcome = end.outcome().expect("it has ended");
    let mut play = Game::start(decks, record.start);
    let (mut ledger, mut rows) = (HpLedger::of(decks), Vec::new());
    for (&action, ply) in record.actions.iter().zip(1..) {
        let before = *play.state();
        let (player, n_actions) = (before.to_move, play.actions().count());
        let (at, enemy) = (player.index(), player.enemy());
        let mut events = Vec::new();
        play.play(action, &mut events).expect("it is legal");
        // The rest are the events of the next turns, to the next choice.
        let is_next = |event: &GameEvent| matches!(event, GameEvent::TurnBegan { .. });
        let end = events.iter().position(is_next).unwrap_or(events.len());
        let (now, later) = events.split_at(end);
        ledger.note(now);
        let piece = before.player(player).hand[usize::from(action.slot)].expect("a piece");
        let piece = decks[at].pieces()[usize::from(piece)].id.0;
        let flips = sum(now, |event| match event {
            GameEvent::Placed { flipped, .. } => Some(flipped.len()),
            _ => None,
        });
        let healed = sum(now, |event| match *event {
            GameEvent::Healed { player: who, amount, .. } if who == player => Some(amount),
            _ => None,
        });
        let fired: Vec<_> = now
            .iter()
            .filter_map(|event| match event {
                GameEvent::Fired { kind, .. } => Some(kind.name()),
                _ => None,
            })
            .collect();
        rows.push(format!(
            "{series},{game},{ply},{player},{},{},{},{piece},{},{flips},{},{},{healed},{},{},{},\
             {n_actions},{}",
            names[at],
            agents[at],
            before.player(player).turn,
            action.cell,
            sum(now, lost_by(enemy)),
            sum(now, lost_by(player)),
            if fired.is_empty() { "-".to_owned() } else { fired.join(" ") },
            ledger.0[at],
            ledger.0[enemy.index()],
            half_points(outcome, player),
        ));
        ledger.note(later);
        assert_eq!(ledger.0, Player::ALL.map(|player| play.state().player(player).hp));
    }
    rows
}

#[test]
fn the_table_agrees_with_replays_of_the_file() {
    let mut ends = Vec::new();
    for pool in 0..12 {
        let spec = spec(pool);
        let state = run(&spec);
        let (file, csv) = exhibits(&spec, &state);
        let records: Vec<_> = file.series.iter().map(|series| series.records.len()).collect();
        assert_eq!(records, [4; 12]);
        let plies = file.series.iter().flat_map(|series| &series.records);
        let plies: usize = plies.map(|record| record.actions.len()).sum();
        assert_eq!(plies as u64, state.sums.placements);
        let (header, rows) = table(&csv);
        assert_eq!((header.len(), rows.len()), (18, plies));
        let games = (0..12).flat_map(|series| (0..4).map(move |game| [series, game]));
        let expected: Vec<_> = games.flat_map(|game| replayed_rows(&file, game)).collect();
        let found: Vec<_> = csv.lines().skip(1).collect();
        assert_eq!(found, expected);
        ends.push(state.sums.causes);
    }
    // Games of all lengths: the pools differ.
    assert!(ends.iter().any(|causes| causes[0] != ends[0][0]), "{ends:?}");
}

#[test]
fn records_are_those_of_their_series() {
    let spec = spec(1);
    let (file, _) = exhibits(&spec, &run(&spec));
    let names: Vec<_> = file.decks.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["first", "second"]);
    let decks = [[0, 0], [0, 1], [1, 1]].into_iter().flat_map(|decks| [decks; 4]);
    let (random, rule) = ("random", "rule (temperature 1.5)");
    let agents = [[random, random], [random, rule], [rule, random], [rule, rule]];
    for ((series, decks), agents) in file.series.iter().zip(decks).zip(agents.iter().cycle()) {
        assert_eq!(series.agents, *agents);
        assert!(series.records.iter().all(|record| record.decks == decks));
        let first: Vec<_> = series.records.iter().map(|record| record.start.first).collect();
        assert_eq!(first, [Player::A, Player::B, Player::A, Player::B]);
        let seeds: Vec<_> = series.records.iter().map(|record| record.start.seed).collect();
        assert!(seeds[0] == seeds[1] && seeds[2] == seeds[3] && seeds[1] != seeds[2]);
    }
}

#[test]
fn tables_have_as_many_games_of_each_series() {
    let mut spec = spec(2);
    let state = run(&spec);
    for (most, each) in [(0, 0), (12, 1), (35, 2), (48, 4), (20_000, 4)] {
        spec.table_games = most;
        let (_, csv) = exhibits(&spec, &state);
        let (_, rows) = table(&csv);
        let mut games: Vec<_> = rows.iter().map(|row| [row[0], row[1]]).collect();
        games.dedup();
        assert_eq!(games.len(), 12 * each, "{most}");
    }
}

#[test]
fn nothing_is_shown_before_the_games() {
    let (file, csv) = exhibits(&spec(3), &LogsState::default());
    assert_eq!((file.decks.len(), file.series.len()), (2, 0));
    assert_eq!(csv.lines().count(), 1);
}

/// A worker with a defect sends records that are none, or of decks that the series does not have.
#[test]
fn records_that_are_none_of_the_series_are_left_out() {
    let spec = spec(4);
    let mut state = run(&spec);
    let records = &mut state.series[5].records;
    let foreign = GameRecord { decks: [9, 9], ..GameRecord::decode(&records[0]).unwrap() };
    let mut illegal = GameRecord::decode(&records[1]).unwrap();
    illegal.actions.clear();
    records[0] = foreign.encode();
    records[1] = illegal.encode();
    records[2] = vec![7; 5];
    let (file, csv) = exhibits(&spec, &state);
    assert_eq!(file.series[5].records.len(), 2);
    let (_, rows) = table(&csv);
    let last = &file.series[5].records[1];
    let n_rows = rows.iter().filter(|row| row[0] == "5").count();
    assert_eq!(n_rows, last.actions.len());
}
