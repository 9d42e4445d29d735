//! The games of this build, each with its experiments. Adding a game takes one line.

use hatchery_core::Catalog;

/// All experiments, in the order of lists for people.
///
/// A `static`, so that the code of the experiments is generated once, in this crate, and not again
/// in each program.
pub static CATALOG: Catalog = Catalog(&[
    &hatchery_tetris::EXPERIMENTS,
    &hatchery_catan::EXPERIMENTS,
    &hatchery_othello::EXPERIMENTS,
    &hatchery_birds::EXPERIMENTS,
    &hatchery_othellonia::EXPERIMENTS,
    &hatchery_pig::EXPERIMENTS,
    &hatchery_burn::EXPERIMENTS,
]);
