//! The tables of a summary, in files and in the findings.

use hatchery_core::table::{DataTable, NumberForm, TableColumns};
use hatchery_core::{Exhibit, TrialRow};

use super::summary::{ESTIMATED_LOSS, GamesSummary, JudgedGame, PlayerSummary};
use crate::naturalness::{LossZone, MoveJudgement, NaturalnessMetric, NaturalnessRow};
use crate::record::{RecordedTurn, ggf};
use crate::rules::DiscColor;
use crate::studies::naturalness_columns::with_metric;
use crate::trial::review::{LossInUnits, MoveReview, MoveVerdict, PlayedGame};

/// A metric of a player: its name in `players.csv`, its head on the page, and its decimals.
type PlayerMetric = (NaturalnessMetric, &'static str, &'static str, usize);

/// The losses of a player; `naturalness.csv` has all metrics.
const LOSSES: [PlayerMetric; 2] = [
    (NaturalnessMetric::LossMean(LossZone::Estimated), "loss_estimated", "loss, points", 3),
    (NaturalnessMetric::LossMean(LossZone::Exact), "loss_exact", "loss near the end, discs", 2),
];

/// How natural the moves of a player look.
const NATURALNESS: [PlayerMetric; 5] = [
    (NaturalnessMetric::ClearLoss, "clear_losses", "clear losses", 2),
    (NaturalnessMetric::HeavyLoss, "heavy_losses", "heavy losses", 2),
    (NaturalnessMetric::ResultFlip, "result_flips", "results turned", 2),
    (NaturalnessMetric::CornerEvents, "corner_events", "corners lost", 2),
    (NaturalnessMetric::FlowSlope(LossZone::Estimated), "flow_slope_estimated", "slope", 3),
];

/// Returns the columns of players in the file.
pub(super) fn players(players: &[PlayerSummary]) -> TableColumns<'_, PlayerSummary> {
    with_metrics(with_losses(DataTable::of(players)), &NATURALNESS)
}

/// Returns the losses of players, for the page.
pub(super) fn losses(players: &[PlayerSummary]) -> TableColumns<'_, PlayerSummary> {
    with_losses(DataTable::on_page(players))
}

/// Returns how natural the moves of players look, for the page.
pub(super) fn naturalness_by_player(players: &[PlayerSummary]) -> TableColumns<'_, PlayerSummary> {
    let table = DataTable::on_page(players).text("player", |player| player_name(&player.name));
    with_metrics(table, &NATURALNESS)
}

fn with_losses(table: TableColumns<'_, PlayerSummary>) -> TableColumns<'_, PlayerSummary> {
    let table = table
        .text(("player", "player"), |player| player_name(&player.name))
        .count(("games", "games"), |player| player.games)
        .number(("score", "points per game"), 3, |player| player.score)
        .count(("moves", "moves judged"), |player| player.natural.total.moves());
    with_metrics(table, &LOSSES)
}

fn with_metrics<'a>(
    table: TableColumns<'a, PlayerSummary>,
    metrics: &[PlayerMetric],
) -> TableColumns<'a, PlayerSummary> {
    table.each(metrics, |table, &(metric, name, head, decimals)| {
        let quantity = move |player: &PlayerSummary| player.row(metric)?.quantity();
        table.estimate((name, head), decimals, quantity)
    })
}

/// Returns a name, or a word for a player whose name is unknown.
pub(super) fn player_name(name: &str) -> &str {
    if name.is_empty() { "unknown" } else { name }
}

/// Returns a row for each player and metric, and for all moves.
pub(super) fn naturalness(summary: &GamesSummary<'_>) -> Exhibit {
    let named = summary.players.iter().map(|it| (player_name(&it.name), &it.natural));
    let all = std::iter::once(("(all players)", &summary.all)).chain(named);
    let rows: Vec<(&str, &NaturalnessRow)> =
        all.flat_map(|(name, natural)| natural.rows.iter().map(move |row| (name, row))).collect();
    let table = DataTable::of(&rows).text("player", |(name, _)| *name);
    with_metric(table, |(_, row)| row).csv("naturalness.csv")
}

/// A judged move.
struct MoveRow<'a> {
    game: &'a JudgedGame<'a>,
    ply: usize,
    turn: RecordedTurn,
    judgement: &'a MoveJudgement,
}

/// Returns the judged moves of a game.
fn judged_moves<'a>(game: &'a JudgedGame<'a>) -> impl Iterator<Item = MoveRow<'a>> {
    let turns = game.archived.game.turns().zip(&game.review.moves).zip(1..);
    turns.filter_map(move |((turn, MoveReview { verdict, .. }), ply)| match verdict {
        MoveVerdict::Judged(judgement) => Some(MoveRow { game, ply, turn, judgement }),
        MoveVerdict::Opening | MoveVerdict::Forced => None,
    })
}

/// Returns a row for each judged move.
pub(super) fn moves(summary: &GamesSummary<'_>) -> Exhibit {
    let rows: Vec<_> = summary.games.iter().flat_map(judged_moves).collect();
    DataTable::of(&rows)
        .text("trial", |row| format!("0/{}/0", row.game.trial.subject))
        .text("game", |row| &row.game.place)
        .count("ply", |row| row.ply)
        .text("player", |row| match row.turn.position.turn() {
            DiscColor::Black => player_name(&row.game.archived.black),
            DiscColor::White => player_name(&row.game.archived.white),
        })
        .text("color", |row| row.turn.position.turn().to_string())
        .text("move", |row| row.turn.square.to_string())
        .text("unit", |row| LossInUnits::of(row.judgement).unit)
        .number("best", NumberForm::Trimmed(4), |row| LossInUnits::of(row.judgement).best)
        .number("loss", NumberForm::Trimmed(4), |row| LossInUnits::of(row.judgement).loss)
        .text("events", |row| {
            let events = row.judgement.events().iter().map(|event| event.name());
            events.collect::<Vec<_>>().join(" ")
        })
        .exhibit("moves.csv")
}

/// Returns the table of trials: the score is the mean loss before the exact zone, in points.
pub(super) fn trials(summary: &GamesSummary<'_>) -> Exhibit {
    let rows: Vec<_> = summary
        .games
        .iter()
        .map(|game| {
            let [mut both, white] = game.review.naturalness();
            both.absorb(&white);
            let score = ESTIMATED_LOSS.value(&both);
            (game.trial, &game.place, score, game.review.moves.len() as u64)
        })
        .collect();
    Exhibit::trials(rows.iter().map(|(trial, place, score, length)| TrialRow {
        generation: 0,
        trial: *trial,
        subject: place,
        score: *score,
        length: Some(*length),
    }))
}

/// Returns the judged games in GGF, with exact values as evaluations.
pub(super) fn ggf(summary: &GamesSummary<'_>) -> String {
    let games = summary.games.iter().map(|JudgedGame { archived, review, .. }| {
        let players = [archived.black.clone(), archived.white.clone()];
        review.in_ggf(&PlayedGame { players, game: archived.game.clone() })
    });
    ggf::write(&games.collect::<Vec<_>>())
}
