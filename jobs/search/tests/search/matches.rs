//! Match play.

use hatchery_core::{FastRng, StreamRng};
use hatchery_search::{
    Margin, MatchError, MatchRecord, Side, TurnGame, TurnPlayer, UctPlayer, UniformPlayer,
    choice_stream, play_match,
};

use crate::games::{TakeAway, TicTacToe, TwoCards, cap, stream, uct};

/// Plays what it is told, and writes down what it sees.
struct Scripted<M> {
    moves: Vec<M>,
    seen: Vec<M>,
}

impl<G: TurnGame> TurnPlayer<G> for Scripted<G::Move> {
    fn choose(&mut self, _: &G, moves: &[G::Move], _: &StreamRng) -> G::Move {
        assert!(1 < moves.len(), "forced moves are made without asking");
        self.moves.remove(0)
    }

    fn observe(&mut self, _: &G, mv: G::Move, _: &StreamRng) {
        self.seen.push(mv);
    }
}

fn scripted<M: Copy>(moves: &[M]) -> Scripted<M> {
    Scripted { moves: moves.to_vec(), seen: Vec::new() }
}

#[test]
fn good_players_draw_tic_tac_toe() {
    for game in 0..10 {
        let [mut first, mut second] = [4_000, 5_000].map(|playouts| UctPlayer::new(uct(playouts)));
        let stream = stream("draw").part(game);
        let record = play_match(TicTacToe::after(&[]), &mut first, &mut second, &stream).unwrap();
        assert_eq!((record.margin, record.moves.len()), (Margin::DRAW, 9), "{record:?}");
        let replayed = TicTacToe::after(&record.moves);
        assert_eq!(replayed.margin(), Some(record.margin));
    }
}

#[test]
fn search_beats_chance() {
    let mut half_points = 0;
    for game in 0..40 {
        let mut good = UctPlayer::new(uct(300));
        let stream = stream("weak").part(game);
        let start = TakeAway::new(31);
        let record = match game % 2 {
            0 => play_match(start, &mut good, &mut UniformPlayer, &stream),
            _ => play_match(start, &mut UniformPlayer, &mut good, &stream),
        };
        let side = Side::BOTH[usize::try_from(game % 2).unwrap()];
        half_points += record.unwrap().margin.half_points(side);
    }
    assert!(72 <= half_points, "{half_points} of 80");
}

#[test]
fn forced_moves_are_made_and_seen() {
    let (mut first, mut second) = (scripted(&[3, 2]), scripted(&[3]));
    let stream = stream("forced");
    let record = play_match(TakeAway::new(9), &mut first, &mut second, &stream).unwrap();
    // 9, 6: second passes; 4: second takes 3, first passes, second takes the last one.
    let expected = MatchRecord { moves: vec![3, 0, 2, 3, 0, 1], margin: Margin(-1) };
    assert_eq!(record, expected);
    assert_eq!((first.seen, second.seen), (vec![0, 3, 1], vec![3, 2, 0]));
}

#[test]
fn an_illegal_move_is_refused() {
    let (mut first, mut second) = (scripted(&[2]), scripted(&[0, 2]));
    let stream = stream("illegal");
    let found = play_match(TakeAway::new(9), &mut first, &mut second, &stream);
    assert_eq!(found, Err(MatchError::IllegalMove { ply: 1, side: Side::Second, found: 0 }));
    let message = found.unwrap_err().to_string();
    assert_eq!(message, "ply 1: Second chose the illegal move 0");
}

/// A game that never ends: with moves, or without.
#[derive(Clone, Copy)]
struct Endless {
    n_moves: u8,
}

impl TurnGame for Endless {
    type Move = u8;
    type Chance = ();
    const MAX_MOVES: u32 = 50;

    fn mover(&self) -> Side {
        Side::First
    }

    fn margin(&self) -> Option<Margin> {
        None
    }

    fn legal_moves(&self, moves: &mut Vec<u8>) {
        moves.extend(0..self.n_moves);
    }

    fn apply(&mut self, _: u8, _: &mut FastRng) {}
}

#[test]
fn games_without_an_end_are_errors() {
    let play = |n_moves| {
        let [mut first, mut second] = [UniformPlayer; 2];
        let start = Endless { n_moves };
        play_match(start, &mut first, &mut second, &stream("endless")).unwrap_err()
    };
    assert_eq!(play(2), MatchError::TooLong { limit: 50 });
    assert_eq!(play(0), MatchError::NoLegalMove { ply: 0, side: Side::First });
}

#[test]
fn a_match_is_the_same_each_time_and_chance_has_numbers_of_its_own() {
    let play = |game, thinking: u32| {
        let [mut first, mut second] = [thinking, 50].map(|n| UctPlayer::new(uct(n)));
        let stream = stream("chance").part(game);
        play_match(TwoCards::dealt(3), &mut first, &mut second, &stream).unwrap()
    };
    let mut margins = Vec::new();
    for game in 0..30 {
        assert_eq!(play(game, 100), play(game, 100));
        margins.push(play(game, 100).margin);
    }
    margins.sort_unstable();
    margins.dedup();
    assert!(3 < margins.len(), "cards are dealt anew: {margins:?}");
    // The same decisions meet the same cards, however many numbers a player has drawn before.
    for game in 0..30 {
        let [few, many] = [100, 3_000].map(|thinking| play(game, thinking));
        assert!(few.moves != many.moves || few.margin == many.margin);
    }
}

#[test]
fn agents_choose_the_same_moves_in_any_order() {
    let game = stream("agents");
    let state = TakeAway::new(50);
    let choose = |agent: u32| {
        let mut player =
            UctPlayer::new(hatchery_search::UctParams { depth: cap(3 * agent + 1), ..uct(60) });
        player.choose(&state, &[1, 2, 3], &choice_stream(&game, 4, agent))
    };
    let forward: Vec<_> = (0..7).map(choose).collect();
    let mut backward: Vec<_> = (0..7).rev().map(choose).collect();
    backward.reverse();
    assert_eq!(forward, backward);
    let mut firsts: Vec<_> = (0..7)
        .flat_map(|agent| (0..7).map(move |ply| (ply, agent)))
        .map(|(ply, agent)| choice_stream(&game, ply, agent).next_u64())
        .collect();
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), 49, "every choice has numbers of its own");
}
