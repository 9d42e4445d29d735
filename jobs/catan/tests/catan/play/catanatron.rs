//! Checks games as files for other programs. `tests/peer/run` replays some with Catanatron.

use hatchery_catan::Resource;
use hatchery_catan::map::catanatron;
use hatchery_catan::players::PlannerParams;
use hatchery_catan::rules::{GameState, Seat};
use hatchery_catan::trial::catanatron::GameLog;
use hatchery_catan::trial::game::play_watched;
use serde_json::{Value, json};

use super::{TURN_CAP, deal};

#[test]
fn counts_and_ends_agree() {
    for game in 0..20 {
        let (island, mut streams) = deal("export", game);
        let map = *island.map();
        let (mut log, mut end) = (GameLog::new(&island), GameState::new(&island));
        let mut players = [PlannerParams::VALUE.player(); 4];
        let record = play_watched(&island, &mut players, &mut streams, TURN_CAP, |_, step| {
            log.push(step);
            end.apply(&island, step);
        });
        let text = log.finish();
        assert_eq!(catanatron::read(&text).unwrap(), map);
        let file: Value = serde_json::from_str(&text).unwrap();
        let actions = file["actions"].as_array().unwrap();
        let count = |kind: &str| {
            u64::try_from(actions.iter().filter(|action| action[1] == kind).count()).unwrap()
        };
        // A player may win before the roll.
        assert!([0, 1].contains(&(u64::from(record.turns) - count("ROLL"))));
        assert_eq!(count("END_TURN"), u64::from(record.turns) - 1);
        assert_eq!(count("MARITIME_TRADE"), u64::from(record.maritime_trades));
        for kind in ["OFFER_TRADE", "ACCEPT_TRADE", "CONFIRM_TRADE"] {
            assert_eq!(count(kind), u64::from(record.trades));
        }
        let winner = record.winner.expect("planners end their games");
        assert_eq!(file["winning_color"], ["RED", "BLUE", "ORANGE", "WHITE"][winner.index()]);
        for seat in Seat::ALL {
            let shown = |key: &str| &file["player_state"][format!("P{}_{key}", seat.index())];
            assert_eq!(*shown("ACTUAL_VICTORY_POINTS"), json!(record.points[seat.index()]));
            assert_eq!(*shown("HAS_ROAD"), json!(record.longest_road == Some(seat)));
            assert_eq!(*shown("ORE_IN_HAND"), json!(end.hand(seat).count(Resource::Ore)));
        }
    }
}
