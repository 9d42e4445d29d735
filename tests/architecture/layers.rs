//! The order of the modules of each crate, and the test that imports follow it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::imports::{Import, ModuleGraph};

/// A folder and the modules in it from top to bottom: each may import those to the right of it.
/// `self` is the folder's own file: `lib.rs` or `main.rs`, or `dispatch.rs` for `dispatch/`.
///
/// The folder `src` of a crate comes first, and lists all of its modules. Folders in it may follow:
/// one that is not listed has no order of its own.
const LAYERS: &[(&str, &str)] = &[
    (
        "coordinator/src",
        "self control coordinator service supervisor leader summaries submission open part_reader \
         part_upload dispatch machine ledger context event self_tests compute_pool recompute \
         scaling opinions caller_limits scheduling run_summary time_left large_value record \
         state_thinning job_sizer job_cutter trial_row ticket identity job_ref",
    ),
    (
        "coordinator/src/control",
        "self dead explain export list submit submission inputs watch status workers request \
         refusal",
    ),
    (
        "coordinator/src/dispatch",
        "self effect_runner assign summary failures removal meter part_admission self_tests \
         results audit quarantine dispatcher ranking eligibility dispatched_run quarantine_list \
         effect fair self_test_table sessions slot_limit held_jobs audits health peers \
         queue_latency job_durations verify retry job message",
    ),
    (
        "coordinator/src/leader",
        "invalidate fold loading self worker_history event_writer forecast spans tail_timer \
         outcome",
    ),
    (
        "coordinator/src/machine",
        "dead_jobs reading folding enqueuing progress self plan_limits effect input failure",
    ),
    ("coordinator/src/record", "self announcement progress cost"),
    ("coordinator/src/service", "self parts traffic"),
    (
        "coordinator/src/supervisor",
        "announcing queued leading needs self run_index led_runs run_queue presence members losses \
         run_entry",
    ),
    ("coordinator/src/time_left", "self segment cost_model parallelism recent_rate"),
    (
        "coordinator/store/src",
        "self conformance parts metered outage embedded redis routed part_directory view backend \
         operation overview membership part_codec error types ids",
    ),
    (
        "coordinator/store/src/conformance",
        "self random farm gone jobs keeping leases parts people membership runs several play \
         medium step witness view model refusal",
    ),
    ("coordinator/store/src/conformance/farm", "self times"),
    ("coordinator/store/src/conformance/model", "self consume run parts job"),
    ("coordinator/store/src/conformance/step", "walk self"),
    (
        "coordinator/store/src/embedded",
        "membership self overviews consume failing file upgrade jobs presence runs parts leases \
         tables error",
    ),
    (
        "coordinator/store/src/redis",
        "jobs runs parts part_files request membership self part_place part_keeper address pubsub \
         server connection keys script error reply",
    ),
    ("coordinator/store/src/part_directory", "listing self uploads calls marker disk file error"),
    (
        "jobs/birds/src",
        "self experiment simulation adaptive_game settled_level film_strip scene wire results \
         setup players playout world evolution adaptation fitness genome ballistics level",
    ),
    ("jobs/birds/src/evolution", "self outcome settings streak cache"),
    (
        "jobs/birds/src/genome",
        "breeding generator layout self stack grammar error element settings template",
    ),
    (
        "jobs/birds/src/level",
        "metrics picture json xml outline self surroundings element error shape overlap \
         decimal limits",
    ),
    ("jobs/birds/src/level/metrics", "expressive_range self cells"),
    ("jobs/birds/src/level/xml", "self reader tags warning writer error"),
    ("jobs/birds/src/players", "self aim skill"),
    (
        "jobs/birds/src/world",
        "self settling stepping level_world engine body event settings element",
    ),
    ("jobs/burn/src", "self experiment simulation spec wire noise"),
    ("jobs/catalog/src", "self"),
    (
        "jobs/catan/src",
        "self experiment seat_balance features learning wire results game players streams rules \
         map board resource",
    ),
    ("jobs/catan/src/board", "symmetry adjacency self topology sets places axial"),
    (
        "jobs/catan/src/experiment",
        "design balance map_card seat_marks openings simulation scene wording method maps table \
         self",
    ),
    (
        "jobs/catan/src/experiment/balance",
        "self exhibits findings measures histogram maps_csv trials_csv summary variation plan \
         state spec",
    ),
    (
        "jobs/catan/src/experiment/balance/findings",
        "self maps verdicts origins variation agents method",
    ),
    (
        "jobs/catan/src/experiment/design",
        "self report state plan certification breeding entrants history map_learner labels spec",
    ),
    (
        "jobs/catan/src/experiment/design/report",
        "self findings panel_json csv certificates summary seat_advice panel steps evidence maps",
    ),
    (
        "jobs/catan/src/experiment/design/report/findings",
        "self panel certificates maps steps setups method",
    ),
    ("jobs/catan/src/experiment/design/spec", "self learning features certify"),
    ("jobs/catan/src/features", "self draft nodes distances tiles readings"),
    ("jobs/catan/src/learning", "validation prior pnu clusters basis training_set error self"),
    (
        "jobs/catan/src/map",
        "catanatron catanlog file picture identity notation swap policy constraint read_error \
         pieces file_format self",
    ),
    ("jobs/catan/src/players", "pool agent weighted search planner value random self card_counter"),
    (
        "jobs/catan/src/players/planner",
        "self value_opening opening settlement_pairs negotiation turn_memory trade_side cards \
         robber board_cache build_plan goal_value build_goal win_eta road_reach view \
         building_speed params",
    ),
    ("jobs/catan/src/players/planner/building_speed", "self lookup economy"),
    ("jobs/catan/src/players/search", "self tree params"),
    ("jobs/catan/src/players/value", "self evaluator position_value"),
    (
        "jobs/catan/src/rules",
        "trade queries production legal_actions display chance awards road apply state island \
         action offer seat development self",
    ),
    ("jobs/catan/src/rules/legal_actions", "self placeless"),
    ("jobs/catan/src/wire", "agent self"),
    (
        "jobs/core/src",
        "self conformance reference error erased spec trial_table experiment input forecast \
         findings measure simulation \
         trial_context scene fast_rng seed wire part digest byte_cache panic text",
    ),
    (
        "jobs/core/src/conformance",
        "self inputs context trials states trial_tables shows replays presets counts bytes \
         recording violation",
    ),
    ("jobs/core/src/erased", "experiment plan simulation tallies self"),
    ("jobs/core/src/findings", "markdown self rich_text"),
    ("jobs/core/src/scene", "self text recorder excerpt sink things frame base place"),
    ("jobs/core/src/scene/text", "self world hexes grid canvas"),
    (
        "jobs/core/src/spec",
        "file_mentions file_values print self file_params file_reference assign scan check error \
         words schema locate spec_file value",
    ),
    (
        "jobs/evolve/src",
        "self optimizer allocation cma cross_entropy population operators config individual score \
         eigen normal",
    ),
    (
        "jobs/figures/src",
        "self picture curves text_plot point_chart heat_map matrix_chart hex_board drawing_sheet \
         plane_drawing histograms forest_chart heat_strip sparkline stacked_area series_style \
         chart_frame document histogram_bins diverging_scale quantity log_scale linear_scale \
         axis_tick shape palette color description number markup thinning",
    ),
    ("jobs/figures/src/point_chart", "self dodge drawn_series series"),
    ("jobs/figures/src/text_plot", "self canvas"),
    (
        "jobs/nets/src",
        "self weights adam network dropout loss layer kernel batch matrix categorical \
         prioritized tensors",
    ),
    ("jobs/nets/src/kernel", "self dense sparse factors elements instructions avx512 avx2 vectors"),
    ("jobs/nets/src/loss", "self range row"),
    ("jobs/nets/src/network", "self buffers noise first_layer"),
    ("jobs/nets/src/network/noise", "self table"),
    ("jobs/nets/src/prioritized", "stored self sum_tree"),
    ("jobs/nets/src/tensors", "self header error"),
    (
        "jobs/othello/src",
        "self person_game experiment wire judge play setup results opening naturalness players \
         record rules",
    ),
    (
        "jobs/othello/src/experiment",
        "adjust matches ladder simulation scene score_matrix crosstable ratings wording \
         agent_param opening_param match_param self",
    ),
    (
        "jobs/othello/src/naturalness",
        "self summary metric game judgement corners evidence loss event",
    ),
    (
        "jobs/othello/src/experiment/adjust",
        "self findings tables picture changes estimates summary verdicts state cells check spec \
         arms",
    ),
    (
        "jobs/othello/src/experiment/adjust/findings",
        "self verdicts changes scores levels naturalness method",
    ),
    (
        "jobs/othello/src/experiment/ladder",
        "self findings tables charts measures effort_shape summary state spec",
    ),
    ("jobs/othello/src/experiment/ladder/findings", "self effort strength"),
    (
        "jobs/othello/src/experiment/matches",
        "self findings charts games tables measures summary state spec",
    ),
    ("jobs/othello/src/experiment/matches/findings", "self method sections"),
    ("jobs/othello/src/person_game", "show saved saved_agent game error self"),
    (
        "jobs/othello/src/players",
        "self player agent mcts board_game dynamic softmax ranking effort estimate matching \
         error",
    ),
    ("jobs/othello/src/record", "self ggf wthor obf transcript game cursor error"),
    ("jobs/othello/src/record/ggf", "read write self values"),
    (
        "jobs/othello/src/rules",
        "self solver perft playout position disc_board dispatch avx2 plain rays ops score color \
         square",
    ),
    ("jobs/othello/src/rules/solver", "self search ordering table"),
    ("jobs/othello/src/wire", "results sums opening agent search_agent self"),
    (
        "jobs/othellonia/src",
        "self experiment mining game_file wire training play setup results learning model \
         record_file record generate agents features pool rules",
    ),
    ("jobs/othellonia/src/agents", "playing self rule lookahead score worth"),
    (
        "jobs/othellonia/src/experiment",
        "impact selfplay imitate represent matrix logs simulation scene representation \
         training_param encoding_param learning_games loss_curve event_file win_rates \
         finding_parts agent_param deck_param pool_param trial_cost self",
    ),
    ("jobs/othellonia/src/experiment/imitate", "self report tasks state spec"),
    ("jobs/othellonia/src/experiment/imitate/report", "self findings rates"),
    ("jobs/othellonia/src/experiment/imitate/spec", "check self"),
    (
        "jobs/othellonia/src/experiment/impact",
        "self report tasks agent state change spec replacement",
    ),
    ("jobs/othellonia/src/experiment/impact/report", "self findings table"),
    ("jobs/othellonia/src/experiment/impact/spec", "check self"),
    ("jobs/othellonia/src/experiment/logs", "self report fragment mined plies scores state spec"),
    ("jobs/othellonia/src/experiment/represent", "self report state spec"),
    ("jobs/othellonia/src/experiment/represent/report", "self findings neighbors"),
    ("jobs/othellonia/src/experiment/selfplay", "self report tasks state spec schedule"),
    (
        "jobs/othellonia/src/experiment/selfplay/report",
        "self findings charts tables events arms scalars",
    ),
    ("jobs/othellonia/src/experiment/selfplay/spec", "check self mode learn"),
    ("jobs/othellonia/src/experiment/selfplay/tasks", "fold self"),
    (
        "jobs/othellonia/src/experiment/matrix",
        "self report charts measures pieces power cost_line equilibrium table state spec",
    ),
    (
        "jobs/othellonia/src/features",
        "self mask layout writer encoding vectors cell action hand deck game status sink sight \
         field error scale",
    ),
    ("jobs/othellonia/src/generate", "calibrate assess decks pieces effects conditions names self"),
    (
        "jobs/othellonia/src/learning",
        "self reinforcement representation imitation step samples vector_file stored",
    ),
    (
        "jobs/othellonia/src/learning/reinforcement",
        "self file steps learner targets transitions items settings",
    ),
    (
        "jobs/othellonia/src/learning/representation",
        "self neighbors file learner batch settings table loss scales outcome",
    ),
    ("jobs/othellonia/src/training", "self reinforce imitate represent encoding record run"),
    ("jobs/othellonia/src/mining", "self builder source sets clusters used settings error"),
    ("jobs/othellonia/src/model", "file values self encoding error limits"),
    ("jobs/othellonia/src/play", "self_play self agents"),
    ("jobs/othellonia/src/pool", "self draw deck piece_pool piece error"),
    (
        "jobs/othellonia/src/rules",
        "self resolution placement turn game shuffle state event running lines piece outcome \
         effect condition cell attribute",
    ),
    ("jobs/othellonia/src/setup", "self training reinforcement record encoding agent"),
    (
        "jobs/othellonia/src/wire",
        "self results setup training record reinforcement training_encoding training_result \
         replay_use fields agent decks effect",
    ),
    ("jobs/pig/src", "self experiment wire rules"),
    ("jobs/search/src", "self conformance players play uct params error game"),
    ("jobs/search/src/uct", "self tree visit_terms report"),
    (
        "jobs/stats/src",
        "self bootstrap linear_model polynomial ratio regression association clustering \
         join_count correlation signed_rank rank_sum ranks bradley_terry sprt match_elo score_mean \
         pair_counts match_counts elo matrix_game sequential equivalence shrinkage halving \
         multiplicity spread uniformity multinomial proportion share_variation replicates welch \
         median mean mean_ratio deciding estimate_difference five_numbers summary chi_square gamma \
         student normal bisection orthogonal_basis count error",
    ),
    ("jobs/stats/src/association", "rules self"),
    ("jobs/stats/src/bradley_terry", "self likelihood standing table"),
    ("jobs/stats/src/clustering", "self ward k_means points"),
    (
        "jobs/tetris/src",
        "self experiment scene wire dealing splitting batch players features rules",
    ),
    (
        "jobs/tetris/src/batch",
        "self dispatch scheduler lookahead group kernel evaluator ranking episode avx512 avx2 \
         vectors",
    ),
    ("jobs/tetris/src/batch/avx2", "rows32 rows16 rows bytes words floats self"),
    ("jobs/tetris/src/batch/avx512", "rows32 rows16 rows bytes words floats self"),
    ("jobs/tetris/src/batch/evaluator", "network linear self lane_weights"),
    ("jobs/tetris/src/batch/group", "self rank clear"),
    ("jobs/tetris/src/batch/kernel", "landed self totals wells surroundings shape column"),
    (
        "jobs/tetris/src/experiment",
        "evolve evaluate compare wording estimator simulation names genotype controller_params \
         params self",
    ),
    ("jobs/tetris/src/experiment/compare", "self findings report repetition spec"),
    ("jobs/tetris/src/experiment/evaluate", "self findings correlation condition table spec"),
    ("jobs/tetris/src/experiment/evaluate/findings", "self method sections spread reference"),
    ("jobs/tetris/src/experiment/evolve", "self findings population race report state spec"),
    ("jobs/tetris/src/features", "afterstates steps landings self"),
    ("jobs/tetris/src/players", "surface network lookahead linear self"),
    ("jobs/tetris/src/rules", "game pieces self"),
    ("jobs/tetris/src/splitting", "self streams climbs level_entry config"),
    ("jobs/tetris/src/wire", "splitting self controller"),
    ("meters/src", "self coordinator worker builder labels list"),
    ("proto/src", "self identity v1"),
    ("tests/redis/src", "self"),
    (
        "worker/src",
        "self worker session state job_table input executor endpoints shutdown faults \
         config ids rng text",
    ),
    ("worker/src/session", "self stream delivery fetch heartbeat dial"),
    ("worker/src/job_table", "outbound release deliver slot_limits self delivery"),
    (
        "worker/src/executor",
        "self threads pooled_job inline task trace shared execute blocks job host handle",
    ),
    (
        "src",
        "self cli recompute local replay run_source local_run client inputs report spec_files \
         scene_player html run_folder control_socket progress admin server pki tls access reload \
         log traces signals error sweep build_info selector format terminal key_input environment",
    ),
    ("src/access", "self calls token_file token_list role secret"),
    (
        "src/cli",
        "self help_groups completions man coordinator dead delete spec experiments explain fetch \
         list open pki plot replay report run steer submit token top verify wait watch worker show \
         workers sweep_results follow security metrics \
         submission hints download sweep_specs spec_args input_args loaded_spec farm_args \
         stall_args output runtime",
    ),
    ("src/cli/list", "self table"),
    ("src/cli/replay", "self screen player"),
    ("src/cli/run", "self sweep reuse execution"),
    ("src/cli/submit", "self sweep reuse request"),
    ("src/cli/workers", "self table"),
    ("src/client", "self args reloading connect follow submission farm select"),
    ("src/error", "self usage comparison replayable input selection tokens verification version"),
    ("src/html", "self contents"),
    ("src/progress", "self display fold event"),
    ("src/replay", "best self address frames"),
    (
        "src/report",
        "self live files stale_figures page sweep comparison generations runs_table farm \
         data_table result measure_form finding stored",
    ),
    ("src/report/comparison", "finding self measures params run labels"),
    (
        "src/report/page",
        "self comparison sweep findings terms trials measures exhibits repeat work chronicle",
    ),
    ("src/report/page/comparison", "self runs specs measures curves assumptions"),
    ("src/report/farm", "self documents scheduling local run document"),
    ("src/run_folder", "lookup self"),
    ("src/scene_player", "self inline animation drawing rate palette geometry"),
    ("src/scene_player/animation", "self track"),
    ("src/tls", "self server client pem"),
    ("src/server", "self auth admission listener connection auth_failures handle half_open health"),
];

#[test]
fn imports_point_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut faults = Vec::new();
    let crates = LAYERS.iter().filter(|(folder, _)| folder.ends_with("src"));
    let listed: BTreeSet<_> = crates.clone().map(|(src, _)| root.join(src)).collect();
    let members = member_sources();
    for src in members.difference(&listed) {
        faults.push(format!("{}: the crate has no list of layers", src.display()));
    }
    for src in listed.difference(&members) {
        faults.push(format!("{}: has a list of layers, but is no crate", src.display()));
    }
    for (src, _) in crates {
        let inside = LAYERS.iter().filter(|(folder, _)| Path::new(folder).starts_with(src));
        let layers: Vec<_> =
            inside.map(|(folder, layers)| (&folder[src.len()..], *layers)).collect();
        faults.extend(check(&root.join(src), &layers));
    }
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

/// Checks the crate in the folder `src` against the layers of its folders, and returns what is
/// wrong.
fn check(src: &Path, layers: &[(&str, &str)]) -> Vec<String> {
    let graph = ModuleGraph::read(src);
    let mut faults = Vec::new();
    for (folder, layers) in layers {
        let parts = folder.split('/').filter(|part| !part.is_empty());
        let folder: Vec<String> = parts.map(str::to_owned).collect();
        let layers: Vec<&str> = layers.split_whitespace().collect();
        let children = graph.modules.iter().filter_map(|module| match module.split_last() {
            Some((name, parent)) if *parent == folder => Some(name.as_str()),
            _ => None,
        });
        let there: BTreeSet<&str> = children.chain(["self"]).collect();
        let listed: BTreeSet<&str> = layers.iter().copied().collect();
        let mut place = src.to_owned();
        place.extend(&folder);
        let place = place.display();
        for name in there.difference(&listed) {
            faults.push(format!("{place}: {name} is not in the list of layers"));
        }
        for name in listed.difference(&there) {
            faults.push(format!("{place}: {name} is in the list of layers, but not there"));
        }
        let level = |name: &str| layers.iter().position(|layer| *layer == name);
        for import in &graph.imports {
            let Some((from, to)) = units(import, &folder) else { continue };
            let (Some(from_level), Some(to_level)) = (level(from), level(to)) else { continue };
            if to_level < from_level {
                let Import { file, line, .. } = import;
                faults.push(format!(
                    "{}:{line}: {from} imports {to}, which is above it",
                    file.display()
                ));
            }
        }
    }
    faults.sort();
    faults.dedup();
    faults
}

/// The two modules of `folder` between which an import goes; `None` if it is not inside of it or
/// inside of one module.
fn units<'a>(import: &'a Import, folder: &[String]) -> Option<(&'a str, &'a str)> {
    let below = |module: &'a [String]| {
        let path = module.strip_prefix(folder)?;
        Some(path.first().map_or("self", String::as_str))
    };
    let (from, to) = (below(&import.from)?, below(&import.to)?);
    (from != to).then_some((from, to))
}

/// Writes a crate of these files and checks it.
fn faults(files: &[(&str, &str)], layers: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (path, text) in files {
        let path = folder.path().join("src").join(path);
        let parent = path.parent().expect("a file is in a folder");
        fs::create_dir_all(parent).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
    let prefix = format!("{}/", folder.path().display());
    let faults = check(&folder.path().join("src"), layers);
    faults.into_iter().map(|fault| fault.replace(&prefix, "")).collect()
}

#[test]
fn an_import_that_points_up_is_found_wherever_it_stands() {
    let roof = "pub struct Roof; pub fn raise() {} #[cfg(test)] mod tests { use crate::floor; }";
    let check = |floor: &str, expected: &[&str]| {
        let files = [("lib.rs", "mod roof; mod floor;"), ("roof.rs", roof), ("floor.rs", floor)];
        assert_eq!(faults(&files, &[("", "self roof floor")]), expected, "{floor}");
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
fn a_folder_may_have_an_order_of_its_own() {
    let files = [
        ("main.rs", "mod farm; mod base;"),
        ("base.rs", ""),
        ("farm.rs", "mod field; mod barn; pub use field::Field; pub struct Farmer;"),
        ("farm/field.rs", "use super::{Farmer, barn::Hay}; use crate::base; pub struct Field;"),
        ("farm/barn.rs", "use super::Field; use std::io::{self}; pub struct Hay;"),
    ];
    let crate_layers = ("", "self farm base");
    assert_eq!(faults(&files, &[crate_layers]), [""; 0]);
    let layers = [crate_layers, ("farm", "field barn self")];
    assert_eq!(
        faults(&files, &layers),
        ["src/farm/barn.rs:1: barn imports field, which is above it"]
    );
    let layers = [crate_layers, ("farm", "barn field")];
    let expected = [
        "src/farm/field.rs:1: field imports barn, which is above it",
        "src/farm: self is not in the list of layers",
    ];
    assert_eq!(faults(&files, &layers), expected);
    let layers = [("", "self farm base cellar"), ("farm", "self barn field")];
    let expected = [
        "src/farm/field.rs:1: field imports barn, which is above it",
        "src/farm/field.rs:1: field imports self, which is above it",
        "src: cellar is in the list of layers, but not there",
    ];
    assert_eq!(faults(&files, &layers), expected);
}
