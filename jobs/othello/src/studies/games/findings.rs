//! The findings: who loses how much per move, in sentences, figures and tables.

use hatchery_core::Findings;
use hatchery_core::findings::{FindingBlock, FindingSection, KeyFact, RichText, words};
use hatchery_core::table::DataTable;
use hatchery_core::text::{counted, grouped, rounded};
use hatchery_figures::{ForestChart, ForestRow, Quantity};

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
        sections.extend(naturalness_by_player(summary));
        sections.push(naturalness(summary));
    }
    sections.extend(skipped(summary));
    Findings {
        title: "Othello: who loses how much per move, and who plays naturally".into(),
        summary: finding(summary),
        key_facts: key_facts(summary),
        sections,
        method: method(summary),
    }
}

/// Says what a move loses on average, which players lose least and most, and whose moves look most
/// natural.
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
    let ranks = [
        (ESTIMATED_LOSS, "loses least per move before the end", 3, " points"),
        (NaturalnessMetric::LossMean(LossZone::Exact), "loses least near the end", 2, " discs"),
        (NaturalnessMetric::ClearLoss, "has the fewest clear losses", 2, " per 100 moves"),
    ];
    ranks.into_iter().fold(sentences, |sentences, (metric, what, digits, unit)| {
        match least(summary, metric, what, &|it| words::quantity(it, |n| rounded(n, digits), unit))
        {
            Some(sentence) => sentences.plain(" ").join(sentence),
            None => sentences,
        }
    })
}

/// Says which player is least by a metric, with emphasis if the player's interval lies below the
/// intervals of all others; `None` for fewer than two players.
fn least(
    summary: &GamesSummary<'_>,
    metric: NaturalnessMetric,
    what: &str,
    number: &dyn Fn(Quantity) -> RichText,
) -> Option<RichText> {
    let of_player = |player: &PlayerSummary| {
        Some((player_name(&player.name).to_owned(), player.row(metric)?.quantity()?))
    };
    let mut rated: Vec<_> = summary.players.iter().filter_map(of_player).collect();
    let value = |(_, it): &(String, Quantity)| match *it {
        Quantity::Exact(value) | Quantity::Estimate { value, .. } => value,
    };
    rated.sort_by(|one, other| value(one).total_cmp(&value(other)));
    let [(name, first), others @ ..] = &rated[..] else { return None };
    if others.is_empty() {
        return None;
    }
    let is_above = |high: f64, other: &Quantity| match *other {
        Quantity::Exact(_) => false,
        Quantity::Estimate { interval: [low, _], .. } => high < low,
    };
    let is_shown = matches!(*first, Quantity::Estimate { interval: [_, high], .. }
        if others.iter().all(|(_, other)| is_above(high, other)));
    let sentence = format!("{name} {what}");
    let sentence = match is_shown {
        true => RichText::default().strong(sentence),
        false => RichText::new(sentence),
    };
    let end = match first {
        Quantity::Estimate { .. } if !is_shown => {
            ", but intervals of players overlap, so none is shown to be ahead."
        }
        // Without intervals, nothing is said about them.
        Quantity::Estimate { .. } | Quantity::Exact(_) => ".",
    };
    Some(sentence.plain(": ").join(number(*first)).plain(end))
}

fn key_facts(summary: &GamesSummary<'_>) -> Vec<KeyFact> {
    if summary.games.is_empty() {
        return Vec::new();
    }
    let games = KeyFact {
        name: "Games judged".to_owned(),
        value: grouped(summary.games.len()),
        note: match archive_param::n_skipped(&summary.spec.games) {
            0 => format!("of {}", grouped(summary.checked.n_candidates())),
            skipped => format!(
                "of {}; {} skipped",
                grouped(summary.checked.n_candidates()),
                grouped(skipped)
            ),
        },
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
    blocks.push(tables::losses(shown).block(RichText::default()));
    FindingSection::new("Players", blocks)
}

/// Returns the section with the naturalness of each player.
fn naturalness_by_player(summary: &GamesSummary<'_>) -> Option<FindingSection> {
    let shown = &summary.players[..summary.players.len().min(MAX_PLAYERS)];
    let about = RichText::new(
        "Moves look unnatural where a person would see a better one. Per 100 judged moves: clear \
         and heavy losses (at least 0.10 and 0.25 points, or 4 and 10 discs), results that a move \
         turns around, and corners declined or given away. The slope is the additional loss per \
         point that the player is ahead: a player that goes easy has a large one. ",
    )
    .code("naturalness.csv")
    .plain(" has all metrics of each player.");
    let blocks = vec![
        FindingBlock::Text(about),
        tables::naturalness_by_player(shown).block(RichText::default()),
    ];
    (!shown.is_empty()).then(|| FindingSection::new("Naturalness by player", blocks))
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
    FindingSection::new("Naturalness of all moves", blocks)
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
    let judge = &summary.spec.judge;
    let judged = format!(
        "{drawn} The moves of both players are judged, but for moves without a choice. With {} or \
         fewer, values are exact, in discs; before, the judge is a search with {} per move, in \
         points of a game: 1 for a win, 0.5 for a draw.",
        counted(judge.empties, "empty square"),
        counted(judge.playouts, "playout")
    );
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
