//! A spec file or a preset, read and checked.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use hatchery_catalog::CATALOG;
use hatchery_core::erased::{Beginning, ConfiguredExperiment};
use hatchery_core::spec::{MAX_SPEC_BYTES, SpecDocument, SpecHead};
use hatchery_core::text::closest_name;
use hatchery_core::{AnyExperiment, Digest, NamedInput, Part, RunSeed};

use crate::error::{CommandError, InputNotFound, UsageError};
use crate::run_folder::RunFolder;

/// A valid spec with its experiment.
pub(super) struct LoadedSpec {
    pub(super) document: SpecDocument,
    pub(super) head: SpecHead,
    pub(super) experiment: &'static dyn AnyExperiment,
    pub(super) procedure: Box<dyn ConfiguredExperiment>,
    /// The inputs that the parameters name.
    pub(super) inputs: Vec<NamedInput>,
    /// The state before the first generation, with its parts; `None` if there are inputs, which are
    /// still to be found.
    pub(super) beginning: Option<Beginning>,
}

impl LoadedSpec {
    /// Reads the spec in the file, or of the preset, `name`, and applies the assignments `set`.
    ///
    /// # Errors
    ///
    /// Fails if the spec cannot be read or is invalid.
    pub(super) fn open(name: &str, set: &[String]) -> Result<Self, CommandError> {
        let mut document = load(name)?;
        for assignment in set {
            document = document.set(assignment).map_err(CommandError::Spec)?;
        }
        let head = document.head().map_err(CommandError::Spec)?;
        let Some(experiment) = CATALOG.find(&head.experiment) else {
            let known: Vec<_> = CATALOG.experiments().map(|experiment| experiment.name()).collect();
            let likely = closest_name(&head.experiment, known.iter().copied());
            let likely = likely.map_or_else(String::new, |it| format!(" (did you mean {it}?)"));
            let message = format!(
                "experiment = {:?}{likely}, but must be one of {}",
                head.experiment,
                known.join(", ")
            );
            return Err(CommandError::Spec(document.wrong(&["experiment"], &message)));
        };
        let procedure = experiment.configure(&document).map_err(CommandError::Spec)?;
        let refused = |refusal| CommandError::Spec(document.refused(&refusal));
        let inputs = procedure.inputs().map_err(refused)?;
        let mut spec = Self { document, head, experiment, procedure, inputs, beginning: None };
        if spec.inputs.is_empty() {
            // Contradictions between parameters show when the run begins.
            spec.beginning = Some(spec.begin(&[])?);
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

    /// Returns true if the run in `folder` is of the same spec: its experiment, seed and
    /// parameters.
    pub(super) fn is_that_of(&self, folder: &RunFolder) -> bool {
        let other = Self::open(&folder.spec().to_string_lossy(), &[]);
        other.is_ok_and(|other| {
            other.head.experiment == self.head.experiment
                && other.head.seed == self.head.seed
                && other.procedure.canonical_params() == self.procedure.canonical_params()
        })
    }

    /// Checks the bytes of all inputs with this hash.
    ///
    /// # Errors
    ///
    /// Fails if the run could not use them, with an error that points into the spec.
    pub(super) fn check_input(&self, hash: Digest, bytes: &[u8]) -> Result<(), CommandError> {
        let refused = |refusal| CommandError::Spec(self.document.refused(&refusal));
        let mut named = self.inputs.iter().filter(|input| input.hash == hash);
        named.try_for_each(|input| self.procedure.check_input(input, bytes)).map_err(refused)
    }

    /// Returns the error that an input was found nowhere, which points into the spec.
    pub(super) fn input_not_found(&self, error: &InputNotFound) -> CommandError {
        let path: Vec<_> = std::iter::once("params").chain(error.input.key.split('.')).collect();
        CommandError::Spec(self.document.wrong(&path, &error.to_string()))
    }
}

/// Reads the spec in the file, or of the preset, `name`. A file wins, and a name that begins with
/// `./` is always a file.
fn load(name: &str) -> Result<SpecDocument, CommandError> {
    let path = Path::new(name);
    let looks_like_file = path.extension().is_some() || path.exists();
    if let (false, Some(preset)) = (looks_like_file, CATALOG.preset(name)) {
        return SpecDocument::parse(name, preset.text.as_bytes()).map_err(CommandError::Spec);
    }
    match read_at_most(path, MAX_SPEC_BYTES) {
        Ok(bytes) => SpecDocument::parse(name, &bytes).map_err(CommandError::Spec),
        Err(source) if looks_like_file => {
            Err(UsageError::SpecFile { path: path.to_owned(), source }.into())
        }
        Err(_) => {
            let likely = likely_presets(name);
            Err(UsageError::UnknownSpec { name: name.to_owned(), likely }.into())
        }
    }
}

/// Returns the presets that a person may have meant by `name`: the most similar one of the
/// experiment, or all that it has.
fn likely_presets(name: &str) -> Vec<String> {
    let (experiment, preset) = name.split_once('/').unwrap_or((name, ""));
    let experiments = CATALOG.experiments().map(|experiment| experiment.name());
    let Some(experiment) = closest_name(experiment, experiments).and_then(|it| CATALOG.find(it))
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
    let name = match spec.strip_suffix(".toml") {
        Some(path) => {
            Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
        }
        None => spec.to_owned(),
    };
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    name.trim_matches(['.', '/']).chars().map(plain).collect()
}
