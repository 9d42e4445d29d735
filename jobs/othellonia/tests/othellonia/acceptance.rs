//! The acceptance numbers of the default pool: balance of archetypes and decks, length and causes
//! of the end of games, effects, and skill.
//!
//! Seeds are fixed, so that the tests pass or fail for good. The comments give the tests' error
//! rate with other seeds. The example `balance` prints the same numbers of more games.
#![expect(clippy::print_stdout, reason = "the table of the numbers is the test's result")]

use hatchery_core::RunSeed;
use hatchery_othellonia::generate::{
    Archetype, DEFAULT_COST_CAP, FieldDeck, MatchUp, PoolAssessment, PoolSettings, assess,
    generate_deck, generate_pieces, shipped_decks,
};
use hatchery_othellonia::players::{GameAgent, RuleAgent};
use hatchery_othellonia::pool::{DeckDefinition, PiecePool};
use hatchery_othellonia::rules::{EffectKind, EndCause};

const STANDARD: GameAgent = GameAgent::Rule(RuleAgent::STANDARD);
const HARD: GameAgent = GameAgent::Rule(RuleAgent::HARD);

fn pool() -> PiecePool {
    PiecePool::new(generate_pieces(&PoolSettings::default())).expect("a valid pool")
}

fn field_deck(pool: &PiecePool, archetype: Archetype, deck: &DeckDefinition) -> FieldDeck {
    FieldDeck { archetype, deck: deck.build(pool, DEFAULT_COST_CAP).expect("a deck") }
}

/// Returns decks for every archetype. No deck was used to find the factors.
fn generated_field(pool: &PiecePool, n_decks: u64) -> Vec<FieldDeck> {
    let mut field = Vec::new();
    for archetype in Archetype::ALL {
        for seed in 100..100 + n_decks {
            let deck = generate_deck(pool, archetype, seed, DEFAULT_COST_CAP).expect("a deck");
            field.push(field_deck(pool, archetype, &deck));
        }
    }
    field
}

fn check(name: &str, share: f64, least: f64, most: f64) {
    assert!((least..=most).contains(&share), "{name} = {share}, not from {least} to {most}");
}

/// 16 x 16 x 2 = 512 games per match-up of archetypes. The standard error of a win rate is 2.2
/// points by chance and 3.5 by the choice of decks (their strengths have a standard deviation of
/// 10), so that archetypes whose true means are from 47 to 53 % fail with less than 1 in 1,000
/// seeds.
#[test]
fn generated_decks_are_balanced() {
    let found = assess(&generated_field(&pool(), 16), STANDARD, 1, 1);
    println!("{found}");
    for archetype in Archetype::ALL {
        check(archetype.name(), found.mean_win_rate(archetype), 0.4, 0.6);
        for other in Archetype::ALL {
            let rate = found.archetypes[archetype as usize][other as usize].win_rate();
            check(&format!("{} - {}", archetype.name(), other.name()), rate, 0.25, 0.75);
        }
    }
    check_games(&found);
    for (kind, n) in EffectKind::ALL.into_iter().zip(found.all.kinds) {
        check(kind.name(), found.all.share(n), 0.01, 1.0);
    }
}

/// 2,200 games and more: standard errors are below 1.1 points and 0.2 placements.
fn check_games(found: &PoolAssessment) {
    let all = &found.all;
    check("wins of the first player", all.share(all.first_wins), 0.45, 0.55);
    check("placements", all.share(all.placements), 18.0, 28.0);
    let cause = |cause: EndCause| all.share(all.causes[cause as usize]);
    check("HP 0", cause(EndCause::HpZero), 0.7, 1.0);
    check("one color", cause(EndCause::OneColor), 0.0, 0.05);
}

/// 2,000 games a match-up: the standard error is 1.1 points, so that match-ups from 46 to 54 % fail
/// with less than 1 in 1,000 seeds.
#[test]
fn shipped_decks_are_balanced() {
    let pool = pool();
    let decks = shipped_decks();
    let field: Vec<_> = Archetype::ALL
        .into_iter()
        .zip(&decks)
        .map(|(it, deck)| field_deck(&pool, it, deck))
        .collect();
    let found = assess(&field, STANDARD, 1_000, 2);
    println!("{found}");
    for (a, row) in found.decks.iter().enumerate() {
        for (b, &rate) in row.iter().enumerate() {
            check(&format!("deck {a} - deck {b}"), rate, 0.42, 0.58);
        }
    }
    check_games(&found);
}

/// Returns the win rate of the first agent. Each deck of a field meets three others, and the agents
/// swap decks and sides.
fn win_rate(name: &str, agents: [GameAgent; 2], field: &[FieldDeck], n_pairs: u32) -> f64 {
    let (mut rates, mut n) = (0.0, 0.0);
    for (a, deck) in field.iter().enumerate() {
        for step in [1, 23, 37] {
            let b = (a + step) % field.len();
            let decks = [&deck.deck, &field[b].deck];
            for decks in [decks, [decks[1], decks[0]]] {
                let seed = RunSeed::new(&format!("{name}/{a}/{b}"), 1);
                rates += MatchUp { decks, agents }.play_pairs(n_pairs, &seed).win_rate();
                n += 1.0;
            }
        }
    }
    println!("{name}: {:.1} % of {} games", rates / n * 100.0, n * 2.0 * f64::from(n_pairs));
    rates / n
}

/// 3,600, 3,600 and 720 games: standard errors of 0.3, 0.8 and 1.7 points. The true numbers are 96,
/// 69 and 72 % (10,800 games each for the first two, 3,000 for the last), three of these errors and
/// more from the bounds.
#[test]
fn skill_decides() {
    let field = generated_field(&pool(), 20);
    let check_rate = |name: &str, agents, n_pairs, least, most| {
        check(name, win_rate(name, agents, &field, n_pairs), least, most);
    };
    check_rate("standard - random", [STANDARD, GameAgent::Random], 5, 0.95, 1.0);
    check_rate("hard - standard", [HARD, STANDARD], 5, 0.65, 0.75);
    check_rate("look-ahead - hard", [GameAgent::Lookahead, HARD], 1, 0.65, 1.0);
}
