//! The order of the modules at the root of each crate, the test that imports follow this order, and
//! the test that no folder's modules import each other in a cycle.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use super::imports::{Import, ModuleGraph, ModulePath};

/// The source folder of each crate, and its modules from top to bottom: a module may import the
/// modules to the right of it. `self` is `lib.rs` or `main.rs`.
const LAYERS: &[(&str, &str)] = &[
    (
        "coordinator/src",
        "self control coordinator service supervisor leader parts dispatch \
         self_tests run base",
    ),
    (
        "coordinator/store/src",
        "self conformance parts metered outage embedded redis routed part_directory view \
         backend operation overview membership part_codec error types ids",
    ),
    (
        "guests/src",
        "self wasm_runner module_runner cache guest engine state rewrite inspect error interface \
         limits",
    ),
    (
        "jobs/birds/src",
        "self studies params adaptive_game trial players world adaptation evolution level",
    ),
    ("jobs/burn/src", "self experiment simulation spec wire noise"),
    ("jobs/catalog/src", "self"),
    (
        "jobs/catan/src",
        "self studies params features learning trial players streams rules map board resource",
    ),
    (
        "jobs/core/src",
        "self conformance reference error erased spec trial_table experiment input forecast \
         exhibit findings table words rich_text measure simulation trial_context own_game scene \
         fast_rng seed wire part invalid_value digest byte_cache panic text",
    ),
    (
        "jobs/evolve/src",
        "self optimizer allocation cma cross_entropy population operators config individual \
         score eigen normal",
    ),
    (
        "jobs/figures/src",
        "self picture curves text_plot point_chart heat_map matrix_chart hex_board \
         drawing_sheet plane_drawing histograms forest_chart heat_strip sparkline stacked_area \
         series_style chart_frame document histogram_bins diverging_scale quantity log_scale \
         linear_scale axis_tick shape palette color description number markup thinning",
    ),
    (
        "jobs/nets/src",
        "self weights adam network dropout loss layer kernel batch matrix categorical \
         prioritized tensors",
    ),
    ("jobs/othello/src", "self studies params person_game trial naturalness players record rules"),
    (
        "jobs/othellonia/src",
        "self studies params trial mining learning generate players record features pool rules",
    ),
    ("jobs/pig/src", "self experiment wire rules"),
    ("jobs/search/src", "self conformance players play uct params error game"),
    (
        "jobs/stats/src",
        "self bootstrap linear_model polynomial ratio regression association clustering \
         correlation signed_rank rank_sum ranks bradley_terry sprt match_elo \
         score_mean pair_counts match_counts elo matrix_game sequential equivalence shrinkage \
         halving multiplicity spread uniformity multinomial proportion share_variation \
         replicates welch median mean mean_ratio deciding estimate_difference five_numbers \
         summary chi_square gamma student normal bisection orthogonal_basis count error",
    ),
    ("jobs/tetris/src", "self studies params trial dealing splitting batch players features rules"),
    ("meters/src", "self coordinator worker builder labels list"),
    ("proto/src", "self identity v1"),
    ("tests/redis/src", "self"),
    (
        "worker/src",
        "self worker session state job_table input executor endpoints shutdown faults config \
         ids rng text",
    ),
    (
        "src",
        "self entry cli recompute local replay run_source local_run client inputs report \
         spec_files scene_player html run_folder control_socket progress log traces signals error \
         game sweep build_info program selector format terminal key_input environment",
    ),
    (
        "server/src",
        "self security http grpc listener pki tls access reload credential_file regular_file error",
    ),
    ("jobs/derive/src", "self value element fields attributes limits"),
];

#[test]
fn imports_point_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut faults = Vec::new();
    let members = member_sources();
    let listed: BTreeSet<_> = LAYERS.iter().map(|(src, _)| root.join(src)).collect();
    for src in members.difference(&listed) {
        faults.push(format!("{}: the crate has no list of layers", src.display()));
    }
    for src in listed.difference(&members) {
        faults.push(format!("{}: has a list of layers, but is no crate", src.display()));
    }
    for (src, layers) in LAYERS {
        faults.extend(layer_faults(&root.join(src), layers));
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn no_folder_has_an_import_cycle() {
    let faults: Vec<_> = member_sources().iter().flat_map(|src| cycle_faults(src)).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Returns the source folders of the workspace's crates.
fn member_sources() -> BTreeSet<PathBuf> {
    let metadata = super::metadata();
    let packages = metadata.workspace_packages().into_iter();
    let folders = packages.map(|package| package.manifest_path.with_file_name("src"));
    // A package of tests has none.
    folders.map(PathBuf::from).filter(|src| src.is_dir()).collect()
}

/// Checks the modules at the root of the crate in the folder `src` against their list, and returns
/// the faults.
fn layer_faults(src: &Path, layers: &str) -> Vec<String> {
    let graph = ModuleGraph::read(src);
    let layers: Vec<&str> = layers.split_whitespace().collect();
    let roots = graph.modules.iter().filter(|module| module.len() == 1);
    let there: BTreeSet<&str> = roots.map(|module| module[0].as_str()).chain(["self"]).collect();
    let listed: BTreeSet<&str> = layers.iter().copied().collect();
    let mut faults = Vec::new();
    for name in there.difference(&listed) {
        faults.push(format!("{}: {name} is not in the list of layers", src.display()));
    }
    for name in listed.difference(&there) {
        faults.push(format!("{}: {name} is in the list of layers, but not there", src.display()));
    }
    let level = |name: &str| layers.iter().position(|layer| *layer == name);
    for import in &graph.imports {
        let Some((from, to)) = units(import, &[]) else { continue };
        let (Some(from_level), Some(to_level)) = (level(from), level(to)) else { continue };
        if to_level < from_level {
            let Import { file, line, .. } = import;
            faults
                .push(format!("{}:{line}: {from} imports {to}, which is above it", file.display()));
        }
    }
    faults.sort();
    faults.dedup();
    faults
}

/// Returns a shortest import cycle for each folder with a cycle, in the crate in `src`.
fn cycle_faults(src: &Path) -> Vec<String> {
    let graph = ModuleGraph::read(src);
    let folders: BTreeSet<&[String]> =
        graph.modules.iter().filter_map(|module| Some(module.split_last()?.1)).collect();
    let faults = folders.into_iter().filter_map(|folder| {
        let cycle = shortest_cycle(&graph, folder)?;
        let imports = cycle.into_iter().map(|import| {
            let (from, to) = units(import, folder).expect("the import is between two modules");
            format!("\n    {from} imports {to}: {}:{}", import.file.display(), import.line)
        });
        let place = folder.iter().fold(src.to_owned(), |place, name| place.join(name));
        Some(format!("{}: a cycle of imports{}", place.display(), imports.collect::<String>()))
    });
    faults.collect()
}

/// Returns the imports of a shortest cycle between the modules of `folder`; `None` without a cycle.
fn shortest_cycle<'a>(graph: &'a ModuleGraph, folder: &[String]) -> Option<Vec<&'a Import>> {
    let mut edges: BTreeMap<&str, BTreeMap<&str, &Import>> = BTreeMap::new();
    for import in &graph.imports {
        if let Some((from, to)) = units(import, folder) {
            edges.entry(from).or_default().entry(to).or_insert(import);
        }
    }
    let cycles = edges.keys().filter_map(|start| way_back(&edges, start));
    cycles.min_by_key(Vec::len)
}

/// Returns the imports of a shortest way from the module `start` back to itself.
fn way_back<'a>(
    edges: &BTreeMap<&'a str, BTreeMap<&'a str, &'a Import>>,
    start: &str,
) -> Option<Vec<&'a Import>> {
    let mut reached = BTreeSet::new();
    let mut queue = VecDeque::from([(start, Vec::new())]);
    while let Some((module, way)) = queue.pop_front() {
        for (to, import) in edges.get(module).into_iter().flatten() {
            let way = [way.as_slice(), &[*import]].concat();
            if *to == start {
                return Some(way);
            }
            if reached.insert(*to) {
                queue.push_back((*to, way));
            }
        }
    }
    None
}

/// Returns the two modules of `folder` that an import connects; `None` if an end of the import is
/// outside of `folder`, or if both ends are in the same module.
fn units<'a>(import: &'a Import, folder: &[String]) -> Option<(&'a str, &'a str)> {
    let below = |module: &'a ModulePath| {
        let path = module.strip_prefix(folder)?;
        Some(path.first().map_or("self", String::as_str))
    };
    let (from, to) = (below(&import.from)?, below(&import.to)?);
    (from != to).then_some((from, to))
}

/// Writes a crate of these files and returns what `check` finds in its source folder.
fn faults(files: &[(&str, &str)], check: impl FnOnce(&Path) -> Vec<String>) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (path, text) in files {
        let path = folder.path().join("src").join(path);
        let parent = path.parent().expect("a file is in a folder");
        fs::create_dir_all(parent).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
    let prefix = format!("{}/", folder.path().display());
    let faults = check(&folder.path().join("src"));
    faults.into_iter().map(|fault| fault.replace(&prefix, "")).collect()
}

#[test]
fn an_import_that_points_up_is_found_wherever_it_stands() {
    let roof = "pub struct Roof; pub fn raise() {} #[cfg(test)] mod tests { use crate::floor; }";
    let check = |floor: &str, expected: &[&str]| {
        let files = [("lib.rs", "mod roof; mod floor;"), ("roof.rs", roof), ("floor.rs", floor)];
        let faults = faults(&files, |src| layer_faults(src, "self roof floor"));
        assert_eq!(faults, expected, "{floor}");
    };
    let first = ["src/floor.rs:1: floor imports roof, which is above it"];
    check("use crate::roof::Roof;", &first);
    check("use super::roof;", &first);
    check("use crate::{roof::{self as top, Roof}};", &first);
    check("fn f() { crate::roof::raise() }", &first);
    check("fn f(_: Vec<super::roof::Roof>) {}", &first);
    check("fn f() { assert!(g::<crate::roof::Roof>()) }", &first);
    check("mod inner { use super::super::roof::Roof; }", &first);
    check("\n\nuse crate::roof::*;", &["src/floor.rs:3: floor imports roof, which is above it"]);
    check("#[cfg(feature = \"x\")] use crate::roof::Roof;", &first);
    check("#[cfg(test)] #[expect(x)] mod tests { use crate::roof::Roof; }", &[]);
    check("#[cfg(test)] use crate::roof::{Roof}; fn f(roof: Roof) { roof::x() }", &[]);
    check("/// See [`Roof`](crate::roof::Roof).\npub(in crate::roof) struct S;", &[]);
}

#[test]
fn the_list_of_layers_has_each_module_of_the_root() {
    let files =
        [("main.rs", "mod farm; mod base;"), ("base.rs", ""), ("farm.rs", "use crate::base;")];
    let check = |layers: &str, expected: &[&str]| {
        assert_eq!(faults(&files, |src| layer_faults(src, layers)), expected, "{layers}");
    };
    check("self farm base", &[]);
    check("self farm", &["src: base is not in the list of layers"]);
    check("farm base", &["src: self is not in the list of layers"]);
    check("self farm base cellar", &["src: cellar is in the list of layers, but not there"]);
}

#[test]
fn a_cycle_is_found_in_any_folder() {
    let check = |barn: &str, mill: &str, expected: &[&str]| {
        let farm = "mod field; mod barn; mod mill; pub use field::Field; pub struct Farmer;";
        let files = [
            ("main.rs", "mod farm; mod base;"),
            ("base.rs", ""),
            ("farm.rs", farm),
            ("farm/field.rs", "use super::{Farmer, barn::Hay}; use crate::base; pub struct Field;"),
            ("farm/barn.rs", barn),
            ("farm/mill.rs", mill),
        ];
        let expected: Vec<_> = expected.iter().map(ToString::to_string).collect();
        assert_eq!(faults(&files, cycle_faults), expected, "{barn} {mill}");
    };
    check("use std::io::{self}; pub struct Hay;", "use super::{Field, Farmer};", &[]);
    let two = "src/farm: a cycle of imports\n    barn imports field: src/farm/barn.rs:1\n    \
               field imports barn: src/farm/field.rs:1";
    check("use super::Field; pub struct Hay;", "", &[two]);
    let three = "src/farm: a cycle of imports\n    barn imports mill: src/farm/barn.rs:2\n    \
                 mill imports field: src/farm/mill.rs:1\n    \
                 field imports barn: src/farm/field.rs:1";
    check("pub struct Hay;\nuse super::mill;", "use super::Field;", &[three]);
}

#[test]
fn the_own_file_of_a_folder_is_part_of_a_cycle() {
    let files = [
        ("lib.rs", "mod farm;"),
        ("farm.rs", "mod barn; pub struct Farmer;\nfn f() { barn::fill() }"),
        ("farm/barn.rs", "use super::Farmer; pub fn fill() {}"),
    ];
    let expected = "src/farm: a cycle of imports\n    barn imports self: src/farm/barn.rs:1\n    \
                    self imports barn: src/farm.rs:2";
    assert_eq!(faults(&files, cycle_faults), [expected]);
}
