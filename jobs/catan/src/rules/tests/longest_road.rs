//! Longest road. In the cases `D002` to `D005`, engines were found to differ (Catanatron, pull
//! request 387).

use super::{TestGame, coast, ring, spoke};
use crate::rules::seat::Seat::{self, First, Fourth, Second, Third};

#[track_caller]
fn check_length(game: &TestGame, seat: Seat, length: u8) {
    assert_eq!(game.state.road_length(seat), length);
}

#[test]
fn d002_a_road_may_end_at_an_enemy_building() {
    let mut game = TestGame::new();
    game.settlement(Second, ring(2));
    game.roads(First, &[spoke(0), ring(0), ring(1), ring(2)]);
    check_length(&game, First, 3);
    let mut game = TestGame::new();
    game.roads(First, &[spoke(0), ring(0), ring(1), ring(2)]);
    game.settlement(Second, ring(2));
    check_length(&game, First, 3);
}

#[test]
fn roads_that_meet_at_an_enemy_building_stay_apart() {
    let mut game = TestGame::new();
    game.settlement(Second, ring(2));
    game.roads(First, &[ring(0), ring(1), ring(2), ring(3), ring(4), spoke(4)]);
    check_length(&game, First, 3);
    let mut game = TestGame::new();
    game.settlement(Second, ring(2));
    game.roads(First, &[spoke(4), ring(4), ring(3), ring(2), ring(1), ring(0)]);
    check_length(&game, First, 3);
}

#[test]
fn d003_a_branch_is_left_aside() {
    let mut game = TestGame::new();
    game.roads(First, &[spoke(0), ring(0), ring(1), ring(2), ring(3), spoke(3)]);
    game.roads(First, &[ring(2), spoke(2)]);
    check_length(&game, First, 5);
    assert_eq!(game.state.longest_road(), Some(First));
}

#[test]
fn d004_holder_keeps_the_card_in_a_tie_after_a_cut() {
    let (mut game, coast) = (TestGame::new(), coast());
    game.roads(First, &coast[0..8]);
    game.roads(Second, &coast[10..16]);
    assert_eq!(game.state.longest_road(), Some(First));
    game.settlement(Third, coast[5]);
    check_length(&game, First, 5);
    check_length(&game, Second, 5);
    assert_eq!(game.state.longest_road(), Some(First));
}

#[test]
fn d005_nobody_has_it_below_five() {
    let (mut game, coast) = (TestGame::new(), coast());
    game.roads(First, &coast[0..6]);
    game.roads(Second, &coast[10..15]);
    game.settlement(Third, coast[2]);
    check_length(&game, First, 3);
    check_length(&game, Second, 4);
    assert_eq!(game.state.longest_road(), None);
}

#[test]
fn cut_gives_it_to_the_only_other_leader() {
    let (mut game, coast) = (TestGame::new(), coast());
    game.roads(First, &coast[0..8]);
    game.roads(Second, &coast[10..16]);
    game.settlement(Third, coast[4]);
    check_length(&game, First, 4);
    assert_eq!(game.state.longest_road(), Some(Second));
}

#[test]
fn set_aside_until_one_leads_alone() {
    let (mut game, coast) = (TestGame::new(), coast());
    game.roads(First, &coast[0..8]);
    game.roads(Second, &coast[10..16]);
    game.roads(Fourth, &coast[18..24]);
    game.settlement(Third, coast[4]);
    assert_eq!(game.state.longest_road(), None);
    game.roads(First, &coast[7..10]);
    check_length(&game, First, 5);
    assert_eq!(game.state.longest_road(), None, "three at five");
    game.roads(Fourth, &coast[23..25]);
    assert_eq!(game.state.longest_road(), Some(Fourth));
}

#[test]
fn taken_over_only_when_strictly_longer() {
    let (mut game, coast) = (TestGame::new(), coast());
    game.roads(First, &coast[0..6]);
    game.roads(Second, &coast[10..16]);
    assert_eq!(game.state.longest_road(), Some(First));
    game.roads(Second, &coast[15..17]);
    assert_eq!(game.state.longest_road(), Some(Second));
}

#[test]
fn nodes_may_repeat_and_edges_not() {
    let mut game = TestGame::new();
    game.roads(First, &[0, 1, 2, 3, 4, 5, 6].map(ring));
    check_length(&game, First, 6);
    game.roads(First, &[ring(0), spoke(0)]);
    check_length(&game, First, 7);
    game.roads(First, &[ring(3), spoke(3)]);
    // Into the loop, around one half of it, and out; or around the whole loop and out.
    check_length(&game, First, 7);
}

#[test]
fn a_loop_around_an_enemy_counts_whole_from_his_node() {
    let mut game = TestGame::new();
    game.roads(First, &[0, 1, 2, 3, 4, 5, 6].map(ring));
    game.roads(First, &[ring(0), spoke(0)]);
    game.settlement(Second, ring(0));
    check_length(&game, First, 6);
}

#[test]
fn own_buildings_do_not_break_it() {
    let (mut game, coast) = (TestGame::new(), coast());
    game.roads(First, &coast[0..6]);
    game.settlement(First, coast[2]);
    check_length(&game, First, 5);
    assert_eq!(game.state.longest_road(), Some(First));
}
