//! Specs with mistakes, and the error that a person gets for each mistake.

mod assignments;
mod changes;
mod files;
mod hostile;
mod mistakes;
mod printing;
mod values;

use serde::Serialize;

use super::*;

/// A study with every kind of parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Study {
    /// Games of each player.
    #[schemars(range(min = 1, max = 1000))]
    games: u32,
    /// How often a gene changes.
    #[serde(default = "one_percent")]
    #[schemars(range(min = 0.0, max = 1.0), extend("x-source" = "Paper, §2"))]
    mutation_rate: f32,
    /// Where the search begins.
    #[serde(default)]
    #[schemars(length(max = 3), inner(range(min = -1.0, max = 1.0)))]
    start: Vec<f32>,
    /// The longest game.
    #[serde(default)]
    #[schemars(range(min = 1))]
    max_moves: Option<u64>,
    /// Who moves first.
    #[serde(default)]
    first: First,
    /// Whether boards are wrapped around.
    #[serde(default)]
    torus: bool,
    /// The prize of the winner.
    #[serde(default)]
    prize: f64,
    /// How players are judged.
    #[serde(default)]
    judge: Judge,
    /// The boards.
    #[serde(default = "small_board")]
    #[schemars(length(min = 1))]
    boards: Vec<Board>,
    /// The players.
    #[serde(default)]
    players: Vec<Player>,
    /// Points of the weaker player at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    handicap: Option<u32>,
}

/// Who moves first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum First {
    /// The better one.
    #[default]
    TheBetter,
    /// A coin decides.
    Random,
}

/// How players are judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Judge {
    /// Games for the choice.
    #[schemars(range(min = 1))]
    games: u32,
    /// The board of the final.
    board: Board,
}

/// A board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Board {
    /// A name for the measures.
    #[schemars(length(min = 1, max = 8))]
    name: String,
    /// Columns.
    #[schemars(range(min = 4, max = 16))]
    width: u32,
}

/// A player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "kebab-case")]
enum Player {
    /// Any move.
    Random,
    /// The best move by a sum of features.
    Linear {
        /// The weights.
        #[schemars(length(equal = 2), inner(range(min = -5.0, max = 5.0)))]
        weights: Vec<f64>,
    },
    /// The best move found by a search.
    Search(Search),
}

/// A search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Search {
    /// Playouts per move.
    #[schemars(range(min = 1, max = 100))]
    playouts: u32,
}

fn one_percent() -> f32 {
    0.01
}

fn small_board() -> Vec<Board> {
    vec![Judge::default().board]
}

impl Default for Judge {
    fn default() -> Self {
        Self { games: 7, board: Board { name: "small".to_owned(), width: 4 } }
    }
}

/// Opens `text` with the assignments `set`.
fn open(text: &str, set: &[&str]) -> Result<(SpecHead, Study), SpecError> {
    let mut document = SpecDocument::parse("study.toml", text.as_bytes())?;
    for assignment in set {
        document = document.set(assignment)?;
    }
    Ok((document.head()?, document.params(schema_of::<Study>())?))
}

/// A spec with the parameters `params`, which begin on line 5.
fn with_params(params: &str) -> String {
    format!("experiment = \"study\"\nseed = 1\n\n[params]\n{params}\n")
}

/// Checks each case of `cases`: a line with its goal, the written text, a line of `---`, and the
/// `answer` to the written text.
fn check_cases(cases: &str, answer: impl Fn(&str) -> String) {
    for case in cases.split("=== ").skip(1) {
        let (goal, case) = case.split_once('\n').expect("a goal has a line of its own");
        let (written, expected) = case.split_once("\n---\n").expect("an answer follows");
        let answer = answer(written);
        let answer: Vec<_> = answer.lines().map(str::trim_end).collect();
        assert_eq!(answer.join("\n"), expected.trim_end(), "\n{goal}:\n{written}");
    }
}
