//! The runs below `runs/`: all runs, and the runs that a person names.

use std::fs;
use std::path::{Path, PathBuf};

use super::{REPORT, RESULT, RUNS, RunFolder, SHORT_ID, SPEC, entries_of};
use crate::error::{CommandError, SelectionError, UsageError};
use crate::selector::{LAST, select};
use crate::terminal::print_status;

/// The most runs whose results are searched, the latest first: a search takes a second or two.
const MAX_SEARCHED_RUNS: usize = 1000;

/// The number of folders that an error names.
const NAMED_FOLDERS: usize = 5;

impl RunFolder {
    /// Returns the folders below `runs/` whose run is called `name`, the latest first.
    pub(crate) fn all_named(name: &str) -> Vec<Self> {
        let prefix = format!("{name}-");
        let named = |folder: &Self| {
            folder.name().strip_prefix(&prefix).is_some_and(|id| id.len() == SHORT_ID)
        };
        run_folders().into_iter().filter(named).collect()
    }

    /// Returns the names of the runs below `runs/`, the latest first.
    pub(crate) fn names() -> Vec<String> {
        run_folders().iter().map(Self::name).collect()
    }

    /// Returns the folder of a run whose path, or whole name below `runs/`, is `selector`.
    pub(crate) fn named(selector: &str) -> Option<Self> {
        let path = Self::at(Path::new(selector));
        let below_runs = Self::at(&Path::new(RUNS).join(selector));
        [path, below_runs].into_iter().find(Self::holds_run)
    }

    /// Returns the folder of a sweep that `selector` names as a path or below `runs/`.
    pub(crate) fn sweep(selector: &str) -> Option<Self> {
        let path = Path::new(selector).to_owned();
        let mut folders = [Path::new(RUNS).join(&path), path].map(Self).into_iter().rev();
        folders.find(Self::holds_sweep)
    }

    /// Returns the path of the report in the folder that `selector` names as a path or below
    /// `runs/`, whether it holds a run or files that `fetch` wrote; `None` if there is no report.
    pub(crate) fn report(selector: &str) -> Option<PathBuf> {
        let path = Path::new(selector).to_owned();
        let reports = [path.clone(), Path::new(RUNS).join(path)].map(|it| it.join(REPORT));
        reports.into_iter().find(|report| report.exists())
    }

    /// Returns the folder that `selector` names: a path, `last`, the name of a run or of its folder
    /// below `runs/`, or the beginning or the end of a run's id.
    pub(crate) fn find(selector: &str) -> Result<Self, CommandError> {
        if let Some(folder) = Self::named(selector) {
            return Ok(folder);
        }
        let places = [Path::new(selector).to_owned(), Path::new(RUNS).join(selector)];
        if let Some(run) = places.iter().find_map(|place| Self::at(place).fetched_run()) {
            let selector = selector.to_owned();
            return Err(UsageError::FetchedFolder { selector, run }.into());
        }
        if let Some(sweep) = Self::sweep(selector) {
            let example = sweep.first_run().map(|it| it.0.display().to_string());
            let selector = selector.to_owned();
            return Err(UsageError::SweepNotRun { selector, example }.into());
        }
        let all: Vec<_> = run_folders().into_iter().map(KnownRun::of).collect();
        let found = match selector {
            LAST => Vec::from_iter((!all.is_empty()).then_some(0)),
            _ => select(&all, selector, |run| run.name == selector, KnownRun::has_part),
        };
        let names = |idxs: &[usize]| {
            idxs.iter().take(NAMED_FOLDERS).map(|&idx| all[idx].folder.name()).collect()
        };
        let selector = selector.to_owned();
        match found.as_slice() {
            _ if all.is_empty() => Err(UsageError::NoRunsHere { selector }.into()),
            &[only] => {
                let folder = all[only].folder.clone();
                if selector == LAST {
                    print_status(&format!("{LAST} is {}", folder.path().display()));
                }
                Ok(folder)
            }
            [] => {
                let known = names(&Vec::from_iter(0..all.len()));
                Err(UsageError::UnknownFolder { selector, known }.into())
            }
            several => {
                let (n_matches, matches) = (several.len(), names(several));
                Err(SelectionError::AmbiguousRun { selector, n_matches, matches }.into())
            }
        }
    }

    /// Returns a folder with a run, in the folder of a sweep.
    fn first_run(&self) -> Option<Self> {
        entries_of(&self.0).into_iter().map(Self).find(Self::holds_run)
    }

    /// Returns the folders below `runs/` that hold the store of a run, the latest last.
    pub(crate) fn all() -> Vec<Self> {
        let mut folders = run_folders();
        folders.reverse();
        folders
    }

    /// Returns the folders below `runs/` with a result, the latest first: of runs of this machine,
    /// and of runs that `fetch` wrote.
    pub(crate) fn with_results() -> Vec<Self> {
        let mut folders = folders_below_runs(RESULT);
        folders.truncate(MAX_SEARCHED_RUNS);
        folders
    }
}

/// A run below `runs/` with its selectors.
struct KnownRun {
    folder: RunFolder,
    /// The run's name; empty if it has no result document yet.
    name: String,
    /// The run's id, or its end alone, in upper case.
    id: String,
}

impl KnownRun {
    fn of(folder: RunFolder) -> Self {
        let result = folder.result().and_then(|text| serde_json::from_slice(&text).ok());
        let result: serde_json::Value = result.unwrap_or_default();
        let text = |field: &str| result[field].as_str().map(str::to_owned);
        let id = text("run").unwrap_or_else(|| folder.short_id().to_uppercase());
        Self { name: text("name").unwrap_or_default(), id, folder }
    }

    /// Returns true if `part` begins or ends the id, or begins the part of the id that names the
    /// folder.
    fn has_part(&self, part: &str) -> bool {
        let short = self.folder.short_id().to_uppercase();
        let id = &self.id;
        let is_whole = part.len() == ulid::ULID_LEN && !id.is_empty() && part.ends_with(id);
        id.starts_with(part) || id.ends_with(part) || short.starts_with(part) || is_whole
    }
}

/// Returns all run folders below `runs/`, the latest first.
fn run_folders() -> Vec<RunFolder> {
    let mut folders = folders_below_runs(SPEC);
    folders.retain(RunFolder::holds_run);
    folders
}

/// Returns the folders below `runs/`, and in the folders of sweeps there, that hold the file
/// `name`, the folder with the latest file first.
fn folders_below_runs(name: &str) -> Vec<RunFolder> {
    let written = |folder: PathBuf| {
        let written = fs::metadata(folder.join(name)).ok()?.modified().ok()?;
        Some((written, RunFolder(folder)))
    };
    let below = entries_of(Path::new(RUNS)).into_iter().flat_map(|folder| {
        match written(folder.clone()) {
            Some(found) => vec![found],
            // A sweep has the folders of its runs.
            None => entries_of(&folder).into_iter().filter_map(written).collect(),
        }
    });
    let mut folders: Vec<_> = below.collect();
    folders.sort_by(|(a, _), (b, _)| b.cmp(a));
    folders.into_iter().map(|(_, folder)| folder).collect()
}
