//! Bad specs are refused with an error that names the place and the right values.

use hatchery_catan::CatanDesign;
use hatchery_core::spec::SpecDocument;
use hatchery_core::{RunSeed, erased};

/// Returns the error of a spec with these parameters.
fn refusal(params: &str) -> String {
    let text = format!("experiment = 'catan-design'\nseed = 1\n[params]\n{params}\n");
    let document = SpecDocument::parse("test", text.as_bytes()).unwrap();
    let procedure = match erased::<CatanDesign>().configure(&document) {
        Ok(procedure) => procedure,
        Err(error) => return error.to_string(),
    };
    match procedure.begin(&RunSeed::new("catan-design", 1).generation(0), &[]) {
        Ok(_) => panic!("accepted: {params}"),
        Err(error) => error.to_string(),
    }
}

const AGENT: &str = "agent = { kind = 'random' }";

#[test]
fn wrong_specs_are_refused() {
    let fifty = format!("[{}]", vec!["0.5"; 50].join(", "));
    for (params, expected) in [
        (
            "learning = { candidates = 9 }",
            "learning.candidates is 9, but must be at least 10: picks.best + picks.worst",
        ),
        (
            &format!(
                "learning = {{ basis = {{ kind = 'gaussian', centers = 500, widths = {fifty} }}, \
                 lambdas = {fifty}, etas = {fifty} }}"
            ),
            "learning.basis.centers is 500, but must be less, or other factors: 500 centers x 500 \
             centers x 500 centers x 50 widths x 50 lambdas x 50 etas x 5 folds = 78125000000000 \
             multiplications in each step, and at most 1000000000000 are allowed",
        ),
        ("labels = { method = 'posterior', of = 'spread' }", "of"),
        ("start = { maps = ['atlantis'], random = [] }", "start.maps.0"),
        ("start = { maps = [], random = [] }", "start.maps"),
    ] {
        let got = refusal(&format!("{AGENT}\n{params}"));
        assert!(got.contains(expected), "{params}:\n{got}");
    }
}

#[test]
fn wrong_certifications_are_refused() {
    let panel = |agents: &str| {
        let rest = "rounds = [{ maps = 9, games = 9 }]\ngames = 9\nmost_games = 90_000";
        format!("{rest}\npanel = [{agents}]")
    };
    const CERTIFY: &str = "[params.certify]\nwanted = 1\ncandidates = 100\nfinalists = 2\n";
    for (rest, expected) in [
        (
            "rounds = [{ maps = 200, games = 9 }]\ngames = 9\nmost_games = 90_000",
            "certify.rounds.0.maps is 200, but must be at most 100",
        ),
        (
            "rounds = [{ maps = 1, games = 9 }]\ngames = 9\nmost_games = 90_000",
            "certify.finalists is 2, but must be at most 1",
        ),
        (
            "rounds = [{ maps = 9, games = 9 }, { maps = 1, children = 9, games = 9 }]\n\
                 games = 9\nmost_games = 90_000",
            "certify.finalists is 2, but must be at most 1, the number of maps that the rounds",
        ),
        (
            "rounds = [{ maps = 9, games = 9 }]\ngames = 9\nmost_games = 8",
            "certify.most_games is 8, but must be at least",
        ),
        (
            "rounds = [{ maps = 9, games = 9 }]\ngames = 9\nmost_games = 7000",
            "certify.most_games is 7000, but must be above 7500",
        ),
        (
            "rounds = [{ maps = 9, children = 1, games = 9 }]\ngames = 9\nmost_games = 90_000",
            "certify.rounds.0.children is 1, but must be 0: no map of the first round has played \
             yet",
        ),
        (
            "rounds = [{ maps = 100, games = 9 }, { maps = 100, children = 900, games = 9 }]\n\
                 games = 9\nmost_games = 90_000",
            "certify.rounds.1.children is 900, but must be fewer: 20000 maps in a round are the \
             most",
        ),
        (
            &panel("{ kind = 'value' }, { kind = 'planner' }, { kind = 'planner', trade = true }"),
            "certify.panel.2 is planner, but must be another agent than panel.1: each is named \
             once",
        ),
        (
            "rounds = [{ maps = 9, games = 9 }]\ngames = 9\nmost_games = 90_000\n\
                 rounds_by = 'panel'",
            "certify.rounds_by is \"panel\", but must be \"agent\", or a panel",
        ),
    ] {
        let got = refusal(&format!("{AGENT}\n{CERTIFY}{rest}"));
        assert!(got.contains(expected), "{rest}:\n{got}");
    }
}
