//! Othello beside other crates, in one process, by turns and by CPU time:
//! `cargo run --release --locked -- [--rounds N] [--seconds S] [--edax PROGRAM]`. See the README of
//! the folder above.

mod edax;
mod peers;
mod turns;

use std::f64::consts::FRAC_1_SQRT_2;
use std::hint::black_box;
use std::path::PathBuf;

use hatchery_core::{RunSeed, StreamRng};
use hatchery_othello::players::{AgentSearch, DepthReading, MctsAgent, SearchSettings};
use hatchery_othello::rules::{
    BoardBackend, PerftConvention, Position, ScoreRule, perft, random_games,
};
use rust_reversi_core::board::Board as Reversi;
use rust_reversi_core::search::{MctsSearch, Search};

use edax::EdaxProgram;
use peers::{MagpieBoard, PeerBoard, ReversiBoard};
use turns::MeasuredProgram;

/// Games between two looks at the clock.
const GAMES: u32 = 1_000;

/// Plies of a perft, and its games (Bik).
const PERFTS: [(u32, u64); 2] = [(9, 3_005_288), (10, 24_571_284)];

/// Plies of the perft beside Edax, whose clock has milliseconds.
const EDAX_PLIES: u32 = 11;

/// Playouts of a search, and its depth: no limit in practice.
const PLAYOUTS: u32 = 10_000;
const DEPTH: u32 = 60;

const OURS: [(&str, BoardBackend); 2] =
    [("hatchery, AVX2", BoardBackend::Avx2), ("hatchery, plain code", BoardBackend::Plain)];
const MAGPIE: &str = "magpie 0.12.0";
const REVERSI: &str = "rust_reversi_core 1.0.2";

struct BenchOptions {
    rounds: usize,
    seconds: f64,
    edax: Option<PathBuf>,
}

fn main() {
    let BenchOptions { rounds, seconds, edax } = options();
    assert!(BoardBackend::Avx2.is_available(), "this processor has no AVX2");
    println!("{}\n", conditions());
    turns::compare("random games", rounds, seconds, games());
    turns::compare("perft 9 and 10, positions", rounds, seconds, perfts());
    if let Some(program) = edax {
        turns::compare(
            "perft 11, positions",
            rounds,
            seconds,
            edax_perfts(EdaxProgram::new(&program)),
        );
    }
    turns::compare("UCT playouts", rounds, seconds, searches());
    println!("{}", conditions());
}

fn options() -> BenchOptions {
    let mut options = BenchOptions { rounds: 9, seconds: 0.5, edax: None };
    let mut words = std::env::args().skip(1);
    while let Some(name) = words.next() {
        let value = words.next().unwrap_or_else(|| panic!("{name} needs a value"));
        match name.as_str() {
            "--rounds" => options.rounds = value.parse().expect("--rounds takes a number"),
            "--seconds" => options.seconds = value.parse().expect("--seconds takes a number"),
            "--edax" => options.edax = Some(value.into()),
            _ => panic!("unknown option {name}; there are --rounds, --seconds and --edax"),
        }
    }
    assert!(1 <= options.rounds, "--rounds must be 1 or more");
    options
}

/// Returns the processor and the load averages, as Linux reports them.
fn conditions() -> String {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let cpu = read("/proc/cpuinfo");
    let of = |key| {
        let line = cpu.lines().find(|line| line.split(':').next().map(str::trim) == Some(key));
        line.and_then(|line| line.split(": ").nth(1)).unwrap_or("?").to_owned()
    };
    let [name, family, model] = ["model name", "cpu family", "model"].map(of);
    format!(
        "{name} (family {family}, model {model}); load averages {}",
        read("/proc/loadavg").trim()
    )
}

fn stream(label: &str) -> StreamRng {
    RunSeed::new("bench", 1).generation(0).stream(label)
}

fn games() -> Vec<MeasuredProgram> {
    let ours = |backend| {
        let mut rng = stream("games");
        move || random_games(&Position::START, GAMES, ScoreRule::DiscDifference, backend, &mut rng)
    };
    fn theirs<B: PeerBoard>() -> impl FnMut() -> i64 {
        let mut rng = stream("games");
        move || (0..GAMES).map(|_| peers::random_game::<B>(&mut rng)).sum()
    }
    let own_draws = || (0..GAMES).map(|_| peers::reversi_random_game()).sum::<i64>();

    let leads = [ours(BoardBackend::Avx2)(), ours(BoardBackend::Plain)()];
    let of_peers = [theirs::<MagpieBoard>()(), theirs::<ReversiBoard>()()];
    assert_eq!(leads, of_peers, "the same draws lead to other games");
    // The standard error of a difference is 0.8.
    let difference = (own_draws() - leads[0]) as f64 / f64::from(GAMES);
    assert!(difference.abs() < 5.0, "games of another kind: {difference}");

    let contender = |name: &str, mut play: Box<dyn FnMut() -> i64>| {
        MeasuredProgram::in_process(name, move || {
            black_box(play());
            GAMES.into()
        })
    };
    let [fast, plain] = OURS;
    vec![
        contender(fast.0, Box::new(ours(fast.1))),
        contender(plain.0, Box::new(ours(plain.1))),
        contender(MAGPIE, Box::new(theirs::<MagpieBoard>())),
        contender(REVERSI, Box::new(own_draws)),
        contender(&format!("{REVERSI}, our draws"), Box::new(theirs::<ReversiBoard>())),
    ]
}

fn perfts() -> Vec<MeasuredProgram> {
    fn contender(name: &str, count: impl Fn(u32) -> u64 + 'static) -> MeasuredProgram {
        MeasuredProgram::in_process(name, move || {
            let games = PERFTS.map(|(depth, expected)| {
                assert_eq!(count(depth), expected, "{depth} plies");
                expected
            });
            games.iter().sum()
        })
    }
    let ours = |(name, backend)| {
        contender(name, move |depth| {
            perft(&Position::START, depth, PerftConvention::PassesCount, backend)
        })
    };
    let mut contenders = Vec::from(OURS.map(ours));
    let magpie = |depth| peers::perft(&mut MagpieBoard::start(), depth);
    let reversi = |depth| peers::perft(&mut ReversiBoard::start(), depth);
    contenders.extend([contender(MAGPIE, magpie), contender(REVERSI, reversi)]);
    contenders
}

fn edax_perfts(edax: EdaxProgram) -> Vec<MeasuredProgram> {
    let convention = PerftConvention::PassesCountLivingOnly;
    let expected = perft(&Position::START, EDAX_PLIES, convention, BoardBackend::Avx2);
    let ours = |(name, backend)| {
        MeasuredProgram::in_process(name, move || {
            let found = perft(&Position::START, EDAX_PLIES, convention, backend);
            assert_eq!(found, expected, "{EDAX_PLIES} plies");
            found
        })
    };
    let mut contenders = Vec::from(OURS.map(ours));
    contenders.push(MeasuredProgram::of_rates("Edax 4.6", move |_| {
        let found = edax.perft(EDAX_PLIES);
        assert_eq!(found.n_games, expected, "{EDAX_PLIES} plies of Edax");
        expected as f64 / found.seconds
    }));
    contenders
}

fn searches() -> Vec<MeasuredProgram> {
    let ours = |(name, backend): (&str, BoardBackend)| {
        let settings = SearchSettings {
            playouts: PLAYOUTS,
            reading: DepthReading::TreeCap,
            plies_per_doubling: 4.0,
            exploration: FRAC_1_SQRT_2,
        };
        let agent = MctsAgent::new(DEPTH, settings).expect("the settings are within their ranges");
        let (mut search, stream) = (AgentSearch::new(backend), stream("searches"));
        let mut parts = 0..;
        MeasuredProgram::in_process(name, move || {
            let part = parts.next().expect("it has no end");
            black_box(search.rank(&Position::START, &agent, &stream.part(part)));
            search.take_effort().playouts
        })
    };
    let theirs = |threshold| {
        let search = MctsSearch::new(PLAYOUTS as usize, FRAC_1_SQRT_2, threshold);
        let name = format!("{REVERSI}, expansion at {threshold} visits");
        MeasuredProgram::in_process(&name.replace("1 visits", "1 visit"), move || {
            black_box(search.get_move(&mut Reversi::new()));
            PLAYOUTS.into()
        })
    };
    let mut contenders = Vec::from(OURS.map(ours));
    // The tree of the first is that of hatchery; the second is what its benchmark has.
    contenders.extend([1, 10].map(theirs));
    contenders
}
