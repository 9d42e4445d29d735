//! Generates messages and services from `hatchery/v1/*.proto`.

use std::error::Error;
use std::path::PathBuf;

use prost::Message;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=hatchery");
    let files = protox::compile(["hatchery/v1/worker.proto", "hatchery/v1/control.proto"], ["."])?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("descriptors.bin"), files.encode_to_vec())?;
    tonic_prost_build::configure()
        // It holds a secret: `src/identity.rs` has its `Debug`.
        .skip_debug([".hatchery.v1.Hello"])
        // Cut from larger bytes without a copy.
        .bytes(".hatchery.v1.ByteChunk")
        .compile_fds(files)?;
    Ok(())
}
