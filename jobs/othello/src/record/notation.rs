//! Notations that are known by their look, and are not those of moves.

use super::RecordError;
use crate::rules::Position;

/// The forms of a game in a text.
const GAMES: &str = "games are transcripts such as `f5d6c3`, GGF or WTHOR";

/// Returns the error that names the notation of a text which is no transcript; `None` if its look
/// is unknown.
pub(super) fn named(text: &[u8]) -> Option<RecordError> {
    let text = text.trim_ascii();
    let found = match () {
        () if is_compressed(text) => {
            let right = "unpack it first";
            return Some(RecordError::Notation { found: "a compressed file", right });
        }
        () if text.starts_with(b"(;") => "GGF, and more than moves",
        () if is_board(text) => "a board as servers show it (GGS), not a game",
        () if is_position(text) => "a position, as OBF has it, not a game",
        () if text.starts_with(b"[") => "a tag of PGN, not a game",
        () if are_numbers(text) => "moves as numbers",
        () => return None,
    };
    Some(RecordError::Notation { found, right: GAMES })
}

/// Returns true for the first bytes of gzip, bzip2, zip, xz and 7z.
fn is_compressed(text: &[u8]) -> bool {
    const MAGIC: [&[u8]; 5] = [b"\x1f\x8b", b"BZh", b"PK\x03\x04", b"\xfd7zXZ", b"7z\xbc\xaf"];
    MAGIC.iter().any(|magic| text.starts_with(magic))
}

/// Returns true if the first line has the names of the columns, and nothing else, or if it is a row
/// of a board: its number and eight cells.
fn is_board(text: &[u8]) -> bool {
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let shown = |byte: &u8| !byte.is_ascii_whitespace() && *byte != b'|';
    let line: Vec<u8> = line.iter().copied().filter(shown).collect();
    let is_row = |row: &[u8]| row.len() == 8 && row.iter().all(|&byte| is_cell(byte));
    line.eq_ignore_ascii_case(b"abcdefgh")
        || match &line[..] {
            [b'1'..=b'8', row @ .., b'1'..=b'8'] if is_row(row) => true,
            [b'1'..=b'8', row @ ..] => is_row(row),
            _ => false,
        }
}

fn is_position(text: &[u8]) -> bool {
    let n_cells = text.iter().take_while(|&&byte| is_cell(byte)).count();
    n_cells == Position::N_CELLS
}

fn is_cell(byte: u8) -> bool {
    b"-.*@_XxOo".contains(&byte)
}

/// Returns true if all moves are numbers, such as `56 64 33`.
fn are_numbers(text: &[u8]) -> bool {
    let mut words = text.split(|byte| byte.is_ascii_whitespace() || *byte == b',');
    let is_number = |word: &[u8]| word.iter().all(u8::is_ascii_digit);
    text.iter().filter(|byte| byte.is_ascii_digit()).count() > 1 && words.all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notations_are_known_by_their_look() {
        let check = |text: &[u8], expected: &str| {
            let found = named(text).map_or_else(String::new, |error| error.to_string());
            assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{found}");
        };
        check(b"BZh91AY&SY", "a compressed file; unpack it first");
        check(b"(;GM[Othello];)", "GGF");
        check(b"   A B C D E F G H\n 1 - - - - - - - - 1\n", "a board as servers show it");
        check(b" 4 |- - - O * - - -", "a board as servers show it");
        check("-".repeat(64).as_bytes(), "a position, as OBF has it");
        check(b"[Event \"a\"]", "a tag of PGN");
        check(b"56, 64, 33", "moves as numbers");
        check(b"f5d6", "");
        check(b"", "");
    }
}
