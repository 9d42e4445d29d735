//! The experiments that hatchery knows. Adding one is one line.

use hatchery_birds::{BirdsAdapt, BirdsEvaluate, BirdsGenerate};
use hatchery_burn::Burn;
use hatchery_catan::{CatanBalance, CatanDesign};
use hatchery_core::{Catalog, erased};
use hatchery_othello::{OthelloAdjust, OthelloLadder, OthelloMatch};
use hatchery_othellonia::{
    OthelloniaImitate, OthelloniaImpact, OthelloniaLogs, OthelloniaMatrix, OthelloniaRepresent,
    OthelloniaSelfplay,
};
use hatchery_pig::Pig;
use hatchery_tetris::{TetrisCompare, TetrisEvaluate, TetrisEvolve};

/// All experiments, in the order in which they are listed to a person.
pub const CATALOG: Catalog = Catalog(&[
    erased::<TetrisEvolve>(),
    erased::<TetrisEvaluate>(),
    erased::<TetrisCompare>(),
    erased::<CatanBalance>(),
    erased::<CatanDesign>(),
    erased::<OthelloMatch>(),
    erased::<OthelloLadder>(),
    erased::<OthelloAdjust>(),
    erased::<BirdsGenerate>(),
    erased::<BirdsEvaluate>(),
    erased::<BirdsAdapt>(),
    erased::<OthelloniaMatrix>(),
    erased::<OthelloniaLogs>(),
    erased::<OthelloniaRepresent>(),
    erased::<OthelloniaImitate>(),
    erased::<OthelloniaSelfplay>(),
    erased::<OthelloniaImpact>(),
    erased::<Pig>(),
    erased::<Burn>(),
]);
