//! Learns from games of the rule agents to play like them, and plays against the standard one.
//!
//! Words after `cargo run --release -p hatchery-othellonia --example imitate --` say how, as in
//! `one-hot games=500 steps=2000`:
//! * `vectors` (usual), `random` (vectors that were not learned) or `one-hot`: the encoding of
//!   pieces.
//! * `lookahead` (usual) or `hard`: the expert that plays the games.
//! * `games=2000`, `steps=20000`, `vector-steps=10000`, `hidden=256`, `decisions=32`,
//!   `rate-1e6=1000`, `decay-1e9=1000`, `dropout-1e3=0`, `judged=2000`: numbers, with these usual
//!   values.
#![expect(clippy::print_stdout, reason = "it prints tables")]

use std::ops::ControlFlow;

use hatchery_core::{FastRng, RunSeed, StreamRng};
use hatchery_nets::{Activations, AdamState, FirstLayerForm, InputBatch, Network, NetworkShape};
use hatchery_othellonia::agents::{GameAgent, RuleAgent};
use hatchery_othellonia::features::{
    FeatureLayout, Information, PieceEncoding, PieceVectors, SparseRow,
};
use hatchery_othellonia::generate::{
    Archetype, DEFAULT_COST_CAP, DEFAULT_KINDS, PoolSettings, generate_deck, generate_pieces,
    shipped_decks,
};
use hatchery_othellonia::learning::Learner;
use hatchery_othellonia::learning::imitation::{self, ImitationSettings};
use hatchery_othellonia::learning::representation::{
    LOSS_PARTS, Representation, RepresentationSettings,
};
use hatchery_othellonia::learning::samples::TrainingGames;
use hatchery_othellonia::pool::PiecePool;
use hatchery_othellonia::record::GameRecord;
use hatchery_othellonia::rules::{Action, Game, GameDeck, GameStart, Player};

/// The words of the command line.
struct Words(Vec<String>);

impl Words {
    fn has(&self, word: &str) -> bool {
        self.0.iter().any(|it| it == word)
    }

    fn number(&self, name: &str, usual: u64) -> u64 {
        let values = self.0.iter().filter_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        values.last().map_or(usual, |value| value.parse().expect("a number"))
    }

    fn share(&self, name: &str, unit: f64, usual: u64) -> f32 {
        (self.number(name, usual) as f64 * unit) as f32
    }
}

fn main() {
    let words = Words(std::env::args().skip(1).collect());
    let seed = RunSeed::new("imitate", 1).generation(0);
    let kinds = DEFAULT_KINDS as usize;
    let pool = PiecePool::new(generate_pieces(&PoolSettings::default())).expect("a pool");
    let expert =
        if words.has("hard") { GameAgent::Rule(RuleAgent::HARD) } else { GameAgent::Lookahead };
    let decks = field(&pool, 100..110);
    let n_games = words.number("games", 2_000);
    let mut records = played(&decks, expert, n_games + 100, &mut seed.stream("games"));
    let held_out = TrainingGames::new(&decks, records.split_off(n_games as usize)).expect("legal");
    let games = TrainingGames::new(&decks, records).expect("legal");
    println!("{} games, {} decisions", games.n_games(), games.n_decisions());

    let vectors = if words.has("random") {
        PieceVectors::random(kinds, &mut seed.stream("random")).expect("kinds")
    } else if words.has("one-hot") {
        PieceVectors::new(&vec![0.0; 30 * kinds]).expect("kinds")
    } else {
        represent(&words, kinds, [&games, &held_out], &seed.stream("represent"))
    };
    let encoding = match words.has("one-hot") {
        true => PieceEncoding::OneHotPool { kinds },
        false => PieceEncoding::Vectors(&vectors),
    };
    let layout = FeatureLayout::new(encoding).expect("kinds");
    imitate(&words, &pool, layout, [&games, &held_out], &seed.stream("imitate"));
}

/// Returns the decks of these seeds, of each archetype.
fn field(pool: &PiecePool, seeds: std::ops::Range<u64>) -> Vec<GameDeck> {
    let decks = Archetype::ALL.into_iter().flat_map(|archetype| {
        let deck = move |seed| generate_deck(pool, archetype, seed, DEFAULT_COST_CAP);
        seeds.clone().map(move |seed| deck(seed).expect("a deck"))
    });
    decks.map(|deck| deck.build(pool, DEFAULT_COST_CAP).expect("a deck")).collect()
}

/// Plays games between random decks.
fn played(decks: &[GameDeck], agent: GameAgent, n: u64, rng: &mut StreamRng) -> Vec<GameRecord> {
    let mut fast = FastRng::seeded_by(rng);
    let one = |_| {
        let numbers = [(); 2].map(|()| fast.below(decks.len() as u32) as usize);
        let first = Player::ALL[fast.below(2) as usize];
        let start = GameStart { seed: fast.next_u64(), first };
        let mut game = Game::start(numbers.map(|number| &decks[number]), start);
        let mut actions = Vec::new();
        while game.outcome().is_none() {
            let action = agent.choose(&game, &mut fast);
            game.play(action, &mut ()).expect("agents choose legal actions");
            actions.push(action);
        }
        GameRecord { decks: numbers.map(|number| number as u16), start, actions }
    };
    (0..n).map(one).collect()
}

/// Learns vectors of pieces.
fn represent(
    words: &Words,
    kinds: usize,
    [games, held_out]: [&TrainingGames<'_>; 2],
    stream: &StreamRng,
) -> PieceVectors {
    let mut learned =
        Representation::new(kinds, &[128], games, &mut stream.part(0)).expect("decisions");
    let settings = RepresentationSettings::default();
    let steps = words.number("vector-steps", 10_000);
    println!("vectors: losses {LOSS_PARTS:?}");
    for _ in 0..5 {
        let summary = learned
            .learn(games, &settings, steps / 5, &stream.part(1), &mut |_| ControlFlow::Continue(()))
            .expect("it learns");
        let last = summary.curve.last().map_or(0.0, |last| last.mean_loss());
        let losses = learned.mean_losses(held_out, 5).expect("kinds");
        println!("  step {}: {last:.3}, held out {losses:.3?}", learned.steps());
    }
    learned.vectors()
}

/// Learns to play, and shows how well.
fn imitate(
    words: &Words,
    pool: &PiecePool,
    layout: FeatureLayout<'_>,
    [games, held_out]: [&TrainingGames<'_>; 2],
    stream: &StreamRng,
) {
    let shape = NetworkShape {
        state_len: layout.state_len(),
        action_len: layout.action_len(),
        hidden: vec![words.number("hidden", 256) as usize],
        n_outputs: imitation::N_OUTPUTS,
    };
    let mut network = Network::random(&shape, &mut stream.part(0));
    let mut optimizer = AdamState::new(&network);
    let settings = ImitationSettings {
        decisions: words.number("decisions", 32) as u32,
        rate: words.share("rate-1e6", 1e-6, 1_000),
        weight_decay: words.share("decay-1e9", 1e-9, 1_000),
        dropout: words.share("dropout-1e3", 1e-3, 0),
        ..ImitationSettings::default()
    };
    let judged = words.number("judged", 2_000);
    let fields = [("new decks", field(pool, 200..204)), ("shipped decks", shipped(pool))];
    let information = Information::Perfect;
    for _ in 0..5 {
        let mut learner =
            Learner { layout, information, network: &mut network, optimizer: &mut optimizer };
        let steps = words.number("steps", 20_000) / 5;
        let begin = std::time::Instant::now();
        let pulse = &mut |_| ControlFlow::Continue(());
        let summary =
            imitation::learn(&mut learner, games, &settings, steps, &stream.part(1), pulse)
                .expect("it learns");
        let ms = begin.elapsed().as_secs_f64() * 1e3 / steps as f64;
        let loss = summary.curve.last().map_or(0.0, |last| last.mean_loss());
        let agreement = imitation::agreement(&network, &layout, information, held_out, 1);
        let share = agreement.expect("kinds").share() * 100.0;
        print!("step {}: {ms:.2} ms, loss {loss:.4}, agreement {share:.1} %", optimizer.steps());
        let standard = GameAgent::Rule(RuleAgent::STANDARD);
        for (name, decks) in &fields {
            let rate = win_rate(&network, &layout, decks, standard, judged, &stream.part(2));
            print!(", {name} {:.1} %", rate * 100.0);
        }
        println!();
    }
}

fn shipped(pool: &PiecePool) -> Vec<GameDeck> {
    shipped_decks().map(|deck| deck.build(pool, DEFAULT_COST_CAP).expect("a deck")).to_vec()
}

/// Returns the share of games that the network wins against `enemy`, draws as half.
fn win_rate(
    network: &Network,
    layout: &FeatureLayout<'_>,
    decks: &[GameDeck],
    enemy: GameAgent,
    n: u64,
    stream: &StreamRng,
) -> f64 {
    let mut rng = FastRng::seeded_by(&mut stream.part(0));
    let mut won = 0.0;
    let mut chooser = Chooser::new(layout);
    for number in 0..n {
        let numbers = [(); 2].map(|()| rng.below(decks.len() as u32) as usize);
        let first = Player::ALL[number as usize % 2];
        let start = GameStart { seed: rng.next_u64(), first };
        let mut game = Game::start(numbers.map(|number| &decks[number]), start);
        while game.outcome().is_none() {
            let action = match game.state().to_move {
                Player::A => chooser.choose(network, layout, &game),
                Player::B => enemy.choose(&game, &mut rng),
            };
            game.play(action, &mut ()).expect("agents choose legal actions");
        }
        won += match game.outcome().and_then(|outcome| outcome.winner) {
            Some(Player::A) => 1.0,
            Some(Player::B) => 0.0,
            None => 0.5,
        };
    }
    won / n as f64
}

/// Memory of decisions.
struct Chooser {
    input: InputBatch,
    activations: Activations,
    row: SparseRow,
}

impl Chooser {
    fn new(layout: &FeatureLayout<'_>) -> Self {
        Self {
            input: InputBatch::new(layout.state_len(), layout.action_len()),
            activations: Activations::default(),
            row: SparseRow::default(),
        }
    }

    fn choose(&mut self, network: &Network, layout: &FeatureLayout<'_>, game: &Game<'_>) -> Action {
        let Self { input, activations, row } = self;
        input.clear();
        layout.sparse_state(game, Information::Perfect, row).expect("kinds");
        input.push_state(row.entries());
        for action in game.actions() {
            layout.sparse_action(game, action, row).expect("kinds");
            input.push_action(row.entries());
        }
        network.forward(input, FirstLayerForm::Fastest, activations);
        let values = activations.outputs().values().iter().zip(game.actions());
        let best = values.reduce(|best, next| if best.0 < next.0 { next } else { best });
        best.expect("a game that is not over has actions").1
    }
}
