//! A run's folder: enough to attach to a paper, and to repeat the run.
//!
//! ```text
//! runs/pig-quick-3kx9fz/
//!   run.redb              the run's store: what --resume and replay read
//!   control.sock          the control socket, while a process runs the run
//!   spec.toml             the spec as given
//!   report.html           the report: a page with what the run found out
//!   result.json           the result document, written last
//!   generations.csv       a row for each generation; the same as generations.parquet
//!   events.jsonl          the run's events, one per line
//!   exhibits/             the files that the experiment shows
//!   figures/              the figures of the report that are not exhibits
//! ```
//!
//! The folder of a sweep, such as `runs/pig-quick-sweep-8fh2ya/`, has the folders of its runs, and
//! their joint table as `sweep.json` and `sweep.csv`.
//!
//! The files are renewed while the run goes on: events are appended, and each other file is
//! replaced as a whole. The store is locked by the process that runs the run; others look at the
//! run through its [control socket](crate::control_socket).

use std::fs::{self, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use hatchery_store::RunId;

use crate::error::{CommandError, SelectionError, UsageError};
use crate::format::shell_quoted;
use crate::selector::select;

/// The folder of runs that have no `--out`.
const RUNS: &str = "runs";

/// The number of characters of a run's id that name its folder.
const SHORT_ID: usize = 6;

/// The longest result document that is read: far above any real one.
const MAX_RESULT_BYTES: u64 = 16 << 20;

/// The most runs whose results are looked through, the latest ones: a search takes a second or two.
const MAX_SEARCHED_RUNS: usize = 1000;

/// The number of folders that an error names.
const NAMED_FOLDERS: usize = 5;

const STORE: &str = "run.redb";
const SPEC: &str = "spec.toml";
const RESULT: &str = "result.json";
const SOCKET: &str = "control.sock";

/// The document of a sweep.
pub(crate) const SWEEP: &str = "sweep.json";

/// The report of a run, a page.
pub(crate) const REPORT: &str = "report.html";

/// The ending of the name of a file that is still being written.
const UNFINISHED: &str = ".part";

/// A run's folder.
#[derive(Clone, Debug)]
pub(crate) struct RunFolder(PathBuf);

impl RunFolder {
    /// Returns the folder at `path`, which need not exist.
    pub(crate) fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// Returns the folder below `runs/` of the run `id` called `name`. No name leads out of
    /// `runs/`.
    pub(crate) fn for_run(name: &str, id: RunId) -> Self {
        Self(Path::new(RUNS).join(plain_name(name, id)))
    }

    /// Returns the folder below `runs/` of the sweep called `name`. No name leads out of `runs/`.
    pub(crate) fn of_sweep(name: &str) -> Self {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
        Self(Path::new(RUNS).join(name.chars().map(plain).collect::<String>()))
    }

    /// Returns the folders below `runs/` whose run is called `name`, the latest first.
    pub(crate) fn all_named(name: &str) -> Vec<Self> {
        let prefix = format!("{name}-");
        let named = |folder: &Self| {
            folder.name().strip_prefix(&prefix).is_some_and(|id| id.len() == SHORT_ID)
        };
        run_folders().into_iter().filter(named).collect()
    }

    /// Returns the names below `runs/` of all runs, the latest first.
    pub(crate) fn names() -> Vec<String> {
        run_folders().iter().map(Self::name).collect()
    }

    /// Returns the folder of a run whose path, or whole name below `runs/`, is `selector`.
    pub(crate) fn named(selector: &str) -> Option<Self> {
        let path = Self::at(Path::new(selector));
        let below_runs = Self::at(&Path::new(RUNS).join(selector));
        [path, below_runs].into_iter().find(Self::holds_run)
    }

    /// Returns the folder of a sweep that `selector` names as a path or below `runs/`: one that
    /// holds no run, and has the document of a sweep or folders of runs.
    pub(crate) fn sweep(selector: &str) -> Option<Self> {
        let path = Path::new(selector).to_owned();
        let mut folders = [Path::new(RUNS).join(&path), path].map(Self).into_iter().rev();
        folders.find(Self::holds_sweep)
    }

    /// Returns true if the folder is that of a sweep.
    pub(crate) fn holds_sweep(&self) -> bool {
        let has_runs = || !self.inner().is_empty();
        !self.holds_run()
            && !self.0.join(RESULT).exists()
            && (self.0.join(SWEEP).exists() || has_runs())
    }

    /// Returns the text of the document of a sweep, if there is one.
    pub(crate) fn sweep_document(&self) -> Option<Vec<u8>> {
        read_at_most(&self.0.join(SWEEP), MAX_RESULT_BYTES)
    }

    /// Creates the folder of a sweep, unless it is there. A folder that holds anything else is
    /// refused, so that nothing is overwritten.
    pub(crate) fn create_for_sweep(&self) -> Result<(), CommandError> {
        if self.entries()?.is_empty() || self.holds_sweep() {
            return Ok(());
        }
        Err(UsageError::FolderNotEmpty { path: self.0.clone() }.into())
    }

    /// Returns the folders in this one that have a result.
    pub(crate) fn inner(&self) -> Vec<Self> {
        let folders = entries_of(&self.0).into_iter().filter(|it| it.join(RESULT).exists());
        folders.map(Self).collect()
    }

    /// Returns the path of the report in the folder that `selector` names as a path or below
    /// `runs/`, whether it holds a run or what `fetch` wrote of one; `None` if there is no report.
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
        if let Some(run) = Self::at(Path::new(selector)).fetched_run() {
            let selector = selector.to_owned();
            return Err(UsageError::FetchedFolder { selector, run }.into());
        }
        if let Some(sweep) = Self::sweep(selector) {
            let example = sweep.inner().first().map(|it| it.0.display().to_string());
            let selector = selector.to_owned();
            return Err(UsageError::SweepNotRun { selector, example }.into());
        }
        let all: Vec<_> = run_folders().into_iter().map(KnownRun::of).collect();
        let found = match selector {
            "last" => Vec::from_iter((!all.is_empty()).then_some(0)),
            _ => select(&all, selector, |run| run.name == selector, KnownRun::has_part),
        };
        let names = |idxs: &[usize]| {
            idxs.iter().take(NAMED_FOLDERS).map(|&idx| all[idx].folder.name()).collect()
        };
        let selector = selector.to_owned();
        match found.as_slice() {
            &[only] => Ok(all[only].folder.clone()),
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

    /// Returns the folders below `runs/` that hold the store of a run, the latest last.
    pub(crate) fn all() -> Vec<Self> {
        let mut folders = run_folders();
        folders.reverse();
        folders
    }

    /// Returns the path of the folder.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the path of the run's store.
    pub(crate) fn store(&self) -> PathBuf {
        self.0.join(STORE)
    }

    /// Returns the path of the run's spec.
    pub(crate) fn spec(&self) -> PathBuf {
        self.0.join(SPEC)
    }

    /// Returns true if there is a run's store in the folder.
    pub(crate) fn holds_run(&self) -> bool {
        self.store().exists()
    }

    /// Returns the path of the control socket, which is there while a process runs the run.
    pub(crate) fn socket(&self) -> PathBuf {
        self.0.join(SOCKET)
    }

    /// Returns the time at which the run's store was written last, in milliseconds since 1970; 0 if
    /// it is not known.
    pub(crate) fn written_unix_ms(&self) -> u64 {
        let written = fs::metadata(self.store()).and_then(|store| store.modified()).ok();
        let since_1970 = written.and_then(|written| written.duration_since(UNIX_EPOCH).ok());
        since_1970.map_or(0, |age| u64::try_from(age.as_millis()).unwrap_or(u64::MAX))
    }

    /// Returns true if another process has the run's store open.
    pub(crate) fn is_in_use(&self) -> bool {
        let locked =
            |file: fs::File| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        fs::File::open(self.store()).is_ok_and(locked)
    }

    /// Returns the command that continues the run.
    pub(crate) fn resume_command(&self) -> String {
        format!(
            "hatchery run {} --out {} --resume",
            shell_quoted(&self.0.join(SPEC)),
            shell_quoted(&self.0)
        )
    }

    /// Returns the folders below `runs/` with a result, the latest first: of runs of this machine,
    /// and of those that `fetch` wrote.
    pub(crate) fn with_results() -> Vec<Self> {
        let mut folders = folders_below_runs(RESULT);
        folders.truncate(MAX_SEARCHED_RUNS);
        folders
    }

    /// Returns the text of the run's result document, if there is one.
    pub(crate) fn result(&self) -> Option<Vec<u8>> {
        read_at_most(&self.0.join(RESULT), MAX_RESULT_BYTES)
    }

    /// Returns the id of the run whose files `fetch` wrote here; its store is the farm's.
    pub(crate) fn fetched_run(&self) -> Option<String> {
        let result = fs::read(self.0.join(RESULT)).ok().filter(|_| !self.holds_run())?;
        let result = serde_json::from_slice::<serde_json::Value>(&result).ok()?;
        result["run"].as_str().map(str::to_owned)
    }

    /// Creates the folder. A folder that holds anything else is refused, so that nothing is
    /// overwritten.
    pub(crate) fn create(&self) -> Result<(), CommandError> {
        let entries = self.entries()?;
        // A store that could not be finished is ours as well.
        let foreign = |name: std::ffi::OsString| !name.to_string_lossy().starts_with(STORE);
        if self.holds_run() || !entries.into_iter().any(foreign) {
            return Ok(());
        }
        Err(UsageError::FolderNotEmpty { path: self.0.clone() }.into())
    }

    /// Creates the folder for the files of the farm's run `id`, which is of `spec`. A folder that
    /// holds anything else, or another run, is refused, so that nothing is overwritten.
    pub(crate) fn create_for(&self, id: RunId, spec: &str) -> Result<(), CommandError> {
        // The first file may not have been finished, for want of space.
        let foreign = |name: &std::ffi::OsString| *name != *format!("{SPEC}{UNFINISHED}");
        let is_fresh = !self.entries()?.iter().any(foreign);
        let same_spec = || fs::read(self.0.join(SPEC)).is_ok_and(|s| s == spec.as_bytes());
        // The result is written last: it is not there if an earlier fetch was interrupted.
        let same_run = || match fs::read(self.0.join(RESULT)) {
            Ok(result) => serde_json::from_slice::<serde_json::Value>(&result)
                .is_ok_and(|result| result["run"] == id.to_string()),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if is_fresh || (!self.holds_run() && same_spec() && same_run()) {
            return Ok(());
        }
        Err(UsageError::FolderOfOtherRun { path: self.0.clone(), run: id }.into())
    }

    /// Returns the names in the folder, which is created if it does not exist.
    fn entries(&self) -> Result<Vec<std::ffi::OsString>, CommandError> {
        if self.0.exists() && !self.0.is_dir() {
            return Err(UsageError::FolderIsFile { path: self.0.clone() }.into());
        }
        fs::create_dir_all(&self.0).map_err(|source| file_error(&self.0, "create", source))?;
        let entries = fs::read_dir(&self.0).map_err(|error| file_error(&self.0, "read", error))?;
        Ok(entries.flatten().map(|entry| entry.file_name()).collect())
    }

    /// Writes the file called `name`, completely or not at all, and returns its path.
    pub(crate) fn write(&self, name: &str, content: &[u8]) -> Result<PathBuf, CommandError> {
        let path = self.0.join(name);
        let write = || {
            fs::create_dir_all(path.parent().unwrap_or(&self.0))?;
            write_whole(&path, content)
        };
        write().map_err(|source| file_error(&path, "write", source))?;
        Ok(path)
    }

    /// Makes `content` the content of the file called `name`. Where the file has the beginning of
    /// it, the rest is appended, so that a reader that follows the file sees it grow; otherwise the
    /// file is replaced.
    pub(crate) fn grow(&self, name: &str, content: &[u8]) -> Result<PathBuf, CommandError> {
        let path = self.0.join(name);
        let there = fs::read(&path).ok().and_then(|there| content.strip_prefix(there.as_slice()));
        let Some(rest) = there else { return self.write(name, content) };
        if !rest.is_empty() {
            let file = fs::OpenOptions::new().append(true).open(&path);
            file.and_then(|mut file| file.write_all(rest).and_then(|()| file.sync_all()))
                .map_err(|source| file_error(&path, "write", source))?;
        }
        Ok(path)
    }

    /// Removes the file called `name`, if it is there.
    pub(crate) fn remove(&self, name: &str) {
        // It may be gone already, and takes only space otherwise.
        fs::remove_file(self.0.join(name)).unwrap_or(());
    }

    /// Returns the end of the run's id that is in the folder's name, if the folder has no name of
    /// its own.
    fn short_id(&self) -> String {
        let name = self.name();
        name.rsplit('-').next().filter(|id| id.len() == SHORT_ID).unwrap_or_default().to_owned()
    }

    /// Returns the folder's name: below `runs/` with that of its sweep, such as `SWEEP/POINT`.
    pub(crate) fn name(&self) -> String {
        let below_runs = self.0.strip_prefix(RUNS).ok();
        let name = below_runs.map(Path::as_os_str).or_else(|| self.0.file_name());
        name.unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Returns the content of the file at `path`, at most `max_bytes` of it; `None` if it is none, or a
/// pipe, which might never end.
fn read_at_most(path: &Path, max_bytes: u64) -> Option<Vec<u8>> {
    let is_file = fs::metadata(path).is_ok_and(|it| it.is_file());
    let mut text = Vec::new();
    let file = is_file.then(|| fs::File::open(path).ok()).flatten()?;
    file.take(max_bytes).read_to_end(&mut text).ok()?;
    Some(text)
}

/// Writes the file at `path`, completely or not at all.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut unfinished = path.to_owned().into_os_string();
    unfinished.push(UNFINISHED);
    let written = fs::File::create(&unfinished)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&unfinished, path));
    // A part of a file is of no use, and takes space that the disk may be short of.
    written.inspect_err(|_| fs::remove_file(&unfinished).unwrap_or(()))
}

/// A run below `runs/` and what a person may call it.
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

    /// Returns true if `part` begins or ends the id, or begins the end of it that names the folder.
    fn has_part(&self, part: &str) -> bool {
        let short = self.folder.short_id().to_uppercase();
        let id = &self.id;
        let is_whole = part.len() == ulid::ULID_LEN && !id.is_empty() && part.ends_with(id);
        id.starts_with(part) || id.ends_with(part) || short.starts_with(part) || is_whole
    }
}

fn file_error(path: &Path, action: &'static str, source: io::Error) -> CommandError {
    CommandError::File { path: path.to_owned(), action, source }
}

/// Returns the name by which files and folders of a run are told apart.
pub(crate) fn plain_name(name: &str, id: RunId) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = name.chars().map(plain).collect();
    format!("{name}-{}", short(&id.to_string()))
}

/// Returns the end of an id, which is random, in lower case.
fn short(id: &str) -> String {
    id[id.len() - SHORT_ID..].to_lowercase()
}

/// Returns all run folders below `runs/`, the latest first.
fn run_folders() -> Vec<RunFolder> {
    let mut folders = folders_below_runs(SPEC);
    folders.retain(RunFolder::holds_run);
    folders
}

/// Returns the folders below `runs/`, and in the folders of sweeps there, that hold the file
/// `name`, the one with the latest first.
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

/// Returns the paths in a folder; none if it is none.
fn entries_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runs_name_leads_nowhere_else() {
        let id = RunId(ulid::Ulid::from_string("01M7YH3Q6F4BFRQE644ZH5B8FZ").unwrap());
        assert_eq!(RunFolder::for_run("../../etc", id).path(), Path::new("runs/------etc-h5b8fz"));
        assert_eq!(RunFolder::for_run("pig-quick", id).path(), Path::new("runs/pig-quick-h5b8fz"));
    }

    #[test]
    fn a_file_that_grows_is_the_same_file() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = RunFolder::at(scratch.path());
        let mut follower = fs::File::open(folder.grow("events", b"a\n").unwrap()).unwrap();
        folder.grow("events", b"a\nb\n").unwrap();
        let mut seen = String::new();
        follower.read_to_string(&mut seen).unwrap();
        assert_eq!(seen, "a\nb\n");
        // A line that was torn when the machine stopped is replaced.
        fs::write(scratch.path().join("events"), "a\nb\nc").unwrap();
        folder.grow("events", b"a\nb\nd\n").unwrap();
        assert_eq!(fs::read(scratch.path().join("events")).unwrap(), b"a\nb\nd\n");
    }

    #[test]
    fn nothing_of_anybody_is_overwritten() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = RunFolder::at(&scratch.path().join("fetched"));
        let (one, other) = (RunId(ulid::Ulid(1)), RunId(ulid::Ulid(2)));
        folder.create_for(one, "spec").unwrap();
        fs::write(folder.path().join("spec.toml.part"), "sp").unwrap();
        folder.create_for(one, "spec").unwrap();
        folder.write("spec.toml", b"spec").unwrap();
        // An interrupted fetch is taken up again, by the same run.
        folder.create_for(one, "spec").unwrap();
        assert!(folder.create_for(one, "another spec").is_err());
        folder.write("result.json", format!(r#"{{"run":"{one}"}}"#).as_bytes()).unwrap();
        folder.create_for(one, "spec").unwrap();
        assert!(folder.create_for(other, "spec").is_err());
        assert_eq!(folder.fetched_run(), Some(one.to_string()));
        folder.write(STORE, b"").unwrap();
        assert!(folder.create_for(one, "spec").is_err());
        assert_eq!(folder.fetched_run(), None);
    }
}
