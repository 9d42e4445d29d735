//! Experiments in bytes: a coordinator lists, configures and leads them.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use serde::de::Error as _;

use crate::exhibit::Exhibit;
use crate::experiment::{Experiment, Preset, SeriesClass, Step, SubjectTrial, TallyOf};
use crate::findings::{FindingBlock, Findings, RunHistory};
use crate::forecast::WorkPhase;
use crate::input::{InitialParts, MAX_INPUTS, NamedInput};
use crate::invalid_value::InvalidValue;
use crate::measure::Measure;
use crate::part::{Part, PartSet};
use crate::seed::GenerationSeed;
use crate::simulation::{Simulation, Work};
use crate::spec::{self, NamedFiles, SpecError, TextValue};
use crate::wire::{DecodeError, WireValue};

use super::plan::{AnyPlan, MissingPart, encode_plan};
use super::simulation::{AnySimulation, simulation};
use super::{EncodedBytes, decode_state, encode_state};

/// Returns `E` as the farm sees it: an entry of a [`Catalog`](super::Catalog).
#[must_use]
pub const fn erased<E: Experiment>() -> &'static dyn AnyExperiment {
    &ErasedExperiment::<E>(PhantomData)
}

/// An experiment without its types.
pub trait AnyExperiment: Send + Sync {
    /// Returns [`Experiment::NAME`].
    fn name(&self) -> &'static str;
    /// Returns [`Experiment::VERSION`].
    fn version(&self) -> u32;
    /// Returns [`Experiment::SUMMARY`].
    fn summary(&self) -> &'static str;
    /// Returns [`Experiment::PRESETS`].
    fn presets(&self) -> &'static [Preset];
    /// Returns [`Experiment::Simulation`], the only part of the experiment that a worker runs.
    fn simulation(&self) -> &'static dyn AnySimulation;
    /// Returns the JSON schema of the parameters.
    fn schema(&self) -> &'static serde_json::Value;
    /// Returns the experiment with the parameters of `document`, checked. `inputs` has the
    /// [files](spec::SpecDocument::files) that the document names.
    ///
    /// # Errors
    /// If a parameter is unknown, of the wrong type or out of range, if a file is missing or does
    /// not hold what its parameter takes, or if parameters contradict each other.
    fn configure_with(
        &self,
        document: &spec::SpecDocument,
        inputs: &PartSet,
    ) -> Result<Box<dyn ConfiguredExperiment>, SpecError>;
    /// Returns the experiment with the parameters of `document`, which names no files.
    ///
    /// # Errors
    /// As for [`configure_with`](Self::configure_with).
    fn configure(
        &self,
        document: &spec::SpecDocument,
    ) -> Result<Box<dyn ConfiguredExperiment>, SpecError> {
        self.configure_with(document, &PartSet::default())
    }
    /// Returns the experiment with stored parameters, the JSON of
    /// [`ConfiguredExperiment::canonical_params`]. `inputs` has the [files](stored_files) that the
    /// parameters name.
    ///
    /// # Errors
    /// If the JSON does not fit this experiment's parameters, a parameter is out of range, a file
    /// is missing, or parameters contradict each other.
    fn reopen(
        &self,
        canonical_params: &str,
        inputs: &PartSet,
    ) -> Result<Box<dyn ConfiguredExperiment>, ExperimentError>;
}

/// An experiment with its parameters: plans and folds.
pub trait ConfiguredExperiment: Send + Sync {
    /// Returns [`Experiment::Simulation`].
    fn simulation(&self) -> &'static dyn AnySimulation;
    /// Returns the parameters, defaults included, as JSON: equal parameters have equal text.
    fn canonical_params(&self) -> String;
    /// See [`Experiment::generations`].
    fn generations(&self) -> u32;
    /// See [`Experiment::phases`].
    fn phases(&self) -> Vec<WorkPhase>;
    /// Returns the files that the parameters name, and the [inputs](Experiment::inputs).
    ///
    /// # Errors
    /// If there are more than [`MAX_INPUTS`].
    fn inputs(&self) -> Result<Vec<NamedInput>, InvalidValue>;
    /// See [`Experiment::check_input`].
    ///
    /// # Errors
    /// If the run could not use the bytes.
    fn check_input(&self, input: &NamedInput, bytes: &[u8]) -> Result<(), InvalidValue>;
    /// See [`Experiment::warnings`].
    fn warnings(&self) -> Vec<String>;
    /// See [`Experiment::begin`]; `inputs` are the parts that the parameters name.
    ///
    /// # Errors
    /// If an input is not among `inputs`, or the run cannot begin with an input.
    fn begin(&self, seed: &GenerationSeed, inputs: &[Part]) -> Result<Beginning, InvalidValue>;
    /// Returns the [parts](Experiment::parts) that `state` names, and the files that the parameters
    /// name. The farm keeps these files for as long as the run.
    ///
    /// # Errors
    /// If `state` is malformed.
    fn parts(&self, state: &[u8]) -> Result<Vec<Part>, ExperimentError>;
    /// See [`Experiment::plan`].
    ///
    /// # Errors
    /// If `state` is malformed, or the plan is empty.
    fn plan(&self, state: &[u8]) -> Result<AnyPlan, ExperimentError>;
    /// Closes a generation: see [`Experiment::fold`]. `classes` are the classes of the plan's
    /// series, and `tallies` has a tally per series, both in plan order. Tallies are decoded once.
    ///
    /// # Errors
    /// If `state` or a tally is malformed, or if the numbers of tallies and series differ.
    fn close(
        &self,
        state: &[u8],
        classes: &[SeriesClass],
        tallies: &[EncodedBytes],
        seed: &GenerationSeed,
    ) -> Result<ClosedGeneration, ExperimentError>;
    /// See [`Experiment::measures`].
    ///
    /// # Errors
    /// If `state` is malformed.
    fn measures(&self, state: &[u8]) -> Result<Vec<Measure>, ExperimentError>;
    /// See [`Experiment::exhibits`]. A report also has the parameters of the run.
    ///
    /// # Errors
    /// If `state` is malformed.
    fn exhibits(&self, state: &[u8]) -> Result<Vec<Exhibit>, ExperimentError>;
    /// See [`Experiment::best_trial`].
    ///
    /// # Errors
    /// If a state is malformed.
    fn best_trial(
        &self,
        latest: &[u8],
        begun: &[u8],
    ) -> Result<Option<SubjectTrial>, ExperimentError>;
    /// See [`Experiment::findings`]. What was done also has the parameters of the run.
    ///
    /// # Errors
    /// If `state` is malformed.
    fn findings(
        &self,
        state: &[u8],
        history: &RunHistory<'_>,
    ) -> Result<Option<Findings>, ExperimentError>;
}

/// The state before generation 0, with the parts that were made for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// The state.
    pub state: EncodedBytes,
    /// The new parts.
    pub parts: PartSet,
    /// The parts that the state names: new parts, and inputs, whose bytes are elsewhere.
    pub named: Vec<Part>,
}

/// A generation that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedGeneration {
    /// The next state.
    pub step: Step<EncodedBytes>,
    /// The work of the trials, by the class of their series.
    pub work: BTreeMap<SeriesClass, Vec<Work>>,
    /// The parts that exist: the state before the generation or the tallies name them.
    pub known: Vec<Part>,
    /// The parts that the next state names; see [`ConfiguredExperiment::parts`].
    pub parts: Vec<Part>,
    /// The numbers of the generation; see [`Experiment::generation_measures`].
    pub measures: Vec<Measure>,
}

/// An error that keeps a run from being planned or folded.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// Bytes that are not a valid value.
    #[error(transparent)]
    Malformed(#[from] DecodeError),
    /// Parameters that contradict each other.
    #[error("parameters refused")]
    InvalidValue(#[from] InvalidValue),
    /// Stored parameters that this build cannot read.
    #[error("stored parameters are not readable by this build")]
    Params(#[source] serde_json::Error),
    /// A plan without subjects or trials.
    #[error("the plan has no trials for subject {subject} of {n_subjects}")]
    EmptyPlan {
        /// The first subject without trials; 0 if there are no subjects.
        subject: usize,
        /// The plan's number of subjects.
        n_subjects: usize,
    },
    /// A part that a plan names, but that does not exist.
    #[error(transparent)]
    MissingPart(#[from] MissingPart),
    /// A number of tallies that differs from the number of series.
    #[error("a fold got {n_tallies} tallies for {n_series} series")]
    WrongTallies {
        /// The number of tallies given.
        n_tallies: usize,
        /// The plan's number of series.
        n_series: usize,
    },
}

struct ErasedExperiment<E>(PhantomData<E>);

impl<E: Experiment> AnyExperiment for ErasedExperiment<E> {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn version(&self) -> u32 {
        E::VERSION
    }

    fn summary(&self) -> &'static str {
        E::SUMMARY
    }

    fn presets(&self) -> &'static [Preset] {
        E::PRESETS
    }

    fn simulation(&self) -> &'static dyn AnySimulation {
        simulation::<E::Simulation>()
    }

    fn schema(&self) -> &'static serde_json::Value {
        spec::schema_of::<E::Spec>()
    }

    fn configure_with(
        &self,
        document: &spec::SpecDocument,
        inputs: &PartSet,
    ) -> Result<Box<dyn ConfiguredExperiment>, SpecError> {
        let spec = document.params_with(self.schema(), inputs)?;
        let opened = OpenedSpec::<E>::new(spec, document.files(), inputs);
        Ok(Box::new(opened.map_err(|invalid| document.refused(&invalid))?))
    }

    fn reopen(
        &self,
        canonical_params: &str,
        inputs: &PartSet,
    ) -> Result<Box<dyn ConfiguredExperiment>, ExperimentError> {
        let json = serde_json::from_str(canonical_params).map_err(ExperimentError::Params)?;
        spec::walk::check_ranges(self.schema(), &json)?;
        let unread = |message| ExperimentError::Params(serde_json::Error::custom(message));
        let mut params = TextValue::from(json);
        let files = params.references();
        params.load(inputs).map_err(|(_, message)| unread(message))?;
        let spec = params.read().map_err(|error| unread(error.to_string()))?;
        Ok(Box::new(OpenedSpec::<E>::new(spec, files, inputs)?))
    }
}

/// Returns the files that stored parameters name.
///
/// # Errors
/// If the parameters are not JSON.
pub fn stored_files(canonical_params: &str) -> Result<Vec<NamedFiles>, ExperimentError> {
    // Few runs name files, and the parameters of many are read.
    match canonical_params.contains("\"blake3\"") {
        true => {
            let json: serde_json::Value =
                serde_json::from_str(canonical_params).map_err(ExperimentError::Params)?;
            Ok(TextValue::from(json).references())
        }
        false => Ok(Vec::new()),
    }
}

/// An experiment with checked parameters.
struct OpenedSpec<E: Experiment> {
    spec: E::Checked,
    /// The parameters as JSON.
    canonical: String,
    /// The files that the parameters name, as inputs and as parts.
    files: Vec<(NamedInput, Part)>,
}

impl<E: Experiment> OpenedSpec<E> {
    /// Returns the experiment with parameters that name `files`, which are among `inputs`.
    ///
    /// # Errors
    /// If parameters contradict each other.
    fn new(spec: E::Spec, files: Vec<NamedFiles>, inputs: &PartSet) -> Result<Self, InvalidValue> {
        let file = |files: NamedFiles| {
            let bytes = inputs.find(files.reference.hash())?;
            Some((files.input(), Part::of(&bytes)))
        };
        let files = files.into_iter().filter_map(file).collect();
        let canonical =
            serde_json::to_string(&spec).expect("parameters came from text, so they can be text");
        Ok(Self { spec: E::check(spec)?, canonical, files })
    }

    /// Adds the parameters of the run to what was done.
    fn add_parameters(&self, findings: &mut Findings) {
        let params = serde_json::from_str(&self.canonical).expect("it was made from parameters");
        findings.method.push(match spec::parameter_table(spec::schema_of::<E::Spec>(), &params) {
            Some(table) => FindingBlock::Table(table),
            None => FindingBlock::text("All parameters have their defaults."),
        });
    }

    /// Returns `parts` and the files.
    fn with_files(&self, mut parts: Vec<Part>) -> Vec<Part> {
        for (_, file) in &self.files {
            if !parts.contains(file) {
                parts.push(*file);
            }
        }
        parts
    }
}

impl<E: Experiment> ConfiguredExperiment for OpenedSpec<E> {
    fn simulation(&self) -> &'static dyn AnySimulation {
        simulation::<E::Simulation>()
    }

    fn canonical_params(&self) -> String {
        self.canonical.clone()
    }

    fn generations(&self) -> u32 {
        E::generations(&self.spec)
    }

    fn phases(&self) -> Vec<WorkPhase> {
        E::phases(&self.spec)
    }

    fn inputs(&self) -> Result<Vec<NamedInput>, InvalidValue> {
        let files = self.files.iter().map(|(input, _)| input.clone());
        let inputs: Vec<_> = files.chain(E::inputs(&self.spec)).collect();
        match inputs.get(MAX_INPUTS) {
            None => Ok(inputs),
            Some(input) => {
                let expected = format!("left out: a run has at most {MAX_INPUTS} inputs");
                Err(InvalidValue::new(&input.key, &input.value(), expected))
            }
        }
    }

    fn check_input(&self, input: &NamedInput, bytes: &[u8]) -> Result<(), InvalidValue> {
        match self.files.iter().any(|(file, _)| file == input) {
            // Its values were read with the parameters.
            true => Ok(()),
            false => E::check_input(&self.spec, input, bytes),
        }
    }

    fn warnings(&self) -> Vec<String> {
        E::warnings(&self.spec)
    }

    fn begin(&self, seed: &GenerationSeed, inputs: &[Part]) -> Result<Beginning, InvalidValue> {
        let is_given = |hash| inputs.iter().any(|part| part.hash() == hash);
        if let Some(input) = self.inputs()?.iter().find(|input| !is_given(input.hash)) {
            let expected = "the hash of an input that is given";
            return Err(InvalidValue::new(&input.key, &input.value(), expected));
        }
        let mut parts = InitialParts::new(inputs.to_vec());
        let state = E::begin(&self.spec, seed, &mut parts)?;
        let named = self.with_files(E::parts(&state));
        Ok(Beginning { state: encode_state(&state), parts: parts.into_made(), named })
    }

    fn parts(&self, state: &[u8]) -> Result<Vec<Part>, ExperimentError> {
        Ok(self.with_files(E::parts(&decode_state(state)?)))
    }

    fn plan(&self, state: &[u8]) -> Result<AnyPlan, ExperimentError> {
        let plan = encode_plan(&E::plan(&self.spec, &decode_state(state)?));
        let n_subjects = plan.series.len();
        let empty = plan.series.iter().position(|series| series.n_trials == 0);
        match empty.or_else(|| (n_subjects == 0).then_some(0)) {
            Some(subject) => Err(ExperimentError::EmptyPlan { subject, n_subjects }),
            None => Ok(plan),
        }
    }

    fn close(
        &self,
        state: &[u8],
        classes: &[SeriesClass],
        tallies: &[EncodedBytes],
        seed: &GenerationSeed,
    ) -> Result<ClosedGeneration, ExperimentError> {
        let begun: E::State = decode_state(state)?;
        let (n_tallies, n_series) = (tallies.len(), classes.len());
        if n_tallies != n_series {
            return Err(ExperimentError::WrongTallies { n_tallies, n_series });
        }
        let tallies = decode_tallies::<E>(tallies)?;
        let (mut work, mut known) = (BTreeMap::new(), self.with_files(E::parts(&begun)));
        for (class, tally) in classes.iter().zip(&tallies) {
            Work::add(work.entry(*class).or_default(), &E::Simulation::work(tally));
            tally.add_parts(&mut known);
        }
        let step = E::fold(&self.spec, begun, &tallies, seed);
        let (Step::Continue(next) | Step::Done(next)) = &step;
        let measures = E::generation_measures(&self.spec, &decode_state(state)?, &tallies, next);
        let parts = self.with_files(E::parts(next));
        let step = match &step {
            Step::Continue(next) => Step::Continue(encode_state(next)),
            Step::Done(last) => Step::Done(encode_state(last)),
        };
        Ok(ClosedGeneration { step, work, known, parts, measures })
    }

    fn measures(&self, state: &[u8]) -> Result<Vec<Measure>, ExperimentError> {
        Ok(E::measures(&self.spec, &decode_state(state)?))
    }

    fn exhibits(&self, state: &[u8]) -> Result<Vec<Exhibit>, ExperimentError> {
        let mut exhibits = E::exhibits(&self.spec, &decode_state(state)?);
        for exhibit in &mut exhibits {
            if let Some(mut findings) = exhibit.findings.take() {
                self.add_parameters(&mut findings);
                exhibit.content = findings.to_markdown().into();
            }
        }
        Ok(exhibits)
    }

    fn best_trial(
        &self,
        latest: &[u8],
        begun: &[u8],
    ) -> Result<Option<SubjectTrial>, ExperimentError> {
        Ok(E::best_trial(&self.spec, &decode_state(latest)?, &decode_state(begun)?))
    }

    fn findings(
        &self,
        state: &[u8],
        history: &RunHistory<'_>,
    ) -> Result<Option<Findings>, ExperimentError> {
        let mut findings = E::findings(&self.spec, &decode_state(state)?, history);
        if let Some(findings) = &mut findings {
            self.add_parameters(findings);
        }
        Ok(findings)
    }
}

fn decode_tallies<E: Experiment>(tallies: &[EncodedBytes]) -> Result<Vec<TallyOf<E>>, DecodeError> {
    tallies.iter().map(|tally| TallyOf::<E>::decode(tally)).collect()
}
