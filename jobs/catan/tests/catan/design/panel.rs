//! Checks certificates for a panel of agents, with known true rates for each agent.

use hatchery_catan::Map;
use hatchery_catan::map::MapFile;
use hatchery_catan::players::Agent;
use hatchery_stats::error::ErrorRate;
use hatchery_stats::{AlphaSpending, GroupSequential, OutcomeCounts, goodman_intervals};
use serde_json::Value;

use super::world::{RunOutput, run_for_agents, sigma, spec};

const PANEL: &str = "panel = [{ kind = 'planner' }, { kind = 'value' }, { kind = 'weighted' }]\n";

/// Returns a spec that confirms `finalists` of as many random maps, and 2 given ones.
fn certify(finalists: u32) -> String {
    format!(
        "games = 100\nsteps = 1\n\
         learning = {{ unlabelled = 50, candidates = 50, lambdas = [1.0] }}\n\
         start = {{ maps = ['rulebook', 'tournament', {{ name = 'again', map = 'rulebook' }}] }}\n\
         [params.certify]\nmargin = 2.0\nwanted = {}\ncandidates = {finalists}\n\
         rounds = [{{ maps = {finalists}, games = 10 }}]\nfinalists = {finalists}\n\
         confirm_given = true\ngames = 2000\nmost_games = 8000\n{PANEL}",
        finalists.min(100)
    )
}

/// Returns rates with this standard deviation in percentage points.
fn uneven(sigma: f64) -> [f64; 4] {
    [0.25 + sigma / 100.0, 0.25 - sigma / 100.0, 0.25 + sigma / 100.0, 0.25 - sigma / 100.0]
}

fn certificates(output: &RunOutput) -> Value {
    serde_json::from_str(output.exhibit("certificates.json")).unwrap()
}

/// Maps are even for all agents but value players, for which all are uneven except the rulebook's.
fn by_value_players(map: &Map, agent: &Agent) -> [f64; 4] {
    match agent {
        Agent::Value if *map != Map::RULEBOOK => uneven(6.0),
        _ => uneven(0.0),
    }
}

#[test]
fn a_map_is_certified_if_it_is_for_every_agent() {
    let output = run_for_agents(&certify(4), by_value_players);
    let report = output.exhibit("report.md");
    let count = |name: &str, n: f64| assert!((output.measure(name) - n).abs() < 1e-9, "{report}");
    count("certified_maps", 1.0);
    count("partly_certified_maps", 5.0);
    let document = certificates(&output);
    let maps = document["maps"].as_array().unwrap();
    // Given maps come first, and once.
    assert_eq!(maps.len(), 6);
    assert_eq!(maps[0]["line"], Map::RULEBOOK.to_string());
    assert_eq!(maps[0]["standing"], "certified");
    assert_eq!(maps[0]["origin"], "rulebook");
    for map in &maps[1..] {
        assert_eq!(map["standing"], "refuted");
        assert_eq!(map["certified_for"], serde_json::json!(["planner", "weighted"]));
        assert_eq!(map["not_certified_for"], serde_json::json!(["value"]));
        assert_eq!(map["worst_agent"], "value");
    }
    let whole = MapFile::from_json(output.exhibit("certified-1.json")).unwrap();
    assert_eq!(whole.map, Map::RULEBOOK);
    let words = whole.certificate.unwrap();
    assert!(
        words.starts_with("sigma below 2 points for each of 3 agents. worst sigma "),
        "{words}"
    );
    let partly = MapFile::from_json(output.exhibit("partly-certified-5.json")).unwrap();
    let words = partly.certificate.unwrap();
    assert!(words.starts_with("sigma below 2 points for 2 of 3 agents. worst sigma "), "{words}");
    for part in ["planner: certified, sigma ", "value: refuted, sigma ", "; prefer the first and"] {
        assert!(words.contains(part), "{part:?} is not in {words}");
    }
    for part in [
        "**1 map is certified** to be even for a panel of 3 agents: planner; value; weighted: the \
         standard deviation of the seats' win rates is below 2 points. For some of the agents, 5 \
         maps are certified.",
        "## Certificates for a panel of 3 agents: planner; value; weighted",
        "## What each seat is worth",
        "- **value**: the first seat wins ",
        "(intersection-union test, Berger 1982)",
    ] {
        assert!(report.contains(part), "{part:?} is not in {report}");
    }
    assert_eq!(output.column("finalists.csv", "agent")[1], "\"value\"");
}

/// Half of the maps are even for planners and half for value players, independently: a quarter is
/// even for both.
fn by_text(map: &Map, agent: &Agent) -> [f64; 4] {
    // All maps have the same letters: their order counts.
    let hash = |hash: u32, byte| hash.wrapping_mul(0x0100_0193) ^ u32::from(byte);
    let hash = map.to_string().bytes().fold(0, hash) >> 16;
    let is_even = match agent {
        Agent::Planner(_) => hash & 1 == 0,
        Agent::Value => hash & 2 == 0,
        _ => true,
    };
    if is_even { uneven(0.0) } else { uneven(6.0) }
}

#[test]
fn rounds_by_the_panel_choose_maps_that_are_even_for_every_agent() {
    let params = |rounds_by: &str| {
        format!(
            "games = 100\nsteps = 1\n\
             learning = {{ unlabelled = 50, candidates = 50, lambdas = [1.0] }}\n\
             start = {{ maps = ['rulebook', 'tournament'] }}\n\
             [params.certify]\nmargin = 2.0\nwanted = 4\ncandidates = 40\n\
             rounds = [{{ maps = 40, games = 400 }}, {{ maps = 8, games = 800 }}]\n\
             finalists = 4\ngames = 2000\nmost_games = 8000\n{PANEL}{rounds_by}"
        )
    };
    let output = run_for_agents(&params("rounds_by = 'panel'"), by_text);
    assert_eq!(output.measure("certified_maps").to_string(), "4");
    // A series for each map and agent: the batches of the start and of the step come first.
    let n_series: Vec<usize> = output.plans.iter().map(Vec::len).collect();
    assert_eq!(n_series[2..5], [3 * 40, 3 * 8, 3 * 4]);
    // Each finalist has the games of its own agent from both rounds.
    assert!(output.column("finalists.csv", "chosen_by_games").iter().all(|n| *n == "1200"));
    // Random players know nothing of what the panel sees.
    let output = run_for_agents(&params(""), by_text);
    assert!(output.measure("certified_maps") < 4.0);
    assert_eq!(output.plans[2].len(), 40);
}

#[test]
fn maps_on_which_an_agent_decides_no_game_are_told() {
    let output = run_for_agents(&certify(4), |_, agent| match agent {
        Agent::Value => [0.0; 4],
        _ => uneven(0.0),
    });
    let report = output.exhibit("report.md");
    assert!(!report.contains("No map has come as far"), "{report}");
    assert!(report.contains("For some of the agents: 6."), "{report}");
    assert_eq!(report.matches("2 of 3").count(), 6, "{report}");
}

/// Refuted pairs of map and agent play no more, and others go on.
#[test]
fn each_agent_plays_until_its_verdict() {
    let output = run_for_agents(&certify(4), |map, agent| match agent {
        Agent::Weighted => uneven(2.0),
        _ => by_value_players(map, agent),
    });
    let looks: Vec<usize> = output.plans[3..].iter().map(Vec::len).collect();
    assert_eq!(looks[0], 18);
    assert!(looks[1..].iter().all(|n| (1..=12).contains(n)), "{looks:?}");
}

/// Of maps whose sigma is at the margin for one agent and 0 for the others, at most the error rate
/// is certified: of 202, 10 on average, and more than 20 with a probability of 0.1 % if looks
/// shared the rate exactly. Sharing it among the agents would certify a third of that.
///
/// On the same maps, bounds that hold for all agents and seats at once are wrong for at most as
/// many.
#[test]
fn joint_claims_keep_their_error_rate() {
    let rates = |agent: &Agent| match agent {
        Agent::Value => uneven(2.0),
        Agent::Planner(_) => uneven(1.0),
        _ => uneven(0.0),
    };
    let output = run_for_agents(&certify(200), |_, agent| rates(agent));
    let certified = output.measure("certified_maps");
    assert!((1.0..=20.0).contains(&certified), "{certified} of 202");
    let agents = [Agent::Planner(hatchery_catan::players::PlannerParams::VALUE), Agent::Value];
    let truth: Vec<[f64; 4]> = agents.iter().chain([&Agent::Weighted]).map(rates).collect();
    let sigmas: Vec<f64> = truth.iter().map(|rates| sigma(*rates)).collect();
    let mean = sigmas.iter().sum::<f64>() / 3.0;
    let document = certificates(&output);
    let maps = document["maps"].as_array().unwrap();
    assert_eq!(maps.len(), 202);
    let covers = |estimate: &Value, truth: f64| {
        let [low, high] = ["low", "high"].map(|end| estimate[end].as_f64().unwrap());
        [truth < low - 1e-3, high + 1e-3 < truth].map(usize::from)
    };
    let mut misses = [0; 5];
    for map in maps {
        let [low, high] = covers(&map["worst_sigma"], 2.0);
        let [mean_low, mean_high] = covers(&map["mean_sigma"], mean);
        let seats =
            map["agents"].as_array().unwrap().iter().zip(&truth).flat_map(|(agent, rates)| {
                let seats = agent["seats"].as_array().unwrap().iter().zip(rates);
                seats.map(|(seat, rate)| covers(seat, 100.0 * rate).iter().sum::<usize>())
            });
        let of_map = [low, high, mean_low, mean_high, usize::from(0 < seats.sum::<usize>())];
        misses.iter_mut().zip(of_map).for_each(|(all, one)| *all += one);
    }
    assert!(misses.iter().all(|n| *n <= 20), "{misses:?} of 202");
}

/// Bounds for all agents at once have a third of the look's error rate each. The upper bound of the
/// worst sigma has the whole error rate (union bound and intersection-union test, from
/// `hatchery-stats`).
#[test]
fn three_agents_share_the_error_rate_of_joint_claims() {
    let output = run_for_agents(&certify(4), by_value_players);
    let looks = [2000, 4000, 8000];
    let schedule = |rate: f64| {
        let rate = ErrorRate::new(rate).unwrap();
        GroupSequential::new(0.02, rate, &looks, AlphaSpending::Pocock).unwrap()
    };
    let (single, joint) = (schedule(0.05), schedule(0.05 / 3.0));
    let close = |got: &Value, expected: f64| {
        assert!((got.as_f64().unwrap() - 100.0 * expected).abs() < 1e-3, "{got} and {expected}");
    };
    for map in certificates(&output)["maps"].as_array().unwrap() {
        let (mut worst, mut least, mut lows, mut highs) = (0.0_f64, 0.0_f64, 0.0, 0.0);
        for agent in map["agents"].as_array().unwrap() {
            let wins = agent["wins"].as_array().unwrap().iter();
            let wins: Vec<u64> = wins.map(|wins| wins.as_u64().unwrap()).collect();
            let counts = OutcomeCounts::new(&wins).unwrap();
            let look = looks.iter().position(|look| *look == counts.n()).unwrap();
            let rate = ErrorRate::new(joint.rate(look)).unwrap();
            let seats = agent["seats"].as_array().unwrap().iter();
            for (seat, expected) in seats.zip(goodman_intervals(counts, rate)) {
                close(&seat["low"], expected.low);
                close(&seat["high"], expected.high);
            }
            worst = worst.max(single.sigma_bounds(look, counts).unwrap().1);
            let (low, high) = joint.sigma_bounds(look, counts).unwrap();
            (least, lows, highs) = (least.max(low), lows + low / 3.0, highs + high / 3.0);
        }
        close(&map["worst_sigma"]["low"], least);
        close(&map["worst_sigma"]["high"], worst);
        close(&map["mean_sigma"]["low"], lows);
        close(&map["mean_sigma"]["high"], highs);
    }
}

/// The certificate of the longest panel fits in a map file.
#[test]
fn long_certificates_are_not_left_out() {
    let agents: Vec<String> = (0..10)
        .map(|idx| {
            format!(
                "{{ kind = 'planner', variant = 'fast', trade = false, \
                 opening = 'building-times', opening_slack = {}, offers_per_turn = 100, \
                 wary_below = 1000, card_delay = 1000 }}",
                990 + idx
            )
        })
        .collect();
    let params = certify(2).replace(PANEL, &format!("panel = [{}]\n", agents.join(", ")));
    let output = run_for_agents(&params, |_, _| uneven(0.0));
    let file = MapFile::from_json(output.exhibit("certified-1.json")).unwrap();
    let words = file.certificate.unwrap();
    assert!(3_500 < words.len(), "{words}");
}

/// Specs from before panels have the digests that they had.
#[test]
fn specs_without_a_panel_are_written_as_before() {
    let with = spec(&certify(4));
    let mut without = with.clone();
    let certify = without.certify.as_mut().unwrap();
    (certify.panel, certify.confirm_given) = (None, false);
    for (spec, expected) in [(with, true), (without, false)] {
        let text = serde_json::to_string(&spec).unwrap();
        assert!(["panel", "confirm_given"].iter().all(|key| text.contains(key) == expected));
        assert!(!text.contains("rounds_by"));
    }
}
