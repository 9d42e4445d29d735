//! The findings: who loses how much per move, in sentences, figures and tables.

use hatchery_core::Findings;
use hatchery_core::findings::{FindingBlock, FindingSection, KeyFact, RichText, words};
use hatchery_core::table::DataTable;
use hatchery_core::text::{counted, grouped, rounded};
use hatchery_figures::{ForestChart, ForestRow};

use super::summary::{ESTIMATED_LOSS, GamesSummary, PlayerSummary, row};
use super::tables::{self, player_name};
use crate::naturalness::{LossZone, NaturalnessMetric};
use crate::params::archive_param;

/// The most players on the page: those with the smallest losses.
const MAX_PLAYERS: usize = 40;

/// Returns the findings.
pub(super) fn findings(summary: &GamesSummary<'_>) -> Findings {
    let mut sections = Vec::new();
    if !summary.games.is_empty() {
        sections.push(players(summary));
        sections.push(naturalness(summary));
    }
    sections.extend(skipped(summary));
    Findings {
        title: "Othello: who loses how much per move".into(),
        summary: finding(summary),
        key_facts: key_facts(summary),
        sections,
        method: method(summary),
    }
}

/// Says what a move loses on average, and which players lose least and most.
fn finding(summary: &GamesSummary<'_>) -> RichText {
    let loss = |zone| row(&summary.all, NaturalnessMetric::LossMean(zone))?.quantity();
    let mut sentences = RichText::default();
    let zones = [(LossZone::Estimated, 3, " points"), (LossZone::Exact, 2, " discs near the end")];
    for (zone, digits, unit) in zones {
        let Some(loss) = loss(zone) else { continue };
        let number = words::quantity(loss, |part| rounded(part, digits), unit);
        let begin = if sentences.is_empty() { "A move loses " } else { ", and " };
        sentences = sentences.plain(begin).join(number);
    }
    if sentences.is_empty() {
        return "No moves have been judged yet.".into();
    }
    let sentences = sentences.plain(" on average.");
    let with_loss = |player: &&PlayerSummary| player.row(ESTIMATED_LOSS)?.quantity();
    let rated: Vec<_> = summary.players.iter().filter(|it| with_loss(it).is_some()).collect();
    match &rated[..] {
        [first, .., last] => sentences
            .plain(" ")
            .plain(format!("Of {}, ", counted(rated.len(), "player")))
            .strong(format!("{} has the smallest mean loss", player_name(&first.name)))
            .plain(format!(", and {} the largest.", player_name(&last.name))),
        _ => sentences,
    }
}

fn key_facts(summary: &GamesSummary<'_>) -> Vec<KeyFact> {
    if summary.games.is_empty() {
        return Vec::new();
    }
    let games = KeyFact {
        name: "Games judged".to_owned(),
        value: grouped(summary.games.len()),
        note: format!("of {}", grouped(summary.checked.n_candidates())),
    };
    let players = KeyFact {
        name: "Players".to_owned(),
        value: grouped(summary.players.len()),
        note: format!(
            "of {} with at least {}",
            grouped(summary.n_players),
            counted(summary.spec.min_games, "judged game")
        ),
    };
    vec![games, players]
}

/// Returns the section with the losses of all players.
fn players(summary: &GamesSummary<'_>) -> FindingSection {
    if summary.players.is_empty() {
        let words = RichText::new("No player has ")
            .plain(counted(summary.spec.min_games, "judged game"))
            .plain(" or more: ")
            .code("min_games")
            .plain(" can be lower.");
        return FindingSection::new("Players", vec![FindingBlock::Text(words)]);
    }
    let shown = &summary.players[..summary.players.len().min(MAX_PLAYERS)];
    let about = RichText::new(format!(
        "Players with at least {}, the smallest loss first. ",
        counted(summary.spec.min_games, "judged game")
    ));
    let about = match shown.len() < summary.players.len() {
        true => about
            .plain(format!("These are the first {} of {}; ", shown.len(), summary.players.len()))
            .code("players.csv")
            .plain(" has all. "),
        false => about,
    };
    let about = about.plain(
        "A loss is what the judge's best move is worth more than the played move: in points of a \
         game where a search judges, in discs where values are exact. Each interval is that of one \
         player alone, and two of them may overlap although the players differ.",
    );
    let rows = shown.iter().filter_map(|player| {
        let quantity = player.row(ESTIMATED_LOSS)?.quantity()?;
        Some(ForestRow { name: player_name(&player.name).to_owned(), quantity })
    });
    let rows: Vec<_> = rows.collect();
    let mut blocks = vec![FindingBlock::Text(about)];
    if !rows.is_empty() {
        let chart = ForestChart {
            title: format!("Loss per move ({} % intervals)", summary.percent()),
            x_label: "points per judged move".to_owned(),
            x_shown: vec![0.0],
            reference: None,
            rows,
        };
        let caption = "Mean loss of each player's moves before the exact zone.";
        blocks.push(FindingBlock::figure("losses", chart.picture(), caption));
    }
    blocks.push(tables::players(shown).block(RichText::default()));
    FindingSection::new("Players", blocks)
}

/// Returns the section with the metrics of all moves.
fn naturalness(summary: &GamesSummary<'_>) -> FindingSection {
    let about = RichText::new("All moves of all players; ")
        .code("naturalness.csv")
        .plain(" has each player, and ")
        .code("moves.csv")
        .plain(
            " each move. Intervals resample games. The metrics that compare agents are left out: \
             the players of an archive rank no moves.",
        );
    let rows: Vec<_> = summary.all.rows.iter().filter(|row| row.n_moves != 0).collect();
    let table = DataTable::on_page(&rows)
        .text("metric", |row| row.metric.name().replace('_', " "))
        .text("kind", |row| Some(row.metric.kind()?.name().replace('_', " ")))
        .text("unit", |row| row.metric.unit())
        .estimate("value", 3, |row| row.quantity())
        .count("games", |row| row.n_games);
    let blocks = vec![FindingBlock::Text(about), table.block(RichText::default())];
    FindingSection::new("Naturalness", blocks)
}

/// Returns the section about games that could not be read.
fn skipped(summary: &GamesSummary<'_>) -> Option<FindingSection> {
    let skipped = archive_param::warnings(&summary.spec.games);
    let items = skipped.into_iter().map(RichText::new).collect::<Vec<_>>();
    let is_empty = items.is_empty();
    (!is_empty).then(|| FindingSection::new("Skipped games", vec![FindingBlock::List(items)]))
}

/// Returns how games are chosen, how intervals are made, and where games are.
fn method(summary: &GamesSummary<'_>) -> Vec<FindingBlock> {
    let drawn = match summary.checked.n_judged() < summary.checked.n_candidates() {
        true => format!(
            "{} are drawn from {} by the seed of the run.",
            counted(summary.checked.n_judged(), "game"),
            grouped(summary.checked.n_candidates())
        ),
        false => format!("All {} are judged.", counted(summary.checked.n_candidates(), "game")),
    };
    let judged =
        format!("{drawn} The moves of both players are judged, but for moves without a choice.");
    let intervals = format!(
        "Intervals hold with {} % and are bootstrapped over games. A player that is ahead has more \
         to lose: compare players of similar opponents.",
        summary.percent()
    );
    let replays = RichText::default()
        .code("hatchery replay RUN 0/GAME/0")
        .plain(" shows a game with the loss of each move, ")
        .code("--export")
        .plain(" writes it as GGF, and ")
        .code("trials.csv")
        .plain(" has the place of each game in its archive.");
    [judged.into(), intervals.into(), replays].map(FindingBlock::Text).into()
}
