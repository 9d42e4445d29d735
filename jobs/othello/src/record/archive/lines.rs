//! Games in the lines of a text.

use super::archived::{ArchivedGame, GamePlace};
use crate::record::{RecordError, notation, transcript};
use crate::rules::{Position, shortened};

/// The lines of a game: its tags, then its moves.
#[derive(Default)]
pub(super) struct GameLines<'a> {
    /// The first line, counted from 1.
    pub(super) line: usize,
    tags: Vec<(&'a [u8], &'a [u8])>,
    moves: Vec<&'a [u8]>,
}

/// Returns the games of a text, one after the other. A line that begins with `#` or `%` is a
/// comment.
pub(super) fn games(text: &[u8]) -> impl Iterator<Item = GameLines<'_>> {
    let lines = (1..).zip(text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii));
    let is_read = |(_, line): &(usize, &[u8])| !matches!(line.first(), None | Some(b'#' | b'%'));
    let mut lines = lines.filter(is_read).peekable();
    std::iter::from_fn(move || {
        let mut game = GameLines::default();
        while let Some((line, text)) = lines.next_if(|(_, text)| game.takes(text)) {
            if game.line == 0 {
                game.line = line;
            }
            match tag(text) {
                Some(tag) => game.tags.push(tag),
                None => game.moves.push(text),
            }
        }
        (game.line != 0).then_some(game)
    })
}

impl<'a> GameLines<'a> {
    /// Returns true if the line belongs to the game: each tag once, and then the moves in lines of
    /// which all but the first begin with the number of a later move, or with the discs at the end.
    fn takes(&self, line: &[u8]) -> bool {
        if self.moves.is_empty() {
            let is_other = |(name, _)| self.tags.iter().all(|(known, _)| *known != name);
            return tag(line).is_none_or(is_other);
        }
        let n_digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = line.split_at(n_digits);
        !matches!(number, b"" | b"1") && matches!(rest.first(), Some(b'.' | b'-'))
    }

    /// Returns the value of the tag `name`; empty without it.
    fn text(&self, name: &[u8]) -> Result<&'a str, RecordError> {
        let found = self.tags.iter().find(|(found, _)| *found == name);
        let value = found.map_or(&b""[..], |(_, value)| *value);
        str::from_utf8(value).map_err(|_| {
            let name = String::from_utf8_lossy(name);
            RecordError::field(&name, &shortened(value), "UTF-8")
        })
    }

    pub(super) fn read(self, place: GamePlace) -> Result<ArchivedGame, RecordError> {
        let moves = self.moves.join(&b' ');
        let game = transcript::read(&moves, Position::START)?;
        if let (true, Some(named)) = (game.moves().is_empty(), notation::named(&moves)) {
            return Err(named);
        }
        let event = [self.text(b"Event")?, self.text(b"Date")?].join(" ").trim().to_owned();
        let (black, white) = (self.text(b"Black")?, self.text(b"White")?);
        Ok(ArchivedGame { place, black: black.into(), white: white.into(), event, game })
    }
}

/// Returns the name and the value of a tag of PGN: `[Black "Ann"]`.
fn tag(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let inner = line.strip_prefix(b"[")?.strip_suffix(b"\"]")?;
    let quote = inner.iter().position(|&byte| byte == b'"')?;
    let (name, value) = inner.split_at(quote);
    Some((name.trim_ascii(), &value[1..]))
}
