//! A run's owner, priority and share of the farm. Nothing here can change a result.

use std::num::NonZeroU32;

use hatchery_proto::v1;

use super::record::RunRecord;
use crate::base::user::UserName;

/// The attributes of a run that dispatch schedules by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunScheduling {
    /// The owner: slots are shared evenly among users.
    pub user: UserName,
    /// The priority class.
    pub priority: RunPriority,
    /// The most slots that the run uses at the same time; `None` for no limit.
    pub most_slots: Option<NonZeroU32>,
}

/// A priority class, ordered from first to last served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RunPriority {
    /// Served before all other runs.
    High,
    /// The default.
    #[default]
    Normal,
    /// Served after all other runs.
    Low,
}

impl RunPriority {
    /// Returns the name of the class.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Normal => "normal",
            Self::Low => "low",
        }
    }
}

impl From<v1::Priority> for RunPriority {
    fn from(priority: v1::Priority) -> Self {
        match priority {
            v1::Priority::High => Self::High,
            v1::Priority::Unspecified | v1::Priority::Normal => Self::Normal,
            v1::Priority::Low => Self::Low,
        }
    }
}

impl From<RunPriority> for v1::Priority {
    fn from(priority: RunPriority) -> Self {
        match priority {
            RunPriority::High => Self::High,
            RunPriority::Normal => Self::Normal,
            RunPriority::Low => Self::Low,
        }
    }
}

impl From<&RunRecord> for RunScheduling {
    /// Reads the attributes from a record; values that this build does not understand become the
    /// defaults.
    fn from(record: &RunRecord) -> Self {
        Self {
            user: record.user.parse().unwrap_or_default(),
            priority: record.priority().into(),
            most_slots: NonZeroU32::new(record.most_slots),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_before_is_like_any_other() {
        assert_eq!(RunScheduling::from(&RunRecord::default()), RunScheduling::default());
        let strange = RunRecord {
            user: "\u{1b}[2J".to_owned(),
            priority: 99,
            most_slots: 3,
            ..RunRecord::default()
        };
        let most_slots = NonZeroU32::new(3);
        assert_eq!(
            RunScheduling::from(&strange),
            RunScheduling { most_slots, ..RunScheduling::default() }
        );
    }
}
