//! Models of learned agents: a network, the encoding of pieces that it was trained with, and their
//! file.
//!
//! ```text
//! Game -features-> rows of the state and of all legal actions -network-> a value for each action
//! ```
//!
//! The action with the highest value is played, the first of equals. A network with one output
//! says how likely an action is to be the right one, as the logarithm of the odds; one with several
//! says how often the action wins, as a distribution over bins from 0 to 1, whose mean counts.

mod encoding;
mod error;
pub(crate) mod file;
mod values;

pub use encoding::ModelEncoding;
pub use error::{MAX_LAYERS, MAX_UNITS, ModelError};
pub use values::{ModelBuffers, ModelValue};

use hatchery_nets::Network;

use crate::features::{FeatureLayout, Information};
use crate::rules::GameDeck;

/// A learned agent: a network whose input are the features of the game.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentModel {
    information: Information,
    encoding: ModelEncoding,
    network: Network,
}

impl AgentModel {
    /// Returns the agent with this network, which sees the game with this information, and pieces
    /// in this encoding.
    ///
    /// # Errors
    /// If the encoding has no kinds or too many, or the network does not fit the rows of features,
    /// is too large, or has a weight that is not finite.
    pub fn new(
        information: Information,
        encoding: ModelEncoding,
        network: Network,
    ) -> Result<Self, ModelError> {
        let shape = network.shape();
        let layout = encoding.layout()?;
        let expected = [layout.state_len(), layout.action_len()];
        let found = [shape.state_len, shape.action_len];
        if found != expected {
            return Err(ModelError::Inputs { found, expected });
        }
        let n_layers = network.layers().len();
        if MAX_LAYERS < n_layers {
            return Err(ModelError::Layers { found: n_layers });
        }
        let mut units = shape.hidden.iter().chain([&shape.n_outputs]);
        if let Some(&found) = units.find(|units| !(1..=MAX_UNITS).contains(*units)) {
            return Err(ModelError::Units { found });
        }
        let odd = network.parameters().flatten().find(|parameter| !parameter.is_finite()).copied();
        match odd {
            Some(found) => Err(ModelError::NotFinite { found }),
            None => Ok(Self { information, encoding, network }),
        }
    }

    /// Returns the facts about the game that the agent sees.
    #[must_use]
    pub const fn information(&self) -> Information {
        self.information
    }

    /// Returns the encoding of pieces.
    #[must_use]
    pub const fn encoding(&self) -> &ModelEncoding {
        &self.encoding
    }

    /// Returns the network.
    #[must_use]
    pub const fn network(&self) -> &Network {
        &self.network
    }

    /// Returns the network, for a learner: it may not change its shape, nor leave a weight that is
    /// not finite.
    pub(crate) const fn network_mut(&mut self) -> &mut Network {
        &mut self.network
    }

    /// Returns its information, encoding and network.
    #[must_use]
    pub fn into_parts(self) -> (Information, ModelEncoding, Network) {
        let Self { information, encoding, network } = self;
        (information, encoding, network)
    }

    /// Returns the layout of its rows.
    ///
    /// # Panics
    /// Never: the encoding was checked.
    #[must_use]
    pub fn layout(&self) -> FeatureLayout<'_> {
        self.encoding.layout().expect("the encoding was checked")
    }

    /// Checks that it can play games between these decks.
    ///
    /// # Errors
    /// If a deck has a piece that the encoding lacks.
    pub fn check_decks<'a>(
        &self,
        decks: impl IntoIterator<Item = &'a GameDeck>,
    ) -> Result<(), ModelError> {
        let Some(kinds) = self.encoding.kinds() else { return Ok(()) };
        let mut pieces = decks.into_iter().flat_map(GameDeck::pieces).map(|piece| piece.id.0);
        match pieces.find(|piece| kinds <= usize::from(*piece)) {
            Some(piece) => Err(ModelError::UnknownPiece { piece, kinds }),
            None => Ok(()),
        }
    }
}
