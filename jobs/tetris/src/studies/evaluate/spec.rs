//! The spec of `tetris-evaluate`.

use std::collections::BTreeMap;

use hatchery_core::InvalidValue;
use hatchery_core::spec::FileList;
use hatchery_core::text::counted;
use hatchery_stats::{MIN_REPLICATES, correlation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dealing::PieceSequence;
use crate::params::controller_params::ControllerParams;
use crate::params::estimator_param::EstimatorParam;
use crate::params::game_params::{self, DrawParams, GameParams, PieceParams};
use crate::players::PlacementPolicy;
use crate::rules::{BoardSize, GameRules, OverflowRule};
use crate::splitting::SplittingConfig;
use crate::studies::genotype::{MAX_SCORES, SCORES};
use crate::trial::setup::{GameSettings, TetrisPlayer};

/// The most combinations of a controller, a board and a way to draw: each is a subject, and has a
/// row of the table.
const MAX_COMBINATIONS: u64 = 100_000;

/// The most pieces of lists in all combinations: each combination has a copy of its list.
const MAX_LISTED: u64 = 10_000_000;

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
    pub splitting: SplittingConfig,
    /// The rule for a piece that reaches above the top.
    #[serde(default = "ends_game")]
    #[schemars(extend("x-source" = "MDPTetris, allow_lines_after_overflow"))]
    pub overflow: OverflowRule,
    /// A game is stopped after this many pieces; the number of stopped games is a measure.
    #[serde(default = "max_pieces")]
    #[schemars(range(min = 1, max = 1_000_000_000_000_u64), extend("x-source" = "ours"))]
    pub max_pieces: u64,
    /// True to correlate the controllers' means between conditions: each with the first. Without
    /// it, false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub correlate: bool,
    /// The boards. A good controller plays for hours on 10x20.
    #[serde(default = "standard_board")]
    #[schemars(length(min = 1, max = 100))]
    pub boards: Vec<BoardSize>,
    /// The ways to draw pieces.
    #[serde(default = "uniform_draws")]
    #[schemars(length(min = 1, max = 100))]
    pub draws: Vec<DrawParams>,
    /// The controllers.
    #[schemars(length(min = 1, max = 1000))]
    pub controllers: FileList<ControllerParams>,
}

/// A spec whose parameters fit together.
#[derive(Debug)]
pub struct CheckedEvaluate {
    pub(super) spec: EvaluateSpec,
    /// Each combination with its name, such as `bcts/10x20/uniform`.
    pub(super) players: Vec<(String, TetrisPlayer)>,
}

impl EvaluateSpec {
    /// Returns each combination with its name, such as `bcts/10x20/uniform`.
    fn combinations(&self) -> Result<Vec<(String, TetrisPlayer)>, InvalidValue> {
        let mut all = Vec::new();
        for (c, params) in self.controllers.iter().enumerate() {
            let controller = params.controller(&format!("controllers.{c}"))?;
            let lookahead = params.lookahead;
            if let Some(lookahead) = lookahead {
                let queues = self.draws.iter().map(|draw| draw.queue);
                lookahead.check_used(&format!("controllers.{c}.lookahead"), queues)?;
            }
            for (b, &size) in self.boards.iter().enumerate() {
                let keys = [format!("controllers.{c}"), format!("boards.{b}")];
                params.check_width(&keys[0], size.width(), &keys[1])?;
                let splitting = self.estimator.splitting(&self.splitting, size, "splitting")?;
                for (d, draw) in self.draws.iter().enumerate() {
                    let game = self.game(size, draw, &format!("draws.{d}"))?;
                    let dealing = draw.dealing(&format!("draws.{d}"))?;
                    let pieces = game.pieces;
                    let name = format!("{}/{size}/{}", params.name, draw.name);
                    let lookahead = lookahead.map(|params| params.lookahead(pieces));
                    let policy = PlacementPolicy { controller: controller.clone(), lookahead };
                    let splitting = splitting.clone();
                    all.push((name, TetrisPlayer { policy, game, dealing, splitting }));
                }
            }
        }
        Ok(all)
    }

    /// Returns the settings of games on a board of `size`; `key` is the key of `draw` in the spec.
    fn game(
        &self,
        size: BoardSize,
        draw: &DrawParams,
        key: &str,
    ) -> Result<GameSettings, InvalidValue> {
        let under = |invalid: InvalidValue| invalid.under(key);
        let pieces = draw.pieces.weights(&format!("{key}.pieces"))?;
        let queue = draw.queue;
        queue.check(size, pieces).map_err(|invalid| under(invalid.under("queue")))?;
        let cap = match draw.dealing(key)? {
            PieceSequence::Listed(list) => {
                self.max_pieces.min(list.n_placed(queue).map_err(under)?)
            }
            PieceSequence::Drawn | PieceSequence::Seeded(_) => self.max_pieces,
        };
        Ok(GameSettings { rules: GameRules { size, overflow: self.overflow, queue }, pieces, cap })
    }

    /// Returns the number of trials that a combination with this way to draw has: one game if the
    /// pieces are fixed.
    pub(super) fn n_trials(&self, draw: &DrawParams) -> u32 {
        if draw.is_fixed() { 1 } else { self.games }
    }

    /// Rejects a correlation of too few controllers or conditions.
    fn check_correlation(&self) -> Result<(), InvalidValue> {
        let (n_controllers, n_conditions) =
            (self.controllers.len(), self.boards.len() * self.draws.len());
        if !self.correlate || (correlation::MIN_POINTS <= n_controllers && 2 <= n_conditions) {
            return Ok(());
        }
        let expected = format!(
            "false with {} in {}: a correlation needs at least {} controllers and 2 conditions",
            counted(n_controllers, "controller"),
            counted(n_conditions, "condition"),
            correlation::MIN_POINTS,
        );
        Err(InvalidValue::new("correlate", &self.correlate, expected))
    }

    /// Rejects fixed pieces with splitting, which needs others in each of its games.
    fn check_dealing(&self) -> Result<(), InvalidValue> {
        let fixed = self.draws.iter().position(DrawParams::is_fixed);
        match (self.estimator, fixed) {
            (EstimatorParam::Splitting, Some(d)) => {
                let expected = "games, with the pieces of a list or a seed";
                Err(InvalidValue::new("estimator", &format!("splitting with draws.{d}"), expected))
            }
            _ => Ok(()),
        }
    }

    /// Rejects more scores than fit, before any combination is created.
    fn check_size(&self) -> Result<(), InvalidValue> {
        let factors = [
            (u64::from(self.games), "games"),
            (self.controllers.len() as u64, "controllers"),
            (self.boards.len() as u64, "boards"),
            (self.draws.len() as u64, "draws"),
        ];
        InvalidValue::check_product("games", &factors, SCORES, MAX_SCORES)?;
        let what = "combinations";
        InvalidValue::check_product("controllers", &factors[1..], what, MAX_COMBINATIONS)?;
        let lists = self.draws.iter().filter_map(|draw| draw.list.as_ref());
        let n_listed = lists.map(|list| list.0.len() as u64).sum();
        let factors = [factors[1], factors[2], (n_listed, "pieces of lists")];
        InvalidValue::check_product("controllers", &factors, "copies of pieces", MAX_LISTED)
    }

    /// Checks that names are valid, and that no name and no board occurs twice. Returns the
    /// combinations.
    fn named_players(&self) -> Result<Vec<(String, TetrisPlayer)>, InvalidValue> {
        let controllers = self.controllers.iter().map(|controller| controller.name.as_str());
        let draws = self.draws.iter().map(|draw| draw.name.as_str());
        let keys = (0..).map(|c| format!("controllers.{c}.name")).zip(controllers);
        let keys = keys.chain((0..).map(|d| format!("draws.{d}.name")).zip(draws));
        for (key, name) in keys {
            game_params::check_name(key, name)?;
        }
        let draws: Vec<_> = self.draws.iter().map(|draw| draw.name.as_str()).collect();
        let controllers: Vec<_> = self.controllers.iter().map(|it| it.name.as_str()).collect();
        for (list, all) in [("draws", draws), ("controllers", controllers)] {
            let mut first = BTreeMap::new();
            for (idx, name) in all.into_iter().enumerate() {
                if let Some(other) = first.insert(name, idx) {
                    let expected = format!("another name than {list}.{other} has");
                    return Err(InvalidValue::new(format!("{list}.{idx}.name"), &name, expected));
                }
            }
        }
        let players = self.combinations()?;
        let mut names: Vec<_> = players.iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => {
                Err(InvalidValue::new("boards", &format!("{} twice", pair[0]), "different boards"))
            }
            None => Ok(players),
        }
    }

    /// Checks the relations between parameters.
    pub(super) fn checked(self) -> Result<CheckedEvaluate, InvalidValue> {
        self.check_size()?;
        let players = self.named_players()?;
        self.check_dealing()?;
        self.check_correlation()?;
        let few = (self.games as usize) < MIN_REPLICATES;
        if self.estimator == EstimatorParam::Splitting && few {
            let expected = format!("at least {MIN_REPLICATES} replicates, for an interval");
            return Err(InvalidValue::new("games", &self.games, expected));
        }
        Ok(CheckedEvaluate { spec: self, players })
    }
}

fn ends_game() -> OverflowRule {
    GameParams::default().overflow
}

fn max_pieces() -> u64 {
    GameParams::default().max_pieces
}

fn standard_board() -> Vec<BoardSize> {
    vec![BoardSize::STANDARD]
}

fn uniform_draws() -> Vec<DrawParams> {
    vec![DrawParams::new("uniform", PieceParams::default())]
}
