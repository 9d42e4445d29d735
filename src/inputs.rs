//! The inputs of a run on this machine: in files that the command names, and in exhibits of runs.
//!
//! A file is read twice: it is hashed when it is found, and read as a whole, and hashed again, when
//! its bytes are needed. So one input is in memory at a time, whatever their number.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use hatchery_core::part::MAX_PART_BYTES;
use hatchery_core::{Digest, NamedInput, Part, PartSet};
use hatchery_server::regular_file::{self, irregular};
use prost::bytes::Bytes;

use crate::error::{CommandError, InputError, InputNotFound, SearchedFarm, UsageError};
use crate::report::ResultDocument;
use crate::run_folder::RunFolder;
use crate::spec_files::kept_file;
use crate::terminal::{escape_line, print_status};

/// The bytes that are read and hashed at a time.
const READ_BYTES: usize = 256 << 10;

/// The inputs of a run that were found on this machine.
#[derive(Debug)]
pub(crate) struct LocalInputs {
    /// The inputs that the spec names.
    named: Vec<NamedInput>,
    files: Vec<PathBuf>,
    /// The number of runs whose exhibits were searched.
    n_runs: usize,
    found: BTreeMap<Digest, (Part, InputPlace)>,
}

/// The place of an input that was found.
#[derive(Clone, Debug)]
enum InputPlace {
    File(PathBuf),
    /// It was read with the spec.
    Memory(Bytes),
}

impl LocalInputs {
    /// Looks for the inputs `named` in `files`.
    ///
    /// # Errors
    /// If a file cannot be read, is no regular one, is larger than an input may be, or is none of
    /// the inputs.
    pub(crate) fn in_files(
        named: Vec<NamedInput>,
        files: &[PathBuf],
    ) -> Result<Self, CommandError> {
        let mut found = BTreeMap::new();
        for (part, path) in hash_files(files)? {
            let hash = part.hash();
            if !named.iter().any(|input| input.hash == hash) {
                return Err(UsageError::from(InputError::NotNamed { path, hash, named }).into());
            }
            found.insert(hash, (part, InputPlace::File(path)));
        }
        Ok(Self { named, files: files.to_vec(), n_runs: 0, found })
    }

    /// Looks for the inputs `named` among `files`.
    ///
    /// # Errors
    /// If a file cannot be read, is no regular one, or is larger than an input may be.
    pub(crate) fn among_files(
        named: Vec<NamedInput>,
        files: &[PathBuf],
    ) -> Result<Self, CommandError> {
        let found = hash_files(files)?
            .into_iter()
            .map(|(part, path)| (part.hash(), (part, InputPlace::File(path))));
        let found = found.filter(|(hash, _)| named.iter().any(|input| input.hash == *hash));
        Ok(Self { found: found.collect(), named, files: files.to_vec(), n_runs: 0 })
    }

    /// Adds inputs that are in memory.
    pub(crate) fn add(&mut self, inputs: &PartSet) {
        for (part, bytes) in inputs.iter() {
            self.found.insert(part.hash(), (*part, InputPlace::Memory(bytes.clone())));
        }
    }

    /// Looks for missing inputs among the inputs that a run kept in `folder`.
    pub(crate) fn search_kept(&mut self, folder: &Path) {
        for input in &self.named {
            let hash = input.hash;
            if !self.found.contains_key(&hash)
                && let Some(path) = kept_file(folder, hash)
                && let Ok(Some(part)) = hash_file(&path)
                && part.hash() == hash
            {
                self.found.insert(hash, (part, InputPlace::File(path)));
            }
        }
    }

    /// Looks for the inputs with these hashes, where they are not found yet, in the exhibits of
    /// runs.
    pub(crate) fn search_exhibits(&mut self, hashes: impl IntoIterator<Item = Digest>) {
        let mut missing: BTreeSet<_> = hashes.into_iter().collect();
        missing.retain(|hash| !self.found.contains_key(hash));
        let folders = if missing.is_empty() { Vec::new() } else { RunFolder::with_results() };
        for folder in folders {
            if missing.is_empty() {
                break;
            }
            let Some(result) = folder.result().and_then(|text| ResultDocument::parse(&text)) else {
                continue;
            };
            self.n_runs += 1;
            for (hash, path) in result.exhibit_files(folder.path()) {
                if !missing.contains(&hash) {
                    continue;
                }
                match hash_file(&path) {
                    Ok(Some(part)) if part.hash() == hash => {
                        missing.remove(&hash);
                        self.found.insert(hash, (part, InputPlace::File(path)));
                    }
                    found => print_status(&passed_over(&path, hash, found)),
                }
            }
        }
    }

    /// Looks for all inputs in the exhibits of runs, and returns their names.
    ///
    /// # Errors
    /// The first input that was found nowhere.
    pub(crate) fn all(&mut self) -> Result<Vec<Part>, InputNotFound> {
        let hashes: Vec<_> = self.named.iter().map(|input| input.hash).collect();
        self.search_exhibits(hashes.iter().copied());
        let part = |hash| self.part(hash).ok_or_else(|| self.not_found(hash, SearchedFarm::No));
        hashes.into_iter().map(part).collect()
    }

    /// Returns the input with this hash; `None` if it is not found.
    pub(crate) fn part(&self, hash: Digest) -> Option<Part> {
        self.found.get(&hash).map(|(part, _)| *part)
    }

    /// Returns the error that the spec's input with this hash was found nowhere.
    ///
    /// # Panics
    /// If the spec has no such input.
    pub(crate) fn not_found(&self, hash: Digest, farm: SearchedFarm) -> InputNotFound {
        let input = self.named.iter().find(|input| input.hash == hash);
        let input = input.expect("only inputs of the spec are looked for").clone();
        InputNotFound { input, files: self.files.clone(), n_runs: self.n_runs, farm }
    }

    /// Returns true if the spec has an input with this hash.
    pub(crate) fn is_named(&self, hash: Digest) -> bool {
        self.named.iter().any(|input| input.hash == hash)
    }

    /// Reads a part that was found.
    ///
    /// # Errors
    /// If the file cannot be read, or has changed.
    ///
    /// # Panics
    /// If the part was not found.
    pub(crate) fn read(&self, part: Part) -> Result<Bytes, CommandError> {
        let path = match &self.found[&part.hash()].1 {
            InputPlace::Memory(bytes) => return Ok(bytes.clone()),
            InputPlace::File(path) => path.clone(),
        };
        let mut bytes = Vec::new();
        let read =
            regular_file::open(&path).and_then(|file| file.take(limit()).read_to_end(&mut bytes));
        if let Err(source) = read {
            return Err(CommandError::File { path, action: "read", source });
        }
        if Digest::of(&bytes) != part.hash() {
            return Err(UsageError::from(InputError::Changed { path, hash: part.hash() }).into());
        }
        Ok(bytes.into())
    }
}

/// The most bytes of a file that are read: one more than an input has, to see that it is longer.
fn limit() -> u64 {
    MAX_PART_BYTES as u64 + 1
}

/// Returns the parts that are `files`.
///
/// # Errors
/// If a file cannot be read, is no regular one, or is larger than an input may be.
fn hash_files(files: &[PathBuf]) -> Result<Vec<(Part, PathBuf)>, UsageError> {
    let hash = |path: &PathBuf| {
        let not_read = |source| InputError::NotRead { path: path.clone(), source };
        let found_at = fs::metadata(path).map_err(not_read)?;
        if let Some(kind) = irregular(found_at.file_type()) {
            return Err(InputError::NotRegular { path: path.clone(), kind });
        }
        let part = hash_file(path).map_err(not_read)?;
        let part = part.ok_or_else(|| InputError::TooLarge { path: path.clone() })?;
        Ok((part, path.clone()))
    };
    files.iter().map(hash).collect::<Result<_, _>>().map_err(UsageError::from)
}

/// Returns the part that is a file; `None` if it is larger than an input may be.
fn hash_file(path: &Path) -> io::Result<Option<Part>> {
    let mut file = regular_file::open(path)?.take(limit());
    let (mut hasher, mut n_bytes) = (blake3::Hasher::new(), 0);
    let mut piece = vec![0; READ_BYTES];
    loop {
        match file.read(&mut piece)? {
            0 => break,
            n => {
                hasher.update(&piece[..n]);
                n_bytes += n as u64;
            }
        }
    }
    let hash = Digest::from_bytes(hasher.finalize().as_bytes()).expect("both have 32 bytes");
    Ok(Part::new(hash, n_bytes).ok())
}

/// Returns the reason why an exhibit that should be an input is none.
fn passed_over(path: &Path, hash: Digest, found: io::Result<Option<Part>>) -> String {
    let path = escape_line(&path.display().to_string());
    match found {
        Ok(Some(_)) => format!("{path} is not used: its BLAKE3 hash is not {hash} any more"),
        Ok(None) => format!("{path} is not used: it has more than {MAX_PART_BYTES} bytes"),
        Err(error) => format!("{path} is not used: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    fn input(bytes: &[u8]) -> NamedInput {
        NamedInput { key: "weights".to_owned(), hash: Digest::of(bytes) }
    }

    #[test]
    fn files_are_the_inputs_that_the_spec_names() {
        let scratch = tempfile::tempdir().unwrap();
        let path = |name: &str| scratch.path().join(name);
        fs::write(path("right"), b"right").unwrap();
        fs::write(path("wrong"), b"wrong").unwrap();
        let find = |name: &str| LocalInputs::in_files(vec![input(b"right")], &[path(name)]);
        let inputs = find("right").unwrap();
        let part = inputs.part(Digest::of(b"right")).unwrap();
        assert_eq!((part, inputs.read(part).unwrap()), (Part::of(b"right"), "right".into()));
        fs::write(path("right"), b"rights").unwrap();
        let changed = inputs.read(part).unwrap_err();
        assert!(changed.to_string().contains("has changed since"), "{changed}");
        for (name, said) in [("wrong", "has the BLAKE3 hash"), ("nowhere", "cannot read --input")] {
            let error = find(name).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains(said), "{error}");
        }
    }

    #[test]
    fn what_can_be_read_only_once_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let pipe = scratch.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let paths = [(pipe.as_path(), "a pipe"), (scratch.path(), "a folder")];
        for (path, kind) in paths.into_iter().chain([(Path::new("/dev/null"), "a device")]) {
            let error = LocalInputs::in_files(vec![input(b"")], &[path.to_owned()]).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            let expected = format!("{} is {kind}, but a regular file is needed", path.display());
            assert!(error.to_string().contains(&expected), "{error}");
        }
    }

    /// A file without end is read no further than an input can be.
    #[test]
    fn large_files_are_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("large");
        let file = File::create(&path).unwrap();
        file.set_len(MAX_PART_BYTES as u64).unwrap();
        assert_eq!(hash_file(&path).unwrap().unwrap().n_bytes(), MAX_PART_BYTES as u64);
        file.set_len(1 << 40).unwrap();
        assert_eq!(hash_file(&path).unwrap(), None);
        hash_file(Path::new("/dev/zero")).unwrap_err();
        let refused = LocalInputs::in_files(vec![input(b"")], &[path]).unwrap_err().to_string();
        assert!(refused.ends_with("has more than 67108864 bytes, the most that an input may have"));
    }
}
