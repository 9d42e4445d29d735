//! A plain program for UCT, a page long, which must find the same numbers.

use hatchery_core::FastRng;
use hatchery_search::{Margin, PlayoutEnd, Side, TurnGame, UctParams, UctSearch};

use crate::games::{Nim, TakeAway, TicTacToe, cap, rng, uct};

struct PlainNode<M> {
    mv: Option<M>,
    visits: u32,
    points: f64,
    children: Vec<Self>,
}

impl<M: Copy> PlainNode<M> {
    fn leaf(mv: Option<M>) -> Self {
        Self { mv, visits: 0, points: 0.0, children: Vec::new() }
    }

    fn expand<G: TurnGame<Move = M>>(&mut self, state: &G) {
        let mut moves = Vec::new();
        state.legal_moves(&mut moves);
        self.children = moves.into_iter().map(|mv| Self::leaf(Some(mv))).collect();
    }

    /// Takes a move of this node, which has children, and returns the result of the playout.
    fn visit<G: TurnGame<Move = M>>(
        &mut self,
        mut state: G,
        mut depth: u32,
        params: &UctParams,
        rng: &mut FastRng,
    ) -> Margin {
        let tried = self.children.iter().filter(|child| 0 < child.visits).count();
        let n = self.children.len();
        let at = if tried < n {
            let any = rng.below(u32::try_from(n - tried).expect("few moves")) as usize;
            self.children.swap(tried, tried + any);
            tried
        } else {
            let bound = |child: &Self| {
                let n = f64::from(child.visits);
                let spread = (2.0 * libm::log(f64::from(self.visits)) / n).sqrt();
                child.points / n + params.exploration.get() * spread
            };
            // The first of equal bounds.
            (0..n)
                .rev()
                .max_by(|a, b| bound(&self.children[*a]).total_cmp(&bound(&self.children[*b])))
                .expect("it has children")
        };
        let mover = state.mover();
        let child = &mut self.children[at];
        let mv = child.mv.expect("a child is behind a move");
        depth += state.plies(mv);
        state.apply(mv, rng);
        let cap = params.depth.get().unwrap_or(u32::MAX);
        let margin = if let Some(margin) = state.margin() {
            margin
        } else if child.visits == 0 || cap <= depth {
            let horizon = match params.playout_end {
                PlayoutEnd::GameEnd => None,
                PlayoutEnd::DepthCap => Some(cap - depth),
            };
            state.playout(horizon, rng, &mut Vec::new())
        } else {
            if child.children.is_empty() {
                child.expand(&state);
            }
            child.visit(state, depth, params, rng)
        };
        child.visits += 1;
        child.points += f64::from(margin.half_points(mover)) / 2.0;
        margin
    }
}

fn check<G: TurnGame>(root: &G, params: &UctParams, seed: u64) {
    let mut plain = PlainNode::leaf(None);
    plain.expand(root);
    let mut draws = rng(seed);
    for _ in 0..params.budget.get() {
        plain.visit(*root, 0, params, &mut draws);
        plain.visits += 1;
    }
    let mut search = UctSearch::new();
    let report = search.run(root, params, &mut rng(seed)).expect("the game goes on");
    let mut expected: Vec<_> = plain.children.iter().map(|it| (it.mv, it.visits)).collect();
    expected.sort_unstable();
    let mut found: Vec<_> = report.ranked.iter().map(|it| (Some(it.mv), it.visits)).collect();
    found.sort_unstable();
    assert_eq!(found, expected, "{params:?}, seed {seed}");
    for child in &plain.children {
        let mine =
            report.ranked.iter().find(|one| Some(one.mv) == child.mv).expect("the same moves");
        let points = f64::from(mine.half_points) / 2.0;
        assert_eq!(points.to_bits(), child.points.to_bits(), "{params:?}, seed {seed}");
    }
}

#[test]
fn a_plain_program_finds_the_same_numbers() {
    for seed in 0..10 {
        let full = uct(5_000);
        check(&TicTacToe::after(&[]), &full, seed);
        check(&TicTacToe::after(&[4, 0]), &UctParams { depth: cap(2), ..full }, seed);
        check(&Nim { heaps: [3, 5, 7], mover: Side::Second }, &full, seed);
        check(&TakeAway::new(30), &full, seed);
        let horizon = UctParams { depth: cap(5), playout_end: PlayoutEnd::DepthCap, ..full };
        check(&TakeAway::new(40), &horizon, seed);
    }
}
