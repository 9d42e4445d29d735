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
//! The files are renewed while the run is active: events are appended, and each other file is
//! replaced as a whole. The process that runs the run locks the store; other processes look at the
//! run through its [control socket](crate::control_socket).

mod held;
mod lookup;

use std::fs::{self, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use hatchery_server::regular_file;
use hatchery_store::RunId;

use crate::error::{CommandError, UsageError};
use crate::format::shell_quoted;
use crate::program;

pub(crate) use held::HeldFolder;

/// The folder of runs that have no `--out`.
const RUNS: &str = "runs";

/// The number of characters of a run's id that name its folder.
const SHORT_ID: usize = 6;

/// The longest result document that is read: far above any real one.
const MAX_RESULT_BYTES: u64 = 16 << 20;

/// The longest document of a sweep that is read: a sweep of 10,000 runs has about 3 kB for each
/// run.
const MAX_SWEEP_BYTES: u64 = 256 << 20;

const STORE: &str = "run.redb";
pub(crate) const SPEC: &str = "spec.toml";
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

    /// Returns true if the folder belongs to a sweep: its document is written first.
    pub(crate) fn holds_sweep(&self) -> bool {
        !self.holds_run() && self.0.join(SWEEP).exists()
    }

    /// Returns the text of the document of a sweep, if there is one.
    pub(crate) fn sweep_document(&self) -> Option<Vec<u8>> {
        regular_file::read(&self.0.join(SWEEP), MAX_SWEEP_BYTES).ok()
    }

    /// Creates the folder of a sweep, unless it exists. A folder that holds anything else is
    /// refused, so that nothing is overwritten.
    pub(crate) fn create_for_sweep(&self) -> Result<(), CommandError> {
        if self.entries()?.is_empty() || self.holds_sweep() {
            return Ok(());
        }
        Err(UsageError::FolderWithoutSweep { path: self.0.clone() }.into())
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

    /// Returns the path of the control socket, which exists while a process runs the run.
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
        regular_file::open(&self.store()).is_ok_and(locked)
    }

    /// Returns the command that continues the run.
    pub(crate) fn resume_command(&self) -> String {
        format!(
            "{} run {} --out {} --resume",
            program::name(),
            shell_quoted(&self.0.join(SPEC)),
            shell_quoted(&self.0)
        )
    }

    /// Returns the text of the run's result document, if there is one.
    pub(crate) fn result(&self) -> Option<Vec<u8>> {
        regular_file::read(&self.0.join(RESULT), MAX_RESULT_BYTES).ok()
    }

    /// Returns the id of the run whose files `fetch` wrote here; its store is the farm's.
    pub(crate) fn fetched_run(&self) -> Option<String> {
        let result = self.result().filter(|_| !self.holds_run())?;
        let result = serde_json::from_slice::<serde_json::Value>(&result).ok()?;
        result["run"].as_str().map(str::to_owned)
    }

    /// Returns the folders on the way to this folder, and itself, that do not exist, the deepest
    /// first.
    pub(crate) fn missing_folders(&self) -> Vec<PathBuf> {
        let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        self.0.ancestors().take_while(is_missing).map(Path::to_owned).collect()
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
        let read = |name: &str, max_bytes| regular_file::read(&self.0.join(name), max_bytes);
        let same_spec =
            || read(SPEC, spec.len() as u64).is_ok_and(|there| there == spec.as_bytes());
        // The result is written last: it is not there if an earlier fetch was interrupted.
        let same_run = || match read(RESULT, MAX_RESULT_BYTES) {
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
            Path::new(name).parent().map_or(Ok(()), |folders| self.create_below(folders))?;
            write_whole(&path, content)
        };
        write().map_err(|source| file_error(&path, "write", source))?;
        Ok(path)
    }

    /// Creates the folders of `path` in this folder, but not this folder: somebody may have removed
    /// it.
    fn create_below(&self, path: &Path) -> io::Result<()> {
        let mut folder = self.0.clone();
        for part in path.components() {
            folder.push(part);
            fs::create_dir(&folder).or_else(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => Ok(()),
                _ => Err(error),
            })?;
        }
        Ok(())
    }

    /// Makes `content` the content of the file called `name`. If the file has the beginning of this
    /// content, the rest is appended, so that a reader that follows the file sees it grow;
    /// otherwise the file is replaced.
    pub(crate) fn grow(&self, name: &str, content: &[u8]) -> Result<PathBuf, CommandError> {
        let path = self.0.join(name);
        let there = regular_file::read(&path, content.len() as u64).ok();
        let there = there.and_then(|there| content.strip_prefix(there.as_slice()));
        let Some(rest) = there else { return self.write(name, content) };
        if !rest.is_empty() {
            let file = fs::OpenOptions::new().append(true).open(&path);
            file.and_then(|mut file| file.write_all(rest).and_then(|()| file.sync_all()))
                .map_err(|source| file_error(&path, "write", source))?;
        }
        Ok(path)
    }

    /// Removes the file called `name`, if it exists.
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

    /// Returns the end of the id `run`, if that names the run in this folder: one below `runs/`
    /// that has no name of its own.
    pub(crate) fn short_selector(&self, run: RunId) -> Option<String> {
        let end = short(&run.to_string());
        let is_named = self.0.parent() == Some(Path::new(RUNS)) && self.short_id() == end;
        is_named.then_some(end)
    }

    /// Returns the folder's name: below `runs/` with its sweep's name, such as `SWEEP/POINT`.
    pub(crate) fn name(&self) -> String {
        let below_runs = self.0.strip_prefix(RUNS).ok();
        let name = below_runs.map(Path::as_os_str).or_else(|| self.0.file_name());
        name.unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Writes a file, completely or not at all, by way of a file with its name and [`UNFINISHED`]: an
/// existing such file was left by a killed process.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut unfinished = path.to_owned().into_os_string();
    unfinished.push(UNFINISHED);
    write_by(Path::new(&unfinished), path, content)
}

/// Writes a file like [`write_whole`], in a folder where other users may have files of other names.
pub(crate) fn write_whole_beside(path: &Path, content: &[u8]) -> io::Result<()> {
    let name = |n: u32| {
        let mut name = path.to_owned().into_os_string();
        name.push(format!("{UNFINISHED}{n}"));
        PathBuf::from(name)
    };
    let is_free = |path: &PathBuf| fs::symlink_metadata(path).is_err();
    let unfinished = (0..).map(name).find(is_free).expect("a name is free");
    write_by(&unfinished, path, content)
}

fn write_by(unfinished: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    let written = fs::File::create(unfinished)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(unfinished, path));
    // A part of a file is of no use, and takes space that the disk may be short of.
    written.inspect_err(|_| fs::remove_file(unfinished).unwrap_or(()))
}

fn file_error(path: &Path, action: &'static str, source: io::Error) -> CommandError {
    CommandError::File { path: path.to_owned(), action, source }
}

/// The most letters of a run's name that the names of its files and folders have: file systems take
/// 255 bytes, and a file in the making has a longer name.
const MAX_PLAIN_NAME: usize = 200;

/// Returns the name that distinguishes the files and folders of a run.
pub(crate) fn plain_name(name: &str, id: RunId) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = name.chars().take(MAX_PLAIN_NAME).map(plain).collect();
    format!("{name}-{}", short(&id.to_string()))
}

/// Returns the end of an id, which is random, in lower case.
fn short(id: &str) -> String {
    id[id.len() - SHORT_ID..].to_lowercase()
}

/// Returns the paths in a folder; none if it is none.
fn entries_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn a_runs_name_leads_nowhere_else() {
        let id = RunId(ulid::Ulid::from_string("01M7YH3Q6F4BFRQE644ZH5B8FZ").unwrap());
        assert_eq!(RunFolder::for_run("../../etc", id).path(), Path::new("runs/------etc-h5b8fz"));
        assert_eq!(RunFolder::for_run("pig-quick", id).path(), Path::new("runs/pig-quick-h5b8fz"));
        let long = format!("runs/{}-h5b8fz", "a".repeat(MAX_PLAIN_NAME));
        assert_eq!(RunFolder::for_run(&"a".repeat(300), id).path(), Path::new(&long));
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
    fn a_removed_folder_is_not_made_again_by_its_files() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = RunFolder::at(&scratch.path().join("runs/one"));
        let missing = folder.missing_folders();
        assert_eq!(missing, [scratch.path().join("runs/one"), scratch.path().join("runs")]);
        folder.create().unwrap();
        assert!(folder.missing_folders().is_empty());
        folder.write(STORE, b"").unwrap();
        let held = HeldFolder::new(folder.clone());
        held.check().unwrap();
        fs::rename(folder.path(), scratch.path().join("moved")).unwrap();
        held.check().unwrap_err();
        folder.write("exhibits/a.svg", b"").unwrap_err();
        folder.create().unwrap();
        folder.write(STORE, b"").unwrap();
        held.check().expect_err("it is another file");
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
