//! Playouts per second on one core: `cargo bench -p hatchery-search`.

use divan::Bencher;
use divan::counter::ItemsCount;
use hatchery_core::{FastRng, RunSeed};
use hatchery_search::{
    DepthCap, ExplorationWeight, Margin, PlayoutBudget, PlayoutEnd, Side, StopRule, TurnGame,
    UctParams, UctSearch,
};

/// Playouts per search: small trees stay in the cache, large trees do not.
const BUDGETS: [u32; 3] = [1_000, 10_000, 100_000];

/// Playouts without a tree per sample.
const PLAYOUTS: u32 = 1_000;

fn main() {
    divan::main();
}

/// Connect Four on bitboards: seven bits for each column, the top one always free.
#[derive(Clone, Copy)]
struct ConnectFour {
    stones: [u64; 2],
    mover: Side,
}

impl ConnectFour {
    const START: Self = Self { stones: [0; 2], mover: Side::First };

    /// The first column, its lowest cell and its highest.
    const COLUMN: u64 = 0x3f;
    const BOTTOM: u64 = 1;
    const TOP: u64 = 1 << 5;

    #[inline(always)]
    fn has_four(stones: u64) -> bool {
        [1, 6, 7, 8].into_iter().any(|step| {
            let pairs = stones & (stones >> step);
            pairs & (pairs >> (2 * step)) != 0
        })
    }
}

impl TurnGame for ConnectFour {
    type Move = u8;
    type Chance = ();
    const MAX_MOVES: u32 = 42;

    #[inline(always)]
    fn mover(&self) -> Side {
        self.mover
    }

    #[inline(always)]
    fn margin(&self) -> Option<Margin> {
        // Only the side that has just moved can have won.
        if Self::has_four(self.stones[self.mover.other().index()]) {
            return Some(Margin(if self.mover == Side::Second { 1 } else { -1 }));
        }
        let n_stones = (self.stones[0] | self.stones[1]).count_ones();
        (n_stones == Self::MAX_MOVES).then_some(Margin::DRAW)
    }

    #[inline(always)]
    fn legal_moves(&self, moves: &mut Vec<u8>) {
        if self.margin().is_none() {
            let all = self.stones[0] | self.stones[1];
            moves.extend((0..7).filter(|column| all & (Self::TOP << (7 * column)) == 0));
        }
    }

    #[inline(always)]
    fn apply(&mut self, column: u8, _rng: &mut FastRng) {
        let all = self.stones[0] | self.stones[1];
        let stack = all & (Self::COLUMN << (7 * column));
        // One more than a stack of ones is the cell above it.
        self.stones[self.mover.index()] |= stack + (Self::BOTTOM << (7 * column));
        self.mover = self.mover.other();
    }
}

fn rng() -> FastRng {
    FastRng::seeded_by(&mut RunSeed::new("bench", 1).generation(0).stream("uct"))
}

#[divan::bench]
fn playouts(bencher: Bencher<'_, '_>) {
    let (mut rng, mut moves) = (rng(), Vec::new());
    bencher.counter(ItemsCount::new(PLAYOUTS)).bench_local(|| {
        let playout = |_| ConnectFour::START.playout(None, &mut rng, &mut moves).0;
        (0..PLAYOUTS).map(playout).sum::<i32>()
    });
}

#[divan::bench(args = BUDGETS)]
fn uct(bencher: Bencher<'_, '_>, budget: u32) {
    let params = UctParams {
        exploration: ExplorationWeight::STANDARD,
        depth: DepthCap::UNCAPPED,
        budget: PlayoutBudget::new(budget).expect("within its range"),
        stop: StopRule::Budget,
        playout_end: PlayoutEnd::GameEnd,
    };
    let (mut rng, mut search) = (rng(), UctSearch::new());
    bencher.counter(ItemsCount::new(budget)).bench_local(|| {
        search.run(&ConnectFour::START, &params, &mut rng).expect("it has moves").best()
    });
}
