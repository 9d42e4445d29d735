//! Fields: columns next to each other that tell one thing.

use crate::rules::{Cell, EffectKind, N_CELLS};

/// Columns of a block that tell one thing, such as the owner of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    name: &'static str,
    start: usize,
    labels: Labels,
}

/// The columns of a field, and what distinguishes them.
#[derive(Clone, Copy, Debug)]
pub(super) enum Labels {
    /// One column.
    Single,
    /// A column for each name.
    Names(&'static [&'static str]),
    /// A column for each kind of effect.
    Kinds,
    /// A column for each cell.
    Cells,
    /// Columns for the numbers from `first` on.
    Numbers {
        /// The number of the first column.
        first: usize,
        /// The number of columns.
        len: usize,
    },
}

impl Field {
    /// Returns the first field of a block.
    pub(super) const fn first(name: &'static str, labels: Labels) -> Self {
        Self { name, start: 0, labels }
    }

    /// Returns the field that follows this one.
    pub(super) const fn then(&self, name: &'static str, labels: Labels) -> Self {
        Self { name, start: self.end(), labels }
    }

    /// Returns its first column, counted from that of its block.
    pub(super) const fn start(&self) -> usize {
        self.start
    }

    /// Returns the number of its columns.
    pub(super) const fn len(&self) -> usize {
        match self.labels {
            Labels::Single => 1,
            Labels::Names(names) => names.len(),
            Labels::Kinds => EffectKind::ALL.len(),
            Labels::Cells => N_CELLS,
            Labels::Numbers { len, .. } => len,
        }
    }

    /// Returns the column after its last.
    pub(super) const fn end(&self) -> usize {
        self.start + self.len()
    }

    /// Describes its column number `at`, counted from its first.
    fn describe(&self, at: usize) -> Option<String> {
        let name = self.name;
        let label = match self.labels {
            Labels::Single => return (at == 0).then(|| name.to_owned()),
            Labels::Names(names) => (*names.get(at)?).to_owned(),
            Labels::Kinds => EffectKind::ALL.get(at)?.name().to_owned(),
            Labels::Cells => Cell::new(u8::try_from(at).ok()?)?.to_string(),
            Labels::Numbers { first, .. } => (first + at).to_string(),
        };
        Some(format!("{name} {label}"))
    }
}

/// Describes a column of a block that has these fields.
pub(super) fn describe_column(fields: &[Field], column: usize) -> Option<String> {
    let field = fields.iter().find(|field| column < field.end())?;
    field.describe(column.checked_sub(field.start)?)
}

/// Returns the number of columns of these fields, which must follow each other.
pub(super) const fn block_len(fields: &[Field]) -> usize {
    let (mut end, mut at) = (0, 0);
    while at < fields.len() {
        assert!(fields[at].start == end, "a field does not follow the one before");
        end = fields[at].end();
        at += 1;
    }
    end
}
