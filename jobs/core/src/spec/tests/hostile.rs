//! Specs from people who mean no good, or from a broken disk: an error, and never a panic.

use proptest::prelude::*;

use super::*;

fn error(bytes: &[u8]) -> String {
    SpecDocument::parse("study.toml", bytes).unwrap_err().to_string()
}

#[test]
fn what_is_no_text_is_refused() {
    let expected = "study.toml: byte 4 is not UTF-8 text; a spec is a TOML file";
    assert_eq!(error(b"a = \xff"), expected);
}

#[test]
fn specs_have_a_greatest_length() {
    let mut text = with_params("games = 1\n#");
    text.push_str(&" ".repeat(MAX_SPEC_BYTES - text.len()));
    assert!(open(&text, &[]).is_ok());
    text.push(' ');
    let expected = "study.toml: longer than 1048576 bytes, the most for a spec";
    assert_eq!(error(text.as_bytes()), expected);
}

/// A coordinator reads specs from other people, so a spec that overflows the stack would stop a
/// farm.
#[test]
fn specs_have_a_greatest_depth() {
    let braces = "{a=".repeat(80_000);
    let dots = "a.".repeat(79);
    let mixed = format!("{}1{}", format!("{{{dots}a=").repeat(79), "}".repeat(79));
    for text in [
        format!("a={}", "[".repeat(MAX_SPEC_BYTES - 2)),
        format!("a={braces}"),
        format!("{}a=1", "a.".repeat(500_000)),
        format!("[{}a]", "a.".repeat(500_000)),
        format!("{dots}a={mixed}"),
        with_params(&format!("games={mixed}")),
    ] {
        let error = error(text.as_bytes());
        assert!(error.contains("recurs") || error.contains("nested more than 64"), "{error}");
    }
    let set = SpecDocument::parse("study.toml", b"").unwrap().set(&format!("{dots}a={mixed}"));
    assert!(set.unwrap_err().message.contains("nested more than 64"));
}

/// Generates pieces of specs. Random sequences of these pieces often get past the parser.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "[params]\n",
        "[[params.boards]]\n",
        "[[params.players]]\n",
        "[params.judge]\n",
        "games = ",
        "start = ",
        "boards = ",
        "players = ",
        "judge = ",
        "name = ",
        "width = ",
        "kind = ",
        "weights = ",
        "playouts = ",
        "first = ",
        "max_moves = ",
        "a.b.c = ",
        "[",
        "]",
        "{ ",
        " }",
        ", ",
        "\n",
        "1",
        "0.5",
        "-1",
        "nan",
        "1e400",
        "\"linear\"",
        "\"random\"",
        "\"search\"",
        "true",
        "1979-05-27",
        "\"\"\"\n",
        "'",
        "#",
        "ä",
        "\0",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn random_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(document) = SpecDocument::parse("study.toml", &bytes) {
            prop_assert!(document.head().is_err(), "{}", document.text());
        }
    }

    #[test]
    fn random_params_do_not_panic(params in pieces()) {
        match open(&with_params(&params), &[]) {
            Ok((_, study)) => prop_assert!(0 < study.games),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn random_assignments_do_not_panic(set in prop::collection::vec(pieces(), 1..4)) {
        let text = with_params("games = 1");
        let mut document = SpecDocument::parse("study.toml", text.as_bytes()).unwrap();
        for assignment in set {
            match document.clone().set(&assignment) {
                Ok(assigned) => document = assigned,
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
        // What was assigned is what the new text says.
        let again = SpecDocument::parse("study.toml", document.text().as_bytes()).unwrap();
        let params = |document: &SpecDocument| document.params::<Study>(schema_of::<Study>()).ok();
        prop_assert_eq!(params(&document), params(&again));
    }
}
