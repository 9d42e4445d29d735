//! The files of `birds-evaluate`.

use hatchery_core::Exhibit;

use super::EvaluateSpec;
use super::cells::EvaluatedLevels;
use super::{replays, report};
use crate::experiment::mean_of::MeanOf;
use crate::level::metrics::LevelMetrics;
use crate::level::{LevelPicture, LevelSheet};

/// The most levels on the sheet of pictures.
const MAX_PICTURES: usize = 40;

pub(super) fn exhibits(spec: &EvaluateSpec, evaluated: &EvaluatedLevels<'_>) -> Vec<Exhibit> {
    let mut exhibits = vec![
        Exhibit::new("report.md", "text/markdown", report::report(spec, evaluated)),
        Exhibit::new("clear-rates.csv", "text/csv", clear_rates(evaluated)),
        Exhibit::new("levels.csv", "text/csv", levels(evaluated)),
        Exhibit::new("sheet.svg", "image/svg+xml", sheet(evaluated)),
    ];
    exhibits.extend(replays::exhibits(spec, evaluated));
    exhibits
}

fn clear_rates(evaluated: &EvaluatedLevels<'_>) -> String {
    let mut text = "level,player,trials,cleared,clear_rate,low,high,birds_used,birds_used_low,\
                    birds_used_high,pigs_killed,pigs_killed_low,pigs_killed_high\n"
        .to_owned();
    for cell in evaluated.cells() {
        let (plays, rate) = (&cell.plays, cell.plays.clear_rate());
        let mut row = vec![cell.level.to_owned(), cell.player.to_owned()];
        row.extend([plays.trials, plays.cleared].map(|count| count.to_string()));
        row.extend([rate.mean, rate.low, rate.high].map(|number| format!("{number:.4}")));
        row.extend(mean_fields(plays.birds_used()));
        row.extend(mean_fields(plays.pigs_killed()));
        text.push_str(&row.join(","));
        text.push('\n');
    }
    text
}

/// Returns a mean and the ends of its interval; nothing where there is none.
fn mean_fields(mean: Option<MeanOf>) -> [String; 3] {
    let text = |number: Option<f64>| number.map_or_else(String::new, |it| format!("{it:.4}"));
    let interval = mean.and_then(MeanOf::interval);
    [
        text(mean.map(MeanOf::mean)),
        text(interval.map(|it| it.low)),
        text(interval.map(|it| it.high)),
    ]
}

fn levels(evaluated: &EvaluatedLevels<'_>) -> String {
    let mut text = "level,mean_speed,share_moved,share_asleep,solved,leniency".to_owned();
    for name in LevelMetrics::csv_names() {
        text.push(',');
        text.push_str(name);
    }
    text.push('\n');
    for (number, named) in evaluated.levels.iter().enumerate() {
        let number_text =
            |value: Option<f64>| value.map_or_else(String::new, |it| format!("{it:.6}"));
        let settled = evaluated.settled(number);
        let mut row = vec![named.name.clone()];
        row.push(number_text(settled.map(|it| it.settled.mean_speed())));
        row.push(number_text(settled.and_then(|it| it.share(it.settled.moved))));
        row.push(number_text(settled.and_then(|it| it.share(it.settled.asleep))));
        row.push(report::is_solved(evaluated, number).to_string());
        row.push(number_text(report::leniency(evaluated, number)));
        row.extend(LevelMetrics::of(&named.level).csv_fields());
        text.push_str(&row.join(","));
        text.push('\n');
    }
    text
}

fn sheet(evaluated: &EvaluatedLevels<'_>) -> String {
    let pictures = evaluated.levels.iter().take(MAX_PICTURES);
    let pictures =
        pictures.map(|named| LevelPicture { level: &named.level, title: &named.name, arcs: &[] });
    let n = evaluated.levels.len();
    let title = match n {
        _ if n <= MAX_PICTURES => format!("{n} levels"),
        _ => format!("The first {MAX_PICTURES} of {n} levels"),
    };
    LevelSheet { title: &title, pictures: pictures.collect() }.to_svg()
}
