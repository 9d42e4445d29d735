//! The maps: as cards, and in tables.

use hatchery_core::RunSeed;
use hatchery_core::findings::{
    CardVerdict, FindingBlock, FindingSection, RichText, TableHead, VerdictKind,
};
use hatchery_core::text::{counted, grouped, rounded};
use hatchery_stats::{FairnessVerdict, mean_estimate};

use crate::experiment::balance::histogram;
use crate::experiment::balance::summary::{BalanceSummary, MapStage, MapStatistics, MapSummary};
use crate::experiment::map_card::{self, MAX_CARDS, MapCard};
use crate::experiment::{openings, wording};
use crate::seat_balance::{estimate_in_points, game_lengths, percentage_points};

/// The number of cards of the worst maps, if not all maps have one.
const WORST_CARDS: usize = 4;
/// The most rows of a table; `maps.csv` has all maps.
const MAX_ROWS: usize = 100;

/// Returns the section with a card of each map that has decided games or, of many, of the best and
/// the worst.
pub(super) fn cards(
    summary: &BalanceSummary<'_>,
    seed: Option<&RunSeed>,
) -> Option<FindingSection> {
    let maps: Vec<_> = summary.maps_with_statistics().collect();
    let (heading, shown) = match maps.len() <= MAX_CARDS {
        true => ("The maps, the best first".to_owned(), maps),
        false => {
            let n_best = MAX_CARDS - WORST_CARDS;
            let worst = &maps[maps.len() - WORST_CARDS..];
            let heading = format!("The {n_best} best maps and the {WORST_CARDS} worst");
            (heading, [&maps[..n_best], worst].concat())
        }
    };
    let n_games = openings::sampled_games(&summary.spec.pool.agents, shown.len());
    // All maps are played in generation 0.
    let first = seed.map(|seed| (summary.spec.plan(&summary.state.begun()), seed.generation(0)));
    let cards = shown.iter().map(|(map, statistics)| {
        let of_map = &map.candidate.map;
        let opening = first
            .as_ref()
            .and_then(|(plan, seed)| openings::common_opening(plan, seed, of_map, n_games));
        MapCard {
            title: map.candidate.name.clone(),
            note: RichText::new("sigma ").join(wording::points(statistics.balance.spread.sigma)),
            verdict: verdict(map.stage),
            map: of_map,
            balance: Some(statistics.balance),
            opening,
        }
    });
    let blocks = map_card::blocks(cards.collect());
    (!blocks.is_empty()).then(|| FindingSection::new(heading, blocks))
}

fn verdict(stage: MapStage) -> Option<CardVerdict> {
    let MapStage::Judged(verdict) = stage else { return None };
    let kind = match verdict {
        FairnessVerdict::Fair => VerdictKind::Good,
        FairnessVerdict::Unfair => VerdictKind::Bad,
        FairnessVerdict::Undecided => VerdictKind::Open,
    };
    Some(CardVerdict { word: stage.name().to_owned(), kind })
}

/// Returns the section with the numbers of each map.
pub(super) fn tables(summary: &BalanceSummary<'_>) -> FindingSection {
    let n = summary.maps_with_statistics().count();
    let caption = format!(
        "How many of {} have each win rate, by seat: bars. Line: what chance shows if all maps are \
         fair. Dashed: 25 %.",
        counted(n, "map")
    );
    let figure = || FindingBlock::figure("win-rates", histogram::chart(summary).picture(), caption);
    let mut blocks: Vec<_> = (n != 0).then(figure).into_iter().collect();
    blocks.extend([rates_table(summary), statistics_table(summary)]);
    let left_out = summary.maps.len().saturating_sub(MAX_ROWS) as u64;
    blocks.extend((left_out != 0).then(|| wording::left_out(left_out)));
    FindingSection::new("Win rates of the seats", blocks)
}

fn rates_table(summary: &BalanceSummary<'_>) -> FindingBlock {
    let columns = [TableHead::text("map"), TableHead::text("id"), TableHead::number("games")];
    let columns = columns.into_iter().chain([TableHead::number("undecided")]);
    let columns = columns.chain(wording::rate_heads()).chain([TableHead::text("verdict")]);
    let row = |map: &MapSummary<'_>| {
        let MapSummary { candidate, results, stage, statistics } = map;
        let mut cells = vec![candidate.name.as_str().into(), wording::map_id(&candidate.map)];
        cells.extend([results.games, results.undecided()].map(|n| grouped(n).into()));
        cells.extend(wording::rate_cells(statistics.as_ref().map(|it| &it.balance)));
        cells.push(stage.name().into());
        cells
    };
    let caption = "The best first: by verdict, then by sigma. Win rates in percent of decided \
                   games, with Wilson's intervals.";
    let rows = summary.maps.iter().take(MAX_ROWS).map(row).collect();
    FindingBlock::table(caption, columns.collect(), rows)
}

fn statistics_table(summary: &BalanceSummary<'_>) -> FindingBlock {
    let numbers = ["p", "spread", "sigma", "max - min", "expected sigma", "turns of a game"];
    let columns = std::iter::once(TableHead::text("map"))
        .chain(numbers.into_iter().map(TableHead::number))
        .collect();
    let row = |map: &MapSummary<'_>| {
        let MapSummary { candidate, results, statistics, .. } = map;
        let mut cells = vec![candidate.name.as_str().into()];
        cells.extend(statistic_cells(statistics.as_ref()));
        let turns = mean_estimate(&game_lengths(results));
        cells.push(wording::cell((results.games != 0).then(|| RichText::estimate(turns, 1))));
        cells
    };
    let caption = "Numbers of unevenness in percentage points, and the mean number of turns of all \
                   players.";
    let rows = summary.maps.iter().take(MAX_ROWS).map(row).collect();
    FindingBlock::table(caption, columns, rows)
}

fn statistic_cells(statistics: Option<&MapStatistics>) -> [RichText; 5] {
    let Some(MapStatistics { balance, among }) = statistics else {
        return [const { "-" }; 5].map(RichText::from);
    };
    let range = estimate_in_points(balance.spread.range);
    let expected = among.posterior.map(|posterior| {
        let within = rounded(percentage_points(posterior.within_margin), 1);
        RichText::new(rounded(percentage_points(posterior.sigma), 2))
            .soft(format!(" (below margin: {within} %)"))
    });
    [
        wording::p_value(balance).into(),
        rounded(percentage_points(balance.spread.observed), 2).into(),
        wording::points(balance.spread.sigma),
        RichText::new(rounded(range.mean, 2)).soft(format!(" (to {})", rounded(range.high, 2))),
        wording::cell(expected),
    ]
}
