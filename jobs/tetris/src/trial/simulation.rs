//! The simulation that the experiments share: games of a player.

use std::ops::ControlFlow;

use hatchery_core::{
    SceneBase, SceneSink, SceneWriter, Simulation, StreamRng, SubjectStreams, TrialContext,
    TrialPulse, Work,
};

use super::results::GameTally;
use super::scene;
use super::setup::{GameSettings, TetrisPlayer};
use crate::batch::{
    BeatingEpisodes, InstructionSet, NewGame, WholeGames, can_share_vectors, play_episodes,
};
use crate::dealing::PieceTickets;
use crate::players::{Controller, PlacementPolicy};
use crate::splitting::{SplittingConfig, SplittingReplicate};

/// The number of games that fills most groups: a power of two above the 7 x 32 lanes for all
/// pieces, as job sizes are.
const FULL_LANES: u32 = 256;

/// Games of Tetris, or replicates of their estimate by splitting.
#[derive(Debug)]
pub struct TetrisGames;

impl Simulation for TetrisGames {
    /// The number of games from which on larger jobs hardly gain: lanes are empty only while the
    /// last, longest games end.
    const BATCH: u32 = 8192;

    type Shared = ();
    type Subject = TetrisPlayer;
    type Tally = GameTally;

    /// Games of linear controllers and networks that are not in vectors take five times as long. A
    /// replicate, and the look-ahead of a few games, fill the lanes alone. Controllers that weigh
    /// the surface are never in vectors, and neither are games with known next pieces.
    fn lanes(player: &TetrisPlayer) -> u32 {
        let PlacementPolicy { controller, lookahead } = &player.policy;
        let is_scalar =
            matches!(controller, Controller::Surface(_)) || player.game.rules.queue.has_preview();
        let alone = player.splitting.is_some() || lookahead.is_some() || is_scalar;
        if alone { 1 } else { FULL_LANES }
    }

    /// Plays the player's game with the pieces that `rng` deals, or its replicate.
    fn trial(
        (): &(),
        player: &TetrisPlayer,
        rng: StreamRng,
        context: &TrialContext<'_>,
    ) -> GameTally {
        let TetrisPlayer { policy, game: GameSettings { rules, pieces, cap }, .. } = player;
        if player.splitting.is_some() {
            return replicates(player, &mut std::iter::once(rng), &mut context.pulse(0));
        }
        let tickets = PieceTickets::new(&player.dealing, *pieces);
        let score = policy.play(*rules, *cap, tickets.dealer(rng), |_| {});
        GameTally {
            lines: vec![score.lines],
            pieces: score.pieces,
            capped: u64::from(score.capped),
            splits: Vec::new(),
        }
    }

    /// Plays the games of players whose policies can share vectors side by side.
    fn trials(
        (): &(),
        mut batch: Vec<SubjectStreams<'_, TetrisPlayer>>,
        context: &TrialContext<'_>,
    ) -> Vec<GameTally> {
        let mut pulse = context.pulse(0);
        let mut tallies: Vec<_> = batch.iter().map(|_| GameTally::default()).collect();
        for idx in 0..batch.len() {
            let SubjectStreams { subject, streams } = &mut batch[idx];
            if subject.splitting.is_some() && pulse.step().is_continue() {
                tallies[idx] = replicates(subject, streams, &mut pulse);
            }
        }
        for group in groups(&batch) {
            if pulse.step().is_break() {
                break;
            }
            play_group(&group, &mut batch, &mut pulse, &mut tallies);
        }
        tallies
    }

    fn work(games: &GameTally) -> Vec<Work> {
        vec![Work::new("pieces", games.pieces), Work::new("games", games.lines.len() as u64)]
    }

    /// Shows a game, a frame for each move; of a replicate, a frame for each level.
    fn replay(
        (): &(),
        player: &TetrisPlayer,
        rng: StreamRng,
        context: &TrialContext<'_>,
        sink: &mut dyn SceneSink,
    ) -> ControlFlow<()> {
        let TetrisPlayer { policy, game, dealing, splitting } = player;
        let GameSettings { rules, pieces, cap } = *game;
        let tickets = PieceTickets::new(dealing, pieces);
        if let Some(splitting) = splitting {
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
        let score = policy.play(rules, cap, tickets.dealer(rng), |made| {
            if flow.is_break() {
                return;
            }
            n_pieces += 1;
            n_lines += u64::from(made.outcome.n_lines);
            let caption = format!("piece {n_pieces}: {}, {n_lines} lines", made.piece.letter());
            let caption = caption + &scene::to_come(&made.supply);
            flow = scene.show(caption, scene::things(made));
        });
        flow?;
        let end = if score.capped { "stopped by its cap" } else { "over" };
        scene.say(format!("the game is {end}: {} lines with {} pieces", score.lines, score.pieces))
    }
}

/// Returns the indices of the players that can play side by side, for each such group. Those whose
/// trials are replicates are in none.
fn groups(batch: &[SubjectStreams<'_, TetrisPlayer>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (idx, SubjectStreams { subject, .. }) in batch.iter().enumerate() {
        if subject.splitting.is_some() {
            continue;
        }
        let fits = |group: &&mut Vec<usize>| {
            let first = batch[group[0]].subject;
            first.game.rules == subject.game.rules
                && can_share_vectors(&first.policy, &subject.policy)
        };
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(idx),
            None => groups.push(vec![idx]),
        }
    }
    groups
}

/// Plays the games of a group of players side by side.
fn play_group(
    group: &[usize],
    batch: &mut [SubjectStreams<'_, TetrisPlayer>],
    pulse: &mut TrialPulse<'_>,
    tallies: &mut [GameTally],
) {
    let subjects: Vec<_> = group.iter().map(|&idx| batch[idx].subject).collect();
    let policies: Vec<_> = subjects.iter().map(|subject| &subject.policy).collect();
    let rules = subjects[0].game.rules;
    let tickets: Vec<_> = subjects
        .iter()
        .map(|subject| PieceTickets::new(&subject.dealing, subject.game.pieces))
        .collect();
    // Streams are asked for only as games begin: a trial is done when a later one begins.
    let streams = batch.iter_mut().enumerate();
    let streams = streams.filter(|(idx, _)| group.binary_search(idx).is_ok());
    let mut games = streams.enumerate().flat_map(|(player, (_, subject))| {
        let (cap, tickets) = (subject.subject.game.cap, &tickets[player]);
        let new = move |rng| NewGame { player, cap, dealer: tickets.dealer(rng) };
        subject.streams.map(new)
    });
    let mut games = WholeGames::new(rules, &mut games);
    let mut beating = BeatingEpisodes { source: &mut games, pulse };
    play_episodes(&policies, rules, &mut beating, InstructionSet::fastest());
    for (player, score) in games.scores {
        let GameTally { lines, pieces, capped, splits: _ } = &mut tallies[group[player]];
        lines.push(score.lines);
        *pieces += score.pieces;
        *capped += u64::from(score.capped);
    }
}

/// Returns the tally of the replicates of a player.
fn replicates(
    player: &TetrisPlayer,
    streams: &mut dyn Iterator<Item = StreamRng>,
    pulse: &mut TrialPulse<'_>,
) -> GameTally {
    let splitting = player.splitting.as_ref().expect("the trials of the player are replicates");
    let tickets = PieceTickets::new(&player.dealing, player.game.pieces);
    let split = |rng| replicate(player, splitting, &tickets, &rng, pulse);
    let splits: Vec<_> = streams.map(split).map_while(ControlFlow::continue_value).collect();
    let pieces = splits.iter().map(|split| split.work).sum();
    GameTally { pieces, splits, ..GameTally::default() }
}

fn replicate(
    player: &TetrisPlayer,
    splitting: &SplittingConfig,
    tickets: &PieceTickets<'_>,
    rng: &StreamRng,
    pulse: &mut TrialPulse<'_>,
) -> ControlFlow<(), SplittingReplicate> {
    let dealer = |part| tickets.dealer(rng.part(part));
    splitting.beating_replicate(&player.policy, player.game.rules, &dealer, pulse)
}
