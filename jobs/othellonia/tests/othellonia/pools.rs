//! Pools and decks that the rules do not allow are refused, with the piece and the value.

use std::error::Error;

use hatchery_othellonia::pool::{
    CostCap, DeckDefinition, MAX_KINDS, PieceDefinition, PiecePool, PoolError,
};
use hatchery_othellonia::rules::{
    Attribute, Condition, Effect, EffectChain, EffectKind, EffectScaling, EffectScope,
    EffectTarget, GameDeck, MAX_CHAIN, PieceId,
};

use crate::random_decks::NO_CAP;

/// Returns the effect of a kind with the magnitude 1 and the fewest turns.
fn effect(kind: EffectKind) -> Effect {
    let turns = match kind.scope() {
        EffectScope::Placement | EffectScope::Piece => 0,
        EffectScope::OwnState | EffectScope::EnemyState => 1,
    };
    let (target, scaling) = (EffectTarget::All, EffectScaling::None);
    Effect { kind, magnitude: 1, target, turns, condition: Condition::Always, scaling }
}

fn echo(magnitude: u32) -> Option<Effect> {
    Some(Effect { magnitude, ..effect(EffectKind::Echo) })
}

fn piece(skill: Option<Effect>) -> PieceDefinition {
    PieceDefinition {
        name: "piece".to_owned(),
        attribute: Attribute::God,
        cost: 10,
        hp: 100,
        attack: 100,
        skill,
        combo: None,
    }
}

/// Returns a pool of 20 pieces without skills.
fn plain_pool() -> PiecePool {
    PiecePool::new(vec![piece(None); 20]).expect("a valid pool")
}

/// Returns the error of a pool of these pieces, with its source.
fn pool_error(definitions: Vec<PieceDefinition>) -> String {
    let error = PiecePool::new(definitions).expect_err("the pool is wrong");
    let source = error.source().map(|source| format!(": {source}"));
    format!("{error}{}", source.unwrap_or_default())
}

/// Returns the error of the pool of these skills.
fn skills_error(skills: &[Option<Effect>]) -> String {
    pool_error(skills.iter().copied().map(piece).collect())
}

fn deck_error(pieces: impl IntoIterator<Item = u32>, leader: u32, cap: CostCap) -> String {
    let deck = DeckDefinition { pieces: pieces.into_iter().collect(), leader };
    deck.build(&plain_pool(), cap).expect_err("the deck is wrong").to_string()
}

fn effect_error(effect: Effect) -> String {
    effect.check().expect_err("the effect is wrong").to_string()
}

#[test]
fn pools_have_from_one_to_20_000_kinds() {
    assert_eq!(pool_error(Vec::new()), "0 kinds of pieces, but a pool has from 1 to 20000");
    let full = vec![piece(None); MAX_KINDS];
    assert_eq!(PiecePool::new(full).unwrap().len(), MAX_KINDS);
    for found in [MAX_KINDS + 1, 1_000_000] {
        let error = PiecePool::new(vec![piece(None); found]).unwrap_err();
        assert_eq!(error, PoolError::Kinds { found, most: MAX_KINDS });
    }
}

#[test]
fn numbers_of_pieces_are_in_their_ranges() {
    let error = |piece: PieceDefinition| pool_error(vec![piece]);
    let plain = || piece(None);
    assert_eq!(
        error(PieceDefinition { cost: 1_001, ..plain() }),
        "cost of piece 0 is 1001, but must be from 0 to 1000"
    );
    assert_eq!(
        error(PieceDefinition { hp: 0, ..plain() }),
        "hp of piece 0 is 0, but must be from 1 to 9999"
    );
    assert_eq!(
        error(PieceDefinition { hp: 10_000, ..plain() }),
        "hp of piece 0 is 10000, but must be from 1 to 9999"
    );
    assert_eq!(
        error(PieceDefinition { attack: u32::MAX, ..plain() }),
        "attack of piece 0 is 4294967295, but must be from 0 to 9999"
    );
    let number_2 = pool_error(vec![plain(), plain(), PieceDefinition { hp: 0, ..plain() }]);
    assert_eq!(number_2, "hp of piece 2 is 0, but must be from 1 to 9999");
    for (hp, attack, cost) in [(1, 0, 0), (9_999, 9_999, 1_000)] {
        PiecePool::new(vec![PieceDefinition { hp, attack, cost, ..plain() }]).unwrap();
    }
}

#[test]
fn names_of_pieces_are_short_lines() {
    let named = |name: &str| PieceDefinition { name: name.to_owned(), ..piece(None) };
    let rest = "but must be 1 to 40 characters, none of them a control character";
    for (name, found) in [("", r#""""#), ("a\nb", r#""a\nb""#), ("\u{7f}", r#""\u{7f}""#)] {
        assert_eq!(pool_error(vec![named(name)]), format!("name of piece 0 is {found}, {rest}"));
    }
    let long = "ö".repeat(41);
    let error = PiecePool::new(vec![named(&long)]).unwrap_err();
    assert!(matches!(error, PoolError::Piece { piece: 0, field: "name", .. }), "{error}");
    // A text as long as a file is not repeated in full.
    assert!(pool_error(vec![named(&"x".repeat(1_000_000))]).len() < 1_000);
    for name in ["x", &"ö".repeat(40)] {
        PiecePool::new(vec![named(name)]).unwrap();
    }
}

#[test]
fn magnitudes_are_from_1_to_the_largest() {
    for kind in EffectKind::ALL {
        let with = |magnitude| Effect { magnitude, ..effect(kind) };
        let (name, largest) = (kind.name(), kind.largest());
        for wrong in [0, largest + 1, u32::MAX] {
            let expected =
                format!("magnitude of {name} is {wrong}, but must be from 1 to {largest}");
            assert_eq!(effect_error(with(wrong)), expected);
        }
        assert!(with(1).check().is_ok() && with(largest).check().is_ok(), "{name}");
    }
}

#[test]
fn targets_turns_and_scalings_fit_the_kind() {
    for kind in EffectKind::ALL {
        let (plain, name) = (effect(kind), kind.name());
        let god = Effect { target: EffectTarget::God, ..plain };
        match kind.has_target() {
            true => god.check().unwrap(),
            false => {
                assert_eq!(effect_error(god), format!("target of {name} is god, but must be all"));
            }
        }
        let scaled = Effect { scaling: EffectScaling::LostTenths, ..plain };
        match kind {
            EffectKind::Echo | EffectKind::Cleanse | EffectKind::Seal => assert_eq!(
                effect_error(scaled),
                format!("scaling of {name} is lost_tenths, but must be none")
            ),
            _ => scaled.check().unwrap(),
        }
        let (least, most) = match kind.scope() {
            EffectScope::Placement => (0, 0),
            EffectScope::Piece => (0, 16),
            EffectScope::OwnState | EffectScope::EnemyState => (1, 16),
        };
        for turns in 0..=u8::MAX {
            let with = Effect { turns, ..plain };
            match (least..=most).contains(&turns) {
                true => with.check().unwrap(),
                false => assert_eq!(
                    effect_error(with),
                    format!("turns of {name} is {turns}, but must be from {least} to {most}")
                ),
            }
        }
    }
}

#[test]
fn numbers_of_conditions_are_in_their_ranges() {
    let god_pieces = |n| Condition::AttributeAtLeast(Attribute::God, n);
    let check = |name: &str, condition: fn(u8) -> Condition, most: u8| {
        for n in 0..=u8::MAX {
            let with = Effect { condition: condition(n), ..effect(EffectKind::Bolt) };
            let error = with.check().err().map(|error| error.to_string());
            let expected =
                format!("condition of bolt is {name} = {n}, but must be {name} from 1 to {most}");
            assert_eq!(error, (n == 0 || most < n).then_some(expected));
        }
    };
    check("flips_at_least", Condition::FlipsAtLeast, 20);
    check("flips_exactly", Condition::FlipsExactly, 20);
    check("hp_at_most", Condition::HpAtMost, 99);
    check("hp_at_least", Condition::HpAtLeast, 99);
    check("turn_at_most", Condition::TurnAtMost, 16);
    check("turn_at_least", Condition::TurnAtLeast, 16);
    check("combos_at_least", Condition::CombosAtLeast, 8);
    check("attribute_at_least", god_pieces, 16);
}

#[test]
fn wrong_effects_name_piece_and_skill() {
    let wrong = Some(Effect { magnitude: 37, ..effect(EffectKind::Dispel) });
    let expected = "magnitude of dispel is 37, but must be from 1 to 36";
    assert_eq!(skills_error(&[None, wrong]), format!("the skill of piece 1 is wrong: {expected}"));
    let combo = PieceDefinition { combo: wrong, ..piece(None) };
    assert_eq!(pool_error(vec![combo]), format!("the combo of piece 0 is wrong: {expected}"));
}

#[test]
fn echoes_name_a_piece_with_a_skill() {
    let bolt = Some(effect(EffectKind::Bolt));
    assert_eq!(
        skills_error(&[bolt, echo(3), bolt]),
        "the skill of piece 1 echoes 3, but must echo a piece from 1 to 2"
    );
    assert_eq!(
        skills_error(&[echo(u32::from(u16::MAX))]),
        "the skill of piece 0 echoes 65535, but must echo a piece, and the pool has \
         none that can be named"
    );
    assert_eq!(
        skills_error(&[echo(1), None]),
        "the skill of piece 0 echoes 1, but must echo a piece with a skill"
    );
    // A combo skill is not echoed: the piece needs a skill.
    let combo_only = PieceDefinition { combo: bolt, ..piece(None) };
    assert_eq!(
        pool_error(vec![piece(echo(1)), combo_only]),
        "the skill of piece 0 echoes 1, but must echo a piece with a skill"
    );
    let combo = PieceDefinition { combo: echo(1), ..piece(None) };
    assert_eq!(
        pool_error(vec![combo, piece(None)]),
        "the combo of piece 0 echoes 1, but must echo a piece with a skill"
    );
}

#[test]
fn echoes_come_to_an_end() {
    let bolt = Some(effect(EffectKind::Bolt));
    // Piece 4 echoes 3, which echoes 2, which echoes 1: the chain has the 4 effects allowed.
    let longest = [None, bolt, echo(1), echo(2), echo(3)];
    let pool = PiecePool::new(longest.iter().copied().map(piece).collect()).unwrap();
    let kinds = |number| {
        let skill = pool.piece(PieceId(number)).unwrap().skill;
        skill.iter().map(|effect| effect.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(4), [[EffectKind::Echo; 3].as_slice(), &[EffectKind::Bolt]].concat());
    assert_eq!(kinds(1), [EffectKind::Bolt]);

    let chain = |skill: &str, piece: u32, chain: &str| {
        format!("the {skill} of piece {piece} fires {chain}, but a chain must end after 4 effects")
    };
    assert_eq!(
        skills_error(&[None, bolt, echo(1), echo(2), echo(3), echo(4)]),
        chain("skill", 5, "piece 5, piece 4, piece 3, piece 2, piece 1")
    );
    assert_eq!(
        skills_error(&[None, echo(1)]),
        chain("skill", 1, "piece 1, piece 1, piece 1, piece 1, piece 1")
    );
    assert_eq!(
        skills_error(&[None, echo(2), echo(3), echo(1)]),
        chain("skill", 1, "piece 1, piece 2, piece 3, piece 1, piece 2")
    );
    // Piece 0 is outside the circle that it leads into.
    assert_eq!(
        skills_error(&[echo(1), echo(2), echo(1)]),
        chain("skill", 0, "piece 0, piece 1, piece 2, piece 1, piece 2")
    );
    let mut pieces: Vec<_> = longest.iter().copied().map(piece).collect();
    pieces[0].combo = echo(4);
    assert_eq!(
        pool_error(pieces),
        chain("combo", 0, "piece 0, piece 4, piece 3, piece 2, piece 1")
    );
}

#[test]
fn chains_are_echoes_and_another_effect() {
    let (echo, bolt) = (effect(EffectKind::Echo), effect(EffectKind::Bolt));
    let is_chain = |effects: &[Effect]| EffectChain::new(effects).is_some();
    assert!(is_chain(&[]) && is_chain(&[bolt]) && is_chain(&[echo, bolt]));
    assert!(is_chain(&[echo, echo, echo, bolt]));
    assert!(!is_chain(&[echo]) && !is_chain(&[bolt, bolt]) && !is_chain(&[bolt, echo]));
    assert!(!is_chain(&[echo, echo, echo, echo, bolt]));
    assert!(!is_chain(&[Effect { magnitude: 0, ..bolt }]));
    assert_eq!(MAX_CHAIN, 4);
}

#[test]
fn decks_have_16_different_pieces_of_the_pool() {
    assert_eq!(deck_error(0..15, 0, NO_CAP), "15 pieces, but a deck has 16");
    assert_eq!(deck_error(0..17, 0, NO_CAP), "17 pieces, but a deck has 16");
    assert_eq!(deck_error([], 0, NO_CAP), "0 pieces, but a deck has 16");
    let twice = (0..15).chain([7]);
    assert_eq!(
        deck_error(twice, 0, NO_CAP),
        "piece 7 is there twice, but the pieces of a deck are different"
    );
    for unknown in [20, 65_536, u32::MAX] {
        assert_eq!(
            deck_error((0..15).chain([unknown]), 0, NO_CAP),
            format!("there is no piece {unknown}: those of the pool are from 0 to 19")
        );
    }
}

#[test]
fn leaders_are_of_the_deck() {
    for leader in [16, 20, u32::MAX] {
        assert_eq!(
            deck_error(0..16, leader, NO_CAP),
            format!("the leader is piece {leader}, but must be one of the deck's pieces")
        );
    }
    let pieces = (4..20).rev().collect();
    let deck = DeckDefinition { pieces, leader: 4 }.build(&plain_pool(), NO_CAP).unwrap();
    assert_eq!((deck.leader(), deck.pieces()[15].id, deck.hp()), (15, PieceId(4), 1_600));
}

#[test]
fn costs_are_within_the_cap() {
    assert_eq!(
        deck_error(0..16, 0, CostCap(159)),
        "the pieces cost 160 together, but at most 159 are allowed"
    );
    let deck = DeckDefinition { pieces: (0..16).collect(), leader: 0 };
    assert!(deck.build(&plain_pool(), CostCap(160)).is_ok());
    let expensive = PiecePool::new(vec![PieceDefinition { cost: 1_000, ..piece(None) }; 16]);
    let error = deck.build(&expensive.unwrap(), CostCap(0)).unwrap_err();
    assert_eq!(error, PoolError::Cost { cost: 16_000, cap: 0 });
}

#[test]
fn decks_of_the_rules_are_checked_as_well() {
    let deck = DeckDefinition { pieces: (0..16).collect(), leader: 0 };
    let pieces = deck.build(&plain_pool(), NO_CAP).unwrap().pieces().clone();
    assert!(GameDeck::new(pieces.clone(), 15).is_some());
    assert!(GameDeck::new(pieces.clone(), 16).is_none());
    let with = |change: fn(&mut hatchery_othellonia::rules::GamePiece)| {
        let mut pieces = pieces.clone();
        change(&mut pieces[3]);
        GameDeck::new(pieces, 0)
    };
    assert!(with(|piece| piece.id = PieceId(2)).is_none());
    assert!(with(|piece| piece.hp = 0).is_none());
    assert!(with(|piece| piece.hp = 10_000).is_none());
    assert!(with(|piece| piece.attack = 10_000).is_none());
    let mixed = with(|piece| piece.attribute = Attribute::Demon).unwrap();
    assert_eq!(mixed.attribute(), None);
}
