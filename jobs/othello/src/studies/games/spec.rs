//! The spec of `othello-games`.

use hatchery_core::InvalidValue;
use hatchery_core::spec::FileList;
use hatchery_core::text::closest_name;
use hatchery_stats::ErrorRate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::params::archive_param::{self, ArchiveParam};
use crate::params::match_param;
use crate::players::{DepthReading, MctsAgent, SearchSettings, exploration};
use crate::record::archive::ArchivedGame;
use crate::trial::review::{PlayedGame, ReviewRules};
use crate::trial::setup::JudgeSettings;

/// The spec of `othello-games`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GamesSpec {
    /// Archives of games: `{ file = "games.ggf" }`, a folder with WTHOR and its names
    /// `{ file = "wthor" }`, lines of transcripts, or the text of a game. Games that cannot be read
    /// are skipped with a warning.
    #[schemars(length(min = 1, max = 1_000))]
    pub games: FileList<ArchiveParam>,
    /// The players whose games are judged, by their names in the archives; all without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    pub players: Vec<String>,
    /// Games that are judged at most: drawn from all by the seed of the run.
    #[serde(default = "sample")]
    #[schemars(range(min = 1, max = 5_000))]
    pub sample: u32,
    /// Moves at the beginning of each game that are not judged.
    #[serde(default)]
    #[schemars(range(min = 0, max = 59))]
    pub opening: u32,
    /// The judge of the moves.
    #[serde(default)]
    pub judge: GameJudgeParam,
    /// Judged games that a player needs for a row of its own.
    #[serde(default = "min_games")]
    #[schemars(range(min = 1, max = 5_000))]
    pub min_games: u32,
    /// The share of intervals that may miss the true value; below 0.0002 there are none.
    #[serde(default = "match_param::standard_error_rate")]
    #[schemars(with = "f64", range(min = 1e-6, max = 0.5))]
    pub error_rate: ErrorRate,
}

/// The judge of recorded moves: exact values near the end, a search before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GameJudgeParam {
    /// Playouts of the judge's search, which has no limit of depth.
    #[schemars(range(min = 100, max = 1_000_000), extend("x-source" = "ours"))]
    pub playouts: u32,
    /// The number of empty squares up to which values are exact.
    #[schemars(range(min = 0, max = 16), extend("x-source" = "ours"))]
    pub empties: u32,
}

impl Default for GameJudgeParam {
    fn default() -> Self {
        Self { playouts: 5_000, empties: 14 }
    }
}

fn sample() -> u32 {
    300
}

fn min_games() -> u32 {
    2
}

/// A spec whose parameters fit together.
#[derive(Debug)]
pub struct CheckedGames {
    pub(super) spec: GamesSpec,
    /// The games of the players, each by the number of its archive and its place there.
    candidates: Vec<(usize, usize)>,
    pub(super) rules: ReviewRules,
}

impl GamesSpec {
    /// Checks that the parameters fit together.
    pub(super) fn checked(self) -> Result<CheckedGames, InvalidValue> {
        let archives = archive_param::archives("games", &self.games)?;
        let numbered = archives.iter().enumerate().flat_map(|(archive, it)| {
            it.games().iter().enumerate().map(move |(at, game)| ((archive, at), game))
        });
        let is_of = |game: &ArchivedGame, name: &String| {
            [&game.black, &game.white].iter().any(|player| same_name(player, name))
        };
        for (number, name) in self.players.iter().enumerate() {
            if !numbered.clone().any(|(_, game)| is_of(game, name)) {
                return Err(unknown_player(number, name, numbered.map(|(_, game)| game)));
            }
        }
        let is_wanted = |game: &ArchivedGame| {
            self.players.is_empty() || self.players.iter().any(|name| is_of(game, name))
        };
        let candidates = numbered.filter(|(_, game)| is_wanted(game)).map(|(at, _)| at).collect();
        let rules = ReviewRules { judge: self.judge.settings()?, opening: self.opening };
        Ok(CheckedGames { candidates, rules, spec: self })
    }
}

fn same_name(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// The most players that an error names.
const MAX_NAMES: usize = 10;

/// Returns the error of a player that no game has.
fn unknown_player<'a>(
    number: usize,
    name: &str,
    games: impl Iterator<Item = &'a ArchivedGame>,
) -> InvalidValue {
    let known: std::collections::BTreeSet<&str> =
        games.flat_map(|game| [game.black.as_str(), game.white.as_str()]).collect();
    let expected = match closest_name(name, known.iter().copied()) {
        Some(closest) => format!("a player of the games; did you mean {closest:?}?"),
        None => {
            let more = match known.len().saturating_sub(MAX_NAMES) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let names: Vec<_> = known.iter().take(MAX_NAMES).map(|it| format!("{it:?}")).collect();
            format!("a player of the games: {}{more}", names.join(", "))
        }
    };
    InvalidValue::new(format!("players.{number}"), &format!("{name:?}"), expected)
}

impl GameJudgeParam {
    fn settings(self) -> Result<JudgeSettings, InvalidValue> {
        let Self { playouts, empties } = self;
        let search = SearchSettings {
            playouts,
            reading: DepthReading::TreeCap,
            plies_per_doubling: 4.0,
            exploration: exploration(),
        };
        let agent = MctsAgent::new(60, search)
            .map_err(|error| InvalidValue::new("judge.playouts", &playouts, error.to_string()))?;
        Ok(JudgeSettings { agent, empties })
    }
}

impl CheckedGames {
    /// Returns the number of games that may be judged.
    pub(super) fn n_candidates(&self) -> usize {
        self.candidates.len()
    }

    /// Returns the number of games that are judged.
    pub(super) fn n_judged(&self) -> usize {
        self.candidates.len().min(self.spec.sample as usize)
    }

    /// Returns a game by its number among the candidates.
    pub(super) fn game(&self, candidate: u32) -> Option<&ArchivedGame> {
        let &(archive, at) = self.candidates.get(candidate as usize)?;
        self.spec.games.get(archive)?.archive()?.games().get(at)
    }

    /// Returns the place of a game: `WTH_2001.wtb, game 17`, with several archives after the
    /// parameter.
    pub(super) fn place(&self, candidate: u32) -> Option<String> {
        let place = &self.game(candidate)?.place;
        let (archive, _) = self.candidates.get(candidate as usize)?;
        Some(match self.spec.games.len() {
            1 => place.to_string(),
            _ => format!("games.{archive}, {place}"),
        })
    }

    /// Returns a game as the subject of a trial.
    pub(super) fn played(&self, candidate: u32) -> Option<PlayedGame> {
        let ArchivedGame { black, white, game, .. } = self.game(candidate)?;
        Some(PlayedGame { players: [black.clone(), white.clone()], game: game.clone() })
    }
}
