//! hatchery
fn main() {}
