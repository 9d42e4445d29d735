//! The experiment `catan-balance`.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod control;
mod looks;
mod refusals;
mod shows;
mod trials;
mod wire;

use hatchery_catan::CatanBalance;
use hatchery_catan::studies::specs::BalanceState;
use hatchery_core::spec::SpecDocument;
use hatchery_core::{Exhibit, Measure, MeasureValue, erased, reference};

/// Four random players, the pool of every spec here.
const POOL: &str = "pool = { agent = { kind = 'random' } }";

/// The output of a run.
struct RunOutput {
    states: Vec<BalanceState>,
    measures: Vec<Measure>,
    exhibits: Vec<Exhibit>,
}

impl RunOutput {
    fn last(&self) -> &BalanceState {
        self.states.last().expect("a run has a state")
    }

    /// Returns the point estimate of a measure.
    fn measure(&self, name: &str) -> f64 {
        let found = self.measures.iter().find(|measure| measure.name == name);
        found.unwrap_or_else(|| panic!("{name} in {:?}", self.measures)).value.point()
    }

    /// Returns the lower end of a measure's interval.
    fn lower_end(&self, name: &str) -> f64 {
        let found = self.measures.iter().find(|measure| measure.name == name);
        match found.unwrap_or_else(|| panic!("{name} in {:?}", self.measures)).value {
            MeasureValue::Estimate(estimate) => estimate.low,
            other => panic!("{other:?} has no interval"),
        }
    }

    fn exhibit(&self, name: &str) -> &str {
        let found = self.exhibits.iter().find(|exhibit| exhibit.name == name);
        let content = &found.unwrap_or_else(|| panic!("no {name}")).content;
        str::from_utf8(content.bytes().unwrap()).unwrap()
    }
}

/// Returns a spec with these parameters; [`POOL`] plays unless they name a pool.
fn spec(params: &str) -> String {
    let pool = if params.contains("pool") { "" } else { POOL };
    format!("experiment = 'catan-balance'\nseed = 1\n[params]\n{params}\n{pool}\n")
}

/// Runs a spec with these parameters.
fn run(params: &str) -> RunOutput {
    let document = SpecDocument::parse("test", spec(params).as_bytes()).unwrap();
    let experiment = erased::<CatanBalance>();
    let procedure = experiment.configure(&document).unwrap();
    let outcome = reference::run(experiment, procedure.as_ref(), 1).unwrap();
    let states: Vec<BalanceState> =
        outcome.states.iter().map(|bytes| postcard::from_bytes(bytes).unwrap()).collect();
    let exhibits = procedure.exhibits(outcome.states.last().unwrap()).unwrap();
    RunOutput { states, measures: outcome.measures().to_vec(), exhibits }
}
