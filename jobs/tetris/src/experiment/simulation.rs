//! The simulation that the experiments share: games of a player.

use std::ops::ControlFlow;

use hatchery_core::{
    SceneBase, SceneSink, SceneWriter, Simulation, StreamRng, TrialContext, TrialPulse, Work,
};

use crate::batch::{BeatingEpisodes, InstructionSet, PieceDealer, WholeGames, play_episodes};
use crate::rules::{Piece, PieceWeights};
use crate::scene;
use crate::splitting::{SplittingConfig, SplittingReplicate};
use crate::wire::{GameSettings, GameTally, TetrisPlayer};

/// Games of Tetris, or replicates of their estimate by splitting.
#[derive(Debug)]
pub struct TetrisGames;

impl Simulation for TetrisGames {
    /// The number of games of one player that fills the lanes until nearly the last of them ends.
    const BATCH: u32 = 2048;

    type Shared = ();
    type Subject = TetrisPlayer;
    type Tally = GameTally;

    /// Plays the player's game with the pieces that `rng` deals, or its replicate.
    fn trial(
        (): &(),
        player: &TetrisPlayer,
        mut rng: StreamRng,
        context: &TrialContext<'_>,
    ) -> GameTally {
        let TetrisPlayer { policy, game: GameSettings { rules, pieces, cap }, splitting } = player;
        if splitting.is_some() {
            return Self::trials(&(), player, std::iter::once(rng), context);
        }
        let deal = || pieces.piece(rng.below(pieces.sum()));
        let score = policy.play(*rules, *cap, deal, |_| {});
        GameTally {
            lines: vec![score.lines],
            pieces: score.pieces,
            capped: u64::from(score.capped),
            splits: Vec::new(),
        }
    }

    /// Plays the player's games with the pieces that `streams` deal, or its replicates.
    fn trials(
        (): &(),
        player: &TetrisPlayer,
        streams: impl Iterator<Item = StreamRng>,
        context: &TrialContext<'_>,
    ) -> GameTally {
        let TetrisPlayer { policy, game: GameSettings { rules, pieces, cap }, splitting } = player;
        let tickets = PieceTickets::new(*pieces);
        let mut pulse = context.pulse(0);
        if let Some(splitting) = splitting {
            let split = |rng| replicate(player, splitting, &tickets, &rng, &mut pulse);
            let splits: Vec<_> =
                streams.map(split).map_while(ControlFlow::continue_value).collect();
            let pieces = splits.iter().map(|split| split.work).sum();
            return GameTally { pieces, splits, ..GameTally::default() };
        }
        let mut dealers = streams.map(|rng| tickets.dealer(rng));
        let mut games = WholeGames::new(*rules, *cap, &mut dealers);
        let mut beating = BeatingEpisodes { source: &mut games, pulse: &mut pulse };
        play_episodes(policy, *rules, &mut beating, InstructionSet::fastest());
        let scores = games.scores;
        let lines: Vec<_> = scores.iter().map(|score| score.lines).collect();
        let pieces = scores.iter().map(|score| score.pieces).sum();
        let capped = scores.iter().filter(|score| score.capped).count();
        GameTally { lines, pieces, capped: capped as u64, splits: Vec::new() }
    }

    fn work(games: &GameTally) -> Vec<Work> {
        vec![Work::new("pieces", games.pieces), Work::new("games", games.lines.len() as u64)]
    }

    /// Shows a game, a frame for each move; of a replicate, a frame for each level.
    fn replay(
        (): &(),
        player: &TetrisPlayer,
        mut rng: StreamRng,
        context: &TrialContext<'_>,
        sink: &mut dyn SceneSink,
    ) -> ControlFlow<()> {
        let TetrisPlayer { policy, game: GameSettings { rules, pieces, cap }, splitting } = player;
        let (rules, cap) = (*rules, *cap);
        if let Some(splitting) = splitting {
            let tickets = PieceTickets::new(*pieces);
            let split = replicate(player, splitting, &tickets, &rng, &mut context.pulse(0))?;
            let (n, rises) = (split.pieces, split.rises);
            let mut scene = SceneWriter::begin(sink, &SceneBase::captions())?;
            scene
                .say(format!("{rises} rises to height {} in {n} pieces", splitting.first_level))?;
            for (level, height) in split.levels.iter().zip(splitting.levels(rules.size)) {
                let (begun, reached) = (level.begun, level.reached);
                scene.say(format!("from height {height}: {reached} of {begun} went on"))?;
            }
            return scene.say(format!("a game ends once in {:.3e} pieces", 1.0 / split.hazard()));
        }
        let mut scene = SceneWriter::begin(sink, &scene::base(rules.size))?;
        let (mut n_pieces, mut n_lines) = (0_u64, 0_u64);
        let mut flow = ControlFlow::Continue(());
        let deal = || pieces.piece(rng.below(pieces.sum()));
        let score = policy.play(rules, cap, deal, |made| {
            if flow.is_break() {
                return;
            }
            n_pieces += 1;
            n_lines += u64::from(made.outcome.n_lines);
            let caption = format!("piece {n_pieces}: {}, {n_lines} lines", made.piece.letter());
            flow = scene.show(caption, scene::things(made));
        });
        flow?;
        let end = if score.capped { "stopped by its cap" } else { "over" };
        scene.say(format!("the game is {end}: {} lines with {} pieces", score.lines, score.pieces))
    }
}

fn replicate(
    player: &TetrisPlayer,
    splitting: &SplittingConfig,
    tickets: &PieceTickets,
    rng: &StreamRng,
    pulse: &mut TrialPulse<'_>,
) -> ControlFlow<(), SplittingReplicate> {
    let dealer = |part| tickets.dealer(rng.part(part));
    splitting.beating_replicate(&player.policy, player.game.rules, &dealer, pulse)
}

/// The pieces by ticket number.
struct PieceTickets(Vec<Piece>);

impl PieceTickets {
    fn new(pieces: PieceWeights) -> Self {
        Self((0..pieces.sum()).map(|ticket| pieces.piece(ticket)).collect())
    }

    fn dealer(&self, mut rng: StreamRng) -> PieceDealer<'_> {
        let n_tickets = u32::try_from(self.0.len()).expect("at most seven times 1,000");
        Box::new(move || self.0[rng.below(n_tickets) as usize])
    }
}
