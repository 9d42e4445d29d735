//! The maps of the start and of the steps.

use hatchery_core::DataTable;
use hatchery_core::findings::{CardVerdict, FindingSection, RichText, VerdictKind, words};
use hatchery_core::text::{counted, rounded};

use super::super::maps::{self, BOUNDS, MapReport, class_name, n_within};
use super::super::summary::DesignSummary;
use super::super::tables;
use super::setups::ReplayedSetups;
use crate::learning::PointClass;
use crate::studies::map_card::{self, MapCard};
use crate::studies::wording;

/// The most rows of the table; `maps.csv` has all maps.
const MAX_ROWS: usize = 100;

/// Returns the section that compares the maps of the steps with what chance would show.
pub(super) fn by_chance(summary: &DesignSummary<'_>) -> Option<FindingSection> {
    let n = summary.chosen().count();
    let decided = summary.chosen().map(|shown| shown.simulated.results.decided()).min();
    let decided = decided.filter(|decided| *decided != 0)?;
    let least = summary.chosen().filter_map(MapReport::observed).min_by(f64::total_cmp)?;
    let (expected, expected_least) = maps::by_chance(n, decided);
    let mut rows: Vec<(String, String, String)> = Vec::new();
    for ((_, bound), expected) in BOUNDS.iter().zip(expected) {
        let found = n_within(summary.chosen(), *bound).to_string();
        let name = format!("maps with a spread of at most {bound}");
        rows.push((name, found, rounded(expected, 1)));
    }
    rows.push(("least spread".to_owned(), rounded(least, 2), rounded(expected_least, 2)));
    let caption = format!(
        "Of the {} that were chosen, beside what chance alone would show if all of them were \
         perfectly even. Spreads are of observed rates, in percentage points.",
        counted(n, "map")
    );
    let table = DataTable::on_page(&rows)
        .text("quantity", |(name, ..)| name)
        .words("found", |(_, found, _)| found)
        .words("if all were even", |(.., expected)| expected)
        .block(caption);
    Some(FindingSection::new("The maps of the steps", vec![table]))
}

/// Returns the section with the most even and the most uneven maps as cards.
pub(super) fn cards(
    summary: &DesignSummary<'_>,
    setups: &ReplayedSetups<'_>,
) -> Option<FindingSection> {
    let mut cards: Vec<MapCard<'_>> = Vec::new();
    for (role, shown) in summary.pictured() {
        let map = &shown.simulated.map;
        // The most even map of all is often one that was called good.
        if let Some(known) = cards.iter_mut().find(|card| card.map == map) {
            known.title = format!("{}, {}", known.title, role.words);
            continue;
        }
        let sigma = shown.balance.map(|balance| wording::points(balance.spread.sigma));
        cards.push(MapCard {
            title: role.words.to_owned(),
            note: RichText::new(format!("{}, sigma ", shown.origin())).join(words::or_dash(sigma)),
            verdict: Some(verdict(shown.class)),
            map,
            balance: shown.balance,
            opening: setups.of_map(shown),
        });
    }
    let blocks = map_card::blocks(cards);
    let heading = "The most even and the most uneven maps";
    (!blocks.is_empty()).then(|| FindingSection::new(heading, blocks))
}

fn verdict(class: PointClass) -> CardVerdict {
    let kind = match class {
        PointClass::Positive => VerdictKind::Good,
        PointClass::Negative => VerdictKind::Bad,
        PointClass::Unlabelled => VerdictKind::Open,
    };
    CardVerdict { word: class_name(class).to_owned(), kind }
}

/// Returns the section with every map's numbers.
pub(super) fn table(summary: &DesignSummary<'_>) -> FindingSection {
    let shown = &summary.maps[..summary.maps.len().min(MAX_ROWS)];
    let caption = "Score: the classifier's; above 0 it calls a map good. By games: the label right \
                   after the step; unclear is without label. Win rates in percent of decided \
                   games, spread and sigma in percentage points.";
    let mut blocks = vec![tables::maps(shown).block(caption)];
    let left_out = summary.maps.len().saturating_sub(MAX_ROWS) as u64;
    blocks.extend((left_out != 0).then(|| wording::left_out(left_out)));
    FindingSection::new("All maps of the start and of the steps", blocks)
}
