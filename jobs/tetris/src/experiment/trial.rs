//! Games: what both experiments simulate.

use std::ops::ControlFlow;

use hatchery_core::{Frames, StreamRng, Work};

use crate::batch::{self, Dealer, Path};
use crate::picture::picture;
use crate::wire::{Game, Games, Player};

/// The player's game with the pieces that `rng` deals.
pub(super) fn play(Player { controller, game }: &Player, mut rng: StreamRng) -> Games {
    let Game { rules, pieces, cap } = *game;
    let score = controller.play(rules, cap, || pieces.piece(rng.below(pieces.sum())), |_| {});
    Games { lines: vec![score.lines], pieces: score.pieces, capped: u64::from(score.capped) }
}

/// The player's games with the pieces that each of `streams` deals.
pub(super) fn play_all(player: &Player, streams: impl Iterator<Item = StreamRng>) -> Games {
    let Player { controller, game: Game { rules, pieces, cap } } = player;
    let deck: Vec<_> = (0..pieces.sum()).map(|ticket| pieces.piece(ticket)).collect();
    let mut dealers = streams.map(|mut rng| {
        let deck = deck.as_slice();
        let deal = move || deck[rng.below(pieces.sum()) as usize];
        Box::new(deal) as Dealer<'_>
    });
    let scores = batch::play_all(controller, *rules, *cap, &mut dealers, Path::fastest());
    let lines: Vec<_> = scores.iter().map(|score| score.lines).collect();
    let pieces = scores.iter().map(|score| score.pieces).sum();
    let capped = scores.iter().filter(|score| score.capped).count();
    Games { lines, pieces, capped: capped as u64 }
}

/// The same game, a frame for each move.
pub(super) fn narrate(
    Player { controller, game }: &Player,
    mut rng: StreamRng,
    frames: &mut Frames<'_>,
) -> ControlFlow<()> {
    let Game { rules, pieces, cap } = *game;
    let (mut n_pieces, mut n_lines) = (0_u64, 0_u64);
    let mut flow = ControlFlow::Continue(());
    let deal = || pieces.piece(rng.below(pieces.sum()));
    let score = controller.play(rules, cap, deal, |made| {
        if flow.is_break() {
            return;
        }
        n_pieces += 1;
        n_lines += u64::from(made.outcome.n_lines);
        let letter = made.piece.letter();
        let drawn = picture(made);
        flow = frames(&format!("piece {n_pieces}: {letter}, {n_lines} lines\n{drawn}\n"));
    });
    flow?;
    let end = if score.capped { "stopped by its cap" } else { "over" };
    frames(&format!("the game is {end}: {} lines with {} pieces", score.lines, score.pieces))
}

/// What the games took.
pub(super) fn work(games: &Games) -> Vec<Work> {
    vec![Work::new("pieces", games.pieces), Work::new("games", games.lines.len() as u64)]
}
