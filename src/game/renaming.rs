//! Texts of Pig under the name of another game.

use super::name::GameName;
use super::pig::{WordPlace, with_words};

/// Returns a file of Pig under the name of the game. Text about the dice game stays.
pub(super) fn renamed(text: &str, name: &GameName, crate_name: &str) -> String {
    with_words(text, |word, place| match (word, place) {
        ("hatchery_pig", _) => Some(crate_name.to_owned()),
        ("pig", WordPlace::WholeString) => Some(name.as_str().to_owned()),
        ("Pig", WordPlace::Code) => Some(name.type_name()),
        _ => match (word.strip_prefix("Pig"), word.strip_prefix("pig_")) {
            (Some(rest), _) if rest.starts_with(|c: char| c.is_ascii_uppercase()) => {
                Some(name.type_name() + rest)
            }
            (_, Some(rest)) => Some(format!("{}_{rest}", name.identifier())),
            _ => None,
        },
    })
}

/// Returns lines of another file that name Pig's crate and its folder, under the name of the game.
pub(super) fn renamed_lines(text: &str, name: &GameName) -> String {
    with_words(text, |word, _| match word {
        "pig" => Some(name.as_str().to_owned()),
        "hatchery_pig" => Some(format!("hatchery_{}", name.identifier())),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::pig;

    #[test]
    fn names_in_code_change_and_texts_stay() {
        let name = GameName::parse("tic-tac-toe").unwrap();
        let check = |text: &str, expected: &str| {
            assert_eq!(renamed(text, &name, "tic_tac_toe"), expected, "{text}");
        };
        check("impl Experiment for Pig {", "impl Experiment for TicTacToe {");
        check("pub struct PigPlayer;", "pub struct TicTacToePlayer;");
        check("/// A game of Pig.", "/// A game of Pig.");
        check("use hatchery_pig::{Pig, rules};", "use tic_tac_toe::{TicTacToe, rules};");
        check("experiment = \"pig\"", "experiment = \"tic-tac-toe\"");
        check("about = \"the game Pig, a pig\"", "about = \"the game Pig, a pig\"");
        check("fn pig_conforms() {", "fn tic_tac_toe_conforms() {");
        check("(\"a \\\n Pig\", Pig)", "(\"a \\\n Pig\", TicTacToe)");
    }

    #[test]
    fn no_name_of_pig_is_left_in_code() {
        let name = GameName::parse("checkers").unwrap();
        for (path, text) in pig::FILES {
            with_words(&renamed(text, &name, "checkers"), |word, place| {
                let is_left = place != WordPlace::Text && word.to_lowercase().contains("pig");
                assert!(!is_left, "{path}: {word}");
                None
            });
        }
    }
}
