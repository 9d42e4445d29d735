//! The program with the experiments of this repository.

use std::process::ExitCode;

fn main() -> ExitCode {
    hatchery::main(&[])
}
