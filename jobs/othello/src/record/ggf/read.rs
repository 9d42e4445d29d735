//! The reader.

use super::values::{self, GgfResult, GgfText, Thousandths};
use super::{GgfGame, MoveNotes};
use crate::record::cursor::Cursor;
use crate::record::{RecordError, RecordField, RecordedGame};
use crate::rules::{DiscColor, MoveError, Position, PositionError, Square, color_of, shortened};

/// Reads all games of a file; white space may stand between them.
///
/// # Errors
/// If brackets are not balanced, a property is missing, comes twice or has a wrong value, or a move
/// or pass is illegal. A result without `:r`, `:t` or `:s` must be that of the moves.
pub fn read(bytes: &[u8]) -> Result<Vec<GgfGame>, RecordError> {
    let mut cursor = Cursor::new(bytes);
    let mut games = Vec::new();
    cursor.skip_whitespace();
    while cursor.peek().is_some() {
        let game = read_game(&mut cursor).map_err(|error| error.of("game", games.len() + 1))?;
        games.push(game);
        cursor.skip_whitespace();
    }
    Ok(games)
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
struct GameDraft {
    texts: [Option<GgfText>; 7],
    is_othello: Option<()>,
    kind: Option<()>,
    result: Option<Option<GgfResult>>,
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

impl GameDraft {
    fn add(&mut self, property: Property<'_>) -> Result<(), RecordError> {
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
                if value != b"8" && !value.starts_with(b"8r") {
                    return Err(values::field_error("TY", value, "8, or 8r for random starts"));
                }
                once(&mut self.kind, (), property)
            }
            b"RE" => once(&mut self.result, GgfResult::read(value)?, property),
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
            result: None,
            game,
            notes,
        };
        read.with_result(self.result.flatten())
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
