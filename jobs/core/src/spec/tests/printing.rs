//! Printed specs: each parameter explained, and read again as the same.

use proptest::prelude::*;

use super::*;

fn print_study(head: &SpecHead, study: &Study) -> String {
    // As it is stored and sent: through text, in which 32-bit numbers are short.
    let params = serde_json::from_str(&serde_json::to_string(study).unwrap()).unwrap();
    print(head, &params, schema_of::<Study>())
}

fn head(about: &str, takes: &str) -> SpecHead {
    SpecHead {
        experiment: "study".to_owned(),
        seed: 7,
        about: about.to_owned(),
        takes: takes.to_owned(),
    }
}

/// A study with something of everything.
fn full() -> Study {
    Study {
        games: 100,
        mutation_rate: 0.1,
        start: vec![0.1, -0.333_333_34, 1e-7],
        max_moves: None,
        first: First::Random,
        torus: true,
        prize: 2.0,
        judge: Judge::default(),
        boards: vec![
            Board { name: "small".to_owned(), width: 4 },
            Board { name: "\"wide\"".to_owned(), width: 16 },
        ],
        players: vec![
            Player::Random,
            Player::Linear { weights: vec![1.0, -1.5] },
            Player::Search(Search { playouts: 100 }),
            Player::Linear { weights: vec![0.0, 0.0] },
        ],
        handicap: None,
    }
}

#[test]
fn every_parameter_is_explained() {
    let printed = print_study(&head("A study of everything.", "< 1 s"), &full());
    assert_eq!(printed, include_str!("printed.toml"));
    let (head, study) = open(&printed, &[]).unwrap();
    assert_eq!((head.about.as_str(), study), ("A study of everything.", full()));
}

#[test]
fn keys_that_need_quotes_get_them() {
    let params = serde_json::json!({ "two words": 1, "ä": { "": 2 } });
    let printed = print(&head("", ""), &params, &serde_json::json!({ "type": "object" }));
    let expected = "[params]\n\"two words\" = 1\n\n[params.\"ä\"]\n\"\" = 2\n";
    assert!(printed.ends_with(expected), "{printed}");
}

fn studies() -> impl Strategy<Value = Study> {
    let start = prop::collection::vec(-1.0_f32..=1.0, 0..=3);
    let name = "\\PC{1,8}";
    let boards = prop::collection::vec((name, 4_u32..=16), 1..4).prop_map(|boards| {
        boards.into_iter().map(|(name, width)| Board { name, width }).collect::<Vec<_>>()
    });
    let player = prop_oneof![
        Just(Player::Random),
        prop::collection::vec(-5.0..=5.0, 2).prop_map(|weights| Player::Linear { weights }),
        (1_u32..=100).prop_map(|playouts| Player::Search(Search { playouts })),
    ];
    let players = prop::collection::vec(player, 0..4);
    let max_moves = prop::option::of(1..=u64::try_from(i64::MAX).unwrap());
    let prize = any::<f64>().prop_filter("finite", |prize| prize.is_finite());
    (start, boards, players, max_moves, prize, 0.0_f32..=1.0).prop_map(
        |(start, boards, players, max_moves, prize, mutation_rate)| Study {
            start,
            boards,
            players,
            max_moves,
            prize,
            mutation_rate,
            ..full()
        },
    )
}

proptest! {
    #[test]
    fn what_is_printed_is_read_as_the_same(
        study in studies(),
        about in any::<String>(),
        takes in any::<String>(),
    ) {
        let head = head(&about, &takes);
        prop_assert_eq!(open(&print_study(&head, &study), &[]).unwrap(), (head, study));
    }
}
