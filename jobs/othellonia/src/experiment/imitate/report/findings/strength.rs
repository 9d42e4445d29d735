//! How well networks play: by steps, decks and seeds.

use hatchery_core::findings::{FindingBlock, FindingSection, RichText, TableHead};
use hatchery_core::text::{counted, grouped};

use crate::experiment::finding_parts::cell;
use crate::experiment::imitate::report::rates::{RunView, curves_chart};
use crate::experiment::win_rates::{NetworkGames, win_rate};

/// Returns the curves of win rates, and the last look at each arm; none before the first look.
pub(super) fn strength(run: &RunView<'_>) -> Option<FindingSection> {
    let RunView { checked, curves, .. } = *run;
    let first = curves.iter().find_map(|curve| curve.looks.first())?;
    let caption = format!(
        "Share of games won against the agent {} by steps of learning. Each point is {}, its line \
         the interval at 95 %; an agent as good as its opponent is at 50 %.",
        checked.opponent_name,
        counted(first.rate().n, "game"),
    );
    let chart =
        FindingBlock::figure("learning-curves", curves_chart(checked, curves).picture(), caption);
    let rows = curves.iter().map(|curve| {
        let look = curve.looks.last().map(|look| look.rate());
        vec![
            curve.arm.words().into(),
            grouped(curve.steps).into(),
            cell(curve.loss.map(|loss| format!("{loss:.3}").into())),
            grouped(look.map_or(0, |rate| rate.n)).into(),
            cell(look.map(RichText::percent)),
        ]
    });
    let steps = format!("Steps of {}", grouped(checked.spec.learn.all_steps()));
    let columns = vec![
        TableHead::text("Encoding"),
        TableHead::number(steps),
        TableHead::number("Loss"),
        TableHead::number("Games"),
        TableHead::number("Won"),
    ];
    let caption = "The last look at each arm. The loss is that of its first network.";
    Some(FindingSection::new(
        "Strength",
        vec![chart, FindingBlock::table(caption, columns, rows.collect())],
    ))
}

/// Returns the last look by decks, or `None` before the first look and if there is only one deck.
pub(super) fn decks(run: &RunView<'_>) -> Option<FindingSection> {
    let RunView { checked, curves, .. } = *run;
    let looks: Vec<_> = curves.iter().filter_map(|it| Some((it.arm, it.looks.last()?))).collect();
    if looks.is_empty() || checked.decks.len() < 2 {
        return None;
    }
    let mut columns = vec![TableHead::text("Deck of both")];
    columns.extend(
        looks.iter().map(|(arm, _)| TableHead::number(format!("Won with {}", arm.words()))),
    );
    let rows = checked.decks.iter().enumerate().map(|(at, deck)| {
        let mut row: Vec<RichText> = vec![deck.name.clone().into()];
        let rate = |games: &[u64; 3]| RichText::percent(win_rate(*games));
        row.extend(looks.iter().map(|(_, look)| cell(look.decks.get(at).map(rate))));
        row
    });
    let caption = RichText::new("The last look by decks. ")
        .code("matchups.csv")
        .plain(" has it for each network.");
    Some(FindingSection::new(
        "By deck",
        vec![FindingBlock::table(caption, columns, rows.collect())],
    ))
}

/// Returns the last look by networks, and the mean over an arm's networks; `None` if every arm has
/// only one network.
pub(super) fn seeds(run: &RunView<'_>) -> Option<FindingSection> {
    let mut rows = Vec::new();
    for curve in run.curves {
        let Some(look) = curve.looks.last().filter(|look| 1 < look.networks.len()) else {
            continue;
        };
        for (number, &games) in (1_u64..).zip(&look.networks) {
            let number = grouped(number);
            rows.push(vec![
                curve.arm.words().into(),
                number.into(),
                RichText::percent(win_rate(games)),
            ]);
        }
        let mean = NetworkGames(&look.networks).mean_of_networks();
        let mean = cell(mean.map(RichText::percent));
        rows.push(vec![curve.arm.words().into(), "mean".into(), mean]);
    }
    if rows.is_empty() {
        return None;
    }
    let caption = "Each network at the last look, with the interval of Wilson, and the mean of an \
                   arm's networks with Student's interval at 95 %, over networks: what another \
                   seed would give.";
    let table = FindingBlock::table(
        caption,
        vec![TableHead::text("Encoding"), TableHead::text("Network"), TableHead::number("Won")],
        rows,
    );
    Some(FindingSection::new("Seeds", vec![table]))
}
