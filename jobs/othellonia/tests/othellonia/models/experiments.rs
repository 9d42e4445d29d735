//! Experiments with learned agents, whose files are inputs of the run.

use std::collections::BTreeMap;

use hatchery_core::spec::SpecDocument;
use hatchery_core::{
    AnyExperiment, Digest, Experiment, LargeValue, Part, PartMemory, PartSet, RunSeed,
    Simulation as _, TrialContext, WireValue, catch_panic, conformance, erased, error_chain,
    reference,
};
use hatchery_nets::tensors::TensorFile;
use hatchery_othellonia::features::{Information, PieceVectors};
use hatchery_othellonia::players::GameAgent;
use hatchery_othellonia::players::model::{AgentModel, ModelEncoding};
use hatchery_othellonia::record::GameFile;
use hatchery_othellonia::rules::{Game, Player};
use hatchery_othellonia::trial::setup::{KeptRecords, MatchAgent, MatchSetup, TrialSetup};
use hatchery_othellonia::{OthelloniaGames, OthelloniaLogs, OthelloniaMatrix};

use crate::models::samples::{decks, encodings, model, rng, table};

const DECKS: &str = "decks = [
    { kind = \"shipped\", name = \"burst\", archetype = \"burst\" },
    { kind = \"shipped\", name = \"tricky\", archetype = \"tricky\" },
]
";

/// A learned agent with vectors, and its file as an input.
fn learned() -> (AgentModel, Part, PartSet) {
    let [encoding, ..] = encodings();
    let model = model(Information::Perfect, encoding, (&[8], 1));
    let mut inputs = PartSet::default();
    let part = inputs.add(model.encode());
    (model, part, inputs)
}

/// Returns a spec of matrices with the agent of a file.
fn matrix_spec(weights: &str) -> String {
    format!(
        "experiment = \"othellonia-matrix\"\nseed = 1\n[params]\npairs = 2\nlooks = 2\n\
         agent = {{ kind = \"network\", weights = {weights} }}\n{DECKS}"
    )
}

/// Returns a spec of logs with the agent of a file, twice, and two others.
fn logs_spec(hash: Digest) -> String {
    let network = format!("{{ kind = \"network\", weights = {{ blake3 = \"{hash}\" }} }}");
    format!(
        "experiment = \"othellonia-logs\"\nseed = 1\n[params]\npairs = 1\n\
         agents = [{{ kind = \"rule\" }}, {network}, {{ kind = \"random\" }}, {network}]\n{DECKS}"
    )
}

#[test]
fn experiments_with_networks_conform() {
    let (_, part, inputs) = learned();
    let weights = format!("{{ blake3 = \"{}\" }}", part.hash());
    conformance::check_with_inputs::<OthelloniaMatrix>(&matrix_spec(&weights), inputs.clone())
        .unwrap();
    conformance::check_with_inputs::<OthelloniaLogs>(&logs_spec(part.hash()), inputs).unwrap();
}

/// Returns the texts of the exhibits of a run.
fn exhibits(experiment: &dyn AnyExperiment, spec: &str, inputs: &PartSet) -> Vec<(String, String)> {
    let document = SpecDocument::parse("test", spec.as_bytes()).unwrap();
    let configured = experiment.configure(&document).unwrap();
    let run = reference::run_with_inputs(experiment, configured.as_ref(), 1, inputs).unwrap();
    // The file is there to the end, for replays.
    assert_eq!(run.parts.names(), inputs.names());
    let exhibits = configured.exhibits(run.states.last().unwrap()).unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    exhibits.into_iter().map(|it| (it.name, text(it.content.bytes().unwrap()))).collect()
}

#[test]
fn reports_and_tables_name_the_agent() {
    let (_, part, inputs) = learned();
    let name = format!("network ({}…)", &part.hash().to_string()[..6]);
    let weights = format!("{{ blake3 = \"{}\" }}", part.hash());
    let matrix = exhibits(erased::<OthelloniaMatrix>(), &matrix_spec(&weights), &inputs);
    let names: Vec<_> = matrix.iter().map(|(name, _)| name.as_str()).collect();
    let expected = ["report.md", "matrix.svg", "matchups.svg", "matrix.csv", "decks.csv"];
    assert_eq!(names, expected);
    assert!(matrix[0].1.contains(&format!("played by the agent {name}\n")), "{}", matrix[0].1);
    // Each of two decks against each, as both see it.
    assert_eq!(matrix[3].1.lines().count(), 1 + 4, "{}", matrix[3].1);

    let logs = exhibits(erased::<OthelloniaLogs>(), &logs_spec(part.hash()), &inputs);
    let (_, plies) = logs.iter().find(|(file, _)| file == "plies.csv").unwrap();
    let of_network = plies.lines().filter(|line| line.split(',').nth(5) == Some(&name)).count();
    assert!(plies.lines().count() < 3 * of_network, "half of the plies are of networks");
}

/// The scores equal the scores of the replayed records.
#[test]
fn logs_score_agents_against_each_other() {
    let (_, part, inputs) = learned();
    let document = SpecDocument::parse("test", logs_spec(part.hash()).as_bytes()).unwrap();
    let logs = erased::<OthelloniaLogs>();
    let configured = logs.configure(&document).unwrap();
    let run = reference::run_with_inputs(logs, configured.as_ref(), 1, &inputs).unwrap();
    let exhibits = configured.exhibits(run.states.last().unwrap()).unwrap();
    let file = exhibits.iter().find(|exhibit| exhibit.name == "games.bin").unwrap();
    let file = GameFile::decode_message(file.content.bytes().unwrap()).unwrap();

    let network = format!("network-{}", &part.hash().to_string()[..6]);
    let names = ["rule-standard", &network, "random", &format!("{network}_2")];
    let mut points: BTreeMap<String, [f64; 2]> = BTreeMap::new();
    // The series of two decks are those of each agent, as A, against each, as B.
    let agents = (0..4).flat_map(|a| (0..4).map(move |b| [a, b])).cycle();
    for (series, [a, b]) in file.series.iter().zip(agents) {
        let first = Player::ALL[usize::from(b < a)];
        let name = format!("{}/{}/score", names[a.min(b)], names[a.max(b)]);
        for record in &series.records {
            let decks = record.decks.map(|deck| &file.decks[usize::from(deck)].1);
            let outcome = record.replay(decks, &mut ()).unwrap().outcome().unwrap();
            let won = outcome.winner.map_or(0.5, |winner| f64::from(u8::from(winner == first)));
            let [sum, n] = points.entry(name.clone()).or_default();
            (*sum, *n) = (*sum + won, *n + 1.0);
        }
    }
    points.retain(|name, _| names.iter().all(|it| *name != format!("{it}/{it}/score")));
    let scores = run.measures().iter().filter(|measure| measure.name.ends_with("/score"));
    assert_eq!((scores.clone().count(), points.len()), (6, 6));
    for score in scores {
        let [sum, n] = points[&score.name];
        assert!((score.value.point() - sum / n).abs() < 1e-12, "{score:?}, not {sum} of {n}");
    }
}

/// A network's games in an experiment follow the network's values.
#[test]
fn recorded_plies_are_the_best_by_value() {
    let (model, part, inputs) = learned();
    let (decks, table) = (decks(), table());
    let agent = MatchAgent::Network(LargeValue::new(vec![part]));
    let agents = [agent.clone(), agent];
    let setup = TrialSetup::Games(MatchSetup { decks: [0, 2], agents, kept: KeptRecords::All });
    let host = PartMemory::new(inputs);
    let mut streams = (0..3).map(|trial| rng("plies").part(trial));
    let context = TrialContext::new(&host);
    let results = OthelloniaGames::trials_of(&table, &setup, &mut streams, &context).games;
    assert_eq!((results.records.len(), results.pairs.len()), (6, 3));
    let mut n_plies = 0;
    for record in &results.records {
        let mut game = Game::start([&decks[0], &decks[2]], record.start);
        for &action in &record.actions {
            let values = model.values(&game);
            let most = values.iter().map(|(_, value)| *value).fold(f32::MIN, f32::max);
            let best = values.iter().find(|(_, value)| most <= *value).unwrap();
            assert_eq!(best.0, action);
            game.play(action, &mut ()).unwrap();
            n_plies += 1;
        }
        assert!(game.outcome().is_some());
    }
    assert!(50 < n_plies);
}

/// Returns the error of a run whose agent is this file.
fn run_error(bytes: Vec<u8>) -> String {
    let mut inputs = PartSet::default();
    let part = inputs.add(bytes);
    let spec = matrix_spec(&format!("{{ blake3 = \"{}\" }}", part.hash()));
    let document = SpecDocument::parse("test", spec.as_bytes()).unwrap();
    let matrix = erased::<OthelloniaMatrix>();
    let configured = matrix.configure(&document).unwrap();
    let error = reference::run_with_inputs(matrix, configured.as_ref(), 1, &inputs).unwrap_err();
    error_chain(&error).replace(&part.hash().to_string(), "HASH")
}

/// Returns files that are no agents for these decks, each with the message about the file.
fn unfit() -> [(Vec<u8>, &'static str); 3] {
    let vectors = PieceVectors::random(40, &mut rng("few")).unwrap();
    let few = model(Information::Own, ModelEncoding::Vectors(vectors), (&[2], 1));
    let mut old = TensorFile::decode(&few.encode()).unwrap();
    old.metadata.insert("feature_version".to_owned(), "3".to_owned());
    [
        (few.encode(), "weights for 40 kinds of pieces, but a deck has piece "),
        (old.encode(), "weights for features of version 3, but this build has version 1"),
        (b"PK".to_vec(), "weights that are no network in a file of safetensors: "),
    ]
}

#[test]
fn files_that_do_not_fit_are_refused_before_the_run() {
    for (bytes, what) in unfit() {
        let error = run_error(bytes);
        let expected = format!(
            "parameters refused: agent.weights is {{ blake3 = \"HASH\" }}, but must be a learned \
             agent that can play here; the file has {what}"
        );
        assert!(error.starts_with(&expected), "{error}");
    }
}

/// Nobody may have had the bytes before the run began.
#[test]
fn a_trial_refuses_a_file_that_does_not_fit() {
    for (bytes, what) in unfit() {
        let mut inputs = PartSet::default();
        let part = inputs.add(bytes);
        let agent = MatchAgent::Network(LargeValue::new(vec![part]));
        let agents = [MatchAgent::Rule(GameAgent::Random), agent];
        let setup = MatchSetup { decks: [0, 1], agents, kept: KeptRecords::None };
        let host = PartMemory::new(inputs);
        let refusal = catch_panic(|| {
            let setup = TrialSetup::Games(setup);
            OthelloniaGames::trial(&table(), &setup, rng("refused"), &TrialContext::new(&host))
        });
        let message = refusal.unwrap_err().to_string();
        let expected = format!("a learned agent cannot play: the file {} has {what}", part.hash());
        assert!(message.starts_with(&expected), "{message}");
    }
}

/// Returns the message that refuses a spec of matrices with these weights.
fn spec_error(weights: &str) -> String {
    let document = SpecDocument::parse("test", matrix_spec(weights).as_bytes()).unwrap();
    match erased::<OthelloniaMatrix>().configure(&document) {
        Err(error) => error.message,
        Ok(configured) => {
            let seed = RunSeed::new(OthelloniaMatrix::NAME, 1).generation(0);
            configured.begin(&seed, &[]).unwrap_err().to_string()
        }
    }
}

#[test]
fn weights_are_an_input() {
    let hash = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
    let weights = format!("{{ blake3 = \"{hash}\" }}");
    assert_eq!(
        spec_error(&weights),
        format!("agent.weights is {weights}, but must be the hash of an input that is given")
    );
}

/// The commands of the README.
#[test]
fn presets_take_learned_agents() {
    let (_, part, inputs) = learned();
    let learned = format!("{{ kind = 'network', weights = {{ blake3 = '{}' }} }}", part.hash());
    for (experiment, assignment, key) in [
        (erased::<OthelloniaMatrix>(), format!("agent={learned}"), "agent.weights"),
        (
            erased::<OthelloniaLogs>(),
            format!("agents=[{learned}, {{ kind = 'rule' }}]"),
            "agents.0.weights",
        ),
    ] {
        let preset = experiment.presets().iter().find(|preset| preset.name == "quick").unwrap();
        let document = SpecDocument::parse("quick", preset.text.as_bytes()).unwrap();
        let configured = experiment.configure(&document.set(&assignment).unwrap()).unwrap();
        let named = configured.inputs().unwrap();
        assert_eq!(named.iter().map(|it| it.key.as_str()).collect::<Vec<_>>(), [key]);
        configured.check_input(&named[0], &inputs.get(&part).unwrap()).unwrap();
        let seed = RunSeed::new(experiment.name(), 1).generation(0);
        let begun = configured.begin(&seed, &[part]).unwrap();
        assert_eq!(begun.named, [part]);
        let plan = configured.plan(&begun.state).unwrap();
        assert!(plan.series.iter().any(|series| series.parts == [part]));
    }
}
