//! Many games at once, by a single policy or by several policies.
//!
//! Games that wait for the same piece form a group, one game in each lane of a vector; all
//! placements of the piece are valued for the whole group. As each game has its own pieces,
//! grouping does not change the games and their scores: they are the same as from
//! [`PlacementPolicy::play`](crate::players::PlacementPolicy::play). Scalar code plays the games
//! that vectors cannot: on other processors, of controllers that weigh the wall's surface, with
//! known next pieces, for look-ahead with a bag or with weights whose sums 64-bit floats would
//! round, for walls higher than the bits of a lane, and for the last few games.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod dispatch;
mod episode;
mod evaluator;
mod group;
mod kernel;
mod lookahead;
mod ranking;
mod scheduler;
mod vectors;

pub use dispatch::{InstructionSet, can_share_vectors, play_all, play_episodes};
pub use episode::{ANY_HEIGHT, Episode, EpisodeEnd, EpisodeSource, PieceDealer};
pub(crate) use episode::{BeatingEpisodes, NewGame, WholeGames};
