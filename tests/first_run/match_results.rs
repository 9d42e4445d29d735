//! `hatchery elo` and `hatchery sprt`: counts of games without a run.

use super::{output, printed, scratch, text};

fn said(args: &[&str]) -> String {
    printed(scratch().path(), args)
}

fn json(args: &[&str]) -> serde_json::Value {
    serde_json::from_str(&said(&[args, &["--output", "json"]].concat())).unwrap()
}

#[track_caller]
fn assert_near(found: &serde_json::Value, expected: f64) {
    assert!((found.as_f64().unwrap() - expected).abs() < 1e-3, "{found} instead of {expected}");
}

/// A score of 0.7 is 400 log10(7 / 3) = 147.191 Elo points.
#[test]
fn counts_of_games_have_an_elo() {
    let counts = ["elo", "--wins", "120", "--draws", "40", "--losses", "40"];
    let answer = json(&counts);
    assert_eq!((&answer["schema"], &answer["games"]), (&"hatchery.elo/1".into(), &200.into()));
    assert_near(&answer["elo"]["mean"], 147.191);
    let [low, high] = ["low", "high"].map(|end| answer["elo"][end].as_f64().unwrap());
    assert!(90.0 < low && low < 147.0 && 147.0 < high && high < 215.0, "{answer}");
    let table = said(&counts);
    for part in ["200 (120 won, 40 drawn, 40 lost)", "+147.2 (+", "LOS             above 99.9 %"] {
        assert!(table.contains(part), "{part} in {table}");
    }
    // The other player's view.
    assert_near(
        &json(&["elo", "--wins=40", "--draws=40", "--losses=120"])["elo"]["mean"],
        -147.191,
    );
}

/// The ratios are those of fishtest, `LLR_logistic` and `LLR_normalized`.
#[test]
fn a_test_of_pairs_says_whether_a_match_can_end() {
    let pairs = ["sprt", "--pairs", "10,20,40,25,5", "--elo1", "10"];
    let normalized = json(&pairs);
    assert_near(&normalized["llr"], -0.282_113);
    assert_eq!(normalized["verdict"], "continue");
    let logistic = json(&[&pairs[..], &["--model", "logistic"]].concat());
    assert_near(&logistic["llr"], -0.437_486);
    // ln(0.95 / 0.05), Wald's bound.
    assert_near(&logistic["upper"], 2.944);
    assert_eq!(logistic["games"], 200);
    let strong = ["sprt", "--wins", "600", "--losses", "400", "--elo0", "-5", "--elo1", "5"];
    assert_eq!(json(&strong)["verdict"], "accept-elo1");
    assert!(said(&strong).contains("5 rather than -5: the match can end"), "{}", said(&strong));
    let weak = ["sprt", "--wins", "400", "--losses", "600", "--elo1", "5"];
    assert_eq!(json(&weak)["verdict"], "accept-elo0");
}

#[test]
fn counts_that_say_nothing_are_refused() {
    for (args, reason) in [
        (&["elo"][..], "there are no games"),
        (&["elo", "--wins", "0", "--draws", "0"], "there are no games"),
        (&["elo", "--pairs", "0,0,0,0,0"], "there are no games"),
        (&["elo", "--pairs", "1,2,3"], "five whole numbers"),
        (&["elo", "--pairs", "1,2,3,4,-5"], "five whole numbers"),
        (&["elo", "--wins", "-1"], "-1"),
        (&["elo", "--wins", "18446744073709551616"], "18446744073709551616"),
        (&["elo", "--wins", "18446744073709551615", "--losses", "9"], "at most 2^53"),
        (&["elo", "--wins", "1", "--pairs", "1,2,3,4,5"], "cannot be used with"),
        (&["elo", "--wins", "1", "--error-rate", "0.7"], "0.7"),
        (&["sprt", "--wins", "1", "--elo1", "nan"], "elo1 is NaN"),
        (&["sprt", "--wins", "1", "--elo1", "-3"], "elo1 is -3, expected more than elo0"),
        (&["sprt", "--wins", "1", "--elo1", "300"], "from -200 to 200"),
        (&["sprt", "--wins", "1", "--elo1", "5", "--alpha", "0.5", "--beta", "0.5"], "below 1"),
        (&["sprt", "--wins", "1"], "--elo1"),
    ] {
        let output = output(scratch().path(), args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(reason), "{args:?}: {said}");
    }
}
