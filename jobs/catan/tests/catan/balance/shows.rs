//! Checks the exhibits of a run.

use hatchery_catan::Map;
use hatchery_catan::map::MapFile;

use super::run;

#[test]
fn the_files_are_there_and_can_be_read() {
    let output =
        run("maps = ['rulebook', 'tournament']\nrandom = [{ policy = 'free', count = 3 }]\n\
                   games = 200");
    let names: Vec<&str> = output.exhibits.iter().map(|exhibit| exhibit.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "report.md",
            "sigma.svg",
            "win-rates.svg",
            "maps.csv",
            "best-1.svg",
            "best-1.json",
            "best-2.svg",
            "best-2.json",
            "best-3.svg",
            "best-3.json",
            "worst-1.svg",
            "worst-2.svg",
        ]
    );
    for name in names.iter().filter(|name| name.ends_with(".svg")) {
        roxmltree::Document::parse(output.exhibit(name)).unwrap();
    }
    let csv = output.exhibit("maps.csv");
    let columns: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let column = |name: &str| columns.iter().position(|column| *column == name).unwrap();
    let mut wins_of_rulebook = None;
    for row in csv.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        assert_eq!(fields.len(), columns.len(), "{row}");
        let map: Map = fields[column("line")].parse().unwrap();
        assert_eq!(fields[column("id")], format!("{:.12}", map.id()));
        if fields[column("map")] == "rulebook" {
            wins_of_rulebook = Some(
                [1, 2, 3, 4]
                    .map(|seat| fields[column(&format!("wins_{seat}"))].parse::<u64>().unwrap()),
            );
        }
    }
    assert_eq!(wins_of_rulebook, Some(output.last().candidates[0].judged.wins));
    assert_eq!(csv.lines().count(), 6);
    // The best map can be judged again.
    let best = MapFile::from_json(output.exhibit("best-1.json")).unwrap();
    let first = csv.lines().nth(1).unwrap();
    assert!(first.contains(&format!(",{},", best.map)), "{first}");
}

/// Everything that a report says of seats is about the seats that play.
#[test]
fn games_of_fewer_players_are_reported() {
    for (n_players, number) in [(2, "two"), (3, "three")] {
        let output = run(&format!(
            "maps = ['rulebook']\nrandom = [{{ policy = 'free', count = 5 }}]\ngames = 60\n\
             points_to_win = 4\n\
             pool = {{ agent = {{ kind = 'weighted' }}, players = {n_players} }}"
        ));
        let last = output.last();
        assert!(last.candidates.iter().all(|map| map.judged.decided() == 60));
        assert!(
            last.candidates
                .iter()
                .all(|map| map.judged.wins[n_players..] == [0, 0][n_players - 2..])
        );
        let names = || output.measures.iter().map(|measure| measure.name.as_str());
        for (seat, is_there) in [(n_players, true), (n_players + 1, false)] {
            assert_eq!(names().any(|name| name == format!("seat_{seat}_wins")), is_there);
            assert_eq!(names().any(|name| name == format!("seat_{seat}_sd")), is_there);
            assert_eq!(output.exhibit("maps.csv").contains(&format!(",rate_{seat}")), is_there);
        }
        let rates: f64 = (1..=n_players).map(|s| output.measure(&format!("seat_{s}_wins"))).sum();
        assert!((rates - 100.0).abs() < 1e-9, "{rates}");
        let report = output.exhibit("report.md");
        assert!(report.contains(&format!("{number} weighted agents")), "{report}");
        assert!(report.contains(&format!("the {number} true win rates")), "{report}");
        assert!(report.contains(&format!("(divisor {n_players})")), "{report}");
        assert!(report.contains(&format!("{} degree", n_players - 1)), "{report}");
        assert!(
            !report.contains("Hwang & Kaneko, table 4") && !report.contains("four"),
            "{report}"
        );
    }
}

#[test]
fn published_rates_stand_beside_ours() {
    let output = run("maps = ['rulebook']\nrandom = [{ policy = 'free', count = 1 }]\ngames = 20");
    let report = output.exhibit("report.md");
    for row in [
        "| Hwang & Kaneko, table 4: rulebook (1) |  | 23.29 | 25.34 | 24.04 | 26.33 |  |  |",
        "| Hwang & Kaneko, table 4: random (29) |  | 24.79 | 24.71 | 25.10 | 25.40 |  |  |",
    ] {
        assert!(report.contains(row), "{report}");
    }
    assert!(!report.contains("tournament (5)"));
    assert!(report.contains("Seats are numbered by the order of the first settlements"));
}
