//! The reader.

use std::iter::FusedIterator;

use super::values::{self, GgfResult, GgfText, Thousandths};
use super::{GgfGame, MoveNotes};
use crate::record::cursor::Cursor;
use crate::record::{RecordError, RecordField, RecordedGame};
use crate::rules::{DiscColor, MoveError, Position, PositionError, Square, color_of, shortened};

/// Reads all games of a file; white space may stand between them, and before a match the number of
/// its games, as servers write it.
///
/// # Errors
/// If brackets are not balanced, a property is missing, comes twice or has a wrong value, or a move
/// or pass is illegal. A result without `:r`, `:t` or `:s` must be that of the moves.
pub fn read(bytes: &[u8]) -> Result<Vec<GgfGame>, RecordError> {
    let numbered = (1..).zip(GgfGames::new(bytes));
    numbered.map(|(number, entry)| entry.game.map_err(|error| error.of("game", number))).collect()
}

/// The games of a file, one after the other. After a broken game, the next one follows.
#[derive(Clone, Debug)]
pub struct GgfGames<'a> {
    cursor: Cursor<'a>,
    /// The games that are left of a match whose number of games was given.
    n_left: u64,
    /// The line at `counted`, counted from 1.
    line: usize,
    /// The bytes whose ends of lines are counted.
    counted: usize,
}

/// A game of a file, or the error in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GgfEntry {
    /// The line that it begins in, counted from 1.
    pub line: usize,
    /// The game.
    pub game: Result<GgfGame, RecordError>,
}

impl<'a> GgfGames<'a> {
    /// Begins to read a file.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { cursor: Cursor::new(bytes), n_left: 0, line: 1, counted: 0 }
    }

    fn entry(&mut self, begin: Cursor<'a>, game: Result<GgfGame, RecordError>) -> GgfEntry {
        let n_bytes = begin.offset() - self.counted;
        let before = self.cursor.since(self.counted);
        self.line += before[..n_bytes].iter().filter(|&&byte| byte == b'\n').count();
        self.counted = begin.offset();
        GgfEntry { line: self.line, game }
    }
}

impl Iterator for GgfGames<'_> {
    type Item = GgfEntry;

    fn next(&mut self) -> Option<GgfEntry> {
        const MISSING: &str = "another game of the match, as the number before it says";
        self.cursor.skip_whitespace();
        let (n_missing, begin) = (std::mem::take(&mut self.n_left), self.cursor);
        let count = self.cursor.take_while(|byte| byte.is_ascii_digit());
        if n_missing != 0 && (self.cursor.peek().is_none() || !count.is_empty()) {
            // The number is read again for the match after it.
            self.cursor = begin;
            return Some(self.entry(begin, Err(begin.expected(MISSING))));
        }
        self.cursor.skip_whitespace();
        if self.cursor.peek().is_none() {
            let missing = begin.expected(MISSING);
            return (!count.is_empty()).then(|| self.entry(begin, Err(missing)));
        }
        let n_games = str::from_utf8(count).ok().and_then(|count| count.parse::<u64>().ok());
        let begin = self.cursor;
        let game = read_game(&mut self.cursor);
        if game.is_err() {
            skip_game(&mut self.cursor);
        }
        self.n_left = n_games.unwrap_or(n_missing).saturating_sub(1);
        Some(self.entry(begin, game))
    }
}

impl FusedIterator for GgfGames<'_> {}

/// Goes to the end of a broken game, or to the next game if it has no end.
fn skip_game(cursor: &mut Cursor<'_>) {
    let rest = cursor.rest();
    let ends = |at: &usize| rest[*at..].starts_with(b";)");
    let begins = |at: &usize| rest[*at..].starts_with(b"(;GM[");
    let found = (0..rest.len()).find(|at| ends(at) || begins(at));
    let n_bytes = found.map_or(rest.len(), |at| if ends(&at) { at + 2 } else { at });
    cursor.skip(n_bytes);
}

/// A property: `NAME[value]`.
#[derive(Clone, Copy)]
struct Property<'a> {
    name: &'a [u8],
    value: &'a [u8],
    /// The place of the value in the input.
    offset: usize,
}

fn read_game(cursor: &mut Cursor<'_>) -> Result<GgfGame, RecordError> {
    const BEGIN: &str = "a game, which begins with `(;`";
    cursor.expect(b'(', BEGIN)?;
    cursor.expect(b';', BEGIN)?;
    let mut draft = GameDraft::default();
    loop {
        cursor.skip_whitespace();
        if cursor.accept(b';') {
            cursor.expect(b')', "`)` after `;`, which ends a game")?;
            return draft.finish();
        }
        draft.add(read_property(cursor)?)?;
    }
}

fn read_property<'a>(cursor: &mut Cursor<'a>) -> Result<Property<'a>, RecordError> {
    let name = cursor.take_while(|byte| byte.is_ascii_uppercase());
    if name.is_empty() {
        return Err(cursor.expected("a property such as `PB[name]`, or `;)` after the last one"));
    }
    cursor.skip_whitespace();
    cursor.expect(b'[', "`[` after the name of a property")?;
    let offset = cursor.offset();
    let value = cursor.take_while(|byte| !matches!(byte, b'[' | b']'));
    cursor.expect(b']', "`]` after the value of a property")?;
    Ok(Property { name, value, offset })
}

/// The properties read so far.
#[derive(Default)]
struct GameDraft<'a> {
    texts: [Option<GgfText>; 7],
    is_othello: Option<()>,
    kind: Option<()>,
    /// The value of `RE`: its meaning depends on `KM`.
    result: Option<&'a [u8]>,
    komi: Option<Thousandths>,
    played: Option<PlayedMoves>,
}

/// The moves read so far.
struct PlayedMoves {
    game: RecordedGame,
    notes: Vec<MoveNotes>,
    /// The player whose move or pass comes next.
    turn: DiscColor,
    n_plies: usize,
}

/// The properties whose values are any text, in the order of [`GameDraft::texts`].
const TEXTS: [&[u8]; 7] = [b"PC", b"DT", b"PB", b"PW", b"RB", b"RW", b"TI"];

impl<'a> GameDraft<'a> {
    fn add(&mut self, property: Property<'a>) -> Result<(), RecordError> {
        let Property { name, value, offset } = property;
        if let Some(place) = TEXTS.iter().position(|text| *text == name) {
            let field = field(name).0;
            let text = str::from_utf8(value)
                .map_err(|_| values::field_error(&field, value, "UTF-8"))
                .and_then(|text| GgfText::new(&field, text))?;
            return once(&mut self.texts[place], text, property);
        }
        match name {
            b"GM" => {
                if !value.eq_ignore_ascii_case(b"othello") {
                    return Err(values::field_error("GM", value, "Othello"));
                }
                once(&mut self.is_othello, (), property)
            }
            b"TY" => {
                check_type(value)?;
                once(&mut self.kind, (), property)
            }
            b"KM" => once(&mut self.komi, Thousandths::read("KM", value)?, property),
            b"RE" => once(&mut self.result, value, property),
            b"BO" => {
                let start = read_board(value, offset)?;
                let game = RecordedGame::begin(start);
                let (notes, turn) = (Vec::new(), start.turn());
                once(&mut self.played, PlayedMoves { game, notes, turn, n_plies: 0 }, property)
            }
            b"B" => self.play(DiscColor::Black, property),
            b"W" => self.play(DiscColor::White, property),
            _ => Ok(()),
        }
    }

    fn play(&mut self, color: DiscColor, property: Property<'_>) -> Result<(), RecordError> {
        match &mut self.played {
            Some(played) => played.play(color, property),
            None => Err(RecordError::Missing { field: RecordField::new("BO before the moves") }),
        }
    }

    fn finish(self) -> Result<GgfGame, RecordError> {
        let missing = |name| RecordError::Missing { field: RecordField::new(name) };
        self.is_othello.ok_or_else(|| missing("GM"))?;
        let PlayedMoves { game, notes, .. } = self.played.ok_or_else(|| missing("BO"))?;
        let [place, date, black, white, black_rating, white_rating, time_limits] = self.texts;
        let read = GgfGame {
            place,
            date,
            black,
            white,
            black_rating,
            white_rating,
            time_limits,
            komi: self.komi,
            result: None,
            game,
            notes,
        };
        let result = GgfResult::read(self.result.unwrap_or_default(), self.komi)?;
        read.with_result(result)
    }
}

impl PlayedMoves {
    fn play(&mut self, color: DiscColor, property: Property<'_>) -> Result<(), RecordError> {
        self.n_plies += 1;
        let (ply, turn) = (self.n_plies, self.turn);
        if color != turn {
            return Err(RecordError::WrongTurn { ply, found: color, right: turn });
        }
        self.turn = turn.opponent();
        let mut parts = property.value.split(|&byte| byte == b'/');
        let played = parts.next().unwrap_or_default();
        let mut number = |name: &str| match parts.next() {
            None | Some([]) => Ok(None),
            Some(text) => Thousandths::read(&format!("{name} of ply {ply}"), text).map(Some),
        };
        let notes = MoveNotes { evaluation: number("evaluation")?, seconds: number("time")? };
        if parts.next().is_some() {
            return Err(values::field_error(
                "move",
                property.value,
                "a square, evaluation and time",
            ));
        }
        if [&b"pa"[..], b"pass"].iter().any(|pass| played.eq_ignore_ascii_case(pass)) {
            return self.pass(turn, ply);
        }
        let offset = property.offset;
        let square = Square::from_bytes(played).map_err(|source| RecordError::Square {
            ply,
            offset,
            source,
        })?;
        let to_move = self.game.last_position().turn();
        if to_move != turn {
            let source = MoveError::NoMove { square, turn };
            return Err(RecordError::Move { ply, source });
        }
        // Plies have passes here.
        self.game.push(square).map_err(|error| match error {
            RecordError::Move { source, .. } => RecordError::Move { ply, source },
            other => other,
        })?;
        self.notes.push(notes);
        Ok(())
    }

    /// Checks a pass of `turn`: games pass by themselves.
    fn pass(&self, turn: DiscColor, ply: usize) -> Result<(), RecordError> {
        let last = self.game.last_position();
        if last.turn() == turn {
            last.pass().map_err(|source| RecordError::Move { ply, source })?;
        }
        Ok(())
    }
}

/// Checks the type of a game: `s` for two games that are played at the same time, the size of the
/// board, and letters: `k` for komi, `r18` for a random start with 18 discs, `b` and `w` for the
/// color that a player prefers. NBoard writes 0 for the usual size.
fn check_type(value: &[u8]) -> Result<(), RecordError> {
    const RIGHT: &str = "8, 8r18 with a random start or 8k with komi, each also as a pair: s8r18";
    let mut cursor = Cursor::new(value);
    cursor.accept(b's');
    let size = cursor.take_while(|byte| byte.is_ascii_digit());
    cursor.take_while(|byte| b"kbwr".contains(&byte) || byte.is_ascii_digit());
    match matches!(size, b"8" | b"0") && cursor.rest().is_empty() {
        true => Ok(()),
        false => Err(values::field_error("TY", value, RIGHT)),
    }
}

/// Reads `8`, 64 cells and the player to move; white space may stand anywhere.
fn read_board(value: &[u8], offset: usize) -> Result<Position, RecordError> {
    let board = |source: PositionError| RecordError::Board { offset, source };
    let mut text: Vec<u8> = value.to_vec();
    text.retain(|byte| !byte.is_ascii_whitespace());
    let Some((b'8', rest)) = text.split_first() else {
        return Err(values::field_error("BO", value, "`8`, 64 cells and the player to move"));
    };
    let Some((&turn, cells)) = rest.split_last() else {
        return Err(board(PositionError::CellCount { found: 0 }));
    };
    let color = color_of(turn);
    let position = Position::from_cells(cells, color.unwrap_or(DiscColor::Black)).map_err(board)?;
    match color {
        Some(_) => Ok(position),
        None => Err(board(PositionError::Turn { found: shortened(&[turn]) })),
    }
}

fn field(name: &[u8]) -> RecordField {
    RecordField(shortened(name))
}

/// Fills a place that is still empty.
fn once<T>(place: &mut Option<T>, value: T, property: Property<'_>) -> Result<(), RecordError> {
    if place.is_some() {
        let Property { name, offset, .. } = property;
        return Err(RecordError::Twice { offset, field: field(name) });
    }
    *place = Some(value);
    Ok(())
}
