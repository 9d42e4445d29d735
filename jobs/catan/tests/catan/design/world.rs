//! Worlds that fix the true win rates of every map, so that the findings of a run can be compared
//! with the truth.

use hatchery_catan::players::Agent;
use hatchery_catan::studies::specs::{CheckedDesign, DesignSpec, DesignState};
use hatchery_catan::trial::results::{GameResults, GameTally, TurnTotals};
use hatchery_catan::{CatanDesign, Map};
use hatchery_core::spec::{SpecDocument, schema_of};
use hatchery_core::{
    Exhibit, Experiment, GenerationSeed, InitialParts, Measure, RunSeed, Step, StreamRng,
};

/// The win rates of a map's seats, which add up to at most 1; the rest are undecided games.
pub(crate) type Rates = fn(&Map) -> [f64; 4];

/// The output of a run.
pub(crate) struct RunOutput {
    /// The maps and games of every generation.
    pub(crate) plans: Vec<Vec<(Map, u32)>>,
    pub(crate) measures: Vec<Measure>,
    pub(crate) exhibits: Vec<Exhibit>,
}

impl RunOutput {
    /// Returns the point estimate of a measure.
    pub(crate) fn measure(&self, name: &str) -> f64 {
        let found = self.measures.iter().find(|measure| measure.name == name);
        found.unwrap_or_else(|| panic!("{name} in {:?}", self.measures)).value.point()
    }

    pub(crate) fn exhibit(&self, name: &str) -> &str {
        let found = self.exhibits.iter().find(|exhibit| exhibit.name == name);
        let content = &found.unwrap_or_else(|| panic!("no {name}")).content;
        str::from_utf8(content.bytes().unwrap()).unwrap()
    }

    /// Returns the fields of a table's column.
    pub(crate) fn column(&self, table: &str, name: &str) -> Vec<&str> {
        let mut lines = self.exhibit(table).lines();
        let head: Vec<&str> = lines.next().unwrap().split(',').collect();
        let idx = head.iter().position(|field| *field == name).unwrap();
        lines.map(|line| line.split(',').nth(idx).unwrap()).collect()
    }
}

/// Returns the spec with these parameters.
pub(crate) fn spec(params: &str) -> DesignSpec {
    let text = format!(
        "experiment = 'catan-design'\nseed = 1\n[params]\nagent = {{ kind = 'random' }}\n{params}\n"
    );
    let document = SpecDocument::parse("test", text.as_bytes()).unwrap();
    document.params(schema_of::<DesignSpec>()).unwrap()
}

/// Runs `params` in the world of `rates`.
pub(crate) fn run(params: &str, rates: Rates) -> RunOutput {
    run_for_agents(params, |map, _| rates(map))
}

/// Runs `params` in the world where four copies of an agent have these `rates` on a map.
pub(crate) fn run_for_agents(params: &str, rates: impl Fn(&Map, &Agent) -> [f64; 4]) -> RunOutput {
    let spec = CatanDesign::check(spec(params)).unwrap();
    let seed = RunSeed::new("world", 1);
    let mut state =
        CatanDesign::begin(&spec, &seed.generation(0), &mut InitialParts::default()).unwrap();
    let mut plans = Vec::new();
    for number in 0..CatanDesign::generations(&spec) {
        let generation = seed.generation(number);
        let series = CatanDesign::plan(&spec, &state).series;
        let plan: Vec<_> = series.iter().map(|one| (one.subject.map, one.n_trials)).collect();
        let of_series = series.iter().map(|one| rates(&one.subject.map, &one.subject.seats[0]));
        let tallies = play(&plan, of_series, &generation);
        plans.push(plan);
        // Measures and exhibits of unfinished runs must not panic.
        shows(&spec, &state);
        match CatanDesign::fold(&spec, state, &tallies, &generation) {
            Step::Continue(next) => state = next,
            Step::Done(last) => {
                let (measures, exhibits) = shows(&spec, &last);
                return RunOutput { plans, measures, exhibits };
            }
        }
    }
    panic!("the run does not end")
}

fn shows(spec: &CheckedDesign, state: &DesignState) -> (Vec<Measure>, Vec<Exhibit>) {
    (CatanDesign::measures(spec, state), CatanDesign::exhibits(spec, state))
}

/// Returns the standard deviation of a map's true rates, in percentage points.
pub(crate) fn sigma(rates: [f64; 4]) -> f64 {
    let variance = rates.map(|rate| (rate - 0.25) * (rate - 0.25)).iter().sum::<f64>() / 4.0;
    100.0 * variance.sqrt()
}

fn play(
    plan: &[(Map, u32)],
    rates: impl Iterator<Item = [f64; 4]>,
    seed: &GenerationSeed,
) -> Vec<GameTally> {
    let series = plan.iter().zip(rates).enumerate();
    let tallies = series.map(|(idx, ((_, n), rates))| GameTally {
        results: results(rates, *n, &mut seed.stream(&format!("map {idx}"))),
        outcomes: Vec::new(),
    });
    tallies.collect()
}

fn results(rates: [f64; 4], n: u32, rng: &mut StreamRng) -> GameResults {
    let turns = TurnTotals { sum: u64::from(n), sum_of_squares: u64::from(n), longest: 1 };
    let mut results = GameResults { games: u64::from(n), wins: [0; 4], turns };
    for _ in 0..n {
        let mut left = rng.unit_f64();
        let winner = rates.iter().position(|rate| {
            left -= rate;
            left < 0.0
        });
        if let Some(seat) = winner {
            results.wins[seat] += 1;
        }
    }
    results
}
