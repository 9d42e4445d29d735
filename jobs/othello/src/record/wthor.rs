//! WTHOR, the database of tournament games: files `.wtb`.
//!
//! ```text
//! byte  0  century, year, month, day of the file     1 byte each
//!       4  number of games                           4 bytes, the lowest first
//!       8  number of players or tournaments, 0 here  2 bytes
//!      10  year of the games                         2 bytes
//!      12  size of the board, type, depth, reserved  1 byte each
//!      16  games of 68 bytes:
//!          0  tournament, black, white               2 bytes each: numbers in other files
//!          6  black discs at the end                 1 byte, empty squares to the winner
//!          7  the same if both had played perfectly in the last `depth` plies
//!          8  60 moves                               10 x row + column, both from 1; then zeros
//! ```
//!
//! The names of players (`.JOU`) and tournaments (`.TRN`) are in files with the same header, whose
//! number of records is at byte 8, and a record for each name: 20 or 26 bytes in Latin-1, filled up
//! with zeros.
//!
//! Passes are left out. Games may be unfinished. Files of solitaires have another layout behind the
//! header, and are refused by their type. Sources: the fields as Edax reads them (`src/base.h`,
//! `src/game.h`) and the page on the format in the documentation of Reversi.jl.

use super::{RecordError, RecordedGame};
use crate::rules::{Position, Square};

/// Bytes of the header.
const HEADER_BYTES: usize = 16;

/// Bytes of a game.
const GAME_BYTES: usize = 68;

/// The number of moves for which a game has room: as many as a game can have.
const MAX_MOVES: usize = 60;

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WthorFile {
    /// The header, except for the number of games.
    pub header: WthorHeader,
    /// The games.
    pub games: Vec<WthorGame>,
}

/// The header of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WthorHeader {
    /// Century, year, month and day on which the file was made.
    pub date: [u8; 4],
    /// The number of players or tournaments; 0 in files of games.
    pub n_names: u16,
    /// The year of the games.
    pub game_year: u16,
    /// The number of empty squares from which the theoretical scores count.
    pub depth: u8,
}

/// A game of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WthorGame {
    /// The number of the tournament.
    pub tournament: u16,
    /// The number of the black player.
    pub black: u16,
    /// The number of the white player.
    pub white: u16,
    /// Black's discs at the end, in 0 ..= 64, with the empty squares if it won. It need not be that
    /// of the moves: games are also decided by time.
    pub black_discs: u8,
    /// Black's discs, in 0 ..= 64, if both had played the end perfectly.
    pub theoretical_discs: u8,
    game: RecordedGame,
}

impl WthorGame {
    /// Returns a game with all numbers 0.
    ///
    /// # Errors
    /// If it does not begin at the start of the game: the format has no other.
    pub fn new(game: RecordedGame) -> Result<Self, RecordError> {
        if *game.start() != Position::START {
            return Err(RecordError::field("start", game.start(), "the start of the game"));
        }
        let (tournament, black, white) = (0, 0, 0);
        Ok(Self { tournament, black, white, black_discs: 0, theoretical_discs: 0, game })
    }

    /// Returns the moves.
    #[must_use]
    pub fn game(&self) -> &RecordedGame {
        &self.game
    }
}

/// Reads a file.
///
/// # Errors
/// If the size does not fit the number of games, the board is not 8 by 8, or a game is not one.
pub fn read(bytes: &[u8]) -> Result<WthorFile, RecordError> {
    let (header, games) = games(bytes)?;
    let numbered = (1..).zip(games);
    let games = numbered.map(|(number, game)| game.map_err(|error| error.of("game", number)));
    Ok(WthorFile { header, games: games.collect::<Result<_, _>>()? })
}

/// Returns the header of a file and its games, where an error stands in place of a broken game.
///
/// # Errors
/// If the size does not fit the number of games, or the board is not 8 by 8.
pub fn games(
    bytes: &[u8],
) -> Result<(WthorHeader, impl Iterator<Item = Result<WthorGame, RecordError>>), RecordError> {
    let Some((header, rest)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
        return Err(file_size(bytes.len(), 0));
    };
    let &[century, year, month, day, g0, g1, g2, g3, n0, n1, y0, y1, board, kind, depth, _] =
        header;
    let n_games = u64::from(u32::from_le_bytes([g0, g1, g2, g3]));
    let (records, odd_bytes) = rest.as_chunks::<GAME_BYTES>();
    if !odd_bytes.is_empty() || records.len() as u64 != n_games {
        return Err(file_size(bytes.len(), n_games));
    }
    // 0 in old files.
    if !matches!(board, 0 | 8) {
        return Err(RecordError::field("board size", &board, "8, or 0 for 8"));
    }
    if kind != 0 {
        return Err(RecordError::field("type", &kind, "0, a file of games"));
    }
    let header = WthorHeader {
        date: [century, year, month, day],
        n_names: u16::from_le_bytes([n0, n1]),
        game_year: u16::from_le_bytes([y0, y1]),
        depth,
    };
    let games = records
        .iter()
        .enumerate()
        .map(|(place, record)| read_game(record, HEADER_BYTES + GAME_BYTES * place));
    Ok((header, games))
}

/// The names that a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WthorNames {
    /// Players: `WTHOR.JOU`.
    Players,
    /// Tournaments: `WTHOR.TRN`.
    Tournaments,
}

impl WthorNames {
    /// Returns what the names are of, in the plural, and the number of bytes of each.
    const fn record(self) -> (&'static str, usize) {
        match self {
            Self::Players => ("players", 20),
            Self::Tournaments => ("tournaments", 26),
        }
    }

    /// Reads a file of names. Games name their players and tournaments by the place in it, counted
    /// from 0.
    ///
    /// # Errors
    /// If the size does not fit the number of names.
    pub fn read(self, bytes: &[u8]) -> Result<Vec<String>, RecordError> {
        let (what, each) = self.record();
        let header = bytes.first_chunk::<HEADER_BYTES>();
        let n = header.map_or(0, |header| u16::from_le_bytes([header[8], header[9]]));
        let right = HEADER_BYTES + each * usize::from(n);
        if header.is_none() || bytes.len() != right {
            let (found, each, right) = (bytes.len(), each as u64, right as u64);
            return Err(RecordError::FileSize { found, what, each, n: n.into(), right });
        }
        Ok(bytes[HEADER_BYTES..].chunks(each).map(latin_name).collect())
    }
}

/// Returns the name in a record.
fn latin_name(record: &[u8]) -> String {
    let len = record.iter().position(|&byte| byte == 0).unwrap_or(record.len());
    let name: String = record[..len].iter().copied().map(char::from).collect();
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn read_game(record: &[u8; GAME_BYTES], offset: usize) -> Result<WthorGame, RecordError> {
    let &[t0, t1, b0, b1, w0, w1, black_discs, theoretical_discs, ref moves @ ..] = record;
    for (name, discs) in [("black's score", black_discs), ("theoretical score", theoretical_discs)]
    {
        if 64 < discs {
            return Err(RecordError::field(name, &discs, "at most 64"));
        }
    }
    let mut game = RecordedGame::begin(Position::START);
    let len = moves.iter().position(|&code| code == 0).unwrap_or(MAX_MOVES);
    for (place, &code) in moves.iter().enumerate() {
        let (row, column) = (code / 10, code % 10);
        let square = Square::at(column.wrapping_sub(1), row.wrapping_sub(1));
        match square {
            None if len <= place && code == 0 => {}
            Some(square) if place < len => game.push(square)?,
            _ => {
                let right = if place < len {
                    "a move: 10 x row + column, both 1 to 8"
                } else {
                    "0 after the last move"
                };
                let found = code.to_string();
                let offset = offset + GAME_BYTES - MAX_MOVES + place;
                return Err(RecordError::Expected { offset, found, right });
            }
        }
    }
    Ok(WthorGame {
        tournament: u16::from_le_bytes([t0, t1]),
        black: u16::from_le_bytes([b0, b1]),
        white: u16::from_le_bytes([w0, w1]),
        black_discs,
        theoretical_discs,
        game,
    })
}

/// Writes a file.
///
/// # Errors
/// If a score is above 64, or there are more than `u32::MAX` games.
pub fn write(file: &WthorFile) -> Result<Vec<u8>, RecordError> {
    let WthorHeader { date, n_names, game_year, depth } = file.header;
    let n_games = u32::try_from(file.games.len()).map_err(|_| {
        RecordError::field("number of games", &file.games.len(), "at most 4294967295")
    })?;
    let mut bytes = Vec::with_capacity(HEADER_BYTES + GAME_BYTES * file.games.len());
    bytes.extend(date);
    bytes.extend(n_games.to_le_bytes());
    bytes.extend(n_names.to_le_bytes());
    bytes.extend(game_year.to_le_bytes());
    bytes.extend([8, 0, depth, 0]);
    for (place, game) in file.games.iter().enumerate() {
        let discs = [game.black_discs, game.theoretical_discs];
        if let Some(&discs) = discs.iter().find(|discs| 64 < **discs) {
            return Err(RecordError::field("score", &discs, "at most 64").of("game", place + 1));
        }
        for number in [game.tournament, game.black, game.white] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(discs);
        let moves = game.game.moves().iter();
        bytes.extend(moves.map(|square| 10 * (square.row() + 1) + square.column() + 1));
        bytes.resize(HEADER_BYTES + GAME_BYTES * (place + 1), 0);
    }
    Ok(bytes)
}

fn file_size(found: usize, games: u64) -> RecordError {
    let right = HEADER_BYTES as u64 + GAME_BYTES as u64 * games;
    let (what, each) = ("games", GAME_BYTES as u64);
    RecordError::FileSize { found, what, each, n: games, right }
}
