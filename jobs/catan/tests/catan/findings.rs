//! Findings of whole runs: what they say before, during and after the games.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use hatchery_catan::{CatanBalance, CatanDesign};
use hatchery_core::findings::{FindingBlock, FindingCard};
use hatchery_core::spec::SpecDocument;
use hatchery_core::{AnyExperiment, Experiment, Findings, RunHistory, RunSeed, erased, reference};

/// Runs a spec, and returns the findings for every state.
fn findings<E: Experiment>(spec: &str) -> Vec<Findings> {
    let experiment: &'static dyn AnyExperiment = erased::<E>();
    let document = SpecDocument::parse("test", spec.as_bytes()).unwrap();
    let configured = experiment.configure(&document).unwrap();
    let run = reference::run(experiment, configured.as_ref(), 1).unwrap();
    let seed = RunSeed::new(E::NAME, 1);
    let history = RunHistory { seed: &seed, generations: &[] };
    let of_state = |state| configured.findings(state, &history).unwrap().unwrap();
    run.states.iter().map(|state| of_state(state)).collect()
}

#[track_caller]
fn check(findings: &Findings, parts: &[&str]) {
    let text = findings.to_markdown();
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    assert!(!text.contains("NaN") && !text.contains("inf "), "{text}");
}

fn cards(findings: &Findings) -> Vec<&FindingCard> {
    let blocks = findings.sections.iter().flat_map(|section| &section.blocks);
    let cards = blocks.filter_map(|block| match block {
        FindingBlock::Cards(cards) => Some(cards),
        _ => None,
    });
    cards.flatten().collect()
}

#[test]
fn balance_is_judged_map_by_map() {
    let all = findings::<CatanBalance>(include_str!("../../specs/balance-smoke.toml"));
    let [before, screened, .., after] = &all[..] else { panic!("{} states", all.len()) };
    check(
        before,
        &[
            "# A control, which says nothing about 5 Catan maps: games of one weighted agent and \
             three random agents",
            "No games have been played",
        ],
    );
    assert!(before.sections.is_empty() && before.key_facts.is_empty(), "{before:?}");
    check(screened, &["The run is not finished: no map has been judged yet.", "](sigma.svg)"]);
    check(
        after,
        &[
            "The games **say nothing about the maps**: one weighted agent and three random agents \
             choose where they settle by chance",
            " (a control: they say nothing about the maps)",
            "](sigma.svg)",
            "](win-rates.svg)",
            "each is said wrongly of a map with a probability of at most 5 %",
            "## By origin",
            "| 1 | weighted | 1 | ",
            "| `method.kind` | `\"group-sequential\"` | `\"fixed\"` | ",
        ],
    );
    assert!(!after.summary.to_string().contains("not finished"), "{after:?}");
}

/// A verdict is about the map and its players. If the players tell maps apart, the verdict names
/// them. Players that do not tell maps apart find no map fair.
#[test]
fn verdicts_say_for_whom_they_are() {
    let spec = |agent: &str, games: u32| {
        findings::<CatanBalance>(&format!(
            "experiment = 'catan-balance'\nseed = 1\n[params]\nmaps = ['rulebook']\n\
             games = {games}\nmargin = 2\npool = {{ agent = {{ {agent} }} }}\n"
        ))
    };
    let planners = spec("kind = 'planner', opening_slack = 1", 800);
    check(
        planners.last().unwrap(),
        &[
            "# How evenly the four seats win on 1 Catan map for four planners (opening slack 1)\n",
            "\nFor four planners (opening slack 1), **the judged map is unfair**. The standard ",
        ],
    );
    let random = spec("kind = 'random'", 2_000);
    let [.., after] = &random[..] else { panic!("no state") };
    check(
        after,
        &[
            "# A control, which says nothing about 1 Catan map: games of four random agents\n",
            "\nThe games **say nothing about the maps**: four random agents choose where they ",
            "- Verdicts: **1 fair, 0 unfair** (a control: they say nothing about the maps)",
        ],
    );
    let summary = after.summary.to_string();
    assert!(!summary.contains("fair"), "{summary}");
}

#[test]
fn cards_show_where_seats_settle() {
    let all = findings::<CatanBalance>(
        "experiment = 'catan-balance'\nseed = 1\n[params]\nmaps = ['rulebook']\ngames = 6\n\
         pool = { agent = { kind = 'planner' } }\n",
    );
    let cards = cards(all.last().unwrap());
    let [card] = cards[..] else { panic!("{cards:?}") };
    assert_eq!(card.title, "rulebook");
    // Openings of planners have no chance, so that all games have the same.
    assert!(card.note.to_string().ends_with(')'), "{card:?}");
    let [map, rates] = &card.pictures[..] else { panic!("{card:?}") };
    for seat in 1..=4 {
        // Each seat has two.
        let disk = format!("font-weight=\"bold\" fill=\"#ffffff\">{seat}</text>");
        assert_eq!(map.inline().matches(&disk).count(), 2, "{}", map.inline());
        assert!(rates.inline().contains(&format!(">seat {seat}</text>")), "{}", rates.inline());
    }
}

#[test]
fn many_maps_have_few_cards() {
    let all = findings::<CatanBalance>(
        "experiment = 'catan-balance'\nseed = 1\n[params]\ngames = 3\nturn_cap = 1000\n\
         random = [{ policy = 'free', count = 105 }]\n\
         pool = { agent = { kind = 'random' } }\n",
    );
    let after = all.last().unwrap();
    assert_eq!(cards(after).len(), 20);
    check(
        after,
        &[
            "## The 16 best maps and the 4 worst",
            "5 maps more are in `maps.csv`.",
            "## Differences between the maps",
            "The quartiles of the estimated sigma of ",
        ],
    );
}

#[test]
fn designs_say_what_was_predicted_and_certified() {
    let all = findings::<CatanDesign>(include_str!("../../specs/design-smoke.toml"));
    let [before, start, first, .., after] = &all[..] else { panic!("{} states", all.len()) };
    check(before, &["No maps have been simulated yet.", "- Certified maps: **0, 2 wanted**"]);
    assert!(before.sections.is_empty(), "{before:?}");
    check(
        start,
        &[
            "The start is 6 maps, on which the win rates of seats have a standard deviation ",
            "Nothing has been predicted yet.",
        ],
    );
    check(first, &["The run is not finished yet.", "No map has come as far as", "](sigma-by-step"]);
    check(
        after,
        &[
            "# A control, which says nothing about maps: games of four random agents: ",
            "The games **say nothing about the maps**: four random agents choose",
            "certified** to be even for random on all seats: the standard deviation of the ",
            "## Certificates for random on all seats",
            "maps that were called good are good",
            "](sigma-by-step.svg)",
            "](finalists.svg)",
            "## What was learned",
            "| least spread | ",
            "which had no part in its choice",
            "| `agent.kind` | `\"random\"` | ",
        ],
    );
    assert!(!after.summary.to_string().contains("not finished"), "{after:?}");
    assert!(cards(after).iter().any(|card| card.title == "most uneven called bad"));
    for card in cards(after) {
        assert!(card.note.to_string().contains("; these settlements in "), "{card:?}");
    }
}

/// All maps are even for random players: whatever the numbers of right calls, no step is
/// significant. The tests share an error rate of 5 % per run; the seed is fixed.
#[test]
fn designs_without_differences_say_so() {
    let all = findings::<CatanDesign>(
        "experiment = 'catan-design'\nseed = 1\n[params]\nagent = { kind = 'random' }\n\
         games = 100\nsteps = 2\nstart = { random = [{ policy = 'free', count = 15 }] }\n\
         picks = { best = 5, worst = 5 }\nfeatures = { set = 'paper' }\n\
         learning = { unlabelled = 20, candidates = 20, etas = [0.0], lambdas = [0.1] }\n",
    );
    check(
        all.last().unwrap(),
        &[
            "That may be chance: in none of 2 steps was the difference significant.",
            "- Step 1 is inconclusive: its maps do not differ significantly from even ones (p = ",
            "- Step 2 is inconclusive: its maps do not differ significantly from even ones (p = ",
        ],
    );
}
