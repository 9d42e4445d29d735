//! Runs for the tests.

use std::sync::LazyLock;

use hatchery_core::spec::SpecDocument;
use hatchery_core::{
    Experiment, InitialParts, Measure, MeasureValue, Part, PartMemory, PartSet, RunSeed,
    Simulation, Step, StreamRng, TrialContext,
};
use hatchery_nets::{Network, NetworkShape};
use hatchery_othellonia::features::{Information, PieceVectors};
use hatchery_othellonia::generate::{PoolSettings, generate_pieces, shipped_decks};
use hatchery_othellonia::players::model::{AgentModel, ModelEncoding};
use hatchery_othellonia::pool::PieceDefinition;
use hatchery_othellonia::studies::specs::{ImpactSpec, ImpactState};
use hatchery_othellonia::{OthelloniaGames, OthelloniaImpact};

use crate::CheckedSpec as _;

pub(crate) fn rng(label: &str) -> StreamRng {
    RunSeed::new("othellonia impact", 1).generation(0).stream(label)
}

/// Returns a learned agent with random vectors for so many kinds and random weights, and its file
/// as an input.
pub(crate) fn agent(kinds: usize) -> (AgentModel, Part, PartSet) {
    let vectors = PieceVectors::random(kinds, &mut rng("vectors")).unwrap();
    let encoding = ModelEncoding::Vectors(vectors);
    let layout = encoding.layout().unwrap();
    let shape = NetworkShape {
        state_len: layout.state_len(),
        action_len: layout.action_len(),
        hidden: vec![8],
        n_outputs: 51,
    };
    let network = Network::random(&shape, &mut rng("weights"));
    let model = AgentModel::new(Information::Perfect, encoding, network).unwrap();
    let mut inputs = PartSet::default();
    let part = inputs.add(model.encode());
    (model, part, inputs)
}

/// The generated pieces, by their number.
pub(crate) static PIECES: LazyLock<Vec<PieceDefinition>> =
    LazyLock::new(|| generate_pieces(&PoolSettings::default()));

/// Returns for each shipped deck the first piece of a cost of 10 that is not the leader.
pub(crate) fn plain_pieces() -> [u32; 3] {
    shipped_decks().map(|deck| {
        let mut pieces = deck.pieces.iter().copied();
        let found = pieces.find(|&piece| {
            piece != deck.leader && PIECES[usize::try_from(piece).unwrap()].cost == 10
        });
        found.unwrap()
    })
}

/// Returns a spec whose three hosts are the shipped decks. Pieces that cost 10 in these decks give
/// way to a new piece.
pub(crate) fn shipped_spec(pairs: u32, new: &str) -> String {
    let hosts = ["burst", "tricky", "endurance"].into_iter().zip(plain_pieces());
    let hosts: String = hosts
        .map(|(name, old)| {
            format!(
                "[[params.hosts]]\ndeck = {{ kind = 'shipped', name = '{name}', archetype = \
                 '{name}' }}\nreplaces = {old}\n"
            )
        })
        .collect();
    format!(
        "experiment = 'othellonia-impact'\nseed = 1\n[params]\npairs = {pairs}\n\
         agent = {{ kind = 'rule' }}\npieces = [{new}]\n{hosts}"
    )
}

/// Returns a spec that gives the agent in a file, which has vectors for 60 kinds, a vector for a
/// 61st kind.
pub(crate) fn spec_with_vector(part: &Part) -> String {
    format!(
        "experiment = 'othellonia-impact'\nseed = 1\n[params]\npairs = 2\ncost_cap = 400\n\
         pool = {{ kinds = 60 }}\n\
         agent = {{ kind = 'network', weights = {{ blake3 = '{}' }} }}\n\
         hosts = [{{ deck = {{ kind = 'generated', name = 'burst', archetype = 'burst', \
         seed = 1 }} }}]\n\
         field = [{{ kind = 'generated', name = 'tricky', archetype = 'tricky', seed = 2 }}]\n\
         pieces = [{{ name = 'new', attribute = 'dragon', cost = 10, hp = 1500, attack = 1500, \
         skill = {{ kind = 'bolt', magnitude = 500 }} }}]\n\
         [params.vector]\nfiles = 2\npairs = 2\ngenerated_decks = {{ count = 3, seed = 1 }}\n\
         learn = {{ hidden = [8], periods = 2, steps = 3, decisions = 4 }}\n",
        part.hash()
    )
}

/// Returns a spec that also tunes the agent with the new vector.
pub(crate) fn spec_with_tuning(part: &Part) -> String {
    let tune = "[params.tune]\nperiods = 2\npairs = 3\nsteps_per_pair = 2\nlearn = { batch = 4 }\n";
    spec_with_vector(part) + tune
}

/// A run from its beginning to its end.
pub(crate) struct Run {
    pub(crate) state: ImpactState,
    pub(crate) measures: Vec<Measure>,
    pub(crate) parts: PartSet,
    /// The names of the exhibits, with their texts unless they are parts.
    pub(crate) exhibits: Vec<(String, String)>,
}

impl Run {
    fn of(spec: &ImpactSpec, state: ImpactState, parts: PartSet) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let exhibits = OthelloniaImpact::exhibits(&spec.checked(), &state).into_iter();
        let exhibits = exhibits
            .map(|it| (it.name, it.content.bytes().map(text).unwrap_or_default()))
            .collect();
        let measures = OthelloniaImpact::measures(&spec.checked(), &state);
        Self { state, measures, parts, exhibits }
    }

    /// Returns the text of an exhibit.
    pub(crate) fn text(&self, name: &str) -> &str {
        &self.exhibits.iter().find(|(it, _)| it == name).unwrap().1
    }

    /// Returns the point and the ends of the interval of a measure.
    pub(crate) fn measure(&self, name: &str) -> [f64; 3] {
        let measure = self.measures.iter().find(|measure| measure.name == name).unwrap();
        match measure.value {
            MeasureValue::Estimate(it) => [it.mean, it.low, it.high],
            other => [other.point(); 3],
        }
    }
}

pub(crate) fn run(spec: &str, inputs: &PartSet) -> Run {
    let document = SpecDocument::parse("test", spec.as_bytes()).unwrap();
    let schema = schemars::schema_for!(ImpactSpec).to_value();
    let spec: ImpactSpec = document.params(&schema).unwrap();
    for input in OthelloniaImpact::inputs(&spec.checked()) {
        let part = inputs.names().into_iter().find(|part| part.hash() == input.hash).unwrap();
        OthelloniaImpact::check_input(&spec.checked(), &input, &inputs.get(&part).unwrap())
            .unwrap();
    }
    let run_seed = RunSeed::new(OthelloniaImpact::NAME, 1);
    let mut initial = InitialParts::new(inputs.names());
    let mut parts = inputs.clone();
    let mut state =
        OthelloniaImpact::begin(&spec.checked(), &run_seed.generation(0), &mut initial).unwrap();
    parts.extend(initial.into_made());
    for generation in 0..OthelloniaImpact::generations(&spec.checked()) {
        let seed = run_seed.generation(generation);
        let plan = OthelloniaImpact::plan(&spec.checked(), &state);
        let mut tallies = Vec::new();
        for (series, subject) in plan.series.iter().zip(0..) {
            let host = PartMemory::new(parts.clone());
            let mut streams =
                (0..series.n_trials).map(|trial| seed.trial(plan.draws, subject, trial));
            let context = TrialContext::new(&host);
            let (shared, subject) = (&plan.shared, &series.subject);
            tallies.push(OthelloniaGames::trials_of(shared, subject, &mut streams, &context));
            parts.extend(host.into_written());
        }
        match OthelloniaImpact::fold(&spec.checked(), state, &tallies, &seed) {
            Step::Continue(next) => state = next,
            Step::Done(last) => {
                assert_eq!(generation + 1, OthelloniaImpact::generations(&spec.checked()));
                return Run::of(&spec, last, parts);
            }
        }
    }
    panic!("the run goes on beyond its generations")
}
