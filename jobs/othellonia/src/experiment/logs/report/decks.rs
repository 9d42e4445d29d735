//! The tables about decks that were made from a run's decks.

use std::cmp::Reverse;

use hatchery_core::IntervalEstimate;
use hatchery_core::findings::{FindingBlock, RichText, TableHead};
use hatchery_core::text::{counted, grouped};
use hatchery_stats::error::ErrorRate;
use hatchery_stats::wilson_interval;

use crate::experiment::finding_parts::{listed, piece_name};
use crate::experiment::logs::spec::CheckedLogs;
use crate::generate::Archetype;
use crate::mining::{DeckCluster, MinedDeck, MinedDecks, UsedDeck};
use crate::rules::Attribute;

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
        let row = |MinedDeck { name, definition, cluster, .. }: &MinedDeck| {
            let cluster = cluster.map_or_else(|| "all decks".to_owned(), |it| it.to_string());
            let cost: u32 =
                definition.pieces.iter().map(|piece| definitions[*piece as usize].cost).sum();
            let mut row: Vec<RichText> = vec![name.clone().into(), cluster.into()];
            row.extend(self.attributes(&definition.pieces).map(|n| n.to_string().into()));
            row.extend([cost.to_string().into(), self.pieces(&[definition.leader]).into()]);
            row
        };
        let columns = vec![
            TableHead::text("Deck for evaluation"),
            TableHead::text("Cluster"),
            TableHead::number("God"),
            TableHead::number("Demon"),
            TableHead::number("Dragon"),
            TableHead::number("Cost"),
            TableHead::text("Leader"),
        ];
        let caption = "Decks for evaluation, with their pieces by attribute.";
        FindingBlock::table(caption, columns, self.mined.evaluation.iter().map(row).collect())
    }

    /// Returns the clusters with their mean numbers of pieces by attribute. Wins are the wins in
    /// games against other decks, including decks from the same cluster.
    fn clusters(&self) -> FindingBlock {
        let row = |(number, DeckCluster { decks, .. }): (usize, &DeckCluster)| {
            let mut sums = [0; 3];
            let mut results = [0_u64; 2];
            for &deck in decks {
                let UsedDeck { definition, wins, games } = &self.used[deck];
                let counts = self.attributes(&definition.pieces);
                sums.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
                results[0] += u64::from(*wins);
                results[1] += u64::from(*games);
            }
            let n_decks = decks.len() as u64;
            let means = sums.map(|sum| ratio(sum as u64, n_decks));
            let share = |deck: &usize| {
                let UsedDeck { wins, games, .. } = self.used[*deck];
                ratio(wins.into(), games.into())
            };
            // Of equal decks, the first.
            let best = decks.iter().rev().max_by(|a, b| share(a).total_cmp(&share(b)));
            let best = best.map_or_else(String::new, |deck| {
                format!("{}: {:.1} %", self.checked.decks[*deck].name, 100.0 * share(deck))
            });
            let mut row: Vec<RichText> = vec![
                number.to_string().into(),
                grouped(n_decks).into(),
                main_archetype(means).into(),
            ];
            row.extend(means.map(|mean| format!("{mean:.1}").into()));
            row.extend([RichText::percent(won(results)), best.into()]);
            row
        };
        let columns = vec![
            TableHead::text("Cluster"),
            TableHead::number("Decks"),
            TableHead::text("Mainly"),
            TableHead::number("God"),
            TableHead::number("Demon"),
            TableHead::number("Dragon"),
            TableHead::number("Wins"),
            TableHead::text("Best deck"),
        ];
        let caption = "Clusters of decks, with the mean numbers of pieces of each attribute. The \
                       best deck is the best of its cluster in these games: its share reads too \
                       high.";
        let clusters = self.mined.clusters.iter().enumerate();
        FindingBlock::table(caption, columns, clusters.map(row).collect())
    }

    /// Returns the sets from all clusters. Sets with the most pieces times decks come first.
    fn sets(&self) -> FindingBlock {
        let mut sets = self.of_clusters(|cluster| &cluster.sets);
        sets.sort_by_key(|(_, set)| Reverse((set.items.len() * set.count, set.items.len())));
        let rows = sets.into_iter().take(MAX_ROWS).map(|(cluster, set)| {
            let decks = grouped(set.count);
            vec![self.pieces(&set.items).into(), cluster.to_string().into(), decks.into()]
        });
        let columns = vec![
            TableHead::text("Pieces that go together"),
            TableHead::text("Cluster"),
            TableHead::number("Winning decks"),
        ];
        FindingBlock::table("Sets of pieces of winning decks.", columns, rows.collect())
    }

    /// Returns the rules from all clusters. Rules that hold for the most decks come first.
    fn rules(&self) -> FindingBlock {
        let mut rules = self.of_clusters(|cluster| &cluster.rules);
        rules.sort_by(|(_, a), (_, b)| {
            b.count.cmp(&a.count).then(b.confidence().total_cmp(&a.confidence()))
        });
        let rows = rules.into_iter().take(MAX_ROWS).map(|(cluster, rule)| {
            vec![
                self.pieces(&rule.antecedent).into(),
                self.pieces(&rule.consequent).into(),
                cluster.to_string().into(),
                format!("{:.0} %", 100.0 * rule.confidence()).into(),
                format!("{:.1}", rule.lift()).into(),
                format!("{} of {}", rule.count, counted(rule.n_baskets, "deck")).into(),
            ]
        });
        let columns = vec![
            TableHead::text("Decks with"),
            TableHead::text("Tend to have"),
            TableHead::text("Cluster"),
            TableHead::number("Confidence"),
            TableHead::number("Lift"),
            TableHead::number("Winning decks"),
        ];
        FindingBlock::table("Association rules of winning decks.", columns, rows.collect())
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
        listed(&names.collect::<Vec<_>>())
    }
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
