//! `tetris-evaluate`: the lines that controllers clear, with honest intervals.

mod table;

use hatchery_core::{
    Draws, Exhibit, Experiment, GenerationSeed, InvalidParam, Measure, Plan, Preset, Series, Step,
};
use hatchery_stats::MIN_REPLICATES;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::estimator::{EstimatorParam, PlayerResults, SplittingParams};
use super::names;
use super::params::{
    BoardParams, ControllerParams, DrawParams, GameParams, OverflowParam, PieceParams,
};
use super::simulation::TetrisGames;
use crate::players::PlacementPolicy;
use crate::rules::{BoardSize, GameRules};
use crate::wire::{GameSettings, GameTally, TetrisPlayer};

/// Controllers x boards x ways to draw pieces: the score of each combination.
#[derive(Debug)]
pub struct TetrisEvaluate;

/// The parameters of `tetris-evaluate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvaluateSpec {
    /// Games of each controller on each board with each way to draw pieces; with splitting,
    /// replicates of the estimate: 6 or more.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub games: u32,
    /// The way scores are measured.
    #[serde(default)]
    pub estimator: EstimatorParam,
    /// The parameters of splitting.
    #[serde(default)]
    pub splitting: SplittingParams,
    /// The rule for a piece that reaches above the top.
    #[serde(default = "ends_game")]
    #[schemars(extend("x-source" = "MDPTetris, allow_lines_after_overflow"))]
    pub overflow: OverflowParam,
    /// A game is stopped after this many pieces; the number of stopped games is a measure.
    #[serde(default = "max_pieces")]
    #[schemars(range(min = 1, max = 1_000_000_000_000_u64), extend("x-source" = "ours"))]
    pub max_pieces: u64,
    /// The boards. A good controller plays for hours on 10x20.
    #[serde(default = "standard_board")]
    #[schemars(length(min = 1, max = 100))]
    pub boards: Vec<BoardParams>,
    /// The ways to draw pieces.
    #[serde(default = "uniform_draws")]
    #[schemars(length(min = 1, max = 100))]
    pub draws: Vec<DrawParams>,
    /// The controllers.
    #[schemars(length(min = 1, max = 1000))]
    pub controllers: Vec<ControllerParams>,
}

fn ends_game() -> OverflowParam {
    GameParams::default().overflow
}

fn max_pieces() -> u64 {
    GameParams::default().max_pieces
}

fn standard_board() -> Vec<BoardParams> {
    let (width, height) = (BoardSize::STANDARD.width(), BoardSize::STANDARD.height());
    vec![BoardParams { width, height }]
}

fn uniform_draws() -> Vec<DrawParams> {
    vec![DrawParams { name: "uniform".to_owned(), pieces: PieceParams::default() }]
}

/// The trials of each combination, in the order of the plan; none before they are played.
#[derive(Debug, Serialize, Deserialize)]
pub struct EvaluateState(Vec<PlayerResults>);

impl EvaluateSpec {
    /// Returns each combination with its name, such as `bcts/10x20/uniform`.
    fn combinations(&self) -> Result<Vec<(String, TetrisPlayer)>, InvalidParam> {
        let mut all = Vec::new();
        for (c, params) in self.controllers.iter().enumerate() {
            let controller = params.controller(&format!("controllers.{c}"))?;
            let lookahead = params.lookahead;
            for (b, board) in self.boards.iter().enumerate() {
                let size = board.size(&format!("boards.{b}"))?;
                let splitting = self.estimator.splitting(&self.splitting, size, "splitting")?;
                for (d, draw) in self.draws.iter().enumerate() {
                    let pieces = draw.pieces.weights(&format!("draws.{d}.pieces"))?;
                    let rules = GameRules { size, overflow: self.overflow.into() };
                    let game = GameSettings { rules, pieces, cap: self.max_pieces };
                    let BoardParams { width, height } = board;
                    let name = format!("{}/{width}x{height}/{}", params.name, draw.name);
                    let lookahead = lookahead.map(|params| params.lookahead(pieces));
                    let policy = PlacementPolicy { controller: controller.clone(), lookahead };
                    all.push((name, TetrisPlayer { policy, game, splitting }));
                }
            }
        }
        Ok(all)
    }

    /// Checks that names are valid and no combination occurs twice.
    fn check_names(&self) -> Result<(), InvalidParam> {
        let controllers = self.controllers.iter().map(|controller| controller.name.as_str());
        let draws = self.draws.iter().map(|draw| draw.name.as_str());
        let keys = (0..).map(|c| format!("controllers.{c}.name")).zip(controllers);
        let keys = keys.chain((0..).map(|d| format!("draws.{d}.name")).zip(draws));
        for (key, name) in keys {
            names::check(key, name)?;
        }
        let mut names: Vec<_> = self.combinations()?.into_iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => {
                let expected = "different names, boards and ways to draw";
                Err(InvalidParam::new("controllers", &format!("{} twice", pair[0]), expected))
            }
            None => Ok(()),
        }
    }

    fn checked(&self) -> Vec<(String, TetrisPlayer)> {
        self.combinations().expect("begin has checked the spec")
    }
}

impl Experiment for TetrisEvaluate {
    const NAME: &'static str = "tetris-evaluate";
    const VERSION: u32 = 3;
    const SUMMARY: &'static str = "how many lines Tetris controllers clear, with intervals";
    const PRESETS: &'static [Preset] = &[
        Preset { name: "quick", text: include_str!("../../specs/evaluate-quick.toml") },
        Preset { name: "published", text: include_str!("../../specs/evaluate-published.toml") },
        Preset { name: "proxies", text: include_str!("../../specs/evaluate-proxies.toml") },
        Preset { name: "paper", text: include_str!("../../specs/evaluate-paper.toml") },
        Preset { name: "people", text: include_str!("../../specs/evaluate-people.toml") },
        Preset { name: "table", text: include_str!("../../specs/evaluate-table.toml") },
        Preset { name: "speed", text: include_str!("../../specs/evaluate-speed.toml") },
        Preset {
            name: "speed-network",
            text: include_str!("../../specs/evaluate-speed-network.toml"),
        },
        Preset { name: "smoke", text: include_str!("../../specs/evaluate-smoke.toml") },
    ];

    type Simulation = TetrisGames;
    type Spec = EvaluateSpec;
    type State = EvaluateState;

    fn generations(_spec: &EvaluateSpec) -> u32 {
        1
    }

    fn begin(spec: &EvaluateSpec, _seed: &GenerationSeed) -> Result<EvaluateState, InvalidParam> {
        spec.check_names()?;
        let few = (spec.games as usize) < MIN_REPLICATES;
        if spec.estimator == EstimatorParam::Splitting && few {
            let expected = format!("at least {MIN_REPLICATES} replicates, for an interval");
            return Err(InvalidParam::new("games", &spec.games, expected));
        }
        Ok(EvaluateState(Vec::new()))
    }

    fn plan(spec: &EvaluateSpec, _state: &EvaluateState) -> Plan<TetrisGames> {
        let players = spec.checked().into_iter();
        let series = players.map(|(_, subject)| Series { subject, n_trials: spec.games });
        // Common random numbers gain nothing here: scores of two controllers on the same pieces
        // hardly correlate.
        Plan { shared: (), series: series.collect(), draws: Draws::PerSubject }
    }

    fn fold(
        _: &EvaluateSpec,
        _: EvaluateState,
        tallies: Vec<GameTally>,
        _: &GenerationSeed,
    ) -> Step<EvaluateState> {
        Step::Done(EvaluateState(tallies.into_iter().map(PlayerResults::from).collect()))
    }

    fn measures(spec: &EvaluateSpec, EvaluateState(all): &EvaluateState) -> Vec<Measure> {
        let played = spec.checked().into_iter().zip(all);
        played
            .flat_map(|((name, player), played)| {
                played.measures(&|what| format!("{name}/{what}"), &player)
            })
            .collect()
    }

    fn exhibits(spec: &EvaluateSpec, EvaluateState(all): &EvaluateState) -> Vec<Exhibit> {
        let (file, head) = match spec.estimator {
            EstimatorParam::Games => ("scores.csv", "combination,game,lines"),
            EstimatorParam::Splitting => {
                ("splits.csv", "combination,replicate,height,begun,reached")
            }
        };
        let mut rows = vec![head.to_owned()];
        for ((name, player), PlayerResults { lines, splits, .. }) in spec.checked().iter().zip(all)
        {
            let scores = lines.iter().zip(0..);
            rows.extend(scores.map(|(lines, game)| format!("{name},{game},{lines}")));
            let Some(splitting) = &player.splitting else { continue };
            let levels = splitting.levels(player.game.rules.size);
            for (split, replicate) in splits.iter().zip(0..) {
                rows.push(format!("{name},{replicate},0,{},{}", split.pieces, split.rises));
                rows.extend(split.levels.iter().zip(&levels).map(|(level, height)| {
                    format!("{name},{replicate},{height},{},{}", level.begun, level.reached)
                }));
            }
        }
        let table = table::markdown(spec, all);
        vec![
            Exhibit::new("table.md", "text/markdown", table),
            Exhibit::new(file, "text/csv", rows.join("\n") + "\n"),
        ]
    }
}
