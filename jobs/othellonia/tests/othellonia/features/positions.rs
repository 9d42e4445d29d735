//! Pools, decks and positions for the tests.

use std::array;

use hatchery_core::{RunSeed, StreamRng};
use hatchery_othellonia::features::{FeatureLayout, Information, PieceEncoding, PieceVectors};
use hatchery_othellonia::pool::{CostCap, DeckDefinition, PieceDefinition, PiecePool};
use hatchery_othellonia::rules::{
    Action, Attribute, CellClass, Condition, Effect, EffectKind, EffectScaling, EffectScope,
    EffectTarget, Game, GameDeck, GameStart, GameState, Player,
};

/// The kinds of the pool of most tests.
pub(crate) const KINDS: usize = 96;

pub(crate) fn rng(seed: u64) -> StreamRng {
    RunSeed::new("othellonia features", seed).generation(0).stream("test")
}

/// Returns a pool with all kinds of effects, targets, scalings and conditions. Pools of more kinds
/// begin with the same ones.
pub(crate) fn pool(kinds: usize) -> PiecePool {
    PiecePool::new((0..kinds).map(definition).collect()).unwrap()
}

fn definition(number: usize) -> PieceDefinition {
    let n = u32::try_from(number).unwrap();
    let kind = |number: usize| EffectKind::ALL[number % EffectKind::ALL.len()];
    PieceDefinition {
        name: format!("piece {number}"),
        attribute: Attribute::ALL[number % 3],
        cost: 5,
        hp: 700 + 131 * n % 1_500,
        attack: 500 + 77 * n % 1_000,
        skill: (number % 16 != 15).then(|| effect(kind(number * 5 + number / 48), number)),
        combo: (number % 3 == 1).then(|| effect(kind(number / 3), number + 1)),
    }
}

fn effect(kind: EffectKind, number: usize) -> Effect {
    let n = u8::try_from(number % 97).unwrap();
    let conditions = [
        Condition::Always,
        Condition::FlipsAtLeast(2),
        Condition::FlipsExactly(1),
        Condition::OnCell(CellClass::Inner),
        Condition::HpAtMost(80),
        Condition::HpAtLeast(50),
        Condition::AttributeAtLeast(Attribute::ALL[number % 3], 1),
        Condition::MonoDeck(Attribute::God),
        Condition::TurnAtMost(6),
        Condition::TurnAtLeast(3),
        Condition::CombosAtLeast(1),
    ];
    let targets = [EffectTarget::All, EffectTarget::God, EffectTarget::Demon, EffectTarget::Dragon];
    let scalings = [
        EffectScaling::None,
        EffectScaling::None,
        EffectScaling::Flips,
        EffectScaling::OwnPieces,
        EffectScaling::LostTenths,
        EffectScaling::Turns,
    ];
    let least_turns =
        u8::from(matches!(kind.scope(), EffectScope::OwnState | EffectScope::EnemyState));
    Effect {
        kind,
        // Piece 1 has a strike: echoes end there.
        magnitude: if kind == EffectKind::Echo { 1 } else { kind.largest().div_ceil(20) },
        target: if kind.has_target() { targets[number / 24 % 4] } else { EffectTarget::All },
        turns: if kind.scope() == EffectScope::Placement { 0 } else { least_turns + n / 4 % 4 },
        condition: if number.is_multiple_of(2) {
            Condition::Always
        } else {
            conditions[number / 2 % 11]
        },
        scaling: if kind.can_scale() { scalings[number % 6] } else { EffectScaling::None },
    }
}

/// The deck of these pieces of a pool; the first is the leader.
pub(crate) fn deck(pool: &PiecePool, pieces: [usize; 16]) -> GameDeck {
    let pieces: Vec<_> = pieces.iter().map(|&piece| u32::try_from(piece).unwrap()).collect();
    DeckDefinition { leader: pieces[0], pieces }.build(pool, CostCap(200)).unwrap()
}

/// Two random decks without common pieces; sometimes the first has one attribute.
pub(crate) fn decks(pool: &PiecePool, rng: &mut StreamRng) -> [GameDeck; 2] {
    let order = rng.permutation(KINDS);
    let (mut first, mut others): (Vec<_>, Vec<_>) = (order.clone(), order);
    if rng.below(4) == 0 {
        let attribute = usize::from(rng.below(3) == 0) + usize::from(rng.below(3) == 0);
        first.retain(|piece| piece % 3 == attribute);
    }
    first.truncate(16);
    others.retain(|piece| !first.contains(piece));
    [first, others].map(|pieces| deck(pool, array::from_fn(|at| pieces[at])))
}

/// Plays random actions: up to `plies`, but not to the end of the game. Returns the actions.
pub(crate) fn play(game: &mut Game<'_>, plies: usize, rng: &mut StreamRng) -> Vec<Action> {
    let mut played = Vec::new();
    for _ in 0..plies {
        let actions: Vec<_> = game.actions().collect();
        let mut next = game.clone();
        let action = actions[rng.below(u32::try_from(actions.len()).unwrap()) as usize];
        next.play(action, &mut ()).unwrap();
        if next.outcome().is_some() {
            break;
        }
        *game = next;
        played.push(action);
    }
    played
}

pub(crate) fn start(seed: u64) -> GameStart {
    GameStart { seed, first: Player::ALL[usize::from(seed % 2 == 1)] }
}

/// Calls `check` with a random position.
pub(crate) fn with_position(
    seed: u64,
    plies: usize,
    check: impl FnOnce(&Game<'_>, &mut StreamRng),
) {
    let mut rng = rng(seed);
    let decks = decks(&pool(KINDS), &mut rng);
    let mut game = Game::start([&decks[0], &decks[1]], start(seed));
    play(&mut game, plies, &mut rng);
    check(&game, &mut rng);
}

pub(crate) fn vectors(kinds: usize) -> PieceVectors {
    PieceVectors::random(kinds, &mut rng(77)).unwrap()
}

pub(crate) fn encodings(vectors: &PieceVectors) -> [PieceEncoding<'_>; 3] {
    let kinds = vectors.kinds();
    [
        PieceEncoding::Vectors(vectors),
        PieceEncoding::OneHotPool { kinds },
        PieceEncoding::OneHotDeck,
    ]
}

/// The row of a state.
pub(crate) fn state_row(
    layout: FeatureLayout<'_>,
    decks: [&GameDeck; 2],
    state: &GameState,
    information: Information,
) -> Vec<f32> {
    // What was in a row before must not matter.
    let mut row = vec![f32::NAN; layout.state_len()];
    let view = hatchery_othellonia::features::GameView { decks, state };
    layout.write_state(view, information, &mut row).unwrap();
    row
}

pub(crate) fn action_row(layout: FeatureLayout<'_>, game: &Game<'_>, action: Action) -> Vec<f32> {
    let mut row = vec![f32::NAN; layout.action_len()];
    layout.write_action(game, action, &mut row).unwrap();
    row
}
