//! The files that a spec mentions, found on this machine.
//!
//! A file is named by its path, by its folder, or by a pattern, relative to the spec file. Files
//! that were read before, so that the spec has only their names and hash, are in the folder of the
//! run that read them: below `inputs/`, each input in a folder called by the hash.

mod walk;

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use hatchery_core::part::MAX_PART_BYTES;
use hatchery_core::spec::{FileReference, MAX_FILES, SpecDocument, SpecError};
use hatchery_core::text::closest_name;
use hatchery_core::{Digest, PartSet};
use hatchery_server::regular_file::{self, irregular};
use prost::bytes::Bytes;

use crate::run_folder::RunFolder;
use crate::terminal::{escape_line, print_status};

/// The folder of inputs in the folder of a run.
const INPUTS: &str = "inputs";

/// The number of digits of a hash that name the folder of an input.
const HASH_DIGITS: usize = 16;

/// The files that a spec names, with their bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpecFiles {
    files: Vec<(FileReference, Bytes)>,
    inputs: PartSet,
}

impl SpecFiles {
    /// Reads the files that `document` mentions, as `schema` wants them: relative to `folder`, or
    /// to the current folder where an assignment mentions them. Returns the document with
    /// references to them.
    ///
    /// # Errors
    /// If a file cannot be read, or a parameter takes none.
    pub(crate) fn read(
        document: SpecDocument,
        schema: &serde_json::Value,
        folder: &Path,
    ) -> Result<(SpecDocument, Self), SpecError> {
        let mut found = Self::default();
        let document = document.with_files(schema, |mention| {
            let folder = if mention.is_assigned { Path::new("") } else { folder };
            let (reference, bytes) = read(&mention.pattern, folder)?;
            found.add(reference.clone(), bytes);
            Ok(reference)
        })?;
        Ok((document, found))
    }

    /// Adds the files of `reference`, which are the input `bytes`.
    pub(crate) fn add(&mut self, reference: FileReference, bytes: Bytes) {
        self.inputs.add(bytes.clone());
        self.files.push((reference, bytes));
    }

    /// Returns the inputs that the files are.
    pub(crate) fn inputs(&self) -> &PartSet {
        &self.inputs
    }

    /// Writes the files into the folder of a run, for running its spec again.
    pub(crate) fn keep(&self, folder: &RunFolder) -> Result<(), crate::error::CommandError> {
        for (reference, bytes) in &self.files {
            let files = reference.unpack(bytes).expect("the input was made of these files");
            let place = folder_of(Path::new(""), reference.hash());
            for (name, bytes) in files {
                folder.write(&place.join(name).to_string_lossy(), &bytes)?;
            }
        }
        Ok(())
    }
}

/// Returns the input that the files of `reference` are, from the folder of the run that kept them;
/// `None` if the files are missing or have changed.
pub(crate) fn kept(folder: &Path, reference: &FileReference) -> Option<Bytes> {
    let place = folder_of(folder, reference.hash());
    // As someone may have put anything there, only what a run keeps is opened.
    let read = |name: &String| {
        let path = place.join(name);
        let found = fs::symlink_metadata(&path).ok()?;
        let is_kept = found.is_file() && found.len() <= MAX_PART_BYTES as u64;
        Some((
            name.clone(),
            is_kept.then(|| regular_file::read(&path, MAX_PART_BYTES as u64).ok())??.into(),
        ))
    };
    let files: Option<Vec<_>> = reference.names().iter().map(read).collect();
    let packed = files.and_then(|files| FileReference::pack(&files).ok());
    let kept = packed.filter(|(found, _)| found.hash() == reference.hash());
    if kept.is_none() && place.is_dir() {
        let place = escape_line(&place.display().to_string());
        print_status(&format!("{place} is not used: its files are not those of the spec any more"));
    }
    kept.map(|(_, bytes)| bytes)
}

/// Returns the path of the only file of the input with this hash that a run kept in `folder`.
pub(crate) fn kept_file(folder: &Path, hash: Digest) -> Option<PathBuf> {
    let mut entries = fs::read_dir(folder_of(folder, hash)).ok()?.flatten();
    let path = entries.next()?.path();
    let is_regular = fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
    (is_regular && entries.next().is_none()).then_some(path)
}

fn folder_of(folder: &Path, hash: Digest) -> PathBuf {
    folder.join(INPUTS).join(&hash.to_string()[..HASH_DIGITS])
}

/// Reads the files that `pattern` names, relative to `folder`.
fn read(pattern: &str, folder: &Path) -> Result<(FileReference, Bytes), String> {
    let paths = find(pattern, folder)?;
    if MAX_FILES < paths.len() {
        let n_files = paths.len();
        return Err(format!("{pattern} has {n_files} files, but a parameter takes {MAX_FILES}"));
    }
    let (mut files, mut n_bytes) = (Vec::new(), 0);
    for path in paths {
        let shown = path.display();
        let not_read = |error: std::io::Error| format!("cannot read {shown}: {error}");
        let found = fs::metadata(&path).map_err(not_read)?;
        if let Some(kind) = irregular(found.file_type()) {
            return Err(format!("{shown} is {kind}, but a regular file is needed"));
        }
        let most = (MAX_PART_BYTES - n_bytes) as u64;
        let large = || {
            format!(
                "{pattern} has more than {MAX_PART_BYTES} bytes, the most that a parameter takes"
            )
        };
        if most < found.len() {
            return Err(large());
        }
        let mut bytes = Vec::new();
        let file = regular_file::open(&path).map_err(not_read)?;
        file.take(most + 1).read_to_end(&mut bytes).map_err(not_read)?;
        n_bytes += bytes.len();
        if MAX_PART_BYTES < n_bytes {
            return Err(large());
        }
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| format!("the name of {shown} is not UTF-8 text"))?;
        files.push((name.to_owned(), bytes.into()));
    }
    FileReference::pack(&files)
}

/// Returns the paths of the files that `pattern` names, in the order of their names.
fn find(pattern: &str, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let path = folder.join(pattern);
    let is_pattern = pattern.contains(['*', '?', '[']);
    let found = match fs::metadata(&path) {
        Ok(found) if found.is_dir() => in_folder(&path)?,
        Ok(_) => return Ok(vec![path]),
        Err(_) if is_pattern => matching(pattern, folder)?,
        Err(error) => {
            let likely =
                likely(&path).map_or_else(String::new, |it| format!(" (did you mean {it}?)"));
            return Err(format!("cannot read {}: {error}{likely}", path.display()));
        }
    };
    match found.is_empty() {
        false => Ok(found),
        true => {
            let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let place = std::path::absolute(here).unwrap_or_else(|_| here.to_owned());
            Err(format!("no file is {pattern} in {}", place.display()))
        }
    }
}

/// Returns the regular files in a folder whose names do not begin with a dot.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder);
    let entries = entries.map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let is_hidden = |path: &Path| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    };
    let paths = entries.flatten().map(|entry| entry.path());
    let mut paths: Vec<_> = paths.filter(|path| !is_hidden(path) && !path.is_dir()).collect();
    paths.sort_unstable();
    check_links(&paths, folder)?;
    Ok(paths)
}

/// Returns the files that match a pattern below `folder`.
fn matching(pattern: &str, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let found = walk::matching(pattern, folder)?;
    check_links(&found.paths, &found.root)?;
    Ok(found.paths)
}

/// Checks that no path leads out of `folder`: a folder from elsewhere must not name files of its
/// user.
fn check_links(paths: &[PathBuf], folder: &Path) -> Result<(), String> {
    let whole = |path: &Path| {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        fs::canonicalize(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
    };
    let root = whole(folder)?;
    for path in paths {
        if !whole(path)?.starts_with(&root) {
            let shown = path.display();
            return Err(format!(
                "{shown} is a link out of {}: name the file itself, or copy it there",
                root.display()
            ));
        }
    }
    Ok(())
}

/// Returns the file beside `path` that may be meant.
fn likely(path: &Path) -> Option<String> {
    let folder = path.parent()?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let names = fs::read_dir(folder).ok()?.flatten();
    let names: Vec<_> = names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    closest_name(path.file_name()?.to_str()?, names.iter().map(String::as_str)).map(str::to_owned)
}
