//! Ranks, agreement and levels of a move, and evidence that is refused.

use hatchery_othello::naturalness::{
    EvidenceError, GameNaturalness, JudgeOpinion, LevelChoices, MoveEvent, MoveEvidence,
    NaturalnessMetric,
};
use hatchery_othello::rules::{MoveValue, Position, SolvedPosition, Square, SquareSet};
use hatchery_search::RootMove;

use super::{board, evidence, ranking, solved, square};

/// The judge's opinion of the four moves of the start position.
const OPINION: [(&str, u32, u32); 4] =
    [("c4", 40, 40), ("d3", 20, 16), ("e6", 20, 16), ("f5", 20, 12)];

fn squares(names: &str) -> Vec<Square> {
    names.split(' ').map(square).collect()
}

/// Judges `played` at the start, with what `change` adds to the evidence.
fn judge(
    played: &str,
    change: impl FnOnce(&mut MoveEvidence<'_>),
) -> Result<Vec<MoveEvent>, EvidenceError> {
    let moves = ranking(&OPINION);
    let mut evidence = evidence(Position::START, square(played), JudgeOpinion::Estimated(&moves));
    change(&mut evidence);
    Ok(evidence.judge()?.events().to_vec())
}

#[test]
fn ranks_count_from_one() {
    let check = |rank, expected: &[MoveEvent]| {
        let found = judge("d3", |it| it.own_rank = rank);
        assert_eq!(found.as_deref(), Ok(expected), "{rank:?}");
    };
    check(None, &[]);
    check(Some(1), &[MoveEvent::Ranked]);
    check(Some(3), &[MoveEvent::Ranked, MoveEvent::OutsideFirst]);
    check(Some(4), &[MoveEvent::Ranked, MoveEvent::OutsideFirst, MoveEvent::OutsideThird]);
}

#[test]
fn moves_agree_with_the_first_choice_of_the_reference() {
    let moves = ranking(&OPINION);
    // (visits + 1) / 104 is 16/104 for d3, and 61/104 for f5.
    let reference = ranking(&[("f5", 60, 70), ("c4", 20, 20), ("d3", 15, 20), ("e6", 5, 10)]);
    let mut game = GameNaturalness::begin();
    for (played, expected) in [("d3", None), ("f5", Some(MoveEvent::Agreed))] {
        let mut evidence =
            evidence(Position::START, square(played), JudgeOpinion::Estimated(&moves));
        evidence.reference = Some(&reference);
        let judgement = evidence.judge().unwrap();
        let events: Vec<_> = [MoveEvent::Compared].into_iter().chain(expected).collect();
        assert_eq!(judgement.events(), events);
        game.add(&judgement);
    }
    assert_eq!(NaturalnessMetric::Agreement.value(&game), Some(50.0));
    // ln (104 / 16) = 1.8718 and ln (104 / 61) = 0.5335.
    let cross_entropy = NaturalnessMetric::CrossEntropy.value(&game).unwrap();
    assert!((cross_entropy - (1.8718 + 0.5335) / 2.0).abs() < 1e-9, "{cross_entropy}");
}

#[test]
fn a_move_is_too_advanced_if_only_the_strongest_finds_it() {
    let check = |strongest, near: &[&str], advanced: bool| {
        let near: Vec<_> = near.iter().map(|choices| squares(choices)).collect();
        let levels = LevelChoices { strongest: square(strongest), near: &near };
        let moves = ranking(&OPINION);
        let mut evidence = evidence(Position::START, square("f5"), JudgeOpinion::Estimated(&moves));
        evidence.levels = Some(levels);
        let mut events = vec![MoveEvent::Leveled];
        events.extend(advanced.then_some(MoveEvent::TooAdvanced));
        assert_eq!(evidence.judge().unwrap().events(), events, "{near:?}");
    };
    check("f5", &["c4 d3 e6", "d3 c4 e6"], true);
    check("f5", &["c4 d3 e6 f5"], true);
    check("f5", &["c4 d3 e6", "d3 f5 e6"], false);
    check("f5", &["c4 d3 f5"], false);
    check("c4", &["c4 d3 e6"], false);
}

fn refusal(played: &str, change: impl FnOnce(&mut MoveEvidence<'_>)) -> String {
    judge(played, change).expect_err("the evidence contradicts itself").to_string()
}

#[test]
fn evidence_that_contradicts_itself_is_refused() {
    assert!(matches!(judge("a1", |_| {}), Err(EvidenceError::IllegalMove(_))));
    let forced = board([
        "-OX-----", "--------", "--------", "--------", "--------", "--------", "--------",
        "--------",
    ]);
    let of_forced = solved_by_hand(&[("a1", 64)]);
    let one = evidence(forced, square("a1"), JudgeOpinion::Exact(&of_forced)).judge();
    assert_eq!(one, Err(EvidenceError::Forced { square: square("a1") }));
    for rank in [0, 5] {
        let right = format!("the rank of the move is {rank}; it is from 1 to 4, the number");
        assert!(refusal("c4", |it| it.own_rank = Some(rank)).starts_with(&right));
    }
    let check_judge = |moves: &[(&str, u32, u32)], right: &str| {
        let moves = ranking(moves);
        let evidence = evidence(Position::START, square("c4"), JudgeOpinion::Estimated(&moves));
        let error = evidence.judge().unwrap_err().to_string();
        assert!(error.starts_with(right), "{error}");
    };
    check_judge(&OPINION[1..], "the judge has 3 moves, d3 f5 e6; the legal moves are d3 c4 f5 e6");
    let twice = [OPINION[0], OPINION[0], OPINION[1], OPINION[2]];
    check_judge(&twice, "the judge has 4 moves, d3 c4 e6; ");
    let unvisited = [("c4", 0, 0), OPINION[1], OPINION[2], OPINION[3]];
    check_judge(&unvisited, "the judge's search did not visit c4");
    let too_many = [OPINION[0], OPINION[1], OPINION[2], ("f5", 4, 9)];
    check_judge(&too_many, "f5 has 9 half points in 4 visits");
}

/// Returns the values of moves as if the solver had said so.
fn solved_by_hand(moves: &[(&str, i32)]) -> SolvedPosition {
    let moves: Vec<_> =
        moves.iter().map(|&(name, value)| MoveValue { square: square(name), value }).collect();
    SolvedPosition { value: moves[0].value, moves, nodes: 0 }
}

#[test]
fn agents_and_values_that_cannot_be_are_refused() {
    for value in [-65, 65, i32::MAX, i32::MIN] {
        let solved = solved_by_hand(&[("c4", 0), ("d3", value), ("e6", 0), ("f5", 0)]);
        let evidence = evidence(Position::START, square("c4"), JudgeOpinion::Exact(&solved));
        let error = evidence.judge().unwrap_err();
        assert_eq!(error, EvidenceError::Value { square: square("d3"), value });
    }
    let reference: Vec<RootMove<Square>> = Vec::new();
    let error = judge("c4", |it| it.reference = Some(leaked(reference))).unwrap_err();
    let legal = Position::START.legal_moves();
    let found = SquareSet::from_bits(0);
    let list = "the reference agent";
    assert_eq!(error, EvidenceError::MovesDiffer { list, n: 0, found, legal });
    let check = |strongest, near: &[&str], right: EvidenceError| {
        let near = leaked(near.iter().map(|choices| squares(choices)).collect());
        let levels = LevelChoices { strongest: square(strongest), near };
        assert_eq!(judge("c4", |it| it.levels = Some(levels)), Err(right));
    };
    check("a1", &["c4 d3 e6"], EvidenceError::Choice { square: square("a1"), legal });
    check("c4", &["c4 d3 h8"], EvidenceError::Choice { square: square("h8"), legal });
    check("c4", &[], EvidenceError::TooFewChoices { found: 0, right: 3 });
    check("c4", &["c4 d3 e6", "c4 d3"], EvidenceError::TooFewChoices { found: 2, right: 3 });
}

#[test]
fn two_choices_are_enough_of_two_legal_moves() {
    const X: &str = "XXXXXXXX";
    let position = board(["-OXXXXXX", "-OXXXXXX", X, X, X, X, X, X]);
    let solved = solved(&position);
    let judge = |choices: &str| {
        let near = [squares(choices)];
        let levels = Some(LevelChoices { strongest: square("a1"), near: &near });
        let opinion = JudgeOpinion::Exact(&solved);
        MoveEvidence { levels, ..evidence(position, square("a1"), opinion) }.judge().map(|_| ())
    };
    assert_eq!(judge("a2 a1"), Ok(()));
    assert_eq!(judge("a2"), Err(EvidenceError::TooFewChoices { found: 1, right: 2 }));
}

fn leaked<T>(values: Vec<T>) -> &'static [T] {
    Vec::leak(values)
}
