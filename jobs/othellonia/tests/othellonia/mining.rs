//! Decks that are made of used ones.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use hatchery_core::{FastRng, StreamRng};
use hatchery_othellonia::generate::{
    Archetype, DEFAULT_COST_CAP, PoolSettings, generate_deck, generate_pieces,
};
use hatchery_othellonia::mining::{
    MAX_USED_DECKS, MinedDecks, MiningError, MiningSettings, UsedDeck, mine_decks,
};
use hatchery_othellonia::pool::{CostCap, DeckDefinition, PiecePool, PoolError, draw_deck};
use hatchery_othellonia::rules::Attribute;
use proptest::prelude::*;

use super::random_decks::stream;

static POOL: LazyLock<PiecePool> = LazyLock::new(|| {
    PiecePool::new(generate_pieces(&PoolSettings::default())).expect("the default pool is valid")
});

/// Returns generated decks for all archetypes in turn, each with some wins in 100 games.
fn field(n_decks: u32) -> Vec<UsedDeck> {
    let mut rng = FastRng::seeded_by(&mut stream("wins"));
    let deck = |number: u32| {
        let archetype = Archetype::ALL.into_iter().cycle().nth(number as usize).expect("a cycle");
        let definition = generate_deck(&POOL, archetype, number.into(), DEFAULT_COST_CAP);
        let wins = 35 + rng.below(31);
        UsedDeck { definition: definition.expect("a deck"), wins, games: 100 }
    };
    (0..n_decks).map(deck).collect()
}

fn mine(used: &[UsedDeck], rng: &mut StreamRng) -> MinedDecks {
    mine_decks(used, &POOL, &MiningSettings::default(), rng).expect("decks that can be mined")
}

fn set(pieces: &[u32]) -> BTreeSet<u32> {
    pieces.iter().copied().collect()
}

/// Returns the numbers of pieces by attribute.
fn attributes(definition: &DeckDefinition) -> [usize; 3] {
    Attribute::ALL.map(|attribute| {
        let is_of = |piece: &&u32| POOL.definitions()[**piece as usize].attribute == attribute;
        definition.pieces.iter().filter(is_of).count()
    })
}

/// Checks what every result must be.
fn check(mined: &MinedDecks, used: &[UsedDeck], settings: &MiningSettings) {
    let names = mined.evaluation.each_ref().map(|it| it.name.as_str());
    assert_eq!(names, ["god", "demon", "dragon", "mixed"]);
    for (attribute, deck) in mined.evaluation[..3].iter().enumerate() {
        assert!(9 <= attributes(&deck.definition)[attribute], "{deck:?}");
    }
    let mixed = attributes(&mined.evaluation[3].definition);
    assert!(mixed.iter().all(|n| (4..=8).contains(n)), "{mixed:?}");
    assert_eq!(mined.training.len(), settings.training_decks as usize);
    let used_pieces: BTreeSet<u32> =
        used.iter().flat_map(|it| &it.definition.pieces).copied().collect();
    for deck in mined.evaluation.iter().chain(&mined.training) {
        assert_eq!(deck.definition.build(&POOL, settings.cost_cap), Ok(deck.deck.clone()));
        assert!(set(&deck.definition.pieces).is_subset(&used_pieces));
        assert!(deck.cluster.is_none_or(|cluster| cluster < mined.clusters.len()));
    }
    let mut members: Vec<usize> = mined.clusters.iter().flat_map(|it| it.decks.clone()).collect();
    members.sort_unstable();
    assert_eq!(members, (0..used.len()).collect::<Vec<_>>());
}

#[test]
fn decks_of_a_field_are_legal_and_of_their_attributes() {
    let used = field(90);
    let mined = mine(&used, &mut stream("mining"));
    check(&mined, &used, &MiningSettings::default());
    let different: BTreeSet<_> =
        mined.training.iter().map(|it| set(&it.definition.pieces)).collect();
    assert_eq!(different.len(), mined.training.len());
    // Clusters are archetypes: decks that have one main attribute are together.
    for cluster in &mined.clusters {
        let mut counts = [0; 3];
        cluster.decks.iter().for_each(|deck| counts[deck % 3] += 1);
        let most = counts.iter().max().unwrap();
        assert!(9 * cluster.decks.len() <= 10 * most, "{counts:?} decks of each archetype");
    }
}

#[test]
fn results_depend_on_nothing_else() {
    let used = field(45);
    let [one, again] = [(); 2].map(|()| mine(&used, &mut stream("mining")));
    assert_eq!(format!("{one:?}"), format!("{again:?}"));
    let other = mine(&used, &mut stream("other draws"));
    let definitions = |mined: &MinedDecks| mined.evaluation.clone().map(|it| it.definition);
    assert_eq!(definitions(&one), definitions(&other));
    let training = |mined: &MinedDecks| {
        mined.training.iter().map(|it| it.definition.clone()).collect::<Vec<_>>()
    };
    assert_ne!(training(&one), training(&other));
    // Fewer decks are the first of more.
    let settings = MiningSettings { training_decks: 5, ..MiningSettings::default() };
    let few = mine_decks(&used, &POOL, &settings, &mut stream("mining")).unwrap();
    assert_eq!(training(&few), training(&one)[..5]);
}

/// Of 20 dragon decks, 8 have four certain pieces, and win; the others have four other ones, and
/// lose.
#[test]
fn pieces_that_always_win_are_found() {
    let mut used = field(60);
    let mut planted: Vec<u32> = (0..924)
        .filter(|piece| {
            let definition = &POOL.definitions()[*piece as usize];
            definition.attribute == Attribute::Dragon && definition.cost == 10
        })
        .filter(|piece| used.iter().all(|it| !it.definition.pieces.contains(piece)))
        .take(8)
        .collect();
    assert_eq!(planted.len(), 8);
    let losing = planted.split_off(4);
    for (number, deck) in
        used.iter_mut().filter(|it| 9 <= attributes(&it.definition)[2]).enumerate()
    {
        let is_winner = number % 5 < 2;
        deck.wins = if is_winner { 70 } else { 40 };
        deck.definition.pieces.truncate(12);
        deck.definition.pieces.extend(if is_winner { &planted } else { &losing });
        deck.definition.leader = *deck.definition.pieces.last().expect("16 pieces");
    }
    let settings = MiningSettings { cost_cap: CostCap(250), ..MiningSettings::default() };
    let mined = mine_decks(&used, &POOL, &settings, &mut stream("mining")).unwrap();
    check(&mined, &used, &settings);
    let dragon = &mined.evaluation[2];
    assert!(set(&planted).is_subset(&set(&dragon.definition.pieces)), "{dragon:?}");
    assert_eq!(dragon.definition.leader, planted[3]);
    let cluster = &mined.clusters[dragon.cluster.expect("dragon decks are a cluster")];
    assert_eq!(set(&cluster.sets[0].items), set(&planted));
    let sure = mined.rules.iter().find(|rule| rule.antecedent == planted[..3]);
    let sure = sure.expect("three of the pieces are a rule for the fourth");
    assert_eq!((&sure.consequent[..], sure.count), (&planted[3..], sure.antecedent_count));
    assert!(1.5 < sure.lift());
}

/// Decks of pieces that no other cluster has make decks of these pieces.
#[test]
fn clusters_make_decks_of_their_own() {
    let mut used = Vec::new();
    for group in 0..4_u32 {
        let pieces: Vec<u32> = (0..20).map(|at| 40 * at + 7 * group + 1).collect();
        for number in 0..8 {
            let definition = draw_deck(&POOL, &pieces, 1, number, CostCap(400)).unwrap();
            used.push(UsedDeck { definition, wins: 5 + number % 3, games: 11 });
        }
    }
    let settings = MiningSettings { cost_cap: CostCap(400), ..MiningSettings::default() };
    let mined = mine_decks(&used, &POOL, &settings, &mut stream("mining")).unwrap();
    let members: Vec<Vec<usize>> = mined.clusters.iter().map(|it| it.decks.clone()).collect();
    assert_eq!(members, [0, 1, 2, 3].map(|it| (8 * it..8 * it + 8).collect::<Vec<_>>()));
    for deck in &mined.training {
        let group = u32::try_from(deck.cluster.unwrap()).unwrap();
        assert!(deck.definition.pieces.iter().all(|piece| piece % 40 == 7 * group + 1), "{deck:?}");
    }
}

#[test]
fn what_cannot_be_mined_is_refused() {
    let used = field(30);
    let settings = MiningSettings::default();
    let error = |used: &[UsedDeck], settings: &MiningSettings| {
        mine_decks(used, &POOL, settings, &mut stream("mining")).unwrap_err()
    };
    let most = MAX_USED_DECKS;
    assert_eq!(error(&[], &settings), MiningError::DeckCount { found: 0, most });
    let many = vec![used[0].clone(); most + 1];
    assert_eq!(error(&many, &settings), MiningError::DeckCount { found: most + 1, most });
    let with = |change: &dyn Fn(&mut UsedDeck)| {
        let mut used = used.clone();
        change(&mut used[3]);
        error(&used, &settings)
    };
    assert_eq!(with(&|it| it.wins = 101), MiningError::Wins { deck: 3, wins: 101, games: 100 });
    let source = PoolError::Unknown { piece: 924, last: 923 };
    assert_eq!(with(&|it| it.definition.pieces[5] = 924), MiningError::Deck { deck: 3, source });
    let leaderless = with(&|it| it.definition.leader = 70_000);
    assert!(matches!(leaderless, MiningError::Deck { deck: 3, source: PoolError::Leader { .. } }));
    let cheap = error(&used, &MiningSettings { cost_cap: CostCap(70), ..settings.clone() });
    assert!(matches!(cheap, MiningError::Cost { cap: 70, .. }), "{cheap:?}");
    let dragons: Vec<UsedDeck> = used.iter().step_by(3).take(1).cloned().collect();
    let few = error(&dragons, &settings);
    let found = attributes(&dragons[0].definition)[0];
    let attribute = Attribute::God;
    assert_eq!(few, MiningError::Attribute { attribute, found, needed: 9 });
    for wrong in [
        MiningSettings { training_decks: 1_001, ..settings.clone() },
        MiningSettings { min_clusters: 0, ..settings.clone() },
        MiningSettings { min_clusters: 5, max_clusters: 4, ..settings.clone() },
        MiningSettings { min_support: 0, ..settings.clone() },
        MiningSettings { min_confidence: 101, ..settings.clone() },
        MiningSettings { max_set: 7, ..settings.clone() },
    ] {
        assert!(matches!(error(&used, &wrong), MiningError::Setting { .. }), "{wrong:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The result is legal decks or an error, for any used decks and any wins.
    #[test]
    fn any_field_gives_legal_decks_or_an_error(
        seed in 0..1_000_u64, n_kinds in 16..120_usize,
        results in prop::collection::vec((0..9_u32, 0..9_u32), 1..40),
        clusters in (1..5_u32, 0..4_u32), support in 1..101_u32, cap in 150..320_u32,
    ) {
        let pieces: Vec<u32> = (0..924).step_by(924 / n_kinds).collect();
        let used = results.iter().zip(0..).map(|((a, b), number)| {
            let definition = draw_deck(&POOL, &pieces, seed, number, CostCap(9_999)).unwrap();
            UsedDeck { definition, wins: *a.min(b), games: *a.max(b) }
        });
        let used: Vec<_> = used.collect();
        let settings = MiningSettings {
            cost_cap: CostCap(cap),
            training_decks: 6,
            min_clusters: clusters.0,
            max_clusters: clusters.0 + clusters.1,
            min_support: support,
            ..MiningSettings::default()
        };
        match mine_decks(&used, &POOL, &settings, &mut stream("mining")) {
            Ok(mined) => check(&mined, &used, &settings),
            Err(MiningError::Attribute { found, needed, .. }) => prop_assert!(found < needed),
            Err(MiningError::Cost { cost, cap }) => prop_assert!(cap < cost),
            Err(MiningError::Balance { found, needed }) => prop_assert!(found < needed),
            Err(error @ MiningError::Analysis { .. }) => {
                prop_assert!(support < 20, "{:?} with a support of {} %", error, support);
            }
            Err(error) => panic!("{error:?}"),
        }
    }
}
