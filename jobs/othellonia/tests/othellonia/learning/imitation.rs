//! Imitation of recorded players.

use std::ops::ControlFlow;

use hatchery_nets::tensors::TensorFile;
use hatchery_nets::{AdamState, DenseLayer, FirstLayerForm, Network, NetworkShape};
use hatchery_othellonia::features::{FeatureLayout, Information, PieceEncoding, PieceVectors};
use hatchery_othellonia::learning::imitation::{Agreement, ImitationSettings, agreement, learn};
use hatchery_othellonia::learning::samples::TrainingGames;
use hatchery_othellonia::learning::{LearnError, LearnFailure, LearnSummary, Learner};

use crate::learning::games::{DECKS, go_on, held_out, known_for_a_while, stream, training};

const KINDS: usize = 925;

fn vectors() -> PieceVectors {
    PieceVectors::random(KINDS, &mut stream("vectors")).unwrap()
}

/// A network, the memory of its optimizer, and what it sees.
struct Player<'a> {
    layout: FeatureLayout<'a>,
    network: Network,
    optimizer: AdamState,
}

impl<'a> Player<'a> {
    fn new(encoding: PieceEncoding<'a>, hidden: usize) -> Self {
        let layout = FeatureLayout::new(encoding).unwrap();
        let [state_len, action_len] = [layout.state_len(), layout.action_len()];
        let shape = NetworkShape { state_len, action_len, hidden: vec![hidden], n_outputs: 1 };
        let network = Network::random(&shape, &mut stream("network"));
        let optimizer = AdamState::new(&network);
        Self { layout, network, optimizer }
    }

    fn learn(&mut self, settings: &ImitationSettings, steps: u64) -> LearnSummary {
        self.try_learn(&training(), settings, steps).unwrap()
    }

    fn try_learn(
        &mut self,
        games: &TrainingGames<'_>,
        settings: &ImitationSettings,
        steps: u64,
    ) -> Result<LearnSummary, LearnFailure> {
        let mut learner = Learner {
            layout: self.layout,
            information: Information::Perfect,
            network: &mut self.network,
            optimizer: &mut self.optimizer,
        };
        learn(&mut learner, games, settings, steps, &stream("learn"), &mut go_on)
    }

    fn agreement(&self, games: &TrainingGames<'_>) -> Agreement {
        agreement(&self.network, &self.layout, Information::Perfect, games, 1).unwrap()
    }

    fn bytes(&self) -> Vec<u8> {
        let mut file = TensorFile::default();
        self.network.to_tensors("", &mut file);
        self.optimizer.to_tensors("adam.", &mut file);
        file.encode()
    }

    /// Returns the learner that is read back from its bytes.
    fn restored(mut self) -> Self {
        let file = TensorFile::decode(&self.bytes()).unwrap();
        let network: Vec<_> =
            file.tensors.iter().filter(|(name, _)| name.starts_with("layers")).collect();
        let only = network.into_iter().map(|(name, tensor)| (name.clone(), tensor.clone()));
        let only = TensorFile { tensors: only.collect(), ..TensorFile::default() };
        self.network = Network::from_tensors("", &only, self.layout.state_len()).unwrap();
        self.optimizer = AdamState::from_tensors("adam.", &file, &self.network).unwrap();
        self
    }
}

/// Returns settings for short learning with every kind of chance.
fn short() -> ImitationSettings {
    ImitationSettings { decisions: 8, dropout: 0.2, stretch: 5, ..ImitationSettings::default() }
}

/// Returns the expected number of agreements of a player that draws its actions, and its variance.
fn by_chance(games: &TrainingGames<'_>) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for number in 0..games.n_decisions() {
        let n_actions = u32::try_from(games.decision(number).game.actions().count()).unwrap();
        if 2 <= n_actions {
            let chance = 1.0 / f64::from(n_actions);
            sums[0] += chance;
            sums[1] += chance * (1.0 - chance);
        }
    }
    sums
}

#[test]
fn the_expert_is_imitated_in_games_that_were_not_seen() {
    let vectors = vectors();
    let mut player = Player::new(PieceEncoding::Vectors(&vectors), 32);
    let games = held_out();
    let settings = ImitationSettings { rate: 3e-3, ..ImitationSettings::default() };
    let [expected, variance] = by_chance(&games);
    let before = player.agreement(&games);
    let summary = player.learn(&settings, 400);
    let after = player.agreement(&games);
    // 6 standard deviations: a player that draws its actions passes in one of 10^9 seeds.
    let bound = expected + 6.0 * variance.sqrt();
    let agreed = |found: Agreement| f64::from(u32::try_from(found.agreed).unwrap());
    assert!(agreed(before) < bound, "{before:?} of a random network, {expected} by chance");
    assert!(4.0 * expected < agreed(after), "{after:?}, {expected} by chance");
    let losses: Vec<_> = summary.curve.iter().map(|point| point.mean_loss()).collect();
    assert!(losses.len() == 4 && losses.is_sorted_by(|a, b| b < a), "{losses:?}");
    assert!(losses[3] < 0.75 * losses[0], "{losses:?}");
}

#[test]
fn learning_twice_or_in_two_halves_gives_the_same_bytes() {
    let vectors = vectors();
    let player = || Player::new(PieceEncoding::Vectors(&vectors), 16);
    let [mut once, mut again, mut halves] = [player(), player(), player()];
    let summary = once.learn(&short(), 20);
    assert_eq!(again.learn(&short(), 20), summary);
    assert_eq!(again.bytes(), once.bytes());

    let first = halves.learn(&short(), 10);
    let mut halves = halves.restored();
    let second = halves.learn(&short(), 10);
    assert_eq!(halves.bytes(), once.bytes());
    let curve: Vec<_> = first.curve.into_iter().chain(second.curve).collect();
    assert_eq!((first.rows + second.rows, curve), (summary.rows, summary.curve));
    assert_eq!(once.optimizer.steps(), 20);
}

#[test]
fn all_encodings_learn() {
    let vectors = vectors();
    for encoding in [
        PieceEncoding::Vectors(&vectors),
        PieceEncoding::OneHotPool { kinds: KINDS },
        PieceEncoding::OneHotDeck,
    ] {
        let mut player = Player::new(encoding, 8);
        let summary = player.learn(&ImitationSettings { rate: 1e-2, stretch: 5, ..short() }, 40);
        let losses: Vec<_> = summary.curve.iter().map(|point| point.mean_loss()).collect();
        assert!(losses[losses.len() - 1] < losses[0], "{encoding:?}: {losses:?}");
    }
}

#[test]
fn the_form_of_the_first_layer_changes_no_loss() {
    let vectors = vectors();
    let with = |form| {
        let mut player = Player::new(PieceEncoding::Vectors(&vectors), 8);
        let summary = player.learn(&ImitationSettings { form, decisions: 2, ..short() }, 3);
        (summary, player.bytes())
    };
    let fastest = with(FirstLayerForm::Fastest);
    let dense = with(FirstLayerForm::CopiedDense);
    assert_eq!(with(FirstLayerForm::CopiedSparse), dense);
    // The gradients of a state's actions are added in another order.
    assert_eq!(fastest.0.rows, dense.0.rows);
    let losses = [fastest, dense].map(|(summary, _)| summary.curve[0].loss_sum);
    assert!((losses[0] - losses[1]).abs() < 1e-4, "{losses:?}");
}

#[test]
fn a_loss_that_is_not_finite_ends_learning_before_the_step() {
    let vectors = vectors();
    let mut player = Player::new(PieceEncoding::Vectors(&vectors), 4);
    player.learn(&short(), 3);
    let [first, last] = player.network.layers() else { panic!("two layers") };
    let huge = |layer: &DenseLayer| {
        let mut layer = layer.clone();
        layer.weights.values_mut().fill(f32::MAX / 4.0);
        layer
    };
    for [first, last] in [[huge(first), last.clone()], [first.clone(), huge(last)]] {
        player.network = Network::from_layers(player.layout.state_len(), vec![first, last]);
        let before = player.network.clone();
        let LearnFailure { summary, error } =
            player.try_learn(&training(), &short(), 5).unwrap_err();
        assert!(matches!(error, LearnError::NotFinite { step: 4, .. }), "{error:?}");
        assert_eq!(summary, LearnSummary::default());
        assert!(player.network == before && player.optimizer.steps() == 3);
    }
}

/// The steps before the one that fails are in the weights, and in the summary.
#[test]
fn a_failure_comes_with_the_steps_before_it() {
    let (games, kinds) = known_for_a_while();
    let settings = ImitationSettings { decisions: 1, ..short() };
    let player = || Player::new(PieceEncoding::OneHotPool { kinds }, 4);
    let mut failed = player();
    let LearnFailure { summary, error } = failed.try_learn(&games, &settings, 100_000).unwrap_err();
    assert!(matches!(error, LearnError::Feature(_)), "{error:?}");
    assert!(0 < summary.steps && summary.steps == failed.optimizer.steps(), "{summary:?}");
    let mut stopped = player();
    assert_eq!(stopped.try_learn(&games, &settings, summary.steps), Ok(summary));
    assert_eq!(stopped.bytes(), failed.bytes());
}

#[test]
fn a_pulse_ends_learning_at_once() {
    let vectors = vectors();
    let mut player = Player::new(PieceEncoding::Vectors(&vectors), 4);
    let mut learner = Learner {
        layout: player.layout,
        information: Information::Own,
        network: &mut player.network,
        optimizer: &mut player.optimizer,
    };
    let mut seen = Vec::new();
    let mut pulse = |steps| {
        seen.push(steps);
        if steps == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stream = stream("learn");
    let summary = learn(&mut learner, &training(), &short(), 100, &stream, &mut pulse).unwrap();
    assert_eq!((summary.steps, seen), (3, vec![1, 2, 3]));
}

#[test]
fn what_cannot_be_learned_is_refused() {
    let vectors = vectors();
    let mut player = Player::new(PieceEncoding::Vectors(&vectors), 4);
    let none = TrainingGames::new(&*DECKS, []).unwrap();
    assert_eq!(player.try_learn(&none, &short(), 1), Err(LearnError::NoDecisions.into()));

    let few = PieceVectors::random(2, &mut stream("vectors")).unwrap();
    let mut player = Player::new(PieceEncoding::Vectors(&few), 4);
    let error = player.try_learn(&training(), &short(), 1).unwrap_err().error;
    assert!(matches!(error, LearnError::Feature(_)), "{error:?}");

    player.layout = FeatureLayout::new(PieceEncoding::OneHotDeck).unwrap();
    let error = player.try_learn(&training(), &short(), 1).unwrap_err().error;
    assert_eq!(error.to_string(), "a network of 5411 inputs of states, but must be of 4499");
}
