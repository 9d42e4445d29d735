//! Own games in both engines: the same results to the bit, and the same failures to the letter.

mod calls;
mod common;
mod floats;
mod fuzz;
mod hostile;
mod pig;
mod rules;
