//! The certificates of the finalists.

use hatchery_core::findings::{CardVerdict, FindingBlock, FindingSection, RichText, VerdictKind};
use hatchery_core::text::grouped;

use super::super::certificates;
use super::super::summary::DesignSummary;
use super::super::tables;
use super::setups::ReplayedSetups;
use crate::studies::design::certification::{Finalist, FinalistStatus};
use crate::studies::design::spec::CertifyParams;
use crate::studies::map_card::{self, MapCard};
use crate::studies::wording;
use crate::trial::seat_balance::SeatBalance;

/// The most cards of finalists, certified ones first.
pub(super) const MAX_CARDS: usize = 12;

/// Returns the section on certificates, if maps are to be certified.
pub(super) fn section(
    summary: &DesignSummary<'_>,
    setups: &ReplayedSetups<'_>,
) -> Option<FindingSection> {
    let certify = summary.spec.certify.as_ref()?;
    let mut blocks = Vec::new();
    let played = sorted(summary);
    if summary.finalists.is_empty() {
        blocks.push(FindingBlock::text("No map has come as far as the certification yet."));
    }
    if !played.is_empty() {
        let sigmas = played.iter().map(|(finalist, balance)| {
            (format!("{:.12}", finalist.map.id()), balance.spread.sigma)
        });
        let chart = wording::sigma_chart("Sigma of the finalists", certify.margin, sigmas);
        let caption = "Sigma of each finalist by its fresh games alone, between the bounds that \
                       certificates go by; certified maps first.";
        blocks.push(FindingBlock::figure("finalists", chart.picture(), caption));
    }
    let cards = played.iter().take(MAX_CARDS).map(|(finalist, balance)| MapCard {
        title: format!("{:.12}", finalist.map.id()),
        note: RichText::new("sigma ").join(wording::points(balance.spread.sigma)),
        verdict: Some(verdict(finalist.status)),
        map: &finalist.map,
        balance: Some(*balance),
        opening: setups.of_finalist(finalist),
    });
    blocks.extend(map_card::blocks(cards.collect()));
    blocks.push(FindingBlock::text(about(summary, certify)));
    if !summary.finalists.is_empty() {
        blocks.push(table(summary));
    }
    let heading = format!("Certificates for {}", certificates::agents(summary.spec));
    Some(FindingSection::new(heading, blocks))
}

/// Returns the place of maps of this status in reports.
pub(super) fn rank(status: FinalistStatus) -> u8 {
    match status {
        FinalistStatus::Certified => 0,
        FinalistStatus::Open => 1,
        FinalistStatus::GivenUp => 2,
        FinalistStatus::Refuted => 3,
    }
}

/// Returns the finalists with decided fresh games: first certified finalists, then open finalists,
/// then the others. Within each group, the more even maps come first.
fn sorted<'a>(summary: &DesignSummary<'a>) -> Vec<(&'a Finalist, SeatBalance)> {
    let played = summary.finalists.iter();
    let played = played.filter_map(|it| Some((it, summary.balance(it)?)));
    let mut played: Vec<_> = played.collect();
    played.sort_by(|(a, of_a), (b, of_b)| {
        let by_spread = of_a.spread.debiased_variance.total_cmp(&of_b.spread.debiased_variance);
        rank(a.status).cmp(&rank(b.status)).then(by_spread)
    });
    played
}

pub(super) fn verdict(status: FinalistStatus) -> CardVerdict {
    let kind = match status {
        FinalistStatus::Certified => VerdictKind::Good,
        FinalistStatus::Open | FinalistStatus::GivenUp => VerdictKind::Open,
        FinalistStatus::Refuted => VerdictKind::Bad,
    };
    CardVerdict { word: status.name().to_owned(), kind }
}

fn about(summary: &DesignSummary<'_>, certify: &CertifyParams) -> String {
    let CertifyParams { margin, error_rate, wanted, futility, .. } = certify;
    let looks = summary.looks.map(|looks| looks.single.looks()).unwrap_or_default();
    let looks: Vec<String> = looks.iter().map(|&games| grouped(games)).collect();
    let given_up = given_up(*futility);
    format!(
        "A map is certified when fresh games, which had no part in its choice, show at a level of \
         {error_rate} that sigma is below {margin} points: of a map that is not so even, it is \
         said with at most that probability. It holds for {}: other players may find the same map \
         uneven. That holds for each map by itself: if all finalists \
         were just not even enough, up to one in {:.0} would be certified. A map is looked at \
         after {} games; the looks share the level, so that stopping early costs nothing. \
         Intervals of sigma have the bounds that this goes by: each is wrong with at most the \
         look's share of the level.{given_up} Wanted: {wanted}. Certified: {}.",
        certificates::agents(summary.spec),
        1.0 / error_rate,
        looks.join("; "),
        summary.certified().count(),
    )
}

/// Returns the sentence about maps that are given up; empty if none are.
pub(super) fn given_up(futility: f64) -> String {
    if futility <= 0.0 {
        return String::new();
    }
    format!(
        " A map is given up when its fresh games tell that the last look would certify it with a \
         probability of less than {futility}; so fewer of the uneven ones are refuted."
    )
}

fn table(summary: &DesignSummary<'_>) -> FindingBlock {
    let caption = "The finalists, in the order in which they were chosen. The spread when chosen \
                   reads too low, because maps were chosen by it; all numbers after it are of \
                   fresh games.";
    tables::finalists(&tables::finalist_rows(summary), false).block(caption)
}
