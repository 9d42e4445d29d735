//! Findings: the results of a run, for people to read, in the order of its paper.
//!
//! ```text
//! state, measures of all generations -findings-> sentences, figures, tables -> report.html
//!                                                                           -> report.md
//! ```
//! Findings have no markup of their own, except the figures, which the figures crate draws. A
//! program that shows findings escapes all texts.

mod markdown;

use hatchery_figures::FigurePicture;

use crate::measure::Measure;
use crate::seed::RunSeed;
use crate::table::TableColumns;

pub(crate) use self::markdown::METHOD_HEADING;
pub use crate::rich_text::{RichText, TextSpan};
pub use crate::table::{FindingTable, TableHead};
pub use crate::words;

/// The results of a run so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// The title, such as `How evenly the four seats win on 12 maps`.
    pub title: RichText,
    /// The finding itself in a sentence or two, estimates with their intervals.
    pub summary: RichText,
    /// The few numbers and verdicts to read first, at most [`MAX_KEY_FACTS`].
    pub key_facts: Vec<KeyFact>,
    /// The rest, in the order of the paper.
    pub sections: Vec<FindingSection>,
    /// What was done: a sentence or two that no parameter says, such as how intervals are made and
    /// which file has what. The farm adds a table of the parameters of the run that differ from
    /// their defaults.
    pub method: Vec<FindingBlock>,
}

impl Findings {
    /// Returns the finding in a few words, for lists: the first emphasized words of the title, or
    /// else of the summary.
    #[must_use]
    pub fn headline(&self) -> Option<&str> {
        let spans = self.title.spans().iter().chain(self.summary.spans());
        spans.into_iter().find_map(|span| match span {
            TextSpan::Strong(words) => Some(words.as_str()),
            TextSpan::Plain(_) | TextSpan::Code(_) | TextSpan::Soft(_) => None,
        })
    }
}

/// The most key facts: a page shows them beside the number of trials, the time and the digest.
pub const MAX_KEY_FACTS: usize = 2;

/// A number or a verdict to read first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFact {
    /// The name, such as `Verdicts`.
    pub name: String,
    /// The value in a few words, such as `0 fair, 12 unfair`.
    pub value: String,
    /// A qualification of the value, such as `each wrong with at most 5 %`.
    pub note: String,
}

/// A part of the findings under a heading.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingSection {
    /// The heading.
    pub heading: RichText,
    /// The content below the heading.
    pub blocks: Vec<FindingBlock>,
}

/// A piece of a section.
#[derive(Clone, Debug, PartialEq)]
pub enum FindingBlock {
    /// Sentences.
    Text(RichText),
    /// Sentences as items of a list.
    List(Vec<RichText>),
    /// A figure as wide as the page.
    Figure(FindingFigure),
    /// Small figures side by side, such as a figure for each map.
    Cards(Vec<FindingCard>),
    /// A table.
    Table(FindingTable),
}

/// A figure with its caption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingFigure {
    /// The name of the figure's file without the ending `.svg`: the name of an exhibit, or a name
    /// that no exhibit has.
    pub name: String,
    /// The picture.
    pub picture: FigurePicture,
    /// A description of the figure, and how to read it.
    pub caption: RichText,
}

/// A small figure with a title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingCard {
    /// The title, such as the name of a map.
    pub title: String,
    /// The main fact about the thing shown, such as its number with an interval.
    pub note: RichText,
    /// The verdict on the thing shown, if there is one.
    pub verdict: Option<CardVerdict>,
    /// The pictures, from above. They have no names, unlike the pictures of [`FindingFigure`].
    pub pictures: Vec<FigurePicture>,
}

/// The verdict on the thing that a card shows: a word, and a color as a hint for experts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardVerdict {
    /// The verdict in a word or two.
    pub word: String,
    /// The kind of the verdict.
    pub kind: VerdictKind,
}

/// The kind of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictKind {
    /// The wanted property holds.
    Good,
    /// The wanted property does not hold.
    Bad,
    /// The verdict is not known yet.
    Open,
}

/// The basis of findings besides the state.
#[derive(Clone, Copy, Debug)]
pub struct RunHistory<'a> {
    /// The seed of the run: findings may replay trials.
    pub seed: &'a RunSeed,
    /// The measures of the generations folded so far, in their order. They include all numbers that
    /// earlier states showed, because not all states are kept.
    pub generations: &'a [GenerationMeasures],
}

/// The measures of a folded generation.
#[derive(Clone, Debug, PartialEq)]
pub struct GenerationMeasures {
    /// The generation, counted from 0.
    pub generation: u32,
    /// Its measures, the most important first.
    pub measures: Vec<Measure>,
}

impl FindingSection {
    /// Returns a section.
    pub fn new(heading: impl Into<RichText>, blocks: Vec<FindingBlock>) -> Self {
        Self { heading: heading.into(), blocks }
    }
}

impl FindingBlock {
    /// Returns sentences.
    pub fn text(words: impl Into<RichText>) -> Self {
        Self::Text(words.into())
    }

    /// Returns a figure; `name` is the name of its file without the ending.
    pub fn figure(
        name: impl Into<String>,
        picture: FigurePicture,
        caption: impl Into<RichText>,
    ) -> Self {
        Self::Figure(FindingFigure { name: name.into(), picture, caption: caption.into() })
    }

    /// Returns a table.
    pub fn table(
        caption: impl Into<RichText>,
        columns: Vec<TableHead>,
        rows: Vec<Vec<RichText>>,
    ) -> Self {
        Self::Table(FindingTable { caption: caption.into(), columns, rows })
    }
}

impl<R> TableColumns<'_, R> {
    /// Returns the table of the page as a block of a section.
    pub fn block(self, caption: impl Into<RichText>) -> FindingBlock {
        FindingBlock::Table(self.build().shown(caption))
    }
}

impl Findings {
    /// Returns all figures, in their order.
    pub fn figures(&self) -> impl Iterator<Item = &FindingFigure> {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        blocks.filter_map(|block| match block {
            FindingBlock::Figure(figure) => Some(figure),
            FindingBlock::Text(_)
            | FindingBlock::List(_)
            | FindingBlock::Cards(_)
            | FindingBlock::Table(_) => None,
        })
    }
}
