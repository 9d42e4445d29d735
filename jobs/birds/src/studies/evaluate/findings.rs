//! The findings: which levels fit whom, how often players clear them, and how they are built.

use hatchery_core::findings::{
    CardVerdict, FindingBlock, FindingCard, FindingSection, KeyFact, RichText, VerdictKind, words,
};
use hatchery_core::text::{counted, grouped, joined};
use hatchery_core::{DataTable, Findings};
use hatchery_figures::{ForestChart, ForestRow, Quantity};

use super::LevelEvaluation;
use super::cells::{EvaluatedLevels, PlayoutTotals, is_solved};
use super::fit::LevelFit;
use super::fit_section::{fit_section, fits_of, n_judged, percents};
use crate::studies::level_sheet::{MAX_CARDS, level_picture};
use crate::trial::results::{LevelResult, PlayRecord};

/// Returns the findings.
pub(super) fn findings(checked: &LevelEvaluation, evaluated: &EvaluatedLevels<'_>) -> Findings {
    let levels = counted(evaluated.levels.len(), "Angry Birds level");
    let players = counted(evaluated.players.len(), "player");
    let mut sections = Vec::new();
    if has_plays(evaluated) {
        let target = checked.spec.target();
        sections.push(fit_section(evaluated, target));
        sections.extend([players_section(evaluated), levels_section(evaluated, target)]);
    }
    Findings {
        title: format!("The difficulty of {levels} for {players}").into(),
        summary: finding(evaluated, checked.spec.target()),
        key_facts: key_facts(evaluated),
        sections,
        method: method(checked),
    }
}

fn has_plays(evaluated: &EvaluatedLevels<'_>) -> bool {
    evaluated.settled(0).is_some()
}

fn n_solved(evaluated: &EvaluatedLevels<'_>) -> usize {
    (0..evaluated.levels.len()).filter(|&level| is_solved(evaluated, level)).count()
}

fn finding(evaluated: &EvaluatedLevels<'_>, target: [f64; 2]) -> RichText {
    if !has_plays(evaluated) {
        return "No level has been played yet.".into();
    }
    let players = evaluated.by_player();
    if players.iter().all(|(_, plays)| plays.trials == 0) {
        return "No level has a pig at the first bird, so that there is nothing to clear. The table \
                says how stable the levels are."
            .into();
    }
    let ends = match &players[..] {
        [] => Vec::new(),
        [only] => vec![(0, only)],
        [first, .., last] => vec![(0, first), (players.len() - 1, last)],
    };
    let mut words = RichText::default();
    for (number, (player, plays)) in ends {
        let Some(rate) = plays.clear_rate() else { continue };
        let join = if words.is_empty() { "" } else { " " };
        words = words.plain(join).join(fits_of(evaluated, (number, player), target));
        words = words.plain(format!(" The player {player} clears "));
        words = words.join(RichText::percent(rate)).plain(" of play-outs.");
    }
    let join = if words.is_empty() { "" } else { " " };
    let n_left_out = evaluated.levels.len() - n_judged(evaluated);
    let left_out = match n_left_out {
        0 => String::new(),
        n => format!(" Not judged: {}, as no pig is there at the first bird.", counted(n, "level")),
    };
    words.plain(format!(
        "{join}A level fits a player that clears it in {} of play-outs.{left_out}",
        percents(target)
    ))
}

fn key_facts(evaluated: &EvaluatedLevels<'_>) -> Vec<KeyFact> {
    if !has_plays(evaluated) {
        return Vec::new();
    }
    let playouts: u64 = evaluated.by_player().iter().map(|(_, plays)| plays.trials).sum();
    let solved = KeyFact {
        name: "Levels ever cleared".to_owned(),
        value: format!("{} of {}", n_solved(evaluated), evaluated.levels.len()),
        note: "at least once, by any player".to_owned(),
    };
    let playouts = KeyFact {
        name: "Play-outs".to_owned(),
        value: grouped(playouts),
        note: "of levels with a pig at the first bird".to_owned(),
    };
    vec![solved, playouts]
}

fn players_section(evaluated: &EvaluatedLevels<'_>) -> FindingSection {
    let players = evaluated.by_player();
    let chart = ForestChart {
        title: "Share of play-outs that clear their level (95 % intervals)".to_owned(),
        x_label: "play-outs that clear the level, %".to_owned(),
        x_shown: vec![0.0, 100.0],
        reference: None,
        rows: players
            .iter()
            .filter_map(|(player, plays)| {
                let quantity = Quantity::from(plays.clear_rate()?).scaled(100.0);
                Some(ForestRow { name: (*player).to_owned(), quantity })
            })
            .collect(),
    };
    let caption = "The share of play-outs of all levels that each player clears, with Wilson's \
                   interval of 95 %. The intervals are those of these levels, not of others like \
                   them.";
    let table = DataTable::on_page(&players)
        .text("player", |(player, _)| *player)
        .count("play-outs", |(_, plays)| plays.trials)
        .share("cleared", 1, |(_, plays)| plays.clear_rate())
        .estimate("birds used", 2, |(_, plays)| plays.birds_used())
        .estimate("pigs killed", 2, |(_, plays)| plays.pigs_killed());
    let about = "Means per play-out. Play-outs of levels whose pigs are all gone before the first \
                 bird are not counted.";
    FindingSection::new(
        "Players",
        vec![FindingBlock::figure("clear-rates", chart.picture(), caption), table.block(about)],
    )
}

fn levels_section(evaluated: &EvaluatedLevels<'_>, target: [f64; 2]) -> FindingSection {
    let about = "Cleared: whether any play-out has cleared the level. Pigs at first are those that \
                 are left when the level has settled. Mean speed is that of blocks and pigs before \
                 the first bird, of which one that is gone counts as 1; a level that stands has \
                 some 0.02 as it settles. Moved is the share that is gone then, or more than 0.25 \
                 away; a stack may sink by a tenth of its height.";
    let levels = (0..evaluated.levels.len())
        .filter_map(|level| Some((level, evaluated.settled(level)?)))
        .collect::<Vec<_>>();
    let moved = |it: &LevelResult| it.share(it.settled.moved).unwrap_or(0.0);
    let table = DataTable::on_page(&levels)
        .text("level", |(level, _)| &evaluated.levels[*level].name)
        .count("blocks", |(_, it)| it.blocks)
        .count("pigs", |(_, it)| it.pigs)
        .count("pigs at first", |(_, it)| it.settled.pigs_left)
        .number("mean speed", 4, |(_, it)| it.settled.mean_speed())
        .words("moved", |(_, it)| words::percent(moved(it), 0))
        .text("ever cleared", |(level, _)| ever_cleared(evaluated, *level));
    let n = evaluated.levels.len();
    let cards = (0..n.min(MAX_CARDS)).filter_map(|level| level_card(evaluated, level, target));
    let cards = cards.collect();
    let mut blocks = vec![FindingBlock::Cards(cards)];
    if MAX_CARDS < n {
        let words =
            RichText::new(format!("These are the first {MAX_CARDS} of {}; ", counted(n, "level")));
        blocks.push(FindingBlock::Text(words.code("sheet.svg").plain(" shows more.")));
    }
    blocks.push(table.block(about));
    FindingSection::new("Levels", blocks)
}

fn plays_of<'a>(
    evaluated: &'a EvaluatedLevels<'_>,
    level: usize,
) -> impl Iterator<Item = (&'a str, PlayoutTotals)> {
    let n = evaluated.players.len();
    let cells = evaluated.cells().skip(n * level).take(n);
    cells.map(|cell| (cell.player, cell.plays))
}

fn level_card(
    evaluated: &EvaluatedLevels<'_>,
    level: usize,
    target: [f64; 2],
) -> Option<FindingCard> {
    let named = &evaluated.levels[level];
    let verdict = card_verdict(evaluated, level, target)?;
    let mut rates = plays_of(evaluated, level)
        .filter_map(|(player, plays)| Some((player, plays.clear_rate()?)));
    let ends = [rates.next(), rates.last()].into_iter().flatten();
    let mut note = RichText::default();
    for (player, rate) in ends {
        let join = if note.is_empty() { "" } else { "; " };
        note = note.plain(join).plain(format!("{player} ")).join(RichText::percent(rate));
    }
    Some(FindingCard {
        title: named.name.clone(),
        note,
        verdict: Some(verdict),
        pictures: vec![level_picture(&named.name, &named.level)],
    })
}

/// Says whether any play-out has cleared a level.
fn ever_cleared(evaluated: &EvaluatedLevels<'_>, level: usize) -> Option<&'static str> {
    let result = evaluated.settled(level)?;
    Some(match (is_solved(evaluated, level), &result.play) {
        (true, _) => "yes",
        (false, _) if result.pigs == 0 => "no pigs",
        (false, Some(PlayRecord { pigs: 0, .. })) => "no pig left to hit",
        (false, _) => "no",
    })
}

/// Says which players a level fits, or why the level fits no player.
fn card_verdict(
    evaluated: &EvaluatedLevels<'_>,
    level: usize,
    target: [f64; 2],
) -> Option<CardVerdict> {
    let fits: Vec<(&str, LevelFit)> = plays_of(evaluated, level)
        .filter_map(|(player, plays)| Some((player, LevelFit::of(&plays.clear_rate()?, target))))
        .collect();
    let fitting = fits.iter().filter(|(_, fit)| *fit == LevelFit::Fits).map(|(player, _)| *player);
    let fitting: Vec<&str> = fitting.collect();
    let is_for_all = |wanted: LevelFit| fits.iter().all(|(_, fit)| *fit == wanted);
    let (word, kind) = match (fits.len(), fitting.len()) {
        (0, _) => {
            let has_pigs = !evaluated.levels[level].level.pigs().is_empty();
            let kind = if has_pigs { VerdictKind::Bad } else { VerdictKind::Open };
            (ever_cleared(evaluated, level)?.to_owned(), kind)
        }
        (_, 0) if is_for_all(LevelFit::TooHard) => ("too hard".to_owned(), VerdictKind::Bad),
        (_, 0) if is_for_all(LevelFit::TooEasy) => ("too easy".to_owned(), VerdictKind::Bad),
        (_, 0) if fits.iter().any(|(_, fit)| *fit == LevelFit::Undecided) => {
            ("undecided".to_owned(), VerdictKind::Open)
        }
        (_, 0) => ("fits nobody".to_owned(), VerdictKind::Bad),
        (n, n_fitting) if n == n_fitting => ("fits all".to_owned(), VerdictKind::Good),
        (_, 1 | 2) => (format!("fits {}", joined(fitting)), VerdictKind::Good),
        (n, n_fitting) => (format!("fits {n_fitting} of {n} players"), VerdictKind::Good),
    };
    Some(CardVerdict { word, kind })
}

fn method(checked: &LevelEvaluation) -> Vec<FindingBlock> {
    let about = RichText::new(
        "A level is cleared if no pig is left. Rates have Wilson's interval of 95 %, means \
         Student's. ",
    )
    .code("clear-rates.csv")
    .plain(" has each level and player, ")
    .code("levels.csv")
    .plain(" what each level is made of; ")
    .code("filmstrip-NN.svg")
    .plain(" and ")
    .code("replay-NN.json")
    .plain(" show a play-out of each of the first levels.");
    let warnings = checked.warnings();
    let skipped = (!warnings.is_empty()).then(|| {
        let warnings = warnings.join("; ");
        FindingBlock::text(format!("Skipped in files, as the game does: {warnings}."))
    });
    std::iter::once(FindingBlock::Text(about)).chain(skipped).collect()
}
