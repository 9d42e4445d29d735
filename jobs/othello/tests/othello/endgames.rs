//! The exact solver: the FFO suite, plain minimax, both conventions, and the limit of nodes.

use hatchery_othello::record::obf;
use hatchery_othello::rules::{
    BoardBackend, EndgameSolver, MoveValue, NodeLimitReached, Position, ScoreRule, SolverOptions,
    TurnState,
};

use super::naive;

const ALL_NODES: u64 = u64::MAX;

fn options(backend: BoardBackend) -> SolverOptions {
    SolverOptions { rule: ScoreRule::WinnerTakesEmpties, max_nodes: ALL_NODES, backend }
}

#[test]
fn values_are_those_of_the_ffo_suite() {
    let suite = obf::read(include_bytes!("../data/ffo-1-19.obf")).unwrap();
    assert_eq!(suite.len(), 19);
    let mut nodes = Vec::new();
    for backend in BoardBackend::available() {
        let mut solver = EndgameSolver::new();
        let mut n_nodes = 0;
        for (number, test) in (1..).zip(&suite) {
            let solved = solver.solve(test.position(), options(backend)).unwrap();
            let mut expected: Vec<_> = test.values().to_vec();
            expected.sort_by_key(|it| (-it.score, it.square));
            let found: Vec<_> = solved.moves.iter().map(|it| (it.square, it.value)).collect();
            let expected: Vec<_> =
                expected.iter().map(|it| (it.square, i32::from(it.score))).collect();
            assert_eq!(found, expected, "position {number}, {backend:?}");
            assert_eq!(solved.value, expected[0].1);
            n_nodes += solved.nodes;
        }
        nodes.push(n_nodes);
    }
    // The measure of speed that does not depend on the machine: 3.5 million today.
    assert!(nodes[0] < 5_000_000, "{nodes:?}");
    assert!(nodes.windows(2).all(|pair| pair[0] == pair[1]), "{nodes:?}");
}

/// Minimax without any cut.
fn minimax(position: &Position, rule: ScoreRule) -> i32 {
    let own_score = |position: &Position| {
        let board = position.board::<hatchery_othello::rules::PlainOps>();
        board.score(rule)
    };
    match position.state() {
        TurnState::Over => own_score(position),
        TurnState::MustPass => -minimax(&position.settled(), rule),
        TurnState::CanMove => {
            let value = |square| -minimax(&position.apply(square).expect("it is legal"), rule);
            position.legal_moves().iter().map(value).max().expect("it has a move")
        }
    }
}

/// Returns positions of random games with this number of empty squares, before a pass that is due.
fn positions(empties: u32, n: usize) -> Vec<Position> {
    let mut rng = naive::stream("endgames");
    let mut positions = Vec::new();
    while positions.len() < n {
        let mut position = Position::START;
        for square in naive::random_game(&mut rng).0 {
            position = position.settled().apply(square).expect("it is legal");
            if position.count().empties() == empties {
                positions.push(position);
            }
        }
    }
    positions
}

#[test]
fn values_are_those_of_minimax() {
    let mut passes = 0;
    for (empties, n) in [(0, 20), (1, 200), (2, 400), (3, 400), (5, 200), (7, 50), (8, 10)] {
        for position in positions(empties, n) {
            for rule in [ScoreRule::WinnerTakesEmpties, ScoreRule::DiscDifference] {
                for backend in BoardBackend::available() {
                    let options = SolverOptions { rule, ..options(backend) };
                    let solved = EndgameSolver::new().solve(&position, options).unwrap();
                    assert_eq!(solved.value, minimax(&position, rule), "{position}, {rule:?}");
                    for MoveValue { square, value } in solved.moves {
                        let next = position.apply(square).unwrap();
                        assert_eq!(value, -minimax(&next, rule), "{position}, {square}");
                    }
                }
            }
            passes += u32::from(position.state() == TurnState::MustPass);
        }
    }
    assert!(0 < passes, "no position is before a pass");
}

#[test]
fn wipe_outs_differ_by_convention() {
    let position: Position = format!("{:-<64} X", "XOOO").parse().unwrap();
    let check = |rule, expected| {
        let options = SolverOptions { rule, ..options(BoardBackend::fastest()) };
        let solved = EndgameSolver::new().solve(&position, options).unwrap();
        assert_eq!((solved.value, solved.moves.len()), (expected, 1));
    };
    check(ScoreRule::WinnerTakesEmpties, 64);
    check(ScoreRule::DiscDifference, 5);
}

#[test]
fn a_solver_gives_up_at_its_limit() {
    let suite = obf::read(include_bytes!("../data/ffo-1-19.obf")).unwrap();
    let position = suite[0].position();
    let mut solver = EndgameSolver::new();
    let nodes = solver.solve(position, options(BoardBackend::fastest())).unwrap().nodes;
    for backend in BoardBackend::available() {
        let mut with_limit = |max_nodes| {
            let options = SolverOptions { max_nodes, ..options(backend) };
            solver.solve(position, options)
        };
        assert_eq!(with_limit(nodes).unwrap().nodes, nodes);
        let error = with_limit(nodes - 1).unwrap_err();
        assert_eq!(error, NodeLimitReached { max_nodes: nodes - 1, empties: 14 });
        assert!(with_limit(0).is_err());
    }
    let start = solver.solve(
        &Position::START,
        SolverOptions { max_nodes: 1_000, ..options(BoardBackend::Plain) },
    );
    let message = "not solved within 1000 nodes; the position has 60 empty squares";
    assert_eq!(start.unwrap_err().to_string(), message);
}
