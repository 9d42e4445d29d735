//! A spec file or a preset, read and checked.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use hatchery_catalog::CATALOG;
use hatchery_core::erased::ConfiguredExperiment;
use hatchery_core::spec::{Document, Head, MAX_SPEC_BYTES};
use hatchery_core::{AnyExperiment, RunSeed};

use crate::failure::Failure;

/// A spec that was read and found valid.
pub(super) struct OpenedSpec {
    pub(super) document: Document,
    pub(super) head: Head,
    pub(super) experiment: &'static dyn AnyExperiment,
    pub(super) procedure: Box<dyn ConfiguredExperiment>,
    /// The state before the first generation.
    pub(super) state: Vec<u8>,
}

impl OpenedSpec {
    /// The spec that `name` names, with the assignments `set` made.
    pub(super) fn open(name: &str, set: &[String]) -> Result<Self, Failure> {
        let mut document = load(name)?;
        for assignment in set {
            document = document.set(assignment).map_err(Failure::Spec)?;
        }
        let head = document.head().map_err(Failure::Spec)?;
        let Some(experiment) = CATALOG.find(&head.experiment) else {
            let known: Vec<_> = CATALOG.0.iter().map(|experiment| experiment.name()).collect();
            let message = format!(
                "experiment = {:?}, but must be one of {}",
                head.experiment,
                known.join(", ")
            );
            return Err(Failure::Spec(document.wrong(&["experiment"], &message)));
        };
        let procedure = experiment.configure(&document).map_err(Failure::Spec)?;
        // What the parameters contradict each other in shows when the run begins.
        let seed = RunSeed::new(&head.experiment, head.seed).generation(0);
        let refused = |refusal| Failure::Spec(document.refused(&refusal));
        let state = procedure.begin(&seed).map_err(refused)?;
        Ok(Self { document, head, experiment, procedure, state })
    }
}

/// The spec in the file, or of the preset, that `name` names. A file wins: a preset's name with
/// `./` before it is always a file.
fn load(name: &str) -> Result<Document, Failure> {
    let path = Path::new(name);
    let looks_like_file = path.extension().is_some() || path.exists();
    if let (false, Some(preset)) = (looks_like_file, CATALOG.preset(name)) {
        return Document::parse(name, preset.text.as_bytes()).map_err(Failure::Spec);
    }
    match read_at_most(path, MAX_SPEC_BYTES) {
        Ok(bytes) => Document::parse(name, &bytes).map_err(Failure::Spec),
        Err(source) if looks_like_file => {
            Err(Failure::File { path: path.to_owned(), act: "read", source })
        }
        Err(_) => {
            let known: Vec<_> = CATALOG.preset_paths().collect();
            Err(Failure::Usage(format!(
                "{name:?} is neither a file nor a preset; the presets are {}",
                known.join(", ")
            )))
        }
    }
}

/// The bytes of a file, at most one more than `most`: whoever refuses longer ones sees that it is
/// longer, and a device without end does no harm.
fn read_at_most(path: &Path, most: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A name for the run: the preset's, or the file's without its ending.
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
