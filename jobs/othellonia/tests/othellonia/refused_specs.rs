//! Bad specs are refused with a message that names the place, the value and the right values.

use hatchery_core::spec::SpecDocument;
use hatchery_core::{Experiment, GenerationSeed, PartSet, RunSeed, erased, error_chain};
use hatchery_othellonia::{OthelloniaLogs, OthelloniaMatrix};

/// A parameter and its value as TOML.
type Param<'a> = (&'a str, &'a str);

const TWO_DECKS: &str = "[
    { kind = 'listed', name = 'a', pieces = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, \
                         15], leader = 0 },
    { kind = 'listed', name = 'b', pieces = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, \
                         16], leader = 16 },
]";

const MATRIX: &[Param<'_>] = &[
    ("decks", TWO_DECKS),
    ("agent", "{ kind = 'rule' }"),
    ("pairs", "4"),
    ("cost_cap", "16000"),
    ("pool", "{ kinds = 20 }"),
];

const LOGS: &[Param<'_>] = &[
    ("decks", TWO_DECKS),
    ("agents", "[{ kind = 'rule' }, { kind = 'random' }]"),
    ("pairs", "4"),
    ("cost_cap", "16000"),
    ("pool", "{ kinds = 20 }"),
];

fn seed() -> GenerationSeed {
    RunSeed::new("refused specs", 1).generation(0)
}

/// Returns the spec of `E` with the parameters `base`, after `changes`: a change gives a parameter
/// another value or, if the value is empty, leaves the parameter out.
fn document<E: Experiment>(base: &[Param<'_>], changes: &[Param<'_>]) -> SpecDocument {
    let is_changed = |key: &str| changes.iter().any(|(changed, _)| *changed == key);
    let kept = base.iter().filter(|(key, _)| !is_changed(key));
    let params: Vec<_> = kept
        .chain(changes)
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| format!("{key} = {value}\n"))
        .collect();
    let text = format!("experiment = '{}'\nseed = 1\n[params]\n{}", E::NAME, params.concat());
    SpecDocument::parse("test", text.as_bytes()).unwrap_or_else(|error| panic!("{error:?}: {text}"))
}

/// Returns the message that refuses a spec; `None` if nothing refuses it.
fn refusal<E: Experiment>(base: &[Param<'_>], changes: &[Param<'_>]) -> Option<String> {
    match erased::<E>().configure(&document::<E>(base, changes)) {
        Ok(experiment) => experiment.begin(&seed(), &[]).err().map(|error| error.to_string()),
        Err(error) => Some(error.message),
    }
}

/// Checks the messages of specs with some changes, and shows all that are others.
#[track_caller]
fn check<E: Experiment>(base: &[Param<'_>], cases: &[(&[Param<'_>], &str)]) {
    let mut others = Vec::new();
    for (changes, expected) in cases {
        let found = refusal::<E>(base, changes).unwrap_or_else(|| "accepted".to_owned());
        if found != *expected {
            others.push(format!("{changes:?}\n  found:    {found}\n  expected: {expected}\n"));
        }
    }
    assert!(others.is_empty(), "{}", others.concat());
}

/// Checks the messages of specs of both experiments.
#[track_caller]
fn check_both(cases: &[(&[Param<'_>], &str)]) {
    check::<OthelloniaMatrix>(MATRIX, cases);
    check::<OthelloniaLogs>(LOGS, cases);
}

/// Writes the numbers of pieces as a list.
fn list(pieces: impl IntoIterator<Item = u32>) -> String {
    let pieces: Vec<_> = pieces.into_iter().map(|piece| piece.to_string()).collect();
    format!("[{}]", pieces.join(", "))
}

/// Checks the messages of specs with a third deck of these pieces and this leader.
#[track_caller]
fn check_deck(name: &str, pieces: &str, leader: u32, expected: &str) {
    let others = TWO_DECKS.strip_suffix(']').expect("it is a list");
    let decks = format!(
        "{others} {{ kind = 'listed', name = '{name}', pieces = {pieces}, leader = {leader} }}]"
    );
    check_both(&[(&[("decks", &decks)], expected)]);
}

/// Checks the messages of specs with an own piece, number 20, and another one without a skill.
#[track_caller]
fn check_pieces(fields: &str, expected: &str) {
    let pieces = format!(
        "[{{ name = 'own', attribute = 'god', cost = 10, hp = 100, attack = 100, {fields} }}, \
         {{ name = 'plain', attribute = 'god', cost = 10, hp = 100, attack = 100 }}]"
    );
    check_both(&[(&[("pieces", &pieces)], expected)]);
}

#[test]
fn good_specs_are_accepted() {
    assert_eq!(refusal::<OthelloniaMatrix>(MATRIX, &[]), None);
    assert_eq!(refusal::<OthelloniaLogs>(LOGS, &[]), None);
    check_pieces("skill = { kind = 'bolt', magnitude = 9 }", "accepted");
}

#[test]
fn decks_are_enough_and_not_too_many() {
    let one = "[{ kind = 'listed', name = 'a', leader = 0, pieces = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, \
               10, 11, 12, 13, 14, 15] }]";
    let two = "but must be two or more, with those of `random_decks`";
    check::<OthelloniaMatrix>(
        MATRIX,
        &[
            (&[("decks", one)], &format!("decks is 1 deck, {two}")),
            (&[("decks", "[]")], &format!("decks is 0 decks, {two}")),
            (&[("decks", "")], &format!("decks is 0 decks, {two}")),
        ],
    );
    let none = "decks is 0 decks, but must be one or more, with those of `random_decks` and \
                `generated_decks`";
    check::<OthelloniaLogs>(LOGS, &[(&[("decks", one)], "accepted"), (&[("decks", "")], none)]);
    let pieces = list(0..20);
    let random = format!("{{ count = 63, seed = 1, pieces = {pieces} }}");
    check_both(&[(
        &[("random_decks", &random)],
        "decks is 65 decks, but must be at most 64, with those of `random_decks`",
    )]);
}

#[test]
fn names_of_decks_are_plain_and_different() {
    let pieces = list(0..16);
    let check = |name: &str, expected: &str| check_deck(name, &pieces, 0, expected);
    check("b", "decks.2.name is \"b\", but must be another name: decks.1 has this one");
    let plain = "but must be 1 to 32 letters, digits, `-`, `_` and `.`";
    for name in ["a b", "a,b", "ä", "a|b", "a/b"] {
        check(name, &format!("decks.2.name is \"{name}\", {plain}"));
    }
    let decks = TWO_DECKS.replace("'b'", "'random-2'");
    let random = format!("{{ count = 2, seed = 1, pieces = {} }}", list(0..20));
    check_both(&[(
        &[("decks", &decks), ("random_decks", &random)],
        "decks.1.name is \"random-2\", but must be another name: one of `random_decks` has this \
         one",
    )]);
}

/// The decks that the generator makes for logs.
#[test]
fn generated_decks_are_named_and_counted() {
    let pool = ("pool", "{ kinds = 60 }");
    let decks = TWO_DECKS.replace("'b'", "'tricky-2'");
    check::<OthelloniaLogs>(
        LOGS,
        &[
            (&[("generated_decks", "{ count = 2, seed = 1 }"), ("decks", ""), pool], "accepted"),
            (
                &[("generated_decks", "{ count = 2, seed = 1 }"), ("decks", &decks), pool],
                "decks.1.name is \"tricky-2\", but must be another name: one of \
                 `generated_decks` has this one",
            ),
            (
                &[("generated_decks", "{ count = 512, seed = 1 }"), ("pairs", "1"), pool],
                "pairs is 1, but must be less, or other factors: 1 pairs x 2 games x 529420 \
                 match-ups of decks and agents = 1058840 games, and at most 200000 are allowed",
            ),
            (
                &[("generated_decks", "{ count = 98, seed = 1 }"), ("pairs", "1"), pool],
                "agents is 2, but must be fewer, or fewer decks: 20200 match-ups of decks and \
                 agents, at most 10000",
            ),
        ],
    );
}

#[test]
fn decks_have_16_different_pieces_of_the_pool() {
    let check = |pieces: String, leader: u32, expected: &str| {
        check_deck("c", &pieces, leader, expected);
    };
    check(
        list((0..15).chain([3])),
        0,
        "decks.2.pieces.15 is 3, but must be another piece: this one is there before",
    );
    check(list(3..19), 2, "decks.2.leader is 2, but must be one of the deck's pieces");
    let unknown = |at: u32, piece: u32| {
        format!("decks.2.pieces.{at} is {piece}, but must be a piece from 0 to 19")
    };
    check(list(5..21), 5, &unknown(15, 20));
    check(list([u32::MAX].into_iter().chain(0..15)), 0, &unknown(0, u32::MAX));
    check(list([65_536].into_iter().chain(1..16)), 1, &unknown(0, 65_536));
}

/// Sixteen own pieces of cost 20.
#[test]
fn decks_cost_no_more_than_the_cap() {
    let piece = "{ name = 'own', attribute = 'god', cost = 20, hp = 100, attack = 100 }";
    let pieces = format!("[{}]", [piece; 17].join(", "));
    let decks =
        format!("[{{ kind = 'listed', name = 'c', pieces = {}, leader = 20 }}]", list(20..36));
    let random = format!("{{ count = 2, seed = 1, pieces = {} }}", list(20..37));
    check_both(&[
        (
            &[("pieces", &pieces), ("decks", &decks), ("cost_cap", "319")],
            "decks.0.pieces is pieces that cost 320 together, but must be cheaper: `cost_cap` is \
             319",
        ),
        (
            &[("pieces", &pieces), ("decks", &decks), ("cost_cap", "")],
            "decks.0.pieces is pieces that cost 320 together, but must be cheaper: `cost_cap` is \
             200",
        ),
        (
            &[("pieces", &pieces), ("decks", ""), ("random_decks", &random), ("cost_cap", "319")],
            "random_decks.pieces is pieces of which 1000 random decks in a row were too expensive, \
             but must be cheaper: `cost_cap` is 319",
        ),
    ]);
}

#[test]
fn random_decks_have_pieces_to_draw_from() {
    let check = |pieces: String, expected: &str| {
        let random = format!("{{ count = 2, seed = 1, pieces = {pieces} }}");
        check_both(&[(&[("random_decks", &random)], &format!("random_decks.{expected}"))]);
    };
    check(list((0..17).chain([20])), "pieces.17 is 20, but must be a piece from 0 to 19");
    let again = list((0..17).chain([4]));
    check(again, "pieces.17 is 4, but must be another piece: this one is there before");
}

#[test]
fn names_of_own_pieces_have_no_control_characters() {
    let control = "[{ name = \"a\\nb\", attribute = 'god', cost = 10, hp = 100, attack = 100 }]";
    check_both(&[(
        &[("pieces", control)],
        "pieces.0.name is \"a\\nb\", but must be 1 to 40 characters, none of them a control \
         character",
    )]);
}

#[test]
fn own_skills_are_those_of_the_rules() {
    let check = |effect: &str, expected: &str| {
        check_pieces(&format!("skill = {{ {effect} }}"), &format!("pieces.0.skill.{expected}"));
        check_pieces(&format!("combo = {{ {effect} }}"), &format!("pieces.0.combo.{expected}"));
    };
    check("kind = 'bolt', magnitude = 0", "magnitude is 0, but must be from 1 to 9999");
    check("kind = 'bolt', magnitude = 10000", "magnitude is 10000, but must be from 1 to 9999");
    check("kind = 'seal', magnitude = 2, turns = 1", "magnitude is 2, but must be from 1 to 1");
    check(
        "kind = 'bolt', magnitude = 9, turns = 2",
        "turns is 2, but must be 0: `bolt` is over with the placement",
    );
    check("kind = 'curse', magnitude = 9", "turns is 0, but must be from 1 to 16");
    check("kind = 'regen', magnitude = 9, turns = 17", "turns is 17, but must be from 0 to 16");
    check(
        "kind = 'bolt', magnitude = 9, target = 'god'",
        "target is god, but must be all: `bolt` bears on no attacks",
    );
    check(
        "kind = 'cleanse', scaling = 'lost_tenths'",
        "scaling is lost_tenths, but must be none: the magnitude of `cleanse` is never scaled",
    );
    check(
        "kind = 'bolt', magnitude = 9, condition = { flips_at_least = 0 }",
        "condition is flips_at_least = 0, but must be flips_at_least from 1 to 20",
    );
    check(
        "kind = 'bolt', magnitude = 9, condition = { attribute_at_least = ['god', 17] }",
        "condition is attribute_at_least = 17, but must be attribute_at_least from 1 to 16",
    );
}

#[test]
fn echoes_come_to_an_end() {
    let check = |skills: &[&str], expected: &str| {
        let piece = |skill: &&str| {
            let skill = if skill.is_empty() { String::new() } else { format!(", skill = {skill}") };
            format!(
                "{{ name = 'own', attribute = 'god', cost = 10, hp = 100, attack = 100{skill} }}"
            )
        };
        let pieces: Vec<_> = skills.iter().map(piece).collect();
        check_both(&[(&[("pieces", &format!("[{}]", pieces.join(", ")))], expected)]);
    };
    let echo = |piece: u32| format!("{{ kind = 'echo', magnitude = {piece} }}");
    let ends = "but must be a chain of at most 4 effects, the last of which is no echo";
    check(
        &[&echo(20)],
        &format!("pieces.0.skill is piece 20, piece 20, piece 20, piece 20, piece 20, {ends}"),
    );
    check(
        &[&echo(21), &echo(20)],
        &format!("pieces.0.skill is piece 20, piece 21, piece 20, piece 21, piece 20, {ends}"),
    );
    check(&[&echo(21), ""], "pieces.0.skill.magnitude is 21, but must be a piece with a skill");
    check(&["", &echo(22)], "pieces.1.skill.magnitude is 22, but must be a piece from 1 to 21");
}

#[test]
fn pools_have_as_many_kinds_as_fit() {
    let own = "[{ name = 'own', attribute = 'god', cost = 10, hp = 100, attack = 100 }]";
    check_both(&[(
        &[("pool", "{ kinds = 20000 }"), ("pieces", own)],
        "pieces is 1 piece, but must be fewer: with the 20000 of `pool.kinds`, at most 20000",
    )]);
}

#[test]
fn games_are_bounded() {
    let random = format!("{{ count = 62, seed = 1, pieces = {} }}", list(0..20));
    check::<OthelloniaMatrix>(
        MATRIX,
        &[(
            &[("pairs", "10000"), ("random_decks", &random)],
            "pairs is 10000, but must be less, or other factors: 10000 pairs x 2080 match-ups = \
             20800000 pairs in a generation, and at most 20000000 are allowed",
        )],
    );
    check::<OthelloniaLogs>(
        LOGS,
        &[
            (
                &[("pairs", "10_000")],
                "pairs is 10000, but must be less, or other factors: 10000 pairs x 2 games x 12 \
                 match-ups of decks and agents = 240000 games, and at most 200000 are allowed",
            ),
            (
                &[("table_games", "7")],
                "table_games is 7, but must be 0, or at least 12: a game of each match-up of decks \
                 and agents",
            ),
        ],
    );
}

#[test]
fn shipped_decks_are_of_the_default_pool() {
    check_both(&[(
        &[("decks", "[{ name = 'a', kind = 'shipped', archetype = 'burst' }]")],
        "decks.0.kind is \"shipped\", but must be \"generated\" or \"listed\": the shipped decks \
         are of the default pool",
    )]);
}

#[test]
fn stored_parameters_are_checked() {
    let good = document::<OthelloniaMatrix>(MATRIX, &[]);
    let stored = erased::<OthelloniaMatrix>().configure(&good).expect("it is valid");
    let changed = stored.canonical_params().replace("13,14,15]", "13,14,99]");
    let error = erased::<OthelloniaMatrix>().reopen(&changed, &PartSet::default()).err();
    assert_eq!(
        error_chain(&error.expect("it is refused")),
        "parameters refused: decks.0.pieces.15 is 99, but must be a piece from 0 to 19"
    );
}
