//! Games with and without a new piece.

use hatchery_core::PartSet;

use crate::impact::runs::{PIECES, plain_pieces, run, shipped_spec};

/// A plain piece by rule: it has no skill.
const PLAIN: &str = "{ name = 'plain', attribute = 'dragon', cost = 10, hp = 1000, attack = 1000 }";

/// The planted piece of `matrix/pieces`.
const PLANTED: &str = "{ name = 'planted', attribute = 'dragon', cost = 10, hp = 2000, \
                       attack = 3000, skill = { kind = 'bolt', magnitude = 1500 } }";

/// A piece that takes the place of its copy changes nothing, in no trial: shuffles and choices are
/// the same.
#[test]
fn a_copy_changes_nothing() {
    let [old, ..] = plain_pieces();
    let deck = hatchery_othellonia::generate::shipped_decks()[0].clone();
    let pieces = deck.pieces.iter().map(|&piece| if piece == old { 925 } else { piece });
    let pieces: Vec<_> = pieces.collect();
    let spec = format!(
        "experiment = 'othellonia-impact'\nseed = 1\n[params]\npairs = 40\n\
         agent = {{ kind = 'rule' }}\npieces = [{PLAIN}, {PLAIN}]\n\
         field = [{{ kind = 'shipped', name = 'tricky', archetype = 'tricky' }},\n\
         {{ kind = 'shipped', name = 'burst', archetype = 'burst' }}]\n\
         hosts = [{{ replaces = 925, deck = {{ kind = 'listed', name = 'host', leader = {}, \
         pieces = {pieces:?} }} }}]\n",
        deck.leader
    );
    assert_eq!(PIECES.len(), 924);
    let spec = spec.replace("925", "924");
    let run = run(&spec, &PartSet::default());
    let look = run.state.zero_shot.as_ref().unwrap();
    for counts in look.matchups.iter().chain(&look.hosts).chain([&look.all]) {
        assert_eq!(counts.before, counts.after);
        let middle = counts.change.len() / 2;
        assert_eq!((counts.change[middle], counts.change.iter().sum::<u64>()), (40, 40));
    }
    let [mean, low, high] = run.measure("change/zero_shot");
    assert!(mean.abs() < 1e-15 && low < 0.0 && 0.0 < high, "{mean} ({low} to {high})");
    let report = run.text("report.md");
    assert!(report.contains("**It is undecided whether plain (925) is too strong**, "), "{report}");
    assert!(report.contains(" more trials (pairs = "), "{report}");
    assert!(report.contains(" **No change is shown**: 0.0 points ("), "{report}");
}

/// A planted piece that is far too strong is found with the sign and in each host, and the common
/// shuffles save games. By chance an interval of 95 % would be above 0 in one of 40 runs; here all
/// hosts together are more than 10 standard errors away.
#[test]
fn a_planted_piece_makes_its_decks_stronger() {
    let run = run(&shipped_spec(60, PLANTED), &PartSet::default());
    let [mean, low, _] = run.measure("change/zero_shot");
    assert!(0.02 < low && mean < 0.5, "{mean}, from {low}");
    for host in ["burst", "tricky", "endurance"] {
        let [mean, ..] = run.measure(&format!("{host}/change/zero_shot"));
        assert!(0.0 < mean, "{host}: {mean}");
    }
    let [ratio, ..] = run.measure("variance_ratio");
    assert!(1.0 < ratio, "{ratio}");
    let report = run.text("report.md");
    assert!(report.contains(" makes its decks stronger**, by +"), "{report}");
    assert!(report.contains(" is too strong** over 3 decks together, where 5.0"), "{report}");
    assert!(report.contains(" It does best in the deck "), "{report}");
    // Three hosts against three decks and against all, and all hosts.
    assert_eq!(run.text("impact.csv").lines().count(), 1 + 3 * (3 + 1) + 1);
    assert!(run.text("impact.svg").starts_with("<svg"));
}

/// The opposite: a piece that can do nothing.
#[test]
fn a_piece_that_does_nothing_makes_its_decks_weaker() {
    let nothing = "{ name = 'nothing', attribute = 'dragon', cost = 0, hp = 1, attack = 0 }";
    let run = run(&shipped_spec(60, nothing), &PartSet::default());
    let [mean, _, high] = run.measure("change/zero_shot");
    assert!(mean < high && high < 0.0, "{mean}, up to {high}");
}

/// The name of a piece comes from a spec: markup in the name is shown as text.
#[test]
fn names_with_markup_stay_names() {
    let name = "<b>a|b</b> *c* `d`";
    let new =
        format!("{{ name = '{name}', attribute = 'dragon', cost = 10, hp = 1000, attack = 1000 }}");
    let run = run(&shipped_spec(2, &new), &PartSet::default());
    let report = run.text("report.md");
    let escaped = r"# The impact of the new piece \<b\>a\|b\</b\> \*c\* \`d\` (924) on 3 decks";
    assert!(report.starts_with(escaped), "{report}");
}
