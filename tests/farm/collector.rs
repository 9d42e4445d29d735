//! A collector of traces.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::trace::v1;
use serde_json::Value as Json;
use tokio::runtime::Runtime;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

/// The attributes of a span, or of its process.
pub(crate) type Attributes = BTreeMap<String, Json>;

/// A span that came.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) name: String,
    pub(crate) trace: Vec<u8>,
    pub(crate) id: Vec<u8>,
    /// The span that it is part of; empty if of none.
    pub(crate) parent: Vec<u8>,
    pub(crate) attributes: Attributes,
    /// Of its process.
    pub(crate) resource: Attributes,
    /// The authorization header of the process.
    pub(crate) authorization: Option<String>,
}

/// A collector; it ends when it is dropped.
pub(crate) struct Collector {
    url: String,
    spans: Spans,
    _runtime: Runtime,
}

/// The spans so far; shared with the server.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<Span>>>);

impl Collector {
    pub(crate) fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let spans = Spans::default();
        let incoming = {
            let _runtime = runtime.enter();
            TcpIncoming::bind("127.0.0.1:0".parse().unwrap()).unwrap()
        };
        let url = format!("http://{}", incoming.local_addr().unwrap());
        let service = TraceServiceServer::new(spans.clone());
        runtime.spawn(Server::builder().add_service(service).serve_with_incoming(incoming));
        Self { url, spans, _runtime: runtime }
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        self.url.clone()
    }

    /// The spans so far with that name.
    pub(crate) fn spans(&self, name: &str) -> Vec<Span> {
        let spans = self.spans.0.lock().unwrap();
        spans.iter().filter(|span| span.name == name).cloned().collect()
    }
}

#[tonic::async_trait]
impl TraceService for Spans {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let authorization = request.metadata().get("authorization");
        let authorization = authorization.map(|value| value.to_str().unwrap().to_owned());
        let mut spans = self.0.lock().unwrap();
        for of_process in request.into_inner().resource_spans {
            let resource = attributes(of_process.resource.unwrap().attributes);
            let all = of_process.scope_spans.into_iter().flat_map(|scope| scope.spans);
            spans.extend(all.map(|span| Span::of(span, &resource, authorization.as_deref())));
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Span {
    fn of(span: v1::Span, resource: &Attributes, authorization: Option<&str>) -> Self {
        assert!(span.start_time_unix_nano <= span.end_time_unix_nano, "{span:?}");
        Self {
            name: span.name,
            trace: span.trace_id,
            id: span.span_id,
            parent: span.parent_span_id,
            attributes: attributes(span.attributes),
            resource: resource.clone(),
            authorization: authorization.map(str::to_owned),
        }
    }
}

fn attributes(list: Vec<KeyValue>) -> Attributes {
    let value = |attribute: KeyValue| {
        let value = match attribute.value.unwrap().value.unwrap() {
            any_value::Value::StringValue(text) => text.into(),
            any_value::Value::IntValue(number) => number.into(),
            other => panic!("{} is {other:?}", attribute.key),
        };
        (attribute.key, value)
    };
    list.into_iter().map(value).collect()
}
