//! The choice of instructions at run time.

use super::episode::{Seat, Source, WholeGames};
use super::judge::{ExactLinear, Judge, QuickLinear};
use super::table::{self, Games};
use crate::features::Wells;
use crate::players::{Controller, Linear, Policy};
use crate::rules::{Cap, Piece, Rules, Score};

/// What deals the pieces of a game.
pub type Dealer<'a> = Box<dyn FnMut() -> Piece + 'a>;

/// The instructions that games are played with; all play the same games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// One game at a time.
    Scalar,
    /// 32 games at once.
    Avx2,
}

impl Path {
    /// The paths of this processor, the fastest last.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let mut paths = vec![Self::Scalar];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
        {
            paths.push(Self::Avx2);
        }
        paths
    }

    /// The fastest path of this processor.
    #[must_use]
    pub fn fastest() -> Self {
        Self::available().pop().unwrap_or(Self::Scalar)
    }
}

/// The scores of the games of `policy` with the pieces that each of `dealers` deals, in their
/// order; see [`Policy::play`].
pub fn play_all<'d>(
    policy: &Policy,
    rules: Rules,
    cap: Cap,
    dealers: &mut dyn Iterator<Item = Dealer<'d>>,
    path: Path,
) -> Vec<Score> {
    let mut games = WholeGames { rules, cap, dealers, scores: Vec::new() };
    play_episodes(policy, rules, &mut games, path);
    games.scores
}

/// Plays all episodes of `source` with `policy`. Whatever the path, episodes of the same tag end
/// in the same way.
pub fn play_episodes<'d>(policy: &Policy, rules: Rules, source: &mut dyn Source<'d>, path: Path) {
    let games = Games { policy, rules, source };
    match &policy.controller {
        Controller::Network(network) => vectors::<_, false>(network, games, path),
        Controller::Linear(linear) if policy.lookahead.is_none() => {
            linear_vectors(&QuickLinear::new(linear, rules.size), linear, games, path);
        }
        Controller::Linear(linear) => match ExactLinear::new(linear, rules.size) {
            Some(exact) => linear_vectors(&exact, linear, games, path),
            None => one_by_one(games),
        },
    }
}

fn linear_vectors<J: Judge>(judge: &J, linear: &Linear, games: Games<'_, '_>, path: Path) {
    match linear.wells() {
        Wells::Cumulative => vectors::<_, false>(judge, games, path),
        Wells::Fast => vectors::<_, true>(judge, games, path),
    }
}

fn one_by_one(games: Games<'_, '_>) {
    let Games { policy, rules, source } = games;
    while let Some(mut seat) = Seat::next(source) {
        loop {
            let placement = policy.choose(&seat.episode.board, seat.piece, rules.overflow);
            if !seat.advance(placement, rules, source) {
                break;
            }
        }
    }
}

fn vectors<J: Judge, const FAST: bool>(judge: &J, games: Games<'_, '_>, path: Path) {
    match path {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the guard has found the instructions.
        #[expect(unsafe_code, reason = "instructions detected at run time")]
        Path::Avx2 if Path::available().contains(&path) => unsafe {
            avx2::<J, FAST>(judge, games);
        },
        _ => one_by_one(games),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn avx2<J: Judge, const FAST: bool>(judge: &J, games: Games<'_, '_>) {
    use super::avx2::{Rows16, Rows32};
    table::play::<Rows16, Rows32, J, FAST>(judge, games);
}
