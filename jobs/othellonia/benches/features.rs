//! Measures the time of feature rows: `cargo bench -p hatchery-othellonia --bench features`.

use std::array;

use divan::Bencher;
use divan::counter::ItemsCount;
use hatchery_core::{RunSeed, StreamRng};
use hatchery_othellonia::features::{
    FeatureLayout, Information, PieceEncoding, PieceVectors, SparseRow,
};
use hatchery_othellonia::rules::{
    Action, Attribute, Effect, EffectChain, EffectKind, EffectScaling, EffectScope, Game, GameDeck,
    GamePiece, GameStart, PieceId, Player,
};

/// The kinds of the pool, and the games from which positions are taken.
const KINDS: u16 = 925;
const GAMES: u64 = 50;

fn main() {
    divan::main();
}

fn rng() -> StreamRng {
    RunSeed::new("bench", 1).generation(0).stream("features")
}

/// Returns a deck whose pieces have skills of many kinds; half the pieces also have combo skills.
fn deck(first: u16) -> GameDeck {
    let chain = |number: u16| {
        let kind = EffectKind::ALL[usize::from(number * 5) % EffectKind::ALL.len()];
        let kind = if kind == EffectKind::Echo { EffectKind::Bolt } else { kind };
        let effect = Effect {
            kind,
            magnitude: kind.largest().div_ceil(20),
            target: Default::default(),
            turns: if kind.scope() == EffectScope::Placement { 0 } else { 3 },
            condition: Default::default(),
            scaling: EffectScaling::None,
        };
        EffectChain::new(&[effect]).expect("an effect of the rules")
    };
    let pieces = array::from_fn(|at| {
        let id = first + 7 * u16::try_from(at).expect("16 pieces");
        GamePiece {
            id: PieceId(id),
            attribute: Attribute::ALL[usize::from(id % 3)],
            hp: 1_500,
            attack: 1_000,
            skill: chain(id),
            combo: if id.is_multiple_of(2) { chain(id / 2) } else { EffectChain::NONE },
        }
    });
    GameDeck::new(pieces, 0).expect("different pieces")
}

/// Calls `measure` with the positions of random games and all their actions.
fn with_positions(measure: impl FnOnce(&[(Game<'_>, Vec<Action>)])) {
    let decks = [deck(3), deck(500)];
    let mut rng = rng();
    let mut positions = Vec::new();
    for seed in 0..GAMES {
        let start = GameStart { seed, first: Player::A };
        let mut game = Game::start([&decks[0], &decks[1]], start);
        while game.outcome().is_none() {
            let actions: Vec<_> = game.actions().collect();
            let n_actions = u32::try_from(actions.len()).expect("at most 144 actions");
            let action = actions[rng.below(n_actions) as usize];
            positions.push((game.clone(), actions));
            game.play(action, &mut ()).expect("a legal action");
        }
    }
    measure(&positions);
}

fn vectors() -> PieceVectors {
    PieceVectors::random(KINDS.into(), &mut rng()).expect("a pool of this size")
}

fn layout(vectors: &PieceVectors) -> FeatureLayout<'_> {
    FeatureLayout::new(PieceEncoding::Vectors(vectors)).expect("a table with kinds")
}

/// A state and one action, one item each.
#[divan::bench]
fn row(bencher: Bencher<'_, '_>) {
    let vectors = vectors();
    let layout = layout(&vectors);
    let mut row = vec![0.0; layout.row_len()];
    with_positions(|positions| {
        bencher.counter(ItemsCount::new(positions.len())).bench_local(|| {
            for (game, actions) in positions {
                layout.write_row(game, Information::Perfect, actions[0], &mut row).expect("legal");
            }
            row[0]
        });
    });
}

#[divan::bench]
fn state(bencher: Bencher<'_, '_>) {
    let vectors = vectors();
    let layout = layout(&vectors);
    let mut row = vec![0.0; layout.state_len()];
    with_positions(|positions| {
        bencher.counter(ItemsCount::new(positions.len())).bench_local(|| {
            for (game, _) in positions {
                layout.write_state(game, Information::Perfect, &mut row).expect("a known deck");
            }
            row[0]
        });
    });
}

#[divan::bench]
fn state_sparse(bencher: Bencher<'_, '_>) {
    let layout = FeatureLayout::new(PieceEncoding::OneHotPool { kinds: KINDS.into() });
    let layout = layout.expect("a pool of this size");
    let mut row = SparseRow::default();
    with_positions(|positions| {
        bencher.counter(ItemsCount::new(positions.len())).bench_local(|| {
            for (game, _) in positions {
                layout.sparse_state(game, Information::Perfect, &mut row).expect("a known deck");
            }
            row.entries().len()
        });
    });
}

/// All actions in every position.
#[divan::bench]
fn action(bencher: Bencher<'_, '_>) {
    let vectors = vectors();
    let layout = layout(&vectors);
    let mut row = vec![0.0; layout.action_len()];
    with_positions(|positions| {
        let n_actions: usize = positions.iter().map(|(_, actions)| actions.len()).sum();
        bencher.counter(ItemsCount::new(n_actions)).bench_local(|| {
            for (game, actions) in positions {
                for &action in actions {
                    layout.write_action(game, action, &mut row).expect("legal");
                }
            }
            row[0]
        });
    });
}
