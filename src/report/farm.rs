//! What the verbs of a farm print as JSON. Each document names its schema, whose version is raised
//! when a field changes its meaning or goes; the schemas are in `docs/`.

mod answer;
mod documents;
mod run;
mod scheduling;

pub(crate) use answer::{Answer, json, line};
pub(crate) use documents::{
    Dead, DeadAttempt, DeadJob, Deleted, Mismatch, Retried, Runs, Submitted, Verified, Watched,
};
pub(crate) use run::{Priority, Run, State};
pub(crate) use scheduling::{Drained, Explained, Quarantined, Reason, Top, Worker, Workers};

#[cfg(test)]
mod tests {
    use hatchery_proto::v1::RunStatus;

    use super::answer::Named;
    use super::*;
    use crate::report::schema;

    #[test]
    fn the_schemas_are_documented() {
        schema::check::<Named<Run>>("run");
        schema::check::<Named<Runs>>("runs");
        schema::check::<Named<Submitted>>("submitted");
        schema::check::<Named<Deleted>>("deleted");
        schema::check::<Named<Watched>>("watch");
        schema::check::<Named<Dead>>("dead");
        schema::check::<Named<Retried>>("retried");
        schema::check::<Named<Verified>>("verified");
        schema::check::<Named<Explained>>("explained");
        schema::check::<Named<Workers>>("workers");
        schema::check::<Named<Drained>>("drained");
        schema::check::<Named<Quarantined>>("quarantined");
        schema::check::<Named<Top>>("top");
    }

    #[test]
    fn documents_name_their_schema() {
        let run = "01M7YH3Q6F4BFRQE644ZH5B8FZ".to_owned();
        let text = line(Deleted { run });
        assert_eq!(text, r#"{"schema":"hatchery.deleted/1","run":"01M7YH3Q6F4BFRQE644ZH5B8FZ"}"#);
        let run = Run::from(RunStatus { name: "\u{1b}[2J".to_owned(), ..RunStatus::default() });
        assert_eq!(
            (run.name.as_str(), run.state, run.waiting_for),
            ("\\u{1b}[2J", State::Unknown, None)
        );
    }
}
