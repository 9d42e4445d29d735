//! A game with seven plies. Every number in it is worked out by hand from the README.
//!
//! The leader of A is a god with 500 HP and an attack of 500. Its skill is a guard of 50 % until it
//! is flipped, its combo skill a strike of +100 %. The other 15 pieces of A are dragons with 100 HP
//! and an attack of 200; their skill is a poison of 30 for 2 turns.
//!
//! The leader of B is a demon with 500 HP and an attack of 400. Its skill is a thorns of 70 until
//! it is flipped, its combo skill a drain of 50. The others are demons with 100 HP and an attack of
//! 300; their skill is a curse of 25 for 2 turns if at least 2 pieces are flipped.
//!
//! All pieces but the leader are alike, so that the order of the draws makes no difference.

use hatchery_othellonia::pool::{DeckDefinition, PieceDefinition, PiecePool};
use hatchery_othellonia::rules::{
    Action, Attribute, Cell, Condition, Effect, EffectKind, EffectScaling, EffectTarget, Game,
    GameStart, Player,
};

use crate::random_decks::NO_CAP;

/// The slot of the leader, and one that has another piece at all times.
const LEADER: u8 = 0;
const OTHER: u8 = 1;

fn effect(kind: EffectKind, magnitude: u32, turns: u8, condition: Condition) -> Option<Effect> {
    let (target, scaling) = (EffectTarget::All, EffectScaling::None);
    Some(Effect { kind, magnitude, target, turns, condition, scaling })
}

fn definitions() -> Vec<PieceDefinition> {
    let piece = |attribute, hp, attack, skill, combo| PieceDefinition {
        name: "piece".to_owned(),
        attribute,
        cost: 0,
        hp,
        attack,
        skill,
        combo,
    };
    let always = Condition::Always;
    let guard = effect(EffectKind::Guard, 5_000, 0, always);
    let strike = effect(EffectKind::Strike, 10_000, 0, always);
    let poison = effect(EffectKind::Poison, 30, 2, always);
    let thorns = effect(EffectKind::Thorns, 70, 0, always);
    let drain = effect(EffectKind::Drain, 50, 0, always);
    let curse = effect(EffectKind::Curse, 25, 2, Condition::FlipsAtLeast(2));
    // The numbers from 0 on are A's, those from 16 on B's.
    let mut pieces = vec![piece(Attribute::God, 500, 500, guard, strike)];
    pieces.extend((1..16).map(|_| piece(Attribute::Dragon, 100, 200, poison, None)));
    pieces.push(piece(Attribute::Demon, 500, 400, thorns, drain));
    pieces.extend((1..16).map(|_| piece(Attribute::Demon, 100, 300, curse, None)));
    pieces
}

/// Plays a piece, and checks the HP of A and B when the next turn has begun.
fn check(game: &mut Game<'_>, cell: &str, slot: u8, flipped: &[&str], hp: [u32; 2]) {
    let cell: Cell = cell.parse().expect("a cell");
    let player = game.state().to_move;
    let before = game.state().player(player).cells;
    game.play(Action { cell, slot }, &mut ()).expect("a legal action");
    let own = game.state().player(player).cells.without(before).without(cell.set());
    let names: Vec<_> = own.iter().map(|cell| cell.to_string()).collect();
    assert_eq!(names, flipped);
    assert_eq!(game.state().players.each_ref().map(|player| player.hp), hp, "after {cell}");
    assert_eq!(game.state().to_move, player.enemy());
}

#[test]
fn numbers_are_those_worked_out_by_hand() {
    let pool = PiecePool::new(definitions()).unwrap();
    let decks = [0, 16].map(|leader| {
        let deck = DeckDefinition { pieces: (leader..leader + 16).collect(), leader };
        deck.build(&pool, NO_CAP).unwrap()
    });
    let start = GameStart { seed: 1, first: Player::A };
    let mut game = Game::start([&decks[0], &decks[1]], start);
    // 500 + 15 x 100 each. A has d3 and c4, B has c3 and d4.
    assert_eq!(game.state().players.each_ref().map(|player| player.hp), [2_000, 2_000]);

    // A's leader flips c3 towards c4. Its guard runs. B loses its attack: 2,000 - 500 = 1,500.
    check(&mut game, "c2", LEADER, &["c3"], [2_000, 1_500]);

    // B's leader flips c4 towards d4. Its thorns run. The guard halves the attack:
    // 400 x 5,000 / 10,000 = 200, and A has 2,000 - 200 = 1,800.
    check(&mut game, "b4", LEADER, &["c4"], [1_800, 1_500]);

    // A flips c4 towards c3; a poison runs on c5. B has 1,500 - 200 = 1,300.
    check(&mut game, "c5", OTHER, &["c4"], [1_800, 1_300]);

    // B flips c3 towards its leader on b4, and d3 towards d4. Two flips: the curse fires, and then
    // the combo of the anchor b4, a drain.
    // Attack: 300 x 12,000 / 10,000 = 360 for the second flip, 180 after the guard.
    // A: 1,800 - 180 = 1,620, and 1,570 after the drain. B: 1,300 + 50 = 1,350.
    // At the end of B's turn the poison on c5: 1,350 - 30 = 1,320.
    // At the start of A's turn the curse: 1,570 - 25 = 1,545.
    check(&mut game, "d2", OTHER, &["c3", "d3"], [1_545, 1_320]);

    // A flips d2 towards its leader on c2, and d3 towards c4. The combo of c2 strikes.
    // Attack: 200 x 12,000 / 10,000 = 240, and 240 x 20,000 / 10,000 = 480.
    // B: 1,320 - 480 = 840. A poison runs on e2; that on c5 has one turn left, and so has the
    // curse.
    check(&mut game, "e2", OTHER, &["d2", "d3"], [1_545, 840]);

    // B flips d2 and d3 towards d4: the curse fires; d4 is plain and has no combo.
    // Attack: 360 as before, 180 after the guard. A: 1,545 - 180 = 1,365.
    // The poisons on e2 and c5: 840 - 30 - 30 = 780. Two curses: 1,365 - 25 - 25 = 1,315.
    check(&mut game, "d1", OTHER, &["d2", "d3"], [1_315, 780]);

    // A flips B's leader on b4 towards c4, whose thorns are sprung. B: 780 - 200 = 580.
    // A: 1,315 - 70 = 1,245. The older curse and the poison on c5 are over.
    check(&mut game, "a4", OTHER, &["b4"], [1_245, 580]);

    let state = game.state();
    let a = state.player(Player::A);
    let curses: Vec<_> = a.states.iter().map(|it| (it.kind, it.turns)).collect();
    assert_eq!(curses, [(EffectKind::Curse, 1)]);
    let runs: Vec<_> = state
        .running(Player::A)
        .map(|(cell, it)| (cell.to_string(), it.kind, it.magnitude, it.turns))
        .collect();
    let run = |cell: &str, kind, magnitude, turns| (cell.to_owned(), kind, magnitude, turns);
    assert_eq!(
        runs,
        [
            run("c2", EffectKind::Guard, 5_000, 0),
            run("e2", EffectKind::Poison, 30, 1),
            run("a4", EffectKind::Poison, 30, 2),
        ]
    );
    assert_eq!(state.running(Player::B).count(), 0, "the thorns went with their piece");
    assert_eq!(state.players.each_ref().map(|it| it.latched_hp), [1_315, 580]);
    assert_eq!(state.players.each_ref().map(|it| it.turn), [4, 4]);
}
