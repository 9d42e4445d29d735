//! The maps: as cards, in tables, and their differences.

use hatchery_core::findings::{
    CardVerdict, FindingBlock, FindingSection, RichText, VerdictKind, words,
};
use hatchery_core::text::{counted, grouped, rounded};
use hatchery_core::{DataTable, RunSeed};
use hatchery_stats::{FairnessVerdict, mean_estimate};

use crate::studies::balance::histogram;
use crate::studies::balance::summary::{BalanceSummary, MapStage, MapSummary};
use crate::studies::balance::variation::{MapVariation, SeatVariation};
use crate::studies::map_card::{self, MAX_CARDS, MapCard};
use crate::studies::{openings, wording};
use crate::trial::seat_balance::{
    SeatBalance, SpreadPosterior, estimate_in_points, game_lengths, percentage_points,
};

/// The number of cards of the worst maps, if not all maps have one.
const WORST_CARDS: usize = 4;
/// The most rows of a table; `maps.csv` has all maps.
const MAX_ROWS: usize = 100;

/// Returns the section with a card for each map that has decided games. If there are many such
/// maps, only the best and the worst maps have cards.
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
    let n_games = openings::sampled_games(&summary.checked.spec.pool.agents, shown.len());
    // All maps are played in generation 0.
    let first = seed.map(|seed| (summary.checked.plan(&summary.state.begun()), seed.generation(0)));
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

/// Returns the section with each map's numbers.
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
    let table = DataTable::on_page(shown_maps(summary))
        .text("map", |map| &map.candidate.name)
        .text("id", |map| wording::map_id(&map.candidate.map))
        .count("games", |map| map.results.games)
        .count("undecided", |map| map.results.undecided());
    let caption = "The best first: by verdict, then by sigma. Win rates in percent of decided \
                   games, with Wilson's intervals.";
    wording::rates(table, summary.checked.look_schedule.n_seats(), balance)
        .text("verdict", |map| map.stage.name())
        .block(caption)
}

fn statistics_table(summary: &BalanceSummary<'_>) -> FindingBlock {
    let caption = "Numbers of unevenness in percentage points, and the mean number of turns of all \
                   players.";
    let turns = |map: &MapSummary<'_>| {
        (map.results.games != 0).then(|| mean_estimate(&game_lengths(map.results)))
    };
    DataTable::on_page(shown_maps(summary))
        .text("map", |map| &map.candidate.name)
        .words("p", |map| wording::p_value(balance(map)))
        .number("spread", 2, |map| wording::spread(balance(map)))
        .estimate("sigma", 2, |map| wording::sigma(balance(map)))
        .words("max - min", |map| Some(range(&map.statistics.as_ref()?.balance)))
        .words("expected sigma", |map| Some(expected(&map.statistics.as_ref()?.among.posterior?)))
        .estimate("turns of a game", 1, turns)
        .block(caption)
}

fn shown_maps<'a>(summary: &'a BalanceSummary<'_>) -> &'a [MapSummary<'a>] {
    &summary.maps[..summary.maps.len().min(MAX_ROWS)]
}

fn balance(map: &MapSummary<'_>) -> Option<SeatBalance> {
    Some(map.statistics.as_ref()?.balance)
}

fn range(balance: &SeatBalance) -> RichText {
    let range = estimate_in_points(balance.spread.range);
    RichText::new(rounded(range.mean, 2)).soft(format!(" (to {})", rounded(range.high, 2)))
}

fn expected(posterior: &SpreadPosterior) -> RichText {
    let within = words::percent(posterior.within_margin, 1);
    RichText::new(rounded(percentage_points(posterior.sigma), 2))
        .soft(format!(" (below margin: {within})"))
}

/// Returns the section on differences between the maps; `None` if there are too few maps.
pub(super) fn variation(summary: &BalanceSummary<'_>) -> Option<FindingSection> {
    let MapVariation { n_maps, sigma_quartiles, seats } = summary.variation()?;
    let [lower, median, upper] = sigma_quartiles.map(|sigma| rounded(percentage_points(sigma), 2));
    let quartiles = format!(
        "The quartiles of the estimated sigma of {} maps (all with at least two decided games) are \
         {lower}, {median} and {upper} percentage points; it is 0 where chance explains all.",
        grouped(n_maps)
    );
    let seats: Vec<_> = (1_u32..).zip(seats.iter()).collect();
    let caption = "Win rates of each seat from map to map, all maps alike: their mean, and the \
                   standard deviation of the true rates, with its interval: what chance adds is \
                   subtracted.";
    let table = DataTable::on_page(&seats)
        .count("seat", |(seat, _)| *seat)
        .number("mean rate, %", 2, |(_, SeatVariation { mean, .. })| percentage_points(*mean))
        .estimate("standard deviation, points", 2, |(_, SeatVariation { sd, .. })| {
            estimate_in_points(*sd)
        })
        .block(caption);
    let blocks = vec![FindingBlock::text(quartiles), table];
    Some(FindingSection::new("Differences between the maps", blocks))
}
