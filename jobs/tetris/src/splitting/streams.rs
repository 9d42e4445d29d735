//! Streams of games one after the other, which count how often a low wall rises to the first level.

use std::ops::Range;

use super::config::SplittingConfig;
use crate::batch::{ANY_HEIGHT, Episode, EpisodeEnd, EpisodeSource, PieceDealer};
use crate::rules::{Board, GameRules, GameScore, PieceSupply};

/// All streams of a replicate. Each is played in episodes: up to the first level, down again, and
/// so on; a game that is over is followed by the next.
pub(super) struct StreamEpisodes<'a, 'd> {
    splitting: &'a SplittingConfig,
    rules: GameRules,
    dealer: &'a dyn Fn(u64) -> PieceDealer<'d>,
    streams: Vec<GameStream>,
}

struct GameStream {
    n_pieces: u64,
    rising: bool,
    /// The states when the wall reached the first level while pieces counted.
    rises: Vec<LevelEntry>,
}

impl<'a, 'd> StreamEpisodes<'a, 'd> {
    pub(super) fn new(
        splitting: &'a SplittingConfig,
        rules: GameRules,
        dealer: &'a dyn Fn(u64) -> PieceDealer<'d>,
    ) -> Self {
        Self { splitting, rules, dealer, streams: Vec::new() }
    }

    pub(super) fn n_pieces(&self) -> u64 {
        self.streams.iter().map(|stream| stream.n_pieces).sum()
    }

    /// Returns the states when the wall reached the first level, in the order of the streams.
    pub(super) fn rises(self) -> Vec<LevelEntry> {
        self.streams.into_iter().flat_map(|stream| stream.rises).collect()
    }
}

impl SplittingConfig {
    /// Returns the number of pieces that a stream plays after its first `n`, until its pieces start
    /// to count or it ends.
    fn n_until_change(&self, n: u64) -> u64 {
        let (burn_in, pieces) = (u64::from(self.burn_in), u64::from(self.pieces));
        if n < burn_in { burn_in - n } else { burn_in + pieces - n }
    }

    fn heights(&self, rising: bool) -> Range<u32> {
        if rising { 0..self.first_level } else { self.down + 1..ANY_HEIGHT.end }
    }
}

impl<'d> EpisodeSource<'d> for StreamEpisodes<'_, 'd> {
    fn next(&mut self) -> Option<Episode<'d>> {
        let tag = self.streams.len();
        if tag == self.splitting.streams as usize {
            return None;
        }
        self.streams.push(GameStream { n_pieces: 0, rising: true, rises: Vec::new() });
        Some(Episode {
            tag,
            player: 0,
            board: Board::new(self.rules.size),
            supply: PieceSupply::new(self.rules.queue),
            dealer: (self.dealer)(tag as u64),
            cap: self.splitting.n_until_change(0),
            heights: self.splitting.heights(true),
        })
    }

    fn ended(&mut self, episode: &mut Episode<'d>, score: GameScore, end: EpisodeEnd) -> bool {
        let stream = &mut self.streams[episode.tag];
        stream.n_pieces += score.pieces;
        let counts = u64::from(self.splitting.burn_in) < stream.n_pieces;
        let entry = match end {
            EpisodeEnd::High => Some(LevelEntry::InPlay(episode.board, episode.supply)),
            EpisodeEnd::Over if stream.rising => Some(LevelEntry::over(&episode.board)),
            EpisodeEnd::Over | EpisodeEnd::Low | EpisodeEnd::Capped => None,
        };
        stream.rises.extend(entry.filter(|_| counts));
        match end {
            EpisodeEnd::High => stream.rising = false,
            EpisodeEnd::Low => stream.rising = true,
            EpisodeEnd::Over => {
                stream.rising = true;
                episode.board = Board::new(self.rules.size);
                episode.supply = PieceSupply::new(self.rules.queue);
            }
            EpisodeEnd::Capped => {}
        }
        episode.cap = self.splitting.n_until_change(stream.n_pieces);
        episode.heights = self.splitting.heights(stream.rising);
        episode.cap != 0
    }
}

/// The state of a game when its wall reached a level.
#[derive(Clone, Copy)]
pub(super) enum LevelEntry {
    /// The board in play, and the pieces to come.
    InPlay(Board, PieceSupply),
    /// The game is already over, so it has passed all levels. Holds the number of full cells of its
    /// board.
    Over(u64),
}

impl LevelEntry {
    pub(super) fn over(board: &Board) -> Self {
        Self::Over(board.columns().iter().map(|column| u64::from(column.count_ones())).sum())
    }
}
