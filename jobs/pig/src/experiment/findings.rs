//! The findings: the players by their turns.

use hatchery_core::Findings;
use hatchery_core::findings::{FindingBlock, FindingSection, KeyFact, RichText, TableHead};
use hatchery_core::text::{counted, grouped};

use super::{PigSpec, PigState};

/// Returns the findings. The state has sums, and no spread that intervals could be made of: turns
/// are told as counts of the games that were played, not as estimates for others.
pub(super) fn findings(spec: &PigSpec, PigState(players): &PigState) -> Findings {
    let played: Vec<_> = players.iter().filter(|(_, games, _)| *games != 0).collect();
    let (mut summary, mut key_facts) = (RichText::new("No games have been played yet."), vec![]);
    let mut sections = Vec::new();
    if let Some((hold_at, games, turns)) = played.first() {
        let points = counted(*hold_at, "point");
        let (games, turns) = (counted(*games, "game"), counted(*turns, "turn"));
        let so_far = if played.len() == 1 { "" } else { " so far" };
        summary = RichText::default()
            .strong(format!("The player that holds at {points} took the fewest turns{so_far}"))
            .plain(format!(": {turns} in {games}."));
        let note = format!("{turns} in {games}");
        key_facts = vec![KeyFact { name: "Hold at".to_owned(), value: points, note }];
        let columns = ["hold at, points", "games", "turns"].map(TableHead::number).into();
        let row = |(hold_at, games, turns): &(u32, u64, u64)| {
            [u64::from(*hold_at), *games, *turns].map(|n| grouped(n).into()).into()
        };
        let rows = played.into_iter().map(row).collect();
        let table = FindingBlock::table("Players that have not dropped out.", columns, rows);
        sections = vec![FindingSection::new("The players left", vec![table])];
    }
    let method = format!(
        "{} played {} of Pig alone in each generation: until 100 points are banked. After each \
         generation the slower half dropped out. The best of several was partly lucky: in other \
         games it may take more turns.",
        counted(spec.hold_at.len(), "player"),
        counted(spec.games, "game")
    );
    Findings {
        title: "Pig: at how many points should a turn end?".into(),
        summary,
        key_facts,
        sections,
        method: vec![method.into()],
    }
}
