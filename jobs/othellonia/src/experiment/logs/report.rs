//! The report.

use std::cmp::Reverse;
use std::fmt::Write as _;

use hatchery_core::error_chain;
use hatchery_core::text::TAKES_ALL;

use super::mined::MinedLogs;
use super::spec::CheckedLogs;
use super::state::LogsState;
use crate::generate::Archetype;
use crate::mining::{DeckCluster, MinedDeck, MinedDecks, UsedDeck};
use crate::rules::Attribute;

/// The most sets and the most rules in the tables.
const MAX_ROWS: usize = 10;

/// A cluster is mainly of an attribute that more than half of the pieces of its decks have.
const MAIN_PIECES: f64 = 8.0;

/// Returns the report.
pub(super) fn report(checked: &CheckedLogs, state: &LogsState, mined: &MinedLogs) -> String {
    let mut text = "# Recorded games\n\n".to_owned();
    let mut line = |line: String| writeln!(text, "- {line}").expect(TAKES_ALL);
    let (games, placements) = (state.sums.games, state.sums.placements);
    line(format!("games: {games} with {placements} placements"));
    line(format!("agents: {}", checked.agent_names.join(", ")));
    line(format!("decks: {}, kinds of pieces: {}", checked.decks.len(), checked.pool.len()));
    text.push_str("\n## Decks\n\n");
    match &mined.decks {
        Ok(decks) => {
            let tables = DeckTables { checked, used: &mined.used, mined: decks };
            text.push_str(&tables.text());
        }
        Err(error) => {
            let reason = error_chain(error);
            writeln!(text, "No decks are made of those of this run: {reason}.").expect(TAKES_ALL);
        }
    }
    text
}

/// The tables of decks that were made of those of a run.
struct DeckTables<'a> {
    checked: &'a CheckedLogs,
    used: &'a [UsedDeck],
    mined: &'a MinedDecks,
}

impl DeckTables<'_> {
    fn text(&self) -> String {
        format!(
            "Decks made of those of the run by association rules, Ward's method and k-means (Kono \
             et al., 9.2.1; the settings are our own). `mined-decks.toml` has {} for evaluation \
             and {} for training, to be pasted into a spec of the same pool.\n\n{}\n{}\n{}\n{}",
            self.mined.evaluation.len(),
            self.mined.training.len(),
            self.evaluation(),
            self.clusters(),
            self.sets(),
            self.rules(),
        )
    }

    fn evaluation(&self) -> String {
        let mut text = "| deck for evaluation | cluster | god | demon | dragon | cost | leader \
                        |\n|---|---|---|---|---|---|---|\n"
            .to_owned();
        for MinedDeck { name, definition, cluster, .. } in &self.mined.evaluation {
            let cluster = cluster.map_or_else(|| "all decks".to_owned(), |it| it.to_string());
            let [god, demon, dragon] = self.attributes(&definition.pieces);
            let definitions = self.checked.pool.definitions();
            let cost: u32 =
                definition.pieces.iter().map(|piece| definitions[*piece as usize].cost).sum();
            let leader = self.pieces(&[definition.leader]);
            writeln!(
                text,
                "| {name} | {cluster} | {god} | {demon} | {dragon} | {cost} | {leader} |"
            )
            .expect(TAKES_ALL);
        }
        text
    }

    /// Returns the clusters with the mean numbers of pieces of each attribute. Wins are those in
    /// games against other decks, those of the same cluster among them.
    fn clusters(&self) -> String {
        let mut text = "| cluster | decks | mainly | god | demon | dragon | wins | best deck \
                        |\n|---|---|---|---|---|---|---|---|\n"
            .to_owned();
        for (number, DeckCluster { decks, .. }) in self.mined.clusters.iter().enumerate() {
            let mut sums = [0; 3];
            let mut results = [0_u64; 2];
            for &deck in decks {
                let UsedDeck { definition, wins, games } = &self.used[deck];
                let counts = self.attributes(&definition.pieces);
                sums.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
                results[0] += u64::from(*wins);
                results[1] += u64::from(*games);
            }
            let n_decks = decks.len();
            let [god, demon, dragon] = sums.map(|sum| ratio(sum as u64, n_decks as u64));
            let wins = 100.0 * ratio(results[0], results[1]);
            let share = |deck: &usize| {
                let UsedDeck { wins, games, .. } = self.used[*deck];
                ratio(wins.into(), games.into())
            };
            // Of equal decks, the first.
            let best = decks.iter().rev().max_by(|a, b| share(a).total_cmp(&share(b)));
            let best = best.map_or_else(String::new, |deck| {
                format!("{}: {:.1} %", self.checked.decks[*deck].name, 100.0 * share(deck))
            });
            let mainly = main_archetype([god, demon, dragon]);
            writeln!(
                text,
                "| {number} | {n_decks} | {mainly} | {god:.1} | {demon:.1} | {dragon:.1} | \
                 {wins:.1} % | {best} |"
            )
            .expect(TAKES_ALL);
        }
        text
    }

    /// Returns the sets of all clusters, those with the most pieces times decks first.
    fn sets(&self) -> String {
        let mut text =
            "| pieces that go together | cluster | winning decks |\n|---|---|---|\n".to_owned();
        let mut sets = self.of_clusters(|cluster| &cluster.sets);
        sets.sort_by_key(|(_, set)| Reverse((set.items.len() * set.count, set.items.len())));
        for (cluster, set) in sets.into_iter().take(MAX_ROWS) {
            let pieces = self.pieces(&set.items);
            writeln!(text, "| {pieces} | {cluster} | {} |", set.count).expect(TAKES_ALL);
        }
        text
    }

    /// Returns the rules of all clusters, those of the most decks first.
    fn rules(&self) -> String {
        let mut text = "| decks with | tend to have | cluster | confidence | lift | winning decks \
                        |\n|---|---|---|---|---|---|\n"
            .to_owned();
        let mut rules = self.of_clusters(|cluster| &cluster.rules);
        rules.sort_by(|(_, a), (_, b)| {
            b.count.cmp(&a.count).then(b.confidence().total_cmp(&a.confidence()))
        });
        for (cluster, rule) in rules.into_iter().take(MAX_ROWS) {
            let [with, have] = [&rule.antecedent, &rule.consequent].map(|it| self.pieces(it));
            let (confidence, lift) = (100.0 * rule.confidence(), rule.lift());
            let (count, n_decks) = (rule.count, rule.n_baskets);
            writeln!(
                text,
                "| {with} | {have} | {cluster} | {confidence:.0} % | {lift:.1} | {count} of \
                 {n_decks} |"
            )
            .expect(TAKES_ALL);
        }
        text
    }

    /// Returns what the clusters have, each with the number of its cluster.
    fn of_clusters<T>(&self, of: impl Fn(&DeckCluster) -> &Vec<T>) -> Vec<(usize, &T)> {
        let clusters = self.mined.clusters.iter().enumerate();
        clusters.flat_map(|(at, cluster)| of(cluster).iter().map(move |it| (at, it))).collect()
    }

    /// Returns the number of pieces of each attribute.
    fn attributes(&self, pieces: &[u32]) -> [usize; 3] {
        let definitions = self.checked.pool.definitions();
        Attribute::ALL.map(|attribute| {
            let is_of = |piece: &&u32| definitions[**piece as usize].attribute == attribute;
            pieces.iter().filter(is_of).count()
        })
    }

    /// Returns the names of pieces as a cell of a table.
    fn pieces(&self, pieces: &[u32]) -> String {
        let definitions = self.checked.pool.definitions();
        let name = |piece: &u32| {
            format!("{} ({piece})", definitions[*piece as usize].name.replace('|', "/"))
        };
        pieces.iter().map(name).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the name of the archetype of the attribute that more than half of the pieces have.
fn main_archetype(means: [f64; 3]) -> &'static str {
    let mut counts = Attribute::ALL.into_iter().zip(means);
    let main = counts.find(|(_, mean)| MAIN_PIECES < *mean);
    let of = |attribute: Attribute| {
        Archetype::ALL.into_iter().find(|archetype| archetype.attribute() == attribute)
    };
    main.and_then(|(attribute, _)| of(attribute)).map_or("mixed", Archetype::name)
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn ratio(n: u64, of: u64) -> f64 {
    n as f64 / of.max(1) as f64
}
