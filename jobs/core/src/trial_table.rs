//! Trials as data: a table with a row for each trial whose result is in the state of a run.

use crate::exhibit::Exhibit;
use crate::experiment::SubjectTrial;
use crate::table::{DataTable, NumberForm};

/// The name of the table among the exhibits of a run.
pub const TRIAL_TABLE: &str = "trials.csv";

/// A trial with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrialRow<'a> {
    /// The generation of the trial.
    pub generation: u32,
    /// The trial in the plan of its generation.
    pub trial: SubjectTrial,
    /// The name of the subject.
    pub subject: &'a str,
    /// The score, in the experiment's own unit; `None` for a trial without a score.
    pub score: Option<f64>,
    /// The length, such as a number of moves or games; `None` if it is not known.
    pub length: Option<u64>,
}

impl Exhibit {
    /// Returns the table of trials; the rows of a subject follow each other. Its first column has
    /// the address that `hatchery replay` takes.
    pub fn trials<'a>(rows: impl IntoIterator<Item = TrialRow<'a>>) -> Self {
        let rows: Vec<TrialRow<'_>> = rows.into_iter().collect();
        let address = |TrialRow { generation, trial, .. }: &TrialRow<'_>| {
            format!("{generation}/{}/{}", trial.subject, trial.trial)
        };
        DataTable::of(&rows)
            .text("trial", address)
            .text("subject", |row| row.subject)
            .number("score", NumberForm::WithPoint, |row| row.score)
            .count("length", |row| row.length)
            .exhibit(TRIAL_TABLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_is_a_row() {
        let trial = SubjectTrial { subject: 3, trial: 17 };
        let first =
            TrialRow { generation: 1, trial, subject: "a, b", score: Some(2.0), length: Some(40) };
        let second = TrialRow { generation: 2, trial, subject: "c", score: None, length: None };
        let Exhibit { name, content, .. } = Exhibit::trials([first, second]);
        let expected = "trial,subject,score,length\n1/3/17,\"a, b\",2.0,40\n2/3/17,c,,\n";
        assert_eq!(content.bytes(), Some(expected.as_bytes()));
        assert_eq!(name, TRIAL_TABLE);
    }
}
