//! Many games of one policy at once.
//!
//! Games that wait for the same piece form a group, one game in each lane of a vector; all
//! placements of the piece are valued for the whole group. As each game has its own pieces, the
//! games and their scores are those of [`Policy::play`](crate::players::Policy::play),
//! whatever the grouping. The scalar way plays what vectors can't: other processors, look-ahead with
//! weights whose sums 64-bit floats would round, walls higher than a lane has bits for, and the last few
//! games.

mod ahead;
#[cfg(target_arch = "x86_64")]
mod avx2;
mod dispatch;
mod episode;
mod group;
mod judge;
mod kernel;
mod ranking;
mod table;
mod vectors;

pub use dispatch::{Dealer, Path, play_all, play_episodes};
pub use episode::{ANY_HEIGHT, End, Episode, Source};
