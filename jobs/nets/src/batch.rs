//! The input of a network: rows of states, and rows of their actions.

/// Rows of numbers, most of them 0.
///
/// ```text
/// row    0             1       2
/// starts 0             3       3     5
/// entries (2, .5) (7, 1) (9, 1)  (0, 1) (4, -2)
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SparseRows {
    n_cols: usize,
    /// The starts of the rows in `entries`, and the end of the last row.
    starts: Vec<usize>,
    entries: Vec<(u32, f32)>,
}

impl SparseRows {
    /// Returns no rows, of `n_cols` columns.
    #[must_use]
    pub fn new(n_cols: usize) -> Self {
        Self { n_cols, starts: vec![0], entries: Vec::new() }
    }

    /// Removes all rows; keeps the memory.
    pub fn clear(&mut self) {
        self.starts.truncate(1);
        self.entries.clear();
    }

    /// Adds a row with these columns and their values, in ascending order.
    ///
    /// # Panics
    /// If a column is not below the number of columns, or they are not in ascending order.
    pub fn push(&mut self, entries: &[(u32, f32)]) {
        let ascending = entries.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let last_fits = entries.last().is_none_or(|last| (last.0 as usize) < self.n_cols);
        assert!(ascending && last_fits, "columns ascend and are below {}", self.n_cols);
        self.entries.extend_from_slice(entries);
        self.starts.push(self.entries.len());
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the number of columns.
    #[must_use]
    pub const fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// Returns the total number of entries.
    #[must_use]
    pub const fn n_entries(&self) -> usize {
        self.entries.len()
    }

    /// Returns the entries of row number `row`.
    #[must_use]
    pub fn row(&self, row: usize) -> &[(u32, f32)] {
        &self.entries[self.starts[row]..self.starts[row + 1]]
    }
}

/// Rows of states, and rows of actions that each belong to a state: the input of a network is the
/// row of the state, followed by the row of the action.
///
/// The actions of several states lie end to end, in one long batch.
#[derive(Clone, Debug, PartialEq)]
pub struct InputBatch {
    /// The rows of the states.
    pub states: SparseRows,
    /// The rows of the actions.
    pub actions: SparseRows,
    /// For each action the number of its state.
    pub state_of: Vec<u32>,
}

impl InputBatch {
    /// Returns an empty batch for rows of states and actions of these lengths.
    #[must_use]
    pub fn new(state_len: usize, action_len: usize) -> Self {
        Self {
            states: SparseRows::new(state_len),
            actions: SparseRows::new(action_len),
            state_of: Vec::new(),
        }
    }

    /// Removes all rows; keeps the memory.
    pub fn clear(&mut self) {
        self.states.clear();
        self.actions.clear();
        self.state_of.clear();
    }

    /// Adds a state; the actions that are added next belong to it.
    pub fn push_state(&mut self, entries: &[(u32, f32)]) {
        self.states.push(entries);
    }

    /// Adds an action of the state that was added last.
    ///
    /// # Panics
    /// If there is no state yet.
    pub fn push_action(&mut self, entries: &[(u32, f32)]) {
        let last = self.states.n_rows().checked_sub(1).expect("a state comes before its actions");
        self.state_of.push(u32::try_from(last).expect("a batch has few states"));
        self.actions.push(entries);
    }

    /// Returns the number of rows, which is the number of actions.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.actions.n_rows()
    }
}
