//! The declaration of a table's columns.

use hatchery_figures::Quantity;

use super::cells::{CountCell, EstimateCell, NumberCell, TextCell};
use super::{DataTable, FileCells, FileColumn, NumberForm, PageColumn, TableHead, TextQuotes};
use crate::rich_text::RichText;
use crate::text::grouped;
use crate::words;

/// The columns of a table in the order of their declaration. Every column has a cell for each row.
///
/// On the page, numbers are aligned on the right, thousands are set apart, and a missing value is a
/// dash.
#[derive(Debug)]
pub struct TableColumns<'a, R> {
    rows: &'a [R],
    /// True if a name alone is a head of the page, false if it is a name in the file.
    is_page: bool,
    table: DataTable,
}

/// The name of a column: in the file, on the page, or both.
///
/// A single text is the name in the place that the table is made for: the file
/// ([`of`](DataTable::of)) or the page ([`on_page`](DataTable::on_page)). A pair is the name in the
/// file and the head on the page; an empty name leaves the column out there. An estimate has three
/// names in the file: the name of the estimate, and the names of the ends of its interval. The ends
/// are called `NAME_low` and `NAME_high`, unless all three names are given.
#[derive(Clone, Debug)]
pub struct ColumnName {
    file: FileName,
    head: Option<String>,
}

#[derive(Clone, Debug)]
enum FileName {
    /// The name of the column in the file, and on the page unless there is a head.
    One(String),
    /// The names of an estimate and of the ends of its interval.
    Three([String; 3]),
}

impl<'a, R> TableColumns<'a, R> {
    pub(super) fn in_file(rows: &'a [R]) -> Self {
        let table = DataTable { n_rows: rows.len(), ..DataTable::default() };
        Self { rows, is_page: false, table }
    }

    pub(super) fn on_page(rows: &'a [R]) -> Self {
        Self { is_page: true, ..Self::in_file(rows) }
    }

    /// Adds a column of texts.
    #[must_use]
    pub fn text<T: TextCell>(self, name: impl Into<ColumnName>, cell: impl Fn(&'a R) -> T) -> Self {
        self.texts(&name.into(), TableHead::text, TextQuotes::WhereNeeded, |row| cell(row).text())
    }

    /// Adds a column of texts that are always in quotes in the file.
    #[must_use]
    pub fn quoted<T: TextCell>(
        self,
        name: impl Into<ColumnName>,
        cell: impl Fn(&'a R) -> T,
    ) -> Self {
        self.texts(&name.into(), TableHead::text, TextQuotes::Always, |row| cell(row).text())
    }

    /// Adds a column of texts that the page aligns on the right, such as `3 of 7`.
    #[must_use]
    pub fn words<T: TextCell>(
        self,
        name: impl Into<ColumnName>,
        cell: impl Fn(&'a R) -> T,
    ) -> Self {
        self.texts(&name.into(), TableHead::number, TextQuotes::WhereNeeded, |row| cell(row).text())
    }

    /// Adds a column of whole numbers.
    #[must_use]
    pub fn count<C: CountCell>(
        self,
        name: impl Into<ColumnName>,
        cell: impl Fn(&'a R) -> C,
    ) -> Self {
        let cells: Vec<_> = self.rows.iter().map(|row| cell(row).count()).collect();
        let shown = |count: &Option<u64>| count.map(|count| grouped(count).into());
        let file = |cells: Vec<Option<u64>>| {
            let count = |count| i64::try_from(count).unwrap_or(i64::MAX);
            FileCells::Counts(cells.into_iter().map(|it| it.map(count)).collect())
        };
        self.placed(&name.into(), TableHead::number, cells, shown, file)
    }

    /// Adds a column of numbers.
    #[must_use]
    pub fn number<N: NumberCell>(
        self,
        name: impl Into<ColumnName>,
        form: impl Into<NumberForm>,
        cell: impl Fn(&'a R) -> N,
    ) -> Self {
        let form = form.into();
        let cells: Vec<_> = self.rows.iter().map(|row| cell(row).number()).collect();
        let shown = |number: &Option<f64>| number.map(|number| form.shown(number).into());
        let file = |cells| FileCells::Numbers(form, cells);
        self.placed(&name.into(), TableHead::number, cells, shown, file)
    }

    /// Adds a column that is true or false: `yes` or `no` on the page.
    #[must_use]
    pub fn flag<F: Into<Option<bool>>>(
        self,
        name: impl Into<ColumnName>,
        cell: impl Fn(&'a R) -> F,
    ) -> Self {
        let cells: Vec<Option<bool>> = self.rows.iter().map(|row| cell(row).into()).collect();
        let shown = |flag: &Option<bool>| flag.map(|flag| if flag { "yes" } else { "no" }.into());
        self.placed(&name.into(), TableHead::text, cells, shown, FileCells::Flags)
    }

    /// Adds a column of estimates with intervals, three columns of the file:
    /// `6.53 (5.50 to 7.70)` on the page.
    #[must_use]
    pub fn estimate<E: EstimateCell>(
        self,
        name: impl Into<ColumnName>,
        form: impl Into<NumberForm>,
        cell: impl Fn(&'a R) -> E,
    ) -> Self {
        let form = form.into();
        let shown = |it: Quantity| words::quantity(it, |part| form.shown(part), "");
        self.estimates(&name.into(), form, shown, |row| cell(row).estimate())
    }

    /// Adds a column of shares from 0 to 1 with intervals, three columns of the file:
    /// `38.7 % (36.6 to 40.9)` on the page.
    #[must_use]
    pub fn share<E: EstimateCell>(
        self,
        name: impl Into<ColumnName>,
        form: impl Into<NumberForm>,
        cell: impl Fn(&'a R) -> E,
    ) -> Self {
        let shown = words::percent_quantity;
        self.estimates(&name.into(), form.into(), shown, |row| cell(row).estimate())
    }

    /// Adds the columns that `declare` adds for each of `items`.
    #[must_use]
    pub fn each<I>(
        self,
        items: impl IntoIterator<Item = I>,
        declare: impl Fn(Self, I) -> Self,
    ) -> Self {
        items.into_iter().fold(self, declare)
    }

    /// Adds the columns that `declare` adds, if the table has them.
    #[must_use]
    pub fn only_if(self, has_columns: bool, declare: impl FnOnce(Self) -> Self) -> Self {
        if has_columns { declare(self) } else { self }
    }

    /// Returns the table.
    #[must_use]
    pub fn build(self) -> DataTable {
        self.table
    }

    fn texts(
        self,
        name: &ColumnName,
        head: fn(String) -> TableHead,
        quotes: TextQuotes,
        cell: impl Fn(&'a R) -> Option<RichText>,
    ) -> Self {
        let cells: Vec<_> = self.rows.iter().map(cell).collect();
        let file = |cells: Vec<Option<RichText>>| {
            let texts = cells.iter().map(|it| Some(it.as_ref()?.to_string()));
            FileCells::Texts(quotes, texts.collect())
        };
        self.placed(name, head, cells, Clone::clone, file)
    }

    fn estimates(
        mut self,
        name: &ColumnName,
        form: NumberForm,
        shown: impl Fn(Quantity) -> RichText,
        cell: impl Fn(&'a R) -> Option<Quantity>,
    ) -> Self {
        let cells: Vec<_> = self.rows.iter().map(cell).collect();
        if let Some(names) = name.file(self.is_page).map(FileName::three) {
            let parts = cells.iter().map(|it| match *it {
                None => [None; 3],
                Some(Quantity::Exact(value)) => [Some(value), None, None],
                Some(Quantity::Estimate { value, interval: [low, high] }) => {
                    [value, low, high].map(Some)
                }
            });
            let parts: Vec<_> = parts.collect();
            for (idx, name) in names.into_iter().enumerate() {
                let numbers = parts.iter().map(|parts| parts[idx]).collect();
                let cells = FileCells::Numbers(form, numbers);
                self.table.file.push(FileColumn { name, cells });
            }
        }
        let shown = |it: &Option<Quantity>| it.map(&shown);
        self.shown(name, TableHead::number, &cells, shown);
        self
    }

    /// Adds a column to the page and to the file, where it has a name.
    fn placed<T>(
        mut self,
        name: &ColumnName,
        head: fn(String) -> TableHead,
        cells: Vec<T>,
        shown: impl Fn(&T) -> Option<RichText>,
        file: impl FnOnce(Vec<T>) -> FileCells,
    ) -> Self {
        self.shown(name, head, &cells, shown);
        if let Some(name) = name.file(self.is_page).map(FileName::one) {
            self.table.file.push(FileColumn { name, cells: file(cells) });
        }
        self
    }

    fn shown<T>(
        &mut self,
        name: &ColumnName,
        head: fn(String) -> TableHead,
        cells: &[T],
        shown: impl Fn(&T) -> Option<RichText>,
    ) {
        if let Some(name) = name.head(self.is_page) {
            let cells = cells.iter().map(|cell| words::or_dash(shown(cell))).collect();
            self.table.page.push(PageColumn { head: head(name), cells });
        }
    }
}

impl ColumnName {
    /// Returns the name in the file.
    fn file(&self, is_page: bool) -> Option<FileName> {
        match &self.file {
            FileName::One(name) if name.is_empty() => None,
            FileName::One(_) if is_page && self.head.is_none() => None,
            file => Some(file.clone()),
        }
    }

    /// Returns the head on the page.
    fn head(&self, is_page: bool) -> Option<String> {
        match (&self.head, &self.file) {
            (Some(head), _) => Some(head.clone()).filter(|head| !head.is_empty()),
            (None, FileName::One(name)) if is_page => Some(name.clone()),
            (None, _) => None,
        }
    }
}

impl FileName {
    fn one(self) -> String {
        match self {
            Self::One(name) | Self::Three([name, ..]) => name,
        }
    }

    fn three(self) -> [String; 3] {
        match self {
            Self::One(name) => [name.clone(), format!("{name}_low"), format!("{name}_high")],
            Self::Three(names) => names,
        }
    }
}

impl From<&str> for ColumnName {
    fn from(name: &str) -> Self {
        Self { file: FileName::One(name.to_owned()), head: None }
    }
}

impl From<String> for ColumnName {
    fn from(name: String) -> Self {
        Self { file: FileName::One(name), head: None }
    }
}

impl<H: Into<String>> From<(&str, H)> for ColumnName {
    fn from((file, head): (&str, H)) -> Self {
        Self { head: Some(head.into()), ..file.into() }
    }
}

impl From<[&str; 3]> for ColumnName {
    fn from(names: [&str; 3]) -> Self {
        Self { file: FileName::Three(names.map(str::to_owned)), head: None }
    }
}

impl<H: Into<String>> From<([&str; 3], H)> for ColumnName {
    fn from((names, head): ([&str; 3], H)) -> Self {
        Self { head: Some(head.into()), ..names.into() }
    }
}
