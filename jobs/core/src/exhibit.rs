//! Exhibits: the named files that an experiment shows.

use crate::digest::Digest;
use crate::findings::{FindingFigure, Findings};
use crate::part::Part;
use crate::table::{DataTable, TableColumns};

/// The media type of a table that a folder of the run also has as Parquet.
pub const TABLE_MEDIA_TYPE: &str = "text/csv; header=present";

/// The name of the file with the findings.
pub(crate) const REPORT_FILE: &str = "report.md";

/// A named file that an experiment shows: weights, a picture, a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Exhibit {
    /// The file's name: letters, digits, `.`, `-` and `_`.
    pub name: String,
    /// The media type, such as `text/csv`.
    pub media_type: String,
    /// The content.
    pub content: ExhibitContent,
    /// The table that the content is the text of. All files whose names end in `.csv` are tables.
    pub table: Option<DataTable>,
    /// The findings that the content is the text of. [`ConfiguredExperiment::exhibits`] adds the
    /// parameters of the run to them and to the content, and leaves `None` here.
    ///
    /// [`ConfiguredExperiment::exhibits`]: crate::erased::ConfiguredExperiment::exhibits
    pub findings: Option<Box<Findings>>,
}

/// The content of an exhibit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExhibitContent {
    /// The bytes themselves.
    Bytes(Vec<u8>),
    /// A part that the state [names](crate::Experiment::parts): another run can take it as an
    /// input.
    Part(Part),
}

impl ExhibitContent {
    /// Returns the bytes; `None` for a part.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Part(_) => None,
        }
    }

    /// Returns the hash of the bytes.
    #[must_use]
    pub fn hash(&self) -> Digest {
        match self {
            Self::Bytes(bytes) => Digest::of(bytes),
            Self::Part(part) => part.hash(),
        }
    }

    /// Returns the number of bytes.
    #[must_use]
    pub fn n_bytes(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Part(part) => part.n_bytes(),
        }
    }
}

impl From<Vec<u8>> for ExhibitContent {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<String> for ExhibitContent {
    fn from(text: String) -> Self {
        Self::Bytes(text.into_bytes())
    }
}

impl From<Part> for ExhibitContent {
    fn from(part: Part) -> Self {
        Self::Part(part)
    }
}

impl Exhibit {
    /// Returns the file `name` of type `media_type`.
    pub fn new(
        name: impl Into<String>,
        media_type: impl Into<String>,
        content: impl Into<ExhibitContent>,
    ) -> Self {
        let (name, media_type, content) = (name.into(), media_type.into(), content.into());
        Self { name, media_type, content, table: None, findings: None }
    }

    /// Returns `findings` as the file `report.md`.
    fn report(findings: Findings) -> Self {
        let file = Self::new(REPORT_FILE, "text/markdown", findings.to_markdown());
        Self { findings: Some(Box::new(findings)), ..file }
    }

    /// Returns `table` as the file `name`, which ends in `.csv`.
    pub fn csv(name: impl Into<String>, table: DataTable) -> Self {
        Self::of_table(name, "text/csv", table)
    }

    /// Returns `table` as the file `name`, which ends in `.csv`. A folder of the run also has the
    /// table as Parquet, under the same name with the ending `.parquet`.
    pub fn table(name: impl Into<String>, table: DataTable) -> Self {
        Self::of_table(name, TABLE_MEDIA_TYPE, table)
    }

    fn of_table(name: impl Into<String>, media_type: &str, table: DataTable) -> Self {
        let file = Self::new(name, media_type, table.csv());
        Self { table: Some(table), ..file }
    }
}

impl Findings {
    /// Returns the findings as the file `report.md`, and the files of their figures.
    #[must_use]
    pub fn exhibits(self) -> Vec<Exhibit> {
        let figure = |figure: &FindingFigure| {
            let picture = figure.picture.standalone().to_owned();
            Exhibit::new(format!("{}.svg", figure.name), "image/svg+xml", picture)
        };
        let figures: Vec<_> = self.figures().map(figure).collect();
        std::iter::once(Exhibit::report(self)).chain(figures).collect()
    }
}

impl<R> TableColumns<'_, R> {
    /// Returns the file `name`, which ends in `.csv`.
    pub fn csv(self, name: impl Into<String>) -> Exhibit {
        Exhibit::csv(name, self.build())
    }

    /// Returns the file `name`, which ends in `.csv`. A folder of the run also has it as Parquet.
    pub fn exhibit(self, name: impl Into<String>) -> Exhibit {
        Exhibit::table(name, self.build())
    }
}
