//! A golden game, as `hatchery replay` shows it.

use std::ops::ControlFlow;
use std::path::Path;

use hatchery_core::scene::SceneText;
use hatchery_core::spec::SpecDocument;
use hatchery_core::{Experiment, InitialParts, RunSeed, Simulation, TrialContext};
use hatchery_othellonia::studies::specs::MatrixSpec;
use hatchery_othellonia::{OthelloniaGames, OthelloniaMatrix};

use crate::CheckedSpec as _;

/// Tricky against endurance: poison, traps and regeneration. `UPDATE_GOLDEN=1 cargo test -p
/// hatchery-othellonia-tests` renews the file: then raise the `VERSION` of the experiments, and
/// that of the rules if they have changed.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test may renew its golden file")]
fn a_game_is_as_it_was() {
    let text = include_str!("../../specs/matrix-smoke.toml");
    let document = SpecDocument::parse("smoke", text.as_bytes()).unwrap();
    let schema = schemars::schema_for!(MatrixSpec).to_value();
    let spec: MatrixSpec = document.params(&schema).unwrap();
    let seed = RunSeed::new("playthrough", 1).generation(0);
    let state =
        OthelloniaMatrix::begin(&spec.checked(), &seed, &mut InitialParts::default()).unwrap();
    let plan = OthelloniaMatrix::plan(&spec.checked(), &state);
    let setup = &plan.series[4].subject;
    let mut shown = String::new();
    let mut scene = SceneText::new(|frame: &str| {
        if frame.starts_with("game 2") {
            return ControlFlow::Break(());
        }
        for line in frame.lines() {
            shown.push_str(line.trim_end());
            shown.push('\n');
        }
        shown.push('\n');
        ControlFlow::Continue(())
    });
    let stream = seed.stream("game");
    let (decks, context) = (&plan.shared, TrialContext::ALONE);
    let flow = OthelloniaGames::replay(decks, setup, stream, &context, &mut scene);
    assert!(flow.is_break(), "the second game is not shown");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("othellonia/golden/game.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &shown).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(shown == golden, "another game: UPDATE_GOLDEN=1 shows the difference in git");
}
