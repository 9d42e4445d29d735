//! The parameters that a report shows: those that differ from their defaults or have none.

use super::*;
use crate::rich_text::{RichText, TextSpan};

/// A study whose parameters differ from their defaults in every way.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Changed {
    /// Games of each player, as in `paper`. More games cost more.
    #[schemars(extend("x-source" = "Paper, §2: 100"))]
    games: u32,
    /// How often a gene changes.
    #[serde(default = "one_percent")]
    mutation_rate: f32,
    /// Who moves first.
    #[serde(default)]
    first: First,
    /// The method.
    #[serde(default)]
    method: Method,
    /// How players are judged.
    #[serde(default)]
    judge: Judge,
    /// Screening of players.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    screening: Option<Screening>,
    /// The players.
    #[serde(default)]
    players: Vec<Player>,
    /// Texts of moves.
    #[serde(default)]
    moves: FileList<String>,
    /// The boards.
    #[serde(default = "small_board")]
    boards: Vec<Board>,
    /// Weights of features.
    #[serde(default)]
    weights: Vec<f64>,
}

/// The method.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum Method {
    /// Once.
    #[default]
    Fixed,
    /// After `games`, twice as many, and so on.
    Sequential {
        /// Games at the last look.
        most_games: u32,
        /// The first look.
        #[serde(default)]
        first: u32,
    },
}

/// Screening of players.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Screening {
    /// Players that stay.
    #[serde(default = "one")]
    keep: u32,
}

fn one() -> u32 {
    1
}

/// Returns the table of `params`, a row on each line.
fn table(params: &str) -> String {
    let mut inputs = PartSet::default();
    let moves = inputs.add("f5\nd6\n").hash();
    let text = with_params(&params.replace("MOVES", &moves.to_string()));
    let document = SpecDocument::parse("changed.toml", text.as_bytes()).unwrap();
    let params: Changed = document.params_with(schema_of::<Changed>(), &inputs).unwrap();
    let params = serde_json::from_str(&serde_json::to_string(&params).unwrap()).unwrap();
    let Some(table) = parameter_table(schema_of::<Changed>(), &params) else {
        return "no table".to_owned();
    };
    let row = |row: &Vec<RichText>| row.iter().map(marked).collect::<Vec<_>>().join(" | ");
    table.rows.iter().map(row).collect::<Vec<_>>().join("\n")
}

/// Returns a text with code between backticks.
fn marked(text: &RichText) -> String {
    let spans = text.spans().iter().map(|span| match span {
        TextSpan::Code(words) => format!("`{words}`"),
        other => other.words().to_owned(),
    });
    spans.collect()
}

#[test]
fn changes_have_the_words_of_the_schema() {
    check_cases(include_str!("changes.txt"), table);
}

#[test]
fn parameters_without_changes_have_no_table() {
    assert_eq!(parameter_table(schema_of::<Judge>(), &serde_json::json!({})), None);
    let params = serde_json::to_value(Judge::default()).unwrap();
    assert_eq!(parameter_table(schema_of::<Judge>(), &params), None);
}

#[test]
fn a_table_has_a_bound() {
    let params = (0..100).map(|n| (format!("p{n}"), n.into())).collect();
    let schema = serde_json::json!({ "additionalProperties": { "type": "integer" } });
    let table = parameter_table(&schema, &serde_json::Value::Object(params)).unwrap();
    assert_eq!((table.columns.len(), table.rows.len()), (4, 41));
    let last: Vec<String> = table.rows[40].iter().map(marked).collect();
    assert_eq!(last, ["60 more", "", "", "See `spec.toml`, the spec of the run."]);
}
