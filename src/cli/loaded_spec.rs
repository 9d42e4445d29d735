//! A spec file or a preset, read and checked.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use hatchery_core::erased::{Beginning, ConfiguredExperiment};
use hatchery_core::spec::{MAX_SPEC_BYTES, NamedFiles, SpecDocument, SpecHead};
use hatchery_core::text::closest_name;
use hatchery_core::{AnyExperiment, Digest, NamedInput, Part, RunSeed};

use crate::error::{CommandError, InputNotFound, UsageError};
use crate::inputs::LocalInputs;
use crate::program::catalog;
use crate::run_folder::{RunFolder, SPEC};
use crate::spec_files::{SpecFiles, kept};
use crate::terminal::{escape_line, print_status};

/// The most warnings that are printed.
const MAX_WARNINGS: usize = 10;

/// A valid spec with its experiment.
pub(super) struct LoadedSpec {
    pub(super) document: SpecDocument,
    pub(super) head: SpecHead,
    pub(super) experiment: &'static dyn AnyExperiment,
    pub(super) procedure: Box<dyn ConfiguredExperiment>,
    /// The folder that files in the spec are relative to.
    pub(super) folder: PathBuf,
    /// The files that the spec names.
    pub(super) files: SpecFiles,
    /// The inputs that the parameters name, files among them.
    pub(super) inputs: Vec<NamedInput>,
    /// The state before the first generation, with its parts; `None` if there are inputs that are
    /// still to be found.
    pub(super) beginning: Option<Beginning>,
}

impl LoadedSpec {
    /// Reads the spec in the file, or of the preset, `name`, or from standard input if that is
    /// [`STANDARD_INPUT`], and applies the assignments `set`. Files that it names by their hash
    /// alone are also looked for among `inputs`.
    ///
    /// # Errors
    ///
    /// Fails if the spec or a file cannot be read or is invalid.
    pub(super) fn open(
        name: &str,
        set: &[String],
        inputs: &[PathBuf],
    ) -> Result<Self, CommandError> {
        let (mut document, folder) = load(name)?;
        for assignment in set {
            document = document.set(assignment).map_err(CommandError::Spec)?;
        }
        let head = document.head().map_err(CommandError::Spec)?;
        let Some(experiment) = catalog().find(&head.experiment) else {
            let known: Vec<_> = catalog().experiments().map(AnyExperiment::name).collect();
            let likely = closest_name(&head.experiment, known.iter().copied());
            let likely = likely.map_or_else(String::new, |it| format!(" (did you mean {it}?)"));
            let message = format!(
                "experiment is {:?}{likely}, but must be one of {}",
                head.experiment,
                known.join(", ")
            );
            return Err(CommandError::Spec(document.wrong(&["experiment"], &message)));
        };
        let read = SpecFiles::read(document, experiment.schema(), &folder);
        let (document, mut files) = read.map_err(CommandError::Spec)?;
        find_files(&document, &folder, inputs, &mut files)?;
        let procedure = experiment.configure_with(&document, files.inputs());
        let procedure = procedure.map_err(CommandError::Spec)?;
        let refused = |refusal| CommandError::Spec(document.refused(&refusal));
        let inputs = procedure.inputs().map_err(refused)?;
        let is_found = inputs.iter().all(|input| files.inputs().find(input.hash).is_some());
        let beginning = None;
        let mut spec =
            Self { document, head, experiment, procedure, folder, files, inputs, beginning };
        if is_found {
            for (part, bytes) in spec.files.inputs().iter() {
                spec.check_input(part.hash(), bytes)?;
            }
            // Contradictions between parameters show when the run begins.
            spec.beginning = Some(spec.begin(&spec.files.inputs().names())?);
        }
        Ok(spec)
    }

    /// Begins the run with these inputs.
    ///
    /// # Errors
    ///
    /// Fails if parameters contradict each other, or an input is missing.
    pub(super) fn begin(&self, inputs: &[Part]) -> Result<Beginning, CommandError> {
        let seed = RunSeed::new(&self.head.experiment, self.head.seed).generation(0);
        let refused = |refusal| CommandError::Spec(self.document.refused(&refusal));
        self.procedure.begin(&seed, inputs).map_err(refused)
    }

    /// Prints warnings before the run begins.
    pub(super) fn print_warnings(&self) {
        // Inputs that are still to be found may change what there is to say.
        if self.beginning.is_none() {
            return;
        }
        let warnings = self.procedure.warnings();
        for warning in warnings.iter().take(MAX_WARNINGS) {
            print_status(&format!("warning: {}", escape_line(warning)));
        }
        if let Some(left @ 1..) = warnings.len().checked_sub(MAX_WARNINGS) {
            print_status(&format!("warning: and {left} more, which the report lists"));
        }
    }

    /// Returns true if the run in `folder` is of the same spec: its experiment, seed and
    /// parameters.
    pub(super) fn is_that_of(&self, folder: &RunFolder) -> bool {
        let other = Self::open(&folder.spec().to_string_lossy(), &[], &[]);
        other.is_ok_and(|other| {
            other.head.experiment == self.head.experiment
                && other.head.seed == self.head.seed
                && other.procedure.canonical_params() == self.procedure.canonical_params()
        })
    }

    /// Checks the bytes for every input with this hash.
    ///
    /// # Errors
    ///
    /// Fails if the run could not use the bytes. The error shows the place in the spec that names
    /// the input.
    pub(super) fn check_input(&self, hash: Digest, bytes: &[u8]) -> Result<(), CommandError> {
        let refused = |refusal| CommandError::Spec(self.document.refused(&refusal));
        let mut named = self.inputs.iter().filter(|input| input.hash == hash);
        named.try_for_each(|input| self.procedure.check_input(input, bytes)).map_err(refused)
    }

    /// Returns the error that an input was found nowhere, which points into the spec.
    pub(super) fn input_not_found(&self, error: &InputNotFound) -> CommandError {
        not_found(&self.document, error)
    }
}

/// Returns the error that an input of the spec was found nowhere.
fn not_found(document: &SpecDocument, error: &InputNotFound) -> CommandError {
    let path: Vec<_> = std::iter::once("params").chain(error.input.key.split('.')).collect();
    CommandError::Spec(document.wrong(&path, &error.to_string()))
}

/// Finds the files that `document`, which is in `folder`, names by their hash, and adds them to
/// `files`. The files come from the folder of the run with this spec, from `inputs`, and from
/// exhibits of runs.
///
/// # Errors
/// If a file is found nowhere.
fn find_files(
    document: &SpecDocument,
    folder: &Path,
    inputs: &[PathBuf],
    files: &mut SpecFiles,
) -> Result<(), CommandError> {
    let mut missing = document.files();
    missing.retain(|named| files.inputs().find(named.reference.hash()).is_none());
    missing.retain(|NamedFiles { reference, .. }| match kept(folder, reference) {
        Some(bytes) => {
            files.add(reference.clone(), bytes);
            false
        }
        None => true,
    });
    if missing.is_empty() {
        return Ok(());
    }
    let named = missing.iter().map(NamedFiles::input).collect();
    let mut found = LocalInputs::among_files(named, inputs)?;
    let parts = found.all().map_err(|error| not_found(document, &error))?;
    for (named, part) in missing.into_iter().zip(parts) {
        files.add(named.reference, found.read(part)?);
    }
    Ok(())
}

/// The name of standard input.
const STANDARD_INPUT: &str = "-";

/// Reads the spec in the file, or of the preset, `name`, or from standard input. A file wins, and a
/// name that begins with `./` is always a file. Returns the spec and the folder that files in it
/// are relative to.
fn load(name: &str) -> Result<(SpecDocument, PathBuf), CommandError> {
    if name == STANDARD_INPUT {
        let mut bytes = Vec::new();
        let read = std::io::stdin().take(MAX_SPEC_BYTES as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|source| UsageError::SpecFile { path: "standard input".into(), source })?;
        let document = SpecDocument::parse("standard input", &bytes);
        return Ok((document.map_err(CommandError::Spec)?, PathBuf::new()));
    }
    let path = Path::new(name);
    let looks_like_file = path.extension().is_some() || path.exists();
    if let (false, Some(preset)) = (looks_like_file, catalog().preset(name)) {
        let document = SpecDocument::parse(name, preset.text.as_bytes());
        return Ok((document.map_err(CommandError::Spec)?, PathBuf::new()));
    }
    match read_at_most(path, MAX_SPEC_BYTES) {
        Ok(bytes) => {
            let document = SpecDocument::parse(name, &bytes).map_err(CommandError::Spec)?;
            Ok((document, path.parent().unwrap_or_else(|| Path::new("")).to_owned()))
        }
        Err(_) if path.is_dir() => {
            let (path, spec) = (path.to_owned(), path.join(SPEC));
            Err(UsageError::SpecFolder { path, spec }.into())
        }
        Err(source) if looks_like_file => {
            Err(UsageError::SpecFile { path: path.to_owned(), source }.into())
        }
        Err(_) => {
            let likely = likely_presets(name);
            Err(UsageError::UnknownSpec { name: name.to_owned(), likely }.into())
        }
    }
}

/// Returns the presets that a person may have meant by `name`: the experiment's most similar
/// preset, or all its presets.
fn likely_presets(name: &str) -> Vec<String> {
    let (experiment, preset) = name.split_once('/').unwrap_or((name, ""));
    let catalog = catalog();
    let experiments = catalog.experiments().map(AnyExperiment::name);
    let Some(experiment) = closest_name(experiment, experiments).and_then(|it| catalog.find(it))
    else {
        return Vec::new();
    };
    let presets: Vec<_> = experiment.presets().iter().map(|preset| preset.name).collect();
    let likely = closest_name(preset, presets.iter().copied());
    let likely = likely.map_or(presets, |preset| vec![preset]);
    likely.into_iter().map(|preset| format!("{}/{preset}", experiment.name())).collect()
}

/// Reads a file, at most one byte more than `max_bytes`: enough to see that it is longer, and safe
/// for an endless device.
fn read_at_most(path: &Path, max_bytes: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(max_bytes as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the default name of a run: the preset's, or the file's without its ending.
pub(super) fn run_name(spec: &str) -> String {
    if spec == STANDARD_INPUT {
        return "stdin".to_owned();
    }
    let name = match spec.strip_suffix(".toml") {
        Some(path) => {
            Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
        }
        None => spec.to_owned(),
    };
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    name.trim_matches(['.', '/']).chars().map(plain).collect()
}
