//! Naturalness: hand-made positions with the counts they must give, and properties of records.

mod evidence;
mod positions;
mod properties;

use hatchery_othello::naturalness::{JudgeOpinion, MoveEvidence};
use hatchery_othello::rules::{
    BoardBackend, EndgameSolver, Position, ScoreRule, SolvedPosition, SolverOptions, Square,
};
use hatchery_search::RootMove;

/// Returns the position with these rows, from row 1, black to move.
fn board(rows: [&str; 8]) -> Position {
    format!("{} X", rows.concat()).parse().expect("it is a position")
}

fn square(name: &str) -> Square {
    name.parse().expect("it is a square")
}

fn solved(position: &Position) -> SolvedPosition {
    let options = SolverOptions {
        rule: ScoreRule::WinnerTakesEmpties,
        max_nodes: 1_000_000,
        backend: BoardBackend::fastest(),
    };
    EndgameSolver::new().solve(position, options).expect("it has few empty squares")
}

/// Returns moves with visits and half points.
fn ranking(moves: &[(&str, u32, u32)]) -> Vec<RootMove<Square>> {
    let root_move =
        |&(name, visits, half_points)| RootMove { mv: square(name), visits, half_points };
    moves.iter().map(root_move).collect()
}

/// Returns the evidence of a move of an agent that ranks no moves, without any other agent.
fn evidence<'a>(position: Position, played: Square, opinion: JudgeOpinion<'a>) -> MoveEvidence<'a> {
    MoveEvidence { position, played, opinion, own_rank: None, reference: None, levels: None }
}
