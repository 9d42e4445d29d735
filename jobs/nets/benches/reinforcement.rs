//! CPU time of the parts of a learning step with distributions of values, double Q-learning and
//! noise: 32 transitions, each with 30 next actions.
//!
//! `cargo bench -p hatchery-nets --bench reinforcement` runs all parts by turns and prints their
//! least times, as Linux accounts them to the process. Run it with `repeat 64-32 N` to take `N`
//! whole steps of a network with 64 and 32 hidden units and print nothing, for a profiler or
//! `torch_reinforcement.py`.

use hatchery_core::{FastRng, RunSeed, StreamRng};
use hatchery_nets::loss::{softmax, softmax_cross_entropy};
use hatchery_nets::{
    Activations, Adam, AdamState, FirstLayerForm, Gradients, InputBatch, Matrix, Network,
    NetworkShape, PassOptions, RowNoise, ValueBins,
};

const N_TURNS: usize = 4;
/// Repetitions in a turn: some systems account time in ticks of 4 ms.
const N_REPEATS: u32 = 150;
const N_TRANSITIONS: usize = 32;
const N_NEXT_ACTIONS: usize = 30;
/// The lengths of the rows of states and actions, and the numbers of entries that are not 0.
const LENS: [usize; 2] = [5411, 238];
const N_ENTRIES: [usize; 2] = [2600, 70];
const HIDDEN: [&[usize]; 2] = [&[64, 32], &[256]];

#[expect(clippy::print_stdout, reason = "prints a table")]
fn main() {
    let args: Vec<_> = std::env::args().skip(1).collect();
    if let [command, hidden, n_steps] = args.as_slice()
        && command == "repeat"
    {
        let n_steps: usize = n_steps.parse().expect("a number of steps");
        let hidden: Vec<_> =
            hidden.split('-').map(|it| it.parse().expect("numbers of units")).collect();
        let mut learner = Learner::new(&hidden);
        return (0..n_steps).for_each(|_| learner.step());
    }
    for hidden in HIDDEN {
        println!("{hidden:?} hidden");
        let mut learner = Learner::new(hidden);
        let mut least = [f64::INFINITY; PARTS.len()];
        for _ in 0..N_TURNS {
            for (least, (_, part)) in least.iter_mut().zip(PARTS) {
                let before = cpu_ms();
                (0..N_REPEATS).for_each(|_| part(&mut learner));
                *least = least.min((cpu_ms() - before) / f64::from(N_REPEATS));
            }
        }
        for ((name, _), least) in PARTS.iter().zip(least) {
            println!("  {name:40} {least:8.3} ms");
        }
    }
}

type Part = (&'static str, fn(&mut Learner));

const PARTS: [Part; 8] = [
    ("noise of the next actions", |it| it.draw_next_noise()),
    ("next actions, state by state", |it| it.pass_single()),
    ("next actions, one long batch", |it| it.pass_long()),
    ("the same without noise", |it| it.pass_long_plain()),
    ("means of the next actions", |it| it.means()),
    ("targets of the best actions", |it| it.targets()),
    ("gradient and step of Adam", |it| it.learn()),
    ("whole step", |it| it.step()),
];

struct Learner {
    online: Network,
    target: Network,
    rng: FastRng,
    batch: InputBatch,
    next: InputBatch,
    single: Vec<InputBatch>,
    best: InputBatch,
    noise: RowNoise,
    next_noise: RowNoise,
    next_pass: Activations,
    pass: Activations,
    bins: ValueBins,
    means: Vec<f64>,
    shares: Vec<f32>,
    target_rows: Matrix,
    gradients: Gradients,
    of_outputs: Matrix,
    losses: Vec<f64>,
    adam: AdamState,
}

impl Learner {
    fn new(hidden: &[usize]) -> Self {
        let mut rng = RunSeed::new("bench", 1).generation(0).stream("reinforcement");
        let shape = NetworkShape {
            state_len: LENS[0],
            action_len: LENS[1],
            hidden: hidden.to_vec(),
            n_outputs: 51,
        };
        let online = Network::random(&shape, &mut rng).with_noise(0.5);
        let single: Vec<_> = (0..N_TRANSITIONS).map(|_| batch(N_NEXT_ACTIONS, &mut rng)).collect();
        let first_actions = |n_actions: usize| {
            let mut joined = InputBatch::new(LENS[0], LENS[1]);
            for batch in &single {
                joined.push_state(batch.states.row(0));
                (0..n_actions).for_each(|at| joined.push_action(batch.actions.row(at)));
            }
            joined
        };
        Self {
            target: online.clone(),
            batch: first_actions(1),
            best: first_actions(1),
            next: first_actions(N_NEXT_ACTIONS),
            single,
            rng: FastRng::seeded_by(&mut rng),
            noise: RowNoise::default(),
            next_noise: RowNoise::default(),
            next_pass: Activations::default(),
            pass: Activations::default(),
            bins: ValueBins::new(51).expect("51 bins are enough"),
            means: Vec::new(),
            shares: Vec::new(),
            target_rows: Matrix::default(),
            gradients: Gradients::zeros(&online),
            of_outputs: Matrix::default(),
            losses: Vec::new(),
            adam: AdamState::new(&online),
            online,
        }
    }

    fn draw_next_noise(&mut self) {
        self.next_noise.draw(&self.online, self.next.n_rows(), &mut self.rng);
    }

    fn pass_single(&mut self) {
        for batch in &self.single {
            self.noise.draw(&self.online, batch.n_rows(), &mut self.rng);
            pass(&self.online, batch, Some(&self.noise), &mut self.next_pass);
        }
    }

    fn pass_long(&mut self) {
        self.draw_next_noise();
        pass(&self.online, &self.next, Some(&self.next_noise), &mut self.next_pass);
    }

    fn pass_long_plain(&mut self) {
        pass(&self.online, &self.next, None, &mut self.next_pass);
    }

    fn means(&mut self) {
        let outputs = self.next_pass.outputs();
        self.shares.resize(outputs.n_cols(), 0.0);
        self.means.clear();
        for row in 0..outputs.n_rows() {
            softmax(outputs.row(row), &mut self.shares);
            self.means.push(self.bins.mean(&self.shares));
        }
    }

    fn targets(&mut self) {
        self.noise.draw(&self.target, self.best.n_rows(), &mut self.rng);
        pass(&self.target, &self.best, Some(&self.noise), &mut self.pass);
        self.target_rows.reset(N_TRANSITIONS, self.bins.n_bins());
        self.shares.resize(self.bins.n_bins(), 0.0);
        for row in 0..N_TRANSITIONS {
            softmax(self.pass.outputs().row(row), &mut self.shares);
            self.bins.project(0.0, 0.999, Some(&self.shares), self.target_rows.row_mut(row));
        }
    }

    fn learn(&mut self) {
        self.noise.draw(&self.online, self.batch.n_rows(), &mut self.rng);
        pass(&self.online, &self.batch, Some(&self.noise), &mut self.pass);
        let outputs = self.pass.outputs();
        let (to, losses) = (&mut self.of_outputs, &mut self.losses);
        softmax_cross_entropy(outputs, &self.target_rows, None, to, losses);
        self.gradients.clear();
        let form = FirstLayerForm::Fastest;
        self.online.backward(&self.batch, form, &self.pass, to, &mut self.gradients);
        self.adam.step(&Adam::with_rate(3e-4), &mut self.online, &self.gradients);
    }

    fn step(&mut self) {
        self.pass_long();
        self.means();
        self.best.clear();
        for (state, means) in self.means.chunks(N_NEXT_ACTIONS).enumerate() {
            let best = (0..means.len()).max_by(|&a, &b| means[a].total_cmp(&means[b]));
            let best = state * N_NEXT_ACTIONS + best.expect("a state has actions");
            self.best.push_state(self.next.states.row(state));
            self.best.push_action(self.next.actions.row(best));
        }
        self.targets();
        self.learn();
    }
}

fn pass(network: &Network, batch: &InputBatch, noise: Option<&RowNoise>, to: &mut Activations) {
    let options = PassOptions { dropout: None, noise };
    network.forward_with(batch, FirstLayerForm::Fastest, options, to);
}

fn batch(n_actions: usize, rng: &mut StreamRng) -> InputBatch {
    let mut batch = InputBatch::new(LENS[0], LENS[1]);
    batch.push_state(&entries(LENS[0], N_ENTRIES[0], rng));
    (0..n_actions).for_each(|_| batch.push_action(&entries(LENS[1], N_ENTRIES[1], rng)));
    batch
}

/// Returns about `n` numbers of a row, here and there.
fn entries(len: usize, n: usize, rng: &mut StreamRng) -> Vec<(u32, f32)> {
    let columns = u32::try_from(len).expect("few columns");
    let share = n as f32 / len as f32;
    let drawn = (0..columns).map(|column| (column, rng.unit_f32(), rng.unit_f32()));
    drawn.filter(|drawn| drawn.1 < share).map(|(column, _, value)| (column, value)).collect()
}

/// Returns the CPU time of this thread so far, in milliseconds.
#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock of its process")]
fn cpu_ms() -> f64 {
    let path = "/proc/thread-self/schedstat";
    let text = std::fs::read_to_string(path).expect("Linux accounts the time of threads");
    let nanoseconds = text.split(' ').next().and_then(|number| number.parse::<f64>().ok());
    nanoseconds.expect("the first number is the time on a processor") / 1e6
}
