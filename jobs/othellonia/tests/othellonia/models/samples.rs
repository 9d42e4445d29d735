//! Models, decks and games for the tests.

use hatchery_core::{RunSeed, StreamRng};
use hatchery_nets::{Network, NetworkShape};
use hatchery_othellonia::features::{Information, PieceVectors};
use hatchery_othellonia::generate::{
    DEFAULT_COST_CAP, DEFAULT_KINDS, PoolSettings, generate_pieces, shipped_decks,
};
use hatchery_othellonia::players::model::{AgentModel, ModelEncoding};
use hatchery_othellonia::pool::PiecePool;
use hatchery_othellonia::rules::GameDeck;
use hatchery_othellonia::trial::setup::DeckTable;

/// The kinds of the pool that the shipped decks are of.
pub(crate) const KINDS: usize = DEFAULT_KINDS as usize;

pub(crate) fn rng(label: &str) -> StreamRng {
    RunSeed::new("othellonia models", 1).generation(0).stream(label)
}

/// The three shipped decks.
pub(crate) fn decks() -> [GameDeck; 3] {
    let pool = PiecePool::new(generate_pieces(&PoolSettings::default())).unwrap();
    shipped_decks().map(|deck| deck.build(&pool, DEFAULT_COST_CAP).unwrap())
}

/// The shipped decks as the table of a run.
pub(crate) fn table() -> DeckTable {
    DeckTable::new(decks().to_vec()).unwrap()
}

/// Returns an encoding of every sort.
pub(crate) fn encodings() -> [ModelEncoding; 3] {
    let vectors = PieceVectors::random(KINDS, &mut rng("vectors")).unwrap();
    [
        ModelEncoding::Vectors(vectors),
        ModelEncoding::PoolOneHot { kinds: KINDS },
        ModelEncoding::DeckOneHot,
    ]
}

/// Returns the shape of a network for an encoding.
pub(crate) fn shape(encoding: &ModelEncoding, hidden: &[usize], n_outputs: usize) -> NetworkShape {
    let layout = encoding.layout().unwrap();
    NetworkShape {
        state_len: layout.state_len(),
        action_len: layout.action_len(),
        hidden: hidden.to_vec(),
        n_outputs,
    }
}

/// Returns a model with random weights.
pub(crate) fn model(
    information: Information,
    encoding: ModelEncoding,
    (hidden, n_outputs): (&[usize], usize),
) -> AgentModel {
    let network = Network::random(&shape(&encoding, hidden, n_outputs), &mut rng("weights"));
    AgentModel::new(information, encoding, network).unwrap()
}

/// Returns a small model whose file has some 75 kB.
pub(crate) fn small_model() -> AgentModel {
    model(Information::Perfect, ModelEncoding::DeckOneHot, (&[4], 1))
}
