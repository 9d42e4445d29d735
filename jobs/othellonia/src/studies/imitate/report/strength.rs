//! How well networks play: by steps, decks and seeds.

use hatchery_core::DataTable;
use hatchery_core::findings::{FindingBlock, FindingSection, RichText};
use hatchery_core::text::{counted, grouped};

use super::rates::{ArmCurve, ArmLook, RunView, curves_chart};
use crate::studies::network_findings::{self, ArmNetworks};
use crate::studies::win_rates::win_rate;

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
    let rate = |curve: &ArmCurve| curve.looks.last().map(ArmLook::rate);
    let steps = format!("Steps of {}", grouped(checked.spec.learn.all_steps()));
    let caption = "The last look at each arm. The loss is that of its first network.";
    let table = DataTable::on_page(curves)
        .text("Encoding", |curve| curve.arm.words())
        .count(steps, |curve| curve.steps)
        .number("Loss", 3, |curve| curve.loss)
        .count("Games", |curve| rate(curve).map_or(0, |rate| rate.n))
        .share("Won", 1, rate)
        .block(caption);
    Some(FindingSection::new("Strength", vec![chart, table]))
}

/// Returns the last look by decks, or `None` before the first look and if there is only one deck.
pub(super) fn decks(run: &RunView<'_>) -> Option<FindingSection> {
    let RunView { checked, curves, .. } = *run;
    let looks: Vec<_> = curves.iter().filter_map(|it| Some((it.arm, it.looks.last()?))).collect();
    if looks.is_empty() || checked.decks.len() < 2 {
        return None;
    }
    let decks: Vec<_> = checked.decks.iter().enumerate().collect();
    let caption = RichText::new("The last look by decks. ")
        .code("matchups.csv")
        .plain(" has it for each network.");
    let table = DataTable::on_page(&decks)
        .text("Deck of both", |(_, deck)| &deck.name)
        .each(&looks, |table, (arm, look)| {
            table.share(format!("Won with {}", arm.words()), 1, |(at, _)| {
                look.decks.get(*at).copied().map(win_rate)
            })
        })
        .block(caption);
    Some(FindingSection::new("By deck", vec![table]))
}

/// Returns the last look by networks, and the mean over an arm's networks; `None` if every arm has
/// only one network.
pub(super) fn seeds(run: &RunView<'_>) -> Option<FindingSection> {
    let arms = run.curves.iter().filter_map(|curve| {
        let games = curve.looks.last()?.networks.iter().map(|&games| vec![games]).collect();
        Some(ArmNetworks { arm: curve.arm, games })
    });
    network_findings::seeds(arms, &["Won".to_owned()])
}
