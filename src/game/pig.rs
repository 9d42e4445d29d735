//! The files of the dice game Pig, and the words in them.

/// The files of the dice game Pig below its folder.
pub(super) const FILES: &[(&str, &str)] = &[
    ("specs/quick.toml", include_str!("../../jobs/pig/specs/quick.toml")),
    ("specs/smoke.toml", include_str!("../../jobs/pig/specs/smoke.toml")),
    ("src/experiment.rs", include_str!("../../jobs/pig/src/experiment.rs")),
    ("src/lib.rs", include_str!("../../jobs/pig/src/lib.rs")),
    ("src/rules.rs", include_str!("../../jobs/pig/src/rules.rs")),
    ("src/wire.rs", include_str!("../../jobs/pig/src/wire.rs")),
    ("tests/pig.rs", include_str!("../../jobs/pig/tests/pig.rs")),
];

/// The manifest of Pig's crate.
pub(super) const MANIFEST: &str = include_str!("../../jobs/pig/Cargo.toml");

/// The place of a word in Rust code, or in TOML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordPlace {
    Code,
    /// A string of this word alone.
    WholeString,
    /// A string or a comment.
    Text,
}

/// Returns whether the code of the game uses this name for something that Pig does not define.
pub(super) fn uses_type(type_name: &str) -> bool {
    let mut is_used = false;
    for (_, text) in FILES {
        with_words(text, |word, place| {
            is_used |= place == WordPlace::Code && word == type_name;
            None
        });
    }
    is_used
}

/// Returns `text` with other words in place of the words for which `other` returns one.
pub(super) fn with_words(
    text: &str,
    mut other: impl FnMut(&str, WordPlace) -> Option<String>,
) -> String {
    let is_in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut changed = String::with_capacity(text.len());
    let mut in_string = false;
    for line in text.split_inclusive('\n') {
        let is_comment = line.trim_start().starts_with("//");
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let end = match is_in_word(first) {
                true => rest.find(|c| !is_in_word(c)).unwrap_or(rest.len()),
                false => first.len_utf8(),
            };
            let (word, after) = rest.split_at(end);
            let is_whole = in_string && changed.ends_with('"') && after.starts_with('"');
            let place = match (is_comment, in_string) {
                (true, _) => WordPlace::Text,
                (false, false) => WordPlace::Code,
                (false, true) if is_whole => WordPlace::WholeString,
                (false, true) => WordPlace::Text,
            };
            in_string ^= !is_comment && word == "\"";
            changed.push_str(other(word, place).as_deref().unwrap_or(word));
            rest = after;
        }
    }
    changed
}
