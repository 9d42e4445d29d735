//! Limits on a text before it is parsed into a tree: a tree can take a hundred times the memory.

use std::ops::Range;

use toml_parser::Source;
use toml_parser::lexer::TokenKind;

use super::locate::{MAX_DEPTH, too_deep};

/// The most tokens of a spec: words, numbers, strings, punctuation marks, comments, line ends and
/// runs of spaces. That is thirty times the longest preset, and at most 20 MB as a tree: two
/// tokens, as in `a.a.a`, can make a table of a kilobyte.
pub(super) const MAX_TOKENS: usize = 40_000;

/// Checks the number of tokens of `text` and the depth to which they are nested, in constant
/// memory. The error has the place in the text.
///
/// The measured depth is at most the depth of the tree, because keys below a header count from zero
/// again. A text that passes can still be nested deeper than [`MAX_DEPTH`], but not twice as deep.
pub(super) fn scan(text: &str) -> Result<(), (Range<usize>, String)> {
    // The depth that each open bracket adds: itself, and the dots of the key before it.
    let mut brackets = Vec::with_capacity(MAX_DEPTH);
    let (mut depth, mut n_dots) = (0, 0);
    for (idx, token) in Source::new(text).lex().enumerate() {
        let place = token.span().start()..token.span().end();
        // The last token is the end of the text.
        if MAX_TOKENS < idx {
            return Err((place, too_many()));
        }
        match token.kind() {
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => {
                brackets.push(1 + n_dots);
                depth += 1 + n_dots;
                n_dots = 0;
            }
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                depth -= brackets.pop().unwrap_or(0);
                n_dots = 0;
            }
            TokenKind::Dot => n_dots += 1,
            TokenKind::Comma | TokenKind::Newline => n_dots = 0,
            // A key's dots count for the value after it.
            TokenKind::Equals
            | TokenKind::Whitespace
            | TokenKind::Comment
            | TokenKind::LiteralString
            | TokenKind::BasicString
            | TokenKind::MlLiteralString
            | TokenKind::MlBasicString
            | TokenKind::Atom
            | TokenKind::Eof => {}
        }
        if MAX_DEPTH < depth + n_dots {
            return Err((place, too_deep()));
        }
    }
    Ok(())
}

fn too_many() -> String {
    format!(
        "more than {MAX_TOKENS} keys, values, punctuation marks, spaces and line ends, the most \
         for a spec"
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::locate::check_depth;
    use super::*;

    /// Returns the beginning of the place at which `text` is refused, and the message.
    fn refusal(text: &str) -> Option<(usize, String)> {
        scan(text).err().map(|(place, message)| (place.start, message))
    }

    #[test]
    fn the_last_token_allowed_is_the_forty_thousandth() {
        for (piece, n_tokens) in [("1,", 2), ("a\n", 2), ("\n", 1), (" #\n", 3), ("a.b=1\n", 6)] {
            let fits = piece.repeat(MAX_TOKENS / n_tokens);
            assert_eq!(refusal(&fits), None, "{piece:?}");
            let (start, message) = refusal(&piece.repeat(MAX_TOKENS + 2)).unwrap();
            assert!(start <= fits.len() + piece.len(), "{piece:?}: {start}");
            assert!(message.starts_with("more than 40000 keys, values"), "{message}");
        }
    }

    #[test]
    fn one_long_token_is_one() {
        let long = "x".repeat(1 << 20);
        for text in [format!("a = \"{long}\""), format!("#{long}"), long] {
            assert_eq!(refusal(&text), None);
        }
    }

    #[test]
    fn the_place_of_the_deepest_bracket_or_dot_is_told() {
        for (text, start) in [
            (format!("a={}", "[".repeat(1000)), 66),
            (format!("a={}", "{a=".repeat(1000)), 2 + 3 * 64),
            (format!("{}a=1", "a.".repeat(1000)), 2 * 64 + 1),
            (format!("[{}a]", "a.".repeat(1000)), 2 * 64),
            (format!("a.b.c.d={}", "[".repeat(1000)), 8 + 61),
        ] {
            assert_eq!(refusal(&text), Some((start, too_deep())), "{}", &text[..20]);
        }
    }

    #[test]
    fn brackets_that_are_closed_are_not_nested() {
        let text = "[a.b]\nc = [{ d.e = [1.5, 2.5] }, {}]\n[[f.g]]\n".repeat(500);
        assert_eq!(refusal(&text), None);
        assert_eq!(refusal(&"]".repeat(1000)), None);
    }

    /// Generates pieces of TOML, such that many random sequences of pieces are TOML.
    fn line() -> impl Strategy<Value = String> {
        let key = prop::collection::vec(prop::sample::select(vec!["a", "b1", "'c.d'"]), 1..30);
        let key = key.prop_map(|parts| parts.join("."));
        let atom = prop::sample::select(vec!["1", "-1.5", "1e3", "\"x.y\"", "''", "1979-05-27"]);
        let value = atom.prop_map(str::to_owned).prop_recursive(24, 48, 3, |inner| {
            let list = prop::collection::vec(inner.clone(), 0..3);
            let keys = prop::sample::select(vec!["a", "a.b.c", "a.1.2.3"]);
            prop_oneof![
                list.prop_map(|entries| format!("[ {} ]", entries.join(",\n"))),
                (keys, inner).prop_map(|(key, value)| format!("{{ {key} = {value} }}")),
            ]
        });
        prop_oneof![
            (key.clone(), value).prop_map(|(key, value)| format!("{key} = {value}\n")),
            key.clone().prop_map(|key| format!("[{key}]\n")),
            key.prop_map(|key| format!("[[ {key} ]]\n")),
            Just("# 1.1.1 [[[\n\n".to_owned()),
        ]
    }

    proptest! {
        /// A text that the parser accepts, and whose tree is not too deep, is refused for its
        /// length only.
        #[test]
        fn what_the_tree_allows_passes(lines in prop::collection::vec(line(), 0..6)) {
            let text = lines.concat();
            let tree = toml_edit::Document::parse(text.clone());
            if tree.is_ok_and(|tree| check_depth(tree.as_item()).is_ok()) {
                prop_assert_eq!(refusal(&text), None);
            }
        }

        #[test]
        fn random_text_does_not_panic(text in "[\\[\\]{}=.,'\"#\n a1]{0,400}") {
            let tree = toml_edit::Document::parse(text.clone());
            if tree.is_ok_and(|tree| check_depth(tree.as_item()).is_ok()) {
                prop_assert_eq!(refusal(&text), None);
            }
        }
    }
}
