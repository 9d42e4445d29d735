//! Controllers on the wire.

use hatchery_core::DecodeError;

use crate::features::WellRule;
use crate::players::{
    Controller, LinearController, NetworkShape, NeuralNetwork, SurfaceController, SurfaceWeights,
};
use crate::rules::BoardSize;

/// A [`Controller`] on the wire.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum ControllerMessage {
    /// A weighted sum.
    #[prost(message, tag = "1")]
    Linear(LinearMessage),
    /// A neural network.
    #[prost(message, tag = "2")]
    Network(NetworkMessage),
    /// A weighted sum that includes the wall's surface.
    #[prost(message, tag = "12")]
    Surface(SurfaceMessage),
}

/// A [`LinearController`] on the wire.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct LinearMessage {
    #[prost(sint64, repeated, tag = "1")]
    weights: Vec<i64>,
    #[prost(bool, tag = "2")]
    fast_wells: bool,
}

/// A [`SurfaceController`] on the wire.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct SurfaceMessage {
    #[prost(message, optional, tag = "1")]
    linear: Option<LinearMessage>,
    #[prost(sint64, tag = "2")]
    max_height: i64,
    #[prost(sint64, repeated, tag = "3")]
    heights: Vec<i64>,
    #[prost(sint64, repeated, tag = "4")]
    differences: Vec<i64>,
}

/// A [`NeuralNetwork`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct NetworkMessage {
    #[prost(uint32, tag = "1")]
    n_hidden: u32,
    #[prost(float, repeated, tag = "2")]
    weights: Vec<f32>,
    #[prost(bool, tag = "3")]
    diversity: bool,
}

impl From<&Controller> for ControllerMessage {
    fn from(controller: &Controller) -> Self {
        match controller {
            Controller::Linear(linear) => Self::Linear(linear.into()),
            Controller::Network(network) => Self::Network(NetworkMessage {
                n_hidden: u32::try_from(network.shape().n_hidden).expect("at most 64"),
                weights: network.weights().to_vec(),
                diversity: network.shape().diversity,
            }),
            Controller::Surface(SurfaceController { linear, surface }) => {
                let (max_height, heights, differences) = surface.scaled();
                let (heights, differences) = (heights.to_vec(), differences.to_vec());
                let linear = Some(linear.into());
                Self::Surface(SurfaceMessage { linear, max_height, heights, differences })
            }
        }
    }
}

impl From<&LinearController> for LinearMessage {
    fn from(linear: &LinearController) -> Self {
        let fast_wells = linear.wells() == WellRule::Fast;
        Self { weights: linear.scaled().to_vec(), fast_wells }
    }
}

/// Returns the controller of a message, for boards of `size`.
pub(super) fn checked(
    message: Option<ControllerMessage>,
    size: BoardSize,
) -> Result<Controller, DecodeError> {
    let wrong = |what: &dyn std::fmt::Display| {
        DecodeError::field(
            "controller",
            what,
            "weights of features, with or without a surface's, or of a network",
        )
    };
    let linear = |LinearMessage { weights, fast_wells }| {
        let weights = weights.try_into().map_err(|_| wrong(&"not nine weights"))?;
        let wells = if fast_wells { WellRule::Fast } else { WellRule::Cumulative };
        LinearController::from_scaled(weights, wells).map_err(|error| wrong(&error))
    };
    match message {
        Some(ControllerMessage::Linear(message)) => linear(message).map(Controller::Linear),
        Some(ControllerMessage::Network(NetworkMessage { n_hidden, weights, diversity })) => {
            let n_hidden = usize::try_from(n_hidden).map_err(|error| wrong(&error))?;
            let shape = NetworkShape { n_hidden, diversity };
            let network = NeuralNetwork::new(shape, weights).map_err(|error| wrong(&error))?;
            Ok(Controller::Network(network))
        }
        Some(ControllerMessage::Surface(message)) => {
            let SurfaceMessage { linear: features, max_height, heights, differences } = message;
            let linear = linear(features.ok_or_else(|| wrong(&"without weights of features"))?)?;
            let surface = SurfaceWeights::from_scaled(max_height, heights, differences)
                .map_err(|error| wrong(&error))?;
            if surface.width() != size.width() as usize {
                let expected = format!("weights for the {} columns of the board", size.width());
                let found = format!("for {} columns", surface.width());
                return Err(DecodeError::field("controller", &found, expected));
            }
            Ok(Controller::Surface(SurfaceController { linear, surface }))
        }
        None => Err(wrong(&"missing")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surfaces_that_fit_no_board_are_refused() {
        let good = SurfaceMessage {
            linear: Some(LinearMessage { weights: vec![0; 9], fast_wells: false }),
            max_height: 0,
            heights: vec![1; 10],
            differences: vec![-1; 9],
        };
        let decode = |message| {
            let message = Some(ControllerMessage::Surface(message));
            checked(message, BoardSize::STANDARD).map_err(|error| error.to_string())
        };
        assert!(decode(good.clone()).is_ok());
        let wide =
            SurfaceMessage { heights: vec![1; 11], differences: vec![1; 10], ..good.clone() };
        let short = LinearMessage { weights: vec![0; 8], fast_wells: false };
        for (bad, expected) in [
            (SurfaceMessage { linear: None, ..good.clone() }, "without weights of features"),
            (SurfaceMessage { linear: Some(short), ..good.clone() }, "not nine weights"),
            (wide, "11 columns"),
            (SurfaceMessage { heights: Vec::new(), ..good.clone() }, "0 weights of heights"),
            (SurfaceMessage { differences: vec![1; 10], ..good.clone() }, "10 weights of diff"),
            (SurfaceMessage { max_height: i64::MIN, ..good }, "weight of max_height"),
        ] {
            let error = decode(bad).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
