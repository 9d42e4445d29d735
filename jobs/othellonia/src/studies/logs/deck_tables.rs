//! The tables about decks that were made from a run's decks.

use std::cmp::Reverse;

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::{FindingBlock, RichText, words};
use hatchery_core::table::{DataTable, TableColumns};
use hatchery_core::text::{counted, grouped, joined};
use hatchery_stats::error::ErrorRate;
use hatchery_stats::wilson_interval;

use super::spec::CheckedLogs;
use crate::generate::Archetype;
use crate::mining::{DeckCluster, MinedDeck, MinedDecks, UsedDeck};
use crate::rules::Attribute;
use crate::studies::finding_parts::piece_name;

/// The most sets and the most rules in the tables.
const MAX_ROWS: usize = 10;

/// A cluster is mainly of an attribute that more than half of the pieces of its decks have.
const MAIN_PIECES: f64 = 8.0;

/// The decks that were made from a run's decks.
pub(super) struct DeckTables<'a> {
    pub(super) checked: &'a CheckedLogs,
    pub(super) used: &'a [UsedDeck],
    pub(super) mined: &'a MinedDecks,
}

impl DeckTables<'_> {
    /// Returns the tables.
    pub(super) fn blocks(&self) -> Vec<FindingBlock> {
        let about = RichText::new(
            "Decks made of those of the run by association rules, Ward's method and k-means (Kono \
             et al., 9.2.1; the settings are our own). ",
        );
        let about = about.code("mined-decks.toml").plain(format!(
            " has {} for evaluation and {} for training, to be pasted into a spec of the same \
             pool.",
            grouped(self.mined.evaluation.len()),
            grouped(self.mined.training.len()),
        ));
        vec![
            FindingBlock::text(about),
            self.evaluation(),
            self.clusters(),
            self.sets(),
            self.rules(),
        ]
    }

    fn evaluation(&self) -> FindingBlock {
        let definitions = self.checked.pool.definitions();
        let cost = |deck: &MinedDeck| {
            let costs =
                deck.definition.pieces.iter().map(|&piece| definitions[piece as usize].cost);
            costs.sum::<u32>().to_string()
        };
        let table = DataTable::on_page(&self.mined.evaluation)
            .text("Deck for evaluation", |deck| &deck.name)
            .text("Cluster", |deck| {
                deck.cluster.map_or_else(|| "all decks".to_owned(), |it| it.to_string())
            });
        attribute_columns(table, 0, |deck| {
            self.attributes(&deck.definition.pieces).map(|n| ratio(n as u64, 1))
        })
        .words("Cost", cost)
        .text("Leader", |deck| self.pieces(&[deck.definition.leader]))
        .block("Decks for evaluation, with their pieces by attribute.")
    }

    /// Returns the clusters with their mean numbers of pieces by attribute. Wins are the wins in
    /// games against other decks, including decks from the same cluster.
    fn clusters(&self) -> FindingBlock {
        let used = |deck: &usize| &self.used[*deck];
        let means = |(_, cluster): &(usize, &DeckCluster)| {
            let counts =
                cluster.decks.iter().map(|deck| self.attributes(&used(deck).definition.pieces));
            let sums = counts.fold([0; 3], |sums, n| std::array::from_fn(|at| sums[at] + n[at]));
            sums.map(|sum| ratio(sum as u64, cluster.decks.len() as u64))
        };
        let won_of = |(_, cluster): &(usize, &DeckCluster)| {
            let games = cluster.decks.iter().map(used);
            won(games.fold([0; 2], |[wins, games], deck| {
                [wins + u64::from(deck.wins), games + u64::from(deck.games)]
            }))
        };
        let share = |deck: &usize| ratio(used(deck).wins.into(), used(deck).games.into());
        let best = |(_, cluster): &(usize, &DeckCluster)| {
            // Of equal decks, the first.
            let best = cluster.decks.iter().rev().max_by(|a, b| share(a).total_cmp(&share(b)));
            best.map_or_else(String::new, |deck| {
                let name = &self.checked.decks[*deck].name;
                format!("{name}: {}", words::percent(share(deck), 1))
            })
        };
        let clusters: Vec<_> = self.mined.clusters.iter().enumerate().collect();
        let table = DataTable::on_page(&clusters)
            .text("Cluster", |(number, _)| number.to_string())
            .count("Decks", |(_, cluster)| cluster.decks.len())
            .text("Mainly", |row| main_archetype(means(row)));
        let caption = "Clusters of decks, with the mean numbers of pieces of each attribute. The \
                       best deck is the best of its cluster in these games: its share reads too \
                       high.";
        attribute_columns(table, 1, means)
            .share("Wins", 1, won_of)
            .text("Best deck", best)
            .block(caption)
    }

    /// Returns the sets from all clusters. Sets with the most pieces times decks come first.
    fn sets(&self) -> FindingBlock {
        let mut sets = self.of_clusters(|cluster| &cluster.sets);
        sets.sort_by_key(|(_, set)| Reverse((set.items.len() * set.count, set.items.len())));
        sets.truncate(MAX_ROWS);
        DataTable::on_page(&sets)
            .text("Pieces that go together", |(_, set)| self.pieces(&set.items))
            .text("Cluster", |(cluster, _)| cluster.to_string())
            .count("Winning decks", |(_, set)| set.count)
            .block("Sets of pieces of winning decks.")
    }

    /// Returns the rules from all clusters. Rules that hold for the most decks come first.
    fn rules(&self) -> FindingBlock {
        let mut rules = self.of_clusters(|cluster| &cluster.rules);
        rules.sort_by(|(_, a), (_, b)| {
            b.count.cmp(&a.count).then(b.confidence().total_cmp(&a.confidence()))
        });
        rules.truncate(MAX_ROWS);
        DataTable::on_page(&rules)
            .text("Decks with", |(_, rule)| self.pieces(&rule.antecedent))
            .text("Tend to have", |(_, rule)| self.pieces(&rule.consequent))
            .text("Cluster", |(cluster, _)| cluster.to_string())
            .words("Confidence", |(_, rule)| words::percent(rule.confidence(), 0))
            .number("Lift", 1, |(_, rule)| rule.lift())
            .words("Winning decks", |(_, rule)| {
                format!("{} of {}", rule.count, counted(rule.n_baskets, "deck"))
            })
            .block("Association rules of winning decks.")
    }

    /// Returns what the clusters have, each with the number of its cluster.
    fn of_clusters<T>(&self, of: impl Fn(&DeckCluster) -> &Vec<T>) -> Vec<(usize, &T)> {
        let clusters = self.mined.clusters.iter().enumerate();
        clusters.flat_map(|(at, cluster)| of(cluster).iter().map(move |it| (at, it))).collect()
    }

    /// Returns the numbers of pieces by attribute.
    fn attributes(&self, pieces: &[u32]) -> [usize; 3] {
        let definitions = self.checked.pool.definitions();
        Attribute::ALL.map(|attribute| {
            let is_of = |piece: &&u32| definitions[**piece as usize].attribute == attribute;
            pieces.iter().filter(is_of).count()
        })
    }

    /// Returns the names of pieces.
    fn pieces(&self, pieces: &[u32]) -> String {
        let names = pieces.iter().map(|&piece| piece_name(&self.checked.pool, piece));
        joined(names)
    }
}

/// Adds the numbers of pieces by attribute.
fn attribute_columns<'a, R>(
    table: TableColumns<'a, R>,
    digits: usize,
    numbers: impl Fn(&'a R) -> [f64; 3],
) -> TableColumns<'a, R> {
    table.each(["God", "Demon", "Dragon"].into_iter().enumerate(), |table, (at, name)| {
        table.number(name, digits, |row| numbers(row)[at])
    })
}

/// Returns the share of won games with the interval of Wilson.
fn won([wins, games]: [u64; 2]) -> IntervalEstimate {
    let share = wilson_interval(wins.min(games), games, ErrorRate::FIVE_PERCENT);
    share.expect("wins are among the games")
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
