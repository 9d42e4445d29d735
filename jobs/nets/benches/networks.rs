//! Learning steps and decisions.
//!
//! `cargo bench -p hatchery-nets --bench networks` prints times of the wall. `torch_peer.py`
//! measures the CPU time of some repetitions in a process that does nothing else, beside PyTorch:
//! `networks repeat step-5649-320 10`.

use divan::Bencher;
use hatchery_core::{RunSeed, StreamRng};
use hatchery_nets::{
    Activations, Adam, AdamState, FirstLayerForm, Gradients, InputBatch, InstructionSet, Matrix,
    Network, NetworkShape,
};

fn main() {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let [command, name, n_times, rest @ ..] = args.as_slice() else { return divan::main() };
    if command != "repeat" {
        return divan::main();
    }
    let work = WORKS.iter().find(|work| work.name == name).expect("a name of the list of works");
    let n_times: u32 = n_times.parse().expect("a number of repetitions");
    let instructions = match rest.first().map(String::as_str) {
        None => InstructionSet::fastest(),
        Some("plain") => InstructionSet::Plain,
        Some("avx2") => InstructionSet::Avx2,
        Some(_) => InstructionSet::Avx512,
    };
    let mut run = Run::new(work, instructions);
    (0..n_times).for_each(|_| run.repeat());
}

/// A timed step: 256 hidden outputs, and the stated number of outputs.
struct Work {
    name: &'static str,
    kind: Kind,
    form: FirstLayerForm,
    /// The lengths of states and actions.
    lens: [usize; 2],
    /// The numbers of entries that are not 0, for either.
    n_entries: [usize; 2],
    n_states: usize,
    n_actions: usize,
    n_outputs: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The gradient of a cross entropy, and a step of Adam.
    Step,
    /// The outputs.
    Decision,
    /// The outputs, state by state.
    DecisionLoop,
}

use FirstLayerForm::{CopiedDense, CopiedSparse, Fastest};
use Kind::{Decision, DecisionLoop, Step};

/// States and actions of vectors: about a third of the state's numbers are not 0.
const VECTORS: [usize; 2] = [5411, 238];
const FEW: [usize; 2] = [1800, 40];

const fn work(
    name: &'static str,
    kind: Kind,
    form: FirstLayerForm,
    [n_states, n_actions]: [usize; 2],
) -> Work {
    Work { name, kind, form, lens: VECTORS, n_entries: FEW, n_states, n_actions, n_outputs: 51 }
}

const WORKS: &[Work] = &[
    Work {
        lens: [1000, 200],
        n_entries: [330, 40],
        ..work("step-1200-32", Step, CopiedDense, [32, 1])
    },
    Work {
        lens: [1000, 200],
        n_entries: [330, 40],
        ..work("step-1200-320", Step, CopiedDense, [320, 1])
    },
    work("step-5649-32", Step, CopiedDense, [32, 1]),
    work("step-5649-320", Step, CopiedDense, [320, 1]),
    work("step-5649-320-gathered", Step, CopiedSparse, [320, 1]),
    work("step-5649-320-single", Step, Fastest, [320, 1]),
    work("step-5649-32-single", Step, Fastest, [32, 1]),
    work("step-5649-320-shared-6", Step, Fastest, [53, 6]),
    work("step-5649-320-shared-10", Step, Fastest, [32, 10]),
    work("step-5649-320-shared-24", Step, Fastest, [13, 24]),
    Work {
        lens: [74_326, 238],
        n_entries: [80, 40],
        n_outputs: 1,
        ..work("step-74564-320", Step, CopiedDense, [320, 1])
    },
    Work {
        lens: [74_326, 238],
        n_entries: [80, 40],
        n_outputs: 1,
        ..work("step-74564-320-gathered", Step, CopiedSparse, [320, 1])
    },
    Work {
        lens: [74_326, 238],
        n_entries: [80, 40],
        n_outputs: 1,
        ..work("step-74564-320-shared-6", Step, Fastest, [53, 6])
    },
    work("decision-60", Decision, Fastest, [1, 60]),
    work("decision-60-copied", Decision, CopiedDense, [1, 60]),
    work("decision-60-copied-gathered", Decision, CopiedSparse, [1, 60]),
    work("long-batch", Decision, Fastest, [32, 24]),
    work("long-batch-loop", DecisionLoop, Fastest, [32, 24]),
    work("long-batch-copied", Decision, CopiedDense, [32, 24]),
    work("long-batch-copied-loop", DecisionLoop, CopiedDense, [32, 24]),
];

/// A work with its network and its batches.
struct Run {
    form: FirstLayerForm,
    instructions: InstructionSet,
    is_step: bool,
    batches: Vec<InputBatch>,
    network: Network,
    activations: Activations,
    of_outputs: Matrix,
    gradients: Gradients,
    adam: AdamState,
}

impl Run {
    fn new(work: &Work, instructions: InstructionSet) -> Self {
        let mut rng = RunSeed::new("bench", 1).generation(0).stream("networks");
        let shape = NetworkShape {
            state_len: work.lens[0],
            action_len: work.lens[1],
            hidden: vec![256],
            n_outputs: work.n_outputs,
        };
        let network = Network::random(&shape, &mut rng);
        let (n_batches, n_states) = match work.kind {
            DecisionLoop => (work.n_states, 1),
            Decision => (1, work.n_states),
            Step => (4, work.n_states),
        };
        let batches = (0..n_batches).map(|_| batch(work, n_states, &mut rng)).collect();
        Self {
            form: work.form,
            instructions,
            is_step: work.kind == Step,
            batches,
            gradients: Gradients::zeros(&network).with_instructions(instructions),
            adam: AdamState::new(&network),
            network,
            activations: Activations::with_instructions(instructions),
            of_outputs: Matrix::default(),
        }
    }

    fn repeat(&mut self) {
        if self.is_step {
            self.batches.rotate_left(1);
            return self.step();
        }
        for batch in &self.batches {
            self.network.forward(batch, self.form, &mut self.activations);
        }
    }

    /// Takes a step for the first batch.
    fn step(&mut self) {
        let (batch, form, activations) = (&self.batches[0], self.form, &mut self.activations);
        self.network.forward(batch, form, activations);
        cross_entropy(activations.outputs(), &mut self.of_outputs);
        self.gradients.clear();
        self.network.backward(batch, form, activations, &self.of_outputs, &mut self.gradients);
        let adam = Adam::with_rate(1e-4);
        self.adam.step_with(self.instructions, &adam, &mut self.network, &self.gradients);
    }
}

fn batch(work: &Work, n_states: usize, rng: &mut StreamRng) -> InputBatch {
    let mut batch = InputBatch::new(work.lens[0], work.lens[1]);
    for _ in 0..n_states {
        batch.push_state(&entries(work.lens[0], work.n_entries[0], rng));
        for _ in 0..work.n_actions {
            batch.push_action(&entries(work.lens[1], work.n_entries[1], rng));
        }
    }
    batch
}

/// Returns about `n` numbers of a row, here and there.
fn entries(len: usize, n: usize, rng: &mut StreamRng) -> Vec<(u32, f32)> {
    let columns = u32::try_from(len).expect("few columns");
    let share = n as f32 / len as f32;
    let drawn = (0..columns).map(|column| (column, rng.unit_f32(), rng.unit_f32()));
    drawn.filter(|drawn| drawn.1 < share).map(|(column, _, value)| (column, value)).collect()
}

/// Writes the gradient of the cross entropy between every row's softmax and a fixed column, or of
/// the binary one where there is one column.
fn cross_entropy(outputs: &Matrix, gradient: &mut Matrix) {
    let n_cols = outputs.n_cols();
    if n_cols == 1 {
        let targets: Vec<_> = (0..outputs.n_rows()).map(|row| f32::from(row % 6 == 0)).collect();
        hatchery_nets::loss::binary_cross_entropy(outputs, &targets, gradient);
        return;
    }
    gradient.reset(outputs.n_rows(), n_cols);
    let share = 1.0 / outputs.n_rows() as f32;
    for row in 0..outputs.n_rows() {
        let largest = outputs.row(row).iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let to = gradient.row_mut(row);
        to.copy_from_slice(outputs.row(row));
        to.iter_mut().for_each(|value| *value = libm::expf(*value - largest));
        let sum: f32 = to.iter().sum();
        to.iter_mut().for_each(|value| *value *= share / sum);
        to[row % n_cols] -= share;
    }
}

#[divan::bench(args = WORKS.iter().map(|work| work.name), sample_count = 10)]
fn networks(bencher: Bencher<'_, '_>, name: &str) {
    let work = WORKS.iter().find(|work| work.name == name).expect("a name of the list");
    let mut run = Run::new(work, InstructionSet::fastest());
    bencher.bench_local(|| run.repeat());
}
