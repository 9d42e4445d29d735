//! The JSON documents of the verbs that talk to a farm.
//!
//! Each document names its schema, whose version is raised when a field changes its meaning or goes
//! away; the schemas are in `docs/`.

mod document;
mod documents;
mod local;
mod run;
mod scheduling;

#[cfg(test)]
pub(super) use document::SchemaTagged;
pub(crate) use document::{JsonDocument, json, line};
pub(crate) use documents::{
    DeadAttempt, DeadJob, DeadJobsDocument, DeletedDocument, JobMismatch, RetriedDocument,
    RunListDocument, SceneDocument, SubmittedDocument, SubmittedPoint, SubmittedSweepDocument,
    VerifiedDocument, WatchDocument,
};
pub(crate) use run::{
    ReportedMeasure, ReportedPriority, ReportedState, ReportedTimeLeft, RunDocument,
};
pub(crate) use scheduling::{
    CoordinatorEntry, DrainedDocument, ExplainReason, ExplainedDocument, QuarantinedDocument,
    TopDocument, WorkerEntry, WorkersDocument,
};

#[cfg(test)]
mod tests {
    use hatchery_proto::v1::RunStatus;

    use super::*;
    use crate::report::schema;

    #[test]
    fn the_schemas_are_documented() {
        schema::check::<SchemaTagged<RunDocument>>("run");
        schema::check::<SchemaTagged<RunListDocument>>("runs");
        schema::check::<SchemaTagged<SubmittedDocument>>("submitted");
        schema::check::<SchemaTagged<SubmittedSweepDocument>>("submitted-sweep");
        schema::check::<SchemaTagged<DeletedDocument>>("deleted");
        schema::check::<SchemaTagged<WatchDocument>>("watch");
        schema::check::<SchemaTagged<DeadJobsDocument>>("dead");
        schema::check::<SchemaTagged<RetriedDocument>>("retried");
        schema::check::<SchemaTagged<VerifiedDocument>>("verified");
        schema::check::<SchemaTagged<SceneDocument>>("scene");
        schema::check::<SchemaTagged<ExplainedDocument>>("explained");
        schema::check::<SchemaTagged<WorkersDocument>>("workers");
        schema::check::<SchemaTagged<DrainedDocument>>("drained");
        schema::check::<SchemaTagged<QuarantinedDocument>>("quarantined");
        schema::check::<SchemaTagged<TopDocument>>("top");
    }

    #[test]
    fn documents_name_their_schema() {
        let run = "01M7YH3Q6F4BFRQE644ZH5B8FZ".to_owned();
        let text = line(DeletedDocument { run });
        assert_eq!(text, r#"{"schema":"hatchery.deleted/1","run":"01M7YH3Q6F4BFRQE644ZH5B8FZ"}"#);
        let run =
            RunDocument::from(RunStatus { name: "\u{1b}[2J".to_owned(), ..RunStatus::default() });
        assert_eq!(
            (run.name.as_str(), run.state, run.waiting_for),
            ("\\u{1b}[2J", ReportedState::Unknown, None)
        );
    }
}
