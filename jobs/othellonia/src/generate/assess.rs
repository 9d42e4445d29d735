//! The acceptance numbers of a pool: games between generated decks, counted.

use hatchery_core::{FastRng, RunSeed};

use super::Archetype;
use crate::players::{GameAgent, play_out};
use crate::rules::{
    EffectKind, EndCause, Game, GameDeck, GameEvent, GameStart, GameWatcher, HpChange, Player,
};

/// What happened in games between two decks, or two kinds of decks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameTally {
    /// The games.
    pub games: u64,
    /// The wins of A and of B.
    pub wins: [u64; 2],
    /// The wins of the player who was first.
    pub first_wins: u64,
    /// The number of placements in all games together.
    pub placements: u64,
    /// The games by the reason for their end, in the order of [`EndCause::ALL`].
    pub causes: [u64; 4],
    /// For every effect kind, the number of games in which such an effect fired or acted, in the
    /// order of [`EffectKind::ALL`].
    pub kinds: [u64; 24],
}

impl GameTally {
    /// Returns the win rate of A; a draw is half a win. One half if there are no games.
    #[must_use]
    pub fn win_rate(&self) -> f64 {
        if self.games == 0 {
            return 0.5;
        }
        0.5 + (ratio(self.wins[0], self.games) - ratio(self.wins[1], self.games)) / 2.0
    }

    /// Returns a share of the games.
    #[must_use]
    pub fn share(&self, part: u64) -> f64 {
        ratio(part, self.games)
    }

    /// Adds the games of `other`, whose A and B have these seats here.
    pub(super) fn add(&mut self, other: &Self, seats: [usize; 2]) {
        self.games += other.games;
        for (seat, wins) in seats.into_iter().zip(other.wins) {
            self.wins[seat] += wins;
        }
        self.first_wins += other.first_wins;
        self.placements += other.placements;
        self.causes.iter_mut().zip(other.causes).for_each(|(sum, n)| *sum += n);
        self.kinds.iter_mut().zip(other.kinds).for_each(|(sum, n)| *sum += n);
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of games are far below 2^53")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / (whole as f64).max(1.0)
}

/// Two players: their decks, and their agents.
#[derive(Clone, Copy, Debug)]
pub struct MatchUp<'a> {
    /// The decks.
    pub decks: [&'a GameDeck; 2],
    /// The agents.
    pub agents: [GameAgent; 2],
}

impl MatchUp<'_> {
    /// Plays pairs of games: in each pair, both have the same shuffles, and either player is first
    /// once.
    #[must_use]
    pub fn play_pairs(&self, n_pairs: u32, seed: &RunSeed) -> GameTally {
        let mut tally = GameTally::default();
        let stream = seed.generation(0).stream("pairs");
        for pair in 0..n_pairs {
            let mut stream = stream.part(pair.into());
            let seed = stream.next_u64();
            let mut rng = FastRng::seeded_by(&mut stream);
            for first in Player::ALL {
                self.play(GameStart { seed, first }, &mut rng, &mut tally);
            }
        }
        tally
    }

    fn play(&self, start: GameStart, rng: &mut FastRng, tally: &mut GameTally) {
        let mut game = Game::start(self.decks, start);
        let mut seen = SeenKinds::default();
        let outcome = play_out(&mut game, self.agents, rng, &mut seen);
        tally.games += 1;
        if let Some(winner) = outcome.winner {
            tally.wins[winner.index()] += 1;
            tally.first_wins += u64::from(winner == start.first);
        }
        tally.placements += u64::from(game.state().placements);
        tally.causes[outcome.cause as usize] += 1;
        for kind in EffectKind::ALL {
            tally.kinds[kind.index()] += u64::from(seen.0 >> kind.index() & 1);
        }
    }
}

/// The kinds of effects that fired or acted in a game, as bits.
#[derive(Default)]
struct SeenKinds(u32);

impl GameWatcher for SeenKinds {
    #[inline]
    fn event(&mut self, event: GameEvent) {
        let (GameEvent::Fired { kind, .. }
        | GameEvent::Applied { kind, .. }
        | GameEvent::Healed { kind, .. }
        | GameEvent::Lost { cause: HpChange::Effect(kind), .. }) = event
        else {
            return;
        };
        self.0 |= 1 << kind.index();
    }
}

/// A deck of an archetype.
#[derive(Clone, Debug)]
pub struct FieldDeck {
    /// The archetype.
    pub archetype: Archetype,
    /// The deck.
    pub deck: GameDeck,
}

/// The games of a field of decks, each against each.
#[derive(Clone, Debug)]
pub struct PoolAssessment {
    /// All games.
    pub all: GameTally,
    /// The games between archetypes, the row's deck as A; each archetype against itself too.
    pub archetypes: [[GameTally; 3]; 3],
    /// Every deck's win rate against each other deck, in the order of the field.
    pub decks: Vec<Vec<f64>>,
}

/// Plays `n_pairs` pairs of games between any two decks of the field.
#[must_use]
pub fn assess(field: &[FieldDeck], agent: GameAgent, n_pairs: u32, seed: u64) -> PoolAssessment {
    let n = field.len();
    let mut assessment = PoolAssessment {
        all: GameTally::default(),
        archetypes: Default::default(),
        decks: vec![vec![0.5; n]; n],
    };
    for (b, deck_b) in field.iter().enumerate() {
        for (a, deck_a) in field[..b].iter().enumerate() {
            let match_up = MatchUp { decks: [&deck_a.deck, &deck_b.deck], agents: [agent, agent] };
            let seed = RunSeed::new(&format!("othellonia-assess/{a}/{b}"), seed);
            let tally = match_up.play_pairs(n_pairs, &seed);
            assessment.all.add(&tally, [0, 1]);
            let [row, column] = [deck_a, deck_b].map(|deck| deck.archetype as usize);
            assessment.archetypes[row][column].add(&tally, [0, 1]);
            assessment.archetypes[column][row].add(&tally, [1, 0]);
            assessment.decks[a][b] = tally.win_rate();
            assessment.decks[b][a] = 1.0 - tally.win_rate();
        }
    }
    assessment
}

impl PoolAssessment {
    /// Returns the mean win rate of an archetype against all three.
    #[must_use]
    pub fn mean_win_rate(&self, archetype: Archetype) -> f64 {
        let row = &self.archetypes[archetype as usize];
        let others = Archetype::ALL.into_iter().filter(|&it| it != archetype);
        others.map(|other| row[other as usize].win_rate()).sum::<f64>() / 2.0
    }

    /// Returns the share of pairs of decks whose win rate is outside `least..=1 - least`.
    #[must_use]
    pub fn uneven_pairs(&self, least: f64) -> f64 {
        let rates = self.decks.iter().enumerate().flat_map(|(b, row)| &row[..b]);
        let (mut n, mut uneven) = (0, 0);
        for &rate in rates {
            n += 1;
            uneven += u64::from(rate < least || 1.0 - least < rate);
        }
        ratio(uneven, n)
    }
}

/// The table that people read.
impl std::fmt::Display for PoolAssessment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all = &self.all;
        let percent = |share: f64| share * 100.0;
        for archetype in Archetype::ALL {
            write!(f, "{:<10}", archetype.name())?;
            for tally in &self.archetypes[archetype as usize] {
                write!(f, " {:5.1}", percent(tally.win_rate()))?;
            }
            writeln!(f, "   mean {:5.1} %", percent(self.mean_win_rate(archetype)))?;
        }
        let n = self.decks.len() as u64;
        let n_pairs = (n * n.saturating_sub(1) / 2).max(1);
        let (uneven, games) = (percent(self.uneven_pairs(0.25)), all.games / n_pairs);
        writeln!(f, "pairs of decks outside 25-75 %, by {games} games each: {uneven:.1} %")?;
        writeln!(f, "first player {:.1} %", percent(all.share(all.first_wins)))?;
        writeln!(f, "{:.1} placements, {} games", all.share(all.placements), all.games)?;
        for (cause, n) in EndCause::ALL.into_iter().zip(all.causes) {
            write!(f, "{} {:.1} %  ", cause.name(), percent(all.share(n)))?;
        }
        writeln!(f)?;
        for (kind, n) in EffectKind::ALL.into_iter().zip(all.kinds) {
            write!(f, "{} {:.0} %  ", kind.name(), percent(all.share(n)))?;
        }
        writeln!(f)
    }
}
