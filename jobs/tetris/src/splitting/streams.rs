//! Games one after the other, to see how often a wall that was down rises to the first level.

use std::ops::Range;

use super::{Entry, Splitting};
use crate::batch::{ANY_HEIGHT, Dealer, End, Episode, Source};
use crate::rules::{Board, BoardSize, Score};

/// All streams of a replicate. Each is played in episodes: up to the first level, down again, and so
/// on; a game that is over is followed by the next.
pub(super) struct Streams<'a, 'd> {
    splitting: Splitting,
    size: BoardSize,
    dealer: &'a dyn Fn(u64) -> Dealer<'d>,
    streams: Vec<Stream>,
}

struct Stream {
    n_pieces: u64,
    rising: bool,
    /// What the first level was reached with while that counted.
    rises: Vec<Entry>,
}

impl<'a, 'd> Streams<'a, 'd> {
    pub(super) fn new(
        splitting: Splitting,
        size: BoardSize,
        dealer: &'a dyn Fn(u64) -> Dealer<'d>,
    ) -> Self {
        Self { splitting, size, dealer, streams: Vec::new() }
    }

    pub(super) fn n_pieces(&self) -> u64 {
        self.streams.iter().map(|stream| stream.n_pieces).sum()
    }

    /// What the first level was reached with, in the order of the streams.
    pub(super) fn rises(self) -> Vec<Entry> {
        self.streams.into_iter().flat_map(|stream| stream.rises).collect()
    }
}

impl Splitting {
    /// How many pieces a stream plays until something changes that has played `n`.
    fn stretch(&self, n: u64) -> u64 {
        let (burn_in, pieces) = (u64::from(self.burn_in), u64::from(self.pieces));
        if n < burn_in { burn_in - n } else { burn_in + pieces - n }
    }

    fn heights(&self, rising: bool) -> Range<u32> {
        if rising { 0..self.first_level } else { self.down + 1..ANY_HEIGHT.end }
    }
}

impl<'d> Source<'d> for Streams<'_, 'd> {
    fn next(&mut self) -> Option<Episode<'d>> {
        let tag = self.streams.len();
        if tag == self.splitting.streams as usize {
            return None;
        }
        self.streams.push(Stream { n_pieces: 0, rising: true, rises: Vec::new() });
        Some(Episode {
            tag,
            board: Board::new(self.size),
            dealer: (self.dealer)(tag as u64),
            cap: self.splitting.stretch(0),
            heights: self.splitting.heights(true),
        })
    }

    fn ended(&mut self, episode: &mut Episode<'d>, score: Score, end: End) -> bool {
        let stream = &mut self.streams[episode.tag];
        stream.n_pieces += score.pieces;
        let counts = u64::from(self.splitting.burn_in) < stream.n_pieces;
        let entry = match end {
            End::High => Some(Entry::Board(episode.board)),
            End::Over if stream.rising => Some(Entry::over(&episode.board)),
            End::Over | End::Low | End::Capped => None,
        };
        stream.rises.extend(entry.filter(|_| counts));
        match end {
            End::High => stream.rising = false,
            End::Low => stream.rising = true,
            End::Over => (stream.rising, episode.board) = (true, Board::new(self.size)),
            End::Capped => {}
        }
        episode.cap = self.splitting.stretch(stream.n_pieces);
        episode.heights = self.splitting.heights(stream.rising);
        episode.cap != 0
    }
}
