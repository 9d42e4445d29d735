//! Decks from the decks that players used.
//!
//! Kono et al. (§9.2.1) make the decks for learning and evaluation "automatically, as arbitrary
//! combinations of the frequent combinations of pieces", which they find by association analysis
//! (they cite Agrawal & Srikant 1994) and by clustering with Ward's method and k-means together.
//! They evaluate with four decks that were often used: three decks mainly with a single attribute
//! (god, demon, dragon), and a deck that balances all three attributes. Their logs record the games
//! of good players (§9.1).
//!
//! Everything else is open there, and our own choice here:
//!
//! 1. **What is clustered**: decks, as points with a number for each piece (1 if the deck has it)
//!    and a number for each attribute (its pieces divided by 4). If only pieces counted, two decks
//!    that share no piece would be at the greatest possible distance, even if both decks follow the
//!    same plan. The attributes make two decks with different attributes twice as far apart as two
//!    decks with the same attribute.
//! 2. **How the methods go together**: Ward's tree says how many clusters there are, that cut with
//!    the largest ratio of the variance between clusters to that within; k-means starts from the
//!    means of these clusters and moves decks that are nearer to another one.
//! 3. **Frequent combinations**: sets of 2 to `max_set` pieces that enough of a cluster's winning
//!    decks have. A winning deck has won more than half its games. Every association rule of a set
//!    must have the least confidence. The set with the most pieces times decks is the strongest.
//! 4. **Decks**: sets first, until they are half the deck, then pieces by their share of the
//!    cluster's decks; each deck counts by its wins and 1. Pieces are taken if the deck can still
//!    be completed within the cost cap. The leader is the piece that led the decks with most wins.
//!    For evaluation the strongest sets and pieces are taken, so that no draw matters; for
//!    training, both are drawn in proportion.
//! 5. **Mainly** is 9 pieces or more with the same attribute; a **balance** is from 4 to 8 pieces
//!    with every attribute. The cluster for it is the one with most wins whose decks are like that
//!    on average; without one, all decks together are the source.

mod builder;
mod clusters;
mod error;
mod sets;
mod settings;
mod source;
mod used;

pub use clusters::DeckCluster;
pub use error::MiningError;
pub use settings::MiningSettings;
pub use used::{MAX_USED_DECKS, UsedDeck};

use hatchery_core::StreamRng;
use hatchery_stats::AssociationRule;

use crate::mining::builder::{DeckBuilder, Requirement, weighted_order};
use crate::mining::source::{DeckSource, UsedPieces};
use crate::mining::used::UsedTable;
use crate::pool::{DeckDefinition, PiecePool};
use crate::rules::{Attribute, GameDeck};

/// The most draws of a training deck until it is another one than those before.
const MAX_DRAWS: u32 = 20;

/// The most rules of a cluster that are kept.
const MAX_CLUSTER_RULES: usize = 100;

/// The decks that were made of used ones.
#[derive(Clone, Debug)]
pub struct MinedDecks {
    /// The decks for evaluation: `god`, `demon`, `dragon` and `mixed`.
    pub evaluation: [MinedDeck; 4],
    /// The decks for training: `mined-1`, `mined-2` and so on, from each cluster in turn.
    pub training: Vec<MinedDeck>,
    /// The clusters of the used decks, in the order of their first decks.
    pub clusters: Vec<DeckCluster>,
    /// The association rules of the pieces of winning decks, over all clusters.
    pub rules: Vec<AssociationRule>,
}

/// A deck that was made of used ones.
#[derive(Clone, Debug)]
pub struct MinedDeck {
    /// Its name.
    pub name: String,
    /// Its pieces and its leader, by their numbers in the pool.
    pub definition: DeckDefinition,
    /// The deck as the rules see it.
    pub deck: GameDeck,
    /// The index of the cluster behind the deck; `None` if the deck was made from all used decks.
    pub cluster: Option<usize>,
}

/// Makes decks of the `used` ones of a pool; only those for training depend on `rng`.
///
/// Training decks differ from each other as long as 20 draws find another one.
///
/// # Errors
/// If there are no or more than 1,000 used decks, one is no deck of the pool or won more games than
/// it played, a setting is out of its range, the used decks have too few pieces for the decks, or
/// too expensive ones, or more than 100,000 sets or 200,000 rules are frequent enough.
pub fn mine_decks(
    used: &[UsedDeck],
    pool: &PiecePool,
    settings: &MiningSettings,
    rng: &mut StreamRng,
) -> Result<MinedDecks, MiningError> {
    settings.check()?;
    let table = UsedTable::new(used, pool)?;
    let mut clusters = clusters::find(&table, settings)?;
    for cluster in &mut clusters {
        cluster.sets = sets::strongest(&table, &cluster.decks, settings)?;
        cluster.rules = sets::rules(&table, &cluster.decks, settings)?;
        cluster.rules.truncate(MAX_CLUSTER_RULES);
    }
    let mut field = DeckCluster::new((0..table.decks.len()).collect());
    field.sets = sets::strongest(&table, &field.decks, settings)?;
    let rules = sets::rules(&table, &field.decks, settings)?;
    let miner = DeckMiner { table: &table, pool, settings, field: UsedPieces::new(&table, &field) };
    let evaluation = |requirement: Requirement, name: &str| -> Result<MinedDeck, MiningError> {
        let fits = |cluster: &DeckCluster| requirement.is_met_by_mean(&table, &cluster.decks);
        let wins = |cluster: &DeckCluster| table.weight_of(&cluster.decks);
        // Of equal clusters, the first.
        let fitting = clusters.iter().enumerate().rev().filter(|(_, it)| fits(it));
        let chosen = fitting.max_by_key(|(_, it)| wins(it));
        let source = DeckSource::strongest(&miner.of(chosen.map_or(&field, |(_, it)| it)));
        let definition = miner.build(&source, requirement)?;
        Ok(miner.named(name.to_owned(), definition, chosen.map(|(idx, _)| idx)))
    };
    let [god, demon, dragon] =
        Attribute::ALL.map(|it| evaluation(Requirement::mainly(it), it.name()));
    let evaluation = [god?, demon?, dragon?, evaluation(Requirement::BALANCED, "mixed")?];
    let training = miner.training_decks(&clusters, rng)?;
    Ok(MinedDecks { evaluation, training, clusters, rules })
}

/// The used decks, pool and settings that new decks are made from.
struct DeckMiner<'a> {
    table: &'a UsedTable<'a>,
    pool: &'a PiecePool,
    settings: &'a MiningSettings,
    field: UsedPieces,
}

impl DeckMiner<'_> {
    /// Returns a cluster's pieces, then all decks' pieces.
    fn of(&self, cluster: &DeckCluster) -> UsedPieces {
        UsedPieces::new(self.table, cluster).followed_by(&self.field)
    }

    fn build(
        &self,
        source: &DeckSource,
        requirement: Requirement,
    ) -> Result<DeckDefinition, MiningError> {
        let mut builder =
            DeckBuilder::new(self.table, &source.pieces, requirement, self.settings.cost_cap)?;
        builder.add_sets(&source.sets);
        builder.fill(&source.pieces);
        Ok(builder.finish(&source.leaders))
    }

    fn named(&self, name: String, definition: DeckDefinition, cluster: Option<usize>) -> MinedDeck {
        let deck = definition.build(self.pool, self.settings.cost_cap);
        let deck = deck.expect("16 pieces of checked decks, within the cap");
        MinedDeck { name, definition, deck, cluster }
    }

    fn training_decks(
        &self,
        clusters: &[DeckCluster],
        rng: &mut StreamRng,
    ) -> Result<Vec<MinedDeck>, MiningError> {
        let sources: Vec<UsedPieces> = clusters.iter().map(|it| self.of(it)).collect();
        let mut seen: Vec<Vec<u32>> = Vec::new();
        let mut decks = Vec::new();
        for number in 0..self.settings.training_decks as usize {
            let cluster = number % clusters.len();
            let mut draw = || -> Result<(DeckDefinition, Vec<u32>), MiningError> {
                let source = DeckSource::drawn(&sources[cluster], |it| weighted_order(it, rng));
                let definition = self.build(&source, Requirement::NONE)?;
                let mut pieces = definition.pieces.clone();
                pieces.sort_unstable();
                Ok((definition, pieces))
            };
            let mut drawn = draw()?;
            for _ in 1..MAX_DRAWS {
                if !seen.contains(&drawn.1) {
                    break;
                }
                drawn = draw()?;
            }
            let (definition, pieces) = drawn;
            seen.push(pieces);
            decks.push(self.named(format!("mined-{}", number + 1), definition, Some(cluster)));
        }
        Ok(decks)
    }
}
