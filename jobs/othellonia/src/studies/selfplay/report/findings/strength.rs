//! How well networks play: at the last look, by decks, by seeds, and from look to look.

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::{FindingBlock, FindingCard, FindingSection, RichText};
use hatchery_core::table::{DataTable, TableColumns};
use hatchery_core::text::counted;

use crate::studies::network_findings::{self, ArmNetworks};
use crate::studies::selfplay::check::CheckedSelfplay;
use crate::studies::selfplay::report::arms::{ArmCurve, ArmLook, RunView};
use crate::studies::selfplay::report::charts::{matchup_chart, win_rate_charts};
use crate::studies::selfplay::report::scalars::look_games;
use crate::studies::win_rates::{sum, win_rate};

/// The most looks of an arm in a table: the others are in the table of curves.
const MAX_LOOKS: usize = 10;
/// The most decks of a table of match-ups, and the most tables.
const MAX_DECKS: usize = 8;
const MAX_CARDS: usize = 8;

/// Returns the curves of win rates, and the last look at each arm.
pub(super) fn strength(run: &RunView<'_>) -> Option<FindingSection> {
    let RunView { checked, curves, .. } = *run;
    if curves.iter().all(|curve| curve.looks.is_empty()) {
        return None;
    }
    let caption = "Share of games won at each look, by games to learn from. Lines are intervals \
                   at 95 %; a network as good as its opponent is at 50 %, and one that has not \
                   learned wins about half of its games against the random agent.";
    let charts = win_rate_charts(checked, curves).into_iter();
    let charts = charts.map(|(name, chart)| {
        let caption = match name.strip_prefix("learning-curves-") {
            Some(opponent) => format!("Against {opponent}. {caption}"),
            None => caption.to_owned(),
        };
        FindingBlock::figure(name, chart.picture(), caption)
    });
    let mut blocks: Vec<_> = charts.collect();
    let columns = DataTable::on_page(curves)
        .text("Encoding", |curve| curve.arm.words())
        .count("Games to learn from", |curve| Some(curve.looks.last()?.games))
        .count("Steps", |curve| Some(curve.looks.last()?.steps))
        .count("Games with each", |curve| {
            let games = curve.looks.last().and_then(|look| look.opponents.first());
            games.map_or(0, |games| games.iter().sum::<u64>())
        });
    let caption = "Games won at the last look by opponent, of all networks of an arm together.";
    let columns = with_rates(columns, checked, |curve, at| curve.looks.last()?.rate(at));
    blocks.push(columns.block(caption));
    Some(FindingSection::new("Strength", blocks))
}

/// Returns the win rates of the last look by decks, for few decks.
pub(super) fn matchups(run: &RunView<'_>) -> Option<FindingSection> {
    let RunView { checked, curves, .. } = *run;
    if !(2..=MAX_DECKS).contains(&checked.decks.len()) {
        return None;
    }
    let mut cards = Vec::new();
    for curve in curves {
        let Some(look) = curve.looks.last() else { continue };
        for (at, opponent) in checked.opponents.iter().enumerate() {
            let games = pooled_matchups(checked, curve, look, at);
            let title = format!("{} against {}", curve.arm.words(), opponent.name);
            let picture = matchup_chart(checked, format!("Games won, {title}"), &games).picture();
            let each = games.first().map_or(0, |&games| win_rate(games).n);
            let all = win_rate(sum(games));
            let note = RichText::new("won ")
                .join(RichText::percent(all))
                .plain(format!("; {} in each cell", counted(each, "game")));
            cards.push(FindingCard { title, note, verdict: None, pictures: vec![picture] });
        }
    }
    let about = RichText::new(
        "Games won at the last look, in percent: the deck of the network by row, that of its \
         opponent by column. All counts and intervals are in ",
    );
    cards.truncate(MAX_CARDS);
    let blocks = |cards| {
        vec![FindingBlock::text(about.code("matchups.csv").plain(".")), FindingBlock::Cards(cards)]
    };
    (!cards.is_empty()).then(|| FindingSection::new("Deck against deck", blocks(cards)))
}

/// Returns the games by every network that has an arm's last look, by match-up.
fn pooled_matchups(
    checked: &CheckedSelfplay,
    curve: &ArmCurve<'_>,
    look: &ArmLook,
    opponent: usize,
) -> Vec<[u64; 3]> {
    let mut games = vec![[0; 3]; checked.decks.len().pow(2)];
    for network in &curve.networks {
        let last = network.looks.last();
        let last = last.filter(|last| look_games(checked, network, last) == look.games);
        let against = last.and_then(|last| last.opponents.get(opponent));
        for (all, counts) in games.iter_mut().zip(against.iter().flat_map(|it| &it.matchups)) {
            *all = sum([*all, counts.games()]);
        }
    }
    games
}

/// Returns the last look at each network of the arms that have several, and their mean.
pub(super) fn seeds(run: &RunView<'_>) -> Option<FindingSection> {
    let arms = run.curves.iter().filter_map(|curve| {
        Some(ArmNetworks { arm: curve.arm, games: curve.looks.last()?.by_network.clone() })
    });
    let heads: Vec<_> = opponent_heads(run.checked).collect();
    network_findings::seeds(arms, &heads)
}

/// Returns some looks at each arm, and whether win rates rose.
pub(super) fn learning(run: &RunView<'_>) -> Option<FindingSection> {
    let RunView { checked, curves, .. } = *run;
    let mut blocks = Vec::new();
    for curve in curves.iter().filter(|curve| 1 < curve.looks.len()) {
        let n_looks = curve.looks.len();
        let n_shown = n_looks.min(MAX_LOOKS);
        // The first and the last look, and evenly spaced ones between.
        let shown = (0..n_shown).map(|at| &curve.looks[at * (n_looks - 1) / (n_shown - 1)]);
        let shown: Vec<_> = shown.collect();
        let columns = DataTable::on_page(&shown)
            .count("Games to learn from", |look| look.games)
            .count("Steps", |look| look.steps);
        let caption = format!("Looks at networks with {}.", curve.arm.words());
        blocks.push(with_rates(columns, checked, |look, at| look.rate(at)).block(caption));
        let opponents = checked.opponents.iter().enumerate();
        let trends = opponents.filter_map(|(at, opponent)| {
            Some(format!("Against {} it {}.", opponent.name, trend(&curve.looks, at)?).into())
        });
        let about = format!(
            "The win rate with {}, from the first look to the last one:",
            curve.arm.words()
        );
        blocks.push(FindingBlock::text(about));
        blocks.push(FindingBlock::List(trends.collect()));
    }
    (!blocks.is_empty()).then(|| FindingSection::new("From look to look", blocks))
}

/// Returns how win rates moved from the first look to the last one.
fn trend(looks: &[ArmLook], opponent: usize) -> Option<String> {
    let rates: Vec<_> = looks.iter().filter_map(|look| look.rate(opponent)).collect();
    let (first, last) = (rates.first()?, rates.last()?);
    let change = match (first.high < last.low, last.high < first.low) {
        (true, _) => "rose",
        (_, true) => "fell",
        _ => "neither rose nor fell beyond the intervals",
    };
    let n_rises = rates.windows(2).filter(|pair| pair[0].mean < pair[1].mean).count();
    let later = counted(rates.len() as u64 - 1, "later look");
    Some(format!("{change}, and was higher than at the look before in {n_rises} of {later}"))
}

/// Adds a column of win rates against each opponent.
fn with_rates<'a, R>(
    columns: TableColumns<'a, R>,
    checked: &CheckedSelfplay,
    rate: impl Fn(&'a R, usize) -> Option<IntervalEstimate>,
) -> TableColumns<'a, R> {
    columns.each(opponent_heads(checked).enumerate(), |columns, (at, head)| {
        columns.share(head, 1, |row| rate(row, at))
    })
}

/// Returns the heads of the columns of win rates against each opponent.
fn opponent_heads(checked: &CheckedSelfplay) -> impl Iterator<Item = String> {
    checked.opponents.iter().map(|opponent| format!("Against {}", opponent.name))
}
