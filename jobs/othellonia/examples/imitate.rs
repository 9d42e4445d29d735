//! Learns from recorded games to play like their players, and plays against the standard rule
//! agent.
//!
//! `cargo run --release -p hatchery-othellonia --example imitate` takes some minutes. Words after
//! `--` change what is learned, as in `one-hot games=500 steps=2000`:
//!
//! * `vectors` (usual), `random` (vectors that were not learned) or `one-hot`: the encoding of
//!   pieces.
//! * `lookahead` (usual) or `hard`: the agent that plays the games.
//! * `games=2000`, `vector-steps=10000`, `steps=10000`, `hidden=256`, `decisions=32`,
//!   `rate=0.001`, `decay=0.000001`, `dropout=0`, `judged=2000`: numbers, with their usual values.
#![expect(clippy::print_stdout, reason = "it prints tables")]

use std::ops::{ControlFlow, Range};
use std::str::FromStr;

use hatchery_core::{FastRng, GenerationSeed, RunSeed, StreamRng};
use hatchery_nets::{AdamState, Network, NetworkShape};
use hatchery_othellonia::features::{Information, PieceVectors};
use hatchery_othellonia::generate::{
    Archetype, DEFAULT_COST_CAP, DEFAULT_KINDS, PoolSettings, generate_deck, generate_pieces,
    shipped_decks,
};
use hatchery_othellonia::learning::imitation::{self, ImitationSettings};
use hatchery_othellonia::learning::representation::{
    LOSS_PARTS, Representation, RepresentationSettings,
};
use hatchery_othellonia::learning::samples::TrainingGames;
use hatchery_othellonia::learning::{LearnSummary, Learner};
use hatchery_othellonia::players::model::{AgentModel, ModelEncoding};
use hatchery_othellonia::players::{GameAgent, RuleAgent};
use hatchery_othellonia::pool::PiecePool;
use hatchery_othellonia::record::GameRecord;
use hatchery_othellonia::rules::{Game, GameDeck, GameStart, Player};

/// The looks at what was learned.
const LOOKS: u64 = 5;

fn main() {
    let words = Words(std::env::args().skip(1).collect());
    let seed = RunSeed::new("imitate", 1).generation(0);
    let pool = PiecePool::new(generate_pieces(&PoolSettings::default())).expect("a pool");
    let decks = field(&pool, 100..110);
    let n_games: usize = words.number("games", 2_000);
    let mut records = played(&decks, expert(&words), n_games + 100, &seed);
    let held_out = TrainingGames::new(&decks, records.split_off(n_games)).expect("legal games");
    let games = TrainingGames::new(&decks, records).expect("legal games");
    println!("{} games, {} decisions", games.n_games(), games.n_decisions());
    let encoding = encoding(&words, [&games, &held_out], &seed);
    imitate(&words, &pool, &encoding, [&games, &held_out], &seed.stream("imitate"));
}

/// The words of the command line.
struct Words(Vec<String>);

impl Words {
    fn has(&self, word: &str) -> bool {
        self.0.iter().any(|it| it == word)
    }

    /// Returns the number that a word gives to `name`.
    fn number<T: FromStr>(&self, name: &str, usual: T) -> T {
        let mut values =
            self.0.iter().filter_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        let parsed = |value: &str| value.parse().ok().expect("a number after =");
        values.next_back().map_or(usual, parsed)
    }
}

fn expert(words: &Words) -> GameAgent {
    if words.has("hard") { GameAgent::Rule(RuleAgent::HARD) } else { GameAgent::Lookahead }
}

/// Returns the decks from these seeds, for every archetype.
fn field(pool: &PiecePool, seeds: Range<u64>) -> Vec<GameDeck> {
    let decks = Archetype::ALL.into_iter().flat_map(|archetype| {
        let deck = move |seed| generate_deck(pool, archetype, seed, DEFAULT_COST_CAP);
        seeds.clone().map(move |seed| deck(seed).expect("a deck"))
    });
    decks.map(|deck| deck.build(pool, DEFAULT_COST_CAP).expect("a deck")).collect()
}

/// Draws the numbers of two of `decks`, and the start of a game.
fn drawn(decks: &[GameDeck], rng: &mut FastRng) -> ([u16; 2], GameStart) {
    let n_decks = u32::try_from(decks.len()).expect("some ten decks");
    let numbers = [(); 2].map(|()| u16::try_from(rng.below(n_decks)).expect("some ten decks"));
    let first = Player::ALL[rng.below(2) as usize];
    (numbers, GameStart { seed: rng.next_u64(), first })
}

/// Plays games between random decks.
fn played(
    decks: &[GameDeck],
    agent: GameAgent,
    n: usize,
    seed: &GenerationSeed,
) -> Vec<GameRecord> {
    let mut rng = FastRng::seeded_by(&mut seed.stream("games"));
    let one = |_| {
        let (numbers, start) = drawn(decks, &mut rng);
        let mut game = Game::start(numbers.map(|number| &decks[usize::from(number)]), start);
        let mut actions = Vec::new();
        while game.outcome().is_none() {
            let action = agent.choose(&game, &mut rng);
            game.play(action, &mut ()).expect("agents choose legal actions");
            actions.push(action);
        }
        GameRecord { decks: numbers, start, actions }
    };
    (0..n).map(one).collect()
}

/// Returns the encoding of pieces, whose vectors are learned unless a word says otherwise.
fn encoding(
    words: &Words,
    [games, held_out]: [&TrainingGames<'_>; 2],
    seed: &GenerationSeed,
) -> ModelEncoding {
    let kinds = DEFAULT_KINDS as usize;
    if words.has("one-hot") {
        return ModelEncoding::PoolOneHot { kinds };
    }
    let stream = seed.stream("vectors");
    let mut first = stream.part(0);
    if words.has("random") {
        return ModelEncoding::Vectors(PieceVectors::random(kinds, &mut first).expect("kinds"));
    }
    let mut learned = Representation::new(kinds, &[128], games, &mut first).expect("decisions");
    let settings = RepresentationSettings::default();
    let steps = words.number("vector-steps", 10_000) / LOOKS;
    println!("vectors: losses of {LOSS_PARTS:?}");
    for _ in 0..LOOKS {
        let steps = learned.learn(games, &settings, steps, &stream.part(1), &mut go_on);
        let loss = last_loss(&steps.expect("finite losses"));
        let losses = learned.mean_losses(held_out, 5).expect("kinds");
        println!("step {}: {loss:.3}, in games not seen {losses:.3?}", learned.steps());
    }
    ModelEncoding::Vectors(learned.vectors())
}

/// Learns to play, and shows how well it does.
fn imitate(
    words: &Words,
    pool: &PiecePool,
    encoding: &ModelEncoding,
    [games, held_out]: [&TrainingGames<'_>; 2],
    stream: &StreamRng,
) {
    let layout = encoding.layout().expect("kinds");
    let shape = NetworkShape {
        state_len: layout.state_len(),
        action_len: layout.action_len(),
        hidden: vec![words.number("hidden", 256)],
        n_outputs: imitation::N_OUTPUTS,
    };
    let mut network = Network::random(&shape, &mut stream.part(0));
    let mut optimizer = AdamState::new(&network);
    let usual = ImitationSettings::default();
    let settings = ImitationSettings {
        decisions: words.number("decisions", usual.decisions),
        rate: words.number("rate", usual.rate),
        weight_decay: words.number("decay", usual.weight_decay),
        dropout: words.number("dropout", usual.dropout),
        ..usual
    };
    let shipped = shipped_decks().map(|deck| deck.build(pool, DEFAULT_COST_CAP).expect("a deck"));
    let fields = [("new decks", field(pool, 200..204)), ("shipped decks", shipped.to_vec())];
    let information = Information::Perfect;
    for _ in 0..LOOKS {
        let mut learner =
            Learner { layout, information, network: &mut network, optimizer: &mut optimizer };
        let steps = words.number("steps", 10_000) / LOOKS;
        let stream_of_steps = stream.part(1);
        let learned =
            imitation::learn(&mut learner, games, &settings, steps, &stream_of_steps, &mut go_on);
        let loss = last_loss(&learned.expect("finite losses"));
        let agreement = imitation::agreement(&network, &layout, information, held_out, 1);
        let share = agreement.expect("kinds").share() * 100.0;
        print!("step {}: loss {loss:.4}, agreement {share:.1} %", optimizer.steps());
        let model = AgentModel::new(information, encoding.clone(), network.clone());
        let model = model.expect("finite weights");
        for (name, decks) in &fields {
            let rate = win_rate(&model, decks, words.number("judged", 2_000), &stream.part(2));
            print!(", {name} {:.1} %", rate * 100.0);
        }
        println!();
    }
}

/// Returns the mean loss of the last stretch.
fn last_loss(summary: &LearnSummary) -> f64 {
    summary.curve.last().map_or(0.0, |last| last.mean_loss())
}

/// Returns the share of games that the network wins against the standard agent, draws as half.
fn win_rate(model: &AgentModel, decks: &[GameDeck], n_games: u32, stream: &StreamRng) -> f64 {
    let mut rng = FastRng::seeded_by(&mut stream.part(0));
    let mut buffers = model.buffers();
    let standard = GameAgent::Rule(RuleAgent::STANDARD);
    let mut won = 0.0;
    for _ in 0..n_games {
        let (numbers, start) = drawn(decks, &mut rng);
        let mut game = Game::start(numbers.map(|number| &decks[usize::from(number)]), start);
        while game.outcome().is_none() {
            let action = match game.state().to_move {
                Player::A => model.choose(&game, &mut buffers).expect("the game is not over"),
                Player::B => standard.choose(&game, &mut rng),
            };
            game.play(action, &mut ()).expect("agents choose legal actions");
        }
        won += match game.outcome().and_then(|outcome| outcome.winner) {
            Some(Player::A) => 1.0,
            Some(Player::B) => 0.0,
            None => 0.5,
        };
    }
    won / f64::from(n_games)
}

const fn go_on(_: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
