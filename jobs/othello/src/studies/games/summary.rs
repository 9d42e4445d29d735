//! The judgements by player, with intervals.

use std::collections::BTreeMap;

use hatchery_core::{RunSeed, SubjectTrial};
use hatchery_stats::ErrorRate;

use super::spec::{CheckedGames, GamesSpec};
use super::state::GamesState;
use crate::naturalness::{
    GameNaturalness, LossZone, NaturalnessMetric, NaturalnessRow, NaturalnessSummary,
};
use crate::record::archive::ArchivedGame;
use crate::rules::{DiscColor, TurnState};
use crate::trial::review::GameReview;

/// A state with its spec.
pub(super) struct GamesSummary<'a> {
    pub(super) spec: &'a GamesSpec,
    pub(super) checked: &'a CheckedGames,
    /// The judged games.
    pub(super) games: Vec<JudgedGame<'a>>,
    /// All moves of all players.
    pub(super) all: NaturalnessSummary,
    /// The players with enough games, the one with the smallest estimated loss first.
    pub(super) players: Vec<PlayerSummary>,
    /// The number of all players.
    pub(super) n_players: usize,
}

/// A judged game.
pub(super) struct JudgedGame<'a> {
    pub(super) trial: SubjectTrial,
    /// The place in the archives.
    pub(super) place: String,
    pub(super) archived: &'a ArchivedGame,
    pub(super) review: &'a GameReview,
}

/// The games of a player.
pub(super) struct PlayerSummary {
    pub(super) name: String,
    pub(super) games: u64,
    /// Points per finished game; `None` without one.
    pub(super) score: Option<f64>,
    pub(super) natural: NaturalnessSummary,
}

/// The records of a player's games, and the half points of the finished ones.
#[derive(Default)]
struct PlayerGames {
    records: Vec<GameNaturalness>,
    half_points: Vec<u8>,
}

impl<'a> GamesSummary<'a> {
    pub(super) fn new(checked: &'a CheckedGames, state: &'a GamesState) -> Self {
        let games: Vec<_> = judged_games(checked, state).collect();
        let by_name = by_player(&games);
        let n_players = by_name.len();
        let error_rate = checked.spec.error_rate;
        let enough = by_name
            .into_iter()
            .filter(|(_, player)| checked.spec.min_games as usize <= player.records.len());
        let mut players: Vec<_> = enough
            .map(|(name, PlayerGames { records, half_points })| PlayerSummary {
                name: name.to_owned(),
                games: records.len() as u64,
                score: mean_points(&half_points),
                natural: natural_summary(&records, error_rate),
            })
            .collect();
        // Players without such a loss come last.
        let loss = |player: &PlayerSummary| {
            player.row(ESTIMATED_LOSS).and_then(|row| row.value).unwrap_or(f64::INFINITY)
        };
        players.sort_by(|a, b| loss(a).total_cmp(&loss(b)));
        let all = all_moves(checked, state);
        Self { spec: &checked.spec, checked, games, all, players, n_players }
    }

    /// Returns the confidence of intervals, in percent.
    pub(super) fn percent(&self) -> f64 {
        100.0 * (1.0 - self.spec.error_rate.get())
    }
}

/// The metric by which players are sorted.
pub(super) const ESTIMATED_LOSS: NaturalnessMetric =
    NaturalnessMetric::LossMean(LossZone::Estimated);

impl PlayerSummary {
    pub(super) fn row(&self, metric: NaturalnessMetric) -> Option<&NaturalnessRow> {
        row(&self.natural, metric)
    }
}

/// Returns the row of a metric.
pub(super) fn row(
    summary: &NaturalnessSummary,
    metric: NaturalnessMetric,
) -> Option<&NaturalnessRow> {
    summary.rows.iter().find(|row| row.metric == metric)
}

fn judged_games<'a>(
    checked: &'a CheckedGames,
    state: &'a GamesState,
) -> impl Iterator<Item = JudgedGame<'a>> {
    let subjects = state.sample.iter().zip(&state.reviews).zip(0..);
    subjects.filter_map(|((&game, review), subject)| {
        let archived = checked.game(game)?;
        let place = checked.place(game)?;
        Some(JudgedGame { trial: SubjectTrial { subject, trial: 0 }, place, archived, review })
    })
}

/// Returns the metrics of all moves. Both players of a game are one record, as its moves depend on
/// each other.
pub(super) fn all_moves(checked: &CheckedGames, state: &GamesState) -> NaturalnessSummary {
    let record = |game: JudgedGame<'_>| {
        let [mut black, white] = game.review.naturalness();
        black.absorb(&white);
        black
    };
    let records: Vec<_> = judged_games(checked, state).map(record).collect();
    natural_summary(&records, checked.spec.error_rate)
}

fn by_player<'a>(games: &[JudgedGame<'a>]) -> BTreeMap<&'a str, PlayerGames> {
    let mut found: BTreeMap<&str, PlayerGames> = BTreeMap::new();
    for judged in games {
        let ArchivedGame { black, white, game, .. } = judged.archived;
        let [own, other] = judged.review.naturalness();
        // A player against itself has one record of the game.
        if black == white {
            let mut both = own;
            both.absorb(&other);
            found.entry(black).or_default().records.push(both);
            continue;
        }
        let sides = [(black, own, DiscColor::Black), (white, other, DiscColor::White)];
        for (name, record, color) in sides {
            let player = found.entry(name).or_default();
            player.records.push(record);
            if game.state() == TurnState::Over {
                player.half_points.push(game.half_points(color));
            }
        }
    }
    found
}

fn mean_points(half_points: &[u8]) -> Option<f64> {
    let n = u32::try_from(half_points.len()).ok().filter(|n| *n != 0)?;
    let sum: u32 = half_points.iter().copied().map(u32::from).sum();
    Some(f64::from(sum) / 2.0 / f64::from(n))
}

/// Returns the metrics of these games. The bootstrap draws the same numbers each time.
fn natural_summary(records: &[GameNaturalness], error_rate: ErrorRate) -> NaturalnessSummary {
    let mut rng = RunSeed::new("othello-games", 0).generation(0).stream("bootstrap");
    NaturalnessSummary::new(records, error_rate, &mut rng)
}
