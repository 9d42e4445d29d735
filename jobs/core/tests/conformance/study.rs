//! A small experiment that keeps the contract, and its variants with a flaw.
//!
//! Some players roll dice for some rounds. The players' bonuses are the subjects, the number of
//! sides is the shared input.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use hatchery_core::scene::{
    SceneColor, SceneFrame, ScenePlace, SceneSpace, SceneSymbol, SceneThings, SymbolId,
    SymbolShape, ThingId, ThingPose,
};
use hatchery_core::{
    CostTrend, DataTable, Draws, Exhibit, Experiment, GenerationSeed, InitialParts,
    IntervalEstimate, InvalidValue, Measure, NamedInput, Part, PartInput, Plan, Preset, SceneBase,
    SceneSink, SceneWriter, Series, Simulation, Step, StreamRng, SubjectStreams, SubjectTrial,
    Tally, TrialContext, TrialRow, Work, WorkPhase,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wire::{Player, Rolls, Sides};

/// A flaw of the experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    TrialCounts,
    TrialRemembers,
    BlockLosesTrial,
    BatchMixesSubjects,
    AbsorbsMean,
    AddsBests,
    CountsOneTrial,
    HidesCount,
    WorkOfOne,
    UnitChanges,
    BeginCounts,
    PlanCounts,
    TooFewPhases,
    TooFewTrials,
    FoldCounts,
    ForgetsPlan,
    ForgetsMeasure,
    DecodesLess,
    DecodesPrefix,
    DecodesMore,
    DecodePanics,
    Endless,
    NoTrials,
    NoSeries,
    NanMeasure,
    CapitalMeasure,
    SameMeasures,
    WideEstimate,
    ParentExhibit,
    HiddenExhibit,
    SameExhibits,
    UntypedExhibit,
    LostExhibit,
    UntypedTable,
    MisnamedTable,
    OtherTable,
    ListsLaterTrial,
    ListsTrialTwice,
    ScattersTrials,
    UnlistedInput,
    MisnamedInput,
    ManyInputs,
    NoFrames,
    Unstoppable,
    ExportRemembers,
    NoScene,
    FlatSpace,
    SameSymbols,
    UnseenGlyph,
    UnknownSymbol,
    OutsideScene,
    MisnumberedFrame,
    NeedlessChange,
    OpenTable,
    IgnoresPulse,
    TallyHidesPart,
    StateHidesPart,
    WritesForNobody,
}

thread_local! {
    /// The experiment's flaw: another one in each thread, so in each test.
    static FLAW: Cell<Option<Flaw>> = const { Cell::new(None) };
    static LAST_BONUS: Cell<u32> = const { Cell::new(0) };
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

/// Gives the experiment the flaw `flaw`, in this thread.
pub(crate) fn flawed(flaw: Flaw) {
    FLAW.set(Some(flaw));
    CALLS.set(0);
}

pub(crate) fn has(flaw: Flaw) -> bool {
    FLAW.get() == Some(flaw)
}

/// A number that is another at each call of an experiment that has the flaw `counts`.
fn calls(counts: Flaw) -> u32 {
    match has(counts) {
        true => CALLS.replace(CALLS.get() + 1),
        false => 0,
    }
}

/// A spec of the experiment.
pub(crate) const SPEC: &str = "experiment = \"study\"
about = \"Dice\"
takes = \"no time\"
seed = 1

[params]
rolls = 10
rounds = 3
";

/// The experiment, with the presets `P`.
#[derive(Debug)]
pub(crate) struct Study<P>(PhantomData<P>);

/// The presets that ship with the experiment.
pub(crate) trait Presets: Send + Sync + 'static {
    const PRESETS: &'static [Preset];
}

/// What a person writes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = open_if_flawed)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spec {
    /// Rolls per player and round.
    #[schemars(range(min = 1, max = 1000))]
    rolls: u32,
    /// Rounds.
    #[schemars(range(min = 1, max = 10))]
    rounds: u32,
    /// The first page of each player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    page: Option<PartInput>,
    /// A remark of the person, which canonical parameters leave out.
    #[serde(rename = "note", default, skip_serializing)]
    #[schemars(length(min = 1))]
    _note: Option<String>,
}

fn open_if_flawed(schema: &mut schemars::Schema) {
    if has(Flaw::OpenTable) {
        schema.remove("additionalProperties");
    }
}

/// The rounds so far and the best roll of each player.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct State {
    round: u32,
    bests: Vec<u32>,
    /// What each player wrote last.
    pages: Vec<Part>,
    /// The memory that a flawed experiment does not write into its checkpoints.
    #[serde(skip)]
    forgotten: u32,
}

impl<P: Presets> Experiment for Study<P> {
    const NAME: &'static str = "study";
    const VERSION: u32 = 3;
    const SUMMARY: &'static str = "dice";
    const PRESETS: &'static [Preset] = P::PRESETS;

    type Simulation = Dice;
    type Spec = Spec;
    type Checked = Spec;
    type State = State;

    fn check(spec: Spec) -> Result<Spec, InvalidValue> {
        Ok(spec)
    }

    fn generations(spec: &Spec) -> u32 {
        spec.rounds
    }

    fn phases(spec: &Spec) -> Vec<WorkPhase> {
        let n_generations = spec.rounds - u32::from(has(Flaw::TooFewPhases));
        let most = u64::from(3 * spec.rolls - u32::from(has(Flaw::TooFewTrials)));
        vec![WorkPhase::new(n_generations, 0..=most, CostTrend::Steady)]
    }

    fn inputs(spec: &Spec) -> Vec<NamedInput> {
        let key = if has(Flaw::MisnamedInput) { "leaf" } else { "page" };
        let listed = spec.page.filter(|_| !has(Flaw::UnlistedInput));
        let n_times = if has(Flaw::ManyInputs) { 65 } else { 1 };
        listed.iter().flat_map(|page| (0..n_times).map(|_| page.named(key))).collect()
    }

    fn begin(
        spec: &Spec,
        _: &GenerationSeed,
        parts: &mut InitialParts,
    ) -> Result<State, InvalidValue> {
        let page = spec.page.filter(|_| !has(Flaw::UnlistedInput));
        let page = page.map(|page| parts.input(&page));
        let pages = (0..3_u8).map(|player| page.unwrap_or_else(|| parts.add(vec![player])));
        let pages = pages.collect();
        Ok(State { round: calls(Flaw::BeginCounts), bests: vec![0; 3], pages, forgotten: 0 })
    }

    fn parts(state: &State) -> Vec<Part> {
        state.pages[usize::from(has(Flaw::StateHidesPart))..].to_vec()
    }

    fn plan(spec: &Spec, state: &State) -> Plan<Dice> {
        let forgotten = if has(Flaw::ForgetsPlan) { state.forgotten } else { 0 };
        let n_trials = match FLAW.get() {
            Some(Flaw::NoTrials) => 0,
            _ => spec.rolls + calls(Flaw::PlanCounts) + forgotten,
        };
        let n_players = if has(Flaw::NoSeries) { 0 } else { 3 };
        let players = (0..n_players).zip(&state.pages);
        let series =
            players.map(|(bonus, page)| Series::new(Player { bonus, page: Some(*page) }, n_trials));
        Plan { shared: Sides { sides: 20 }, series: series.collect(), draws: Draws::PerSubject }
    }

    fn fold(spec: &Spec, mut state: State, tallies: &[Rolls], _: &GenerationSeed) -> Step<State> {
        let players = state.bests.iter_mut().zip(&mut state.pages);
        for ((best, page), tally) in players.zip(tallies) {
            *page = tally.pages.last().copied().unwrap_or(*page);
            *best = tally.best.max(*best) + calls(Flaw::FoldCounts);
        }
        state.round += 1;
        state.forgotten += 1;
        if spec.rounds <= state.round && !has(Flaw::Endless) {
            Step::Done(state)
        } else {
            Step::Continue(state)
        }
    }

    fn measures(_: &Spec, state: &State) -> Vec<Measure> {
        let best = f64::from(state.bests.iter().copied().max().unwrap_or(0));
        let nan = if has(Flaw::NanMeasure) { f64::NAN } else { 0.0 };
        let high = if has(Flaw::WideEstimate) { best - 1.0 } else { best + 1.0 };
        let estimate =
            IntervalEstimate { mean: best, low: best - 1.0, high, n: 3, confidence: 0.95 };
        let name = match FLAW.get() {
            Some(Flaw::CapitalMeasure) => "Best",
            Some(Flaw::SameMeasures) => "rounds",
            _ => "player-1/best",
        };
        let forgotten = if has(Flaw::ForgetsMeasure) { state.forgotten } else { 0 };
        let rounds = u64::from(state.round + forgotten);
        vec![
            Measure::new("rounds", "rounds", rounds),
            Measure::new(name, "pips", best + nan),
            Measure::new("mean", "pips", estimate),
        ]
    }

    fn exhibits(_: &Spec, state: &State) -> Vec<Exhibit> {
        let name = match FLAW.get() {
            Some(Flaw::ParentExhibit) => "../bests.txt",
            Some(Flaw::HiddenExhibit) => ".bests.txt",
            Some(Flaw::SameExhibits) => "ROUNDS.txt",
            Some(Flaw::UntypedTable) => "bests.csv",
            _ => "bests.txt",
        };
        let media_type = if has(Flaw::UntypedExhibit) { "text" } else { "text/plain" };
        let page = if has(Flaw::LostExhibit) { Part::of(b"lost") } else { state.pages[0] };
        let rounds = Exhibit::new("rounds.txt", "text/plain", state.round.to_string());
        let mut trials = trial_table(state.round);
        let table = trials.table.clone().filter(|_| has(Flaw::MisnamedTable));
        if has(Flaw::OtherTable) {
            trials.table = Some(DataTable::default());
        }
        vec![
            Exhibit::new("page.bin", "application/octet-stream", page),
            Exhibit { table, ..rounds },
            Exhibit::new(name, media_type, format!("{:?}", state.bests)),
            trials,
        ]
    }
}

/// Returns a table with the first trial of each player in each round so far.
fn trial_table(n_rounds: u32) -> Exhibit {
    let last = if has(Flaw::ListsLaterTrial) { n_rounds } else { n_rounds.saturating_sub(1) };
    let rounds = if n_rounds == 0 { 0..0 } else { 0..last + 1 };
    let names = ["first", "second", "third"];
    let rows = (0..).zip(names).flat_map(|(subject, name)| {
        rounds.clone().map(move |round| TrialRow {
            generation: if has(Flaw::ListsTrialTwice) { 0 } else { round },
            trial: SubjectTrial { subject, trial: 0 },
            subject: if has(Flaw::ScattersTrials) { names[round as usize % 3] } else { name },
            score: None,
            length: None,
        })
    });
    Exhibit::trials(rows)
}

/// The players' rolls.
#[derive(Debug)]
pub(crate) struct Dice;

impl Simulation for Dice {
    type Shared = Sides;
    type Subject = Player;
    type Tally = Rolls;

    /// Rolls, and writes the roll below what the player wrote before.
    fn trial(
        shared: &Sides,
        player: &Player,
        mut rng: StreamRng,
        context: &TrialContext<'_>,
    ) -> Rolls {
        while context.beat(0, 1).is_break() {
            if !has(Flaw::IgnoresPulse) || calls(Flaw::IgnoresPulse) % 2 == 1 {
                break;
            }
        }
        let mut roll = 1 + rng.below(shared.sides) + player.bonus;
        roll += calls(Flaw::TrialCounts);
        if has(Flaw::TrialRemembers) && player.bonus < LAST_BONUS.replace(player.bonus) {
            roll += 1;
        }
        let before = player.page.map_or(0, |page| context.read(&page)[0]);
        let page = context.write(vec![before, u8::try_from(roll).unwrap_or(u8::MAX)]);
        if has(Flaw::WritesForNobody) {
            context.write(&b"nobody reads this"[..]);
        }
        Rolls { rolls: vec![roll], best: roll, pages: vec![page], n_absorbed: 0 }
    }

    fn trials(
        shared: &Sides,
        batch: Vec<SubjectStreams<'_, Player>>,
        context: &TrialContext<'_>,
    ) -> Vec<Rolls> {
        let sum = |SubjectStreams { subject, streams }: SubjectStreams<'_, Player>| {
            let mut rolls = streams.map(|rng| Self::trial(shared, subject, rng, context));
            let mut sum = rolls.next().expect("a subject has at least one trial");
            for (later, trial) in rolls.zip(1..) {
                if !has(Flaw::BlockLosesTrial) || trial != 4 {
                    sum.absorb(later);
                }
            }
            sum
        };
        let n_subjects = batch.len();
        let mut sums: Vec<_> = batch.into_iter().map(sum).collect();
        if has(Flaw::BatchMixesSubjects) && 1 < n_subjects {
            sums.rotate_left(1);
        }
        sums
    }

    fn work(tally: &Rolls) -> Vec<Work> {
        let n_rolls = tally.rolls.len() as u64;
        let count = if has(Flaw::WorkOfOne) { 1 } else { n_rolls };
        let unit = if has(Flaw::UnitChanges) && n_rolls == 1 { "roll" } else { "rolls" };
        vec![Work::new(unit, count)]
    }

    /// Shows the die on a line of numbers.
    fn replay(
        shared: &Sides,
        player: &Player,
        rng: StreamRng,
        context: &TrialContext<'_>,
        sink: &mut dyn SceneSink,
    ) -> ControlFlow<()> {
        let roll = Self::trial(shared, player, rng, context).best;
        let place = ScenePlace::new(i32::try_from(roll).unwrap_or(i32::MAX), 0);
        let place = if has(Flaw::OutsideScene) { ScenePlace::new(-1, 0) } else { place };
        let symbol = SymbolId(if has(Flaw::UnknownSymbol) { 2 } else { 0 });
        let die = (ThingId(0), ThingPose::at(symbol, place));
        match FLAW.get() {
            Some(Flaw::NoFrames) => return ControlFlow::Continue(()),
            Some(Flaw::NoScene) => {
                return sink.frame(SceneFrame {
                    number: 1,
                    caption: format!("it is a {roll}"),
                    changes: Vec::new(),
                });
            }
            _ => {}
        }
        let mut scene = SceneWriter::begin(sink, &base())?;
        match FLAW.get() {
            Some(Flaw::Unstoppable) => drop(scene.say("the die rolls")),
            _ => scene.say("the die rolls")?,
        }
        let things = SceneThings::from_iter([die]);
        scene.show(format!("it is a {roll}"), things.clone())?;
        let number = if has(Flaw::MisnumberedFrame) { 4 } else { 3 };
        let changes = match has(Flaw::NeedlessChange) {
            true => things.changes_since(&SceneThings::new()),
            false => Vec::new(),
        };
        sink.frame(SceneFrame { number, caption: "that is all".to_owned(), changes })
    }

    /// Writes the roll.
    fn export(
        shared: &Sides,
        player: &Player,
        rng: StreamRng,
        context: &TrialContext<'_>,
    ) -> Option<String> {
        let roll = Self::trial(shared, player, rng, context).best;
        Some(format!("{roll} {}", calls(Flaw::ExportRemembers)))
    }
}

/// Returns a line of numbers.
fn base() -> SceneBase {
    let columns = if has(Flaw::FlatSpace) { 0 } else { 100 };
    let space = SceneSpace::Grid { columns, rows: 1, margin: 0 };
    let glyph = if has(Flaw::UnseenGlyph) { "\u{1b}" } else { "o" };
    let name = if has(Flaw::SameSymbols) { "cup" } else { "die" };
    let symbol = |name, glyph| SceneSymbol::new(name, glyph, SceneColor::White, SymbolShape::Cell);
    SceneBase::new(space, vec![symbol(name, glyph), symbol("cup", "u")])
}
