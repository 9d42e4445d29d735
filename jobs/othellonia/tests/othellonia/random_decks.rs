//! Random pools and decks that are valid and hostile: every kind of effect, condition, scaling and
//! target, chains of echoes, and numbers at the ends of their ranges.

use hatchery_core::{FastRng, RunSeed, StreamRng};
use hatchery_othellonia::pool::{CostCap, DeckDefinition, PieceDefinition, PiecePool};
use hatchery_othellonia::rules::{
    Attribute, CellClass, Condition, Effect, EffectKind, EffectScaling, EffectScope, EffectTarget,
    Game, GameDeck, GameStart, MAX_CHAIN, Player,
};

/// The kinds of pieces of a pool, more than a deck has, so that decks differ.
const N_KINDS: usize = 24;

/// A cap that no deck reaches.
pub(crate) const NO_CAP: CostCap = CostCap(u32::MAX);

/// Two random decks of a random pool, and the start of a game.
#[derive(Clone, Debug)]
pub(crate) struct RandomMatch {
    pub(crate) definitions: Vec<PieceDefinition>,
    pub(crate) decks: [DeckDefinition; 2],
    pub(crate) start: GameStart,
}

/// What the pieces of a pool have in common, so that games differ in length and end.
struct PoolProfile {
    /// The least and the largest HP of a piece.
    hp: [u32; 2],
    attack: u32,
    /// The kinds of effects; few, so that many of a kind run at the same time, or all.
    kinds: Vec<EffectKind>,
    /// The part of the pieces with a skill, and with a combo skill, of 8.
    skills: u32,
    combos: u32,
    /// True if magnitudes are a small part of the largest.
    is_calm: bool,
    /// The attribute that all pieces have, but for a few.
    attribute: Option<Attribute>,
}

/// Returns the random numbers of a test.
pub(crate) fn stream(label: &str) -> StreamRng {
    RunSeed::new("othellonia tests", 21).generation(0).stream(label)
}

/// Returns the random numbers of game number `game` of a test.
pub(crate) fn game_rng(stream: &StreamRng, game: u64) -> FastRng {
    FastRng::seeded_by(&mut stream.part(game))
}

/// Draws an index below `n`.
fn below(rng: &mut FastRng, n: usize) -> usize {
    rng.below(u32::try_from(n).expect("a small number")) as usize
}

fn pick<T: Copy>(rng: &mut FastRng, from: &[T]) -> T {
    from[below(rng, from.len())]
}

/// Draws a number from 1 to `most`, small ones more often.
fn low(rng: &mut FastRng, most: u8) -> u8 {
    let top = 1 + rng.below(u32::from(most));
    u8::try_from(1 + rng.below(top)).expect("at most `most`")
}

impl PoolProfile {
    fn draw(rng: &mut FastRng) -> Self {
        let is_calm = rng.below(2) == 0;
        let n_kinds = pick(rng, &[1, 3, 24, 24]);
        let kinds = match n_kinds {
            24 => EffectKind::ALL.to_vec(),
            _ => (0..n_kinds).map(|_| pick(rng, &EffectKind::ALL)).collect(),
        };
        Self {
            hp: pick(rng, &[[1, 9], [500, 500], [500, 2_000], [1, 9_999], [9_999, 9_999]]),
            attack: pick(rng, &[0, 30, 30, 1_500, 9_999]),
            kinds,
            skills: pick(rng, &[0, 4, 7, 8]),
            combos: pick(rng, &[0, 4, 7, 8]),
            is_calm,
            attribute: (rng.below(3) == 0).then(|| pick(rng, &Attribute::ALL)),
        }
    }

    fn attribute(&self, rng: &mut FastRng) -> Attribute {
        match self.attribute {
            Some(attribute) if 0 < rng.below(48) => attribute,
            _ => pick(rng, &Attribute::ALL),
        }
    }

    /// Draws an effect of a piece; `chains` has the lengths of the skills of the pieces before it.
    fn effect(&self, rng: &mut FastRng, chains: &[usize]) -> (Effect, usize) {
        let kind = pick(rng, &self.kinds);
        let (kind, magnitude, chain) = match kind {
            EffectKind::Echo => {
                // Magnitudes are from 1 on, so that the first piece cannot be echoed.
                let is_open = |number: &usize| (1..MAX_CHAIN).contains(&chains[*number]);
                let echoed: Vec<_> = (1..chains.len()).filter(is_open).collect();
                match echoed.is_empty() {
                    true => (EffectKind::Bolt, 1, 1),
                    false => {
                        let number = pick(rng, &echoed);
                        (kind, u32::try_from(number).expect("below N_KINDS"), chains[number] + 1)
                    }
                }
            }
            _ => (kind, self.magnitude(rng, kind), 1),
        };
        let turns = match kind.scope() {
            EffectScope::Placement => 0,
            EffectScope::Piece => pick(rng, &[0, 1, 2, 3, 16]),
            EffectScope::OwnState | EffectScope::EnemyState => pick(rng, &[1, 2, 3, 5, 16]),
        };
        let targets =
            [EffectTarget::All, EffectTarget::God, EffectTarget::Demon, EffectTarget::Dragon];
        let target = if kind.has_target() { pick(rng, &targets) } else { EffectTarget::All };
        let scaling = match kind.can_scale() && rng.below(2) == 0 {
            true => pick(
                rng,
                &[
                    EffectScaling::Flips,
                    EffectScaling::OwnPieces,
                    EffectScaling::LostTenths,
                    EffectScaling::Turns,
                ],
            ),
            false => EffectScaling::None,
        };
        (Effect { kind, magnitude, target, turns, condition: condition(rng), scaling }, chain)
    }

    fn magnitude(&self, rng: &mut FastRng, kind: EffectKind) -> u32 {
        let largest = kind.largest();
        if self.is_calm {
            return 1 + rng.below(largest / 20 + 1).min(largest - 1);
        }
        let any = 1 + rng.below(largest);
        pick(rng, &[1, largest, any])
    }
}

fn condition(rng: &mut FastRng) -> Condition {
    let class = pick(rng, &[CellClass::Corner, CellClass::Edge, CellClass::X, CellClass::Inner]);
    let attribute = pick(rng, &Attribute::ALL);
    match rng.below(20) {
        0 => Condition::FlipsAtLeast(low(rng, 20)),
        1 => Condition::FlipsExactly(low(rng, 20)),
        2 => Condition::OnCell(class),
        3 => Condition::HpAtMost(100 - low(rng, 99)),
        4 => Condition::HpAtLeast(low(rng, 99)),
        5 => Condition::AttributeAtLeast(attribute, low(rng, 16)),
        6 => Condition::MonoDeck(attribute),
        7 => Condition::TurnAtMost(low(rng, 16)),
        8 => Condition::TurnAtLeast(low(rng, 16)),
        9 => Condition::CombosAtLeast(low(rng, 8)),
        _ => Condition::Always,
    }
}

impl RandomMatch {
    pub(crate) fn draw(rng: &mut FastRng) -> Self {
        let profile = PoolProfile::draw(rng);
        let (mut definitions, mut chains) = (Vec::with_capacity(N_KINDS), Vec::new());
        for number in 0..N_KINDS {
            let mut chain = 0;
            let [least_hp, most_hp] = profile.hp;
            let effect = |rng: &mut FastRng, share: u32| {
                (rng.below(8) < share).then(|| profile.effect(rng, &chains))
            };
            let skill = effect(rng, profile.skills).map(|(skill, length)| {
                chain = length;
                skill
            });
            let combo = effect(rng, profile.combos).map(|(combo, _)| combo);
            definitions.push(PieceDefinition {
                name: format!("p{number}"),
                attribute: profile.attribute(rng),
                cost: rng.below(100),
                hp: least_hp + rng.below(most_hp - least_hp + 1),
                attack: rng.below(profile.attack + 1),
                skill,
                combo,
            });
            chains.push(chain);
        }
        let decks = [(); 2].map(|()| deck(rng));
        let first = pick(rng, &Player::ALL);
        Self { definitions, decks, start: GameStart { seed: rng.next_u64(), first } }
    }

    /// Builds the decks, through the pool.
    pub(crate) fn build(&self) -> [GameDeck; 2] {
        let pool = PiecePool::new(self.definitions.clone()).expect("a valid pool");
        self.decks.each_ref().map(|deck| deck.build(&pool, NO_CAP).expect("a valid deck"))
    }
}

/// Draws 16 different pieces, in any order, and a leader.
fn deck(rng: &mut FastRng) -> DeckDefinition {
    let mut left: Vec<_> = (0_u32..).take(N_KINDS).collect();
    let mut draw = |rng: &mut FastRng| {
        let at = below(rng, left.len());
        left.swap_remove(at)
    };
    let pieces: Vec<_> = (0..16).map(|_| draw(rng)).collect();
    let leader = pick(rng, &pieces);
    DeckDefinition { pieces, leader }
}

/// Draws one of the legal actions; `None` if the game is over.
pub(crate) fn random_action(
    rng: &mut FastRng,
    game: &Game<'_>,
) -> Option<hatchery_othellonia::rules::Action> {
    let actions: Vec<_> = game.actions().collect();
    (!actions.is_empty()).then(|| pick(rng, &actions))
}
