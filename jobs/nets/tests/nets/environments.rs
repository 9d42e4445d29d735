//! Value bins, replay and networks together, in environments whose values are known.

use hatchery_core::FastRng;
use hatchery_nets::categorical::entropy;
use hatchery_nets::loss::{mean_loss, softmax, softmax_cross_entropy};
use hatchery_nets::{
    Activations, Adam, AdamState, FirstLayerForm, Gradients, InputBatch, Matrix, Network,
    NetworkShape, PrioritizedReplay, PrioritySettings, ValueBins,
};

use crate::reference::stream;

/// The number of bins, as in the study of Othellonia.
const N_BINS: u16 = 51;
/// The number of actions in each state.
const N_ACTIONS: u32 = 2;
/// The number of transitions that a step learns from.
const BATCH: u32 = 32;
/// The number of steps after which the target is copied.
const COPY_STEPS: usize = 50;

/// The result of an action.
#[derive(Clone, Copy, Debug)]
struct Transition {
    state: u32,
    action: u32,
    reward: f64,
    /// The state after it, or `None` at the end.
    next: Option<u32>,
}

/// A double deep Q network with value bins: an online network and its target.
struct Learner {
    bins: ValueBins,
    discount: f64,
    online: Network,
    target: Network,
}

impl Learner {
    fn new(n_states: usize, discount: f64, label: &str) -> Self {
        let shape = NetworkShape {
            state_len: n_states,
            action_len: N_ACTIONS as usize,
            hidden: vec![24],
            n_outputs: usize::from(N_BINS),
        };
        let online = Network::random(&shape, &mut stream(label));
        let bins = ValueBins::new(N_BINS).expect("there are enough bins");
        Self { bins, discount, target: online.clone(), online }
    }

    /// Returns the batch of some actions of some states.
    fn batch(&self, rows: impl Iterator<Item = (u32, Vec<u32>)>) -> InputBatch {
        let shape = self.online.shape();
        let mut batch = InputBatch::new(shape.state_len, shape.action_len);
        for (state, actions) in rows {
            batch.push_state(&[(state, 1.0)]);
            actions.iter().for_each(|&action| batch.push_action(&[(action, 1.0)]));
        }
        batch
    }

    /// Returns the distributions of the values of both actions in every state, in one long batch.
    fn distributions(&self, network: &Network, states: &[u32]) -> Matrix {
        let rows = states.iter().map(|&state| (state, (0..N_ACTIONS).collect()));
        let (batch, mut activations) = (self.batch(rows), Activations::default());
        network.forward(&batch, FirstLayerForm::Fastest, &mut activations);
        let outputs = activations.outputs();
        let mut distributions = Matrix::zeros(outputs.n_rows(), outputs.n_cols());
        for row in 0..outputs.n_rows() {
            softmax(outputs.row(row), distributions.row_mut(row));
        }
        distributions
    }

    /// Returns the mean values of both actions of a state.
    fn values(&self, state: u32) -> [f64; 2] {
        let distributions = self.distributions(&self.online, &[state]);
        [0, 1].map(|action| self.bins.mean(distributions.row(action)))
    }

    /// Returns what the distributions of the values of `transitions` should be.
    fn targets(&self, transitions: &[Transition]) -> Matrix {
        let next: Vec<_> = transitions.iter().filter_map(|it| it.next).collect();
        let online = self.distributions(&self.online, &next);
        let target = self.distributions(&self.target, &next);
        let mut targets = Matrix::zeros(transitions.len(), usize::from(N_BINS));
        let mut first_row = 0;
        for (row, transition) in transitions.iter().enumerate() {
            let next = transition.next.map(|_| {
                let mean = |row| self.bins.mean(online.row(row));
                let better = usize::from(mean(first_row) < mean(first_row + 1));
                first_row += N_ACTIONS as usize;
                target.row(first_row - N_ACTIONS as usize + better)
            });
            let to = targets.row_mut(row);
            self.bins.project(transition.reward, self.discount, next, to);
        }
        targets
    }

    /// Learns from transitions that are drawn by priority.
    fn learn(&mut self, replay: &mut PrioritizedReplay<Transition>, n_steps: usize) {
        let mut rng = FastRng::seeded_by(&mut stream("draws"));
        let (adam, mut state) = (Adam::with_rate(0.005), AdamState::new(&self.online));
        let mut gradients = Gradients::zeros(&self.online);
        let (mut drawn, mut losses) = (Vec::new(), Vec::new());
        let (mut activations, mut gradient) = (Activations::default(), Matrix::default());
        for step in 0..n_steps {
            if step % COPY_STEPS == 0 {
                self.target = self.online.clone();
            }
            replay.draw(BATCH, &mut rng, &mut drawn);
            let kept = drawn.iter().map(|item| replay.get(item.number).expect("none is replaced"));
            let transitions: Vec<_> = kept.copied().collect();
            let weights: Vec<_> = drawn.iter().map(|item| item.weight).collect();
            let targets = self.targets(&transitions);
            let batch = self.batch(transitions.iter().map(|it| (it.state, vec![it.action])));
            self.online.forward(&batch, FirstLayerForm::Fastest, &mut activations);
            let outputs = activations.outputs();
            let sum = softmax_cross_entropy(
                outputs,
                &targets,
                Some(&weights),
                &mut gradient,
                &mut losses,
            );
            mean_loss(sum, transitions.len()).expect("losses are finite");
            gradients.clear();
            let form = FirstLayerForm::Fastest;
            self.online.backward(&batch, form, &activations, &gradient, &mut gradients);
            state.step(&adam, &mut self.online, &gradients);
            for (row, (item, loss)) in drawn.iter().zip(&losses).enumerate() {
                replay.set_loss(item.number, loss - entropy(targets.row(row)));
            }
        }
    }
}

/// Returns a memory of these transitions, with the study's powers.
fn replay(
    transitions: impl Iterator<Item = Transition>,
    beta: f64,
) -> PrioritizedReplay<Transition> {
    let settings = PrioritySettings { capacity: 64, alpha: 0.7, beta, epsilon: 1e-6 };
    let mut replay = PrioritizedReplay::new(settings);
    transitions.for_each(|transition| replay.push(transition));
    replay
}

#[test]
fn the_value_of_a_chain_falls_by_the_discount_with_each_state() {
    // Action 0 goes on, and wins behind the last state; action 1 gives up.
    let go_on = (0..5).map(|state| {
        let (reward, next) = if state == 4 { (1.0, None) } else { (0.0, Some(state + 1)) };
        Transition { state, action: 0, reward, next }
    });
    let give_up = (0..5).map(|state| Transition { state, action: 1, reward: 0.0, next: None });
    let mut learner = Learner::new(5, 0.9, "chain");
    learner.learn(&mut replay(go_on.chain(give_up), 0.5), 800);
    for (state, expected) in (0..).zip([0.6561, 0.729, 0.81, 0.9, 1.0]) {
        let [on, up] = learner.values(state);
        assert!((on - expected).abs() < 0.01 && up < 0.01, "state {state}: {on} and {up}");
    }
}

#[test]
fn a_bandit_has_two_values_and_none_between() {
    // A won game in 3 of 10, for either action; the full correction makes up for priorities.
    let games = (0..20).map(|game| {
        let reward = if game % 10 < 3 { 1.0 } else { 0.0 };
        Transition { state: 0, action: game / 10, reward, next: None }
    });
    let mut learner = Learner::new(1, 0.999, "bandit");
    learner.learn(&mut replay(games, 1.0), 800);
    let distributions = learner.distributions(&learner.online, &[0]);
    for action in 0..2 {
        let (row, last) = (distributions.row(action), usize::from(N_BINS) - 1);
        assert!((row[0] - 0.7).abs() < 0.03 && (row[last] - 0.3).abs() < 0.03, "{row:?}");
    }
}
