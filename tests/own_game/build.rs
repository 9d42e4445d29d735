//! Builds a crate outside of this repository against the libraries that the check has compiled.
//!
//! `cargo build` in the new folder would compile hatchery a second time, and every dependency that
//! has other features than here: minutes. So cargo only reads the manifest and tells where the
//! libraries of this check are, and `rustc` compiles the crate itself. Nothing in the target folder
//! of the check changes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{Message, MetadataCommand, TargetKind};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The command that has built everything that the crate needs.
const USAGE: &str = "test with `cargo test --workspace --all-features --locked --test own_game`";

/// The libraries that this test program is linked with, by name, and their folder.
struct CheckLibraries {
    files: BTreeMap<String, PathBuf>,
    folder: PathBuf,
}

impl CheckLibraries {
    /// Asks cargo for the libraries of this test program, which are all built.
    fn find() -> Self {
        let program = std::env::current_exe().unwrap();
        let folder = program.parent().unwrap().to_owned();
        let mut cargo = command(env!("CARGO"));
        cargo.current_dir(ROOT).args(["test", "--workspace", "--locked", "--offline"]);
        cargo.args(["--no-run", "--test", "own_game", "--message-format", "json"]);
        if cfg!(feature = "faults") {
            cargo.arg("--all-features");
        }
        let profile = folder.parent().unwrap().file_name().unwrap().to_str().unwrap();
        if profile != "debug" {
            cargo.args(["--profile", profile]);
        }
        let output = cargo.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "cargo finds no libraries:\n{said}");
        let mut files = BTreeMap::new();
        for message in Message::parse_stream(&output.stdout[..]) {
            let Message::CompilerArtifact(built) = message.unwrap() else { continue };
            assert!(built.fresh, "{} was compiled again: {USAGE}", built.target.name);
            let library = built.filenames.iter().find(|it| it.extension() == Some("rlib"));
            if let (true, Some(file)) = (built.target.kind.contains(&TargetKind::Lib), library) {
                files.insert(built.target.name.replace('-', "_"), file.into());
            }
        }
        Self { files, folder }
    }

    /// Returns a compiler of the edition with the flags of `.cargo/config.toml`, which sees these
    /// libraries.
    fn compiler(&self, edition: &str, seen: &[String]) -> Command {
        let mut rustc = command("rustc");
        rustc.args(["--edition", edition, "-C", "opt-level=2", "-C", "lto=off"]);
        rustc.arg("-L").arg(format!("dependency={}", self.folder.display()));
        for name in seen {
            rustc.arg("--extern").arg(format!("{name}={}", self.files[name].display()));
        }
        rustc
    }
}

/// A crate that is compiled.
pub(crate) struct BuiltCrate {
    pub(crate) program: PathBuf,
    /// The program in `src/bin/other.rs`.
    pub(crate) other: PathBuf,
    /// The crate's own tests.
    pub(crate) tests: PathBuf,
}

/// Compiles the library, the programs and the tests of the crate `name` in `folder`. All may use
/// the dependencies in its manifest, and the programs and the tests may use the library.
pub(crate) fn build(name: &str, folder: &Path) -> BuiltCrate {
    let manifest = MetadataCommand::new()
        .manifest_path(folder.join("Cargo.toml"))
        .other_options(vec!["--offline".to_owned()])
        .exec()
        .expect("cargo resolves the manifest with the versions of Cargo.lock");
    let package = manifest.root_package().expect("the folder has a package");
    let libraries = CheckLibraries::find();
    let seen: Vec<_> = package.dependencies.iter().map(|it| it.name.replace('-', "_")).collect();
    let out = folder.join("target");
    std::fs::create_dir_all(&out).unwrap();
    let compile = |source: &str, args: &[&str], output: PathBuf| {
        let mut rustc = libraries.compiler(package.edition.as_str(), &seen);
        // The presets of an experiment are files below this folder.
        rustc.env("CARGO_MANIFEST_DIR", folder).current_dir(folder);
        rustc.arg(source).args(args).arg("-o").arg(&output);
        if source != "src/lib.rs" {
            let library = out.join(format!("lib{name}.rlib"));
            rustc.arg("--extern").arg(format!("{name}={}", library.display()));
        }
        let done = rustc.output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success() && said.is_empty(), "{source} of the new crate:\n{said}");
        output
    };
    compile("src/lib.rs", &["--crate-type", "lib", "--crate-name", name], {
        out.join(format!("lib{name}.rlib"))
    });
    let tests = compile(&format!("tests/{name}.rs"), &["--test"], out.join("tests"));
    let program = compile("src/main.rs", &["--crate-name", name], out.join(name));
    let other = compile("src/bin/other.rs", &["--crate-name", "other"], out.join("other"));
    BuiltCrate { program, other, tests }
}

/// A command with the variables of the process that has started this one, which is cargo. Cargo has
/// set further variables for this process; build scripts would see these, and run again.
fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    let starter = rustix::process::getppid().expect("something has started this process");
    let variables = std::fs::read(format!("/proc/{}/environ", starter.as_raw_nonzero())).unwrap();
    command.env_clear();
    for variable in variables.split(|&byte| byte == 0) {
        let mut parts = variable.splitn(2, |&byte| byte == b'=').map(OsStr::from_bytes);
        if let (Some(name), Some(value)) = (parts.next(), parts.next()) {
            command.env(name, value);
        }
    }
    command
}
