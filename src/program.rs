//! The program that this process is: its name and its experiments. A crate outside of this
//! repository makes a program with experiments of its own.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

use hatchery_catalog::CATALOG;
use hatchery_core::{AnyExperiment, Catalog};

/// The name of the program that has the catalog's experiments alone.
const HATCHERY: &str = "hatchery";

/// The program of this process. The value is set once, before the command line is parsed: what
/// clap calls to complete and to check arguments takes no arguments of ours.
static PROGRAM: OnceLock<Program> = OnceLock::new();

/// Whether a program has the experiments of the catalog beside its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CatalogUse {
    Beside,
    Without,
}

/// Two experiments of a program have the same name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{program} has two experiments called {experiment}: give one of them another NAME, or leave \
     it out of the list that `main` passes to hatchery"
)]
pub(crate) struct DuplicateExperiment {
    program: String,
    experiment: &'static str,
}

/// A name and a list of experiments.
#[derive(Clone, Copy, Debug)]
struct Program {
    name: &'static str,
    catalog: Catalog,
}

impl Program {
    /// The program of this repository.
    const PLAIN: Self = Self { name: HATCHERY, catalog: CATALOG };

    /// Creates the program `name` with experiments of its own. All values stay in memory as long as
    /// the process.
    fn new(
        name: String,
        own: &[&'static dyn AnyExperiment],
        catalog: CatalogUse,
    ) -> Result<Self, DuplicateExperiment> {
        let mut games = match catalog {
            CatalogUse::Beside => CATALOG.0.to_vec(),
            CatalogUse::Without => Vec::new(),
        };
        games.push(own.to_vec().leak());
        let catalog = Catalog(games.leak());
        let mut names = BTreeSet::new();
        match catalog.experiments().find(|experiment| !names.insert(experiment.name())) {
            Some(twice) => Err(DuplicateExperiment { program: name, experiment: twice.name() }),
            None => Ok(Self { name: name.leak(), catalog }),
        }
    }
}

/// Gives this process its own experiments. The name of the program is the name of its file.
///
/// # Errors
///
/// Fails if two experiments have the same name.
pub(crate) fn install(
    own: &[&'static dyn AnyExperiment],
    catalog: CatalogUse,
) -> Result<(), DuplicateExperiment> {
    let program = match (own, catalog) {
        ([], CatalogUse::Beside) => Program::PLAIN,
        _ => Program::new(file_name(), own, catalog)?,
    };
    PROGRAM.set(program).expect("a process has one main function, which installs one program");
    Ok(())
}

/// Returns the experiments of this process.
pub(crate) fn catalog() -> Catalog {
    program().catalog
}

/// Returns the name of this program: `hatchery`, if it has no experiments of its own.
pub(crate) fn name() -> &'static str {
    program().name
}

/// Returns whether this program has experiments of its own.
pub(crate) fn has_own_experiments() -> bool {
    name() != HATCHERY
}

/// Returns the program of this process. Unit tests install none, and are the plain program.
fn program() -> &'static Program {
    PROGRAM.get_or_init(|| Program::PLAIN)
}

/// Returns the name that this process was called by, without folders.
fn file_name() -> String {
    let called = std::env::args_os().next().unwrap_or_default();
    let name = Path::new(&called).file_name().unwrap_or_default();
    match name.to_string_lossy() {
        name if name.is_empty() => HATCHERY.to_owned(),
        name => name.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_experiments_are_beside_the_catalog_or_alone() {
        let pig = CATALOG.find("pig").unwrap();
        let names = |own: &[&'static dyn AnyExperiment], catalog| {
            let program = Program::new("dice".to_owned(), own, catalog)?;
            Ok(program.catalog.experiments().map(AnyExperiment::name).collect::<Vec<_>>())
        };
        assert_eq!(names(&[pig], CatalogUse::Without), Ok(vec!["pig"]));
        let all = CATALOG.experiments().map(AnyExperiment::name).collect();
        assert_eq!(names(&[], CatalogUse::Beside), Ok(all));
        let twice = DuplicateExperiment { program: "dice".to_owned(), experiment: "pig" };
        assert!(twice.to_string().starts_with("dice has two experiments called pig: "), "{twice}");
        assert_eq!(names(&[pig], CatalogUse::Beside), Err(twice));
        assert!(names(&[pig, pig], CatalogUse::Without).is_err());
    }
}
