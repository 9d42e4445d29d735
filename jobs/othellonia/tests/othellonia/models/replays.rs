//! Replays show what learned agents think.

use std::ops::ControlFlow;

use hatchery_core::scene::SceneFrame;
use hatchery_core::{
    LargeValue, PartMemory, PartSet, SceneBase, SceneSink, Simulation as _, TrialContext,
};
use hatchery_othellonia::OthelloniaGames;
use hatchery_othellonia::features::Information;
use hatchery_othellonia::players::{GameAgent, RuleAgent};
use hatchery_othellonia::trial::setup::{KeptRecords, MatchAgent, MatchSetup, TrialSetup};

use crate::models::samples::{encodings, model, rng, table};

/// The captions of a scene.
#[derive(Default)]
struct Captions(Vec<String>);

impl SceneSink for Captions {
    fn begin(&mut self, _base: &SceneBase) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn frame(&mut self, frame: SceneFrame) -> ControlFlow<()> {
        self.0.push(frame.caption);
        ControlFlow::Continue(())
    }
}

/// Returns the captions of two games of a network with so many outputs, as A, against an agent by
/// rule.
fn captions(n_outputs: usize) -> Vec<String> {
    let [_, _, encoding] = encodings();
    let mut inputs = PartSet::default();
    let part = inputs.add(model(Information::Own, encoding, (&[8], n_outputs)).encode());
    let network = MatchAgent::Network(LargeValue::new(vec![part]));
    let agents = [network, GameAgent::Rule(RuleAgent::HARD).into()];
    let setup = TrialSetup::Games(MatchSetup { decks: [0, 1], agents, kept: KeptRecords::None });
    let host = PartMemory::new(inputs);
    let mut captions = Captions::default();
    let context = TrialContext::new(&host);
    let flow = OthelloniaGames::replay(&table(), &setup, rng("replay"), &context, &mut captions);
    assert_eq!(flow, ControlFlow::Continue(()));
    captions.0
}

#[test]
fn placements_of_networks_show_the_best_actions() {
    for (n_outputs, verb) in [(1, "would play"), (51, "expects")] {
        let (mut n_network, mut n_other) = (0, 0);
        for caption in captions(n_outputs) {
            let mut lines = caption.lines();
            let Some((_, placed)) = lines.next().unwrap().split_once(" places ") else {
                n_other += 1;
                continue;
            };
            // The start of a game, which says who places first.
            if placed.starts_with("first") {
                continue;
            }
            let (piece, _) = placed.split_once(',').unwrap();
            let thoughts = lines.next().unwrap();
            if caption.contains(": A places ") {
                n_network += 1;
                let (head, best) = thoughts.split_once(" actions: ").unwrap();
                assert!(head.starts_with(&format!("  A's network {verb}, of ")), "{caption}");
                assert!(best.starts_with(&format!("{piece} ")), "{caption}");
                let shares = best.split(", ").map(|action| {
                    action.trim_end_matches(" %").rsplit(' ').next().unwrap().parse().unwrap()
                });
                let shares: Vec<f32> = shares.collect();
                assert!(shares.is_sorted_by(|a, b| b <= a), "{caption}");
                assert!((1..=3).contains(&shares.len()), "{caption}");
            } else {
                n_other += 1;
                assert!(!caption.contains("network"), "{caption}");
            }
        }
        assert!(10 < n_network && 10 < n_other, "{n_network} and {n_other} placements");
    }
}
