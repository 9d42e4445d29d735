//! How a worker leaves, in good time: what runs may end, what waits is given back.

use std::time::Duration;

use tokio::time::Instant;

use crate::work::{Ending, Worker};

/// The longest grace: whoever wants to wait longer does not want to leave.
pub(crate) const LONGEST_GRACE: Duration = Duration::from_secs(24 * 3600);

/// The share of the grace, as a divisor, that is kept for verdicts on what was finished last.
const VERDICT_SHARE: u32 = 8;

/// A worker that takes no more jobs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaving {
    /// Until when what runs may go on.
    pub(crate) finish_by: Instant,
    /// Until when verdicts are waited for.
    pub(crate) deadline: Instant,
    pub(crate) then: Then,
    /// Whether the rest was given back.
    released: bool,
}

/// Where a leaving worker goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// Nowhere.
    End,
    /// To another coordinator, after a while.
    Elsewhere { after: Duration },
}

impl Worker {
    /// Takes no more jobs, and gives back those that have not begun.
    pub(crate) fn leave(&mut self, then: Then) {
        if self.is_ending() {
            return;
        }
        let grace = self.config.grace;
        let deadline = Instant::now() + grace;
        let finish_by = deadline - grace / VERDICT_SHARE;
        self.leaving = Some(Leaving { finish_by, deadline, then, released: false });
        self.desk.release_waiting();
    }

    pub(crate) fn is_ending(&self) -> bool {
        self.leaving.is_some_and(|leaving| leaving.then == Then::End)
    }

    /// Does what is due by `now`: stops what was not finished in time, and looks for trials that
    /// do not return.
    pub(crate) fn overdue(&mut self, now: Instant) -> Option<Ending> {
        if let Some(Leaving { finish_by, then: Then::End, released, .. }) = &mut self.leaving
            && *finish_by <= now
            && !std::mem::replace(released, true)
        {
            self.desk.release_all();
        }
        let before = now.checked_sub(self.config.stuck_grace)?;
        self.desk.stuck(before, now).map(Ending::Stuck)
    }

    /// When something will be overdue.
    pub(crate) fn wake_at(&self) -> Option<Instant> {
        let leaving = self.leaving.map(|leaving| match leaving.released {
            true => leaving.deadline,
            false => leaving.finish_by,
        });
        let stuck = self.desk.cancelled_at().map(|at| at + self.config.stuck_grace);
        leaving.into_iter().chain(stuck).min()
    }
}
