//! The name of a new game, and the names of its crate and its types.

use crate::program::catalog;

use super::pig;

/// The longest name: it is a word in tables and in the names of types.
const MAX_NAME_BYTES: usize = 32;

/// The words of Rust, which name nothing else.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The crates that a game's crate can see, and the names that cargo allows no program.
const RESERVED: &[&str] = &[
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "incremental",
    "proc-macro",
    "schemars",
    "serde",
    "std",
    "test",
];

/// The reason why a game cannot have a name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NameError {
    #[error(
        "use 1 to {MAX_NAME_BYTES} lower-case letters, digits and single hyphens, a letter first, \
         such as tic-tac-toe"
    )]
    Form,
    #[error("it is a word of Rust: choose another name, such as {0}-game")]
    Keyword(String),
    #[error(
        "a crate that the game depends on, or a folder of cargo, has this name: choose another"
    )]
    Reserved,
    #[error("hatchery has an experiment with this name: choose another, such as my-{0}")]
    Experiment(String),
    #[error("the code of the game uses the name {0} already: choose another, such as {1}-game")]
    Type(String, String),
}

/// A name for an experiment and its crate, such as `tic-tac-toe`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GameName(String);

impl GameName {
    /// Checks a name.
    ///
    /// # Errors
    ///
    /// Fails if the name has another form, or is taken.
    pub(crate) fn parse(text: &str) -> Result<Self, NameError> {
        let is_part = |part: &str| {
            let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
            !part.is_empty() && part.bytes().all(plain)
        };
        let starts = text.starts_with(|c: char| c.is_ascii_lowercase());
        if !starts || MAX_NAME_BYTES < text.len() || !text.split('-').all(is_part) {
            return Err(NameError::Form);
        }
        let name = Self(text.to_owned());
        if KEYWORDS.contains(&text) {
            return Err(NameError::Keyword(text.to_owned()));
        }
        if RESERVED.contains(&text) || text.starts_with("hatchery") {
            return Err(NameError::Reserved);
        }
        if catalog().find(text).is_some() {
            return Err(NameError::Experiment(text.to_owned()));
        }
        match pig::uses_type(&name.type_name()) {
            true => Err(NameError::Type(name.type_name(), text.to_owned())),
            false => Ok(name),
        }
    }

    /// Returns the name as text, such as `tic-tac-toe`.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name as an identifier, such as `tic_tac_toe`.
    pub(super) fn identifier(&self) -> String {
        self.0.replace('-', "_")
    }

    /// Returns the name of a type, such as `TicTacToe`.
    pub(super) fn type_name(&self) -> String {
        let capital = |part: &str| part[..1].to_ascii_uppercase() + &part[1..];
        self.0.split('-').map(capital).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_crates_and_of_nothing_else() {
        let name = GameName::parse("tic-tac-2").unwrap();
        assert_eq!((&*name.identifier(), &*name.type_name()), ("tic_tac_2", "TicTac2"));
        for text in ["checkers", "piglet", "players", "x", &"x".repeat(MAX_NAME_BYTES)] {
            assert_eq!(GameName::parse(text).as_ref().map(GameName::as_str), Ok(text));
        }
        let too_long = "x".repeat(MAX_NAME_BYTES + 1);
        for text in [
            "", "-", "2048", "Go", "tic_tac", "tic--tac", "-x", "x-", "a b", "../x", "é", &too_long,
        ] {
            assert_eq!(GameName::parse(text), Err(NameError::Form), "{text:?}");
        }
        let text = |name: &str| name.to_owned();
        assert_eq!(GameName::parse("match"), Err(NameError::Keyword(text("match"))));
        assert_eq!(GameName::parse("pig"), Err(NameError::Experiment(text("pig"))));
        for name in ["serde", "core", "hatchery-core", "build"] {
            assert_eq!(GameName::parse(name), Err(NameError::Reserved), "{name}");
        }
        for name in ["tally", "work", "plan", "option", "experiment"] {
            let refused = GameName::parse(name);
            assert!(matches!(refused, Err(NameError::Type(..))), "{name}: {refused:?}");
        }
    }
}
