//! Random players are fair on every map, so the right verdicts are known.

use super::run;

/// At a margin near 0, "unfair" is Pearson's test, which rejects about 5 % of fair maps. Of 200
/// maps, chance rejects more than 20 or fewer than 2 for one seed in 500 (binomial). After 40 games
/// the statistic is close to chi-square.
#[test]
fn fair_maps_are_called_unfair_as_often_as_stated() {
    let output = run("random = [{ policy = 'free', count = 200 }]\ngames = 40\nmargin = 0.01");
    let (unfair, significant) = (output.measure("unfair"), output.measure("significant"));
    println!("{unfair} of 200 maps unfair, {} discoveries", output.measure("discoveries"));
    assert!((2.0..=20.0).contains(&unfair), "{unfair}");
    assert!((2.0..=20.0).contains(&significant), "{significant}");
    // Allowing for many maps, a false discovery occurs in 5 % of runs.
    assert!(output.measure("discoveries") <= 2.0);
    let rates = (1..=4).map(|seat| output.measure(&format!("seat_{seat}_wins")));
    // 8,000 games: 3.3 standard errors of 0.484 points.
    assert!(rates.into_iter().all(|rate| (rate - 25.0).abs() < 1.6));
    // Maps do not differ: an interval of the standard deviation leaves out 0 for 1 of 40 seats.
    for seat in 1..=4 {
        assert!(output.lower_end(&format!("seat_{seat}_sd")) <= 0.0, "seat {seat}");
    }
    // Half of even maps show less spread than chance adds on average.
    assert!(output.measure("sigma_lower_quartile") <= 0.0);
}

/// For any number of looks, each verdict is wrong for at most 5 % of maps: chance gives 9 of 60 or
/// more for less than one seed in 300.
#[test]
fn looks_do_not_raise_the_error_rate() {
    for method in [
        "{ kind = 'group-sequential', most_games = 120, spending = 'pocock' }",
        "{ kind = 'anytime', most_games = 120 }",
    ] {
        let output = run(&format!(
            "random = [{{ policy = 'free', count = 60 }}]\ngames = 15\nmargin = 0.01\n\
             method = {method}"
        ));
        let unfair = output.measure("unfair");
        println!("{unfair} of 60 maps unfair by {method}");
        assert!(unfair < 9.0, "{unfair} by {method}");
    }
}
