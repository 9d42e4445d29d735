//! evolve
