//! Tests of item sets and rules.

use proptest::prelude::*;

use super::*;

const ALL: ItemSetLimits = ItemSetLimits { min_count: 2, max_items: 16, max_sets: 1_000 };

fn baskets(of: &[&[u32]]) -> Vec<Vec<u32>> {
    of.iter().map(|basket| basket.to_vec()).collect()
}

fn check(of: &[&[u32]], expected: &[(&[u32], usize)]) -> FrequentItemSets {
    let found = FrequentItemSets::find(&baskets(of), ALL).unwrap();
    let expected =
        expected.iter().map(|(items, count)| ItemSet { items: items.to_vec(), count: *count });
    assert_eq!(found.sets(), expected.collect::<Vec<_>>());
    found
}

/// Agrawal & Srikant 1994, figure 3.
#[test]
fn sets_of_the_paper() {
    let found = check(
        &[&[1, 3, 4], &[2, 3, 5], &[1, 2, 3, 5], &[2, 5]],
        &[
            (&[1], 2),
            (&[2], 3),
            (&[3], 3),
            (&[5], 3),
            (&[1, 3], 2),
            (&[2, 3], 2),
            (&[2, 5], 3),
            (&[3, 5], 2),
            (&[2, 3, 5], 2),
        ],
    );
    // Of the rules of {2 3 5}, those with two items on the left: 2 of 2, 2 of 3, 2 of 2.
    let rules = found.rules(0.0, 100).unwrap();
    let counts = |antecedent: &[u32], consequent: &[u32]| {
        let is = |it: &&AssociationRule| it.antecedent == antecedent && it.consequent == consequent;
        let rule = rules.iter().find(is).unwrap();
        (rule.count, rule.antecedent_count)
    };
    let got = [(&[2, 3], 5), (&[2, 5], 3), (&[3, 5], 2)].map(|(a, c)| counts(a, &[c]));
    assert_eq!(got, [(2, 2), (2, 3), (2, 2)]);
    assert_eq!(found.all_confidence(&[2, 5]), Some(1.0));
    assert_eq!(found.all_confidence(&[1, 3]), Some(2.0 / 3.0));
    assert_eq!(found.all_confidence(&[4]), None);
    assert_eq!(found.all_confidence(&[]), None);
}

/// Han, Kamber & Pei, *Data Mining* (3rd ed., 2011), table 6.1 and examples 6.3 and 6.4.
#[test]
fn rules_of_the_textbook() {
    let found = FrequentItemSets::find(
        &baskets(&[
            &[1, 2, 5],
            &[2, 4],
            &[2, 3],
            &[1, 2, 4],
            &[1, 3],
            &[2, 3],
            &[1, 3],
            &[1, 2, 3, 5],
            &[1, 2, 3],
        ]),
        ALL,
    )
    .unwrap();
    let sizes = [1, 2, 3, 4].map(|n| found.sets().iter().filter(|it| it.items.len() == n).count());
    assert_eq!(sizes, [5, 6, 2, 0]);
    assert_eq!([&[1, 2, 3], &[1, 2, 5]].map(|items| found.count(items)), [Some(2); 2]);
    let rules = found.rules(0.0, 100).unwrap();
    assert_eq!(rules.len(), 6 * 2 + 2 * 6);
    let of_125 = |antecedent: &[u32]| {
        let of = rules.iter().find(|it| {
            let items = [&it.antecedent[..], &it.consequent].concat();
            it.antecedent == antecedent && items.len() == 3 && items.contains(&5)
        });
        let rule = of.unwrap();
        (rule.count, rule.antecedent_count)
    };
    // 50, 100, 100, 33, 29 and 100 %.
    assert_eq!([of_125(&[1, 2]), of_125(&[1, 5]), of_125(&[2, 5])], [(2, 4), (2, 2), (2, 2)]);
    assert_eq!([of_125(&[1]), of_125(&[2]), of_125(&[5])], [(2, 6), (2, 7), (2, 2)]);
    let confident = found.rules(0.7, 100).unwrap();
    let long = confident.iter().filter(|it| it.consequent.len() + it.antecedent.len() == 3);
    // "Only the second, third, and last rules": {1, 5} => 2, {2, 5} => 1, 5 => {1, 2}.
    let long: Vec<_> = long.map(|it| (&*it.antecedent, &*it.consequent)).collect();
    assert_eq!(long, [(&[1, 5][..], &[2][..]), (&[2, 5], &[1]), (&[5], &[1, 2])]);
}

/// Tan, Steinbach & Kumar, *Introduction to Data Mining* (2005), table 6.8: tea and coffee.
#[test]
fn a_confident_rule_may_have_a_low_lift() {
    let mut of = vec![vec![0, 1]; 150];
    of.extend(vec![vec![0]; 50]);
    of.extend(vec![vec![1]; 650]);
    of.extend(vec![vec![]; 150]);
    let rules = FrequentItemSets::find(&of, ALL).unwrap().rules(0.5, 10).unwrap();
    let [tea_drinkers] = &rules[..] else { panic!("{rules:?}") };
    let found = [tea_drinkers.support(), tea_drinkers.confidence(), tea_drinkers.lift()];
    for (found, expected) in found.into_iter().zip([0.15, 0.75, 0.9375]) {
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }
}

#[test]
fn limits_are_kept() {
    let of = vec![(0..20).collect::<Vec<u32>>(); 3];
    let find = |min_count, max_items, max_sets| {
        FrequentItemSets::find(&of, ItemSetLimits { min_count, max_items, max_sets })
    };
    assert_eq!(find(3, 2, 210).unwrap().sets().len(), 20 + 190);
    let error = find(3, 2, 209).unwrap_err();
    assert_eq!(error, StatsError::TooManyItemSets { most: 209, min_count: 3 });
    assert!(find(3, 16, 10_000).is_err());
    assert!(find(0, 2, 1_000).is_err() && find(3, 0, 1_000).is_err() && find(3, 17, 10).is_err());
    assert!(find(4, 2, 0).unwrap().sets().is_empty());
    let pairs = find(3, 2, 210).unwrap();
    assert_eq!(pairs.rules(1.0, 380).unwrap().len(), 380);
    assert_eq!(pairs.rules(1.0, 379).unwrap_err(), StatsError::TooManyRules { most: 379 });
    assert!(pairs.rules(1.1, 1_000).is_err() && pairs.rules(f64::NAN, 1_000).is_err());
    assert!(FrequentItemSets::find(&[], ALL).unwrap().sets().is_empty());
}

proptest! {
    /// The sets and counts equal the result of trying all subsets of the items.
    #[test]
    fn counts_are_those_of_all_subsets(
        of in prop::collection::vec(prop::collection::vec(0..7_u32, 0..9), 0..12),
        min_count in 1..5_usize, max_items in 1..8_usize,
    ) {
        let limits = ItemSetLimits { min_count, max_items, max_sets: 127 };
        let found = FrequentItemSets::find(&of, limits).unwrap();
        let mut expected = Vec::new();
        for bits in 1..128_u32 {
            let items: Vec<u32> = (0..7).filter(|item| bits >> item & 1 == 1).collect();
            let has_all = |basket: &&Vec<u32>| items.iter().all(|item| basket.contains(item));
            let count = of.iter().filter(has_all).count();
            if min_count <= count && items.len() <= max_items {
                expected.push(ItemSet { items, count });
            }
        }
        expected.sort_by_key(|set| (set.items.len(), set.items.clone()));
        prop_assert_eq!(found.sets(), expected);
        for rule in found.rules(0.5, 10_000).unwrap() {
            let mut items = [&rule.antecedent[..], &rule.consequent].concat();
            items.sort_unstable();
            prop_assert_eq!(found.count(&items), Some(rule.count));
            prop_assert!(0.5 <= rule.confidence() && rule.support() <= rule.confidence());
            prop_assert!(found.all_confidence(&items).unwrap() <= rule.confidence());
            let swapped = rule.count * rule.n_baskets;
            let independent = rule.antecedent_count * rule.consequent_count;
            prop_assert_eq!(independent < swapped, 1.0 + 1e-9 < rule.lift());
        }
    }
}
