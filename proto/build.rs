//! Generates messages and services from `hatchery/v1/*.proto`.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=hatchery");
    let files = protox::compile(["hatchery/v1/worker.proto"], ["."])?;
    tonic_prost_build::configure().compile_fds(files)?;
    Ok(())
}
