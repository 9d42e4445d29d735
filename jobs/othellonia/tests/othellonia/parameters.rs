//! Wrong values are refused under the key of their parameter, whichever it is.

use hatchery_core::conformance::parameters_are_checked;
use hatchery_core::spec::FileReference;
use hatchery_core::{Experiment, PartSet, erased};
use hatchery_othellonia::{
    OthelloniaImitate, OthelloniaImpact, OthelloniaLogs, OthelloniaMatrix, OthelloniaRepresent,
    OthelloniaSelfplay,
};

/// The skills of own pieces: each kind, target, scaling and condition.
const SKILLS: [&str; 24] = [
    "kind = 'strike', condition = { flips_at_least = 1 }, scaling = 'flips'",
    "kind = 'pierce', condition = { flips_exactly = 1 }, scaling = 'own_pieces'",
    "kind = 'echo', condition = { on_cell = 'corner' }",
    "kind = 'dispel', condition = { on_cell = 'edge' }, scaling = 'lost_tenths'",
    "kind = 'bolt', condition = { on_cell = 'x' }, scaling = 'turns'",
    "kind = 'ruin', condition = { on_cell = 'inner' }",
    "kind = 'drain', condition = { hp_at_most = 1 }",
    "kind = 'vengeance', condition = { hp_at_least = 1 }",
    "kind = 'heal', condition = { attribute_at_least = ['god', 1] }",
    "kind = 'mend', condition = { mono_deck = 'god' }",
    "kind = 'bloom', condition = { turn_at_most = 1 }",
    "kind = 'cleanse', condition = { turn_at_least = 1 }",
    "kind = 'regen', condition = { combos_at_least = 1 }",
    "kind = 'guard', target = 'god'",
    "kind = 'ward', condition = { mono_deck = 'demon' }",
    "kind = 'banner', target = 'demon'",
    "kind = 'poison', condition = { mono_deck = 'dragon' }",
    "kind = 'counter', target = 'dragon'",
    "kind = 'trap'",
    "kind = 'thorns'",
    "kind = 'weaken', turns = 1",
    "kind = 'curse', turns = 1",
    "kind = 'charge', turns = 1",
    "kind = 'seal', turns = 1",
];

/// The agents that need no file.
const AGENTS: [&str; 5] = [
    "{ kind = 'random' }",
    "{ kind = 'rule' }",
    "{ kind = 'rule', preset = 'hard' }",
    "{ kind = 'rule', preset = 'novice', temperature = 1.0 }",
    "{ kind = 'lookahead' }",
];

/// A file that parameters name and no check of parameters reads.
const FILE: &str =
    "{ blake3 = '0000000000000000000000000000000000000000000000000000000000000000' }";

/// Some random decks.
const RANDOM_DECKS: &str = "random_decks = { count = 1, seed = 1, pieces = \
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17] }";

/// A deck of listed pieces.
const LISTED: &str = "{ kind = 'listed', name = 'l', leader = 1, pieces = \
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] }";

/// The settings of reinforcement learning that are not the defaults.
const LEARN: [&str; 2] = [
    "{ returns = { kind = 'end' }, moves = 'own', target_steps = 1, next_actions = 'one_by_one' }",
    "{ moves = 'both', priority_loss = 'cross_entropy' }",
];

/// Returns all agents.
fn agents() -> Vec<String> {
    let network = format!("{{ kind = 'network', weights = {FILE} }}");
    AGENTS.map(str::to_owned).into_iter().chain([network]).collect()
}

/// Returns the agents that need no file, with weights.
fn weighted_agents() -> String {
    AGENTS.map(|agent| format!("{{ agent = {agent}, weight = 1 }}")).join(", ")
}

/// Returns own pieces with all skills.
fn pieces() -> String {
    let piece = |(skill, attribute): (&str, &&str)| {
        format!(
            "{{ name = 'own', attribute = '{attribute}', cost = 10, hp = 1, attack = 1, \
             skill = {{ {skill} }}, combo = {{ {skill} }} }}"
        )
    };
    let attributes = ["god", "demon", "dragon"].iter().cycle();
    let pieces: Vec<_> = SKILLS.into_iter().zip(attributes).map(piece).collect();
    format!("cost_cap = 400\npieces = [{}]\n", pieces.join(", "))
}

/// Returns decks of all kinds, some of them in files.
fn decks() -> (String, PartSet) {
    let generated = |name: &str, archetype: &str| {
        format!("kind = 'generated', name = '{name}', archetype = '{archetype}', seed = 1")
    };
    let mut inputs = PartSet::default();
    let mut pack = |names: &[&str]| {
        let file = |name: &&str| {
            let deck = generated(name, "burst").replace(", ", "\n");
            (format!("{name}.toml"), deck.into())
        };
        let (reference, bytes) =
            FileReference::pack(&names.iter().map(file).collect::<Vec<_>>()).expect("few files");
        inputs.add(bytes);
        reference.hash()
    };
    let of_archetype = |name: &str| {
        let shipped = format!("{{ kind = 'shipped', name = '{name}', archetype = '{name}' }}");
        format!("{shipped}, {{ {} }}", generated(&format!("{name}-2"), name))
    };
    let decks = [
        LISTED.to_owned(),
        format!("{{ file = 'a.toml', blake3 = '{}' }}", pack(&["a"])),
        format!("{{ files = ['b.toml', 'c.toml'], blake3 = '{}' }}", pack(&["b", "c"])),
    ];
    let decks = ["burst", "tricky", "endurance"].map(of_archetype).into_iter().chain(decks);
    (format!("[{}]", decks.collect::<Vec<_>>().join(", ")), inputs)
}

/// Checks the parameters of `E`. Each sample ends in a list of decks under `key` and in own pieces.
#[track_caller]
fn check<E: Experiment>(key: &str, samples: impl IntoIterator<Item = String>) {
    let (decks, inputs) = decks();
    let pool = format!("{key} = {decks}\n{}", pieces());
    let text = |params| format!("experiment = '{}'\nseed = 1\n[params]\n{params}\n{pool}", E::NAME);
    let samples: Vec<_> = samples.into_iter().map(text).collect();
    let samples: Vec<_> = samples.iter().map(|text| (text.as_str(), inputs.clone())).collect();
    if let Err(found) = parameters_are_checked(erased::<E>(), &samples) {
        panic!("{found}");
    }
}

#[test]
fn parameters_of_matrices_are_checked() {
    let sample = |agent| format!("pairs = 1\nagent = {agent}");
    check::<OthelloniaMatrix>("decks", agents().into_iter().map(sample));
}

#[test]
fn parameters_of_logs_are_checked() {
    let agents = agents().join(", ");
    let sample = format!("pairs = 1\ntable_games = 0\nagents = [{agents}]\n{RANDOM_DECKS}");
    check::<OthelloniaLogs>("decks", [sample]);
}

#[test]
fn parameters_of_representations_are_checked() {
    let sample = format!(
        "learn = {{ hidden = [1], periods = 1, steps = 1 }}\n\
         [params.games]\nfiles = 1\npairs = 1\nagents = [{}]\n{RANDOM_DECKS}",
        weighted_agents()
    );
    check::<OthelloniaRepresent>("decks", [sample]);
}

#[test]
fn parameters_of_imitation_are_checked() {
    let sample = |agent| {
        format!(
            "arms = ['deck_one_hot']\nvectors = {{ kind = 'file', file = {FILE} }}\n\
             information = 'own'\nform = 'sparse'\n\
             learn = {{ hidden = [1], periods = 1, steps = 1 }}\n\
             evaluation = {{ pairs = 1, opponent = {agent}, decks = [{LISTED}] }}\n\
             [params.games]\nfiles = 1\npairs = 1\nagents = [{}]\n{RANDOM_DECKS}",
            weighted_agents()
        )
    };
    check::<OthelloniaImitate>("decks", agents().into_iter().map(sample));
}

#[test]
fn parameters_of_self_play_are_checked() {
    let sample = |learn| {
        format!(
            "mode = {{ kind = 'wide', games = 1000 }}\narms = ['one_hot']\nhidden = [1]\n\
             vectors = {{ kind = 'file', file = {FILE} }}\ninformation = 'own'\nlearn = {learn}\n\
             evaluation = {{ pairs = 1, opponents = [{}] }}",
            agents().join(", ")
        )
    };
    check::<OthelloniaSelfplay>("decks", LEARN.map(sample));
}

#[test]
fn parameters_of_impacts_are_checked() {
    let simple = |agent| {
        format!("pairs = 2\nagent = {agent}\nhosts = [{{ deck = {LISTED}, replaces = 2 }}]")
    };
    let learned = |learn| {
        format!(
            "pairs = 2\nagent = {{ kind = 'network', weights = {FILE} }}\n\
             piece = 0\ntoo_strong = 5.0\nhosts = [{{ deck = {LISTED}, replaces = 'similar' }}]\n\
             vector = {{ files = 1, pairs = 1, agents = [{}], \
             learn = {{ hidden = [1], periods = 1, steps = 1 }} }}\n\
             tune = {{ periods = 1, pairs = 1, learn = {learn} }}",
            weighted_agents()
        )
    };
    let samples = AGENTS.into_iter().map(simple).chain(LEARN.into_iter().map(learned));
    check::<OthelloniaImpact>("field", samples);
}
