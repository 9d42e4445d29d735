//! Mistakes in the file, and the whole text of the error for each mistake.

use super::*;
use crate::invalid_value::InvalidValue;

#[test]
fn a_spec_without_mistakes_is_read() {
    let spec = with_params("games = 5\nplayers = [{ kind = \"random\" }]");
    let (head, study) = open(&spec, &[]).unwrap();
    assert_eq!((head.experiment.as_str(), head.seed), ("study", 1));
    assert_eq!((study.games, study.boards), (5, small_board()));
    assert_eq!(study.players, [Player::Random]);
}

#[test]
fn mistakes_in_the_common_part() {
    check_cases(include_str!("whole.txt"), |spec| open(spec, &[]).unwrap_err().to_string());
}

#[test]
fn mistakes_in_params() {
    check_cases(include_str!("params.txt"), |params| {
        open(&with_params(params), &[]).unwrap_err().to_string()
    });
}

#[test]
fn refusals_point_at_their_parameter() {
    let spec = "games = 1\njudge = { games = 5 }\nstart = [0.5]";
    let document = SpecDocument::parse("study.toml", with_params(spec).as_bytes()).unwrap();
    for (key, expected) in [
        ("judge.games", "study.toml:6:19: judge.games is 5, but must be even"),
        ("start.0", "study.toml:7:10: start.0 is 5, but must be even"),
        // A default stands nowhere, so the table that it belongs to is shown.
        ("judge.board.width", "study.toml:6:9: judge.board.width is 5, but must be even"),
        ("prize", "study.toml:4:1: prize is 5, but must be even"),
    ] {
        let error = document.refused(&InvalidValue::new(key, &5, "even")).to_string();
        assert_eq!(error.lines().next().unwrap(), expected);
    }
}

/// Serde overlooks unknown keys in a variant without fields; the schema doesn't.
#[test]
fn unknown_keys_of_a_variant_without_fields_are_refused() {
    let player = serde_json::from_str::<Player>(r#"{ "kind": "random", "depth": 5 }"#);
    assert_eq!(player.unwrap(), Player::Random);
    let error = open(&with_params("games = 1\nplayers = [{ kind = \"random\", depth = 5 }]"), &[]);
    assert_eq!(error.unwrap_err().message, "there is no players.0.depth; known are kind");
}

/// If only the type refuses a value, the error still has the place.
#[test]
fn what_only_the_type_refuses_is_located() {
    #[derive(Debug, Deserialize)]
    struct Odd {
        #[expect(dead_code, reason = "it is never read from anything valid")]
        list: Vec<std::num::NonZeroU32>,
    }
    let text = "experiment = \"odd\"\nseed = 1\n\n[params]\nlist = [1, 0]\n";
    let document = SpecDocument::parse("odd.toml", text.as_bytes()).unwrap();
    let error = document.params::<Odd>(&serde_json::json!({ "type": "object" })).unwrap_err();
    let expected = "odd.toml:5:12: invalid value: integer `0`, expected a nonzero u32";
    assert_eq!(error.to_string().lines().next().unwrap(), expected);
}

/// A terminal shows some hundred characters of a line, and obeys control characters.
#[test]
fn of_long_lines_the_wrong_part_is_shown_without_control_characters() {
    let spec = format!("games = 1\ntorus = \"{}\u{b}\"", "very ".repeat(100));
    let error = open(&with_params(&spec), &[]).unwrap_err().to_string();
    let lines: Vec<_> = error.lines().collect();
    let message = "invalid basic string, expected non-double-quote visible characters, `\\`";
    assert_eq!(lines[0], format!("study.toml:6:510: {message}"));
    assert_eq!(lines[2], format!("6 | {} \"", "very ".repeat(10)));
    assert_eq!(lines[3], format!("  | {}^", " ".repeat(50)));
}
