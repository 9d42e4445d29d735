//! Archives: files with any number of games, of which some may be broken.
//!
//! A broken game does not lose the file: the archive counts it and keeps the first few errors, each
//! with the file, the number of the game and its line. Files are WTHOR if their names end in `.wtb`
//! (with the names of `.jou` and `.trn` beside them), and otherwise GGF or lines of transcripts. A
//! transcript takes several lines where later lines begin with the number of a move, and it has the
//! players and the event of the tags of PGN before it, such as `[Black "Ann"]`.

mod archived;
mod lines;

use std::sync::Arc;

use hatchery_core::error_chain;
use hatchery_core::spec::{FileFault, RawFile};
use hatchery_core::text::{counted, grouped};

use super::ggf::{GgfGame, GgfGames, GgfText};
use super::wthor::{self, WthorGame, WthorNames};
use super::{RecordError, notation};

pub use archived::{ArchivedGame, GamePlace};

/// The games of one or more files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameArchive {
    games: Vec<ArchivedGame>,
    n_skipped: usize,
    /// The first errors.
    skipped: Vec<(GamePlace, RecordError)>,
}

/// The errors of skipped games that are kept.
const MAX_ERRORS: usize = 5;

impl GameArchive {
    /// The most games of an archive: some 100 MB.
    pub const MAX_GAMES: usize = 300_000;

    /// Reads the games of a text: GGF, or transcripts.
    ///
    /// # Errors
    /// If no game can be read, or there are too many.
    pub fn of_text(text: &[u8]) -> Result<Self, RecordError> {
        let mut archive = Self::default();
        archive.add_text(None, text)?;
        archive.has_games(None)?;
        Ok(archive)
    }

    /// Reads the games of files, in the order of the files.
    ///
    /// # Errors
    /// If a file has no game that can be read or not the size that its format says, or if there are
    /// too many games. The fault names the file.
    pub fn of_files(files: &[RawFile]) -> Result<Self, FileFault> {
        let mut archive = Self::default();
        let [players, tournaments] =
            [("jou", WthorNames::Players), ("trn", WthorNames::Tournaments)]
                .map(|(ending, names)| names_of(files, ending, names));
        let (players, tournaments) = (players?, tournaments?);
        for file in files {
            let fault =
                |error: &RecordError| FileFault::whole(error_chain(error)).in_file(&file.name);
            let name: Arc<str> = file.name.as_str().into();
            let n_before = archive.games.len();
            let read = if has_ending(file, "wtb") {
                archive.add_wthor(&name, &file.bytes, [&players, &tournaments])
            } else if has_ending(file, "jou") || has_ending(file, "trn") {
                continue;
            } else {
                let decoded = file.text();
                let text = decoded.as_ref().map_or(&file.bytes[..], |it| it.text.as_bytes());
                let read = archive.add_text(Some(&name), text);
                if let (Err(encoding), true) = (decoded, archive.games.len() == n_before) {
                    return match notation::named(&file.bytes) {
                        Some(named) => Err(fault(&named)),
                        None => Err(encoding.in_file(&file.name)),
                    };
                }
                read
            };
            read.map_err(|error| fault(&error))?;
            if archive.games.len() == n_before && !file.bytes.is_empty() {
                archive.has_games(Some(&name)).map_err(|error| fault(&error))?;
            }
        }
        archive.has_games(None).map_err(|error| FileFault::whole(error_chain(&error)))?;
        Ok(archive)
    }

    /// Returns the games that were read.
    #[must_use]
    pub fn games(&self) -> &[ArchivedGame] {
        &self.games
    }

    /// Returns the number of games that were skipped.
    #[must_use]
    pub fn n_skipped(&self) -> usize {
        self.n_skipped
    }

    /// Says how many games were skipped, and why, such as `skipped 2 of 1,204 games: game 17 (line
    /// 17): ...`; `None` if all were read.
    #[must_use]
    pub fn skipped(&self) -> Option<String> {
        if self.n_skipped == 0 {
            return None;
        }
        let all = counted(self.n_skipped + self.games.len(), "game");
        let shown =
            self.skipped.iter().map(|(place, error)| format!("{place}: {}", error_chain(error)));
        let shown = shown.collect::<Vec<_>>().join("; ");
        let more = match self.n_skipped - self.skipped.len() {
            0 => String::new(),
            more => format!("; and {} more", grouped(more)),
        };
        Some(format!("skipped {} of {all}: {shown}{more}", grouped(self.n_skipped)))
    }

    /// Adds the games of GGF or of transcripts.
    fn add_text(&mut self, file: Option<&Arc<str>>, text: &[u8]) -> Result<(), RecordError> {
        let place = |number, line| GamePlace { file: file.cloned(), number, line: Some(line) };
        if is_ggf(text) {
            for (number, entry) in (1..).zip(GgfGames::new(text)) {
                let place = place(number, entry.line);
                let game = entry.game.map(|game| ggf_game(place.clone(), &game));
                self.add(place, game)?;
            }
            return Ok(());
        }
        for (number, found) in (1..).zip(lines::games(text)) {
            let place = place(number, found.line);
            let game = found.read(place.clone());
            self.add(place, game)?;
        }
        Ok(())
    }

    /// Adds the games of WTHOR, where `names` has the names of players and tournaments.
    fn add_wthor(
        &mut self,
        file: &Arc<str>,
        bytes: &[u8],
        names: [&[String]; 2],
    ) -> Result<(), RecordError> {
        let (header, games) = wthor::games(bytes)?;
        for (number, game) in (1..).zip(games) {
            let place = GamePlace { file: Some(file.clone()), number, line: None };
            let game = game.map(|game| wthor_game(place.clone(), &game, header.game_year, names));
            self.add(place, game)?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        place: GamePlace,
        game: Result<ArchivedGame, RecordError>,
    ) -> Result<(), RecordError> {
        let game = game.and_then(|game| match game.game.moves() {
            [] => Err(RecordError::NoMoves),
            _ => Ok(game),
        });
        match game {
            Ok(game) => self.games.push(game),
            Err(error) => {
                self.n_skipped += 1;
                if self.skipped.len() < MAX_ERRORS {
                    self.skipped.push((place, error));
                }
            }
        }
        match Self::MAX_GAMES < self.games.len() {
            true => Err(RecordError::TooManyGames { most: Self::MAX_GAMES }),
            false => Ok(()),
        }
    }

    /// Checks that there are games, or returns the first error of `file`.
    fn has_games(&self, file: Option<&Arc<str>>) -> Result<(), RecordError> {
        if file.is_none() && !self.games.is_empty() {
            return Ok(());
        }
        let of_file =
            |(place, _): &&(GamePlace, RecordError)| file.is_none() || place.file.as_ref() == file;
        let mut skipped = self.skipped.iter().filter(of_file);
        match skipped.next() {
            Some((GamePlace { line, number, .. }, error)) => {
                let error = match line {
                    Some(line) => error.clone().of("line", *line),
                    None => error.clone().of("game", *number),
                };
                Err(match skipped.next() {
                    None => error,
                    Some(_) => RecordError::NoneReadable { first: Box::new(error) },
                })
            }
            None => Err(RecordError::NoGames),
        }
    }
}

/// Returns the names of the files with this ending.
fn names_of(files: &[RawFile], ending: &str, names: WthorNames) -> Result<Vec<String>, FileFault> {
    let Some(file) = files.iter().find(|file| has_ending(file, ending)) else {
        return Ok(Vec::new());
    };
    let fault = |error| FileFault::whole(error_chain(&error)).in_file(&file.name);
    names.read(&file.bytes).map_err(fault)
}

fn has_ending(file: &RawFile, ending: &str) -> bool {
    let found = file.name.rsplit_once('.').map_or("", |(_, ending)| ending);
    found.eq_ignore_ascii_case(ending)
}

/// Returns true if a text has a game in GGF, or begins as one.
fn is_ggf(text: &[u8]) -> bool {
    const BEGIN: &[u8] = b"(;GM[";
    text.trim_ascii_start().starts_with(b"(;") || text.windows(BEGIN.len()).any(|it| it == BEGIN)
}

fn ggf_game(place: GamePlace, ggf: &GgfGame) -> ArchivedGame {
    let text = |it: &Option<GgfText>| it.as_ref().map_or("", GgfText::as_str).trim().to_owned();
    let event = [text(&ggf.place), text(&ggf.date)].join(" ").trim().to_owned();
    let (black, white) = (text(&ggf.black), text(&ggf.white));
    ArchivedGame { place, black, white, event, game: ggf.game().clone() }
}

fn wthor_game(
    place: GamePlace,
    game: &WthorGame,
    year: u16,
    [players, tournaments]: [&[String]; 2],
) -> ArchivedGame {
    let name = |names: &[String], what: &str, number: u16| match names.get(usize::from(number)) {
        Some(name) => name.clone(),
        None => format!("{what} {number}"),
    };
    let tournament = name(tournaments, "tournament", game.tournament);
    ArchivedGame {
        place,
        black: name(players, "player", game.black),
        white: name(players, "player", game.white),
        event: if year == 0 { tournament } else { format!("{tournament} {year}") },
        game: game.game().clone(),
    }
}
