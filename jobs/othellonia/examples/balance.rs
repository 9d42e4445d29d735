//! Prints the acceptance numbers of the default pool.
//!
//! Words after `cargo run -p hatchery-othellonia --example balance --` say which:
//! * `calibrate` finds the factors of the archetypes (1 minute), and uses these factors from then
//!   on.
//! * `field` plays generated decks against each other.
//! * `shipped` plays the shipped decks against each other.
//! * `search` looks for three even decks among the decks from the first seeds (1 minute).
//! * `skill` plays agents of different strength against each other.
//! * A number is the seed of another pool.
#![expect(clippy::print_stdout, reason = "it prints tables")]

use hatchery_core::RunSeed;
use hatchery_othellonia::generate::{
    Archetype, CalibrationSize, DEFAULT_COST_CAP, FieldDeck, MatchUp, PoolSettings, assess,
    calibrate, generate_deck, generate_pieces, shipped_decks,
};
use hatchery_othellonia::players::{GameAgent, RuleAgent};
use hatchery_othellonia::pool::{DeckDefinition, PiecePool};

const STANDARD: GameAgent = GameAgent::Rule(RuleAgent::STANDARD);
const HARD: GameAgent = GameAgent::Rule(RuleAgent::HARD);

fn main() {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|it| it == word);
    let mut settings = PoolSettings::default();
    settings.seed = words.iter().find_map(|it| it.parse().ok()).unwrap_or(settings.seed);
    if has("calibrate") {
        let found = calibrate(settings.seed, settings.kinds, CalibrationSize::DEFAULT);
        settings.factors = found.expect("the default pool has decks");
        println!("{:?}", settings.factors);
    }
    let pool = PiecePool::new(generate_pieces(&settings)).expect("a pool");
    if has("field") {
        println!("generated decks:\n{}", assess(&field(&pool, 100..110), STANDARD, 40, 1));
    }
    if has("shipped") {
        let decks = shipped_decks();
        let decks: Vec<_> =
            Archetype::ALL.iter().zip(&decks).map(|it| field_deck(&pool, *it.0, it.1)).collect();
        println!("shipped decks:\n{}", assess(&decks, STANDARD, 5_000, 2));
    }
    if has("search") {
        search(&pool);
    }
    if has("skill") {
        let novice = GameAgent::Rule(RuleAgent::NOVICE);
        play_agents(&pool, "novice - random", [novice, GameAgent::Random]);
        play_agents(&pool, "standard - random", [STANDARD, GameAgent::Random]);
        play_agents(&pool, "standard - novice", [STANDARD, novice]);
        play_agents(&pool, "hard - standard", [HARD, STANDARD]);
        play_agents(&pool, "look-ahead - hard", [GameAgent::Lookahead, HARD]);
    }
}

fn field_deck(pool: &PiecePool, archetype: Archetype, deck: &DeckDefinition) -> FieldDeck {
    FieldDeck { archetype, deck: deck.build(pool, DEFAULT_COST_CAP).expect("a deck") }
}

/// Returns the decks of these seeds, by archetype.
fn field(pool: &PiecePool, seeds: std::ops::Range<u64>) -> Vec<FieldDeck> {
    let mut field = Vec::new();
    for archetype in Archetype::ALL {
        for seed in seeds.clone() {
            let deck = generate_deck(pool, archetype, seed, DEFAULT_COST_CAP).expect("a deck");
            field.push(field_deck(pool, archetype, &deck));
        }
    }
    field
}

/// Lists triples of seeds, one seed per archetype, whose decks have match-ups closest to even.
fn search(pool: &PiecePool) {
    const SEEDS: usize = 10;
    let decks = field(pool, 0..SEEDS as u64);
    let found = assess(&decks, STANDARD, 150, 3).decks;
    let mut triples = Vec::new();
    for a in 0..SEEDS {
        for b in SEEDS..2 * SEEDS {
            for c in 2 * SEEDS..3 * SEEDS {
                let rates = [found[a][b], found[b][c], found[c][a]];
                let off = rates.map(|rate| (rate - 0.5).abs()).into_iter().fold(0.0, f64::max);
                triples.push((off, [a, b, c]));
            }
        }
    }
    triples.sort_by(|a, b| a.0.total_cmp(&b.0));
    // The best of so many are best by chance: they play again.
    for (_, triple) in triples.iter().take(24) {
        let decks = triple.map(|deck| decks[deck].clone());
        let pieces = decks.iter().flat_map(|it| it.deck.pieces()).map(|it| it.id);
        let n_pieces = pieces.collect::<std::collections::BTreeSet<_>>().len();
        let found = assess(&decks, STANDARD, 1_000, 4).decks;
        let seeds = triple.map(|deck| deck % SEEDS);
        let rates = [found[0][1], found[1][2], found[2][0]].map(|rate| rate * 100.0);
        println!("seeds {seeds:?}, {n_pieces} different pieces: {rates:.1?} %");
    }
}

/// Plays 3,000 games: 300 pairs of decks, shuffles in pairs with sides swapped.
fn play_agents(pool: &PiecePool, name: &str, agents: [GameAgent; 2]) {
    let decks = field(pool, 100..110);
    let (mut rates, mut n) = (0.0, 0.0);
    for (a, deck_a) in decks.iter().enumerate() {
        for (b, deck_b) in decks.iter().enumerate().filter(|(b, _)| (a + b) % 3 == 0) {
            let match_up = MatchUp { decks: [&deck_a.deck, &deck_b.deck], agents };
            let seed = RunSeed::new(&format!("{name}/{a}/{b}"), 1);
            rates += match_up.play_pairs(5, &seed).win_rate();
            n += 1.0;
        }
    }
    println!("{name}: {:.1} % of {} games", rates / n * 100.0, n * 10.0);
}
