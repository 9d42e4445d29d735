//! The certificates of maps for a panel of agents, and advice on seats.

use hatchery_core::DataTable;
use hatchery_core::findings::{FindingBlock, FindingSection, RichText, words};
use hatchery_core::text::{counted, grouped};

use super::super::certificates;
use super::super::panel::{AgentVerdict, PanelMap};
use super::super::seat_advice::advice;
use super::super::summary::DesignSummary;
use super::super::tables::origin;
use super::certificates::{MAX_CARDS, given_up, rank, verdict};
use super::setups::ReplayedSetups;
use crate::players::agent_name::short_agent_name;
use crate::studies::design::certification::FinalistStatus;
use crate::studies::design::spec::CertifyParams;
use crate::studies::map_card::{self, MapCard};
use crate::studies::wording;

/// Returns the section on the certificates of maps for a panel.
pub(super) fn section(
    summary: &DesignSummary<'_>,
    certify: &CertifyParams,
    setups: &ReplayedSetups<'_>,
) -> FindingSection {
    let played = sorted(summary);
    let mut blocks = Vec::new();
    if played.is_empty() {
        blocks.push(FindingBlock::text("No map has come as far as the certification yet."));
    } else {
        let worst = |map: &&PanelMap<'_>| {
            let worst = map.worst()?;
            Some((format!("{:.12}, {}", map.map.id(), worst.name), map.sigma?.worst))
        };
        let worst: Vec<_> = played.iter().filter_map(worst).collect();
        let title = "Worst sigma of the finalists over the panel";
        let is_known = !worst.is_empty();
        let chart = wording::sigma_chart(title, certify.margin, worst);
        let caption = "The largest sigma of each finalist over the panel, with the agent that has \
                       it, by fresh games alone; certified maps first.";
        let figure = || FindingBlock::figure("finalists", chart.picture(), caption);
        blocks.extend(is_known.then(figure));
    }
    let cards = played.iter().take(MAX_CARDS).filter_map(|map| card(map, setups));
    blocks.extend(map_card::blocks(cards.collect()));
    blocks.push(FindingBlock::text(about(summary, certify)));
    if !played.is_empty() {
        blocks.push(table(summary, &played));
    }
    FindingSection::new(format!("Certificates for {}", certificates::agents(summary.spec)), blocks)
}

/// Returns the section with advice on the seats, map by map; `None` without a panel or fresh games.
pub(super) fn seats(summary: &DesignSummary<'_>) -> Option<FindingSection> {
    let played = sorted(summary);
    let of_map = |map: &&PanelMap<'_>| {
        let item = |verdict: &AgentVerdict<'_>| {
            let words = advice(verdict.seats.as_ref()?);
            Some(RichText::default().strong(verdict.name.clone()).plain(format!(": {words}.")))
        };
        let items: Vec<_> = map.verdicts.iter().filter_map(item).collect();
        let is_known = !items.is_empty();
        let name = RichText::new("Map ").join(wording::map_id(map.map));
        let name = name.plain(format!(" ({}, {}):", origin(map.origin), map.standing.name()));
        is_known.then_some([FindingBlock::Text(name), FindingBlock::List(items)])
    };
    let lists: Vec<_> = played.iter().filter_map(of_map).take(MAX_CARDS).flatten().collect();
    let is_known = !lists.is_empty();
    let percent = 100.0 * (1.0 - summary.spec.certify.as_ref()?.error_rate);
    let about = format!(
        "How often each place in the order of play wins, in percent of decided games, for four \
         copies of each agent. The intervals of a map hold for all of its seats and agents at once \
         with {} %, whichever look ended its games (Goodman's, at a level shared among agents and \
         looks). A seat to prefer has its whole interval above 25 %, a seat to avoid below.",
        words::trimmed(percent, 4)
    );
    let blocks = std::iter::once(FindingBlock::text(about)).chain(lists);
    let section = FindingSection::new("What each seat is worth", blocks.collect());
    is_known.then_some(section)
}

/// Returns the maps with fresh games: first certified maps, then open maps, then the others. Within
/// each group, maps with a smaller worst sigma come first. The worst sigma of a map is unknown if
/// all games of some agent are undecided; such a map is the last of its group.
fn sorted<'a>(summary: &'a DesignSummary<'_>) -> Vec<&'a PanelMap<'a>> {
    let has_played =
        |map: &&PanelMap<'_>| map.verdicts.iter().any(|verdict| verdict.finalist.fresh.games != 0);
    let played = summary.panel.iter().filter(has_played);
    let worst = |map: &PanelMap<'_>| map.sigma.map_or(f64::INFINITY, |sigma| sigma.worst.mean);
    let mut played: Vec<_> = played.map(|map| (map, worst(map))).collect();
    played.sort_by(|(a, of_a), (b, of_b)| {
        rank(a.standing).cmp(&rank(b.standing)).then(of_a.total_cmp(of_b))
    });
    played.into_iter().map(|(map, _)| map).collect()
}

/// Returns the card of a map with the win rates for the agent that finds it most uneven.
fn card<'a>(map: &PanelMap<'a>, setups: &ReplayedSetups<'_>) -> Option<MapCard<'a>> {
    let (sigma, worst) = (map.sigma?, map.worst()?);
    let note = RichText::new("worst sigma ").join(wording::points(sigma.worst));
    Some(MapCard {
        title: format!("{:.12}", map.map.id()),
        note: note.plain(format!(", {}", worst.name)),
        verdict: Some(verdict(map.standing)),
        map: map.map,
        balance: worst.balance,
        opening: setups.of_finalist(worst.finalist),
    })
}

fn about(summary: &DesignSummary<'_>, certify: &CertifyParams) -> String {
    let CertifyParams { margin, error_rate, wanted, futility, .. } = certify;
    let looks = summary.looks.map(|looks| looks.single.looks()).unwrap_or_default();
    let looks: Vec<String> = looks.iter().map(|&games| grouped(games)).collect();
    let n_partly = summary.panel.iter().filter(|map| map.is_partly_certified()).count() as u64;
    format!(
        "Four copies of each agent play fresh games, which had no part in a map's choice. For an \
         agent, a map is certified when its games show at a level of {error_rate} that sigma is \
         below {margin} points. A map is certified for the panel when it is for every agent. A \
         map that is not so even for some agent is certified at most with the probability of that \
         agent's error, so each agent is tested at the whole level (intersection-union test, \
         Berger 1982). Of an agent in a list of only some, the same holds by itself, not of the \
         list. That holds for each map by itself. A map is looked at after {} games of each agent; \
         the looks share the level.{} The interval of an agent's sigma has the bounds that its \
         verdict goes by. The upper bound of the worst sigma is the largest of theirs; its lower \
         bound and those of the mean share the level among the agents (Bonferroni), so that each \
         is wrong with at most {error_rate}. The win rates on cards are those of the agent with \
         the worst sigma. Wanted: {wanted}. Certified: {}. For some of the agents: {n_partly}.",
        looks.join("; "),
        given_up(*futility),
        summary.certified().count(),
    )
}

fn table(summary: &DesignSummary<'_>, played: &[&PanelMap<'_>]) -> FindingBlock {
    let caption = "Sigma of each finalist in percentage points: the worst and the mean over the \
                   panel, and for each agent with its verdict and games. Where agents are alike, \
                   the worst reads somewhat too high, because it is the largest of several \
                   estimates.";
    let certified = |map: &PanelMap<'_>| map.with(FinalistStatus::Certified).count();
    let agents = summary.spec.certified_agents().iter().map(short_agent_name).enumerate();
    DataTable::on_page(played)
        .text("map", |map| wording::map_id(map.map))
        .text("from", |map| origin(map.origin))
        .text("standing", |map| map.standing.name())
        .text("certified for", |map| format!("{} of {}", certified(map), map.verdicts.len()))
        .words("worst sigma", |map| Some(wording::points(map.sigma?.worst)))
        .words("mean sigma", |map| Some(wording::points(map.sigma?.mean)))
        .each(agents, |table, (idx, name)| table.words(name, |map| agent(&map.verdicts[idx])))
        .block(caption)
}

/// Returns the sigma of a map for an agent, with the verdict and the games.
fn agent(verdict: &AgentVerdict<'_>) -> RichText {
    let sigma = verdict.balance.map(|balance| wording::points(balance.spread.sigma));
    let games = counted(verdict.finalist.fresh.games, "game");
    let standing = verdict.finalist.status.name();
    words::or_dash(sigma).soft(format!(", {standing}, {games}"))
}
