//! The first layer, whose inputs are the row of a state and the row of an action.

use hatchery_core::WireElement;

use crate::batch::{InputBatch, SparseRows};
use crate::kernel::{Kernels, RowList, SparseForm};
use crate::layer::DenseLayer;
use crate::matrix::{Matrix, RowFlags};

/// The way to compute the first layer. It never changes an output to the bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, WireElement)]
pub enum FirstLayerForm {
    /// The part of a state once, and zeros skipped where that is faster.
    #[default]
    Fastest,
    /// The row of a state copied before each of its actions, and zeros skipped.
    CopiedSparse,
    /// The row of a state copied before each of its actions, and zeros multiplied.
    CopiedDense,
}

/// The form of the two products of a first layer: with the states, and with the actions.
#[derive(Clone, Copy)]
struct ProductForms {
    states: SparseForm,
    actions: SparseForm,
    are_states_copied: bool,
}

impl FirstLayerForm {
    fn products(self, batch: &InputBatch) -> ProductForms {
        let (states, actions) = match self {
            Self::Fastest => (faster_form(&batch.states), faster_form(&batch.actions)),
            Self::CopiedSparse => (SparseForm::Gathered, SparseForm::Gathered),
            Self::CopiedDense => (SparseForm::Dense, SparseForm::Dense),
        };
        ProductForms { states, actions, are_states_copied: self != Self::Fastest }
    }
}

/// Zeros are multiplied if at least one in this many numbers is not 0: tiles then gain more from
/// shared loads than gathering gains from skipped zeros (measured at 5,649 x 256).
const DENSE_FROM: usize = 2;

/// The rows from which on tiles are full.
const MIN_DENSE_ROWS: usize = 8;

fn faster_form(rows: &SparseRows) -> SparseForm {
    let n_numbers = rows.n_rows() * rows.n_cols();
    match MIN_DENSE_ROWS <= rows.n_rows() && n_numbers <= DENSE_FROM * rows.n_entries() {
        true => SparseForm::Dense,
        false => SparseForm::Gathered,
    }
}

/// Writes the outputs of `layer`, before ReLU, for each action; `states` is memory for the outputs
/// of states.
pub(super) fn forward(
    layer: &DenseLayer,
    batch: &InputBatch,
    form: FirstLayerForm,
    kernels: &mut Kernels,
    states: &mut Matrix,
    to: &mut Matrix,
) {
    let forms = form.products(batch);
    let (state_rows, to_states) = match forms.are_states_copied {
        true => (copied_states(batch), &mut *to),
        false => (RowList::all(&batch.states), &mut *states),
    };
    layer.fill_bias(state_rows.n_rows(), to_states);
    kernels.add_sparse_product(forms.states, state_rows, &layer.weights, 0, to_states);
    if !forms.are_states_copied {
        to.reset(batch.n_rows(), layer.n_outputs());
        for (row, &state) in batch.state_of.iter().enumerate() {
            to.row_mut(row).copy_from_slice(states.row(state as usize));
        }
    }
    let actions = RowList::all(&batch.actions);
    kernels.add_sparse_product(forms.actions, actions, &layer.weights, batch.states.n_cols(), to);
}

/// Adds the gradient of weights and bias to `gradient`, from the gradient of the outputs; `states`
/// is memory for the gradients of states' outputs. Marks the rows of weights in `touched`.
pub(super) fn backward(
    batch: &InputBatch,
    form: FirstLayerForm,
    of_outputs: &Matrix,
    kernels: &mut Kernels,
    states: &mut Matrix,
    gradient: &mut DenseLayer,
    touched: &mut RowFlags,
) {
    let first_action = batch.states.n_cols();
    let forms = form.products(batch);
    kernels.add_rows(of_outputs, &mut gradient.bias);
    let weights = &mut gradient.weights;
    let (state_rows, of_states) = match forms.are_states_copied {
        true => (copied_states(batch), of_outputs),
        false => {
            states.reset(batch.states.n_rows(), of_outputs.n_cols());
            for (row, &state) in batch.state_of.iter().enumerate() {
                kernels.add_values(of_outputs.row(row), states.row_mut(state as usize));
            }
            (RowList::all(&batch.states), &*states)
        }
    };
    kernels.add_transposed_sparse_product(forms.states, state_rows, of_states, 0, weights);
    let actions = RowList::all(&batch.actions);
    mark_rows(forms.states, &batch.states, 0, touched);
    mark_rows(forms.actions, &batch.actions, first_action, touched);
    kernels.add_transposed_sparse_product(
        forms.actions,
        actions,
        of_outputs,
        first_action,
        weights,
    );
}

/// Marks the rows of weights that a product with `rows` adds to.
fn mark_rows(form: SparseForm, rows: &SparseRows, first_row: usize, touched: &mut RowFlags) {
    match form {
        SparseForm::Dense => touched.mark_range(first_row..first_row + rows.n_cols()),
        SparseForm::Gathered => {
            for row in 0..rows.n_rows() {
                rows.row(row).iter().for_each(|entry| touched.mark(first_row + entry.0 as usize));
            }
        }
    }
}

/// Returns the row of its state for each action.
fn copied_states(batch: &InputBatch) -> RowList<'_> {
    RowList { rows: &batch.states, order: Some(&batch.state_of) }
}
