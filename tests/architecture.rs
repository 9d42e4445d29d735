//! The dependency rules of docs/ARCHITECTURE.md: the rules for crates, read from `cargo metadata`,
//! and the rules for modules, read from the source.

#[path = "architecture/imports.rs"]
mod imports;
#[path = "architecture/layers.rs"]
mod layers;

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{CargoOpt, DependencyKind, Metadata, MetadataCommand, PackageId};

fn metadata() -> Metadata {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    MetadataCommand::new()
        .manifest_path(manifest)
        .features(CargoOpt::AllFeatures)
        .other_options(vec!["--locked".to_owned()])
        .exec()
        .expect("cargo metadata works where cargo test does")
}

/// Returns the workspace's crates, each with the workspace's crates that it depends on, without
/// tests.
fn graph(metadata: &Metadata) -> BTreeMap<String, BTreeSet<String>> {
    let own = |name: &str| name == "hatchery" || name.starts_with("hatchery-");
    let packages = metadata.workspace_packages().into_iter().map(|package| {
        let dependencies = package.dependencies.iter().filter(|dependency| {
            dependency.kind == DependencyKind::Normal && own(&dependency.name)
        });
        let names = dependencies.map(|dependency| dependency.name.clone());
        (package.name.to_string(), names.collect())
    });
    packages.collect()
}

/// Returns all crates that `name` links, directly or not, without build scripts and tests.
fn linked(metadata: &Metadata, name: &str) -> BTreeSet<String> {
    let resolve = metadata.resolve.as_ref().expect("metadata was made with dependencies");
    let nodes: BTreeMap<&PackageId, _> =
        resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let start = metadata.packages.iter().find(|package| package.name == name).expect("it is ours");
    let (mut open, mut seen) = (vec![&start.id], BTreeSet::new());
    while let Some(id) = open.pop() {
        for dependency in &nodes[id].deps {
            let normal =
                dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal);
            if normal && seen.insert(metadata[&dependency.pkg].name.to_string()) {
                open.push(&dependency.pkg);
            }
        }
    }
    seen
}

fn names(list: &[&str]) -> BTreeSet<String> {
    list.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn dependencies_point_one_way() {
    let graph = graph(&metadata());
    let shared = names(&[
        "hatchery-core",
        "hatchery-evolve",
        "hatchery-figures",
        "hatchery-nets",
        "hatchery-search",
        "hatchery-stats",
    ]);
    let plane = names(&["hatchery-core", "hatchery-meters", "hatchery-proto"]);
    let below_core = names(&["hatchery-derive", "hatchery-figures"]);
    assert_eq!(
        graph["hatchery-core"], below_core,
        "values derive their encoding, findings have figures; nothing else is below core"
    );
    assert_eq!(graph["hatchery-derive"], names(&[]), "a derive knows names of core, not core");
    assert_eq!(graph["hatchery-figures"], names(&[]), "figures know no game and no experiment");
    assert_eq!(graph["hatchery-meters"], names(&[]), "what counts knows nobody who does");
    assert_eq!(graph["hatchery-proto"], names(&[]), "the protocol knows no game and no farm");
    assert!(graph["hatchery-nets"].is_subset(&names(&["hatchery-core"])));
    assert!(graph["hatchery-search"].is_subset(&names(&["hatchery-core"])));
    assert!(graph["hatchery-stats"].is_subset(&names(&["hatchery-core"])));
    assert!(graph["hatchery-evolve"].is_subset(&names(&["hatchery-core"])));
    let leading = names(&["hatchery-core", "hatchery-meters", "hatchery-proto", "hatchery-store"]);
    assert!(graph["hatchery-coordinator"].is_subset(&leading), "no game, no worker");
    let counted = names(&["hatchery-core", "hatchery-meters"]);
    assert!(graph["hatchery-store"].is_subset(&counted), "what is stored is opaque bytes");
    let values = names(&["hatchery-core"]);
    assert!(graph["hatchery-guests"].is_subset(&values), "engines know no game and no farm");
    assert!(graph["hatchery-worker"].is_subset(&plane), "no game, no coordinator");
    let serving =
        names(&["hatchery-coordinator", "hatchery-core", "hatchery-meters", "hatchery-proto"]);
    assert!(graph["hatchery-server"].is_subset(&serving), "no game, no worker, no store");
    let catalog = &graph["hatchery-catalog"];
    let games = catalog.iter().filter(|name| *name != "hatchery-core");
    for game in games {
        assert!(graph[game].is_subset(&shared), "{game} depends on {:?}", graph[game]);
    }
}

#[test]
fn every_crate_below_jobs_is_in_the_catalog_or_shared() {
    let metadata = metadata();
    let graph = graph(&metadata);
    let shared = [
        "hatchery-catalog",
        "hatchery-core",
        "hatchery-derive",
        "hatchery-evolve",
        "hatchery-figures",
        "hatchery-nets",
        "hatchery-search",
        "hatchery-stats",
    ];
    for package in metadata.workspace_packages() {
        let in_jobs = package.manifest_path.components().any(|part| part.as_str() == "jobs");
        let name = package.name.to_string();
        let is_tests = name.ends_with("-tests");
        if in_jobs && !is_tests && !shared.contains(&name.as_str()) {
            assert!(graph["hatchery-catalog"].contains(&name), "{name} is not in the catalog");
        }
    }
}

#[test]
fn jobs_link_no_runtime_no_network_no_database() {
    let linked = linked(&metadata(), "hatchery-catalog");
    let banned = [
        "tokio",
        "tonic",
        "redis",
        "redb",
        "rayon",
        "hyper",
        "rand",
        "getrandom",
        "hatchery-guests",
        "wasmi",
        "wasmtime",
    ];
    for banned in banned {
        assert!(!linked.contains(banned), "a crate below jobs/ links {banned}");
    }
    // Its products of matrices choose their instructions, and so their rounding, by machine.
    assert!(!linked.contains("matrixmultiply"), "a crate below jobs/ links matrixmultiply");
    assert!(linked.contains("rand_chacha"), "the check sees what is linked");
}
