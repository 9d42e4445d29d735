//! Assignments from the command line: the resulting text, or the whole text of the error.

use super::*;

/// The spec that values are assigned to, 11 lines long.
const SPEC: &str = r#"experiment = "study"
seed = 1

[params]
games = 5 # enough
start = [0.5, 0.25]

[params.judge]
games = 3

[[params.boards]]
name = "a"
width = 5
"#;

fn assign(set: &[&str]) -> String {
    let open = || {
        let mut document = SpecDocument::parse("study.toml", SPEC.as_bytes())?;
        for assignment in set {
            document = document.set(assignment)?;
        }
        document.head()?;
        document.params::<Study>(schema_of::<Study>())?;
        Ok(document)
    };
    open().map_or_else(|error: SpecError| error.to_string(), |document| changes(document.text()))
}

/// The lines of `text` that are not in [`SPEC`], each with its number.
fn changes(text: &str) -> String {
    let numbered = (1..).zip(text.lines());
    let changed = numbered.filter(|(_, line)| SPEC.lines().all(|known| known != *line));
    changed.map(|(n, line)| format!("{n} | {line}\n")).collect()
}

#[test]
fn one_assignment() {
    check_cases(include_str!("assignments.txt"), |assignment| assign(&[assignment]));
}

#[test]
fn assignments_are_made_one_after_the_other() {
    let wide = r#"judge.board={ name = "wide", width = 16 }"#;
    assert_eq!(
        assign(&[wide, "judge.board.width=15", "judge.board.name=15 wide", "games=7"]),
        "5 | games = 7 # enough\n10 | board = { name = \"15 wide\", width = 15 }\n"
    );
    assert_eq!(
        assign(&[wide, "judge.board.size.x=5"]),
        "judge.board.size.x=5: there is no judge.board.size; known are name, width"
    );
    assert_eq!(
        assign(&[wide, "judge.board.width=3", "torus=true"]),
        "judge.board.width=3: judge.board.width is 3, but must be an integer from 4 to 16"
    );
}

#[test]
fn long_assignments_are_cut_in_messages() {
    let long = format!("judge.boards={}\u{1b}[31m", "9".repeat(5000));
    let message = assign(&[&long]);
    let shown = format!("judge.boards={}...: there is no judge.boards", "9".repeat(87));
    assert!(message.starts_with(&shown), "{message}");
}

/// The place is also right if an assignment added a line above.
#[test]
fn mistakes_in_the_file_keep_their_place() {
    let text = with_params("games = 1\n[params.judge]\ngames = 0");
    let (set, mistake) = (["about=a line", "torus=true"], open(&text, &[]).unwrap_err());
    assert_eq!(mistake.place.as_ref().unwrap().line, 7);
    assert_eq!(open(&text, &set).unwrap_err(), mistake);
}

#[test]
fn a_spec_can_be_assigned_as_a_whole() {
    let set = ["experiment=study", "seed=1", "games=5", "judge.games=7"];
    let (assigned, written) = (open("", &set).unwrap(), open(&with_params("games = 5"), &[]));
    assert_eq!(assigned, written.unwrap());
}
