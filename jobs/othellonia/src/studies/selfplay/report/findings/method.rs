//! What was done in a run of self-play.

use hatchery_core::findings::RichText;
use hatchery_core::text::{counted, grouped};

use crate::studies::finding_parts::hidden_words;
use crate::studies::selfplay::check::CheckedVectors;
use crate::studies::selfplay::mode::SelfplayMode;
use crate::studies::selfplay::report::arms::RunView;

/// Returns what was done.
pub(super) fn method(run: &RunView<'_>) -> Vec<RichText> {
    let RunView { checked, .. } = *run;
    let each = counted(checked.spec.mode.games(), "game");
    let in_mode = |name: &str| RichText::new("Games: in the mode ").code(name);
    let mode = match &checked.spec.mode {
        SelfplayMode::Paper(mode) => in_mode("paper").plain(format!(
            " each network plays {each}, and takes {} after each pair of them.",
            counted(mode.steps_per_pair, "step")
        )),
        SelfplayMode::Wide(mode) => in_mode("wide").plain(format!(
            " each network plays {each}, and takes {} for each pair of them while the next ones \
             are played.",
            counted(mode.steps_per_pair, "step")
        )),
    };
    let decks = format!(
        " There are {} and {} kinds of pieces.",
        counted(checked.decks.len(), "deck"),
        grouped(checked.kinds())
    );
    let opponents = format!(
        "Opponents of these games: the random agent for {}, then one of the snapshots of the \
         network, of which one is kept every {}; both change at the ends of generations.",
        counted(checked.spec.random_games, "game"),
        counted(checked.spec.snapshot_games, "game"),
    );
    let strength = format!(
        "Strength: at a look networks play their best actions without noise, each deck against \
         each and from both sides, {} of each match-up and opponent. Win rates count won games; \
         intervals are those of Wilson at 95 %, over games.",
        counted(2 * u64::from(checked.spec.evaluation.pairs), "game"),
    );
    vec![mode.plain(decks), networks(run), opponents.into(), strength.into()]
}

fn networks(run: &RunView<'_>) -> RichText {
    let RunView { checked, .. } = *run;
    let learn = &checked.spec.learn;
    let text = RichText::new(format!(
        "Networks: {} of each encoding, with {} and {} bins of values from a loss to a win. A step \
         learns from {} with Adam at a rate of {}; the discount is {}. ",
        grouped(checked.spec.seeds),
        hidden_words(&checked.spec.hidden),
        learn.bins,
        counted(learn.batch, "decision"),
        learn.rate,
        learn.discount,
    ));
    match &checked.vectors {
        CheckedVectors::None => text.plain("No vectors are used."),
        CheckedVectors::Random => text.plain("The vectors of pieces are random."),
        CheckedVectors::File(file) => text
            .plain("The vectors of pieces are those of the file with the hash ")
            .code(file.blake3.to_string())
            .plain("."),
    }
}
