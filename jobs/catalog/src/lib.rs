//! The games that hatchery knows, each with its experiments. Adding one is one line.

use hatchery_core::Catalog;

/// All experiments, in the order in which they are listed to a person.
///
/// A `static`, so that their code is generated in this crate, once, and not in each program again.
pub static CATALOG: Catalog = Catalog(&[
    &hatchery_tetris::EXPERIMENTS,
    &hatchery_catan::EXPERIMENTS,
    &hatchery_othello::EXPERIMENTS,
    &hatchery_birds::EXPERIMENTS,
    &hatchery_othellonia::EXPERIMENTS,
    &hatchery_pig::EXPERIMENTS,
    &hatchery_burn::EXPERIMENTS,
]);
