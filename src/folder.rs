//! A run's folder: enough to attach to a paper, and to run it again.
//!
//! ```text
//! runs/pig-quick-3kx9fz/
//!   run.redb              the run's store: what --resume and replay read
//!   spec.toml             the spec as given
//!   result.json           the result document
//!   generations.csv       a row for each generation; the same as generations.parquet
//!   events.jsonl          what happened, an event a line
//!   exhibits/             the files that the experiment shows
//! ```

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hatchery_coordinator::RunId;

use crate::failure::Failure;

/// Where runs are kept unless `--out` says otherwise.
const RUNS: &str = "runs";

/// The number of characters of a run's id that name its folder.
const SHORT_ID: usize = 6;

const STORE: &str = "run.redb";
const SPEC: &str = "spec.toml";
const RESULT: &str = "result.json";

/// What the name of a file that is not whole yet ends with.
const UNFINISHED: &str = ".part";

/// A run's folder.
#[derive(Clone, Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// The folder at `path`, whether it exists or not.
    pub(crate) fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// The folder below `runs/` of the run `id` called `name`. A name from somewhere else leads
    /// nowhere else.
    pub(crate) fn of(name: &str, id: RunId) -> Self {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name: String = name.chars().map(plain).collect();
        Self(Path::new(RUNS).join(format!("{name}-{}", short(&id.to_string()))))
    }

    /// The folders below `runs/` whose run is called `name`, the latest first.
    pub(crate) fn all_of(name: &str) -> Vec<Self> {
        let prefix = format!("{name}-");
        let named = |folder: &Self| {
            folder.name().strip_prefix(&prefix).is_some_and(|id| id.len() == SHORT_ID)
        };
        all().into_iter().filter(named).collect()
    }

    /// The folder of a run that `selector` is the path of, or the whole name below `runs/`.
    pub(crate) fn named(selector: &str) -> Option<Self> {
        let path = Self::at(Path::new(selector));
        let below_runs = Self::at(&Path::new(RUNS).join(selector));
        [path, below_runs].into_iter().find(Self::holds_run)
    }

    /// The folder that `selector` names: a path, `last`, a name below `runs/`, or (the beginning
    /// of) a run's id.
    pub(crate) fn find(selector: &str) -> Result<Self, Failure> {
        if let Some(folder) = Self::named(selector) {
            return Ok(folder);
        }
        if let Some(run) = Self::at(Path::new(selector)).fetched_run() {
            return Err(Failure::Usage(format!(
                "{selector} was written by `fetch` and has no store: ask the farm of run {run} with \
                 --coordinator URL"
            )));
        }
        let all = all();
        let lower = selector.to_lowercase();
        let matches = |folder: &&Self| {
            let name = folder.name();
            let id = name.rsplit('-').next().unwrap_or_default();
            selector == "last"
                || (!lower.is_empty() && id.starts_with(&lower))
                || lower.ends_with(id) && lower.len() == ulid::ULID_LEN
        };
        all.iter().find(matches).cloned().ok_or_else(|| {
            let known: Vec<_> = all.iter().take(5).map(Self::name).collect();
            let known =
                if known.is_empty() { "there are none".to_owned() } else { known.join(", ") };
            Failure::Usage(format!(
                "no run {selector:?}: give its folder, `last`, or one below {RUNS}/ ({known})"
            ))
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The path of the run's store.
    pub(crate) fn store(&self) -> PathBuf {
        self.0.join(STORE)
    }

    /// Whether there is a run in the folder.
    pub(crate) fn holds_run(&self) -> bool {
        self.store().exists()
    }

    /// The run whose files `fetch` wrote here: they tell of it, but its store is the farm's.
    pub(crate) fn fetched_run(&self) -> Option<String> {
        let result = fs::read(self.0.join(RESULT)).ok().filter(|_| !self.holds_run())?;
        let result = serde_json::from_slice::<serde_json::Value>(&result).ok()?;
        result["run"].as_str().map(str::to_owned)
    }

    /// Makes the folder. One that holds other things is refused: nothing of anybody is overwritten.
    pub(crate) fn create(&self) -> Result<(), Failure> {
        let entries = self.entries()?;
        // A store that could not be finished is ours as well.
        let foreign = |name: std::ffi::OsString| !name.to_string_lossy().starts_with(STORE);
        if self.holds_run() || !entries.into_iter().any(foreign) {
            return Ok(());
        }
        Err(Failure::Usage(format!(
            "{} is not empty and holds no run: give --out a new or an empty folder",
            self.0.display()
        )))
    }

    /// Makes the folder for what a farm has of run `id` of `spec`. One that holds other things, or
    /// another run, is refused: nothing of anybody is overwritten.
    pub(crate) fn create_for(&self, id: RunId, spec: &str) -> Result<(), Failure> {
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
        Err(Failure::Usage(format!(
            "{} is not empty and does not hold run {id}: give --out a new or an empty folder",
            self.0.display()
        )))
    }

    /// The names in the folder, which is made if it is not there.
    fn entries(&self) -> Result<Vec<std::ffi::OsString>, Failure> {
        if self.0.exists() && !self.0.is_dir() {
            let path = self.0.display();
            return Err(Failure::Usage(format!("--out {path} is a file, not a folder")));
        }
        fs::create_dir_all(&self.0).map_err(|source| failure(&self.0, "created", source))?;
        let entries = fs::read_dir(&self.0).map_err(|error| failure(&self.0, "read", error))?;
        Ok(entries.flatten().map(|entry| entry.file_name()).collect())
    }

    /// Writes the file called `name`, whole or not at all.
    pub(crate) fn write(&self, name: &str, content: &[u8]) -> Result<PathBuf, Failure> {
        let path = self.0.join(name);
        let write = || -> io::Result<()> {
            fs::create_dir_all(path.parent().unwrap_or(&self.0))?;
            let mut unfinished = path.clone().into_os_string();
            unfinished.push(UNFINISHED);
            let written = fs::File::create(&unfinished)
                .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()))
                .and_then(|()| fs::rename(&unfinished, &path));
            // What is not whole is of no use, and takes what the disk may be short of.
            written.inspect_err(|_| fs::remove_file(&unfinished).unwrap_or(()))
        };
        write().map_err(|source| failure(&path, "written", source))?;
        Ok(path)
    }

    fn name(&self) -> String {
        self.0.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

fn failure(path: &Path, act: &'static str, source: io::Error) -> Failure {
    Failure::File { path: path.to_owned(), act, source }
}

/// The end of an id, which is random, in lower case.
fn short(id: &str) -> String {
    id[id.len() - SHORT_ID..].to_lowercase()
}

/// All run folders below `runs/`, the latest first.
fn all() -> Vec<Folder> {
    let entries = fs::read_dir(RUNS).into_iter().flatten().filter_map(Result::ok);
    let mut folders: Vec<_> = entries
        .map(|entry| Folder(entry.path()))
        .filter(Folder::holds_run)
        .filter_map(|folder| {
            let created = fs::metadata(folder.0.join(SPEC)).ok()?.modified().ok()?;
            Some((created, folder))
        })
        .collect();
    folders.sort_by(|(a, _), (b, _)| b.cmp(a));
    folders.into_iter().map(|(_, folder)| folder).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runs_name_leads_nowhere_else() {
        let id = RunId(ulid::Ulid::from_string("01M7YH3Q6F4BFRQE644ZH5B8FZ").unwrap());
        assert_eq!(Folder::of("../../etc", id).path(), Path::new("runs/------etc-h5b8fz"));
        assert_eq!(Folder::of("pig-quick", id).path(), Path::new("runs/pig-quick-h5b8fz"));
    }

    #[test]
    fn nothing_of_anybody_is_overwritten() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = Folder::at(&scratch.path().join("fetched"));
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
