//! The defaults of specs, and the inputs that they name.

use hatchery_core::part::Part;
use hatchery_core::{Experiment, InitialParts, PartInput};
use hatchery_othellonia::OthelloniaSelfplay;
use hatchery_othellonia::features::PieceVectors;
use hatchery_othellonia::learning::reinforcement::{LearnedMoves, ReinforcementSettings};
use hatchery_othellonia::learning::vector_file::encode_vectors;
use hatchery_othellonia::params::agent_param::{AgentParam, NetworkParam};
use hatchery_othellonia::params::encoding_param::{EncodingParam, VectorFileParam};
use hatchery_othellonia::studies::specs::SelfplayVectorsParam;
use hatchery_othellonia::trial::setup::{TrainingTask, TrialSetup};

use super::made_up::{begin, plan, seed, spec_of};
use crate::CheckedSpec as _;

const WIDE: &str = "{ kind = 'wide', games = 50 }";
const PAPER: &str = "{ kind = 'paper', games = 250 }";
const REST: &str = "arms = ['vectors']\nevaluation = { pairs = 0 }";

fn settings(mode: &str, learn: &str) -> ReinforcementSettings {
    let spec = spec_of(mode, &format!("{REST}\n{learn}"));
    let plan = plan(&spec, &begin(&spec));
    let TrialSetup::Train(setup) = &plan.series[0].subject else { panic!("it learns") };
    let TrainingTask::Reinforcement(task) = &setup.task else { panic!("another task") };
    ReinforcementSettings { stretch: 100, ..task.settings.clone() }
}

/// The numbers of Kono et al., 9.3, where the text has them.
#[test]
fn paper_has_the_numbers_of_the_text() {
    let settings = settings(PAPER, "");
    assert_eq!(settings, ReinforcementSettings::default());
    assert_eq!((settings.bins, settings.capacity, settings.target_steps), (51, 2_000_000, 4_000));
    let spec = spec_of(PAPER, REST);
    let plan = plan(&spec, &begin(&spec));
    let TrialSetup::Train(setup) = &plan.series[0].subject else { panic!("it learns") };
    let TrainingTask::Reinforcement(task) = &setup.task else { panic!("another task") };
    let rounds = task.rounds.as_ref().expect("it plays");
    assert_eq!((setup.steps, rounds.steps, rounds.n_decks), (4_000, 32, 3));
}

/// More moves and a target that follows sooner learn faster.
#[test]
fn wide_has_defaults_of_its_own() {
    let expected = ReinforcementSettings {
        moves: LearnedMoves::Both,
        target_steps: 500,
        ..ReinforcementSettings::default()
    };
    assert_eq!(settings(WIDE, ""), expected);
    let given = settings(WIDE, "learn = { moves = 'own', target_steps = 4_000 }");
    assert_eq!(given, ReinforcementSettings::default());
}

/// Files are inputs of a run only if it needs them, and are checked as what they should be.
#[test]
fn inputs_are_files_of_vectors_and_agents() {
    let file = encode_vectors(&PieceVectors::random(925, &mut seed(0).stream("file")).unwrap());
    let small = encode_vectors(&PieceVectors::random(60, &mut seed(0).stream("file")).unwrap());
    let input = PartInput { blake3: Part::of(&file).hash() };
    let weights = PartInput { blake3: Part::of(b"weights").hash() };
    let mut spec = spec_of(WIDE, REST);
    spec.vectors = SelfplayVectorsParam::File(VectorFileParam { file: input });
    spec.evaluation.opponents.push(AgentParam::Network(NetworkParam { weights }));
    let inputs = OthelloniaSelfplay::inputs(&spec.checked());
    let keys: Vec<_> = inputs.iter().map(|input| input.key.as_str()).collect();
    assert_eq!(keys, ["vectors.file", "evaluation.opponents.2.weights"]);
    let check = |at: usize, bytes: &[u8]| {
        OthelloniaSelfplay::check_input(&spec.checked(), &inputs[at], bytes)
            .map_err(|it| it.to_string())
    };
    assert_eq!(check(0, &file), Ok(()));
    let refused = check(0, &small).expect_err("too few kinds");
    assert!(refused.contains("vectors of 924 kinds or more; the file has 60"), "{refused}");
    let refused = check(1, b"weights").expect_err("no agent");
    assert!(refused.contains("a learned agent that can play here"), "{refused}");

    let parts = [Part::of(&file), Part::of(b"weights")];
    let mut initial = InitialParts::new(parts.to_vec());
    let state =
        OthelloniaSelfplay::begin(&spec.checked(), &seed(0), &mut initial).expect("it is valid");
    assert_eq!(OthelloniaSelfplay::parts(&state), parts);
    spec.arms = vec![EncodingParam::DeckOneHot];
    let inputs = OthelloniaSelfplay::inputs(&spec.checked());
    assert_eq!(inputs.len(), 1);
}
