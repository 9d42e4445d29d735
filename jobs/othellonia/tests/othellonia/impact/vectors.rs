//! The vector of a new piece.

use hatchery_core::{PartSet, error_chain};
use hatchery_othellonia::learning::vector_file::decode_vectors;
use hatchery_othellonia::players::model::{AgentModel, ModelEncoding};
use hatchery_othellonia::rules::PieceId;

use crate::impact::runs::{agent, run, spec_with_tuning, spec_with_vector};

/// The agent with the new vector is the old one but for that vector, to the bit.
#[test]
fn only_the_new_vector_is_learned() {
    let (model, part, inputs) = agent(60);
    let run = run(&spec_with_vector(&part), &inputs);
    let extended = run.state.extended.unwrap();
    assert!(run.exhibits.iter().any(|(name, _)| name == "agent-extended.safetensors"));
    let bytes = run.parts.get(&extended).unwrap();
    let extended = AgentModel::decode(&bytes).unwrap();
    assert_eq!(extended.network(), model.network());
    let vectors = |model: &AgentModel| match model.encoding() {
        ModelEncoding::Vectors(vectors) => vectors.clone(),
        other => panic!("{other:?}"),
    };
    let [old, new] = [&model, &extended].map(vectors);
    assert_eq!((old.kinds(), new.kinds()), (60, 61));
    let bits = |vectors: &hatchery_othellonia::features::PieceVectors, piece| {
        vectors.vector(PieceId(piece)).unwrap().map(f32::to_bits)
    };
    assert!((0..60).all(|piece| bits(&old, piece) == bits(&new, piece)));
    assert!(new.vector(PieceId(60)).unwrap().iter().any(|value| *value != 0.0));
    // The file is also one of vectors, for runs of other experiments.
    assert_eq!(decode_vectors(&bytes).unwrap(), new);
}

/// The agent is tuned from the new vector on, and the change is measured with it as well.
#[test]
fn the_agent_is_tuned_with_the_new_decks() {
    let (_, part, inputs) = agent(60);
    let run = run(&spec_with_tuning(&part), &inputs);
    let names: Vec<_> = run.measures.iter().map(|measure| measure.name.as_str()).collect();
    assert_eq!(names[..2], ["change/zero_shot", "change/tuned"]);
    let tuning = &run.state.tuning;
    assert_eq!((tuning.periods, tuning.games, tuning.failure.as_deref()), (2, 12, None));
    assert!((run.measure("tuning/steps")[0] - 12.0).abs() < 1e-12);
    let model = |part| AgentModel::decode(&run.parts.get(&part).unwrap()).unwrap();
    let [before, after] =
        [run.state.extended.unwrap(), tuning.learner.as_ref().unwrap().model].map(model);
    assert_eq!(before.encoding(), after.encoding());
    assert_ne!(before.network(), after.network());
    // One host against one deck, against all, and all hosts, with both agents.
    assert_eq!(run.text("impact.csv").lines().count(), 1 + 2 * 3);
    assert!(run.text("report.md").contains("12 games and 12 steps with the hosts"));
}

/// The piece that gives way has the cost of the new one and the largest cosine.
#[test]
fn the_most_similar_piece_gives_way() {
    let (_, part, inputs) = agent(60);
    let run = run(&spec_with_vector(&part), &inputs);
    let vectors = decode_vectors(&run.parts.get(&run.state.extended.unwrap()).unwrap()).unwrap();
    let cosine = |piece: u32| {
        let vector = |piece: u32| vectors.vector(PieceId(u16::try_from(piece).unwrap())).unwrap();
        let product = |a: &[f32], b: &[f32]| -> f64 {
            a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        let (a, b) = (vector(piece), vector(60));
        product(a, b) / (product(a, a) * product(b, b)).sqrt()
    };
    let [chosen] = run.state.replaced[..] else { panic!("{:?}", run.state.replaced) };
    let pool = hatchery_othellonia::generate::generate_pieces(
        &hatchery_othellonia::generate::PoolSettings { kinds: 60, ..Default::default() },
    );
    let pool = hatchery_othellonia::pool::PiecePool::new(pool).unwrap();
    let deck = hatchery_othellonia::generate::generate_deck(
        &pool,
        hatchery_othellonia::generate::Archetype::Burst,
        1,
        hatchery_othellonia::pool::CostCap(400),
    );
    let deck = deck.unwrap();
    let cost = |piece: u32| pool.definitions()[usize::try_from(piece).unwrap()].cost;
    assert_eq!(cost(chosen), 10);
    let others = deck.pieces.iter().filter(|&&piece| piece != deck.leader && cost(piece) == 10);
    let others: Vec<_> = others.copied().collect();
    assert!(1 < others.len() && others.contains(&chosen), "{others:?}");
    assert!(others.iter().all(|&piece| cosine(piece) <= cosine(chosen) + 1e-6));
    let neighbors = run.text("neighbors.csv");
    assert_eq!(neighbors.lines().count(), 1 + 10, "{neighbors}");
    let cosines = neighbors.lines().skip(1).map(|line| line.rsplit(',').next().unwrap());
    let cosines: Vec<f64> = cosines.map(|it| it.parse().unwrap()).collect();
    assert!(cosines.is_sorted_by(|a, b| a >= b), "{cosines:?}");
}

/// Files that do not fit are refused with the reason, before the run begins.
#[test]
fn agents_that_do_not_fit_are_refused() {
    use hatchery_core::spec::SpecDocument;
    use hatchery_core::{erased, reference};
    use hatchery_othellonia::OthelloniaImpact;
    let check = |spec: &str, inputs: &PartSet, expected: &str| {
        let document = SpecDocument::parse("test", spec.as_bytes()).unwrap();
        let experiment = erased::<OthelloniaImpact>();
        let configured = experiment.configure(&document).unwrap();
        let error = reference::run_with_inputs(experiment, configured.as_ref(), 1, inputs);
        let message = error_chain(&error.unwrap_err());
        assert!(message.contains(expected), "{message}");
    };
    let (_, part, inputs) = agent(61);
    let expected = "a learned agent with the encoding `vectors` that does not know piece 60; the \
                    file has vectors of 61 kinds: leave out `vector`";
    check(&spec_with_vector(&part), &inputs, expected);

    // Lists of the most similar pieces have room for ten new ones.
    let (_, part, inputs) = agent(50);
    let expected = "knows all pieces of the pool but 10, or hosts whose `replaces` is a number: \
                    the file has vectors of 50 of 61 kinds";
    check(&spec_with_vector(&part), &inputs, expected);

    let (model, ..) = agent(60);
    let layout = ModelEncoding::DeckOneHot;
    let shape = {
        let layout = layout.layout().unwrap();
        hatchery_nets::NetworkShape {
            state_len: layout.state_len(),
            action_len: layout.action_len(),
            hidden: vec![4],
            n_outputs: 1,
        }
    };
    let network = hatchery_nets::Network::random(&shape, &mut crate::impact::runs::rng("one-hot"));
    let one_hot = AgentModel::new(model.information(), layout, network).unwrap();
    let mut inputs = PartSet::default();
    let part = inputs.add(one_hot.encode());
    check(&spec_with_vector(&part), &inputs, "the file has the encoding `deck_one_hot`");

    let part = inputs.add(vec![1; 9]);
    check(&spec_with_vector(&part), &inputs, "the file has weights that are no network");

    // An agent is tuned with as many bins as it has outputs.
    let (_, part, inputs) = agent(60);
    let spec = spec_with_tuning(&part).replace("batch = 4", "batch = 4, bins = 21");
    let expected = "a learned agent with 21 outputs, as `tune.learn.bins` says; the file has 51";
    check(&spec, &inputs, expected);

    // Without a vector to learn, the agent must know the piece.
    let (_, part, inputs) = agent(60);
    let spec = spec_with_vector(&part);
    let (spec, _) = spec.split_once("[params.vector]").unwrap();
    let spec = spec.replace("seed = 1 } }]", "seed = 1 }, replaces = 0 }]");
    let expected = "must be a learned agent that knows piece 60, or a table `vector`, with which \
                    it gets a vector for it; the file has vectors of 60 kinds";
    check(&spec, &inputs, expected);
}
