//! Corners and losses in positions whose values can be counted by hand.
//!
//! Each has two or three empty squares. X is to move, and e4, e3 and the like are where it can move
//! without touching an edge.

use MoveEvent::{
    CSquare, CornerChance, CornerDeclined, CornerGiven, CornerLeft, CornerOpened, ResultFlip,
    XSquare,
};
use hatchery_othello::naturalness::{
    GameNaturalness, JudgeOpinion, LossZone, MoveEvent, MoveJudgement, NaturalnessMetric,
};
use hatchery_othello::rules::Position;

use super::{board, evidence, ranking, solved, square};

const ALL_X: &str = "XXXXXXXX";
const ALL_O: &str = "OOOOOOOO";
const D4_FLIPS_E4: &str = "XXX-OXXX";

/// X can take a1, which flips row 1. After d4 instead, O takes it and flips column a.
fn free_corner() -> Position {
    let rows = [ALL_X; 3];
    board(["-OOOOOOX", rows[0], rows[1], D4_FLIPS_E4, ALL_X, ALL_X, ALL_X, "OXXXXXXX"])
}

/// As before, but O cannot take a1, and X has it after d4 as well.
fn harmless_corner() -> Position {
    board(["-OOOOOOX", ALL_X, ALL_X, D4_FLIPS_E4, ALL_X, ALL_X, ALL_X, ALL_X])
}

/// After b1, O can take a1 along row 1. After d4 O can only play b1, and X has a1: two discs more.
fn corner_for_b1() -> Position {
    board(["--XXXXXO", "XOXXXXXX", ALL_X, D4_FLIPS_E4, ALL_X, ALL_X, ALL_X, ALL_X])
}

/// After b1, O can take a1, but after d4 it plays b1 itself and flips row 1 and column b.
fn corner_worth_giving() -> Position {
    board(["--XXXXXO", "XXOXXXXX", ALL_X, D4_FLIPS_E4, ALL_X, ALL_X, ALL_X, "XOXXXXXX"])
}

/// After b2, O can take a1 along the diagonal. O could use e3, too, if the last row has an O on e8.
fn corner_for_b2(last_row: &str) -> Position {
    board(["-XXXXXXX", "X-OXXXXX", "XXXX-OXX", ALL_X, ALL_X, ALL_X, ALL_X, last_row])
}

/// A free corner that decides the game.
fn deciding_corner() -> Position {
    board(["-OOOOOOX", ALL_X, ALL_X, D4_FLIPS_E4, ALL_X, ALL_O, ALL_O, ALL_O])
}

/// Positions, moves, losses in discs and events.
fn cases() -> Vec<(Position, &'static str, u64, Vec<MoveEvent>)> {
    let given = vec![CornerChance, CornerLeft, CornerDeclined, CornerOpened, CornerGiven, CSquare];
    vec![
        (free_corner(), "d4", 62 - 36, vec![CornerChance, CornerLeft, CornerDeclined]),
        (free_corner(), "a1", 0, vec![CornerChance]),
        (harmless_corner(), "d4", 0, vec![CornerChance, CornerLeft]),
        (corner_for_b1(), "b1", 50 - 48, given),
        (corner_for_b1(), "a1", 50 - 48, vec![CornerChance]),
        (corner_for_b1(), "d4", 0, vec![CornerChance, CornerLeft]),
        (corner_worth_giving(), "b1", 0, vec![CornerOpened, CSquare]),
        (corner_worth_giving(), "d4", 46 - 36, vec![]),
        (corner_for_b2("XXXXOXXO"), "b2", 46 - 40, vec![CornerOpened, CornerGiven, XSquare]),
        (corner_for_b2("XXXXOXXO"), "e3", 0, vec![]),
        (corner_for_b2("XXXXXXXO"), "b2", 0, vec![CornerOpened, XSquare]),
        (
            deciding_corner(),
            "d4",
            6 + 14,
            vec![CornerChance, CornerLeft, CornerDeclined, ResultFlip],
        ),
    ]
}

fn judge(position: Position, played: &str) -> MoveJudgement {
    let solved = solved(&position);
    let evidence = evidence(position, square(played), JudgeOpinion::Exact(&solved));
    evidence.judge().expect("the evidence is sound")
}

#[test]
fn moves_have_the_events_that_are_seen_by_hand() {
    for (position, played, loss, events) in cases() {
        let judgement = judge(position, played);
        assert_eq!(judgement.zone(), LossZone::Exact);
        assert_eq!(judgement.loss(), loss, "{played} in {position}");
        assert_eq!(judgement.events(), events, "{played} in {position}");
    }
}

#[test]
fn a_game_has_the_counts_of_its_moves() {
    let mut game = GameNaturalness::begin();
    for (position, played, ..) in cases() {
        game.add(&judge(position, played));
    }
    game.add_forced();
    let expected = [7, 5, 3, 4, 2, 2, 2, 1, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(MoveEvent::ALL.map(|event| game.count(event)), expected);
    assert_eq!((game.games(), game.moves(), game.forced()), (1, 12, 1));
    let check = |metric: NaturalnessMetric, events: f64| {
        let found = metric.value(&game).expect("it has moves");
        assert!((found - events / 0.12).abs() < 1e-9, "{found} of {}", metric.name());
    };
    check(NaturalnessMetric::CornerEvents, 5.0);
    check(NaturalnessMetric::CornerDeclined, 3.0);
    check(NaturalnessMetric::CornerGiven, 2.0);
    check(NaturalnessMetric::CornerLeft, 5.0);
    check(NaturalnessMetric::CornerOpened, 4.0);
    check(NaturalnessMetric::XSquare, 2.0);
    check(NaturalnessMetric::CSquare, 2.0);
    // Losses of 26, 20, 10, 6, 2, 2 and six times 0.
    check(NaturalnessMetric::ClearLoss, 4.0);
    check(NaturalnessMetric::HeavyLoss, 3.0);
    check(NaturalnessMetric::ResultFlip, 1.0);
    let exact = |metric: fn(LossZone) -> NaturalnessMetric| metric(LossZone::Exact).value(&game);
    assert_eq!(exact(NaturalnessMetric::LossMean), Some(5.5));
    assert_eq!(exact(NaturalnessMetric::LossMedian), Some(0.0));
    assert_eq!(exact(NaturalnessMetric::LossP95), Some(26.0));
    let estimated = NaturalnessMetric::LossMean(LossZone::Estimated);
    assert_eq!(estimated.value(&game), None);
}

/// Checks the loss in 1/10,000 points and the events of a move that a search has judged.
fn check_estimated(
    position: Position,
    played: &str,
    moves: &[(&str, u32, u32)],
    (loss, events): (u64, &[MoveEvent]),
) {
    let moves = ranking(moves);
    let opinion = JudgeOpinion::Estimated(&moves);
    let judgement = evidence(position, square(played), opinion).judge().expect("it is sound");
    assert_eq!((judgement.zone(), judgement.loss()), (LossZone::Estimated, loss));
    assert_eq!(judgement.events(), events, "{played} in {position}");
}

#[test]
fn estimates_have_thresholds_of_their_own() {
    let check = |played, moves: &[(&str, u32, u32)], loss, events: &[MoveEvent]| {
        check_estimated(corner_for_b1(), played, moves, (loss, events));
    };
    // Mean scores of 0.5 for d4 and 0.45 for b1.
    let given = [CornerChance, CornerLeft, CornerDeclined, CornerOpened, CornerGiven, CSquare];
    check("b1", &[("d4", 900, 900), ("b1", 100, 90), ("a1", 10, 0)], 500, &given);
    let left = [CornerChance, CornerLeft, CornerOpened, CSquare];
    check("b1", &[("d4", 2_000, 2_000), ("b1", 1_000, 901), ("a1", 10, 0)], 495, &left);
    // Few visits with luck are no better than the most visited move.
    check("b1", &[("a1", 10, 0), ("b1", 5, 10), ("d4", 900, 900)], 0, &left);
    // The only better move has no visits.
    check("b1", &[("b1", 900, 900), ("d4", 0, 0), ("a1", 0, 0)], 0, &left);
}

/// Both b1 and a2 open the corner, and taking it is no better.
#[test]
fn a_corner_is_not_given_if_better_moves_open_one_too() {
    let rows = ["--XXXXXO", "-OXXXXXX", ALL_X, ALL_X, ALL_X, ALL_X, ALL_X, "OXXXXXXX"];
    let moves = [("b1", 500, 500), ("a2", 100, 80), ("a1", 100, 80)];
    let declined = [CornerChance, CornerLeft, CornerDeclined, CornerOpened, CSquare];
    check_estimated(board(rows), "a2", &moves, (1_000, &declined));
    let moves = [("b1", 500, 500), ("a2", 100, 80), ("a1", 400, 400)];
    let given = [CornerChance, CornerLeft, CornerDeclined, CornerOpened, CornerGiven, CSquare];
    check_estimated(board(rows), "a2", &moves, (1_000, &given));
}
