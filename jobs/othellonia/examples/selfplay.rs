//! Learns to play from nothing by playing against earlier versions of itself, and shows how strong
//! it is against agents by rule.
//!
//! `cargo run --release -p hatchery-othellonia --example selfplay` takes some minutes. Words after
//! `--` change how it learns, as in `one-hot returns=end k=8`:
//!
//! * `one-hot` for a column for each piece of a deck, rather than `vectors` (random ones).
//! * `own` to learn from the decisions of the learner alone, rather than of both players.
//! * `games=4000`, `looks=8`, `judged=500`: the games, and the looks with so many games each.
//! * `k=4`: the steps for each pair of games.
//! * `generation=0`: the games of a generation, which are played with the weights from before it
//!   and learned from after it; 0 to learn after each pair.
//! * `first=500`: the games against the random agent, and between two snapshots.
//! * `returns=1`: the own decisions until the value that is learned from, or `end`.
//! * `hidden=64-32`, `rate=0.001`, `noise=0.5`, `epsilon=0`, `target=500`, `batch=32`, `bins=51`,
//!   `alpha=0.7`, `beta=0.5`, `discount=0.999`, `capacity=200000`, `seed=1`: settings.
#![expect(clippy::print_stdout, reason = "it prints tables")]

use std::ops::ControlFlow;
use std::rc::Rc;
use std::str::FromStr;

use hatchery_core::{FastRng, RunSeed, StreamRng};
use hatchery_nets::loss::softmax;
use hatchery_nets::{Activations, FirstLayerForm, InputBatch, PassOptions, RowNoise, ValueBins};
use hatchery_othellonia::agents::{GameAgent, RuleAgent};
use hatchery_othellonia::features::{Information, PieceVectors, SparseRow};
use hatchery_othellonia::generate::{
    DEFAULT_COST_CAP, DEFAULT_KINDS, PoolSettings, generate_pieces, shipped_decks,
};
use hatchery_othellonia::learning::reinforcement::{
    LearnedMoves, ReinforcementLearner, ReinforcementSettings, Returns,
};
use hatchery_othellonia::learning::samples::TrainingGames;
use hatchery_othellonia::model::{AgentModel, ModelBuffers, ModelEncoding};
use hatchery_othellonia::pool::PiecePool;
use hatchery_othellonia::record::GameRecord;
use hatchery_othellonia::rules::{Action, Game, GameDeck, GameStart, Player};

fn main() {
    let words = Words(std::env::args().skip(1).collect());
    let seed = RunSeed::new("selfplay", words.number("seed", 1)).generation(0);
    let pool = PiecePool::new(generate_pieces(&PoolSettings::default())).expect("a pool");
    let decks = shipped_decks().map(|deck| deck.build(&pool, DEFAULT_COST_CAP).expect("a deck"));
    let kinds = DEFAULT_KINDS as usize;
    let encoding = match words.has("one-hot") {
        true => ModelEncoding::DeckOneHot,
        false => {
            let vectors = PieceVectors::random(kinds, &mut seed.stream("vectors"));
            ModelEncoding::Vectors(vectors.expect("kinds"))
        }
    };
    let hidden = words.text("hidden", "64-32").split('-').map(|units| units.parse::<usize>());
    let hidden: Vec<_> = hidden.map(|units| units.expect("sizes of layers")).collect();
    let (settings, stream) = (settings(&words), seed.stream("steps"));
    let mut rng = seed.stream("network");
    let learner =
        ReinforcementLearner::new(encoding, Information::Perfect, &hidden, &settings, &mut rng);
    let mut run = SelfPlay {
        learner: learner.expect("settings in their ranges"),
        games: TrainingGames::new(&decks, []).expect("no games"),
        decks: &decks,
        snapshots: Vec::new(),
        explorer: Explorer::new(words.number("epsilon", 0.0)),
        rng: FastRng::seeded_by(&mut seed.stream("games")),
        first: words.number("first", 500),
        cpu: [0.0; 2],
    };
    println!("{settings:?}");
    run.learn(&words, &stream, &seed.stream("judged"));
}

fn settings(words: &Words) -> ReinforcementSettings {
    let usual = ReinforcementSettings::default();
    ReinforcementSettings {
        batch: words.number("batch", usual.batch),
        rate: words.number("rate", usual.rate),
        bins: words.number("bins", usual.bins),
        discount: words.number("discount", usual.discount),
        returns: match words.text("returns", "1") {
            "end" => Returns::End,
            steps => Returns::Steps(steps.parse().expect("a number of steps")),
        },
        moves: if words.has("own") { LearnedMoves::Own } else { LearnedMoves::Both },
        target_steps: words.number("target", 500),
        capacity: words.number("capacity", 200_000),
        alpha: words.number("alpha", usual.alpha),
        beta: words.number("beta", usual.beta),
        noise: words.number("noise", usual.noise),
        ..usual
    }
}

/// The words of the command line.
struct Words(Vec<String>);

impl Words {
    fn has(&self, word: &str) -> bool {
        self.0.iter().any(|it| it == word)
    }

    fn text<'a>(&'a self, name: &str, usual: &'a str) -> &'a str {
        let mut values =
            self.0.iter().filter_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        values.next_back().unwrap_or(usual)
    }

    /// Returns the number that a word gives to `name`.
    fn number<T: FromStr>(&self, name: &str, usual: T) -> T {
        match self.text(name, "") {
            "" => usual,
            text => text.parse().ok().expect("a number after ="),
        }
    }
}

/// A learner with its games and the opponents that it was.
struct SelfPlay<'a> {
    learner: ReinforcementLearner,
    games: TrainingGames<'a>,
    decks: &'a [GameDeck; 3],
    snapshots: Vec<Rc<AgentModel>>,
    explorer: Explorer,
    rng: FastRng,
    /// The games against the random agent, and between two snapshots.
    first: usize,
    /// The CPU seconds of games and of steps.
    cpu: [f64; 2],
}

impl SelfPlay<'_> {
    fn learn(&mut self, words: &Words, stream: &StreamRng, judged: &StreamRng) {
        let (n_games, looks) = (words.number("games", 4_000), words.number("looks", 8));
        let steps_of_pair: u64 = words.number("k", 4);
        let generation = words.number("generation", 0_usize).max(2);
        println!("games  steps  CPU s of games, steps | % against random, standard, hard");
        for look in 1..=looks {
            while self.games.n_games() < n_games * look / looks {
                let mut clock = CpuClock::start();
                for _ in 0..generation / 2 {
                    self.play_pair();
                }
                self.cpu[0] += clock.lap();
                let is_lagging = generation != 2;
                if !is_lagging {
                    self.learner.absorb(&self.games);
                }
                let steps = steps_of_pair * (generation / 2) as u64;
                if self.learner.n_items() != 0 {
                    let learned = self.learner.learn(&self.games, steps, stream, &mut go_on);
                    learned.expect("finite losses");
                }
                self.learner.absorb(&self.games);
                self.cpu[1] += clock.lap();
            }
            self.show(words.number("judged", 500), judged);
        }
    }

    fn play_pair(&mut self) {
        let n_snapshots = u32::try_from(self.snapshots.len()).expect("few snapshots");
        if self.snapshots.len() < self.games.n_games() / self.first {
            self.snapshots.push(Rc::new(self.learner.model().clone()));
        }
        let enemy = (n_snapshots != 0)
            .then(|| Rc::clone(&self.snapshots[self.rng.below(n_snapshots) as usize]));
        let (decks, start) = drawn(&mut self.rng);
        for first in Player::ALL {
            let start = GameStart { first, ..start };
            let mut game = Game::start(decks.map(|deck| &self.decks[usize::from(deck)]), start);
            let mut actions = Vec::new();
            while game.outcome().is_none() {
                let model = match game.state().to_move {
                    Player::A => Some(self.learner.model()),
                    Player::B => enemy.as_deref(),
                };
                let action = match model {
                    Some(model) => self.explorer.choose(model, &game, &mut self.rng),
                    None => GameAgent::Random.choose(&game, &mut self.rng),
                };
                game.play(action, &mut ()).expect("agents choose legal actions");
                actions.push(action);
            }
            self.games.push(GameRecord { decks, start, actions }).expect("a legal game");
        }
    }

    fn show(&self, judged: u32, stream: &StreamRng) {
        let (model, [games, steps]) = (self.learner.model(), self.cpu);
        print!("{:6} {:6}  {games:5.1} {steps:6.1} |", self.games.n_games(), self.learner.steps());
        let rules = [RuleAgent::STANDARD, RuleAgent::HARD].map(GameAgent::Rule);
        for enemy in [GameAgent::Random, rules[0], rules[1]] {
            let rate = win_rate(model, self.decks, enemy, judged, stream);
            print!(" {:5.1}", rate * 100.0);
        }
        println!();
    }
}

/// Draws the numbers of two decks, and the start of a game.
fn drawn(rng: &mut FastRng) -> ([u16; 2], GameStart) {
    let decks = [(); 2].map(|()| u16::try_from(rng.below(3)).expect("three decks"));
    (decks, GameStart { seed: rng.next_u64(), first: Player::A })
}

/// Returns the share of games that the network wins, with draws as half; it plays without noise.
fn win_rate(
    model: &AgentModel,
    decks: &[GameDeck; 3],
    enemy: GameAgent,
    n_games: u32,
    stream: &StreamRng,
) -> f64 {
    let mut rng = FastRng::seeded_by(&mut stream.part(0));
    let mut buffers: ModelBuffers = model.buffers();
    let mut won = 0.0;
    for number in 0..n_games {
        let (numbers, start) = drawn(&mut rng);
        let start = GameStart { first: Player::ALL[number as usize % 2], ..start };
        let mut game = Game::start(numbers.map(|number| &decks[usize::from(number)]), start);
        while game.outcome().is_none() {
            let action = match game.state().to_move {
                Player::A => model.choose(&game, &mut buffers).expect("the game is not over"),
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
    won / f64::from(n_games)
}

/// Plays with the noise of networks, and sometimes any action.
struct Explorer {
    epsilon: f64,
    row: SparseRow,
    noise: RowNoise,
    activations: Activations,
}

impl Explorer {
    fn new(epsilon: f64) -> Self {
        let (row, noise) = (SparseRow::default(), RowNoise::default());
        Self { epsilon, row, noise, activations: Activations::default() }
    }

    fn choose(&mut self, model: &AgentModel, game: &Game<'_>, rng: &mut FastRng) -> Action {
        if rng.unit_f64() < self.epsilon {
            return GameAgent::Random.choose(game, rng);
        }
        let (layout, network) = (model.layout(), model.network());
        let mut batch = InputBatch::new(layout.state_len(), layout.action_len());
        layout.sparse_state(game, model.information(), &mut self.row).expect("known pieces");
        batch.push_state(self.row.entries());
        for action in game.actions() {
            layout.sparse_action(game, action, &mut self.row).expect("a legal action");
            batch.push_action(self.row.entries());
        }
        let noise = network.deviation().is_some().then(|| {
            self.noise.draw(network, batch.n_rows(), rng);
            &self.noise
        });
        let options = PassOptions { noise, ..PassOptions::default() };
        network.forward_with(&batch, FirstLayerForm::Fastest, options, &mut self.activations);
        let outputs = self.activations.outputs();
        let bins = u16::try_from(outputs.n_cols()).ok().and_then(ValueBins::new);
        let bins = bins.expect("a network with bins");
        let mut probabilities = vec![0.0; outputs.n_cols()];
        let mut best = None;
        for (row, action) in game.actions().enumerate() {
            softmax(outputs.row(row), &mut probabilities);
            let mean = bins.mean(&probabilities);
            if best.is_none_or(|(_, most)| most < mean) {
                best = Some((action, mean));
            }
        }
        best.expect("the game is not over").0
    }
}

/// The CPU time of the thread.
struct CpuClock(f64);

impl CpuClock {
    fn start() -> Self {
        Self(Self::seconds())
    }

    /// Returns the seconds since the last lap.
    fn lap(&mut self) -> f64 {
        let now = Self::seconds();
        now - std::mem::replace(&mut self.0, now)
    }

    #[expect(clippy::disallowed_methods, reason = "time is shown, and decides nothing")]
    fn seconds() -> f64 {
        let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
        let nanoseconds = stat.split(' ').next().and_then(|it| it.parse().ok());
        nanoseconds.unwrap_or(0.0) / 1e9
    }
}

const fn go_on(_: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
