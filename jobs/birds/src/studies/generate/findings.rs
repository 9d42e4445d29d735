//! The findings: levels as pictures, their numbers by kind, and how much they differ.

use hatchery_core::findings::{
    FindingBlock, FindingCard, FindingSection, KeyFact, RichText, words,
};
use hatchery_core::text::{counted, grouped, rounded};
use hatchery_core::{DataTable, Findings};

use super::spec::{GenerateSpec, LevelKindParam};
use super::state::{GenerateState, MAX_FILES, MadeLevel, made_levels};
use crate::evolution::fitness::PigTerm;
use crate::level::metrics::{ExpressiveRange, LevelMetrics, OccupiedCells, mean_distance};
use crate::studies::StoredResults;
use crate::studies::level_sheet::{MAX_CARDS, level_picture};
use crate::studies::mean_estimate::MeanEstimate;
use crate::trial::results::{EvolutionRecord, LevelResult};

/// The most levels whose differences are averaged: there are half a million pairs of a thousand.
const MAX_COMPARED: usize = 300;

/// Returns the findings.
pub(super) fn findings(spec: &GenerateSpec, state: &GenerateState) -> Findings {
    let levels = made_levels(spec, state);
    let mut sections = Vec::new();
    if !state.kinds.is_empty() {
        sections.push(kinds(spec, state, &levels));
        sections.push(pictures(spec, &levels));
        sections.push(variety(&levels));
    }
    let n_wanted: u64 = spec.kinds.iter().map(|kind| u64::from(kind.levels)).sum();
    let of_kinds = counted(spec.kinds.len(), "kind");
    let title = format!("{} of {of_kinds}", counted(n_wanted, "Angry Birds level"));
    Findings {
        title: title.into(),
        summary: finding(spec, state),
        key_facts: key_facts(spec, state, &levels),
        sections,
        method: method(&levels),
    }
}

/// Returns the number of levels that have the wanted number of pigs, and the number of levels that
/// could have it.
fn near_pigs(spec: &GenerateSpec, state: &GenerateState) -> [u64; 2] {
    let kinds = spec.kinds.iter().zip(&state.kinds);
    let wanted = kinds.filter(|(kind, _)| kind.pig_term == PigTerm::Proposed);
    let near = wanted.flat_map(|(kind, results)| {
        let is_near = |it: &LevelResult| (f64::from(it.pigs) - kind.pigs).abs() <= 0.5;
        results.trials().iter().map(is_near)
    });
    near.fold([0, 0], |[near, all], it| [near + u64::from(it), all + 1])
}

fn finding(spec: &GenerateSpec, state: &GenerateState) -> RichText {
    if state.kinds.is_empty() {
        return "No levels have been made yet.".into();
    }
    let (mut words, mut subject) = (RichText::default(), "The");
    let [near, all] = near_pigs(spec, state);
    if all != 0 {
        words = words
            .strong(format!(
                "{} of {} levels have the wanted number of pigs",
                grouped(near),
                grouped(all)
            ))
            .plain(" to within 1/2.");
        subject = " Their";
    }
    let trials = state.kinds.iter().flat_map(|results| results.trials());
    let speeds: Vec<f64> = trials.map(|it| it.settled.mean_speed()).collect();
    match MeanEstimate::of_sizes(&speeds) {
        Some(speed) => words
            .plain(format!("{subject} mean speed as they settle is "))
            .join(speed.text(4))
            .plain(", where 0 stands still."),
        None => words,
    }
}

fn key_facts(spec: &GenerateSpec, state: &GenerateState, levels: &[MadeLevel<'_>]) -> Vec<KeyFact> {
    let pigs = match near_pigs(spec, state) {
        [_, 0] => None,
        [near, all] => Some(KeyFact {
            name: "Pigs as wanted".to_owned(),
            value: words::of_all(near, all),
            note: "to within 1/2".to_owned(),
        }),
    };
    let difference = distance(levels).map(|(distance, n)| KeyFact {
        name: "Difference of two levels".to_owned(),
        value: words::percent(distance, 1),
        note: format!("Jaccard distance, mean of {}", counted(n, "level")),
    });
    pigs.into_iter().chain(difference).collect()
}

/// Returns the mean distance of two levels, and the number of levels compared.
fn distance(levels: &[MadeLevel<'_>]) -> Option<(f64, usize)> {
    let cells: Vec<OccupiedCells> =
        levels.iter().take(MAX_COMPARED).map(|made| OccupiedCells::of(made.level)).collect();
    Some((mean_distance(&cells)?, cells.len()))
}

fn kinds(spec: &GenerateSpec, state: &GenerateState, levels: &[MadeLevel<'_>]) -> FindingSection {
    let rows: Vec<_> = spec.kinds.iter().zip(&state.kinds).collect();
    let pigs = |kind: &LevelKindParam| match kind.pig_term {
        PigTerm::Proposed => kind.pigs.to_string(),
        PigTerm::Conventional => "many".to_owned(),
    };
    let mean = |results: &StoredResults, of: &dyn Fn(&LevelResult) -> Option<f64>| {
        MeanEstimate::of_sizes(&results.trials().iter().filter_map(of).collect::<Vec<f64>>())
    };
    let evolution = |results: &StoredResults, of: fn(&EvolutionRecord) -> u32| {
        mean(results, &|result| Some(of(result.evolution.as_ref()?).into()))
    };
    let table = DataTable::on_page(&rows)
        .text("kind", |(kind, _)| &kind.name)
        .words("wanted pigs", |(kind, _)| pigs(kind))
        .words("wanted blocks", |(kind, _)| kind.blocks.to_string())
        .count("levels", |(_, results)| results.trials().len())
        .estimate("fitness", 3, |(_, results)| mean(results, &LevelResult::fitness))
        .estimate("pigs", 2, |(_, results)| mean(results, &|it| Some(it.pigs.into())))
        .estimate("blocks", 1, |(_, results)| mean(results, &|it| Some(it.blocks.into())))
        .estimate("mean speed", 4, |(_, it)| mean(it, &|it| Some(it.settled.mean_speed())))
        .estimate("generations", 0, |(_, it)| evolution(it, |it| it.generations))
        .estimate("evaluations", 0, |(_, it)| evolution(it, |it| it.evaluations));
    let caption = "Means over levels, with 95 % intervals. Fitness is minimized.";
    let mut blocks = vec![table.block(caption)];
    let n_empty = levels.iter().filter(|made| made.result.fitness().is_none()).count();
    if n_empty != 0 {
        let n = grouped(n_empty);
        blocks.push(FindingBlock::text(format!("Empty levels, whose fitness is infinite: {n}.")));
    }
    FindingSection::new("Kinds of levels", blocks)
}

/// Shows the first levels per kind.
fn pictures(spec: &GenerateSpec, levels: &[MadeLevel<'_>]) -> FindingSection {
    let each = (MAX_CARDS / spec.kinds.len().max(1)).max(1);
    let of_kind = |kind: &LevelKindParam| {
        let name = kind.name.clone();
        levels.iter().filter(move |made| made.kind == name).take(each)
    };
    let shown = spec.kinds.iter().flat_map(of_kind).take(MAX_CARDS);
    let card = |made: &MadeLevel<'_>| {
        let LevelResult { pigs, blocks, .. } = made.result;
        let fitness = made.result.fitness().map(|it| format!(", fitness {}", rounded(it, 3)));
        let pigs = counted(*pigs, "pig");
        let blocks = counted(*blocks, "block");
        FindingCard {
            title: made.name.clone(),
            note: format!("{pigs}, {blocks}{}", fitness.unwrap_or_default()).into(),
            verdict: None,
            pictures: vec![level_picture(&made.name, made.level)],
        }
    };
    let cards: Vec<_> = shown.map(card).collect();
    let words = match cards.len() == levels.len() {
        true => RichText::new("All levels."),
        false => RichText::new(format!(
            "The first levels of each kind, {} of {}; ",
            cards.len(),
            grouped(levels.len())
        ))
        .code("sheet.svg")
        .plain(" shows more."),
    };
    FindingSection::new("Levels", vec![FindingBlock::Text(words), FindingBlock::Cards(cards)])
}

fn variety(levels: &[MadeLevel<'_>]) -> FindingSection {
    let metrics: Vec<LevelMetrics> =
        levels.iter().map(|made| LevelMetrics::of(made.level)).collect();
    let all = |of: fn(&LevelMetrics) -> f64| metrics.iter().map(of).collect::<Vec<f64>>();
    let linearity = metrics.iter().filter_map(|it| it.linearity).collect();
    let rows = [
        ("linearity (R\u{b2} of the objects' centers)", linearity),
        ("density (share of the level's area, the ground's width by 11.58)", all(|it| it.density)),
        ("entropy of block shapes, bits", all(LevelMetrics::shape_entropy)),
        ("height, units of the level", all(|it| it.height)),
        ("width, units of the level", all(|it| it.width)),
    ];
    let table = DataTable::on_page(&rows).text("number", |(name, _)| *name).estimate(
        "mean over levels",
        3,
        |(_, values)| MeanEstimate::of_sizes(values),
    );
    let caption = "The expressive range of the generator: how many levels have each linearity and \
                   density (Smith & Whitehead, 2010). The more cells are colored, the more the \
                   levels differ.";
    let picture = ExpressiveRange::of(&metrics).picture();
    let mut blocks =
        vec![FindingBlock::figure("expressive-range", picture, caption), table.block("")];
    blocks.extend(distance(levels).map(|(distance, n)| {
        FindingBlock::text(format!(
            "Two of {} differ by {} % on average: the share of the cells of 0.22 occupied by \
             either that only one of them occupies (Jaccard distance).",
            counted(n, "level"),
            rounded(100.0 * distance, 1)
        ))
    }));
    FindingSection::new("Variety", blocks)
}

fn method(levels: &[MadeLevel<'_>]) -> Vec<FindingBlock> {
    let about = "Each level is the best of a genetic algorithm of its own. Its fitness is the mean \
                 speed of blocks and pigs before the first bird, and how far the numbers of blocks \
                 and pigs are from the wanted ones. A level always settles in the same way, so \
                 there is no chance in the fitness of the best. Intervals are of means over levels \
                 and hold with 95 %.";
    let files = match levels.len() <= MAX_FILES {
        true => RichText::new("Levels are level files of Science Birds, "),
        false => RichText::new(format!(
            "The first {MAX_FILES} of {} are level files of Science Birds, ",
            counted(levels.len(), "level")
        )),
    };
    let files = files
        .code("level-01.xml")
        .plain(" and so on; ")
        .code("levels.toml")
        .plain(" has the text of as many as fit in a spec, ")
        .code("levels.csv")
        .plain(" the numbers of all.");
    vec![FindingBlock::text(about), FindingBlock::Text(files)]
}
