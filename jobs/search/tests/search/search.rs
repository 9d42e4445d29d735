//! Searches: what they find, where they stop, and that they are the same each time.

use hatchery_search::{
    DepthCap, ExplorationWeight, PlayoutBudget, PlayoutEnd, RootMove, SearchEnd, SearchError, Side,
    StopRule, TurnGame, UctParams, UctSearch,
};
use proptest::prelude::*;

use crate::games::{Nim, TakeAway, TicTacToe, TwoCards, cap, rng, uct};

/// A report that owns its moves.
#[derive(Clone, Debug, PartialEq)]
struct Found<M> {
    ranked: Vec<RootMove<M>>,
    playouts: u32,
    nodes: u32,
    deepest_leaf: u32,
    end: SearchEnd,
}

fn search<G: TurnGame>(root: &G, params: &UctParams, seed: u64) -> Found<G::Move> {
    let mut search = UctSearch::new();
    let report = search.run(root, params, &mut rng(seed)).expect("the game goes on");
    Found {
        ranked: report.ranked.to_vec(),
        playouts: report.playouts,
        nodes: report.nodes,
        deepest_leaf: report.deepest_leaf,
        end: report.end,
    }
}

#[test]
fn wins_and_forced_blocks_are_found() {
    let check = |moves: &[u8], expected| {
        for seed in 0..10 {
            let found = search(&TicTacToe::after(moves), &uct(2_000), seed);
            assert_eq!(found.ranked[0].mv, expected, "after {moves:?}: {found:?}");
        }
    };
    check(&[0, 3, 1, 4], 2); // wins
    check(&[0, 4, 1], 2); // blocks
    check(&[4, 0, 8, 2], 1); // blocks
    check(&[0, 4, 8, 2, 6, 7], 3); // wins, and would lose otherwise
}

#[test]
fn tic_tac_toe_is_a_draw() {
    let found = search(&TicTacToe::after(&[]), &uct(300_000), 1);
    let mean = found.ranked[0].mean().unwrap();
    assert!((mean - 0.5).abs() < 0.05, "{found:?}");
}

#[test]
fn nim_is_won_by_leaving_a_nim_sum_of_zero() {
    for heaps in [[1, 2, 4], [3, 3, 5], [0, 4, 7], [2, 3, 5], [1, 1, 6]] {
        for mover in Side::BOTH {
            let found = search(&Nim { heaps, mover }, &uct(30_000), 1);
            let (heap, taken) = found.ranked[0].mv;
            let mut left = heaps;
            left[usize::from(heap)] -= taken;
            assert_eq!(left[0] ^ left[1] ^ left[2], 0, "{heaps:?}: {found:?}");
            assert!(0.9 < found.ranked[0].mean().unwrap(), "{heaps:?}: {found:?}");
        }
    }
}

#[test]
fn a_forced_move_is_not_searched_for() {
    let found = search(&TakeAway::new(1), &uct(1_000), 1);
    let only = RootMove { mv: 1, visits: 0, half_points: 0 };
    let expected = Found {
        ranked: vec![only],
        playouts: 0,
        nodes: 1,
        deepest_leaf: 0,
        end: SearchEnd::Forced,
    };
    assert_eq!(found, expected);
    assert_eq!(only.mean(), None);
}

#[test]
fn a_finished_game_cannot_be_searched() {
    let mut search = UctSearch::new();
    let over = TakeAway::new(0);
    assert_eq!(search.run(&over, &uct(10), &mut rng(0)), Err(SearchError::GameOver));
}

#[test]
fn moves_that_the_budget_does_not_reach_come_last() {
    let found = search(&TicTacToe::after(&[]), &uct(4), 1);
    let visits: Vec<_> = found.ranked.iter().map(|one| one.visits).collect();
    assert_eq!(visits, [1, 1, 1, 1, 0, 0, 0, 0, 0]);
    assert!(found.ranked[4..].is_sorted_by_key(|one| one.mv), "{found:?}");
}

#[test]
fn a_search_stops_at_the_first_leaf_of_its_depth() {
    let found = |plies| {
        let params = UctParams { depth: cap(plies), stop: StopRule::DepthReached, ..uct(100_000) };
        search(&TicTacToe::after(&[]), &params, 7)
    };
    let one = found(1);
    assert_eq!((one.playouts, one.nodes, one.end), (1, 2, SearchEnd::DepthReached));
    // Nine moves are tried once; then the best of them has a reply.
    let two = found(2);
    assert_eq!((two.playouts, two.nodes, two.deepest_leaf), (10, 11, 2));
    let playouts: Vec<_> = (1..=6).map(|plies| found(plies).playouts).collect();
    assert!(playouts.is_sorted_by(|less, more| less < more), "{playouts:?}");
    for plies in 1..=6 {
        assert_eq!(found(plies).deepest_leaf, plies);
    }
}

#[test]
fn a_search_ends_when_every_line_has_been_visited() {
    for moves in [&[0, 1, 2, 4, 3, 5][..], &[4, 0, 8, 2, 1], &[0, 4, 8, 2, 6]] {
        let root = TicTacToe::after(moves);
        // Weak moves are explored soon, too.
        let exploration = ExplorationWeight::new(100.0).unwrap();
        let params = UctParams { exploration, stop: StopRule::DepthReached, ..uct(100_000) };
        let found = search(&root, &params, 3);
        assert_eq!(found.end, SearchEnd::Exhausted, "{found:?}");
        assert_eq!(found.nodes, root.tree_size());
        // The cap lies beyond the end of the game.
        assert_eq!(search(&root, &UctParams { depth: cap(60), ..params }, 3), found);
        // The last playout was the first one without anything new behind it.
        let before =
            UctParams { budget: PlayoutBudget::new(found.playouts - 1).unwrap(), ..params };
        let before = search(&root, &before, 3);
        assert_eq!((before.end, before.nodes), (SearchEnd::Budget, found.nodes - 1));
    }
}

#[test]
fn caps_that_are_not_reached_give_the_same_search() {
    for seed in 0..5 {
        let root = TakeAway::new(60);
        let uncapped = search(&root, &uct(3_000), seed);
        assert!(4 < uncapped.deepest_leaf && uncapped.deepest_leaf < 40, "{uncapped:?}");
        for plies in uncapped.deepest_leaf..=60 {
            let capped = UctParams { depth: cap(plies), ..uct(3_000) };
            assert_eq!(search(&root, &capped, seed), uncapped, "cap {plies}");
        }
        let capped = UctParams { depth: cap(uncapped.deepest_leaf - 1), ..uct(3_000) };
        assert_ne!(search(&root, &capped, seed), uncapped);
    }
}

#[test]
fn passes_count_no_depth() {
    // After 3 stones come a pass and again 3 stones: twenty plies and nineteen passes.
    let mut game = TakeAway::new(60);
    let mut plies = 0;
    while game.margin().is_none() {
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        let mv = *moves.last().unwrap();
        plies += game.plies(mv);
        game.apply(mv, &mut rng(0));
    }
    assert_eq!(plies, 20);
    // A tree of two plies has all replies to the pass after three stones: 1 + 3 + (3 + 3 + 1) + 3.
    let found = search(&TakeAway::new(20), &UctParams { depth: cap(2), ..uct(5_000) }, 1);
    assert_eq!((found.nodes, found.deepest_leaf), (14, 2));
}

#[test]
fn a_horizon_of_one_ply_is_the_estimate() {
    // The estimate of 9, 8 and 7 stones is -1, 1 and 0 for the side that has taken.
    let params = UctParams { depth: cap(1), playout_end: PlayoutEnd::DepthCap, ..uct(3_000) };
    let found = search(&TakeAway::new(10), &params, 1);
    let mut means: Vec<_> =
        found.ranked.iter().map(|one| (one.mv, one.half_points, one.visits)).collect();
    means.sort_unstable();
    for ((mv, half_points, visits), half_point) in means.into_iter().zip([0, 2, 1]) {
        assert_eq!(half_points, half_point * visits, "take {mv}: {found:?}");
    }
    assert_eq!(found.ranked[0].mv, 2);
}

#[test]
fn a_search_does_not_depend_on_those_before() {
    let mut shared = UctSearch::new();
    let roots = [TakeAway::new(20), TakeAway::new(60), TakeAway::new(5)];
    for (seed, root) in (0..).zip(roots.iter().cycle().take(12)) {
        let params = UctParams { depth: cap(1 + u32::try_from(seed).unwrap()), ..uct(500) };
        let fresh = search(root, &params, seed);
        let report = shared.run(root, &params, &mut rng(seed)).unwrap();
        assert_eq!(report.ranked, fresh.ranked);
        assert_eq!(report.nodes, fresh.nodes);
    }
    assert_ne!(search(&roots[1], &uct(500), 1), search(&roots[1], &uct(500), 2));
}

fn any_params() -> impl Strategy<Value = UctParams> {
    let depth = prop_oneof![Just(DepthCap::UNCAPPED), (1_u32..=60).prop_map(cap)];
    let stop = prop_oneof![Just(StopRule::Budget), Just(StopRule::DepthReached)];
    let end = prop_oneof![Just(PlayoutEnd::GameEnd), Just(PlayoutEnd::DepthCap)];
    (depth, stop, end, 0.0..3.0, 1_u32..400).prop_map(|(depth, stop, playout_end, c, playouts)| {
        UctParams {
            exploration: ExplorationWeight::new(c).expect("a weight in its range"),
            depth,
            budget: PlayoutBudget::new(playouts).expect("a budget in its range"),
            stop,
            playout_end,
        }
    })
}

/// Checks what holds for every search.
fn check<G: TurnGame>(root: &G, params: &UctParams, seed: u64) {
    let found = search(root, params, seed);
    assert_eq!(search(root, params, seed), found);
    let mut legal = Vec::new();
    root.legal_moves(&mut legal);
    let mut moves: Vec<_> = found.ranked.iter().map(|one| one.mv).collect();
    moves.sort_unstable();
    assert_eq!(moves, legal);
    assert_eq!(found.ranked.iter().map(|one| one.visits).sum::<u32>(), found.playouts);
    assert!(found.ranked.iter().all(|one| one.half_points <= 2 * one.visits));
    assert!(found.nodes <= found.playouts + 1);
    let cap = params.depth.get().unwrap_or(u32::MAX);
    assert!(found.deepest_leaf <= cap);
    match found.end {
        SearchEnd::Forced => assert_eq!((legal.len(), found.playouts), (1, 0)),
        SearchEnd::Budget => assert_eq!(found.playouts, params.budget.get()),
        SearchEnd::DepthReached => assert_eq!(found.deepest_leaf, cap),
        SearchEnd::Exhausted => assert!(found.deepest_leaf < cap),
    }
    if params.stop == StopRule::Budget && legal.len() != 1 {
        assert_eq!(found.end, SearchEnd::Budget);
    }
}

proptest! {
    #[test]
    fn every_search_keeps_its_limits(
        params in any_params(), seed in 0_u64..1_000, stones in 1_u8..80, card in 1_u8..=6
    ) {
        check(&TakeAway::new(stones), &params, seed);
        check(&Nim { heaps: [stones % 5, 1, stones % 7], mover: Side::Second }, &params, seed);
        check(&TicTacToe::after(&[stones % 9]), &params, seed);
        check(&TwoCards::dealt(card), &params, seed);
    }
}
