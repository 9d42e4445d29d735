//! Errors of the inputs of a run.

use std::fmt;
use std::path::{Path, PathBuf};

use hatchery_core::part::MAX_PART_BYTES;
use hatchery_core::{Digest, NamedInput};

use crate::format::joined;
use crate::terminal::escape_line;

/// A file that is not an input of the run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    #[error("cannot read --input {}", shown(.path))]
    NotRead { path: PathBuf, source: std::io::Error },
    #[error(
        "--input {} is {kind}, but a regular file is needed, as it is read twice: save it first",
        shown(.path)
    )]
    NotRegular { path: PathBuf, kind: &'static str },
    #[error(
        "--input {} has more than {MAX_PART_BYTES} bytes, the most that an input may have",
        shown(.path)
    )]
    TooLarge { path: PathBuf },
    #[error(
        "--input {} has the BLAKE3 hash {hash}, but the spec names no input with this hash: {}",
        shown(.path),
        joined(&.named.iter().map(ToString::to_string).collect::<Vec<_>>(), "it has none")
    )]
    NotNamed { path: PathBuf, hash: Digest, named: Vec<NamedInput> },
    #[error("{} has changed since its BLAKE3 hash was {hash}: run the command again", shown(.path))]
    Changed { path: PathBuf, hash: Digest },
}

/// An input that was found nowhere.
#[derive(Debug)]
pub(crate) struct InputNotFound {
    pub(crate) input: NamedInput,
    /// The files that were given.
    pub(crate) files: Vec<PathBuf>,
    /// The number of runs whose exhibits were searched.
    pub(crate) n_runs: usize,
    pub(crate) farm: SearchedFarm,
}

/// Returns a path on one line.
fn shown(path: &Path) -> String {
    escape_line(&path.display().to_string())
}

/// True if the farm was searched for the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchedFarm {
    Yes,
    No,
}

impl fmt::Display for InputNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { input, files, n_runs, farm } = self;
        let files: Vec<_> = files.iter().map(|path| shown(path)).collect();
        let files = joined(&files, "none given");
        write!(f, "{input}: found neither in --input ({files}), ")?;
        write!(f, "nor in exhibits of runs in runs/ ({n_runs} searched)")?;
        match farm {
            SearchedFarm::Yes => write!(f, ", nor on the farm"),
            SearchedFarm::No => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_searched_is_named() {
        let hash = Digest::of(b"");
        let input = NamedInput { key: "players.0".to_owned(), hash };
        let mut error = InputNotFound {
            input: input.clone(),
            files: vec!["a.bin".into(), "b.bin".into()],
            n_runs: 12,
            farm: SearchedFarm::Yes,
        };
        let expected = format!(
            "players.0 = {{ blake3 = \"{hash}\" }}: found neither in --input (a.bin, b.bin), nor \
             in exhibits of runs in runs/ (12 searched), nor on the farm"
        );
        assert_eq!(error.to_string(), expected);
        (error.files, error.farm) = (Vec::new(), SearchedFarm::No);
        let end = "--input (none given), nor in exhibits of runs in runs/ (12 searched)";
        assert!(error.to_string().ends_with(end), "{error}");
        let not_read =
            InputError::NotRegular { path: "d\n.bin".into(), kind: "a pipe" }.to_string();
        assert!(not_read.starts_with("--input d\\u{a}.bin is a pipe, but a regular"), "{not_read}");
        let not_named = |named| InputError::NotNamed { path: "c.bin".into(), hash, named };
        assert!(not_named(vec![]).to_string().ends_with("with this hash: it has none"));
        assert!(not_named(vec![input.clone()]).to_string().ends_with(&format!("hash: {input}")));
    }
}
