//! Parts of findings on networks that learn: their files, and their win rates by seed.

use hatchery_core::findings::{FindingSection, RichText};
use hatchery_core::text::grouped;
use hatchery_core::{DataTable, IntervalEstimate, Part};

use super::finding_parts::{agent_line, vectors_line};
use super::win_rates::{NetworkGames, win_rate};
use crate::learning::StoredLearner;
use crate::params::encoding_param::{ArmSeed, EncodingParam, agent_file};

/// The most agents whose spec lines are shown.
const MAX_AGENTS: usize = 8;

/// Returns the parameters that give other runs the networks and the vectors: key, value and
/// description.
pub(super) fn file_lines<'a>(
    networks: impl Iterator<Item = (&'a ArmSeed, &'a Option<StoredLearner>)>,
    vectors: Option<Part>,
) -> Vec<(&'static str, String, RichText)> {
    let agents = networks.filter_map(|(network, learner)| {
        let file = RichText::new("an agent, ").code(agent_file(*network));
        Some(("agent", agent_line(learner.as_ref()?.model), file))
    });
    let mut lines: Vec<_> = agents.take(MAX_AGENTS).collect();
    lines.extend(vectors.map(|vectors| {
        let file = RichText::new("the vectors, ").code("vectors.safetensors");
        ("vectors", vectors_line(vectors), file)
    }));
    lines
}

/// The networks of an arm at their last look.
pub(super) struct ArmNetworks {
    pub(super) arm: EncodingParam,
    /// Losses, draws and wins of each network, by opponent.
    pub(super) games: Vec<Vec<[u64; 3]>>,
}

/// A network, or the mean of an arm's networks.
struct SeedRow {
    arm: EncodingParam,
    name: String,
    /// The win rates by opponent.
    rates: Vec<Option<IntervalEstimate>>,
}

/// Returns the win rates of each network of the arms that have several, and their means. `heads`
/// are the heads of the columns, one for each opponent. `None` if no arm has several networks.
pub(super) fn seeds(
    arms: impl IntoIterator<Item = ArmNetworks>,
    heads: &[String],
) -> Option<FindingSection> {
    let mut rows = Vec::new();
    for ArmNetworks { arm, games } in arms.into_iter().filter(|it| 1 < it.games.len()) {
        let rates = |games: &Vec<_>| games.iter().map(|&games| Some(win_rate(games))).collect();
        let networks = (1_u64..).zip(&games);
        rows.extend(networks.map(|(number, games)| SeedRow {
            arm,
            name: grouped(number),
            rates: rates(games),
        }));
        let means = (0..heads.len()).map(|opponent| {
            let games = games.iter().filter_map(|games| games.get(opponent)).copied();
            NetworkGames(&games.collect::<Vec<_>>()).mean_of_networks()
        });
        rows.push(SeedRow { arm, name: "mean".to_owned(), rates: means.collect() });
    }
    let caption = "Each network at the last look, with the interval of Wilson, and the mean of an \
                   arm's networks with Student's interval at 95 %, over networks: what another \
                   seed would give.";
    let table = DataTable::on_page(&rows)
        .text("Encoding", |row| row.arm.words())
        .text("Network", |row| &row.name)
        .each(heads.iter().enumerate(), |table, (at, head)| {
            table.share(head.as_str(), 1, |row| row.rates.get(at).copied().flatten())
        });
    (!rows.is_empty()).then(|| FindingSection::new("Seeds", vec![table.block(caption)]))
}
