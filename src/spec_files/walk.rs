//! The files that a pattern matches.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use glob::{MatchOptions, Pattern};

/// The most names that a search looks at.
const MAX_NAMES: usize = 100_000;

/// The most folders below each other that a search goes through.
const MAX_DEPTH: usize = 64;

const OPTIONS: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// A part of a pattern, between two slashes.
#[derive(Debug)]
enum PatternPart {
    /// A name, or `..`.
    Fixed(OsString),
    /// A pattern of names. A name that is not UTF-8 text matches as people are shown it.
    Name(Pattern),
    /// `**`: any number of folders that are no links, so that it comes to each folder once.
    Folders,
}

impl PatternPart {
    fn of(component: Component<'_>) -> Result<Self, String> {
        let text = component.as_os_str().to_string_lossy();
        match component {
            part if !is_pattern(part) => Ok(Self::Fixed(part.as_os_str().to_owned())),
            _ if text == "**" => Ok(Self::Folders),
            _ => Pattern::new(&text).map(Self::Name).map_err(|error| error.to_string()),
        }
    }

    fn matches(&self, name: &OsString) -> bool {
        match self {
            Self::Fixed(fixed) => fixed == name,
            Self::Name(pattern) => pattern.matches_with(&name.to_string_lossy(), OPTIONS),
            Self::Folders => false,
        }
    }
}

fn is_pattern(part: Component<'_>) -> bool {
    part.as_os_str().as_encoded_bytes().iter().any(|byte| b"*?[".contains(byte))
}

/// The files that `pattern` matches.
#[derive(Debug)]
pub(super) struct MatchingFiles {
    /// The folder that all are in: the one that the pattern names before its first `*`, `?` or `[`.
    pub(super) root: PathBuf,
    /// Their paths, in order.
    pub(super) paths: Vec<PathBuf>,
}

/// Returns the files that `pattern` matches, relative to `folder`.
///
/// # Errors
/// If it is no pattern, a folder cannot be read, or there is too much to look at.
pub(super) fn matching(pattern: &str, folder: &Path) -> Result<MatchingFiles, String> {
    let components: Vec<_> = Path::new(pattern).components().collect();
    let n_fixed = components.iter().take_while(|part| !is_pattern(**part)).count();
    let root = folder.join(components[..n_fixed].iter().collect::<PathBuf>());
    let parts: Result<Vec<_>, _> =
        components[n_fixed..].iter().map(|it| PatternPart::of(*it)).collect();
    let parts = parts.map_err(|error| format!("{pattern} is no pattern: {error}"))?;
    let mut search = FileSearch { pattern, parts, n_names: 0, found: BTreeSet::new() };
    // Only a folder has a slash at its end.
    if !pattern.ends_with('/') {
        let beginning = search.places_from(0).collect();
        search.look_into(&root, &beginning, 0)?;
    }
    Ok(MatchingFiles { root, paths: search.found.into_iter().collect() })
}

/// A search that goes through each folder once, with all the places in the pattern at which the
/// names in the folder may match.
struct FileSearch<'a> {
    pattern: &'a str,
    parts: Vec<PatternPart>,
    n_names: usize,
    found: BTreeSet<PathBuf>,
}

impl FileSearch<'_> {
    /// Returns `place`, and the places after it that a `**` without a folder leads to.
    fn places_from(&self, place: usize) -> Range<usize> {
        let is_folders = |part: &&PatternPart| matches!(part, PatternPart::Folders);
        let n_folders = self.parts[place..].iter().take_while(is_folders).count();
        place..self.parts.len().min(place + n_folders + 1)
    }

    fn look_into(
        &mut self,
        folder: &Path,
        places: &BTreeSet<usize>,
        depth: usize,
    ) -> Result<(), String> {
        if MAX_DEPTH < depth {
            let (pattern, folder) = (self.pattern, folder.display());
            return Err(format!("{pattern} leads through more than {MAX_DEPTH} folders: {folder}"));
        }
        for name in self.names(folder, places)? {
            let path = folder.join(&name);
            // It may be gone.
            let Ok(found) = fs::symlink_metadata(&path) else { continue };
            if !(found.is_dir() || found.is_symlink() && path.is_dir()) {
                let last = self.parts.len() - 1;
                if places.contains(&last) && self.parts[last].matches(&name) {
                    self.found.insert(path);
                }
                continue;
            }
            let is_plain = !found.is_symlink() && !name.as_encoded_bytes().starts_with(b".");
            let next = places.iter().flat_map(|&place| match &self.parts[place] {
                PatternPart::Folders if is_plain => self.places_from(place),
                part if part.matches(&name) && place + 1 < self.parts.len() => {
                    self.places_from(place + 1)
                }
                _ => 0..0,
            });
            let next: BTreeSet<_> = next.collect();
            if !next.is_empty() {
                self.look_into(&path, &next, depth + 1)?;
            }
        }
        Ok(())
    }

    /// Returns the names in `folder` that may match at `places`. The folder is read only where the
    /// pattern leaves open how they are called.
    fn names(
        &mut self,
        folder: &Path,
        places: &BTreeSet<usize>,
    ) -> Result<BTreeSet<OsString>, String> {
        let fixed = places.iter().filter_map(|&place| match &self.parts[place] {
            PatternPart::Fixed(name) => Some(name.clone()),
            PatternPart::Name(_) | PatternPart::Folders => None,
        });
        let mut names: BTreeSet<_> = fixed.collect();
        if names.len() < places.len() {
            let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let not_read = |error| format!("cannot read {}: {error}", here.display());
            let left = MAX_NAMES - self.n_names;
            for entry in fs::read_dir(here).map_err(not_read)?.take(left + 1) {
                names.insert(entry.map_err(not_read)?.file_name());
            }
        }
        self.n_names += names.len();
        if MAX_NAMES < self.n_names {
            let (pattern, folder) = (self.pattern, folder.display());
            return Err(format!(
                "{pattern} leads to more than {MAX_NAMES} names, the last ones in {folder}: \
                 name a folder with fewer"
            ));
        }
        Ok(names)
    }
}
