//! The files of a new game: the files of `jobs/pig` under another name.

use std::path::PathBuf;

use super::checkout::HatcherySource;
use super::error::GameError;
use super::name::GameName;
use super::pig;
use super::renaming::{renamed, renamed_lines};

/// The manifest of the workspace: the versions of what a game depends on.
const WORKSPACE_MANIFEST: &str = include_str!("../../Cargo.toml");

/// Settings of tools, which a crate of its own has as well. The flags of cargo change no result:
/// one makes counts of bits fast, the other one shortens the build. Clippy refuses what makes a
/// trial depend on more than its seed. Where a long name breaks a line, `cargo fmt` repairs it.
const SETTINGS: &[(&str, &str)] = &[
    (".cargo/config.toml", include_str!("../../.cargo/config.toml")),
    ("clippy.toml", include_str!("../../jobs/clippy.toml")),
    ("rustfmt.toml", include_str!("../../rustfmt.toml")),
];

/// A path below the crate's folder, and the text of the file.
pub(super) type CrateFile = (PathBuf, String);

/// Returns the files of a crate that makes a program of its own.
pub(super) fn own_crate(
    name: &GameName,
    source: &HatcherySource,
) -> Result<Vec<CrateFile>, GameError> {
    let crate_name = name.identifier();
    let program = format!(
        "//! hatchery, with the experiments of this crate beside its own.\n\n\
         use std::process::ExitCode;\n\n\
         fn main() -> ExitCode {{\n    hatchery::main(&{crate_name}::EXPERIMENTS)\n}}\n"
    );
    let mut files = files(name, &crate_name);
    files.push(("Cargo.toml".into(), own_manifest(name, source)?));
    files.extend(SETTINGS.iter().map(|&(path, text)| (path.into(), text.to_owned())));
    files.push((".gitignore".into(), "/runs\n/target\n".to_owned()));
    files.push(("src/main.rs".into(), program));
    // The versions that hatchery is tested with. Without them, cargo takes the newest ones.
    if let HatcherySource::Checkout(checkout) = source
        && let Some(locked) = checkout.lock_file()
    {
        files.push(("Cargo.lock".into(), locked));
    }
    Ok(files)
}

/// Returns the files of a crate below `jobs/`.
pub(super) fn crate_of_checkout(name: &GameName) -> Vec<CrateFile> {
    let mut files = files(name, &format!("hatchery_{}", name.identifier()));
    let manifest = renamed_lines(pig::MANIFEST, name);
    let described = format!("description = \"The game {}\"", name.as_str());
    let line = |line| if is_description(line) { &described } else { line };
    let manifest: Vec<_> = manifest.lines().map(line).collect();
    files.push(("Cargo.toml".into(), manifest.join("\n") + "\n"));
    files
}

fn is_description(line: &str) -> bool {
    line.starts_with("description = ")
}

/// Returns what both kinds of crates have.
fn files(name: &GameName, crate_name: &str) -> Vec<CrateFile> {
    let renamed = |(path, text): &(&str, &str)| {
        let path = path.replace("pig.rs", &format!("{}.rs", name.identifier()));
        (path.into(), renamed(text, name, crate_name))
    };
    let mut files: Vec<_> = pig::FILES.iter().map(renamed).collect();
    let readme = format!(
        "# {name}\n\n\
         A game for hatchery. Until it is changed it is a copy of Pig, a dice game: in a turn a \
         player rolls a die any\nnumber of times, a 1 ends the turn and loses its points, and the \
         first to bank 100 points wins. The guide for changing\nit is `docs/ADDING_A_GAME.md` of \
         hatchery.\n",
        name = name.as_str()
    );
    files.push(("README.md".into(), readme));
    files
}

/// Returns the manifest of a crate of its own.
fn own_manifest(name: &GameName, source: &HatcherySource) -> Result<String, GameError> {
    Ok(format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\n{edition}\n{rust_version}\n\
         publish = false\n\n\
         # A workspace of its own, whatever folder it is in.\n[workspace]\n\n\
         [dependencies]\n{hatchery}\n{core}\n{schemars}\n{serde}\n\n\
         [profile.release]\n\
         # As in hatchery: less to compile than with several units, and nothing runs slower.\n\
         codegen-units = 1\n",
        name = name.as_str(),
        edition = workspace_line("edition"),
        rust_version = workspace_line("rust-version"),
        hatchery = dependency("hatchery", "", source)?,
        core = dependency("hatchery-core", "jobs/core", source)?,
        schemars = workspace_line("schemars"),
        serde = workspace_line("serde"),
    ))
}

/// Returns the dependency on a crate of hatchery, which is in `folder` of a checkout. This is the
/// one place that says where hatchery comes from.
fn dependency(name: &str, folder: &str, source: &HatcherySource) -> Result<String, GameError> {
    let (key, value) = match source {
        HatcherySource::Git(url) => ("git", url.clone()),
        HatcherySource::Checkout(checkout) => {
            let path = checkout.path().join(folder);
            let path = path.to_str().ok_or_else(|| GameError::NotUtf8 { folder: path.clone() })?;
            ("path", path.trim_end_matches('/').to_owned())
        }
    };
    // A string of JSON is a string of TOML.
    Ok(format!("{name} = {{ {key} = {} }}", serde_json::Value::from(value)))
}

/// Returns the line of the workspace's manifest that gives `key` a value.
fn workspace_line(key: &str) -> &'static str {
    let has_key = |line: &&str| line.strip_prefix(key).is_some_and(|it| it.starts_with(" = "));
    WORKSPACE_MANIFEST.lines().find(has_key).expect("the workspace has this key")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_of_its_own_depends_on_a_repository() {
        let name = GameName::parse("checkers").unwrap();
        let source = HatcherySource::Git("https://farm.example/hatchery".to_owned());
        let manifest = own_manifest(&name, &source).unwrap();
        let line = "\nhatchery-core = { git = \"https://farm.example/hatchery\" }\nschemars = {";
        assert!(manifest.contains(line), "{manifest}");
    }
}
