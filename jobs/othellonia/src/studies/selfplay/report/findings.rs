//! What networks have learned by self-play.

mod claims;
mod strength;

use hatchery_core::Findings;
use hatchery_core::findings::{FindingBlock, FindingSection, KeyFact, RichText, words};
use hatchery_core::text::{counted, grouped, joined};

use super::arms::{ArmCurve, RunView};
use super::charts::loss_chart;
use super::scalars::lag;
use super::tables::{self, PeriodRow};
use crate::studies::finding_parts::{early, ended_early, for_other_runs, hidden_words};
use crate::studies::network_findings::file_lines;
use crate::studies::selfplay::tasks::last_look_subjects;

/// Returns the findings.
pub(super) fn findings(run: &RunView<'_>) -> Findings {
    let RunView { checked, state, curves } = *run;
    let arms: Vec<_> = curves.iter().map(|curve| curve.arm.words()).collect();
    let steps = (0..checked.schedule.n_periods()).map(|it| u64::from(checked.schedule.steps(it)));
    let title = format!(
        "Self-play of networks with {}: {}, {} and {}",
        joined(arms),
        hidden_words(&checked.spec.hidden),
        counted(checked.spec.mode.games(), "game"),
        counted(steps.sum::<u64>(), "step"),
    );
    let mut sections: Vec<FindingSection> = ended_early(failures(run)).into_iter().collect();
    if run.has_learned() {
        sections.extend(strength::strength(run));
        sections.extend(strength::matchups(run));
        sections.extend(replays(run));
        sections.extend(strength::seeds(run));
        sections.extend(strength::learning(run));
        sections.push(learners(run));
        sections.push(claims::claims(checked, curves));
    }
    let learners = checked.networks.iter().zip(state.networks.iter().map(|it| &it.learner));
    sections.extend(for_other_runs(file_lines(learners, state.vectors)));
    Findings {
        title: title.into(),
        summary: summary(run),
        key_facts: key_facts(run),
        sections,
        method: vec![method()],
    }
}

fn method() -> FindingBlock {
    let about = "Opponents of the games to learn from change at the ends of generations. At a look \
                 networks play their best actions without noise, each deck against each and from \
                 both sides. Win rates count won games; intervals are those of Wilson at 95 %, \
                 over games.";
    FindingBlock::text(about)
}

fn failures(run: &RunView<'_>) -> Vec<RichText> {
    let networks = run.checked.networks.iter().zip(&run.state.networks);
    let reason = networks.filter_map(|(network, it)| {
        let reason = it.failure.as_ref()?;
        let name = network.words(run.checked.spec.seeds);
        Some(early(&name, " and keeps its last good weights", reason))
    });
    reason.collect()
}

fn summary(run: &RunView<'_>) -> RichText {
    let RunView { checked, state, curves } = *run;
    let looks = curves.iter().filter_map(|curve| Some((curve.arm.words(), curve.looks.last()?)));
    let looks: Vec<_> = looks.collect();
    if looks.is_empty() {
        let games = state.networks.iter().map(|it| it.games).max().unwrap_or(0);
        let all = counted(checked.spec.mode.games(), "game");
        let so_far = match run.has_learned() {
            true => "Nobody has looked yet at how well networks play",
            false => "No network has learned yet",
        };
        return format!("{so_far}: each has played {} of {all}.", grouped(games)).into();
    }
    let mut words = RichText::default();
    for (at, (arm, look)) in looks.iter().enumerate() {
        let after = counted(look.games, "game");
        let (before, networks) = match at {
            0 => (format!("After {after} to learn from, "), "networks"),
            _ => (" ".to_owned(), "Networks"),
        };
        words = words.plain(before);
        let opponents = checked.opponents.iter().enumerate();
        let rates = opponents.filter_map(|(at, opponent)| Some((opponent, look.rate(at)?)));
        for (number, (opponent, rate)) in rates.enumerate() {
            let against = &opponent.name;
            words = match number {
                0 => {
                    let win = format!("{networks} with {arm} win {}", words::percent(rate.mean, 1));
                    words
                        .strong(format!("{win} of their games against {against}"))
                        .soft(format!(" ({})", words::percent_interval(&rate)))
                }
                _ => words
                    .plain(", ")
                    .join(RichText::percent(rate))
                    .plain(format!(" against {against}")),
            };
        }
        if at != 0 && look.games != looks[0].1.games {
            words = words.plain(format!(", after {after}"));
        }
        words = words.plain(".");
    }
    words
}

fn key_facts(run: &RunView<'_>) -> Vec<KeyFact> {
    let RunView { checked, curves, .. } = *run;
    let yardstick = run.yardstick();
    let fact = |curve: &ArmCurve<'_>, at: usize| {
        let rate = curve.looks.last()?.rate(at)?;
        let opponent = &checked.opponents.get(at)?.name;
        Some(KeyFact {
            name: match curves.len() {
                1 => format!("Won against {opponent}"),
                _ => format!("Won against {opponent}, {}", curve.arm.words()),
            },
            value: words::percent(rate.mean, 1),
            note: format!("{}, of all networks", words::percent_interval(&rate)),
        })
    };
    match curves {
        [curve] => {
            let others = (0..checked.opponents.len()).rev().filter(|&at| at != yardstick);
            let opponents = std::iter::once(yardstick).chain(others);
            opponents.filter_map(|at| fact(curve, at)).take(2).collect()
        }
        _ => curves.iter().filter_map(|curve| fact(curve, yardstick)).take(2).collect(),
    }
}

/// Returns the commands that replay games of the last look at the first network.
fn replays(run: &RunView<'_>) -> Option<FindingSection> {
    let RunView { checked, state, .. } = *run;
    let (generation, subjects) = last_look_subjects(checked, state, 0)?;
    let (own, enemy) = (&checked.decks.first()?.name, &checked.decks.last()?.name);
    let name = checked.networks.first()?.words(checked.spec.seeds);
    let items = checked.opponents.iter().zip(subjects).map(|(opponent, subject)| {
        RichText::new(format!("{name} against {}, {own} against {enemy}: ", opponent.name))
            .code(format!("hatchery replay RUN {generation}/{subject}/0"))
    });
    let about = RichText::new(
        "Each command shows a pair of games of the last look, and what the network expects of its \
         best actions. RUN is the run's folder, or its id on a farm; the last number counts the \
         pairs.",
    );
    let blocks = vec![FindingBlock::text(about), FindingBlock::List(items.collect())];
    Some(FindingSection::new("Games to watch", blocks))
}

/// Returns how networks learned: losses, and the use of the replay memory in every network's last
/// period.
fn learners(run: &RunView<'_>) -> FindingSection {
    let RunView { checked, state, .. } = *run;
    let mut rows = tables::period_rows(checked, state);
    rows.retain(PeriodRow::is_last);
    let lag = match lag(&checked.schedule) {
        0 => "Networks learn from games at once.".to_owned(),
        1 => "Games lag behind learning by one generation.".to_owned(),
        lag => format!("Games lag behind learning by {lag} generations."),
    };
    let caption = format!(
        "The last period of each network. A use is a draw of a decision from the replay memory; \
         ages are in games. {lag}"
    );
    let about = "Loss of learning by games, mean of the rows of each period: the cross entropy of \
                 a network's distribution of values and the one that it learns towards. As that \
                 one changes with the network, a loss need not fall while the network gets better. \
                 Rows are those that are learned from, so that a loss has no interval.";
    let losses = loss_chart(checked, state).picture();
    FindingSection::new(
        "Learning",
        vec![
            FindingBlock::figure("losses", losses, about),
            tables::periods(&rows, checked.spec.seeds).block(caption),
        ],
    )
}
