//! Openings in specs.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hatchery_core::spec::{FileFault, FileList, FromFile, SpecFile};
use hatchery_core::{InvalidValue, error_chain};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::archive_param::{self, ArchiveParam, shown};
use crate::players::is_over;
use crate::record::{RecordedGame, obf, transcript};
use crate::rules::Position;
use crate::trial::opening::{OpeningMessage, OpeningRule};

/// The openings that pairs of games begin with, such as `{ kind = "games", games = ["f5d6c3"] }`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum OpeningParam {
    /// Random moves from the start: as many as drawn from a range.
    Random {
        /// The smallest number of moves.
        #[serde(default = "min_plies")]
        #[schemars(range(min = 0, max = 8))]
        min_plies: u32,
        /// The largest number of moves.
        #[serde(default = "max_plies")]
        #[schemars(range(min = 0, max = 8))]
        max_plies: u32,
    },
    /// The start of the game.
    Start,
    /// Any of these beginnings of games, all with the same probability.
    Games {
        /// Transcripts from the start, such as `"f5d6c3"`: a letter and a digit for each move,
        /// without passes.
        #[schemars(length(min = 1, max = 10_000))]
        games: FileList<GameText>,
    },
    /// Any of these positions, all with the same probability.
    Positions {
        /// 64 cells from a1 to h8 by rows, of `X`, `O` and `-`, a space, and the player to move.
        #[schemars(length(min = 1, max = 10_000))]
        positions: FileList<PositionText>,
    },
    /// Any of the positions that games of archives have after a number of moves, all with the same
    /// probability.
    Archive {
        /// Archives of games: `{ file = "WTH_2001.wtb" }`, with the files `.jou` and `.trn` beside
        /// it `{ file = "wthor" }`, GGF, or a transcript on each line. Games that cannot be read
        /// are skipped with a warning.
        #[schemars(length(min = 1, max = 1_000))]
        games: FileList<ArchiveParam>,
        /// The moves of each opening. Shorter games are left out.
        #[schemars(range(min = 1, max = 50))]
        plies: u32,
        /// The positions at most: those of most games, and among equals the first ones.
        #[serde(default = "most")]
        #[schemars(range(min = 1, max = 10_000))]
        most: u32,
    },
}

/// The transcript of a beginning of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct GameText(pub String);

/// A position as cells and the player to move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct PositionText(pub String);

/// A file has a transcript on each line.
impl FromFile for GameText {
    fn from_file(file: &SpecFile) -> Result<Vec<Self>, FileFault> {
        checked_lines(file, |text| open_game(read_game(text)?), Self)
    }
}

/// A file has a position on each line.
impl FromFile for PositionText {
    fn from_file(file: &SpecFile) -> Result<Vec<Self>, FileFault> {
        checked_lines(file, |text| open_game(read_position(text)?), Self)
    }
}

/// Returns the lines of a file if `read` can read every line.
fn checked_lines<T>(
    file: &SpecFile,
    read: impl Fn(&str) -> Result<RecordedGame, String>,
    value: impl Fn(String) -> T,
) -> Result<Vec<T>, FileFault> {
    let line = |(line, text): (usize, &str)| match read(text) {
        Ok(_) => Ok(value(text.to_owned())),
        Err(expected) => {
            Err(FileFault::at(line, format!("{}, but must be {expected}", shown(text))))
        }
    };
    file.lines().map(line).collect()
}

/// Returns the game if it is a beginning: a game that is not over.
fn open_game(game: RecordedGame) -> Result<RecordedGame, String> {
    match is_over(game.last_position()) {
        true => Err("a beginning of a game that goes on".to_owned()),
        false => Ok(game),
    }
}

/// Reads the transcript of a beginning of a game; an error says what would be right.
fn read_game(text: &str) -> Result<RecordedGame, String> {
    transcript::read(text.as_bytes(), Position::START).map_err(|error| {
        if text.trim_start().starts_with("(;") {
            return format!(
                "{TRANSCRIPT}, and not a game in GGF, which `kind = \"archive\"` reads"
            );
        }
        format!("a transcript of legal moves: {}", error_chain(&error))
    })
}

/// Reads a position, also as OBF has it, with or without values of moves; an error says what would
/// be right.
fn read_position(text: &str) -> Result<RecordedGame, String> {
    if text.contains(';') {
        let read = obf::read(text.as_bytes());
        let read = read.map_err(|error| format!("{CELLS}: {}", error_chain(&error)))?;
        let first = read.first().ok_or_else(|| CELLS.to_owned())?;
        return Ok(RecordedGame::begin(*first.position()));
    }
    let position: Position = text.parse().map_err(|error| format!("a position: {error}"))?;
    Ok(RecordedGame::begin(position))
}

fn min_plies() -> u32 {
    6
}

fn max_plies() -> u32 {
    8
}

fn most() -> u32 {
    1_000
}

impl Default for OpeningParam {
    fn default() -> Self {
        Self::Random { min_plies: min_plies(), max_plies: max_plies() }
    }
}

impl OpeningParam {
    /// Returns warnings about games that were skipped.
    pub(crate) fn warnings(&self) -> Vec<String> {
        match self {
            Self::Archive { games, .. } => archive_param::warnings(games),
            Self::Random { .. } | Self::Start | Self::Games { .. } | Self::Positions { .. } => {
                Vec::new()
            }
        }
    }

    /// Returns the rule for `n_series` series of trials. Each series gets a copy of the rule.
    ///
    /// # Errors
    /// If a range is empty, a game or position cannot be read or is over, or the copies would fill
    /// memory.
    pub(crate) fn rule(&self, n_series: usize) -> Result<OpeningRule, InvalidValue> {
        let archived = self.archived()?;
        let (key, n_listed) = match self {
            Self::Random { .. } | Self::Start => ("openings", 1),
            Self::Games { games } => ("openings.games", games.len()),
            Self::Positions { positions } => ("openings.positions", positions.len()),
            Self::Archive { .. } => ("openings.most", archived.len()),
        };
        let factors = [(n_listed as u64, "openings"), (n_series as u64, "series")];
        InvalidValue::check_product(key, &factors, "copies", MAX_COPIES)?;
        match self {
            Self::Random { min_plies, max_plies } => {
                let most = OpeningRule::MAX_RANDOM_PLIES;
                let expected = format!("from `min_plies`, {min_plies}, to {most}");
                OpeningRule::random(*min_plies, *max_plies)
                    .ok_or_else(|| InvalidValue::new("openings.max_plies", max_plies, expected))
            }
            Self::Start => Ok(OpeningRule::start()),
            Self::Games { games } => {
                let texts = games.iter().map(|game| &*game.0);
                listed("openings.games", texts, read_game)
            }
            Self::Positions { positions } => {
                let texts = positions.iter().map(|position| &*position.0);
                listed("openings.positions", texts, read_position)
            }
            Self::Archive { .. } => rule_of("openings.most", archived),
        }
    }

    /// Returns the openings from archives, those of most games first: the positions differ.
    fn archived(&self) -> Result<Vec<RecordedGame>, InvalidValue> {
        let Self::Archive { games, plies, most } = self else { return Ok(Vec::new()) };
        archive_param::archives("openings.games", games)?;
        let mut found: BTreeMap<String, (Reverse<u32>, usize, RecordedGame)> = BTreeMap::new();
        for (place, archived) in archive_param::games(games).enumerate() {
            let game = &archived.game;
            let Some(moves) = game.moves().get(..*plies as usize) else { continue };
            let opening = RecordedGame::new(*game.start(), moves);
            let opening = opening.expect("the beginning of a game that was read");
            if !is_over(opening.last_position()) {
                let last = opening.last_position().to_string();
                let entry = found.entry(last).or_insert((Reverse(0), place, opening));
                entry.0.0 += 1;
            }
        }
        if found.is_empty() {
            let expected = "fewer: no game goes on after so many moves";
            return Err(InvalidValue::new("openings.plies", plies, expected));
        }
        let mut openings: Vec<_> = found.into_values().collect();
        openings.sort_unstable_by_key(|(n_games, place, _)| (*n_games, *place));
        openings.truncate(*most as usize);
        Ok(openings.into_iter().map(|(.., opening)| opening).collect())
    }
}

/// The accepted forms of openings. Messages show them when a spec gives another form.
const TRANSCRIPT: &str = "a transcript such as `f5d6c3`: a letter and a digit for each move";
const CELLS: &str = "64 cells of `X`, `O` and `-`, a space, and `X` or `O`, the player to move";

/// The most copies of openings in a plan: some 20 MB.
const MAX_COPIES: u64 = 200_000;

fn listed<'a>(
    key: &str,
    texts: impl ExactSizeIterator<Item = &'a str>,
    read: impl Fn(&str) -> Result<RecordedGame, String>,
) -> Result<OpeningRule, InvalidValue> {
    let mut openings = Vec::new();
    for (number, text) in texts.enumerate() {
        let refused =
            |expected: String| InvalidValue::new(format!("{key}.{number}"), &shown(text), expected);
        openings.push(read(text).and_then(open_game).map_err(refused)?);
    }
    rule_of(key, openings)
}

/// Returns the rule of these openings, none of which is over, from the parameter `key`.
fn rule_of(key: &str, openings: Vec<RecordedGame>) -> Result<OpeningRule, InvalidValue> {
    let n_openings = openings.len();
    let expected = format!("1 to {} openings", OpeningRule::MAX_LISTED);
    let rule = OpeningRule::listed(openings);
    let rule = rule.ok_or_else(|| InvalidValue::new(key, &n_openings, expected))?;
    let (n_bytes, most) = (OpeningMessage::from(&rule).n_bytes(), OpeningMessage::MAX_BYTES);
    if most < n_bytes {
        let expected = format!("fewer or shorter: they take {n_bytes} bytes, at most {most}");
        return Err(InvalidValue::new(key, &format!("{n_openings} openings"), expected));
    }
    Ok(rule)
}
